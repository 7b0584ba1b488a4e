//! Tokens on the machine that keeps a store: shown once, made, listed, revoked.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use referee::client::Client;
use tonic::Code;

use super::serving::{self, Server, table};

/// `referee token`, with its exit code and what it says on both streams.
fn token(store: &Path, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.arg("token").args(words).arg("--store").arg(store);
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let said = text(&[output.stdout, output.stderr].concat());
    (output.status.code().expect("an end"), said)
}

async fn creates(client: &Client, token: &str) -> Result<(), Code> {
    let host = client.with_token(token);
    let created = table::create(&host, "puerto-rico", 3, None).await;
    created.map(|_| ()).map_err(|status| status.code())
}

#[tokio::test]
async fn tokens_are_shown_once_made_beside_a_referee_that_serves_and_revoked_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let first = Server::start(&store, "warn");
    let file = serving::tokens(&store);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let told = std::fs::read_to_string(&file).expect("text");
    let prefixes = ["host: rfh_", "admin: rfa_", "publisher: rfp_"];
    assert_eq!(told.lines().count(), prefixes.len(), "{told}");
    for (line, prefix) in told.lines().zip(prefixes) {
        assert!(line.starts_with(prefix), "{line}");
    }
    let client = first.client().await;
    assert_eq!(creates(&client, &first.host).await, Ok(()));

    let (code, made) = token(
        &store,
        &["new", "host", "--label", "the club", "--days", "30"],
    );
    assert_eq!(code, 0, "{made}");
    assert_eq!(creates(&client, made.trim()).await, Ok(()), "good at once");
    let (code, listed) = token(&store, &["list"]);
    assert_eq!((code, listed.lines().count()), (0, 4), "{listed}");
    assert!(!listed.contains("rfh_"), "{listed}");
    let line = listed.lines().next().expect("the newest first");
    assert!(
        line.contains("host") && line.contains("the club") && line.contains("until"),
        "{line}"
    );
    let id = line.split_whitespace().next().expect("an id");
    let (code, said) = token(&store, &["revoke", id]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("the club) is revoked"), "{said}");
    let asked = Instant::now();
    while creates(&client, made.trim()).await != Err(Code::Unauthenticated) {
        assert!(asked.elapsed() < Duration::from_secs(30), "it still opens");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(
        creates(&client, &first.host).await,
        Ok(()),
        "no other one is"
    );

    for (words, why) in [
        (&["revoke", "nothing"][..], "no token has an id"),
        (&["revoke", ""], "begin so"),
        (&["new", "guest"], "possible values"),
    ] {
        let (code, said) = token(&store, words);
        assert!(code == 2 && said.contains(why), "{words:?}: {said}");
    }
    let (code, said) = token(&folder.path().join("no.sqlite"), &["list"]);
    assert!(code == 2 && said.contains("there is no store"), "{said}");
    let file = folder.path().join("admin.token");
    let path = file.to_str().expect("a name");
    let (code, said) = token(
        &store,
        &["new", "admin", "--for-ever", "--token-file", path],
    );
    assert_eq!((code, said.as_str()), (0, ""));
    let written = std::fs::read_to_string(&file).expect("a file");
    assert!(written.starts_with("rfa_"), "{written}");
    let (code, said) = token(&store, &["new", "admin", "--token-file", path]);
    assert!(
        code == 2 && said.contains("move one that is there away"),
        "{said}"
    );
    let (_, listed) = token(&store, &["list"]);
    assert_eq!(
        listed.lines().count(),
        5,
        "none was made for nobody: {listed}"
    );
}

#[test]
fn nobody_reads_a_token_in_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(&store);
    let said = serving::greeting(&mut command);
    assert!(
        said.contains("nobody has one yet: `referee token new host"),
        "{said}"
    );
    assert!(!said.contains("rfh_"), "{said}");

    // Nothing is made where the first tokens would have no place.
    let other = folder.path().join("other.sqlite");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "something else").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(&other).arg("--token-file").arg(&taken);
    let said = serving::refused(&mut command);
    assert!(said.contains("move one that is there away"), "{said}");
    assert!(!other.exists());
}
