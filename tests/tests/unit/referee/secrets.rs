//! Tests of the module `secrets`.

use referee::secrets::{Keys, Purpose, base64url, signed};

#[test]
fn each_purpose_has_a_key_of_its_own() {
    let root = [7; 32];
    let keys = Keys::read(&base64url(&root)).unwrap();
    for (place, purpose) in Purpose::ALL.into_iter().enumerate() {
        assert_eq!(purpose.place(), place);
        let key = blake3::derive_key(purpose.context(), &root);
        let derived = blake3::keyed_hash(&key, b"");
        assert_eq!(keys.derive(purpose, &[]), *derived.as_bytes());
    }
}

#[test]
fn what_is_sealed_opens_only_for_the_same_purpose_and_binding() {
    let keys = Keys::random().unwrap();
    let sealed = keys
        .seal(Purpose::ResumeToken, &[b"m1", b"seat 1"], b"41")
        .unwrap();
    assert_eq!(
        keys.open(Purpose::ResumeToken, &[b"m1", b"seat 1"], &sealed)
            .as_deref(),
        Some(&b"41"[..])
    );
    assert_eq!(
        keys.open(Purpose::ResumeToken, &[b"m1", b"seat 2"], &sealed),
        None
    );
    assert_eq!(
        keys.open(Purpose::ResumeToken, &[b"m1s", b"eat 1"], &sealed),
        None
    );
    assert_eq!(
        keys.open(Purpose::PageToken, &[b"m1", b"seat 1"], &sealed),
        None
    );
    assert_eq!(
        Keys::random()
            .unwrap()
            .open(Purpose::ResumeToken, &[b"m1", b"seat 1"], &sealed),
        None
    );
    for i in 0..sealed.len() {
        let mut bent = sealed.clone();
        bent[i] ^= 1;
        assert_eq!(
            keys.open(Purpose::ResumeToken, &[b"m1", b"seat 1"], &bent),
            None,
            "byte {i}"
        );
        assert_eq!(
            keys.open(Purpose::ResumeToken, &[b"m1", b"seat 1"], &sealed[..i]),
            None,
            "length {i}"
        );
    }
}

#[test]
fn what_is_signed_is_signed_by_this_key_alone() {
    let keys = Keys::random().unwrap();
    let (signer, again) = (keys.signer(), keys.clone().signer());
    assert_eq!(signer.public(), again.public());
    let signature = signer.sign(b"a record");
    assert_eq!(signature, again.sign(b"a record"));
    assert!(signed(&signer.public(), b"a record", &signature));
    assert!(!signed(&signer.public(), b"another", &signature));
    let other = Keys::random().unwrap().signer();
    assert!(!signed(&other.public(), b"a record", &signature));
    for i in 0..signature.len() {
        let mut bent = signature.clone();
        bent[i] ^= 1;
        assert!(!signed(&signer.public(), b"a record", &bent), "byte {i}");
    }
}

#[test]
fn the_key_file_is_made_once_and_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let first = Keys::load_or_create(&path).unwrap();
    let again = Keys::load_or_create(&path).unwrap();
    assert_eq!(
        first.derive(Purpose::Seed, &[]),
        again.derive(Purpose::Seed, &[])
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    std::fs::write(&path, "short").unwrap();
    assert!(Keys::load_or_create(&path).is_err());
}
