//! What waits for what: a match that somebody holds holds back no other, what is only looked up waits for no row, and a group is one
//! statement however large it is.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use referee::store::conformance::{append_to, new_match};
use referee::store::postgres::Address;
use referee::store::{Append, Appended, Principal, RequestRow, Store as _};
use referee_tests::cluster::{self, Cluster};

use super::Test;
use super::conformance::store;

pub const TESTS: &[(&str, Test)] = &[
    (
        "waiting::a_match_that_somebody_holds_holds_back_no_other",
        held,
    ),
    ("waiting::what_is_looked_up_waits_for_no_row", looked_up),
    ("waiting::a_group_is_one_statement", statements),
];

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

fn held(_: &Cluster) -> Result<(), Failed> {
    const MOST: Duration = Duration::from_millis(50);
    let cluster = Cluster::start(&[])?;
    let (store, address, _) = store(&cluster)?;
    let ((first, waits), (second, goes_on)) = (new_match(), new_match());
    store.append(vec![first, second])?;
    let hold = format!("SELECT FROM referee.matches WHERE id = '{waits}' FOR UPDATE");
    let holder = Holder::of(&cluster, &name(&address), &hold)?;
    // A machine that does other things, too, may take its time for one of them.
    let mut quickest = Duration::MAX;
    for at in 1..=20 {
        let group = vec![
            append_to(&waits, 1, &[b"waits"]),
            append_to(&goes_on, at, &[b"goes on"]),
        ];
        let began = Instant::now();
        let done = store.append(group)?;
        let read = store.read(&goes_on, at, 1)?;
        quickest = quickest.min(began.elapsed());
        if !matches!(&done[..], [Appended::Busy(_), Appended::Done]) || read.len() != 1 {
            return Err(format!("{done:?}, and {read:?}").into());
        }
    }
    if quickest > MOST {
        return Err(format!("a match that is free took {quickest:?} at least").into());
    }
    drop(holder);
    let done = store.append(vec![append_to(&waits, 1, &[b"waits"])])?;
    match &done[..] {
        [Appended::Done] => Ok(()),
        other => Err(format!("nobody holds it any more: {other:?}").into()),
    }
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

/// Groups of up to 64 are one statement, which is one way there and back; larger ones are several, one after the other.
fn statements(_: &Cluster) -> Result<(), Failed> {
    let cluster = Cluster::start(&["log_statement=all"])?;
    let (store, ..) = store(&cluster)?;
    let said = || std::fs::read_to_string(cluster.log());
    for (size, expected) in [(1, 1), (8, 1), (64, 1), (256, 4)] {
        let mut group = Vec::new();
        let mut ids = Vec::new();
        for _ in 0..size {
            let (create, id) = new_match();
            group.push(create);
            ids.push(id);
        }
        for group in [
            group,
            ids.iter().map(|id| append_to(id, 1, &[b"on"])).collect(),
        ] {
            let heads = store.find(&ids[0])?.is_some();
            let group: Vec<Append> = match heads {
                true => with_heads(&store, group)?,
                false => group,
            };
            let before = said()?.len();
            let done = store.append(group)?;
            if done.iter().any(|done| *done != Appended::Done) {
                return Err(format!("{done:?}").into());
            }
            let said = said()?;
            let asked = said[before..].lines().filter(|line| is_asked(line)).count();
            if asked != expected {
                let what = format!("a group of {size} is {asked} statements");
                return Err(format!("{what}: {}", &said[before..]).into());
            }
        }
    }
    Ok(())
}

/// Appends that say how their logs end, as referees do.
fn with_heads(
    store: &referee::store::postgres::Postgres,
    group: Vec<Append>,
) -> Result<Vec<Append>, Failed> {
    let head = |append: Append| -> Result<Append, Failed> {
        let kept = store.find(&append.id)?.ok_or("it is gone")?;
        Ok(Append {
            head: Some(kept.chain),
            ..append
        })
    };
    group.into_iter().map(head).collect()
}

/// Whether a line of the server's log is a statement that an append may cause: not the clock, nor what is told to others, nor how a
/// connection begins.
fn is_asked(line: &str) -> bool {
    let said = line
        .split_once("LOG:  execute ")
        .or_else(|| line.split_once("LOG:  statement: "));
    let others = ["clock_timestamp", "pg_notify", "server_version_num"];
    said.is_some_and(|(_, what)| {
        !what.trim().is_empty() && !others.iter().any(|other| what.contains(other))
    })
}
