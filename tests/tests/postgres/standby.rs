//! A synchronous standby: what is called safe is on two machines, and an outcome that nobody knows is never a success.

use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use referee::secrets::Keys;
use referee::store::conformance::{append_to, new_match};
use referee::store::postgres::{Address, Postgres};
use referee::store::{Append, Appended, MatchId, Principal, RequestRow, Store as _};
use referee_tests::cluster::Cluster;

use super::Test;

pub const TESTS: &[(&str, Test)] = &[(
    "standby::a_commit_that_is_cancelled_while_the_standby_stalls_is_unknown_and_nothing_acknowledged_is_lost",
    cancelled,
)];

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> Result<bool, Failed>) -> Result<(), Failed> {
    let patience = Instant::now() + Duration::from_secs(30);
    while !is_so()? {
        if Instant::now() > patience {
            return Err(format!("{what} does not come").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn requested(id: &MatchId, expected: u64, request_id: &str) -> Append {
    Append {
        request: Some(RequestRow {
            principal: Principal([9; 32]),
            request_id: request_id.into(),
            digest: [1; 32],
            receipt: vec![1],
        }),
        ..append_to(id, expected, &[request_id.as_bytes()])
    }
}

fn cancelled(_: &Cluster) -> Result<(), Failed> {
    let mut primary = Cluster::start(&[])?;
    let _ = primary.database()?;
    let standby = Cluster::standby(&primary, "one")?;
    primary.query(
        "postgres",
        "ALTER SYSTEM SET synchronous_standby_names = 'one'",
    )?;
    primary.query("postgres", "SELECT pg_reload_conf()")?;
    until("the synchronous standby", || {
        let state = primary.query("postgres", "SELECT sync_state FROM pg_stat_replication")?;
        Ok(state.trim() == "sync")
    })?;
    // Both hosts: whichever can be written to.
    let (one, other) = (primary.port(), standby.port());
    let address = format!("postgres://referee@127.0.0.1:{one},127.0.0.1:{other}/test0");
    let address = Address::read(&address)?;
    let keys = Keys::random()?;
    let store = Arc::new(Postgres::open(&address, &keys)?);
    let (create, id) = new_match();
    store.append(vec![create])?;
    for at in 1..=20 {
        let done = store.append(vec![requested(&id, at, &format!("safe {at}"))])?;
        if done != [Appended::Done] {
            return Err(format!("{done:?}").into());
        }
    }

    standby.stall(true)?;
    // By somebody who cancels, and by an administrator who ends the connection; what is asked again waits as long.
    for (end, request_id) in [
        ("pg_cancel_backend", "unknown"),
        ("pg_cancel_backend", "unknown"),
        ("pg_terminate_backend", "unknown"),
    ] {
        let (asked, append) = (store.clone(), requested(&id, 21, request_id));
        let waiting = std::thread::spawn(move || asked.append(vec![append]));
        until("a commit that waits", || {
            let ended = format!(
                "SELECT count({end}(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'referee'"
            );
            let sent = primary.query("postgres", &ended)?;
            Ok(sent.trim() != "0")
        })?;
        let told = waiting.join().map_err(|_| "it panicked")?;
        match told {
            Err(_) => {}
            Ok(told) => return Err(format!("told as done by {end}: {told:?}").into()),
        }
    }

    primary.end()?;
    standby.stall(false)?;
    standby.promote()?;
    // The same store finds the one that can be written to now.
    until("the new primary", || Ok(store.probe().is_ok()))?;
    let kept = store.find(&id)?.ok_or("the match is lost")?;
    if kept.length < 21 {
        return Err(format!("{} entries of 21 that were acknowledged", kept.length).into());
    }
    for at in 1..=20 {
        let request_id = format!("safe {at}");
        let known = store.request(Some(&id), Principal([9; 32]), &request_id)?;
        known.ok_or(format!("`{request_id}` is lost"))?;
    }
    // Whether or not it was written, the same request comes to the same end.
    let again = store.append(vec![requested(&id, 21, "unknown")])?;
    match &again[..] {
        [Appended::Done | Appended::Duplicate(_)] => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
