//! Who has a store: two referees that want the same, a key that is gone, a store that is gone.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::command::run;
use super::serving::{self, Server, table};

/// What `referee serve` says that refuses to start.
fn refused(store: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    serving::refused(command.arg(store).args(words))
}

fn says(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// Creates a match: whether that is kept is what matters here.
async fn create(server: &Server) -> Result<String, tonic::Status> {
    let host = server.client().await.with_token(&server.host);
    let created = table::create(&host, "san-juan", 3, None).await?;
    Ok(table::name(&created))
}

/// The status of a plain request.
fn status(server: &Server, path: &str) -> String {
    let address = server.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .expect("it hears");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
        .split_whitespace()
        .nth(1)
        .unwrap_or_default()
        .to_owned()
}

/// What `referee ready` says of a referee: its exit code, and the last of its words.
fn ready(url: &str) -> (i32, String) {
    let ready = run(format!(
        "ready --listen {}",
        url.trim_start_matches("http://")
    ));
    let (_, said) = ready.data.rsplit_once(": ").expect("an answer");
    (ready.code.expect("an end"), said.trim().to_owned())
}

fn store(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("matches.sqlite")
}

fn key(store: &Path) -> PathBuf {
    store.with_file_name("matches.sqlite.key")
}

#[tokio::test]
async fn a_second_referee_by_mistake_is_refused_and_the_first_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let first = Server::start(&store, "warn");
    says(
        &refused(&store, &[]),
        &["another referee serves from", "--take-over"],
    );
    create(&first).await.expect("it is kept");
    assert_eq!(status(&first, "/readyz"), "200");
    // Nor does looking at the store take it.
    let check = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["store", "check", "--store"])
        .arg(&store)
        .output();
    assert!(check.expect("it runs").status.success());
    create(&first).await.expect("it is kept");
    let url = first.url.clone();
    drop(first);
    assert_eq!(ready(&url).0, 1, "nobody answers");
}

#[tokio::test]
async fn what_keeps_a_referee_from_starting_leaves_the_store_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let held = TcpListener::bind(&taken);
    let first = Server::start(&store, "warn");
    for words in [
        &["--take-over", "--metrics", &taken][..],
        &[
            "--take-over",
            "--tls-cert",
            "none.pem",
            "--tls-key",
            "none.pem",
        ],
        &["--take-over", "--origin", "nowhere"],
    ] {
        refused(&store, words);
        create(&first).await.expect("it is kept");
    }
    drop(held);
    let none = folder.path().join("none.sqlite");
    refused(&none, &["--origin", "nowhere"]);
    assert!(!none.exists(), "nothing was made");
}

/// What a supervisor reads in a unit of systemd.
struct Unit {
    restarts_on_failure: bool,
    never_after: Vec<i32>,
}

impl Unit {
    fn shipped() -> Unit {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/referee.service");
        let text = std::fs::read_to_string(path).expect("the unit");
        let said = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
            lines.next().map(str::to_owned)
        };
        let never = said("RestartPreventExitStatus=").unwrap_or_default();
        Unit {
            restarts_on_failure: said("Restart=").as_deref() == Some("on-failure"),
            never_after: never
                .split_whitespace()
                .filter_map(|code| code.parse().ok())
                .collect(),
        }
    }

    fn restarts_after(&self, code: Option<i32>) -> bool {
        let failed = code != Some(0);
        let prevented = code.is_some_and(|code| self.never_after.contains(&code));
        self.restarts_on_failure && failed && !prevented
    }
}

#[tokio::test]
async fn a_store_is_taken_over_and_whoever_had_it_ends_for_good() {
    let unit = Unit::shipped();
    assert!(unit.restarts_after(Some(1)) && unit.restarts_after(None));
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let mut first = Server::start(&store, "warn");
    create(&first).await.expect("it is kept");
    let mut second = Server::start_with(&store, "warn", &["--take-over"]);
    // It finds out when it writes, or after a while.
    let late = create(&first).await;
    assert!(late.is_err(), "{late:?}");
    let code = first.ended();
    assert_eq!(code, Some(4));
    assert!(
        first
            .heard()
            .contains("another referee has taken over the store")
    );
    assert!(!unit.restarts_after(code), "it would take the store back");
    create(&second).await.expect("it is kept");
    assert!(second.runs());
    assert_eq!(status(&second, "/readyz"), "200");
    assert_eq!(status(&second, "/livez"), "200");
    assert_eq!(ready(&second.url), (0, "moves are taken".to_owned()));
    // The lock has gone over to it, too.
    says(&refused(&store, &[]), &["another referee serves from"]);
}

#[tokio::test]
async fn a_key_that_is_gone_is_not_made_anew_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let mut first = Server::start(&store, "warn");
    let (host, _) = (
        first.host.clone(),
        create(&first).await.expect("it is kept"),
    );
    first.stop().await;
    let kept = std::fs::read(key(&store)).expect("the key");

    std::fs::remove_file(key(&store)).expect("it goes");
    says(
        &refused(&store, &[]),
        &["matches.sqlite.key is not there", "--new-key"],
    );
    assert!(!key(&store).exists());

    // Another one is not the right one, also if a new one is asked for.
    let other = "A".repeat(43);
    std::fs::write(key(&store), &other).expect("written");
    for words in [&[][..], &["--new-key"]] {
        says(
            &refused(&store, words),
            &["is not the key", "move this one away"],
        );
    }

    std::fs::write(key(&store), &kept).expect("written");
    let mut again = Server::start(&store, "warn");
    assert_eq!(again.host, host);
    again.stop().await;
}

#[tokio::test]
async fn a_new_key_is_made_when_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let mut first = Server::start(&store, "warn");
    let host = first.host.clone();
    create(&first).await.expect("it is kept");
    first.stop().await;
    std::fs::remove_file(key(&store)).expect("it goes");
    std::fs::remove_file(serving::tokens(&store)).expect("they go");
    let mut anew = Server::start_with(&store, "warn", &["--new-key"]);
    let before = anew.client().await.with_token(&host);
    let refused = table::create(&before, "san-juan", 3, None).await;
    assert_eq!(
        refused.expect_err("it opens nothing").code(),
        tonic::Code::Unauthenticated
    );
    assert_ne!(anew.host, host);
    create(&anew).await.expect("it is kept");
    anew.stop().await;
    let again = Server::start(&store, "warn");
    assert_eq!(again.host, anew.host, "the store knows the new one");
}

#[tokio::test]
async fn who_stops_leaves_one_file_and_who_ends_in_the_middle_of_that_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let beside = |rest: &str| store.with_file_name(format!("matches.sqlite{rest}"));
    let mut first = Server::start(&store, "warn");
    create(&first).await.expect("it is kept");
    first.stop().await;
    let left = std::fs::metadata(beside("-wal")).map_or(0, |log| log.len());
    assert_eq!(left, 0, "all of it is in the file");

    // Who closes a file takes the index of the log away first; what is left of the log has been carried over.
    let _ = std::fs::remove_file(beside("-shm"));
    std::fs::write(beside("-wal"), "frames").expect("written");
    let again = Server::start(&store, "warn");
    create(&again).await.expect("it is kept");
}

#[tokio::test]
async fn a_store_that_is_gone_or_cut_to_nothing_is_not_begun_anew_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder);
    let mut first = Server::start(&store, "warn");
    create(&first).await.expect("it is kept");
    first.stop().await;
    for rest in ["-wal", "-shm"] {
        let mut rest_of = store.clone().into_os_string();
        rest_of.push(rest);
        let _ = std::fs::remove_file(rest_of);
    }
    std::fs::write(&store, "").expect("cut");
    says(
        &refused(&store, &[]),
        &["nothing is in the store", "move the key away"],
    );
    std::fs::remove_file(&store).expect("it goes");
    says(&refused(&store, &[]), &["nothing is in the store"]);
    assert!(!store.exists());
    std::fs::remove_file(key(&store)).expect("it goes");
    std::fs::remove_file(serving::tokens(&store)).expect("they go");
    let anew = Server::start(&store, "warn");
    create(&anew).await.expect("it begins with nothing");
}
