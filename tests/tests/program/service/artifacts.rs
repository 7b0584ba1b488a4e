//! What is made of a ruleset: the book, the phase graph, schemas.

use std::time::{Duration, Instant};

use referee::client::Client;
use referee::limits::Limits;
use referee::wire::v1::{self, ArtifactKind as Kind};
use tonic::Status;

use super::publishing::{files, publish, revision};
use super::world::{World, expect, fields, metadata, quick};

fn ask(kind: Kind) -> v1::GetArtifactRequest {
    v1::GetArtifactRequest {
        name: "rulesets/tea-house".into(),
        kind: kind.into(),
        configuration: None,
    }
}

/// A whole artifact: its first piece without its bytes, and the text.
async fn get(
    client: &Client,
    asked: v1::GetArtifactRequest,
) -> Result<(v1::GetArtifactResponse, String), Status> {
    let mut pieces = client.call(asked).await?;
    let mut head = pieces.message().await?.expect("a piece");
    let mut text = std::mem::take(&mut head.data);
    while let Some(piece) = pieces.message().await? {
        assert!(piece.media_type.is_empty() && piece.revision.is_empty() && piece.size == 0);
        text.extend(piece.data);
    }
    assert_eq!(head.size, text.len() as u64);
    Ok((head, String::from_utf8(text).expect("UTF-8")))
}

/// A small ruleset that is published: what is shipped takes longer to draw than a test should.
async fn with_tea_house(limits: Limits) -> World {
    let world = World::with(limits).await;
    let publisher = world.publisher().await;
    let files = files(&referee_tests::root().join("tests/rulesets/tea-house"));
    let published = publisher.call(publish(files)).await;
    published.expect("it is right");
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn the_book_the_graph_and_the_schemas_are_given_by_revision_and_language() {
    let world = with_tea_house(quick()).await;
    let english = world.client().in_language("en");
    let polish = world.client().in_language("pl");
    for (kind, media_type, begins, contains) in [
        (
            Kind::BookMarkdown,
            "text/markdown; charset=utf-8",
            "# Tea house",
            "```mermaid",
        ),
        (
            Kind::BookHtml,
            "text/html; charset=utf-8",
            "<!DOCTYPE html>",
            "<svg",
        ),
        (Kind::GraphSvg, "image/svg+xml", "<svg", "</svg>"),
        (Kind::GraphDot, "text/vnd.graphviz", "digraph", "->"),
        (Kind::GraphMermaid, "text/vnd.mermaid", "---\ntitle", "-->"),
        (Kind::MoveSchema, "application/schema+json", "{", "$schema"),
        (Kind::ViewSchema, "application/schema+json", "{", "$schema"),
    ] {
        let (head, text) = get(&english, ask(kind)).await.expect("an artifact");
        assert_eq!(head.media_type, media_type);
        assert!(head.revision.starts_with("rulesets/tea-house/revisions/"));
        assert!(text.starts_with(begins), "{kind:?}: {}", &text[..80]);
        assert!(text.contains(contains), "{kind:?}");
        // Its revision gives the same, from what is remembered.
        let asked = v1::GetArtifactRequest {
            name: head.revision.clone(),
            ..ask(kind)
        };
        assert_eq!(get(&english, asked).await.expect("it").1, text);
        let (_, other) = get(&polish, ask(kind)).await.expect("an artifact");
        match kind {
            Kind::MoveSchema | Kind::ViewSchema => assert_eq!(other, text),
            _ => assert!(other.contains("Herbaciarnia") && other != text, "{kind:?}"),
        }
        // No scenario was run, so nothing is said of what is proven.
        assert!(!text.contains("not proven") && !text.contains("Clauses proven"));
    }
    let asked = v1::GetSchemasRequest {
        name: "rulesets/tea-house".into(),
        configuration: None,
    };
    let schemas = world.client().call(asked).await;
    let schemas = schemas.expect("schemas");
    let (_, moves) = get(&english, ask(Kind::MoveSchema)).await.expect("it");
    let (_, views) = get(&english, ask(Kind::ViewSchema)).await.expect("it");
    assert_eq!((moves, views), (schemas.move_schema, schemas.view_schema));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_made_is_said() {
    let limits = Limits {
        artifact_bytes: 10_000,
        ..quick()
    };
    let world = with_tea_house(limits).await;
    let client = world.client();
    for (asked, reason, field) in [
        (ask(Kind::Unspecified), "MALFORMED_REQUEST", "kind"),
        (
            v1::GetArtifactRequest {
                kind: 99,
                ..ask(Kind::BookHtml)
            },
            "MALFORMED_REQUEST",
            "kind",
        ),
        (
            v1::GetArtifactRequest {
                name: "tea-house".into(),
                ..ask(Kind::BookHtml)
            },
            "MALFORMED_REQUEST",
            "name",
        ),
        (
            v1::GetArtifactRequest {
                configuration: Some(v1::Configuration {
                    players: 9,
                    ..Default::default()
                }),
                ..ask(Kind::BookHtml)
            },
            "CONFIGURATION_INVALID",
            "configuration.players",
        ),
    ] {
        let status = expect(get(client, asked).await, reason);
        assert_eq!(fields(&status)[0], field);
    }
    let absent = v1::GetArtifactRequest {
        name: "rulesets/chess".into(),
        ..ask(Kind::BookHtml)
    };
    expect(get(client, absent).await, "NOT_FOUND");
    let large = get(client, ask(Kind::BookHtml)).await;
    let large = expect(large, "LIMIT_REACHED");
    assert_eq!(metadata(&large, "limit"), "artifact_bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scenarios_prove_is_told_of_each_clause() {
    let world = World::new().await;
    let asked = v1::GetArtifactRequest {
        name: "rulesets/san-juan".into(),
        kind: Kind::Coverage.into(),
        configuration: None,
    };
    let (head, text) = get(world.client(), asked).await.expect("it");
    assert_eq!(head.media_type, "application/json");
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(told["schema"], "referee.coverage/2");
    assert_eq!(told["scenarios_failed"], 0);
    let clauses = told["clauses"].as_array().expect("clauses");
    let one = clauses.iter().find(|clause| clause["id"] == "builder.pay");
    let one = one.expect("it is a clause of the ruleset");
    assert!(
        ["touched", "proven"]
            .iter()
            .any(|standing| one["standing"] == *standing)
    );
    assert!(!one["scenarios"].as_array().expect("a list").is_empty());
}

/// What a shipped ruleset makes is found within what a call may take, and many who ask at once are all answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_shipped_book_is_made_once_for_all_who_ask() {
    let world = World::new().await;
    let name = revision(world.client()).await;
    let asked = v1::GetArtifactRequest {
        name,
        kind: Kind::GraphSvg.into(),
        configuration: None,
    };
    let (_, first) = get(world.client(), asked.clone()).await.expect("it");
    let began = Instant::now();
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (client, asked) = (world.client().clone(), asked.clone());
        all.spawn(async move { get(&client, asked).await.expect("it").1 });
    }
    while let Some(one) = all.join_next().await {
        assert_eq!(one.expect("no panic"), first);
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}
