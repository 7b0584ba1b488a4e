//! What referees of earlier times wrote: it is restored, verified and played on in, for ever.
//!
//! `tests/golden/README.md` says what a golden set is. Here each store of one is served again, by a clock that begins
//! when the store was copied. By default that is one configuration with a small archive, another one with each commit, and for
//! the slow tests one of the others. `REFEREE_GOLDEN=all` takes every configuration of every set, a part of a name
//! (`REFEREE_GOLDEN=genoa`) those that have it.

mod archive;
mod missing;
mod stages;

/// Tests allocate as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use std::sync::Arc;
use std::time::Instant;

use referee_tests::golden::{Folder, Trouble, pack};
use referee_tests::sample;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A set and one of its configurations.
type Chosen = (Folder, String);

/// Every configuration of every set: first those with the smallest archives, which are a third of all, then the others.
fn every() -> Result<[Vec<Chosen>; 2], Trouble> {
    let mut every = Vec::new();
    for set in Folder::every()? {
        for name in set.manifest()?.configurations {
            let archive = set.0.join(&name).join("archive.jsonl.gz");
            every.push((std::fs::metadata(archive)?.len(), (set.clone(), name)));
        }
    }
    every.sort_by_key(|(bytes, _)| *bytes);
    let mut small: Vec<Chosen> = every.into_iter().map(|(_, chosen)| chosen).collect();
    let large = small.split_off(small.len().div_ceil(3));
    Ok([small, large])
}

/// One of `all`, another one with each commit.
fn one_of(all: Vec<Chosen>) -> Vec<Chosen> {
    let turn = sample::turn() % u64::try_from(all.len().max(1)).unwrap_or(u64::MAX);
    let turn = usize::try_from(turn).unwrap_or_default();
    all.into_iter().skip(turn).take(1).collect()
}

/// The configurations that are asked for.
fn chosen() -> Result<Vec<Chosen>, Trouble> {
    let [small, large] = every()?;
    let wanted = std::env::var("REFEREE_GOLDEN").unwrap_or_default();
    if wanted.is_empty() {
        return Ok(one_of(small));
    }
    let mut asked = [small, large].concat();
    if wanted != "all" {
        asked.retain(|(set, name)| format!("{}/{name}", shown(set)).contains(&wanted));
    }
    match asked.is_empty() {
        true => Err(format!("no golden configuration is called `{wanted}`").into()),
        false => Ok(asked),
    }
}

/// The name of a set.
fn shown(set: &Folder) -> String {
    set.0
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_earlier_referees_wrote_is_verified_and_played_on_in() {
    hold(chosen().expect("golden sets")).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn what_earlier_referees_wrote_of_long_matches_is_verified_and_played_on_in() {
    let [_, large] = every().expect("golden sets");
    hold(one_of(large)).await;
}

/// Holds each to everything that is kept with it.
async fn hold(chosen: Vec<Chosen>) {
    // Each starts referees of its own: no more at once than there are processors.
    let most = std::thread::available_parallelism().map_or(1, |number| number.get());
    let turns = Arc::new(Semaphore::new(most));
    let mut at_work = JoinSet::new();
    for (set, configuration) in chosen {
        let turns = turns.clone();
        at_work.spawn(async move {
            let _turn = turns.acquire_owned().await;
            let began = Instant::now();
            let name = format!("{}/{configuration}", shown(&set));
            let (stage, done) = stages::hold(&set, &configuration).await;
            let seconds = began.elapsed().as_secs_f32();
            println!("{name}: {seconds:.1} s");
            done.map_err(|why| format!("{name}: {stage}: {why}\n  again: REFEREE_GOLDEN={name} cargo test --test golden"))
        });
    }
    let mut wrong = Vec::new();
    while let Some(held) = at_work.join_next().await {
        match held {
            Ok(Ok(())) => {}
            Ok(Err(why)) => wrong.push(why),
            Err(panicked) => wrong.push(panicked.to_string()),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} no longer held:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What the files of each set are: BLAKE3 of their names and bytes, in the order of their names. A set is added, and never changed.
const SETS: &[(&str, &str)] = &[
    ("2026-11-24-before", "da8098eaa1fbb1bad593f79da0053d33"),
    ("2026-11-24-sealed", "b01c59cfe58893387f494f5c27a34f78"),
    ("2026-11-28-league", "b9ffc6e95668d529bb3d4970724d4d2a"),
];

/// The digest of the files of a set.
fn digest(set: &Folder) -> blake3::Hash {
    let mut files = Vec::new();
    let mut folders = vec![set.0.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let bytes = std::fs::read(&file).expect("readable");
        let name = file.strip_prefix(&set.0).expect("it is in the set");
        let name = name.to_string_lossy().replace('\\', "/");
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(blake3::hash(&bytes).as_bytes());
    }
    hasher.finalize()
}

#[test]
fn golden_sets_are_what_they_were() {
    let sets = Folder::every().expect("a folder");
    let now: Vec<(String, String)> = sets
        .iter()
        .map(|set| (shown(set), digest(set).to_hex()[..32].to_owned()))
        .collect();
    let pinned: Vec<(String, String)> = SETS
        .iter()
        .map(|(set, digest)| ((*set).to_owned(), (*digest).to_owned()))
        .collect();
    assert_eq!(
        now, pinned,
        "a set that is added is pinned here; none is changed"
    );
}

/// Whoever adds a set, or touches one, learns here what does not fit.
#[test]
fn golden_sets_are_whole() {
    let sets = Folder::every().expect("a folder");
    assert!(!sets.is_empty(), "there is no golden set");
    for set in sets {
        let manifest = set.manifest().expect("a manifest");
        assert!(
            shown(&set).starts_with(&manifest.made),
            "{} was made on another day",
            shown(&set)
        );
        let mut folders: Vec<String> = manifest.configurations.clone();
        folders.extend(["manifest.json".to_owned(), "texts".to_owned()]);
        folders.sort();
        let mut there: Vec<String> = std::fs::read_dir(&set.0)
            .expect("it can be listed")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        there.sort();
        assert_eq!(there, folders, "{}", shown(&set));
        for configuration in &manifest.configurations {
            let name = format!("{}/{configuration}", shown(&set));
            let folder = tempfile::tempdir().expect("a folder");
            let store = folder.path().join("store");
            set.unpack(configuration, &store)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let all = pack::all_of(&store).unwrap_or_else(|error| panic!("{name}: {error}"));
            let hosted = set.hosted(configuration).expect("what was hosted");
            let matches = all
                .iter()
                .find(|(table, _)| table == "matches")
                .expect("matches");
            assert_eq!(matches.1.len(), 2 + hosted.others.len(), "{name}");
        }
    }
}
