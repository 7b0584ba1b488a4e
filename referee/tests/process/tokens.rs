//! Tokens on the machine that keeps a store: shown once, made, listed, revoked.

use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

use referee::client::Client;
use tonic::Code;

use super::command::{Ran, referee, run};
use super::serving::{self, Server, table};

/// `referee token` beside a store.
fn token(store: &Path, line: impl Display) -> Ran {
    run(format!("token {line} --store {}", store.display()))
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

    let made = token(&store, "new host --label 'the club' --days 30").ends(0);
    assert_eq!(made.notes, "");
    let made = made.data;
    assert_eq!(creates(&client, made.trim()).await, Ok(()), "good at once");
    let listed = token(&store, "list").ends(0).data;
    assert_eq!(listed.lines().count(), 4, "{listed}");
    assert!(!listed.contains("rfh_"), "{listed}");
    let line = listed.lines().next().expect("the newest first");
    assert!(
        line.contains("host") && line.contains("the club") && line.contains("until"),
        "{line}"
    );
    let id = line.split_whitespace().next().expect("an id");
    let revoked = token(&store, format_args!("revoke {id}")).ends(0);
    revoked.tells("the club) is revoked");
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

    for (line, why) in [
        ("revoke nothing", "no token has an id"),
        ("revoke ''", "begin so"),
        ("new guest", "possible values"),
    ] {
        token(&store, line).ends(2).notes(why);
    }
    let nowhere = token(&folder.path().join("no.sqlite"), "list").ends(2);
    nowhere.notes("there is no store");
    let file = folder.path().join("admin.token");
    let new = format!("new admin --token-file {}", file.display());
    let made = token(&store, format_args!("{new} --for-ever")).ends(0);
    assert_eq!((&made.data[..], &made.notes[..]), ("", ""));
    let written = std::fs::read_to_string(&file).expect("a file");
    assert!(written.starts_with("rfa_"), "{written}");
    let taken = token(&store, new).ends(2);
    taken.notes("move one that is there away");
    let listed = token(&store, "list").data;
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
    let serve = "serve --listen 127.0.0.1:0";
    let said = serving::greeting(&mut referee(format!("{serve} --store {}", store.display())));
    assert!(
        said.contains("nobody has one yet: `referee token new host"),
        "{said}"
    );
    assert!(!said.contains("rfh_"), "{said}");

    // Nothing is made where the first tokens would have no place.
    let other = folder.path().join("other.sqlite");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "something else").expect("a file");
    let mut command = referee(serve);
    command.arg("--store").arg(&other);
    command.arg("--token-file").arg(&taken);
    let said = serving::refused(&mut command);
    assert!(said.contains("move one that is there away"), "{said}");
    assert!(!other.exists());
}
