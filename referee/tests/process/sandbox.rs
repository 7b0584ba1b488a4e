//! Packages of strangers, tried in a process of their own: what it finds, what ends it, and who goes on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use interpreter::package::PackageTexts;
use interpreter::play::CompileOptions;
use referee::client::Client;
use referee::library::{Edition, Library, read_folder};
use referee::limits::Limits;
use referee::server::{Config, Running, StoreChoice, start};
use referee::wire::v1;
use tonic::Code;

use super::serving::{Server, table, tokens};

fn program() -> Option<PathBuf> {
    Some(env!("CARGO_BIN_EXE_referee").into())
}

/// A small ruleset of the tests, as texts.
fn texts() -> PackageTexts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rulesets/tea-house");
    read_folder(&folder).expect("a folder")
}

/// The same as files of a package.
pub fn files() -> Vec<v1::PackageFile> {
    let files = texts().files.into_iter();
    files
        .map(|(path, text)| v1::PackageFile { path, text })
        .collect()
}

/// Files with one of them changed.
fn with(path: &str, change: impl FnOnce(&mut String)) -> Vec<v1::PackageFile> {
    let mut files = files();
    let mut named = files.iter_mut().filter(|file| file.path == path);
    change(&mut named.next().expect("such a file").text);
    files
}

/// Files that take all the work that is allowed, in as many configurations as are looked at.
fn heavy() -> Vec<v1::PackageFile> {
    let mut files = with("rules/table.rules", |text| {
        text.push_str(
            "\ncounter big(a: dish)  starts sum x in dishes: sum y in dishes: sum z in dishes: cost(x) * cost(y) * cost(z)\n",
        );
    });
    let rows = (0..200)
        .map(|i| format!("  r{i}: {{names: {{en: r, pl: r}}, copies: 0, cost: 1, points: 1}}\n"));
    let dishes = files
        .iter_mut()
        .find(|file| file.path.ends_with("dishes.yaml"));
    dishes.expect("such a file").text.extend(rows);
    files.extend((0..8).map(|i| v1::PackageFile {
        path: format!("modules/m{i}/module.yaml"),
        text: format!(
            "id: m{i}\nversion: \"1.0.0\"\nlanguage: 1\nextends: tea-house\ntitles: {{en: M{i}, pl: M{i}}}\n"
        ),
    }));
    files
}

/// Files with many rows, which take more memory than the program itself.
fn large() -> Vec<v1::PackageFile> {
    const FILES: usize = 10;
    let names = (0..FILES).map(|i| format!("    - components/rows{i}.yaml\n"));
    let mut files = with("ruleset.yaml", |text| {
        let listed = format!("  components:\n{}", names.collect::<String>());
        *text = text.replace("  components:\n", &listed);
    });
    files.extend((0..FILES).map(|i| {
        let rows = (0..6000).map(|row| format!("  r{row}: {{names: {{en: r, pl: r}}}}\n"));
        v1::PackageFile {
            path: format!("components/rows{i}.yaml"),
            text: format!(
                "table: thing{i}\nplural: things{i}\nnames: {{en: t, pl: t}}\ncolumns: {{}}\nrows:\n{}",
                rows.collect::<String>()
            ),
        }
    }));
    files
}

fn here(store: &Path, library: Library, limits: Limits, program: Option<PathBuf>) -> Config {
    let kept = StoreChoice::File(store.to_owned());
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), kept, library);
    config.limits = Limits {
        // However busy the machine is.
        call_time: Duration::from_secs(120),
        ..limits
    };
    config.program = program;
    config
}

/// A referee in this process that tries packages by a program.
async fn serve(folder: &Path, limits: Limits, program: Option<PathBuf>) -> (Running, Client) {
    let library = Library::embedded().expect("the embedded rulesets");
    let config = here(&folder.join("matches.sqlite"), library, limits, program);
    let running = start(config).await.expect("it starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    let publisher = client.with_token(running.publisher_token());
    (running, publisher)
}

/// A publisher of a referee that has written its first tokens.
pub async fn publisher_of(url: &str, store: &Path) -> Client {
    let tokens = std::fs::read_to_string(tokens(store)).expect("the first tokens");
    let mut lines = tokens.lines();
    let token = lines.find_map(|line| line.strip_prefix("publisher: "));
    let client = Client::connect(url).await.expect("it listens");
    client.with_token(token.expect("one of a publisher"))
}

async fn check(
    publisher: &Client,
    files: Vec<v1::PackageFile>,
) -> Result<v1::CheckPackageResponse, tonic::Status> {
    let asked = v1::CheckPackageRequest {
        package: Some(v1::Package { files }),
        configuration: None,
    };
    publisher.call(asked).await
}

#[tokio::test]
async fn the_sandbox_finds_what_would_be_found_without_it() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    // Little more than one configuration may take.
    let limits = Limits {
        package_work: 70_000_000,
        ..Limits::default()
    };
    let (_one, inside) = serve(folders[0].path(), limits.clone(), program()).await;
    let (_other, without) = serve(folders[1].path(), limits, None).await;
    for (what, files, playable) in [
        ("well", files(), true),
        (
            "a warning",
            with("rules/table.rules", |text| {
                text.push_str("\nquery odd: int = sum x in dishes: 1\n");
            }),
            true,
        ),
        (
            "mistakes",
            with("rules/table.rules", |text| {
                text.push_str("\nquery wrong: int = nobody\nquery worse = \n");
            }),
            false,
        ),
        (
            "no manifest",
            with("ruleset.yaml", |text| text.insert_str(0, "[[")),
            false,
        ),
        ("too much work", heavy(), false),
    ] {
        let found = check(&inside, files.clone()).await.expect("an answer");
        assert_eq!(found.playable, playable, "{what}: {found:?}");
        assert_eq!(found.diagnostics.is_empty(), what == "well", "{what}");
        let expected = check(&without, files).await.expect("an answer");
        assert_eq!(found, expected, "{what}");
    }
}

/// MiB in which the program itself has room, and no more.
const TIGHT: u32 = 48;

/// What a package is refused for, and what the limit is.
fn refused(limit: &str, checked: Result<v1::CheckPackageResponse, tonic::Status>) {
    let status = checked.expect_err("it is refused");
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    assert!(status.message().contains(limit), "{status:?}");
}

#[tokio::test]
async fn what_takes_too_much_ends_the_sandbox_and_nothing_else() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let tight = Limits {
        sandbox_mib: TIGHT,
        ..Limits::default()
    };
    let (_one, publisher) = serve(folders[0].path(), tight, program()).await;
    refused("sandbox_mib", check(&publisher, large()).await);

    let short = Limits {
        sandbox_time: Duration::from_secs(1),
        ..Limits::default()
    };
    let (_two, publisher) = serve(folders[1].path(), short, program()).await;
    refused("sandbox_time", check(&publisher, heavy()).await);
    let well = check(&publisher, files()).await.expect("an answer");
    assert!(well.playable);

    // Whatever else may happen to it.
    let (_three, publisher) = serve(
        folders[2].path(),
        Limits::default(),
        Some("/bin/false".into()),
    )
    .await;
    let failed = check(&publisher, files()).await.expect_err("no answer");
    assert_eq!(failed.code(), Code::Internal, "{failed:?}");
}

/// How many sandboxes run that may take so many seconds.
fn running(seconds: u32) -> usize {
    let words = format!(
        "sandbox\0--mib\0{}\0--seconds\0{seconds}\0",
        Limits::default().sandbox_mib
    );
    let processes = std::fs::read_dir("/proc").expect("processes");
    let commands =
        processes.filter_map(|process| std::fs::read(process.ok()?.path().join("cmdline")).ok());
    commands
        .filter(|command| String::from_utf8_lossy(command).ends_with(&words))
        .count()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_nobody_waits_for_is_ended() {
    const SECONDS: u32 = 77;
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits {
        sandbox_time: Duration::from_secs(SECONDS.into()),
        ..Limits::default()
    };
    let (server, publisher) = serve(folder.path(), limits, program()).await;
    let waiting = tokio::spawn(async move { check(&publisher, heavy()).await });
    while running(SECONDS) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    waiting.abort();
    for _ in 0..1000 {
        if running(SECONDS) == 0 {
            server.stop().await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it goes on");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_referee_that_is_asked_to_stop_gives_up_what_it_checks() {
    const SECONDS: u32 = 78;
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let limits = format!("sandbox_time={SECONDS}s");
    let mut server = Server::start_with(&store, "warn", &["--limit", &limits]);
    let publisher = publisher_of(&server.url, &store).await;
    let waiting = tokio::spawn(async move { check(&publisher, heavy()).await });
    while running(SECONDS) == 0 {
        assert!(!waiting.is_finished(), "it is checked by a process");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.stop().await;
    let given_up = waiting.await.expect("no panic").expect_err("no answer");
    assert_eq!(given_up.code(), Code::Unavailable, "{given_up:?}");
    assert_eq!(running(SECONDS), 0, "nothing is left of it");
}

/// What a build offers that allows rules a certain amount of work.
fn allowing(work: u64) -> Library {
    let mut library = Library::embedded().expect("the embedded rulesets");
    library.add(Edition::new(texts()).expect("an edition"));
    library.compiled_with(CompileOptions {
        work,
        ..CompileOptions::default()
    })
}

#[tokio::test]
async fn a_match_whose_rules_take_more_than_is_allowed_today_goes_on_if_that_can_be_afforded() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let usual = CompileOptions::default().work;
    // Not even the program has room.
    let tight = Limits {
        sandbox_mib: 1,
        ..Limits::default()
    };
    let mut name = String::new();
    for (work, limits, program, plays) in [
        (usual, Limits::default(), None, true),
        (1000, Limits::default(), program(), true),
        (1000, Limits::default(), None, false),
        (1000, tight, program(), false),
        (usual, Limits::default(), None, true),
    ] {
        let what = format!(
            "{work} units, {:?}",
            program.as_ref().map(|_| limits.sandbox_mib)
        );
        let running = start(here(&store, allowing(work), limits, program))
            .await
            .expect("it starts");
        let client = Client::connect(&running.url()).await.expect("it listens");
        let host = client.with_token(running.host_token());
        if name.is_empty() {
            let created = table::create(&host, "tea-house", 2, None)
                .await
                .expect("a match");
            name = table::name(&created);
            table::claim(&client, &created, 1, "Ada").await;
            table::bots(&host, &name, 2..=2).await;
            table::start(&host, &name).await;
        } else if work < usual {
            // Nothing new begins.
            let refused = table::create(&host, "tea-house", 2, None).await;
            assert_eq!(
                refused.map(drop).map_err(|e| e.code()),
                Err(Code::FailedPrecondition),
                "{what}"
            );
        }
        let asked = v1::GetMatchRequest { name: name.clone() };
        let found = host.call(asked).await.expect("a match");
        let expected = match plays {
            true => v1::MatchState::Running,
            false => v1::MatchState::Suspended,
        };
        assert_eq!(found.r#match.expect("a match").state(), expected, "{what}");
        running.stop().await;
    }
}
