//! Tests of the module `store::sqlite::check`.

use referee::secrets::Keys;
use referee::store::conformance;
use referee::store::sqlite::seals::{Sealed, sealed_in};
use referee::store::sqlite::{Sqlite, schema};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

fn findings(path: &std::path::Path, keys: &Keys) -> Vec<String> {
    let mut findings = Vec::new();
    let look = Sqlite::look(path, keys).unwrap();
    look.inspect(|finding| findings.push(finding));
    findings
}

#[test]
fn every_value_of_every_row_is_sealed_with_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let keys = Keys::random().unwrap();
    let store = Sqlite::open(&path, &keys).unwrap();
    conformance::check(&store);
    store.mark_key(keys.mark()).unwrap();
    drop(store);
    assert_eq!(findings(&path, &keys), [""; 0]);
    let others = findings(&path, &Keys::random().unwrap());
    assert!(others.len() > 8, "another key seals otherwise: {others:?}");

    // Without the function, as whoever has the file alone.
    let file = Connection::open(&path).unwrap();
    let quick = "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF";
    file.execute_batch(quick).unwrap();
    for Sealed {
        table,
        key,
        columns,
        ..
    } in sealed_in(schema::SCHEMA)
    {
        for column in columns.split(", ") {
            let keys_of = key.join(", ");
            let pick = format!("SELECT {keys_of} FROM {table} ORDER BY {keys_of} DESC LIMIT 1");
            let row: Vec<Value> = file
                .query_row(&pick, [], |row| {
                    (0..key.len()).map(|place| row.get(place)).collect()
                })
                .unwrap();
            let which = |from: usize| {
                let mut places = (from..).map(|place| format!("?{place}"));
                let equal = key
                    .iter()
                    .map(|column| format!("{column} = {}", places.next().unwrap()));
                equal.collect::<Vec<_>>().join(" AND ")
            };
            let read = format!("SELECT {column} FROM {table} WHERE {}", which(1));
            let before: Value = file
                .query_row(&read, params_from_iter(&row), |row| row.get(0))
                .unwrap();
            let bent = match &before {
                Value::Null if matches!(column, "seat" | "due_ms" | "expires_ms") => {
                    Value::Integer(3)
                }
                Value::Null if matches!(column, "content") => Value::Blob(vec![1; 32]),
                Value::Null => Value::Text("x".into()),
                Value::Integer(number) => Value::Integer(number + 1000),
                Value::Text(text) => Value::Text(format!("{text}x")),
                Value::Blob(bytes) => Value::Blob([&bytes[..], &[7]].concat()),
                Value::Real(_) => unreachable!("there are none"),
            };
            let set = |value: &Value, of: &[Value]| {
                let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {}", which(2));
                let values = std::iter::once(value).chain(of);
                assert_eq!(file.execute(&sql, params_from_iter(values)).unwrap(), 1);
            };
            set(&bent, &row);
            let mut moved = row.clone();
            if let Some(place) = key.iter().position(|of_key| *of_key == column) {
                moved[place] = bent.clone();
            }
            let found = findings(&path, &keys);
            let told = format!("table {table}: the row with ");
            assert!(
                found.iter().any(|finding| finding.starts_with(&told)),
                "{table}.{column}: {found:?}"
            );
            set(&before, &moved);
        }
    }
    assert_eq!(findings(&path, &keys), [""; 0]);

    file.execute_batch("CREATE TABLE more (x)").unwrap();
    let found = findings(&path, &keys);
    assert_eq!(found, ["its tables are not those that this referee makes"]);
}
