//! `citus.sql` against the tables that a referee makes: functions of the same names as Citus's check what they are asked.
//! Citus itself is not run.

use std::collections::BTreeSet;

use libtest_mimic::Failed;
use referee::store::postgres::OF_MATCHES;
use referee_tests::cluster::Cluster;

use super::Test;
use super::conformance::store;

pub const TESTS: &[(&str, Test)] = &[(
    "citus::every_table_has_its_place_and_a_wrong_one_is_noticed",
    places,
)];

const FILE: &str = include_str!("../../../referee/deploy/league/citus.sql");
const STUBS: &str = include_str!("citus_stubs.sql");

/// What is told of tables after a file was run, each with how it is spread; the database is made anew.
fn run(cluster: &Cluster, file: &str) -> Result<(String, BTreeSet<String>), Failed> {
    let (_, address, _) = store(cluster)?;
    let shown = address.shown();
    let database = shown.rsplit('/').next().ok_or("no database")?.to_owned();
    cluster.query(&database, STUBS)?;
    cluster.query(&database, file)?;
    let asked = "SELECT relation || ' ' || coalesce(by_column || ' ' || lies_with, 'everywhere') FROM asked";
    let asked = cluster.query(&database, asked)?;
    Ok((database, asked.lines().map(str::to_owned).collect()))
}

/// Tables of the schema that a file has forgotten.
fn forgotten(cluster: &Cluster, file: &str) -> Result<Vec<String>, Failed> {
    let (database, _) = run(cluster, file)?;
    let left = "SELECT c.relname FROM pg_class c
         WHERE c.relnamespace = 'referee'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.oid NOT IN (SELECT relation FROM asked)";
    let left = cluster.query(&database, left)?;
    Ok(left.lines().map(str::to_owned).collect())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), Failed> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?}, not {expected:?}").into()),
    }
}

fn places(cluster: &Cluster) -> Result<(), Failed> {
    let (_, asked) = run(cluster, FILE)?;
    let spread: BTreeSet<String> = asked
        .into_iter()
        .filter(|told| !told.ends_with(" everywhere"))
        .collect();
    // Whatever belongs to a match lies with it, and so does who acts in it.
    let with_match = OF_MATCHES.iter().copied().chain(["claims"]);
    let expected = with_match.map(|table| match table {
        "matches" => "matches id none".to_owned(),
        table => format!("{table} match referee.matches"),
    });
    same("what is spread by match", spread, expected.collect())?;
    same("forgotten", forgotten(cluster, FILE)?, Vec::new())?;

    // And what is wrong is noticed.
    let statements = FILE.lines().filter(|line| line.starts_with("SELECT"));
    for gone in statements {
        let table = gone.split(['.', '\'']).nth(2).ok_or("no table")?;
        if table == "matches" {
            continue;
        }
        let without = FILE.replace(gone, "");
        same(
            "without a line",
            forgotten(cluster, &without)?,
            vec![table.to_owned()],
        )?;
    }
    for (right, wrong, why) in [
        (
            "'referee.names', 'match'",
            "'referee.names', 'name'",
            "unique index",
        ),
        (
            "'referee.names', 'match'",
            "'referee.names', 'of'",
            "no column",
        ),
        ("'referee.names'", "'referee.names_0'", "part of another"),
        ("'referee.names'", "'referee.nicknames'", "does not exist"),
        ("'id', colocate_with => 'none'", "'seal'", "unique index"),
    ] {
        let bent = FILE.replacen(right, wrong, 1);
        match run(cluster, &bent) {
            Err(error) if error.message().is_some_and(|said| said.contains(why)) => {}
            Err(error) => return Err(format!("{wrong} is refused otherwise: {error:?}").into()),
            Ok(_) => return Err(format!("{wrong} is not noticed").into()),
        }
    }
    Ok(())
}
