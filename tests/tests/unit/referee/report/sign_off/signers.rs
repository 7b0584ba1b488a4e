//! Tests of the module `report::sign_off::signers`.

use referee::report::sign_off::signers::Signers;
use ssh_key::PublicKey;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti anna";
const NOW: &str = "20261127120000";

fn allowed(line: &str, name: &str) -> bool {
    let signers = Signers::read(line).unwrap_or_else(|(_, why)| panic!("{line}: {why}"));
    let key = PublicKey::from_openssh(KEY).expect("a key");
    signers.allow(key.key_data(), name, NOW)
}

#[test]
fn names_are_patterns() {
    let line = format!("anna@example.org,*@press.example,!eve@press.example {KEY}");
    assert!(allowed(&line, "anna@example.org"));
    assert!(allowed(&line, "ben@press.example"));
    assert!(!allowed(&line, "eve@press.example"));
    assert!(!allowed(&line, "anna@example.com"));
    let line = format!("\"Anna Nowak\" {KEY}");
    assert!(allowed(&line, "Anna Nowak") && !allowed(&line, "Anna"));
    assert!(allowed(&format!("a?n* {KEY}"), "anna"));
}

#[test]
fn options_are_kept() {
    let line = |options: &str| format!("# who\n\nanna {options} {KEY}");
    assert!(allowed(&line("namespaces=\"git,referee-review\""), "anna"));
    assert!(allowed(&line("namespaces=\"referee-*\""), "anna"));
    assert!(!allowed(&line("namespaces=\"git\""), "anna"));
    assert!(allowed(
        &line("valid-after=\"20261127\",valid-before=\"20261128Z\""),
        "anna"
    ));
    assert!(!allowed(&line("valid-before=\"20261127\""), "anna"));
    assert!(!allowed(&line("valid-after=\"202611271201\""), "anna"));
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    for (line, said) in [
        ("anna", "public key"),
        (KEY, "no name"),
        ("anna ssh-ed25519 nothing", "public key"),
        (&format!("anna cert-authority {KEY}"), "certificates"),
        (&format!("anna sometimes {KEY}"), "`sometimes`"),
        (&format!("anna valid-after=\"soon\" {KEY}"), "`soon`"),
        ("\"anna", "quote"),
    ] {
        let (at, why) = Signers::read(&format!("# who\n{line}")).expect_err(line);
        assert!(at == 2 && why.contains(said), "{line}: {at}: {why}");
    }
}
