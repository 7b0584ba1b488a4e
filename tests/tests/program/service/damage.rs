//! Damaged files: whatever no longer reads as it was written is found by a check.

use std::path::Path;

use referee::client::Chooser;
use referee::secrets::Keys;
use referee::server::check_store;
use referee::store::sqlite::Sqlite;
use referee::store::{Change, Principal, RequestRow, RevisionRow, Store as _};
use referee_tests::random::Random;
use referee_tests::sample::turn;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::snapshots::written;
use super::world::World;

/// Bytes that are flipped in a page.
const FLIPS: usize = 40;

/// Pages of a sample.
const SAMPLE: usize = 20;

/// Every row of every table of a store, as whoever reads it without a doubt sees it.
fn dump(path: &Path) -> rusqlite::Result<Vec<Vec<Value>>> {
    let file = Connection::open(path)?;
    let mut tables: Vec<String> = file
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    tables.sort();
    let described = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2";
    let selects = tables
        .iter()
        .map(|table| format!("SELECT '{table}', * FROM {table}"));
    let mut all = Vec::new();
    for select in std::iter::once(described.to_owned()).chain(selects) {
        let mut statement = file.prepare(&select)?;
        let width = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            all.push((0..width).map(|at| row.get(at)).collect::<Result<_, _>>()?);
        }
    }
    Ok(all)
}

/// What a check of a store finds.
fn findings(path: &Path, keys: &Keys) -> Vec<String> {
    let look = match Sqlite::look(path, keys) {
        Ok(look) => look,
        Err(error) => return vec![error.to_string()],
    };
    let mut findings = Vec::new();
    look.inspect(|finding| findings.push(finding));
    let library = referee_tests::library();
    let checked = check_store(look, keys.clone(), library, None, 0, |id, _, checked| {
        findings.extend(
            checked
                .findings
                .iter()
                .map(|found| format!("{id}: {found}")),
        );
    });
    findings.extend(checked.err().map(|error| error.to_string()));
    findings
}

/// `REFEREE_FLIPS=all` takes every page; otherwise a sample that rotates.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_reads_otherwise_after_a_page_was_damaged_is_found() {
    let mut world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    // So many that a snapshot is kept.
    table.play(70, &mut Chooser::new(1)).await;
    written(&world, 1).await;
    let (second, _) = world.table(2, 8).await;
    second.play(3, &mut Chooser::new(2)).await;
    let path = world.path();
    world.stop().await;
    let keys = Keys::load(&path.with_extension("sqlite.key")).expect("the key");
    let store = Sqlite::open(&path, &keys).expect("the store");
    let revision = RevisionRow {
        ruleset: "chess".into(),
        digest: [5; 32],
        version: "1".into(),
        created_ms: 1,
    };
    let changes = [
        Change::Point {
            revision: revision.clone(),
            channel: "beta".into(),
            owner: Some("Ada".into()),
        },
        Change::Yank {
            revision: RevisionRow {
                digest: [6; 32],
                ..revision
            },
            reason: Some("it is wrong".into()),
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        let request = RequestRow {
            principal: Principal([1; 32]),
            request_id: number.to_string(),
            digest: [2; 32],
            receipt: Vec::new(),
        };
        store.settle(change, &request).expect("it is kept");
    }
    drop(store);
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole.sqlite");
    Sqlite::backup(&path, &whole).expect("a copy");
    assert_eq!(findings(&whole, &keys), [""; 0], "it is sound");
    let written = dump(&whole).expect("it can be read");
    let kinds = ["meta", "matches", "entries", "names", "requests", "tokens"];
    let more = ["revisions", "channels", "owners", "contents", "snapshots"];
    for kind in kinds.into_iter().chain(more) {
        let of_kind = |row: &Vec<Value>| row[0] == Value::Text(kind.to_owned());
        assert!(written.iter().any(of_kind), "nothing stands in {kind}");
    }

    let bytes = std::fs::read(&whole).expect("the file");
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    let pages = bytes.len() / page;
    let step = match std::env::var("REFEREE_FLIPS").as_deref() {
        Ok("all") => 1,
        _ => (pages / SAMPLE).max(1),
    };
    let first = usize::try_from(turn() % step as u64).expect("small");
    let mut random = Random::new(turn());
    let bent = folder.path().join("bent.sqlite");
    let (mut tried, mut otherwise) = (0, 0);
    for number in (first..pages).step_by(step) {
        let mut flipped = bytes.clone();
        for _ in 0..FLIPS {
            let at = number * page + random.below(page as u64) as usize;
            flipped[at] ^= 1 << random.below(8);
        }
        std::fs::write(&bent, &flipped).expect("a file");
        tried += 1;
        if dump(&bent).ok().as_ref() != Some(&written) {
            otherwise += 1;
            assert!(
                !findings(&bent, &keys).is_empty(),
                "page {} of {pages}, by {}",
                number + 1,
                turn()
            );
        }
    }
    println!("{tried} of {pages} pages damaged, {otherwise} read otherwise, all of these found");
    assert!(otherwise * 2 > tried, "{otherwise} of {tried}");
}
