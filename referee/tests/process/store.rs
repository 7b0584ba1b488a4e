//! `referee store` and the settings of `referee serve`, as an operator uses them.

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use referee::client::Client;
use referee::library::Library;
use referee::server::{Config, StoreChoice, start};

use super::serving::table;

fn referee(words: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("referee"));
    command.args(words);
    command
}

fn said(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, notes) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{notes}");
    (out, notes)
}

/// A store with a match in it, of a referee that has stopped.
async fn store(path: &Path) -> String {
    let library = Library::embedded().expect("the rulesets");
    let kept = StoreChoice::File(path.to_owned());
    let config = Config::new(([127, 0, 0, 1], 0).into(), kept, library);
    let running = start(config).await.expect("it starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    let host = client.with_token(running.host_token());
    let created = table::create(&host, "puerto-rico", 3, None).await;
    let name = table::name(&created.expect("a match"));
    table::bots(&host, &name, 1..=3).await;
    table::start(&host, &name).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;

    // A copy is made while the referee serves and bots play.
    let copy = path.with_file_name("copy.sqlite");
    let (store, to) = (
        path.to_str().expect("a name"),
        copy.to_str().expect("a name"),
    );
    said(&mut referee(&["store", "backup", "--store", store, to]), 0);
    running.stop().await;
    name
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_copied_checked_and_found_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("matches.sqlite");
    let name = store(&path).await;
    let copy = folder.path().join("copy.sqlite");
    let copy = copy.to_str().expect("a name");
    let files = || {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("a file").file_name());
        let of_copy = names.filter(|name| name.to_string_lossy().starts_with("copy"));
        let mut names: Vec<_> = of_copy.collect();
        names.sort();
        names
    };
    let before = files();
    let (out, _) = said(&mut referee(&["store", "check", "--store", copy]), 0);
    assert_eq!(
        out,
        "1 matches, 0 damaged, 0 that this referee would suspend\n"
    );
    assert_eq!(files(), before, "a check makes no file");
    let (_, notes) = said(&mut referee(&["store", "backup", "--store", copy, copy]), 2);
    assert!(notes.contains("error"), "{notes}");

    let file = rusqlite::Connection::open(copy).expect("the copy");
    let sql = "UPDATE entries SET body = zeroblob(length(body)) WHERE sequence = 2";
    assert_eq!(file.execute(sql, []).expect("an update"), 1);
    drop(file);
    let (out, _) = said(&mut referee(&["store", "check", "--store", copy]), 1);
    assert!(
        out.starts_with(&format!("{name}: damaged: "))
            && out.ends_with("1 matches, 1 damaged, 0 that this referee would suspend\n"),
        "{out}"
    );

    let (out, _) = said(&mut referee(&["store", "migrate", "--store", copy]), 0);
    assert!(out.contains("there is nothing to migrate"), "{out}");
    for action in [&["check"][..], &["migrate"], &["backup", "nowhere.sqlite"]] {
        let words = [&["store", "--store", "/nowhere/at/all.sqlite"], action].concat();
        said(&mut referee(&words), 2);
    }
}

#[test]
fn settings_come_from_flags_then_the_environment_then_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("referee.yaml");
    std::fs::write(&file, "listen: 127.0.0.1:1111\nlimits:\n  max_page: 7\n").expect("a file");
    let file = file.to_str().expect("a name");
    let print = ["serve", "--print-config", "--config", file];
    let (out, _) = said(&mut referee(&print), 0);
    assert!(
        out.contains("listen: 127.0.0.1:1111") && out.contains("max_page: 7"),
        "{out}"
    );
    // Every setting is printed, and what is printed is a file of settings.
    for setting in [
        "tls_cert",
        "token_file",
        "log_format",
        "trace_share",
        "origins",
        "connections",
    ] {
        assert!(out.contains(&format!("{setting}: ")), "{setting}: {out}");
    }
    let again = folder.path().join("again.yaml");
    std::fs::write(&again, &out).expect("a file");
    let again = again.to_str().expect("a name");
    let (same, _) = said(
        &mut referee(&["serve", "--print-config", "--config", again]),
        0,
    );
    assert_eq!(same, out);
    let (out, _) = said(referee(&print).env("REFEREE_LISTEN", "127.0.0.1:2222"), 0);
    assert!(out.contains("listen: 127.0.0.1:2222"), "{out}");
    let words = [
        &print[..],
        &["--listen", "127.0.0.1:3333", "--limit", "max_page=8"],
    ]
    .concat();
    let (out, _) = said(referee(&words).env("REFEREE_LISTEN", "127.0.0.1:2222"), 0);
    assert!(
        out.contains("listen: 127.0.0.1:3333") && out.contains("max_page: 8"),
        "{out}"
    );

    std::fs::write(folder.path().join("bad.yaml"), "lisen: 1\n").expect("a file");
    let bad = folder.path().join("bad.yaml");
    let (_, notes) = said(
        &mut referee(&["serve", "--config", bad.to_str().expect("a name")]),
        2,
    );
    assert!(
        notes.contains("lisen") && notes.contains("--print-config"),
        "{notes}"
    );
    let (_, notes) = said(
        &mut referee(&["serve", "--listen", "0.0.0.0:0", "--memory"]),
        2,
    );
    assert!(
        notes.contains("--tls-cert") && notes.contains("--insecure"),
        "{notes}"
    );
    said(&mut referee(&["serve", "--limit", "open_matchs=3"]), 2);
}
