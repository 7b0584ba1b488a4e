//! Channels: names for revisions, which publishers move.

use referee::client::request_id;
use referee::wire::v1;
use tonic::Status;

use super::publishing::{create, edited, publish, revision};
use super::world::{World, expect, fields, metadata};

fn set(channel: &str, revision: &str) -> v1::SetChannelRequest {
    v1::SetChannelRequest {
        name: format!("rulesets/san-juan/channels/{channel}"),
        revision: revision.into(),
        request_id: request_id(),
    }
}

async fn send(
    world: &World,
    asked: v1::SetChannelRequest,
) -> Result<v1::SetChannelResponse, Status> {
    let client = world.client().with_token(&world.publisher_token());
    client.call(asked).await
}

/// The channels of San Juan, by id, as three answers tell them.
async fn told(world: &World) -> Vec<(String, String)> {
    let name = "rulesets/san-juan".to_owned();
    let asked = v1::GetRulesetRequest {
        name: name.clone(),
        configuration: None,
    };
    let got = world.client().call(asked).await;
    let ruleset = got.expect("it").ruleset.expect("it");
    let channels = ruleset.summary.expect("it").channels;
    let asked = v1::ListRulesetsRequest::default();
    let listed = world.client().call(asked).await.expect("a list").rulesets;
    let listed = listed.into_iter().find(|ruleset| ruleset.name == name);
    assert_eq!(listed.expect("it").channels, channels);
    let id = |channel: &v1::Channel| {
        let id = channel.name.strip_prefix("rulesets/san-juan/channels/");
        id.expect("a channel of it").to_owned()
    };
    let told: Vec<_> = channels
        .iter()
        .map(|c| (id(c), c.revision.clone()))
        .collect();
    let asked = v1::ListRevisionsRequest {
        name,
        ..Default::default()
    };
    let revisions = world.client().call(asked).await;
    for revision in revisions.expect("a list").revisions {
        let pointing = told.iter().filter(|(_, to)| *to == revision.name);
        let pointing: Vec<_> = pointing.map(|(id, _)| id.clone()).collect();
        assert_eq!(revision.channels, pointing, "{}", revision.name);
        assert_eq!(revision.current, pointing.contains(&"stable".to_owned()));
    }
    told
}

async fn created(world: &World, ruleset: &str) -> Result<String, Status> {
    let asked = v1::CreateMatchRequest {
        ruleset: ruleset.into(),
        ..create()
    };
    let created = world.host().call(asked).await?;
    Ok(created.r#match.expect("a match").revision)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_points_to_a_revision_until_it_is_moved() {
    let mut world = World::new().await;
    let first = revision(world.client()).await;
    let stable = |revision: &str| ("stable".to_owned(), revision.to_owned());
    assert_eq!(told(&world).await, [stable(&first)]);

    // Published for those who want to try it: what the id means stays.
    let publisher = world.publisher().await;
    let asked = v1::PublishPackageRequest {
        channel: "next".into(),
        ..publish(edited("2.0.0"))
    };
    let second = publisher.call(asked).await.expect("it is right").revision;
    let next = ("next".to_owned(), second.clone());
    assert_eq!(told(&world).await, [stable(&first), next.clone()]);
    assert_eq!(
        created(&world, "rulesets/san-juan").await.expect("it"),
        first
    );
    let by_name = "rulesets/san-juan/channels/next";
    assert_eq!(created(&world, by_name).await.expect("it"), second);
    let by_name = "rulesets/san-juan/channels/stable";
    assert_eq!(created(&world, by_name).await.expect("it"), first);

    // Wherever a revision can be named, its channel can.
    let asked = v1::DiffRevisionsRequest {
        before: "rulesets/san-juan/channels/stable".into(),
        after: "rulesets/san-juan/channels/next".into(),
        ..Default::default()
    };
    let differs = world.client().call(asked).await.expect("an answer");
    assert_eq!((&differs.before, &differs.after), (&first, &second));

    // What is good becomes stable, by the channel that it had.
    let asked = set("stable", "rulesets/san-juan/channels/next");
    let moved = send(&world, asked.clone()).await.expect("it is moved");
    assert_eq!((&moved.revision, moved.replayed), (&second, false));
    assert!(send(&world, asked).await.expect("the same").replayed);
    assert_eq!(told(&world).await, [stable(&second), next.clone()]);
    // As the older method does.
    let asked = v1::SetCurrentRevisionRequest {
        revision: first.clone(),
        request_id: request_id(),
    };
    let done = publisher.call(asked).await;
    done.expect("it is current");
    assert_eq!(told(&world).await, [stable(&first), next.clone()]);

    world.restart().await;
    assert_eq!(told(&world).await, [stable(&first), next]);
    let removed = set("next", "");
    let done = send(&world, removed.clone()).await.expect("it is removed");
    assert_eq!((done.revision.as_str(), done.replayed), ("", false));
    assert!(send(&world, removed).await.expect("the same").replayed);
    assert_eq!(told(&world).await, [stable(&first)]);
    let gone = created(&world, "rulesets/san-juan/channels/next").await;
    expect(gone, "NOT_FOUND");
    assert_eq!(created(&world, &second).await.expect("kept"), second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_never_points_to_what_is_yanked() {
    let mut world = World::new().await;
    let first = revision(world.client()).await;
    let publisher = world.publisher().await;
    let asked = v1::PublishPackageRequest {
        channel: "next".into(),
        ..publish(edited("2.0.0"))
    };
    let second = publisher.call(asked).await.expect("it is right").revision;
    send(&world, set("beta", &second)).await.expect("it points");
    let yank = async |world: &World, revision: &str, restore| {
        let asked = v1::YankRevisionRequest {
            revision: revision.to_owned(),
            restore,
            request_id: request_id(),
            ..Default::default()
        };
        let publisher = world.publisher().await;
        let done = publisher.call(asked).await;
        done.expect("it is done");
    };
    yank(&world, &second, false).await;
    let stable = [("stable".to_owned(), first.clone())];
    assert_eq!(told(&world).await, stable);
    let refused = send(&world, set("next", &second)).await;
    let refused = expect(refused, "REVISION_YANKED");
    assert_eq!(metadata(&refused, "revision"), second);
    world.restart().await;
    assert_eq!(told(&world).await, stable);
    // Restored, it can be pointed to again, and is not by itself.
    yank(&world, &second, true).await;
    assert_eq!(told(&world).await, stable);
    send(&world, set("next", &second)).await.expect("it points");
    // An id always means something: what is stable waits for a better one.
    yank(&world, &first, false).await;
    assert_eq!(told(&world).await.len(), 2);
    let refused = created(&world, "rulesets/san-juan").await;
    expect(refused, "REVISION_YANKED");
}

#[tokio::test]
async fn what_cannot_be_a_channel_is_said_and_changes_nothing() {
    let limits = referee::limits::Limits {
        channels_per_ruleset: 2,
        ..super::world::quick()
    };
    let world = World::with(limits).await;
    let first = revision(world.client()).await;
    let absent = format!("rulesets/san-juan/revisions/{}", "0".repeat(64));
    let set_name = |name: &str| v1::SetChannelRequest {
        name: name.into(),
        ..set("x", &first)
    };
    for (asked, field) in [
        (set_name("rulesets/san-juan"), "name"),
        (set_name(&first), "name"),
        (set_name("rulesets/san-juan/channels/"), "name"),
        (set_name("rulesets/san-juan/channels/Next"), "name"),
        (set_name("rulesets/san-juan/channels/a/b"), "name"),
        (set_name("rulesets/puerto-rico/channels/next"), "revision"),
        (set("next", "san-juan"), "revision"),
        (set("stable", ""), "name"),
    ] {
        let status = send(&world, asked.clone()).await;
        let status = expect(status, "MALFORMED_REQUEST");
        assert_eq!(fields(&status)[0], field, "{asked:?}");
    }
    for asked in [
        set("next", &absent),
        set("next", ""),
        set("next", "rulesets/san-juan/channels/nothing"),
    ] {
        expect(send(&world, asked).await, "NOT_FOUND");
    }
    let asked = v1::PublishPackageRequest {
        channel: "No such".into(),
        ..publish(edited("2.0.0"))
    };
    let publisher = world.publisher().await;
    let status = publisher.call(asked).await;
    let status = expect(status, "MALFORMED_REQUEST");
    assert_eq!(fields(&status)[0], "channel");
    assert_eq!(told(&world).await.len(), 1);

    for (channel, fits) in [
        ("a", true),
        ("b", true),
        ("a", true),
        ("c", false),
        ("stable", true),
    ] {
        let done = send(&world, set(channel, &first)).await;
        match fits {
            true => drop(done.expect("it fits")),
            false => {
                let status = expect(done, "LIMIT_REACHED");
                assert_eq!(metadata(&status, "limit"), "channels_per_ruleset");
            }
        }
    }
    // A request id is one of one request.
    let asked = set("a", &first);
    send(&world, asked.clone()).await.expect("it");
    let other = v1::SetChannelRequest {
        name: set("b", &first).name,
        ..asked
    };
    expect(send(&world, other).await, "REQUEST_ID_REUSED");
}
