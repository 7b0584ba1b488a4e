//! A store that an earlier build wrote, as an operator checks it before an upgrade and takes it along.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use flate2::read::GzDecoder;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::command::{referee, run};

/// How long each attempt goes on before it is killed.
const KILLED_AFTER_MS: [u64; 6] = [2, 10, 30, 60, 100, 150];

fn expanded(path: PathBuf) -> Vec<u8> {
    let packed = std::fs::File::open(&path).expect("a golden file");
    let mut bytes = Vec::new();
    let read = GzDecoder::new(packed).read_to_end(&mut bytes);
    read.expect("it is compressed");
    bytes
}

/// The store of a golden set (`tests/golden/README.md`) in a file with its key beside it, and how many matches it has.
fn unpacked(configuration: &str, store: &Path) -> u64 {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/2026-11-24-before");
    let folder = set.join(configuration);
    std::fs::write(store, expanded(folder.join("store.gz"))).expect("a store");
    let key = store.with_extension("sqlite.key");
    std::fs::copy(folder.join("store.key"), key).expect("a key");
    let hosted = std::fs::read(folder.join("configuration.json")).expect("what was hosted");
    let hosted: Value = serde_json::from_slice(&hosted).expect("JSON");
    let file = Connection::open(store).expect("a database");
    for content in hosted["contents"].as_array().expect("texts") {
        let digest = content["digest"].as_str().expect("a digest");
        let text = expanded(set.join(format!("texts/{digest}.gz")));
        let put = "INSERT INTO contents (rowid, digest, content) VALUES (?1, unhex(?2), ?3)";
        let row = content["row"].as_i64();
        file.execute(put, params![row, digest, text])
            .expect("its place");
    }
    2 + hosted["others"].as_array().map_or(0, Vec::len) as u64
}

/// Entries of all logs, each with what ties it to those before it.
fn entries(store: &Path) -> Vec<(i64, i64, Vec<u8>, Vec<u8>)> {
    let file = Connection::open(store).expect("a database");
    let asked = "SELECT match, sequence, body, chain FROM entries ORDER BY match, sequence";
    let mut asked = file.prepare(asked).expect("a query");
    let rows = asked.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

#[test]
fn a_store_of_before_is_checked_as_it_is_and_migrated_however_often_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = folder.path().join("old.sqlite");
    let matches = unpacked("puerto-rico-base", &old);
    let bytes = std::fs::read(&old).expect("the store");
    let shown = old.display();

    let sound = format!("{matches} matches, 0 damaged, 0 that this referee would suspend\n");
    let checked = run(format!("store check --store {shown}")).ends(0);
    assert_eq!(checked.data, sound);
    // As after an interruption.
    let rest = run(format!("store check --store {shown} --after 1")).ends(0);
    rest.tells(&format!("{} matches, 0 damaged", matches - 1));

    let key = folder.path().join("old.sqlite.key");
    let away = folder.path().join("away.key");
    std::fs::rename(&key, &away).expect("a key");
    let keyless = run(format!("store migrate --store {shown}")).ends(2);
    keyless.notes("old.sqlite.key");
    std::fs::rename(&away, &key).expect("a key");

    let new = folder.path().join("new.sqlite");
    let line = format!("store migrate --store {shown} {}", new.display());
    for after_ms in KILLED_AFTER_MS {
        let mut command = referee(&line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(after_ms));
        child.kill().expect("it is killed, or has ended");
        if child.wait().expect("it ended").success() {
            // So quick a machine: what it wrote is as good as what is written below.
            std::fs::remove_file(&new).expect("the new store");
        }
        assert!(!new.exists(), "nothing half made stands under its name");
    }
    let migrated = run(&line).ends(0);
    migrated.tells(&format!("{matches} matches, "));
    migrated.tells(" 0 as they were");
    assert_eq!(
        std::fs::read(&old).expect("the store"),
        bytes,
        "it is as it was"
    );

    let checked = run(format!("store check --store {}", new.display())).ends(0);
    assert_eq!(checked.data, sound);
    let (before, mut after) = (entries(&old), entries(&new));
    assert!(after.len() > before.len(), "states are named in it");
    after.retain(|entry| before.contains(entry));
    assert_eq!(after, before, "no entry is another");
}
