//! Commands that speak to a referee over TLS: whom they trust, and what they say of whom they do not.

use std::path::Path;

use rcgen::{CertifiedKey, generate_simple_self_signed};

use super::command::{Ran, ran, referee};
use super::serving::{Server, tokens};

/// `referee admin matches` at an address, on a system that trusts nobody but who is in a file.
fn matches(url: &str, store: &Path, system: &str, more: &str) -> Ran {
    let told = std::fs::read_to_string(tokens(store)).expect("the first tokens");
    let admin = told.lines().find_map(|line| line.strip_prefix("admin: "));
    let admin = admin.expect("one of an administrator");
    let mut command = referee(format!(
        "admin matches --server {url} --token {admin} {more}"
    ));
    command.env("SSL_CERT_FILE", system);
    ran(command.env_remove("SSL_CERT_DIR"))
}

#[tokio::test]
async fn a_command_trusts_a_certificate_that_it_is_told_and_says_when_it_trusts_none() {
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
    let other = generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    std::fs::write(file("other.pem"), other.cert.pem()).expect("a file");
    let other = file("other.pem");
    let store = folder.path().join("matches.sqlite");
    let (chain, key) = (file("chain.pem"), file("key.pem"));
    let mut server = Server::start_with(&store, "warn", &["--tls-cert", &chain, "--tls-key", &key]);
    let url = server.url.replace("127.0.0.1", "localhost");
    assert!(url.starts_with("https://"), "{url}");

    let trusted = format!("--ca {chain}");
    matches(&url, &store, &other, &trusted).ends(0);
    matches(&url, &store, &chain, "").ends(0);
    let stranger = matches(&url, &store, &other, "").ends(2);
    stranger.notes("invalid peer certificate").notes("--ca");
    let wrong = matches(&url, &store, &chain, &format!("--ca {other}")).ends(2);
    wrong.notes("invalid peer certificate").notes(&other);
    let plain = matches("http://localhost:1", &store, &chain, &trusted).ends(2);
    plain.notes("`--ca` is for an address with `https`");
    let gone = file("gone.pem");
    let missing = matches(&url, &store, &other, &format!("--ca {gone}")).ends(2);
    missing.notes(&format!("cannot read `{gone}`"));
    server.stop().await;
    let silent = matches(&url, &store, &other, &trusted).ends(2);
    silent.notes("nobody answers");
}
