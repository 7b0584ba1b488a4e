//! Databases that do not keep what they say are refused before anything is kept there.

use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use referee::secrets::Keys;
use referee::store::conformance::new_match;
use referee::store::postgres::{Address, Postgres};
use referee::store::{Store as _, StoreError};
use referee_tests::cluster::Cluster;

use super::Test;

pub const TESTS: &[(&str, Test)] = &[
    (
        "refusals::what_would_lose_moves_is_refused_with_a_way_to_mend_it",
        settings,
    ),
    ("refusals::a_standby_is_refused", standby),
    (
        "refusals::a_server_is_looked_at_with_every_connection_to_it",
        looked_at,
    ),
    ("refusals::a_store_of_a_later_version_is_refused", later),
];

pub fn refused(address: &str) -> Result<String, Failed> {
    let opened = Postgres::open(&Address::read(address)?, &Keys::random()?);
    match opened {
        Ok(_) => Err("it was opened".into()),
        Err(error @ (StoreError::Unfit(_) | StoreError::Schema { .. } | StoreError::Engine(_))) => {
            Ok(error.to_string())
        }
        Err(error) => Err(format!("refused otherwise: {error}").into()),
    }
}

pub fn says(said: &str, word: &str) -> Result<(), Failed> {
    match said.contains(word) {
        true => Ok(()),
        false => Err(format!("`{word}` is not said: {said}").into()),
    }
}

fn settings(_: &Cluster) -> Result<(), Failed> {
    for (setting, word) in [
        ("fsync=off", "`fsync` is off"),
        ("full_page_writes=off", "`full_page_writes` is off"),
        ("synchronous_commit=off", "`synchronous_commit` is off"),
    ] {
        let cluster = Cluster::start(&[setting])?;
        says(&refused(&cluster.database()?)?, word)?;
    }
    let cluster = Cluster::start(&["synchronous_commit=local"])?;
    let address = cluster.database()?;
    // Nobody confirms anything: what is made for the test does not wait for that.
    cluster.query(
        "postgres",
        "ALTER SYSTEM SET synchronous_standby_names = 'one'",
    )?;
    cluster.query("postgres", "SELECT pg_reload_conf()")?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    says(&refused(&address)?, "synchronous standby")
}

fn standby(cluster: &Cluster) -> Result<(), Failed> {
    let standby = Cluster::standby(cluster, "one")?;
    let said = refused(&standby.address("postgres"))?;
    // The driver looks for one that can be written to before anything else is asked.
    says(&said, "this is a standby")
}

/// As after a standby was promoted that is set otherwise.
fn looked_at(_: &Cluster) -> Result<(), Failed> {
    let cluster = Cluster::start(&[])?;
    let (store, ..) = super::conformance::store(&cluster)?;
    store.append(vec![new_match().0])?;
    cluster.query("postgres", "ALTER SYSTEM SET synchronous_commit = off")?;
    cluster.query("postgres", "SELECT pg_reload_conf()")?;
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'referee'";
        cluster.query("postgres", end)?;
        // Until the server has read its settings, and by a connection that is broken, it is told otherwise.
        match store.append(vec![new_match().0]) {
            Err(StoreError::Unfit(why)) => return says(&why, "`synchronous_commit` is off"),
            told if Instant::now() > patience => return Err(format!("{told:?}").into()),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn later(cluster: &Cluster) -> Result<(), Failed> {
    let (_, address, _) = super::conformance::store(cluster)?;
    let shown = address.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    cluster.query(
        name,
        "UPDATE referee.meta SET value = 99 WHERE key IN ('least', 'schema')",
    )?;
    says(&refused(&cluster.address(name))?, "schema 99")
}
