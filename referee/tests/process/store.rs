//! `referee store` and the settings of `referee serve`, as an operator uses them.

use std::path::Path;

use referee::client::Client;
use referee::library::Library;
use referee::server::{Config, StoreChoice, start};

use super::command::{ran, referee, run};
use super::serving::table;

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
    let (store, to) = (path.display(), copy.display());
    run(format!("store backup --store {store} {to}")).ends(0);
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
    let out = run(format!("store check --store {copy}")).ends(0).data;
    assert_eq!(
        out,
        "1 matches, 0 damaged, 0 that this referee would suspend\n"
    );
    assert_eq!(files(), before, "a check makes no file");
    let another = folder.path().join("another.sqlite");
    let another = another.to_str().expect("a name");
    let copied = run(format!("store copy --store {copy} {another}")).ends(0);
    copied.tells("1 matches copied, each entry compared");
    let checked = run(format!("store check --store {another}")).ends(0).data;
    assert_eq!(checked, out);
    run(format!("store copy --store {copy} {another}"))
        .ends(2)
        .notes("is there already");
    run(format!(
        "store copy --store {copy} postgres://a@127.0.0.1:1/b"
    ))
    .ends(2)
    .notes("is the server there");
    let onto_itself = run(format!("store backup --store {copy} {copy}")).ends(2);
    onto_itself.notes("error");

    let file = rusqlite::Connection::open(copy).expect("the copy");
    let sql = "UPDATE entries SET body = zeroblob(length(body)) WHERE sequence = 2";
    assert_eq!(file.execute(sql, []).expect("an update"), 1);
    drop(file);
    let out = run(format!("store check --store {copy}")).ends(1).data;
    assert!(
        out.starts_with(&format!("{name}: damaged: "))
            && out.ends_with("1 matches, 1 damaged, 0 that this referee would suspend\n"),
        "{out}"
    );

    let migrated = run(format!("store migrate --store {copy}")).ends(0);
    migrated.tells("there is nothing to migrate");
    for action in ["check", "migrate", "backup nowhere.sqlite"] {
        run(format!("store --store /nowhere/at/all.sqlite {action}")).ends(2);
    }
}

#[test]
fn settings_come_from_flags_then_the_environment_then_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("referee.yaml");
    std::fs::write(
        &file,
        "listen: 127.0.0.1:1111\nlimits:\n  max_page_size: 7\n",
    )
    .expect("a file");
    let print = format!("serve --print-config --config {}", file.display());
    let out = run(&print).ends(0).data;
    assert!(
        out.contains("listen: 127.0.0.1:1111") && out.contains("max_page_size: 7"),
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
    let again = run(format!("serve --print-config --config {}", again.display()));
    assert_eq!(again.ends(0).data, out);
    let elsewhere = |line: &str| {
        let mut command = referee(line);
        ran(command.env("REFEREE_LISTEN", "127.0.0.1:2222")).ends(0)
    };
    elsewhere(&print).tells("listen: 127.0.0.1:2222");
    let said = elsewhere(&format!(
        "{print} --listen 127.0.0.1:3333 --limit max_page_size=8"
    ));
    said.tells("listen: 127.0.0.1:3333")
        .tells("max_page_size: 8");

    let bad = folder.path().join("bad.yaml");
    std::fs::write(&bad, "lisen: 1\n").expect("a file");
    let refused = run(format!("serve --config {}", bad.display())).ends(2);
    refused.notes("lisen").notes("--print-config");
    let open = run("serve --listen 0.0.0.0:0 --memory").ends(2);
    open.notes("--tls-cert").notes("--insecure");
    run("serve --limit open_matchs=3").ends(2);
}
