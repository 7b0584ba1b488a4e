//! Tests of the module `report::sign_off::signatures`.

use referee::report::sign_off::signatures::{Signature, Verdict, fingerprint, sign, signatures};
use ssh_key::{HashAlg, LineEnding, PrivateKey, SshSig};

/// What `ssh-keygen -Y sign -n referee-review` makes of this text with this key, which signs nothing else.
const TEXT: &str = "accepted: []\n";
const KEY: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACADUQUWOS/2vXnGyi2memrthIyJvanUwTs9u68vY1J1JwAAAJg1PKulNTyr
pQAAAAtzc2gtZWQyNTUxOQAAACADUQUWOS/2vXnGyi2memrthIyJvanUwTs9u68vY1J1Jw
AAAEBjlCSfoEtZZHpGkEdZZtH4+Xyn3oGyz6G38VPjBFOxOgNRBRY5L/a9ecbKLaZ6au2E
jIm9qdTBOz27ry9jUnUnAAAAFWEgdGVzdCBvZiB0aGUgcmVmZXJlZQ==
-----END OPENSSH PRIVATE KEY-----
";
const THEIRS: &str = "\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgA1EFFjkv9r15xsotpnpq7YSMib
2p1ME7PbuvL2NSdScAAAAOcmVmZXJlZS1yZXZpZXcAAAAAAAAABnNoYTUxMgAAAFMAAAAL
c3NoLWVkMjU1MTkAAABA15WrnIOkcNOONEhO+iousu+dstaGPNhKY2SoRidP5zQkjgGZip
CqMMeLQEvTIk/tmy/2WTyI17mA4FZjzsJVDA==
-----END SSH SIGNATURE-----
";

fn key() -> PrivateKey {
    PrivateKey::from_openssh(KEY).expect("a key")
}

fn one(file: &str) -> Signature {
    let mut all = signatures(file);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).expect("readable")
}

fn parsed(signature: &Signature) -> SshSig {
    SshSig::from_pem(&signature.text).expect("a signature")
}

#[test]
fn a_signature_of_openssh_holds_for_its_text_alone() {
    let theirs = one(THEIRS);
    assert_eq!(theirs.verdict(TEXT), Verdict::Good);
    assert_eq!(theirs.verdict("accepted: [] \n"), Verdict::OtherText);
    assert_eq!(
        fingerprint(theirs.key()),
        fingerprint(key().public_key().key_data())
    );
}

/// Ed25519 leaves nothing to chance: the same key says the same of the same text.
#[test]
fn ours_is_the_signature_that_openssh_makes() {
    let ours = sign(&key(), TEXT, "").expect("signed");
    assert_eq!(parsed(&one(&ours.file)), parsed(&one(THEIRS)));
}

#[test]
fn a_signature_for_another_purpose_is_worth_nothing() {
    let sig = key()
        .sign("git", HashAlg::Sha512, TEXT.as_bytes())
        .expect("signed");
    let file = sig.to_pem(LineEnding::LF).expect("written");
    assert_eq!(one(&file).verdict(TEXT), Verdict::OtherPurpose);
}

#[test]
fn several_sign_one_below_the_other() {
    let pair = ssh_key::private::Ed25519Keypair::from_seed(&[7; 32]);
    let other = PrivateKey::from(pair);
    let both = sign(&other, TEXT, THEIRS).expect("signed");
    let verdicts: Vec<Verdict> = signatures(&both.file)
        .into_iter()
        .map(|one| one.expect("readable").verdict(TEXT))
        .collect();
    assert_eq!((verdicts, both.gone), (vec![Verdict::Good; 2], vec![]));
    // Of another text, who signed the first has to sign again; who signs twice stands once.
    let text = "accepted: [] # changed\n";
    let again = sign(&other, text, &both.file).expect("signed");
    assert_eq!(again.gone, [fingerprint(key().public_key().key_data())]);
    assert_eq!(one(&again.file).verdict(text), Verdict::Good);
    let tidied = sign(&other, text, "\nnothing\n").expect("signed");
    assert_eq!((tidied.unreadable, tidied.gone), (vec![2], vec![]));
}

#[test]
fn what_is_no_signature_is_told_with_its_line() {
    let end = THEIRS.replace("-----END SSH SIGNATURE-----", "");
    let broken = THEIRS.replace("U1NIU0lH", "U1NIU0lI");
    for (file, line, said) in [
        ("\nnothing\n", 2, "no signature"),
        (end.as_str(), 1, "no end"),
        (broken.as_str(), 1, ""),
    ] {
        let found = signatures(file);
        let [Err(unreadable)] = &found[..] else {
            panic!("{file}: {found:?}");
        };
        assert!(
            unreadable.line == line && unreadable.why.contains(said),
            "{unreadable:?}"
        );
    }
    assert!(signatures("").is_empty());
}
