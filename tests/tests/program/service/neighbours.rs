//! Whatever one caller does, the others do not notice: rulesets that ask for years of work, streams without number, and
//! callers without a token, each beside a match that is played on.
//!
//! What a turn is, and whose, is tested where it is decided (`tests/tests/unit/referee/table/scheduling/queue.rs`); how long neighbours wait is
//! measured (`tests/performance`).

use std::time::Duration;

use referee::client::{Chooser, Client};
use referee::limits::Limits;
use referee::wire::v1::{self, verify_record_response::Item};
use referee_tests::mini;
use tokio::io::AsyncReadExt as _;

use super::world::{World, expect, metadata, quick};

/// The mini ruleset with further rules, as files of a package.
fn package(rules: &str) -> Vec<v1::PackageFile> {
    let files = mini::package(&format!("{rules}{}", mini::GAME))
        .files
        .into_iter();
    files
        .map(|(path, text)| v1::PackageFile { path, text })
        .collect()
}

async fn check(publisher: &Client, files: Vec<v1::PackageFile>) -> v1::CheckPackageResponse {
    let asked = v1::CheckPackageRequest {
        package: Some(v1::Package { files }),
        configuration: None,
    };
    let checked = publisher.call(asked).await;
    checked.expect("an answer")
}

#[tokio::test]
async fn rules_that_double_with_every_line_are_checked_like_others() {
    let world = World::new().await;
    let publisher = world.publisher().await;
    let (table, _) = world.table(3, 7).await;
    let queries = (1..40).map(|i| format!("query q{i}(x: int): int = q{0}(x) + q{0}(x)\n", i - 1));
    let queries = format!("query q0(x: int): int = x\n{}", queries.collect::<String>());
    let effects =
        (1..40).map(|i| format!("effect e{i}(x: int)\n  do {{ e{0}(x); e{0}(x); }}\n", i - 1));
    let effects = format!(
        "effect e0(x: int)\n  do {{ gain(jar, x); }}\n{}",
        effects.collect::<String>()
    );
    for rules in [queries, effects] {
        assert!(rules.len() < 2400);
        let checked = check(&publisher, package(&rules)).await;
        assert!(checked.playable, "{:?}", checked.diagnostics);
        assert!(table.play(1, &mut Chooser::new(1)).await);
    }
}

#[tokio::test]
async fn what_would_take_too_much_is_refused_with_its_place() {
    // However busy the machine is.
    let world = World::with(Limits {
        call_time: Duration::from_secs(120),
        package_work: 70_000_000,
        ..quick()
    })
    .await;
    let publisher = world.publisher().await;
    // A number for each of some hundred things, which is summed up over all of them, thrice.
    let sum = "sum x in colours: sum y in colours: sum z in colours: weight(x) * weight(y)";
    let mut files = package(&format!("counter big(a: colour)   starts {sum}\n"));
    files[1].text += &(0..200)
        .map(|i| format!("  r{i}: {{names: {{en: r, pl: r}}, weight: 1, twin: blue}}\n"))
        .collect::<String>();
    let checked = check(&publisher, files).await;
    let given_up = checked
        .diagnostics
        .iter()
        .find(|found| found.code == "RF0706");
    let given_up = given_up.expect("it is told");
    assert!(!checked.playable && given_up.line > 0, "{given_up:?}");

    // Hundreds of modules that are nothing, each with every number of players.
    let mut files = package("");
    let ids: Vec<String> = (0..400).map(|i| format!("m{i}")).collect();
    files[0].text = files[0]
        .text
        .replace("{from: 2, to: 3}", "{from: 2, to: 12}");
    files[0].text += &format!("modules: [{}]\n", ids.join(", "));
    files.extend(ids.iter().map(|id| v1::PackageFile {
        path: format!("modules/{id}/module.yaml"),
        text: format!(
            "id: {id}\nextends: mini\nversion: \"0.1.0\"\nlanguage: 1\ntitles: {{en: M, pl: M}}\n"
        ),
    }));
    let checked = check(&publisher, files).await;
    let given_up = checked
        .diagnostics
        .iter()
        .find(|found| found.code == "RF0706");
    let said = &given_up.expect("it is told").message;
    assert!(
        !checked.playable && said.contains("configurations"),
        "{said}"
    );
}

#[tokio::test]
async fn records_that_nobody_waits_for_are_not_verified_on() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    table.play(200, &mut Chooser::new(3)).await;
    let asked = v1::VerifyRecordRequest::of(&table.name);
    for _ in 0..200 {
        let stream = table.call(0, asked.clone()).await;
        drop(stream.expect("it begins"));
    }
    // Whoever waits has a turn, and so has whoever needs no token.
    let mut stream = table.host.call(asked).await.expect("a stream");
    let mut sound = false;
    while let Some(message) = stream.message().await.expect("no error") {
        if let Some(Item::Result(result)) = message.item {
            sound = result.sound;
        }
    }
    assert!(sound);
    let ruleset = v1::GetRulesetRequest::of("rulesets/genoa");
    world.client().call(ruleset).await.expect("a ruleset");
}

#[tokio::test]
async fn one_seat_does_not_take_every_place_to_watch_from() {
    let world = World::with(Limits {
        watchers_per_match: 8,
        watchers_per_seat: 2,
        ..quick()
    })
    .await;
    let (table, _) = world.table(3, 3).await;
    let watch = async |seat: usize| {
        let asked = v1::WatchMatchRequest::of(&table.name);
        table.call(seat, asked).await
    };
    let mut streams = Vec::new();
    for seat in [0, 0] {
        streams.push(watch(seat).await.expect("a stream"));
    }
    let full = expect(watch(0).await, "LIMIT_REACHED");
    assert_eq!(metadata(&full, "limit"), "watchers_per_seat");
    streams.push(watch(1).await.expect("a place for another"));
}

#[tokio::test]
async fn callers_without_a_token_are_counted_by_where_they_come_from() {
    let world = World::with(Limits {
        calls_per_second: 3,
        ..quick()
    })
    .await;
    let mut refused = None;
    for _ in 0..20 {
        let asked = v1::ListRulesetsRequest::default();
        refused = world.client().call(asked).await.err().or(refused);
    }
    let refused = expect(refused.map_or(Ok(()), Err), "LIMIT_REACHED");
    assert_eq!(metadata(&refused, "limit"), "calls_per_second");
}

#[tokio::test]
async fn whoever_connects_and_says_nothing_is_shown_out() {
    let world = World::with(Limits {
        connections: 6,
        connections_per_address: 6,
        connection_silence: Duration::from_millis(100),
        ..quick()
    })
    .await;
    let address = world.running().address();
    let mut silent = Vec::new();
    for _ in 0..5 {
        let stream = tokio::net::TcpStream::connect(address).await;
        silent.push(stream.expect("a connection"));
    }
    for stream in &mut silent {
        let mut read = [0; 64];
        let mut ended = async || while stream.read(&mut read).await.is_ok_and(|count| count > 0) {};
        let ended = tokio::time::timeout(Duration::from_secs(10), ended());
        ended.await.expect("it is closed");
    }
    // There is room again.
    let client = Client::connect(&world.url()).await.expect("it listens");
    let info = client.call(v1::GetServerInfoRequest::default()).await;
    info.expect("an answer");
}
