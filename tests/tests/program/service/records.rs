//! Records: exported when a match is over, verified by replay, imported elsewhere, damaged anywhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee::client::{Chooser, request_id, seat_name};
use referee::secrets::hex;
use referee::wire::v1::{self, verify_record_response::Item};
use serde_json::Value;

use super::world::{Table, World, claim_request, expect, fields};

async fn ended(world: &World, seed: u64) -> (Table, Vec<String>) {
    let (table, tokens) = world.table(3, seed).await;
    let mut player = Chooser::new(seed);
    while table.play(50, &mut player).await {}
    (table, tokens)
}

pub async fn export(client: &referee::client::Client, name: &str) -> Result<String, tonic::Status> {
    let asked = v1::ExportRecordRequest { name: name.into() };
    let mut stream = client.call(asked).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = stream.message().await? {
        bytes.extend(piece.data);
    }
    Ok(String::from_utf8(bytes).expect("a text"))
}

pub async fn verify(client: &referee::client::Client, name: &str) -> v1::VerifyResult {
    let asked = v1::VerifyRecordRequest { name: name.into() };
    let stream = client.call(asked).await;
    let mut stream = stream.expect("a stream");
    let mut result = None;
    while let Some(message) = stream.message().await.expect("a message") {
        if let Some(Item::Result(found)) = message.item {
            result = Some(found);
        }
    }
    result.expect("the last message is the result")
}

pub async fn import(
    world: &World,
    record: &str,
    id: &str,
) -> Result<v1::ImportRecordResponse, tonic::Status> {
    let asked = v1::ImportRecordRequest {
        record: record.as_bytes().to_vec(),
        request_id: id.into(),
    };
    world.host().call(asked).await
}

/// What is signed of a record, and the keys that have signed it.
fn split(text: &str) -> (&str, Vec<String>) {
    let at = text.rfind("{\"end\"").expect("an end");
    let end = text[at..].lines().next().expect("a line");
    let end: Value = serde_json::from_str(end).expect("JSON");
    let signatures = end["end"]["signatures"].as_array().expect("signatures");
    let keys = signatures
        .iter()
        .map(|one| one["key"].as_str().expect("a key").to_owned());
    (&text[..at], keys.collect())
}

async fn record_key(world: &World) -> Vec<u8> {
    let asked = v1::GetServerInfoRequest {};
    let info = world.client().call(asked).await;
    info.expect("it").record_key
}

#[tokio::test]
async fn a_record_is_signed_by_who_exported_it_and_keeps_the_signatures_that_it_came_with() {
    let mut here = World::new().await;
    let (mut table, tokens) = ended(&here, 7).await;
    let text = export(&table.host, &table.name).await.expect("a record");
    let key = record_key(&here).await;
    assert_eq!(key.len(), 32);
    assert_eq!(split(&text).1, [hex(&key)]);
    // The key outlives a restart, and the signature is the same.
    here.restart().await;
    assert_eq!(record_key(&here).await, key);
    here.rejoin(&mut table, &tokens);
    assert_eq!(export(&table.host, &table.name).await.expect("again"), text);
    assert!(
        verify(&table.host, &table.name).await.signed_by.is_empty(),
        "it was played here"
    );

    let there = World::new().await;
    let other = record_key(&there).await;
    assert_ne!(other, key);
    // One that says to be signed by whom it is not is refused; one that nobody signed is not.
    let signature = text.split("\"signature\":\"").nth(1).expect("a signature");
    let last: String = signature.chars().take(128).collect();
    let forged = text.replace(&last, &last.chars().rev().collect::<String>());
    let claimed = text.replace(&hex(&key), &hex(&other));
    for record in [&forged, &claimed] {
        let refused = import(&there, record, &request_id()).await.map(drop);
        expect(refused, "MALFORMED_REQUEST");
    }
    let kept = import(&there, &text, &request_id())
        .await
        .expect("it is sound");
    let found = verify(&there.host(), &kept.name).await;
    assert!(
        found.sound && found.signed_by == std::slice::from_ref(&key),
        "{found:?}"
    );
    let both = export(&there.host(), &kept.name).await.expect("a record");
    assert_eq!(split(&both), (split(&text).0, vec![hex(&key), hex(&other)]));
    let elsewhere = World::new().await;
    let unsigned = resealed(&text, "{\"record\"", "{ \"record\"");
    import(&elsewhere, &unsigned, &request_id())
        .await
        .expect("it is sound, and nobody's word");

    if let Some((good, said)) = script(&both, &["--key", &hex(&key)]) {
        assert!(good, "{said}");
        for key in [&key, &other] {
            assert!(
                said.contains(&format!("it is signed by {}", hex(key))),
                "{said}"
            );
        }
        let (good, said) = script(&text, &["--key", &hex(&other)]).expect("Python is there");
        assert!(!good && said.contains("is not signed by"), "{said}");
        let (good, said) = script(&forged, &[]).expect("Python is there");
        assert!(!good && said.contains("has not signed"), "{said}");
    }
}

/// What the script of `proto/clients/python` says of a record, and whether it is content; none where there is no Python.
pub fn script(record: &str, words: &[&str]) -> Option<(bool, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("record.jsonl");
    std::fs::write(&path, record).expect("writable");
    let script = referee_tests::root().join("proto/clients/python/verify_record.py");
    let mut python = std::process::Command::new("python3");
    let ran = match python.arg(script).args(words).arg(&path).output() {
        Ok(ran) => ran,
        Err(error) => {
            eprintln!("the script is not tried: python3 cannot be run: {error}");
            return None;
        }
    };
    let said = [ran.stdout, ran.stderr].concat();
    Some((ran.status.success(), String::from_utf8(said).expect("text")))
}

/// A record with a change, and a sum that fits it.
pub fn resealed(text: &str, from: &str, to: &str) -> String {
    let body = text.rsplit_once("{\"end\"").expect("an end").0;
    let changed = body.replacen(from, to, 1);
    assert_ne!(changed, body, "{from} was there");
    let sum = ring::digest::digest(&ring::digest::SHA256, changed.as_bytes());
    let sum: String = sum.as_ref().iter().map(|b| format!("{b:02x}")).collect();
    format!("{changed}{}\n", serde_json::json!({"end": {"sha256": sum}}))
}

#[tokio::test]
async fn a_record_is_sealed_until_the_match_is_over_and_says_everything_then() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    table.play(5, &mut Chooser::new(1)).await;
    let early = export(&table.host, &table.name).await;
    expect(early, "RECORD_SEALED");
    // How long the log is would tell who has answered a question that is put to several.
    let counts = |found: v1::VerifyResult| (found.sound, found.entries >= 5, found.moves >= 5);
    let seat = table.seats[1].client();
    assert_eq!(
        counts(verify(seat, &table.name).await),
        (true, false, false)
    );
    assert_eq!(
        counts(verify(&table.host, &table.name).await),
        (true, true, true)
    );
    let mut player = Chooser::new(1);
    while table.play(50, &mut player).await {}
    let text = export(&table.host, &table.name).await.expect("a record");
    assert_eq!(
        text,
        export(table.seats[1].client(), &table.name)
            .await
            .expect("the same")
    );
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let seen = table.get().await;
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    assert_eq!(lines[0]["record"]["seed"], hex(&seen.seed));
    assert_eq!(
        lines[0]["record"]["seedCommitment"],
        hex(&seen.seed_commitment)
    );
    let count = |kind: &str| lines.iter().filter(|line| line.get(kind).is_some()).count();
    assert!(count("file") > 20 && count("entry") > 50 && count("event") > 500);
    let last: Vec<_> = lines[lines.len() - 4..]
        .iter()
        .filter_map(|line| line.as_object()?.keys().next())
        .collect();
    assert_eq!(last, ["end", "name", "name", "name"]);
    assert!(text.contains("\"pileShuffled\"") && text.contains("\"piecesMoved\""));
}

#[tokio::test]
async fn a_record_is_verified_by_replay_and_imported_elsewhere() {
    let here = World::new().await;
    let (table, _) = ended(&here, 7).await;
    let found = verify(&table.host, &table.name).await;
    assert!(
        found.sound && found.findings.is_empty() && found.moves > 50,
        "{found:?}"
    );
    let text = export(&table.host, &table.name).await.expect("a record");

    let there = World::new().await;
    let id = request_id();
    let kept = import(&there, &text, &id).await.expect("it is sound");
    assert_eq!(
        kept.name, table.name,
        "it keeps its name: the promise is bound to it"
    );
    assert!(import(&there, &text, &id).await.expect("the same").replayed);
    let get = v1::GetMatchRequest::of(&kept.name);
    let got = there.host().call(get).await.expect("it");
    let (got, first) = (got.r#match.expect("it"), table.get().await);
    assert_eq!(
        (got.outcome, got.seed, got.digest),
        (first.outcome, first.seed, first.digest)
    );
    assert!(verify(&there.host(), &kept.name).await.sound);
    let again = export(&there.host(), &kept.name).await.expect("again");
    assert_eq!(split(&again).0, split(&text).0);
    let twice = import(&there, &text, &request_id()).await;
    expect(twice, "MALFORMED_REQUEST");
}

#[tokio::test]
async fn a_match_with_undone_moves_and_bots_is_verified_and_imported_too() {
    let here = World::new().await;
    let (table, _) = here.table(3, 7).await;
    let mut player = Chooser::new(3);
    let mut undone = 0;
    for _ in 0..60 {
        table.play(1, &mut player).await;
        if let Ok(made) = table.propose(0, v1::ProposalKind::Undo, 1).await {
            table.respond(1, &made.name, true).await.expect("yes");
            table.respond(2, &made.name, true).await.expect("yes");
            undone += 1;
        }
    }
    assert!(undone > 2, "{undone}");
    table.resign(1).await.expect("one");
    table.resign(2).await.expect("two");
    let found = verify(&table.host, &table.name).await;
    assert!(found.sound, "{found:?}");
    let text = export(&table.host, &table.name).await.expect("a record");
    let there = World::new().await;
    let kept = import(&there, &text, &request_id())
        .await
        .expect("it is sound");
    let again = export(&there.host(), &kept.name).await.expect("again");
    assert_eq!(split(&again).0, split(&text).0);
}

/// The same text, in a body of an entry or in plain sight.
fn says(line: &str, name: &str) -> bool {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let body = line["entry"]["body"].as_str().unwrap_or_default();
    let body = STANDARD.decode(body).expect("bytes");
    let inside = body.windows(name.len()).any(|part| part == name.as_bytes());
    inside || line.to_string().contains(name)
}

#[tokio::test]
async fn what_players_are_called_is_signed_as_a_digest_and_may_be_struck_out() {
    let mut here = World::new().await;
    let created = here.create(3, 7).await;
    let name = created.r#match.as_ref().expect("a match").name.clone();
    let mut tokens = Vec::new();
    for (code, called) in created
        .claim_codes
        .iter()
        .zip(["Ada Lovelace", "Żółć", "Ada Lovelace"])
    {
        let claim = v1::ClaimSeatRequest {
            display_name: called.into(),
            ..claim_request(code)
        };
        let claimed = here.client().call(claim).await;
        tokens.push(claimed.expect("a seat").seat_token);
    }
    let start = v1::StartMatchRequest::of(&name);
    let started = here.host().call(start).await;
    started.expect("it starts");
    // Another sits down while it is under way.
    let release = v1::ReleaseSeatRequest::of(seat_name(&name, 3));
    let code = here.host().call(release).await.expect("it is").claim_code;
    let claim = v1::ClaimSeatRequest {
        display_name: "Grace Hopper".into(),
        ..claim_request(&code.expect("a code"))
    };
    let claimed = here.client().call(claim).await;
    tokens[2] = claimed.expect("a seat").seat_token;
    let mut table = Table {
        name,
        host: here.host(),
        seats: Vec::new(),
        created,
    };
    table.seats = here.again(&table, &tokens);
    let called = |seen: v1::Match| seen.seats.into_iter().map(|seat| seat.display_name);
    let expected = ["Ada Lovelace", "Żółć", "Grace Hopper"];
    assert!(called(table.get().await).eq(expected));
    // Names outlive a restart, though no entry has them.
    here.restart().await;
    here.rejoin(&mut table, &tokens);
    assert!(called(table.get().await).eq(expected));
    let mut player = Chooser::new(7);
    while table.play(50, &mut player).await {}
    let text = export(&table.host, &table.name).await.expect("a record");
    let (signed, names): (Vec<&str>, Vec<&str>) = text
        .lines()
        .partition(|line| !line.starts_with("{\"name\""));
    assert_eq!(names.len(), 4, "whoever has left, too");
    for (name, times) in [("Ada Lovelace", 2), ("Żółć", 1), ("Grace Hopper", 1)] {
        assert_eq!(names.iter().filter(|line| says(line, name)).count(), times);
        assert!(!signed.iter().any(|line| says(line, name)), "{name}");
    }

    let there = World::new().await;
    let forged = text.replace("\"name\":\"Grace Hopper\"", "\"name\":\"Grete\"");
    let twice = text.replace(names[0], "{\"wish\":1}");
    let salt = "00".repeat(16);
    let digest = ring::digest::digest(
        &ring::digest::SHA256,
        &[b"referee/name/v1\n", &[0; 16][..], b"Eve"].concat(),
    );
    let stranger = serde_json::json!({
        "name": {"digest": hex(digest.as_ref()), "salt": salt, "name": "Eve"}
    });
    let more = format!("{text}{stranger}\n");
    for (record, why) in [
        (&forged, "is not the one that was signed"),
        (&twice, "nothing but names follows the end"),
        (&more, "whom no entry speaks of"),
    ] {
        let refused = import(&there, record, &request_id()).await;
        let refused = refused.expect_err("it is not");
        assert!(format!("{refused:?}").contains(why), "{refused:?}");
    }
    let kept = import(&there, &text, &request_id())
        .await
        .expect("it is sound");
    let get = v1::GetMatchRequest::of(&kept.name);
    let got = there.host().call(get.clone()).await;
    let got = got.expect("it").r#match.expect("it");
    assert!(called(got).eq(expected));
    let again = export(&there.host(), &kept.name).await.expect("again");
    assert_eq!(split(&again).0, split(&text).0);
    assert!(names.iter().all(|name| again.contains(name)));

    // Struck out, they are gone, and everything that was signed is what it was.
    let elsewhere = World::new().await;
    let struck = signed.iter().map(|line| format!("{line}\n"));
    let struck: String = struck.collect();
    let kept = import(&elsewhere, &struck, &request_id())
        .await
        .expect("it is sound");
    let found = verify(&elsewhere.host(), &kept.name).await;
    assert!(found.sound && found.signed_by.len() == 1, "{found:?}");
    let got = elsewhere.host().call(get).await;
    let got = got.expect("it").r#match.expect("it");
    assert!(got.seats.iter().all(|seat| seat.claimed));
    assert!(called(got).eq([""; 3]));
    for (record, good) in [
        (&text, true),
        (&struck, true),
        (&forged, false),
        (&more, false),
    ] {
        if let Some((content, said)) = script(record, &[]) {
            assert_eq!(content, good, "{said}");
        }
    }
}

#[tokio::test]
async fn a_changed_record_is_not_kept() {
    let here = World::new().await;
    let (table, _) = ended(&here, 7).await;
    let text = export(&table.host, &table.name).await.expect("a record");
    // Whoever changes a line and mends the sum is found out by the rest.
    let changed = |from: &str, to: &str| resealed(&text, from, to);
    let seed = serde_json::from_str::<Value>(text.lines().next().expect("a line")).expect("JSON");
    let seed = seed["record"]["seed"].as_str().expect("a seed").to_owned();
    let last_entry = text
        .lines()
        .rfind(|line| line.starts_with("{\"entry\""))
        .expect("an entry")
        .to_owned();
    let mut moves = text.lines().filter(|line| line.contains("\"moved\":"));
    let a_move = moves.nth(20).expect("a move").to_owned();
    let there = World::new().await;
    for (what, record) in [
        (
            "a bit of the text",
            text.replacen("puerto-rico", "puerto-ricx", 1),
        ),
        (
            "another seed",
            changed(&seed, &seed.chars().rev().collect::<String>()),
        ),
        (
            "a missing end of the match",
            changed(&format!("{last_entry}\n"), ""),
        ),
        ("a missing move", changed(&format!("{a_move}\n"), "")),
        ("a rule", changed("cost", "coat")),
        (
            "no end",
            text.rsplit_once("{\"end\"").expect("an end").0.to_owned(),
        ),
        ("nothing", String::new()),
        ("no JSON", "record".to_owned()),
        (
            "another form",
            changed("referee.record/4", "referee.record/9"),
        ),
        ("a line of another kind", format!("{{\"wish\":1}}\n{text}")),
    ] {
        let kept = import(&there, &record, &request_id()).await;
        let Err(status) = kept else {
            panic!("{what} was kept")
        };
        assert_eq!(fields(&status)[0], "record", "{what}");
    }
    let list = there.host().call(v1::ListMatchesRequest::default()).await;
    assert!(list.expect("a list").matches.is_empty(), "nothing was kept");
}

/// Every byte of a log matters: one that is flipped, in any column of any entry, is found.
#[tokio::test]
async fn a_flipped_bit_anywhere_in_the_log_is_found() {
    let mut world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    table.play(6, &mut Chooser::new(1)).await;
    let (before, path) = (verify(&table.host, &table.name).await, world.path());
    assert!(before.sound, "{before:?}");
    world.stop().await;
    let key = std::fs::read(path.with_extension("sqlite.key")).expect("the key");
    let file = rusqlite::Connection::open(&path).expect("the file");
    let count = |column: &str| -> Vec<(i64, i64)> {
        let sql = format!("SELECT sequence, length({column}) FROM entries ORDER BY sequence");
        let mut statement = file.prepare(&sql).expect("SQL");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    };
    let mut places = Vec::new();
    for column in ["body", "chain"] {
        for (sequence, length) in count(column) {
            places.extend((0..length).map(|at| (column, sequence, at)));
        }
    }
    drop(file);
    assert!(places.len() > 500, "{}", places.len());
    let folder = tempfile::tempdir().expect("a folder");
    let bent = folder.path().join("bent.sqlite");
    referee::store::sqlite::Sqlite::backup(&path, &bent).expect("a copy");
    std::fs::write(bent.with_extension("sqlite.key"), key).expect("a key");
    let check = |bent: &std::path::Path| {
        let keys = referee::secrets::Keys::load(&bent.with_extension("sqlite.key"));
        let keys = keys.expect("a key");
        let store = referee::store::sqlite::Sqlite::look(bent, &keys).expect("a store");
        let library = referee_tests::library();
        let mut findings = Vec::new();
        referee::server::check_store(store, keys, library, None, 0, |_, _, checked| {
            findings.extend(checked.findings.clone());
        })
        .expect("a check");
        findings
    };
    assert!(check(&bent).is_empty(), "the copy is sound");
    // A sample, spread over everything: the gate takes more (REFEREE_FLIPS=all takes each).
    let step = match std::env::var("REFEREE_FLIPS").as_deref() {
        Ok("all") => 1,
        _ => places.len() / 40,
    };
    let flip = |column: &str, sequence: i64, at: i64| {
        let file = rusqlite::Connection::open(&bent).expect("the file");
        let sql = format!("SELECT {column} FROM entries WHERE sequence = ?1");
        let mut bytes: Vec<u8> = file
            .query_row(&sql, [sequence], |row| row.get(0))
            .expect("bytes");
        bytes[usize::try_from(at).expect("a place")] ^= 1 << (at % 8);
        let sql = format!("UPDATE entries SET {column} = ?2 WHERE sequence = ?1");
        file.execute(&sql, rusqlite::params![sequence, bytes])
            .expect("an update");
    };
    for (column, sequence, at) in places.into_iter().step_by(step) {
        flip(column, sequence, at);
        assert!(
            !check(&bent).is_empty(),
            "{column} of entry {sequence}, byte {at}"
        );
        flip(column, sequence, at);
    }
    assert!(check(&bent).is_empty(), "every bit is back");
}
