//! Publishing: what is checked, what is refused, what is played from when on; schemas; watched folders.

use std::path::Path;
use std::time::{Duration, Instant};

use interpreter::play::CompileOptions;
use referee::client::{Chooser, Chooses, Client, request_id};
use referee::server::{Config, Folders, StoreChoice, start};
use referee::wire::v1;
use referee_tests::command::Ran;
use referee_tests::json;
use tonic::Code;

use super::world::{World, create_of, expect, fields};

/// The files of a ruleset of `tests/rulesets`, or of those that are shipped.
pub fn files(folder: &Path) -> Vec<v1::PackageFile> {
    let texts = referee::library::read_folder(folder).expect("a folder");
    let files = texts.files.into_iter();
    files
        .map(|(path, text)| v1::PackageFile { path, text })
        .collect()
}

/// A small ruleset of the tests.
fn tea_house() -> Vec<v1::PackageFile> {
    files(&referee_tests::root().join("tests/rulesets/tea-house"))
}

fn san_juan() -> Vec<v1::PackageFile> {
    files(&referee_tests::root().join("rulesets/san-juan"))
}

/// San Juan with another version, so that it is another revision.
pub fn edited(version: &str) -> Vec<v1::PackageFile> {
    let mut files = san_juan();
    let manifest = files
        .iter_mut()
        .find(|file| file.path == "ruleset.yaml")
        .expect("it");
    let lines = manifest
        .text
        .lines()
        .map(|line| match line.starts_with("version:") {
            true => format!("version: \"{version}\"\n"),
            false => format!("{line}\n"),
        });
    manifest.text = lines.collect();
    files
}

async fn check(
    client: &Client,
    files: Vec<v1::PackageFile>,
) -> Result<v1::CheckPackageResponse, tonic::Status> {
    let asked = v1::CheckPackageRequest {
        package: Some(v1::Package { files }),
        configuration: None,
    };
    client.call(asked).await
}

pub fn publish(files: Vec<v1::PackageFile>) -> v1::PublishPackageRequest {
    v1::PublishPackageRequest {
        package: Some(v1::Package { files }),
        validate_only: false,
        request_id: request_id(),
        ..Default::default()
    }
}

pub async fn revision(client: &Client) -> String {
    let asked = v1::ListRulesetsRequest::default();
    let listed = client.call(asked).await.expect("a list");
    let found = listed
        .rulesets
        .into_iter()
        .find(|ruleset| ruleset.name == "rulesets/san-juan");
    found.expect("it is offered").revision
}

pub fn create() -> v1::CreateMatchRequest {
    create_of("san-juan", 3, 5)
}

#[tokio::test]
async fn a_check_tells_every_mistake_with_its_place_and_keeps_nothing() {
    let world = World::new().await;
    let publisher = world.publisher().await;
    let good = check(&publisher, san_juan()).await.expect("an answer");
    assert!(good.playable, "{:?}", good.diagnostics);
    let mut files = san_juan();
    let rules = files
        .iter_mut()
        .find(|file| file.path == "rules/cards.rules")
        .expect("rules");
    let path = rules.path.clone();
    rules.text = format!("phase nonsense:\n  whatever {{\n{}", rules.text);
    let bad = check(&publisher, files.clone()).await.expect("an answer");
    assert!(!bad.playable && bad.diagnostic_count > 0);
    let first = &bad.diagnostics[0];
    assert_eq!(first.severity(), v1::DiagnosticSeverity::Error);
    assert!(
        first.code.starts_with("RF") && first.line > 0 && first.path.ends_with(&path),
        "{first:?}"
    );
    expect(publisher.call(publish(files)).await, "PACKAGE_REJECTED");
    let empty = check(&publisher, Vec::new()).await.expect("an answer");
    assert!(!empty.playable && empty.diagnostic_count > 0);
    let missing = v1::CheckPackageRequest::default();
    expect(publisher.call(missing).await, "MALFORMED_REQUEST");
}

#[tokio::test]
async fn what_is_published_is_played_from_then_on_and_matches_keep_theirs() {
    let mut world = World::new().await;
    let publisher = world.publisher().await;
    let before = revision(world.client()).await;
    let (mut old, tokens) = world.begin(create()).await;
    old.play(5, &mut Chooser::new(1)).await;

    let looked = v1::PublishPackageRequest {
        validate_only: true,
        ..publish(edited("9.9.9"))
    };
    let would = publisher.call(looked).await.expect("it is right").revision;
    assert_eq!(
        revision(world.client()).await,
        before,
        "nothing has changed"
    );
    let asked = publish(edited("9.9.9"));
    let done = publisher.call(asked.clone()).await.expect("it is right");
    assert_eq!(
        (done.revision.as_str(), done.replayed),
        (would.as_str(), false)
    );
    let again = publisher.call(asked).await;
    assert!(again.expect("the same").replayed);
    assert_eq!(revision(world.client()).await, would);

    // After a restart it is still what is offered, and the old match still plays by its own texts.
    world.restart().await;
    world.rejoin(&mut old, &tokens);
    assert_eq!(revision(world.client()).await, would);
    assert!(old.play(5, &mut Chooser::new(2)).await);
    assert_eq!(old.get().await.revision, before);
    let new = world.host().call(create()).await;
    let new = new.expect("a match").r#match.expect("it");
    assert_eq!(new.revision, would);
    let asked = v1::ListRevisionsRequest::of("rulesets/san-juan");
    let listed = world.client().call(asked).await.expect("a list").revisions;
    let told: Vec<_> = listed
        .iter()
        .map(|kept| (kept.name.as_str(), kept.current))
        .collect();
    assert_eq!(told, [(would.as_str(), true), (before.as_str(), false)]);

    // Back to the earlier one.
    let publisher = world.publisher().await;
    let back = v1::SetCurrentRevisionRequest {
        revision: before.clone(),
        request_id: request_id(),
    };
    publisher.call(back).await.expect("it is kept");
    assert_eq!(revision(world.client()).await, before);
    let absent = v1::SetCurrentRevisionRequest {
        revision: format!("rulesets/san-juan/revisions/{}", "0".repeat(64)),
        request_id: request_id(),
    };
    expect(publisher.call(absent).await, "NOT_FOUND");
}

/// Packages of an enemy: each is answered with diagnostics or a named field, soon, and the referee serves
/// on as before.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_packages_are_answered_soon_and_change_nothing() {
    // Longer than a referee gives a call: what is measured here is the work, on a machine that may be busy.
    let limits = referee::limits::Limits {
        call_time: Duration::from_secs(60),
        ..super::world::quick()
    };
    let world = World::with(limits).await;
    let publisher = world.publisher().await;
    let offered = async || {
        let asked = v1::ListRulesetsRequest::default();
        world.client().call(asked).await.expect("a list").rulesets
    };
    let before = offered().await;
    let with = |path: &str, text: String| {
        let mut files = tea_house();
        files.retain(|file| file.path != path);
        files.push(v1::PackageFile {
            path: path.into(),
            text,
        });
        files
    };
    let laughs = (0..9).fold(
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
        |text, i| {
            let many = vec![format!("*a{i}"); 9].join(", ");
            format!("{text}a{}: &a{} [{many}]\n", i + 1, i + 1)
        },
    );
    const RULES: &str = "rules/table.rules";
    let rules = tea_house().into_iter().find(|file| file.path == RULES);
    let rules = rules.expect("rules").text;
    let script = |body: &str| {
        let effect = format!("{rules}\neffect enemy(p: player)\n  do {{ {body} }}\n");
        with(RULES, effect)
    };
    let texts: Vec<(&str, Vec<v1::PackageFile>)> = vec![
        ("aliases that multiply", with("ruleset.yaml", laughs)),
        ("brackets, YAML", with("ruleset.yaml", "[".repeat(100_000))),
        ("brackets, rules", with(RULES, "(".repeat(100_000))),
        (
            "deep conditions",
            with(RULES, format!("query x = {}1", "not ".repeat(50_000))),
        ),
        ("blocks, script", script(&"{".repeat(50_000))),
        (
            "deep sums, script",
            script(&format!("let x = {}1;", "1 + (".repeat(20_000))),
        ),
        (
            "a key twice",
            with("ruleset.yaml", "id: a\nid: b\n".to_owned()),
        ),
        (
            "a tag",
            with(
                "ruleset.yaml",
                "id: !!python/object:os.system x\n".to_owned(),
            ),
        ),
        ("zeros", with("ruleset.yaml", "\0".repeat(1000))),
        ("a long line", with(RULES, "x".repeat(200_000))),
        ("eval", script("eval(\"1\");")),
        ("import", script("import \"x\" as y;")),
        ("sleep", script("sleep(10);")),
        (
            "curry",
            script("let f = Fn(\"enemy\"); for i in 0..100000 { f = f.curry(i); }"),
        ),
        ("no end", script("loop { }")),
        ("itself", script("enemy(p)")),
    ];
    for (what, files) in texts {
        let began = Instant::now();
        let found = check(&publisher, files).await;
        let found = found.unwrap_or_else(|status| panic!("{what}: {status:?}"));
        // What only runs for ever is stopped when it is played, by its fuel.
        let plays_for_ever = ["no end", "itself"].contains(&what);
        assert!(plays_for_ever || !found.playable, "{what} can be played");
        assert!(plays_for_ever || found.diagnostic_count > 0, "{what}");
        assert!(found.diagnostics.len() <= 200, "{what}");
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{what} took {:?}",
            began.elapsed()
        );
    }
    for path in [
        "../outside.yaml",
        "/etc/passwd.yaml",
        "a\\b.yaml",
        "RULESET.YAML",
        "x.exe",
        "",
    ] {
        let status = check(&publisher, with(path, "id: x".to_owned())).await;
        let status = expect(status, "MALFORMED_REQUEST");
        assert!(fields(&status)[0].ends_with(".path"), "{path}");
    }
    let many = (0..600).map(|i| v1::PackageFile {
        path: format!("f{i}.yaml"),
        text: String::new(),
    });
    let many = check(&publisher, many.collect()).await;
    expect(many, "LIMIT_REACHED");
    let large = check(&publisher, with("large.yaml", "x".repeat(300 << 10))).await;
    expect(large, "LIMIT_REACHED");
    let larger = check(&publisher, with("large.yaml", "x".repeat(5 << 20))).await;
    assert_eq!(larger.expect_err("too large").code(), Code::InvalidArgument);
    assert_eq!(offered().await, before);
    let created = world.host().call(create()).await;
    created.expect("and matches are created as before");
}

/// San Juan of which one effect never ends, or does what it should at once.
fn with_a_fault(version: &str, from: &str, to: &str) -> Vec<v1::PackageFile> {
    let mut files = edited(version);
    let rules = files
        .iter_mut()
        .find(|file| file.path == "rules/roles.rules");
    let rules = rules.expect("rules");
    assert!(rules.text.contains(from), "{from} is in the rules");
    rules.text = rules.text.replacen(from, to, 1);
    files
}

/// A move whose condition fails is told as that when it is only checked, and the match goes on.
#[tokio::test]
async fn a_check_of_a_move_at_which_the_rules_fail_suspends_nothing() {
    const PAID: &str = "needs at_hand(p, c)";
    let world = World::new().await;
    let publisher = world.publisher().await;
    let failing = format!("{PAID}\n        ensures 7 % (size(discards) - size(discards)) != 9");
    let published = publisher.call(publish(with_a_fault("1.0.1", PAID, &failing)));
    published.await.expect("it shows only when it is played");
    let (table, _) = world.begin(create()).await;
    let mut player = Chooser::new(5);
    loop {
        let (seat, decision, offers) = table.asked().await.expect("somebody builds");
        let mv = player.choose(&decision, &offers);
        let seat = &table.seats[seat];
        if mv.name != "build" {
            let made = seat.submit(&decision.decision_id, mv).await;
            made.expect("these do not fail");
            continue;
        }
        let checked = v1::CheckMoveRequest {
            decision_id: decision.decision_id,
            r#move: Some(mv),
            ..v1::CheckMoveRequest::of(seat.name())
        };
        let failed = expect(seat.client().call(checked).await, "RULESET_FAULT");
        let told = failed.message();
        assert!(
            told.contains("to submit it would suspend the match"),
            "{told}"
        );
        assert_eq!(table.get().await.state(), v1::MatchState::Running);
        return;
    }
}

/// A ruleset that fails suspends its match, which goes on with a corrected revision: from where it was, and
/// after the first difference was told.
#[tokio::test]
async fn a_suspended_match_goes_on_with_corrected_rules() {
    const PAID: &str = "for k in cards { move(payment(k), k, hand(p), discards); }";
    let mut world = World::new().await;
    let publisher = world.publisher().await;
    let broken = with_a_fault("1.0.1", PAID, &format!("loop {{ let n = 1; }} {PAID}"));
    let broken = publisher.call(publish(broken)).await;
    let broken = broken
        .expect("its mistake shows only when it is played")
        .revision;
    let (mut table, tokens) = world.begin(create()).await;
    let mut player = Chooser::new(5);
    let mut fault = None;
    for _ in 0..200 {
        let (seat, decision, offers) = table.asked().await.expect("it goes on");
        let mv = player.choose(&decision, &offers);
        if let Err(status) = table.seats[seat].submit(&decision.decision_id, mv).await {
            fault = Some(status);
            break;
        }
    }
    let fault = fault.expect("somebody built");
    expect(Err::<(), _>(fault), "RULESET_FAULT");
    let suspended = table.get().await;
    assert_eq!(suspended.state(), v1::MatchState::Suspended);
    assert!(!suspended.suspension.is_empty());
    let told = table.events(1).await;
    let view = table.view(1).await.view;

    let move_to = |ruleset: &str, accept_difference, validate_only| {
        let asked = v1::MoveMatchRequest {
            ruleset: ruleset.into(),
            accept_difference,
            validate_only,
            ..v1::MoveMatchRequest::of(&table.name)
        };
        let host = world.host();
        async move { host.call(asked).await }
    };
    let other = move_to("rulesets/puerto-rico", false, false).await;
    expect(other, "MALFORMED_REQUEST");
    // Corrected rules by which the match would have begun otherwise: told, and not done unasked.
    let otherwise = edited("1.0.2").into_iter().map(|mut file| {
        if file.path == "setup.yaml" {
            file.text = file.text.replacen('4', "5", 1);
        }
        file
    });
    let otherwise: Vec<_> = otherwise.collect();
    if otherwise
        .iter()
        .zip(edited("1.0.2"))
        .any(|(a, b)| a.text != b.text)
        && let Ok(published) = publisher.call(publish(otherwise)).await
    {
        let refused = move_to(&published.revision, false, false).await;
        expect(refused, "RECORD_DIFFERS");
    }
    let right = publisher.call(publish(edited("1.0.3"))).await;
    let right = right.expect("it is right").revision;
    let looked = move_to(&right, false, true).await.expect("it replays");
    assert_eq!(looked.difference, None, "nothing had happened otherwise");
    assert_eq!(
        table.get().await.state(),
        v1::MatchState::Suspended,
        "it was only looked at"
    );
    let moved = move_to(&right, false, false).await.expect("it replays");
    let moved = moved.r#match.expect("it");
    assert_eq!(
        (moved.state(), &moved.revision),
        (v1::MatchState::Running, &right)
    );
    assert_ne!(moved.digest, moved.committed_digest);
    let again = move_to(&right, false, false).await;
    expect(again, "MATCH_STATE_WRONG");

    // It goes on from where it was, also after a restart, and its record is sound.
    let now = table.events(1).await;
    assert_eq!(now[..told.len()], told);
    let without_count = |view: Option<v1::View>| {
        view.map(|view| v1::View {
            event_count: 0,
            ..view
        })
    };
    assert_eq!(without_count(table.view(1).await.view), without_count(view));
    assert!(table.play(20, &mut player).await);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    while table.play(50, &mut player).await {}
    assert_ne!(table.get().await.revision, broken);
    let verify = v1::VerifyRecordRequest::of(&table.name);
    let stream = table.host.call(verify).await;
    let mut stream = stream.expect("a stream");
    let mut sound = None;
    while let Some(message) = stream.message().await.expect("a message") {
        if let Some(v1::verify_record_response::Item::Result(found)) = message.item {
            sound = Some(found);
        }
    }
    let found = sound.expect("a result");
    assert!(found.sound, "{found:?}");
}

#[tokio::test]
async fn a_record_holds_the_texts_of_every_revision_by_which_its_match_was_played() {
    let here = World::new().await;
    let publisher = here.publisher().await;
    let mut faulty = tea_house();
    let bells = faulty
        .iter_mut()
        .find(|file| file.path == "rules/bells.rules");
    let bells = bells.expect("rules");
    let (right, wrong) = ("set(guests, n)", "set(guests, n / (n - n))");
    assert!(bells.text.contains(right), "{right} is in the rules");
    bells.text = bells.text.replacen(right, wrong, 1);
    let published = publisher.call(publish(faulty)).await;
    published.expect("its mistake shows only when it is played");
    let (table, _) = here.begin(create_of("tea-house", 3, 5)).await;
    let mut player = Chooser::new(5);
    while table.get().await.state() == v1::MatchState::Running {
        let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
        let mv = player.choose(&decision, &offers);
        // The last one suspends the match.
        let _ = table.seats[seat].submit(&decision.decision_id, mv).await;
    }
    let published = publisher.call(publish(tea_house())).await;
    let moved = v1::MoveMatchRequest {
        ruleset: published.expect("it is right").revision,
        ..v1::MoveMatchRequest::of(&table.name)
    };
    table.host.call(moved).await.expect("it replays");
    let cancel = v1::CancelMatchRequest::of(&table.name);
    table.host.call(cancel).await.expect("it goes on");
    let record = super::records::export(&table.host, &table.name).await;

    // A server that has neither the texts nor what was compiled of them plays it again.
    let mut there = World::new().await;
    there.set_library(|| referee_tests::library().compiled_with(CompileOptions::default()));
    there.restart().await;
    let record = record.expect("a record");
    let imported = super::records::import(&there, &record, &request_id()).await;
    let imported = imported.expect("it is sound").name;
    assert!(super::records::verify(&there.host(), &imported).await.sound);

    // One that has compiled them all the same keeps no record without them.
    let files = || record.lines().filter(|line| line.starts_with("{\"file\""));
    let of = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["file"]["content"].clone()
    };
    let first = of(files().next().expect("a file"));
    let later: String = files()
        .filter(|line| of(line) != first)
        .map(|line| format!("{line}\n"))
        .collect();
    let lacking = super::records::resealed(&record, &later, "");
    let kept = super::records::import(&World::new().await, &lacking, &request_id()).await;
    let refused = kept.expect_err("it lacks texts");
    assert!(refused.message().contains("it lacks texts"), "{refused}");
}

/// Messages of a whole match, as JSON, are what the schemas of its ruleset say; others are not.
#[tokio::test]
async fn schemas_describe_the_moves_and_views_of_a_match() {
    let world = World::new().await;
    for ruleset in ["puerto-rico", "san-juan", "catan-rivals"] {
        let players = if ruleset == "catan-rivals" { 2 } else { 3 };
        let asked = create_of(ruleset, players, 5);
        let configuration = asked.configuration.clone();
        let (table, _) = world.begin(asked).await;
        let asked = v1::GetSchemasRequest {
            name: table.get().await.revision,
            configuration,
        };
        let schemas = world.client().call(asked).await;
        let schemas = schemas.expect("schemas");
        let read = |text: &str| {
            let schema = serde_json::from_str(text).expect("JSON");
            jsonschema::validator_for(&schema).expect("a schema")
        };
        let (moves, views) = (read(&schemas.move_schema), read(&schemas.view_schema));
        let mut player = Chooser::new(4);
        for _ in 0..25 {
            let Some((seat, decision, offers)) = table.asked().await else {
                break;
            };
            let mv = player.choose(&decision, &offers);
            let value = json::of("Move", &mv);
            let errors: Vec<String> = moves
                .iter_errors(&value)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{ruleset}: {value}: {errors:?}");
            let mut wrong = value.clone();
            wrong["name"] = "cheat".into();
            assert!(!moves.is_valid(&wrong));
            let mut wrong = value.clone();
            wrong["arguments"] =
                serde_json::json!([{"name": "nothing", "value": {"integer": "1"}}]);
            assert!(!moves.is_valid(&wrong), "{wrong}");
            let mut view = table.view(seat).await.view.expect("a view");
            view.glossary = None;
            let value = json::of("View", &view);
            let errors: Vec<String> = views
                .iter_errors(&value)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{ruleset}: {errors:?}");
            let mut wrong = value;
            wrong["places"][0]["place"]["name"] = "nowhere".into();
            assert!(!views.is_valid(&wrong));
            table.seats[seat]
                .submit(&decision.decision_id, mv)
                .await
                .expect("legal");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_folder_is_offered_as_it_changes_and_mistakes_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |files: Vec<v1::PackageFile>| {
        for file in files {
            let path = folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, file.text).expect("a file");
        }
    };
    write(edited("1.1.1"));
    let path = folder.path().to_owned();
    let read = move || {
        let mut library = referee_tests::library();
        library.add_folder(&path)?;
        Ok(library)
    };
    let library = read().expect("rulesets");
    let address = ([127, 0, 0, 1], 0).into();
    let mut config = Config::new(address, StoreChoice::Memory, library);
    config.folders = Some(Folders {
        folders: vec![folder.path().to_owned()],
        read: Box::new(read),
    });
    let running = start(config).await.expect("it starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    let first = revision(&client).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    write(edited("2.2.2"));
    let mut second = first.clone();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        second = revision(&client).await;
        if second != first {
            break;
        }
    }
    assert_ne!(second, first, "the change is offered");
    // A mistake, and a file that is half written: what was offered stays.
    let rules = edited("3.3.3")
        .into_iter()
        .find(|file| file.path == "rules/cards.rules");
    let rules = rules.expect("rules");
    for text in [
        format!("nonsense {{\n{}", rules.text),
        rules.text[..rules.text.len() / 2].to_owned(),
    ] {
        write(vec![v1::PackageFile {
            path: rules.path.clone(),
            text: format!("{text}\nnonsense {{"),
        }]);
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(revision(&client).await, second);
    }
    running.stop().await;
}

/// Runs a command beside the referee.
pub async fn command(line: String) -> Ran {
    let ran = tokio::task::spawn_blocking(move || referee_tests::command::run(line));
    ran.await.expect("it runs")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_publishes_a_house_rule_and_tells_mistakes() {
    let world = World::new().await;
    let token = world.publisher_token();
    let second_hand = referee_tests::root().join("rulesets/house-rules/second-hand");
    let publish = async |module: &Path, token: &str, more: &str| {
        let (module, url) = (module.display(), world.url());
        let line = format!("publish san-juan --with {module} --server {url}");
        command(format!("{line} --token {token} {more}")).await
    };
    let before = revision(world.client()).await;
    let Ran { code, data, notes } = publish(&second_hand, &token, "--dry-run").await;
    assert_eq!((code, &*notes), (0, ""), "{data}");
    assert!(data.starts_with("san-juan") && data.contains("could be published"));
    assert_eq!(revision(world.client()).await, before);
    let said = publish(&second_hand, &token, "").await.ends(0).data;
    let after = revision(world.client()).await;
    assert!(said.contains(&after) && after != before, "{said}");

    // A module with a mistake: the base game alone would be right.
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken");
    std::fs::create_dir_all(&broken).expect("writable");
    let texts = referee::library::read_folder(&second_hand);
    for (path, text) in texts.expect("a folder").files {
        let path = broken.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("writable");
        let text = match path
            .extension()
            .is_some_and(|extension| extension == "rules")
        {
            true => format!("phase nonsense:\n  whatever {{\n{text}"),
            false => text,
        };
        std::fs::write(path, text).expect("writable");
    }
    let told = publish(&broken, &token, "").await.ends(1);
    assert_eq!(told.data, "");
    told.notes("error[RF0").notes("nothing has changed");
    assert_eq!(revision(world.client()).await, after);

    let told = publish(&second_hand, "rfp_nobody", "").await;
    told.ends(2).notes("token of a publisher");
}

/// San Juan in which everybody sees every hand.
fn with_open_hands() -> Vec<v1::PackageFile> {
    let mut files = files(&referee_tests::root().join("rulesets/san-juan"));
    let rules = files
        .iter_mut()
        .find(|file| file.path == "rules/table.rules");
    let rules = rules.expect("rules");
    let hand = "place hand(p: player): card        seen by p ";
    assert!(rules.text.contains(hand));
    let open = "place hand(p: player): card                  ";
    rules.text = rules.text.replacen(hand, open, 1);
    files
}

/// Texts that came with an archive serve that archive alone: nobody here has published them.
#[tokio::test]
async fn texts_of_an_archive_begin_no_match() {
    let there = World::new().await;
    let publisher = there.publisher().await;
    let open = publish(with_open_hands());
    let published = publisher.call(open).await;
    let bent = published.expect("it can be played").revision;
    let table = super::archives::ended(&there, "san-juan", 3, &[], 5).await;
    let archive = super::records::export(&table.host, &table.name).await;

    let here = World::new().await;
    let kept = super::records::import(&here, &archive.expect("a record"), &request_id()).await;
    let kept = kept.expect("it is sound").name;
    let create = |ruleset: &str| v1::CreateMatchRequest {
        ruleset: ruleset.into(),
        ..create()
    };
    let created = here.host().call(create(&bent)).await;
    expect(created, "NOT_FOUND");
    let get = v1::GetRulesetRequest::of(&bent);
    let got = here.client().call(get).await;
    expect(got, "NOT_FOUND");
    // The match itself says what it was played by, and that nobody here has published that.
    let get = v1::GetMatchRequest { name: kept.clone() };
    let got = here.host().call(get).await;
    let got = got.expect("it").r#match.expect("it");
    assert_eq!((&got.revision, got.unpublished), (&bent, true));
    let list = v1::ListMatchesRequest::default();
    let list = here.host().call(list).await;
    let list = list.expect("a list").matches;
    let listed = list.iter().find(|listed| listed.name == kept);
    assert!(listed.expect("it is listed").unpublished);
    assert!(super::records::verify(&here.host(), &kept).await.sound);
    // Once a publisher has, anybody may begin with them.
    let publisher = here.publisher().await;
    let open = publish(with_open_hands());
    let published = publisher.call(open).await;
    published.expect("it can be played");
    let created = here.host().call(create(&bent)).await;
    created.expect("it is published");
}

/// What a host is told of a match that goes otherwise by corrected rules names nothing that is hidden from it.
#[tokio::test]
async fn a_difference_shows_no_hand() {
    const PAID: &str = "for k in cards { move(payment(k), k, hand(p), discards); }";
    let world = World::new().await;
    let publisher = world.publisher().await;
    let broken = with_a_fault("1.0.1", PAID, &format!("loop {{ let n = 1; }} {PAID}"));
    let published = publisher.call(publish(broken)).await;
    published.expect("its mistake shows only when it is played");
    let (table, _) = world.begin(create()).await;
    let mut player = Chooser::new(5);
    while let Some((seat, decision, offers)) = table.asked().await {
        let mv = player.choose(&decision, &offers);
        if table.seats[seat]
            .submit(&decision.decision_id, mv)
            .await
            .is_err()
        {
            break;
        }
    }
    let got = table.get().await;
    assert_eq!(got.state(), v1::MatchState::Suspended);
    let ruleset = v1::GetRulesetRequest::of("rulesets/san-juan");
    let ruleset = world.client().call(ruleset).await;
    let tables = ruleset.expect("it").ruleset.expect("it").tables;
    let cards = tables.into_iter().find(|table| table.id == "card");
    let cards: Vec<String> = cards
        .expect("cards")
        .rows
        .into_iter()
        .map(|row| row.id)
        .collect();
    assert!(cards.len() > 20);

    // Everybody is dealt something else, so that what was done with the hands cannot be done again.
    let mut differs = 0;
    for (version, hand) in [("1.0.2", "value: 1"), ("1.0.3", "value: 2")] {
        let mut files = edited(version);
        let setup = files.iter_mut().find(|file| file.path == "setup.yaml");
        let setup = setup.expect("a set-up");
        setup.text = setup.text.replacen("value: 4", hand, 1);
        // Clauses that state the number of cards are not what this test is about.
        let rulebook = files.iter_mut().find(|file| file.path == "rulebook.yaml");
        let rulebook = rulebook.expect("clauses");
        let untied = rulebook
            .text
            .lines()
            .filter(|line| !line.trim_start().starts_with("numbers:"));
        rulebook.text = untied.fold(String::new(), |text, line| text + line + "\n");
        let published = publisher.call(publish(files)).await;
        let asked = v1::MoveMatchRequest {
            ruleset: published.expect("it can be played").revision,
            ..v1::MoveMatchRequest::of(&table.name)
        };
        let moved = world.host().call(asked).await;
        let refused = moved.expect_err("it goes otherwise");
        let told = format!("{refused:?} {}", String::from_utf8_lossy(refused.details()));
        differs += usize::from(told.contains("RECORD_DIFFERS"));
        for card in &cards {
            assert!(!told.contains(card.as_str()), "{card}: {told}");
        }
    }
    assert_eq!(differs, 2);
}
