//! Archives: JSON Lines that are imported.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interpreter::play::Item;
use referee::secrets::hex;
use referee::store::Principal;
use referee::store::memory::Memory;
use referee::table::{Request, archive, verify};
use referee_tests::golden::Folder;
use referee_tests::random::Random;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::hosted::PLAYED;
use super::{diagnosed, entries};
use crate::Target;
use crate::mutate::{bytes, json as tree, once_in, place, rounds};

/// Texts of archives.
pub const TARGET: Target = Target {
    name: "archives",
    about: "archives with changed lines and their sums made right: refused with a reason, or kept and then verified as sound",
    run,
    mutate,
    seeds,
    longest: 1 << 18,
};

/// An archive with its own sum and nobody's signature.
fn sealed(text: &str) -> String {
    let mut before = String::new();
    let mut rest = String::new();
    let mut over = false;
    for line in text.lines() {
        let end = serde_json::from_str::<Value>(line).is_ok_and(|value| value.get("end").is_some());
        if end && !over {
            over = true;
            let sum = digest(&SHA256, before.as_bytes());
            rest += &json!({"end": {"sha256": hex(sum.as_ref()), "signatures": []}}).to_string();
            rest.push('\n');
            continue;
        }
        let part = if over { &mut rest } else { &mut before };
        part.push_str(line);
        part.push('\n');
    }
    before + rest.as_str()
}

/// The archive of a short match without what could be left out, and archives of earlier referees.
fn seeds() -> Vec<Vec<u8>> {
    let mut all = vec![PLAYED.archive.clone().into_bytes()];
    for folder in Folder::every().unwrap_or_default() {
        for configuration in folder
            .manifest()
            .map(|manifest| manifest.configurations)
            .unwrap_or_default()
        {
            // The others are long.
            if configuration.starts_with("tea-house") {
                all.extend(folder.archive(&configuration).map(String::into_bytes));
            }
        }
    }
    all.retain(|archive| archive.len() < TARGET.longest);
    all
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() || once_in(30, random) {
        return bytes::mutate(input, random);
    }
    for _ in 0..rounds(random) {
        // The first lines, the entries and the last ones say most.
        let at = match random.below(4) {
            0 => 0,
            1 => lines.len().saturating_sub(1 + place(4, random)),
            _ => place(lines.len(), random),
        };
        let other = place(lines.len(), random);
        match random.below(12) {
            0 if lines.len() > 1 => {
                lines.remove(at);
            }
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => {
                let bytes = bytes::mutate(lines[at].as_bytes(), random);
                lines[at] = String::from_utf8_lossy(&bytes).replace('\n', " ");
            }
            _ => {
                let Ok(mut value) = serde_json::from_str::<Value>(&lines[at]) else {
                    continue;
                };
                match value.pointer_mut("/entry/body") {
                    Some(Value::String(body)) if !once_in(3, random) => {
                        if let Ok(entry) = STANDARD.decode(&*body) {
                            *body = STANDARD.encode(entries::changed(&entry, random));
                        }
                    }
                    _ => tree::change(&mut value, &[], random),
                }
                lines[at] = value.to_string();
            }
        }
    }
    sealed(&lines.join("\n")).into_bytes()
}

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // The table that it starts from and the state that it ends in are read as JSON.
    for line in text.lines() {
        let _ = serde_json::from_str::<Item>(line);
    }
    let parts = entries::parts(Arc::new(Memory::default()), PLAYED.keys.clone());
    let request = Request {
        principal: Principal([1; 32]),
        id: "00000000-0000-4000-8000-000000000000".to_owned(),
        digest: [0; 32],
    };
    match archive::import(&parts, &text, request.principal, &request) {
        Ok((id, replayed)) => {
            assert!(!replayed, "nothing was kept before");
            let checked = verify(&parts, &id, &mut |_| {});
            let findings = checked.ok().flatten().map(|checked| checked.findings);
            assert_eq!(findings, Some(Vec::new()), "imported, and not sound");
        }
        Err(why) => diagnosed::answerable(&why),
    }
}
