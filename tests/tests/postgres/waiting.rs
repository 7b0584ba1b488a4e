//! What waits for what: what is only looked up waits for no row.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use referee::store::conformance::{append_to, new_match};
use referee::store::postgres::Address;
use referee::store::{Append, Appended, Principal, RequestRow, Store as _};
use referee_tests::cluster::{self, Cluster};

use super::Test;
use super::conformance::store;

pub const TESTS: &[(&str, Test)] = &[("waiting::what_is_looked_up_waits_for_no_row", looked_up)];

/// A session that does a statement, and keeps its locks until it ends.
struct Holder<'a> {
    cluster: &'a Cluster,
    session: Child,
}

const HOLDER: &str = "application_name = 'holder'";

impl Holder<'_> {
    fn of<'a>(cluster: &'a Cluster, database: &str, statement: &str) -> Result<Holder<'a>, Failed> {
        let programs = cluster::programs().ok_or("PostgreSQL is not installed")?;
        let mut psql = Command::new(programs.join("psql"));
        // Statements of one command are one transaction.
        let held = format!("{statement}; SELECT pg_sleep(120)");
        psql.env("PGAPPNAME", "holder")
            .args(["--no-psqlrc", "--quiet", "--command", &held])
            .arg(cluster.address(database))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let holder = Holder {
            cluster,
            session: psql.spawn()?,
        };
        let asleep = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE {HOLDER} AND datname = '{database}' AND wait_event = 'PgSleep'"
        );
        let patience = Instant::now() + Duration::from_secs(30);
        while cluster.query("postgres", &asleep)?.trim() != "1" {
            if Instant::now() > patience {
                return Err(format!("`{statement}` holds nothing").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(holder)
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        let end =
            format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {HOLDER}");
        let _ = self.cluster.query("postgres", &end);
        let _ = self.session.wait();
    }
}

/// The name of a database.
fn name(address: &Address) -> String {
    let shown = address.shown();
    shown.rsplit('/').next().unwrap_or_default().to_owned()
}

fn looked_up(_: &Cluster) -> Result<(), Failed> {
    let cluster = Cluster::start(&[])?;
    let (store, address, _) = store(&cluster)?;
    let (create, id) = new_match();
    let row = RequestRow {
        principal: Principal([9; 32]),
        request_id: "again".into(),
        digest: [1; 32],
        receipt: vec![1],
    };
    let moved = Append {
        request: Some(row.clone()),
        ..append_to(&id, 1, &[b"moved"])
    };
    store.append(vec![create])?;
    store.append(vec![moved.clone()])?;
    // All rows that belong to no match can be read, and none of them written.
    let hold = "LOCK TABLE referee.meta IN EXCLUSIVE MODE";
    let _holder = Holder::of(&cluster, &name(&address), hold)?;
    let began = Instant::now();
    store.probe()?;
    let known = store.request(Some(&id), row.principal, &row.request_id)?;
    let repeated = store.append(vec![moved])?;
    let took = began.elapsed();
    match (known, &repeated[..]) {
        (Some(known), [Appended::Duplicate(again)]) if known == row && *again == row => {}
        other => return Err(format!("{other:?}").into()),
    }
    match took < Duration::from_secs(5) {
        true => Ok(()),
        false => Err(format!("it was waited for {took:?}").into()),
    }
}
