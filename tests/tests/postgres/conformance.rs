//! The suite that every engine is given to, and what it does not see.

use libtest_mimic::Failed;
use referee::secrets::Keys;
use referee::server::copy_store;
use referee::store::conformance::{append_to, check, check_shared, new_match};
use referee::store::copy::Whole as _;
use referee::store::postgres::{Address, Postgres};
use referee::store::sqlite::Sqlite;
use referee::store::{Appended, Store as _};
use referee::table::{Request, match_id_of};
use referee_tests::cluster::Cluster;

use super::Test;

pub const TESTS: &[(&str, Test)] = &[
    ("conformance::it_does_what_every_engine_must", conforms),
    ("conformance::a_store_is_copied_either_way", copied),
    (
        "conformance::groups_over_the_same_matches_never_wait_for_each_other",
        groups,
    ),
];

/// A store in a database of its own, and its address and key.
pub fn store(cluster: &Cluster) -> Result<(Postgres, Address, Keys), Failed> {
    let address = Address::read(&cluster.database()?)?;
    let keys = Keys::random()?;
    let store = Postgres::open(&address, &keys)?;
    Ok((store, address, keys))
}

fn conforms(cluster: &Cluster) -> Result<(), Failed> {
    let (store, address, keys) = store(cluster)?;
    check(&store);
    let other = Postgres::open(&address, &keys)?;
    check_shared(&store, &other);
    Ok(())
}

/// From a file into a database and back: what comes out is what went in.
fn copied(cluster: &Cluster) -> Result<(), Failed> {
    let (database, _, keys) = store(cluster)?;
    let folder = tempfile::tempdir()?;
    let open = |name| Sqlite::open(&folder.path().join(name), &keys);
    let (first, last) = (open("first.sqlite")?, open("last.sqlite")?);
    check(&first);
    let matches = copy_store(&first, &database, &keys, |_| {})?;
    // Again, and nothing is there twice.
    assert_eq!(copy_store(&first, &database, &keys, |_| {})?, matches);
    assert_eq!(copy_store(&database, &last, &keys, |_| {})?, matches);
    assert_eq!(copy_store(&first, &last, &keys, |_| {})?, matches);
    let (before, after) = (first.outside()?, last.outside()?);
    assert_eq!(before.answered, after.answered);
    assert_eq!(before.learned, after.learned);
    for row in first.every(None, 0, 1000)? {
        let (before, after) = (first.beside(&row.id)?, last.beside(&row.id)?);
        assert_eq!(before.answered, after.answered);
        assert_eq!(before.notices, after.notices);
    }
    // A request that created a match is found in a database where one looks for it.
    let request = &before.answered[0];
    let known = Request {
        principal: request.principal,
        id: request.request_id.clone(),
        digest: request.digest,
    };
    let of = match_id_of(&keys, &known);
    let found = database.request(Some(&of), request.principal, &request.request_id)?;
    assert_eq!(found.as_ref(), Some(request));
    Ok(())
}

/// Three who write, each by connections of its own as a process of its own has them, write to the same twenty matches, each as fast
/// as it can: ten thousand groups in all.
fn groups(cluster: &Cluster) -> Result<(), Failed> {
    const GROUPS: usize = 3334;
    let (store, address, keys) = store(cluster)?;
    let mut ids = Vec::new();
    for _ in 0..20 {
        let (create, id) = new_match();
        store.append(vec![create])?;
        ids.push(id);
    }
    let write = |seed: usize| -> Result<u64, Failed> {
        let store = Postgres::open(&address, &keys)?;
        let (mut lengths, mut written) = (vec![1u64; ids.len()], 0);
        for group in 0..GROUPS {
            // Not the order of the ids, and not that of the others.
            let chosen: Vec<usize> = (0..8)
                .map(|at| (group * 7 + at * (seed + 3)) % ids.len())
                .collect();
            let mut appends = Vec::new();
            for &at in &chosen {
                appends.push(append_to(&ids[at], lengths[at], &[b"an entry"]));
            }
            let done = store.append(appends)?;
            for (&at, done) in chosen.iter().zip(done) {
                match done {
                    Appended::Done => {
                        lengths[at] += 1;
                        written += 1;
                    }
                    Appended::Conflict => {
                        lengths[at] = store.find(&ids[at])?.ok_or("it is gone")?.length;
                    }
                    Appended::Busy(_) => {}
                    Appended::Duplicate(_) => return Err("nothing was asked for twice".into()),
                }
            }
        }
        Ok(written)
    };
    let written: Result<Vec<u64>, Failed> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|seed| scope.spawn(move || write(seed)))
            .collect();
        let ended = writers.into_iter().map(|writer| {
            let ended = writer.join();
            ended.unwrap_or_else(|_| Err("a writer panicked".into()))
        });
        ended.collect()
    });
    let written: u64 = written?.into_iter().sum();
    let mut kept = 0;
    for id in &ids {
        kept += store.find(id)?.ok_or("it is gone")?.length - 1;
    }
    match kept == written {
        true => Ok(()),
        false => Err(format!("{written} appends were done, {kept} entries are kept").into()),
    }
}
