//! What somebody changes in a database who has not the key is found, in whatever column.

use libtest_mimic::Failed;
use referee::secrets::Keys;
use referee::store::conformance::check;
use referee::store::postgres::{Address, Postgres};
use referee_tests::cluster::Cluster;

use super::Test;

pub const TESTS: &[(&str, Test)] = &[(
    "check::every_value_of_every_row_is_sealed_with_the_key",
    bent,
)];

/// Columns that say nothing: orders of lists, what is noticed by the log, what may be lost, what is counted, and whether an answer is
/// forgotten with its match.
const UNSEALED: [&str; 6] = ["ord", "chain", "revision", "lasting", "due_ms", "tries"];

fn findings(store: &Postgres) -> Vec<String> {
    let mut findings = Vec::new();
    store.inspect(|finding| findings.push(finding));
    findings
}

fn bent(cluster: &Cluster) -> Result<(), Failed> {
    let address = cluster.database()?;
    let database = address.rsplit('/').next().ok_or("a name")?.to_owned();
    let address = Address::read(&address)?;
    let keys = Keys::random()?;
    let store = Postgres::open(&address, &keys)?;
    check(&store);
    store.mark_key(keys.mark())?;
    assert_eq!(findings(&store), [""; 0]);
    let other = Postgres::open(&address, &Keys::random()?)?;
    let others = findings(&other);
    assert!(others.len() > 8, "another key seals otherwise: {others:?}");

    let columns = "SELECT table_name || '.' || column_name || '.' || data_type FROM information_schema.columns c
        WHERE table_schema = 'referee' AND EXISTS (SELECT FROM information_schema.columns s WHERE s.table_schema = 'referee'
            AND s.table_name = c.table_name AND s.column_name = 'seal')
        AND table_name !~ '[0-9]$' ORDER BY 1";
    let columns = cluster.query(&database, columns)?;
    let mut tried = 0;
    for line in columns.lines() {
        let [table, column, kind] = line.split('.').collect::<Vec<_>>()[..] else {
            return Err(format!("no column: {line}").into());
        };
        if UNSEALED.contains(&column) && (table, column) != ("matches", "due_ms") {
            continue;
        }
        let changed = match kind {
            "bytea" => format!("overlay({column} PLACING '\\x5a5b5c'::bytea FROM 1)"),
            "text" => format!("{column} || 'x'"),
            "boolean" => format!("NOT {column}"),
            "uuid" => "gen_random_uuid()".to_owned(),
            _ => format!("{column} + 1"),
        };
        // One row of which something is known, in a transaction of its own, and back again.
        let rows = format!("SELECT count(*) FROM referee.{table} WHERE {column} IS NOT NULL");
        if cluster.query(&database, &rows)?.trim() == "0" {
            continue;
        }
        tried += 1;
        let bend = format!(
            "CREATE TABLE public.was AS SELECT * FROM referee.{table};
             UPDATE referee.{table} SET {column} = {changed}
             WHERE ({table}.tableoid, {table}.ctid) IN (SELECT tableoid, ctid FROM referee.{table} WHERE {column} IS NOT NULL LIMIT 1)"
        );
        cluster.query(&database, &bend)?;
        let found = findings(&store);
        let told = found.iter().any(|finding| {
            finding.contains(&format!("table {table}"))
                || finding.contains(&format!("rows of {table}"))
        });
        // Whatever belongs to a match under another id belongs to none.
        let of_none = (table, column) == ("matches", "id") && !found.is_empty();
        assert!(told || of_none, "{table}.{column}: {found:?}");
        let back = format!(
            "DELETE FROM referee.{table}; INSERT INTO referee.{table} SELECT * FROM public.was; DROP TABLE public.was"
        );
        cluster.query(&database, &back)?;
    }
    assert!(tried > 30, "{tried} columns");
    assert_eq!(findings(&store), [""; 0]);
    Ok(())
}
