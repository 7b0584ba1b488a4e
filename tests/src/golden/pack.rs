//! Stores and archives without the texts of rulesets, which are kept once; files compressed.

use std::io::{Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use referee::library::Edition;
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use serde_json::json;

use super::trouble::Trouble;

/// Compresses; the same bytes to the same ones.
///
/// # Errors
///
/// None that memory does not cause.
pub fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// What was compressed.
///
/// # Errors
///
/// When the bytes were not compressed.
pub fn expand(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut expanded = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut expanded)?;
    Ok(expanded)
}

/// A row of a store's table `contents`.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number.
    pub row: i64,
    /// The digest under which it is kept.
    pub digest: String,
    /// What is kept.
    pub text: Vec<u8>,
}

/// Takes the texts of rulesets out of a store that nobody has open.
///
/// # Errors
///
/// When it is no store.
pub fn take_out(store: &Path) -> Result<Vec<Row>, Trouble> {
    let connection = Connection::open(store)?;
    let mut rows = Vec::new();
    {
        let mut asked = connection
            .prepare("SELECT rowid, lower(hex(digest)), content FROM contents ORDER BY rowid")?;
        let found = asked.query_map([], |row| {
            Ok(Row {
                row: row.get(0)?,
                digest: row.get(1)?,
                text: row.get(2)?,
            })
        })?;
        for row in found {
            let row = row?;
            // Records that were imported are kept there, too, and stay.
            if Edition::from_content(&row.text).is_ok() {
                rows.push(row);
            }
        }
    }
    // The rows stay, with their seals.
    for row in &rows {
        let empty = "UPDATE contents SET content = x'' WHERE rowid = ?1";
        connection.execute(empty, params![row.row])?;
    }
    connection.execute_batch("VACUUM")?;
    Ok(rows)
}

/// Puts back what was taken out.
///
/// # Errors
///
/// When it is no store, or the rows are there.
pub fn put_back(store: &Path, rows: &[Row]) -> Result<(), Trouble> {
    let mut connection = Connection::open(store)?;
    let transaction = connection.transaction()?;
    for row in rows {
        let back = "UPDATE contents SET content = ?2 WHERE digest = unhex(?1)";
        if transaction.execute(back, params![row.digest, row.text])? == 1 {
            continue;
        }
        // Stores of before rows had seals were packed without these.
        transaction.execute(
            "INSERT INTO contents (rowid, digest, content) VALUES (?1, unhex(?2), ?3)",
            params![row.row, row.digest, row.text],
        )?;
    }
    transaction.commit()?;
    Ok(())
}

/// Rows of a table, as SQL sees them.
pub type Rows = Vec<Vec<Value>>;

/// Everything that SQL sees of a file: versions, definitions, rows.
///
/// # Errors
///
/// When it is no database.
pub fn all_of(store: &Path) -> Result<Vec<(String, Rows)>, Trouble> {
    let connection = Connection::open(store)?;
    let all = |text: &str| -> Result<Rows, Trouble> {
        let mut asked = connection.prepare(text)?;
        let columns = asked.column_count();
        let rows = asked.query_map([], |row| (0..columns).map(|i| row.get(i)).collect())?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let mut found = Vec::new();
    for text in [
        "PRAGMA user_version",
        "PRAGMA application_id",
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name",
        "SELECT rowid FROM contents ORDER BY rowid",
    ] {
        found.push((text.to_owned(), all(text)?));
    }
    for table in all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")? {
        if let Some(Value::Text(table)) = table.first() {
            let mut rows = all(&format!("SELECT * FROM \"{table}\""))?;
            rows.sort_by_cached_key(|row| row.iter().map(bytes).collect::<Vec<_>>());
            found.push((table.clone(), rows));
        }
    }
    Ok(found)
}

/// A value as bytes, which are quicker to compare than its text.
fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => Vec::new(),
        Value::Integer(number) => number.to_be_bytes().to_vec(),
        Value::Real(number) => number.to_be_bytes().to_vec(),
        Value::Text(text) => text.clone().into_bytes(),
        Value::Blob(bytes) => bytes.clone(),
    }
}

/// The lines of an archive that hold the texts of a ruleset.
///
/// # Errors
///
/// When they are no texts.
fn lines(digest: &str, content: &[u8]) -> Result<String, Trouble> {
    let edition = Edition::from_content(content)?;
    let mut text = String::new();
    for (path, file) in &edition.texts.files {
        let line = json!({"file": {"content": digest, "path": path, "text": file}});
        text.push_str(&format!("{line}\n"));
    }
    Ok(text)
}

/// An archive with a line `{"files": "<digest>"}` in place of the texts of each ruleset.
///
/// # Errors
///
/// When the texts are not known, or the archive does not tell them as it should.
pub fn without_texts(archive: &str, rows: &[Row]) -> Result<String, Trouble> {
    let mut lean = archive.to_owned();
    for row in rows {
        let marker = format!("{}\n", json!({ "files": row.digest }));
        lean = lean.replacen(&lines(&row.digest, &row.text)?, &marker, 1);
    }
    match lean.contains("{\"file\":") {
        true => Err("an archive holds texts that its store does not".into()),
        false => Ok(lean),
    }
}

/// An archive as it was.
///
/// # Errors
///
/// When the texts are not known.
pub fn with_texts(
    lean: &str,
    content: impl Fn(&str) -> Result<Vec<u8>, Trouble>,
) -> Result<String, Trouble> {
    let mut archive = String::new();
    for line in lean.split_inclusive('\n') {
        let digest = line
            .strip_prefix("{\"files\":\"")
            .and_then(|rest| rest.strip_suffix("\"}\n"));
        match digest {
            Some(digest) => archive.push_str(&lines(digest, &content(digest)?)?),
            None => archive.push_str(line),
        }
    }
    Ok(archive)
}
