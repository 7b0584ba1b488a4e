//! Tests of the module `store::lock`.

use referee::store::lock::Lock;

#[test]
fn a_store_is_held_by_one_until_that_one_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let first = Lock::take(&store, false).unwrap();
    assert!(first.is_some());
    assert!(Lock::take(&store, false).unwrap().is_none());
    let over = Lock::take(&store, true).unwrap();
    assert!(over.is_some(), "who takes it over does not wait");
    drop(first);
    for _ in 0..500 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        if Lock::take(&store, false).unwrap().is_none() {
            return;
        }
    }
    panic!("it is held by nobody");
}
