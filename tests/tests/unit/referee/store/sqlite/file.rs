//! Tests of the module `store::sqlite::file`.

use referee::secrets::Keys;
use referee::store::sqlite::file::CLOSING;
use referee::store::sqlite::{Sqlite, WrittenWith};

#[test]
fn a_log_without_its_index_is_refused_unless_somebody_is_just_taking_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let keys = Keys::random().unwrap();
    drop(Sqlite::open(&path, &keys).unwrap());
    // As it stands while it is closed, or was copied in part.
    let log = folder.path().join("store.sqlite-wal");
    std::fs::write(&log, "frames").unwrap();
    let refused = Sqlite::look(&path, &keys).err();
    let said = refused.map(|error| error.to_string()).unwrap_or_default();
    assert!(said.contains("referee store backup"), "{said}");

    // Whoever serves from it next brings it in order.
    assert_eq!(
        Sqlite::written_with(&path).unwrap(),
        Some(WrittenWith::None)
    );
    assert!(Sqlite::look(&path, &keys).is_ok());

    std::fs::write(&log, "frames").unwrap();
    let closing = std::thread::spawn(move || {
        std::thread::sleep(CLOSING / 5);
        std::fs::remove_file(log)
    });
    assert!(Sqlite::look(&path, &keys).is_ok());
    closing.join().unwrap().unwrap();
}
