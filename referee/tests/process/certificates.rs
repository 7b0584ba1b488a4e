//! Commands that speak to a referee over TLS: whom they trust, and what they say of whom they do not.

use std::path::Path;
use std::process::Command;

use rcgen::{CertifiedKey, generate_simple_self_signed};

use super::serving::{Server, tokens};

/// `referee admin matches` at an address, with its exit code and what it says.
fn matches(url: &str, store: &Path, words: &[&str]) -> (i32, String) {
    let told = std::fs::read_to_string(tokens(store)).expect("the first tokens");
    let admin = told.lines().find_map(|line| line.strip_prefix("admin: "));
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["admin", "matches", "--server", url, "--token"]);
    command
        .arg(admin.expect("one of an administrator"))
        .args(words);
    // None but those that the test names.
    command
        .env("SSL_CERT_FILE", "/dev/null")
        .env_remove("SSL_CERT_DIR");
    let output = command.output().expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("text");
    (output.status.code().expect("an end"), said)
}

#[test]
fn a_command_trusts_a_certificate_that_it_is_told_and_says_when_it_trusts_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("a name")
            .to_owned()
    };
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    std::fs::write(file("chain.pem"), cert.pem()).expect("a file");
    std::fs::write(file("key.pem"), signing_key.serialize_pem()).expect("a file");
    let store = folder.path().join("matches.sqlite");
    let (chain, key) = (file("chain.pem"), file("key.pem"));
    let mut server = Server::start_with(&store, "warn", &["--tls-cert", &chain, "--tls-key", &key]);
    let url = server.url.replace("127.0.0.1", "localhost");
    assert!(url.starts_with("https://"), "{url}");

    let (code, said) = matches(&url, &store, &["--ca", &chain]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = matches(&url, &store, &[]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("is not trusted") && said.contains("--ca"),
        "{said}"
    );
    let gone = file("gone.pem");
    let (code, said) = matches(&url, &store, &["--ca", &gone]);
    assert!(
        code == 2 && said.contains(&format!("cannot read `{gone}`")),
        "{said}"
    );
    server.stop();
    let (code, said) = matches(&url, &store, &["--ca", &chain]);
    assert!(code == 2 && said.contains("nobody answers"), "{said}");
}
