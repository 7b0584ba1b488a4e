//! Archives of two times, compared.

use referee_tests::golden::{Trouble, missing};
use serde_json::Value;

/// The lines of an archive, by what they are.
struct Parts {
    header: Value,
    files: Vec<Value>,
    /// What each entry says, and when it was written.
    entries: Vec<Value>,
    events: Vec<Value>,
}

impl Parts {
    fn of(archive: &str) -> Result<Parts, Trouble> {
        let mut parts = Parts {
            header: Value::Null,
            files: Vec::new(),
            entries: Vec::new(),
            events: Vec::new(),
        };
        for line in archive.lines() {
            let mut line: Value = serde_json::from_str(line)?;
            for (kind, to) in [
                ("file", &mut parts.files),
                ("event", &mut parts.events),
                ("entry", &mut parts.entries),
            ] {
                if let Some(found) = line.get_mut(kind) {
                    to.push(found.take());
                }
            }
            if let Some(header) = line.get_mut("record") {
                parts.header = header.take();
            }
        }
        Ok(parts)
    }
}

/// Demands that a match is told as it was: the whole text where the form is the same, and else the seed, what players
/// added, every file, every event and every entry, with its bytes and what ties it to those before it.
///
/// # Errors
///
/// With the first difference.
pub fn compare(golden: &str, now: &str) -> Result<(), Trouble> {
    if golden == now {
        return Ok(());
    }
    let (mut was, mut is) = (Parts::of(golden)?, Parts::of(now)?);
    if was.header["form"] == is.header["form"] {
        let mut lines = (1..).zip(golden.lines().zip(now.lines()));
        let first = lines.find(|(_, (golden, now))| golden != now);
        return Err(match first {
            Some((line, (golden, now))) => {
                let short = |text: &str| text.chars().take(300).collect::<String>();
                format!(
                    "line {line} was\n    {}\n  is\n    {}",
                    short(golden),
                    short(now)
                )
            }
            None => format!(
                "it had {} lines, has {}",
                golden.lines().count(),
                now.lines().count()
            ),
        }
        .into());
    }
    for parts in [&mut was, &mut is] {
        // What belongs to the form: its name, the version of the engine, hashes of states.
        if let Some(header) = parts.header.as_object_mut() {
            header.remove("form");
            header.remove("semanticVersion");
        }
        // That a store was migrated is no part of what was.
        parts
            .entries
            .retain(|entry| entry["says"].get("migrated").is_none());
        for entry in &mut parts.entries {
            if let Some(said) = entry["says"].as_object_mut() {
                said.remove("stateHash");
            }
            for kind in ["started", "moved", "noted"] {
                if let Some(said) = entry["says"].get_mut(kind).and_then(Value::as_object_mut) {
                    said.remove("stateHash");
                }
            }
        }
    }
    for (what, was, is) in [
        ("record", was.header, is.header),
        ("file", was.files.into(), is.files.into()),
        ("entry", was.entries.into(), is.entries.into()),
        ("event", was.events.into(), is.events.into()),
    ] {
        if let Some(missing) = missing(&was, &is) {
            return Err(format!("{what}{missing}").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An archive of one move, of a form.
    fn archive(form: &str, chain: &str, hash: &str, to: u32) -> String {
        let lines = [
            json!({"record": {"form": form, "semanticVersion": 1, "seed": "5f"}}),
            json!({"file": {"path": "ruleset.yaml", "text": "id: x"}}),
            json!({"entry": {"sequence": 0, "atMs": 7, "chain": chain, "body": chain, "says":
                {"moved": {"stateHash": hash, "moves": [{"seat": 1}]}}}}),
            json!({"event": {"number": "0", "counterChanged": {"to": to}}}),
            json!({"end": {"sha256": hash}}),
        ];
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn of_one_form_every_byte_counts_and_of_two_what_happened() {
        let golden = archive("a/1", "c0", "h0", 3);
        assert!(compare(&golden, &golden).is_ok());
        assert!(compare(&golden, &archive("a/2", "c0", "h1", 3)).is_ok());
        for (now, told) in [
            (
                archive("a/2", "c1", "h1", 3),
                "entry[0].body was \"c0\", is \"c1\"",
            ),
            (archive("a/1", "c1", "h0", 3), "line 3 was"),
            (golden.replacen("{\"end\"", "{}\n{\"end\"", 1), "line 5 was"),
            (format!("{golden}{{}}\n"), "it had 5 lines, has 6"),
            (
                archive("a/2", "c0", "h0", 4),
                "event[0].counterChanged.to was 3, is 4",
            ),
            (
                archive("a/2", "c0", "h0", 3).replace("\"5f\"", "\"6f\""),
                "record.seed was \"5f\", is \"6f\"",
            ),
            (
                archive("a/2", "c0", "h0", 3).replace("\"seat\":1", "\"seat\":2"),
                "entry[0].says.moved.moves[0].seat was 1, is 2",
            ),
            (
                archive("a/2", "c0", "h0", 3).replace("id: x", "id: y"),
                "file[0].text was \"id: x\", is \"id: y\"",
            ),
        ] {
            let found = compare(&golden, &now).expect_err(told).to_string();
            assert!(found.starts_with(told), "{found}");
        }
    }
}
