//! Tests of the module `store::copy`.

use referee::secrets::Keys;
use referee::store::conformance::{append_to, new_match};
use referee::store::copy::{CopyError, Whole as _, copy};
use referee::store::sqlite::Sqlite;
use referee::store::{MatchId, Store as _, conformance};

fn copied(from: &Sqlite, to: &Sqlite) -> Result<u64, CopyError> {
    copy(from, to, |_| MatchId::random(), |_| {})
}

#[test]
fn a_copy_holds_all_and_is_carried_on_when_the_store_has_grown() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::random().unwrap();
    let open = |name| Sqlite::open(&folder.path().join(name), &keys).unwrap();
    let (from, to) = (open("from.sqlite"), open("to.sqlite"));
    conformance::check(&from);
    from.alive(1_000, false).unwrap();
    from.alive(90_000, true).unwrap();
    from.alive(100_000, false).unwrap();
    let count = copied(&from, &to).unwrap();
    assert!(count > 20, "{count}");
    let (outside, there) = (from.outside().unwrap(), to.outside().unwrap());
    assert!(!outside.answered.is_empty() && !outside.revisions.is_empty());
    assert!(outside.tokens.iter().any(|listed| listed.revoked));
    assert_eq!(outside.contents, there.contents);
    assert_eq!(outside.learned, there.learned);
    assert_eq!(there.alive_ms, Some(100_000));
    assert_eq!(from.outages().unwrap(), to.outages().unwrap());

    let (create, id) = new_match();
    from.append(vec![create]).unwrap();
    assert_eq!(copied(&from, &to).unwrap(), count + 1);
    from.append(vec![append_to(&id, 1, &[b"more", b"still more"])])
        .unwrap();
    assert_eq!(copied(&from, &to).unwrap(), count + 1);
    assert_eq!(to.find(&id).unwrap().unwrap().length, 3);
}

#[test]
fn what_is_not_the_same_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::random().unwrap();
    let open = |name| Sqlite::open(&folder.path().join(name), &keys).unwrap();
    let (from, to) = (open("from.sqlite"), open("to.sqlite"));
    let (create, id) = new_match();
    from.append(vec![create]).unwrap();
    copied(&from, &to).unwrap();
    from.append(vec![append_to(&id, 1, &[b"one"])]).unwrap();
    to.append(vec![append_to(&id, 1, &[b"other", b"and more"])])
        .unwrap();
    let error = copied(&from, &to).unwrap_err();
    assert!(error.to_string().contains(id.as_str()), "{error}");

    let (extra, more) = (new_match(), open("more.sqlite"));
    more.append(vec![extra.0]).unwrap();
    let error = copied(&from, &more).unwrap_err();
    assert!(matches!(error, CopyError::Another(which, _) if which == extra.1));
}
