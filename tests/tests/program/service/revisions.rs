//! Revisions of a ruleset: what differs between them, and those with which nothing new begins.

use std::collections::BTreeSet;
use std::path::Path;

use referee::client::{Chooser, request_id};
use referee::wire::v1::{self, DifferenceTopic as Topic};

use super::publishing::{command, create, edited, publish, revision};
use super::world::{World, expect, fields, metadata};

/// San Juan in another version, with a clause that says something else and a dearer smithy.
fn changed(version: &str) -> Vec<v1::PackageFile> {
    let mut files = edited(version);
    for (path, from, to) in [
        ("components/cards.yaml", "smithy", None),
        ("rules/roles.rules", "phase ", Some("# said again\nphase ")),
    ] {
        let file = files.iter_mut().find(|file| file.path == path);
        let file = file.expect("a file of the ruleset");
        let at = file.text.find(from).expect("it is written there");
        match to {
            Some(to) => file.text.replace_range(at..at + from.len(), to),
            // The first cost behind the name.
            None => {
                let cost = at + file.text[at..].find("cost: ").expect("a cost") + "cost: ".len();
                assert_ne!(file.text.as_bytes()[cost], b'5');
                file.text.replace_range(cost..=cost, "5");
            }
        }
    }
    files
}

async fn diff(
    world: &World,
    asked: v1::DiffRevisionsRequest,
) -> Result<v1::DiffRevisionsResponse, tonic::Status> {
    world.client().call(asked).await
}

fn between(before: &str, after: &str) -> v1::DiffRevisionsRequest {
    v1::DiffRevisionsRequest {
        before: before.into(),
        after: after.into(),
        page_size: 1000,
        ..Default::default()
    }
}

fn written(folder: &Path, files: Vec<v1::PackageFile>) -> String {
    for file in files {
        let path = folder.join(file.path);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("writable");
        std::fs::write(path, file.text).expect("writable");
    }
    folder.to_str().expect("text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_between_two_revisions_is_told_as_the_command_tells_it() {
    let world = World::new().await;
    let before = revision(world.client()).await;
    let publisher = world.publisher().await;
    let asked = publish(changed("4.4.4"));
    let after = publisher.call(asked).await.expect("it is right").revision;

    let told = diff(&world, between(&before, &after))
        .await
        .expect("an answer");
    assert_eq!((&told.before, &told.after), (&before, &after));
    assert_eq!(told.difference_count as usize, told.differences.len());
    assert!(told.next_page_token.is_empty());
    let of = |topic| {
        let differences = told.differences.iter();
        let mut of = differences.filter(move |difference| difference.topic() == topic);
        let first = of.next().expect("one of this topic").clone();
        assert!(of.next().is_none(), "{:?}", told.differences);
        first
    };
    let version = of(Topic::Manifest);
    assert_eq!(
        (
            version.subject.join(" "),
            version.before.as_deref(),
            version.after.as_deref()
        ),
        ("version".to_owned(), Some("0.1.0"), Some("4.4.4"))
    );
    let cost = of(Topic::Row);
    assert!(
        cost.subject.ends_with(&["smithy".into(), "cost".into()]),
        "{cost:?}"
    );
    assert_eq!(cost.after.as_deref(), Some("5"));
    assert_eq!(told.differences.len(), 2, "a comment is no difference");

    // The command tells the same.
    let (old, new) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let (old, new) = (
        written(old.path(), edited("0.1.0")),
        written(new.path(), changed("4.4.4")),
    );
    let said = command(format!("diff {old} {new} --games 0 --format json"));
    let said = said.await.json();
    let mut subjects = BTreeSet::new();
    for topic in ["manifest", "figures", "rows", "rules", "clauses", "names"] {
        let list = said["texts"][topic].as_array().expect("a list");
        subjects.extend(
            list.iter()
                .map(|d| d["of"].as_str().expect("text").to_owned()),
        );
    }
    let served: BTreeSet<String> = told
        .differences
        .iter()
        .map(|d| d.subject.join(" "))
        .collect();
    assert_eq!(served, subjects);

    // The other way round it is the other way round; with itself there is nothing.
    let back = diff(&world, between(&after, &before))
        .await
        .expect("an answer");
    let turned = back
        .differences
        .into_iter()
        .map(|difference| v1::RevisionDifference {
            before: difference.after,
            after: difference.before,
            ..difference
        });
    assert_eq!(turned.collect::<Vec<_>>(), told.differences);
    let same = diff(&world, between("rulesets/san-juan", &after))
        .await
        .expect("an answer");
    assert_eq!((same.difference_count, same.before), (0, after.clone()));
}

#[tokio::test]
async fn a_module_against_the_base_game_is_told_page_by_page() {
    let world = World::new().await;
    let module = v1::Configuration {
        players: 3,
        modules: vec!["new-buildings".into()],
        ..Default::default()
    };
    let whole = v1::DiffRevisionsRequest {
        after_configuration: Some(module.clone()),
        ..between("rulesets/san-juan", "rulesets/san-juan")
    };
    let all = diff(&world, whole.clone()).await.expect("an answer");
    assert!(all.difference_count > 20 && all.next_page_token.is_empty());
    for topic in [Topic::Manifest, Topic::Row, Topic::Rule, Topic::Clause] {
        assert!(
            all.differences.iter().any(|d| d.topic() == topic),
            "{topic:?}"
        );
    }
    assert!(all.differences.is_sorted_by_key(|d| d.topic));
    let mut pages = Vec::new();
    // Each page compares anew.
    let size = all.difference_count / 2;
    let mut asked = v1::DiffRevisionsRequest {
        page_size: size as i32,
        ..whole.clone()
    };
    loop {
        let page = diff(&world, asked.clone()).await.expect("a page");
        assert!(
            page.differences.len() <= size as usize
                && page.difference_count == all.difference_count
        );
        pages.extend(page.differences);
        asked.page_token = page.next_page_token;
        if asked.page_token.is_empty() {
            break;
        }
        let other = v1::DiffRevisionsRequest {
            page_token: asked.page_token.clone(),
            ..between("rulesets/san-juan", "rulesets/san-juan")
        };
        let other = diff(&world, other).await;
        expect(other, "PAGE_TOKEN_INVALID");
    }
    assert_eq!(pages, all.differences);

    let both = v1::DiffRevisionsRequest {
        before_configuration: Some(module),
        ..whole.clone()
    };
    assert_eq!(
        diff(&world, both)
            .await
            .expect("an answer")
            .difference_count,
        0
    );
}

#[tokio::test]
async fn what_cannot_be_compared_is_said() {
    let world = World::new().await;
    let absent = format!("rulesets/san-juan/revisions/{}", "0".repeat(64));
    let gone = diff(&world, between("rulesets/san-juan", &absent)).await;
    expect(gone, "NOT_FOUND");
    let nameless = diff(&world, between("san-juan", "rulesets/san-juan")).await;
    let nameless = expect(nameless, "MALFORMED_REQUEST");
    assert_eq!(fields(&nameless)[0], "before");
    let with = |players, modules: &[&str]| v1::DiffRevisionsRequest {
        after_configuration: Some(v1::Configuration {
            players,
            modules: modules.iter().map(|module| (*module).to_owned()).collect(),
            ..Default::default()
        }),
        ..between("rulesets/catan-rivals", "rulesets/san-juan")
    };
    for (asked, field) in [
        (with(9, &[]), "after_configuration.players"),
        (with(2, &["castles"]), "after_configuration.modules[0]"),
        // The other has no such number of players, and was not told another configuration.
        (with(4, &[]), "after_configuration.players"),
    ] {
        let status = diff(&world, asked).await;
        let status = expect(status, "CONFIGURATION_INVALID");
        assert_eq!(fields(&status)[0], field);
    }
    // Two games can be compared, too: nearly everything differs.
    let games = diff(
        &world,
        between("rulesets/catan-rivals", "rulesets/san-juan"),
    )
    .await;
    assert!(games.expect("an answer").difference_count > 100);
}

fn yank(revision: &str, restore: bool, why: &str) -> v1::YankRevisionRequest {
    v1::YankRevisionRequest {
        revision: revision.into(),
        restore,
        why: why.into(),
        request_id: request_id(),
    }
}

async fn listed(world: &World) -> Vec<v1::Revision> {
    let asked = v1::ListRevisionsRequest::of("rulesets/san-juan");
    let listed = world.client().call(asked).await;
    listed.expect("a list").revisions
}

async fn playable(world: &World) -> bool {
    let asked = v1::ListRulesetsRequest::default();
    let listed = world.client().call(asked).await.expect("a list").rulesets;
    let of_it = listed.into_iter().find(|r| r.name == "rulesets/san-juan");
    let asked = v1::GetRulesetRequest {
        name: "rulesets/san-juan".into(),
        configuration: None,
    };
    let got = world.client().call(asked).await;
    let got = got.expect("it is shown").ruleset.expect("it");
    let told = of_it.expect("it is listed").playable;
    assert_eq!(got.summary.expect("it").playable, told);
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_begins_with_a_yanked_revision_and_what_has_begun_goes_on() {
    let mut world = World::new().await;
    let host = world.host();
    let revision = revision(world.client()).await;
    let asked = create();
    let created = host.call(asked.clone()).await;
    let (mut table, tokens) = world.seat(created.expect("a match")).await;
    let lobby = host.call(create()).await.expect("a match");

    let publisher = world.publisher().await;
    let publishing = |asked| {
        let publisher = publisher.clone();
        async move { publisher.call(asked).await }
    };
    let long = publishing(yank(&revision, false, &"x".repeat(201))).await;
    expect(long, "MALFORMED_REQUEST");
    let both = publishing(yank(&revision, true, "never mind")).await;
    expect(both, "MALFORMED_REQUEST");
    let bare = publishing(yank("rulesets/san-juan", false, "")).await;
    expect(bare, "MALFORMED_REQUEST");
    let absent = format!("rulesets/san-juan/revisions/{}", "0".repeat(64));
    let absent = publishing(yank(&absent, false, "")).await;
    expect(absent, "NOT_FOUND");
    assert!(playable(&world).await, "nothing has changed");

    let request = yank(&revision, false, "the trader pays twice");
    let done = publishing(request.clone()).await.expect("it is kept");
    assert!(!done.replayed);
    let again = publishing(request.clone()).await.expect("the same");
    assert!(again.replayed);
    let refuse = |world: &World| {
        let host = world.host();
        let revision = revision.clone();
        async move {
            for ruleset in ["rulesets/san-juan", revision.as_str()] {
                let asked = v1::CreateMatchRequest {
                    ruleset: ruleset.into(),
                    ..create()
                };
                let refused = host.call(asked).await;
                let refused = expect(refused, "REVISION_YANKED");
                assert_eq!(metadata(&refused, "revision"), revision);
                assert_eq!(metadata(&refused, "why"), "the trader pays twice");
            }
        }
    };
    refuse(&world).await;
    assert!(!playable(&world).await);
    let told = listed(&world).await;
    assert!(told[0].yanked && told[0].current && told[0].yanked_why == "the trader pays twice");
    let current = v1::SetCurrentRevisionRequest {
        revision: revision.clone(),
        request_id: request_id(),
    };
    expect(publisher.call(current).await, "REVISION_YANKED");
    for validate_only in [true, false] {
        let same = v1::PublishPackageRequest {
            validate_only,
            ..publish(edited("0.1.0"))
        };
        let same = publisher.call(same).await;
        expect(same, "REVISION_YANKED");
    }

    // What was answered before is answered alike; what has begun goes on, in the lobby and after.
    let replayed = host.call(asked).await.expect("the same");
    assert!(replayed.replayed);
    assert!(table.play(3, &mut Chooser::new(1)).await);
    let (begun, _) = world.seat(lobby).await;
    assert!(begun.play(3, &mut Chooser::new(2)).await);

    // A restart knows it, too.
    world.restart().await;
    refuse(&world).await;
    table.seats = world.again(&table, &tokens);
    assert!(table.play(3, &mut Chooser::new(3)).await);

    // Another revision can be played meanwhile, and nobody moves a match back to the yanked one.
    let publisher = world.publisher().await;
    let better = publisher.call(publish(edited("5.5.5"))).await;
    better.expect("it is right");
    let created = world.host().call(create()).await.expect("a better one");
    let back = v1::MoveMatchRequest {
        ruleset: revision.clone(),
        ..v1::MoveMatchRequest::of(created.r#match.expect("it").name)
    };
    expect(world.host().call(back).await, "REVISION_YANKED");

    let restored = publisher.call(yank(&revision, true, "")).await;
    restored.expect("it is kept");
    let asked = v1::CreateMatchRequest {
        ruleset: revision.clone(),
        ..create()
    };
    let created = world.host().call(asked).await;
    created.expect("it can be played again");
    assert!(listed(&world).await.iter().all(|revision| !revision.yanked));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_lists_compares_yanks_and_restores() {
    let world = World::new().await;
    let token = world.publisher_token();
    let publisher = world.publisher().await;
    let published = publisher.call(publish(changed("6.6.6"))).await;
    published.expect("it is right");
    let url = world.url();
    let run = async |line: &str| command(format!("revision {line} --server {url}")).await;
    let said = run("list san-juan").await.ends(0).data;
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].ends_with("6.6.6  current"),
        "{said}"
    );
    let old = lines[1].split_whitespace().next().expect("a name");

    let told = run(&format!("diff {old} san-juan --exit-code"))
        .await
        .ends(1);
    told.tells("version: 0.1.0 → 6.6.6")
        .tells("smithy cost: 1 → 5");
    let same = "diff san-juan san-juan --exit-code";
    run(same).await.ends(0).tells("no difference");

    let as_publisher = async |line: String| run(&format!("{line} --token {token}")).await;
    let yanked = as_publisher(format!("yank {old} --why 'too cheap'")).await;
    yanked.ends(0).tells("is yanked");
    run("list san-juan").await.tells("0.1.0  yanked: too cheap");
    let current = as_publisher(format!("current {old}")).await;
    current.ends(2).notes("referee revision restore");
    as_publisher(format!("restore {old}")).await.ends(0);
    let current = as_publisher(format!("current {old}")).await;
    current.ends(0).tells("is current");
    let told = run("list san-juan --format json").await.json();
    assert_eq!(
        (&told[1]["current"], &told[1]["yanked"]),
        (&true.into(), &false.into())
    );

    // A channel is a name for a revision, until it is removed.
    let named = as_publisher(format!("channel next {old}")).await;
    named.ends(0).tells("is what `next` points to");
    run("list san-juan").await.tells("0.1.0  current, next");
    let same = "diff san-juan@next san-juan --exit-code";
    run(same).await.ends(0).tells("no difference");
    let removed = as_publisher("channel next --remove san-juan".into()).await;
    removed.ends(0).tells("is removed");
    let gone = run("diff san-juan@next san-juan").await;
    gone.ends(2).notes("has no revision");

    for (line, said) in [
        ("list chess", "knows no ruleset"),
        (
            "diff san-juan@zz san-juan",
            "referee revision list san-juan",
        ),
        (
            &format!("yank {old} --token rfp_nobody"),
            "token of a publisher",
        ),
    ] {
        run(line).await.ends(2).notes(said);
    }
}
