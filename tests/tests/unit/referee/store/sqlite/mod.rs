//! Tests of the module `store::sqlite` and its parts.

mod check;
mod file;

use std::sync::OnceLock;

use referee::secrets::Keys;
use referee::store::conformance::{append_to, new_match};
use referee::store::sqlite::file::connect;
use referee::store::sqlite::{Sqlite, schema};
use referee::store::{Appended, ChannelRow, MatchId, Store as _, StoreError, conformance};
use rusqlite::{Connection, params};

/// The same in each test.
fn keys() -> Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| Keys::random().unwrap()).clone()
}

fn open() -> (tempfile::TempDir, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.sqlite"), &keys()).unwrap();
    (folder, store)
}

#[test]
fn conforms() {
    let (_folder, store) = open();
    conformance::check(&store);
}

#[test]
fn everything_survives_reopening() {
    let (folder, store) = open();
    let (create, id) = new_match();
    store.append(vec![create.clone()]).unwrap();
    store
        .append(vec![append_to(&id, 1, &[b"a", b"b"])])
        .unwrap();
    let before = store.read(&id, 0, 9).unwrap();
    drop(store);
    let store = Sqlite::open(&folder.path().join("store.sqlite"), &keys()).unwrap();
    assert_eq!(store.read(&id, 0, 9).unwrap(), before);
    assert_eq!(
        store.append(vec![append_to(&id, 3, &[b"c"])]).unwrap(),
        [Appended::Done]
    );
}

#[test]
fn whoever_opens_the_file_takes_it_over() {
    let (folder, first) = open();
    let (create, id) = new_match();
    first.append(vec![create]).unwrap();
    let second = Sqlite::open(&folder.path().join("store.sqlite"), &keys()).unwrap();
    assert_eq!(
        first.append(vec![append_to(&id, 1, &[b"stale"])]),
        Err(StoreError::Fenced)
    );
    assert_eq!(
        second.append(vec![append_to(&id, 1, &[b"fresh"])]).unwrap(),
        [Appended::Done]
    );
    assert_eq!(second.read(&id, 1, 9).unwrap()[0].body, b"fresh");
}

#[test]
fn a_newer_or_foreign_file_is_refused() {
    let (folder, store) = open();
    store
        .writer()
        .pragma_update(None, "user_version", schema::SCHEMA + 1)
        .unwrap();
    drop(store);
    let path = folder.path().join("store.sqlite");
    assert_eq!(
        Sqlite::open(&path, &keys()).unwrap_err(),
        StoreError::Schema {
            found: schema::SCHEMA + 1,
            known: schema::SCHEMA
        }
    );

    let other = folder.path().join("other.sqlite");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE songs (title TEXT)")
        .unwrap();
    assert!(matches!(
        Sqlite::open(&other, &keys()),
        Err(StoreError::Engine(_))
    ));

    let text = folder.path().join("notes.txt");
    std::fs::write(
        &text,
        "this is no database, but long enough to look at: ".repeat(40),
    )
    .unwrap();
    assert!(matches!(
        Sqlite::open(&text, &keys()),
        Err(StoreError::Engine(_))
    ));
}

#[test]
fn an_earlier_file_is_refused_until_it_is_migrated_and_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let (id, seat) = (MatchId::random(), [205u8; 32]);
    let mut file = connect(&path).unwrap();
    schema::advance(&mut file, 0, 1).unwrap();
    file.execute(
        "INSERT INTO tokens VALUES (?1, NULL, NULL), (?2, ?3, 2)",
        params![[204u8; 32], seat, id.as_str()],
    )
    .unwrap();
    drop(file);
    let refused = Sqlite::open(&path, &keys()).unwrap_err();
    assert!(
        refused.to_string().contains("referee store migrate"),
        "{refused}"
    );
    let before = std::fs::read(&path).unwrap();
    let new = folder.path().join("new.sqlite");
    assert_eq!(Sqlite::migrate(&path, &new, &keys()).unwrap(), 1);
    assert_eq!(
        Sqlite::migrate(&path, &new, &keys()).unwrap(),
        1,
        "it may be repeated"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before, "it stays as it was");
    let store = Sqlite::open(&new, &keys()).unwrap();
    let opens = |hash| store.token(hash, None).unwrap().unwrap().grant;
    assert_eq!(opens(&[204; 32]), referee::store::Grant::Host);
    assert_eq!(opens(&seat), referee::store::Grant::Seat { id, seat: 2 });
    conformance::check(&store);
}

#[test]
fn what_was_published_last_is_the_stable_channel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut file = connect(&path).unwrap();
    schema::advance(&mut file, 0, 3).unwrap();
    file.execute(
        "INSERT INTO revisions (ruleset, digest, version, created_ms, published)
             VALUES ('go', ?1, '1', 1, 0), ('go', ?2, '2', 2, 1), ('chess', ?1, '1', 3, 0)",
        params![[1u8; 32], [2u8; 32]],
    )
    .unwrap();
    drop(file);
    let new = folder.path().join("new.sqlite");
    assert_eq!(Sqlite::migrate(&path, &new, &keys()).unwrap(), 3);
    let store = Sqlite::open(&new, &keys()).unwrap();
    let stable = ChannelRow {
        ruleset: "go".into(),
        channel: referee::store::STABLE.into(),
        digest: [2; 32],
    };
    assert_eq!(store.channels().unwrap(), [stable]);
    assert_eq!(store.revisions("go", None, 9).unwrap().len(), 2);
}

#[test]
fn a_copy_is_of_one_moment_and_can_be_opened() {
    let (folder, store) = open();
    let (create, id) = new_match();
    store.append(vec![create]).unwrap();
    let copy = folder.path().join("copy.sqlite");
    let interrupted = folder.path().join("copy.sqlite.copying");
    std::fs::write(&interrupted, "SQLite form").unwrap();
    Sqlite::backup(&folder.path().join("store.sqlite"), &copy).unwrap();
    assert!(!interrupted.exists());
    store.append(vec![append_to(&id, 1, &[b"later"])]).unwrap();
    let copied = Sqlite::open(&copy, &keys()).unwrap();
    assert_eq!(copied.read(&id, 0, 9).unwrap().len(), 1);
    let again = Sqlite::backup(&folder.path().join("store.sqlite"), &copy);
    assert!(
        matches!(again, Err(StoreError::Engine(_))),
        "nothing is overwritten"
    );
}

#[test]
fn the_disk_is_asked_to_flush() {
    let (_folder, store) = open();
    let full: i64 = store
        .writer()
        .pragma_query_value(None, "synchronous", |row| row.get(0))
        .unwrap();
    assert_eq!(full, 2, "synchronous=FULL");
}
