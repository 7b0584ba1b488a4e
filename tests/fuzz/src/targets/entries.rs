//! Logs of matches as a store keeps them: entries of Protocol Buffers that are read again, verified, carried over.

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use referee::clock::Clock;
use referee::limits::Limits;
use referee::log::v1 as log;
use referee::sandbox::Sandbox;
use referee::secrets::Keys;
use referee::store::memory::Memory;
use referee::store::{Append, Appended, Journal, MatchState, Store};
use referee::table::{Parts, Registry, Workers, archive, carried_over, prove, verify};
use referee::threads::Threads;
use referee_tests::random::Random;
use referee_tests::root;

use super::hosted::{LIBRARY, PLAYED, RUNTIME};
use crate::Target;
use crate::mutate::{bytes, message, once_in, place, rounds};

/// Logs of a match.
pub const TARGET: Target = Target {
    name: "entries",
    about: "logs of a match with changed entries: verified, opened, exported, proved and carried over without a panic; one that \
            is sound is the one that was written",
    run,
    mutate,
    seeds,
    longest: 1 << 15,
};

/// What stands in an input for the sealed seed, which is another in every process.
const SEALED: &[u8] = b"$sealed_seed";

/// A message of the log, or of a part of it.
pub fn descriptor(name: &str) -> Option<MessageDescriptor> {
    static POOL: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| {
        let bytes = std::fs::read(root().join("proto/referee/log/released.binpb")).ok()?;
        DescriptorPool::decode(&bytes[..]).ok()
    });
    let pool = POOL.as_ref()?;
    pool.get_message_by_name(&format!("referee.log.v1.{name}"))
}

/// Entries one behind the other, each behind its length.
fn joined(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        prost::encoding::encode_varint(entry.len() as u64, &mut out);
        out.extend(entry);
    }
    out
}

fn parted(mut input: &[u8]) -> Vec<Vec<u8>> {
    let mut entries = Vec::new();
    while let Ok(length) = prost::encoding::decode_varint(&mut input) {
        let length = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(input.len());
        let (entry, rest) = input.split_at(length);
        entries.push(entry.to_vec());
        input = rest;
    }
    entries
}

/// An entry with what stands for the sealed seed in place of it, or the other way round.
fn exchanged(entry: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let Ok(mut read) = log::Entry::decode(entry) else {
        return entry.to_vec();
    };
    match &mut read.body {
        Some(log::entry::Body::Created(created)) if created.sealed_seed == from => {
            created.sealed_seed = to.to_vec();
            read.encode_to_vec()
        }
        _ => entry.to_vec(),
    }
}

fn sealed_seed() -> Vec<u8> {
    let first = PLAYED
        .entries
        .first()
        .and_then(|entry| log::Entry::decode(&entry[..]).ok());
    match first.and_then(|entry| entry.body) {
        Some(log::entry::Body::Created(created)) => created.sealed_seed,
        _ => Vec::new(),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let sealed = sealed_seed();
    let all: Vec<Vec<u8>> = PLAYED
        .entries
        .iter()
        .map(|entry| exchanged(entry, &sealed, SEALED))
        .collect();
    let last = all.len().saturating_sub(1);
    let beginning = |n: usize| joined(&all[..n.min(all.len())]);
    vec![
        joined(&all),
        beginning(1),
        beginning(3),
        beginning(8),
        beginning(30),
        joined(&all[..last]),
    ]
}

/// An entry with something else in it.
pub fn changed(entry: &[u8], random: &mut Random) -> Vec<u8> {
    let read = descriptor("Entry").and_then(|of| DynamicMessage::decode(of, entry).ok());
    match read {
        Some(mut read) if !once_in(10, random) => {
            let words = [
                "tea",
                "brew",
                "serve",
                "p1",
                super::hosted::RULESET,
                "$sealed_seed",
            ];
            let words: Vec<String> = words.map(str::to_owned).to_vec();
            message::change(&mut read, &words, random);
            read.encode_to_vec()
        }
        _ => bytes::mutate(entry, random),
    }
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut entries = parted(input);
    if entries.is_empty() || once_in(20, random) {
        return bytes::mutate(input, random);
    }
    for _ in 0..rounds(random) {
        let at = place(entries.len(), random);
        let other = place(entries.len(), random);
        match random.below(10) {
            0 if entries.len() > 1 => {
                entries.remove(at);
            }
            1 => entries.insert(other, entries[at].clone()),
            2 => entries.swap(at, other),
            3 => entries.truncate(at + 1),
            4 => {
                if let Some(of) = descriptor("Entry") {
                    entries.insert(at, message::filled(of, &[], random, 0).encode_to_vec());
                }
            }
            _ => entries[at] = changed(&entries[at], random),
        }
    }
    joined(&entries)
}

/// What tables stand on, with this store.
pub fn parts(store: Arc<dyn Store>, keys: Keys) -> Parts {
    let threads = Threads::of_tokio();
    let journal =
        Journal::start(store.clone(), &threads).unwrap_or_else(|why| panic!("no thread: {why}"));
    Parts {
        sandbox: Sandbox::default(),
        store,
        journal,
        keys,
        workers: Workers::on(&threads),
        threads,
        library: ArcSwap::from_pointee(LIBRARY.clone()),
        limits: Limits::default(),
        outages: Default::default(),
        listing: Default::default(),
        holders: referee::table::holders(),
        notices: Default::default(),
        clock: Clock::system(),
        metrics: Arc::default(),
    }
}

fn run(input: &[u8]) {
    let sealed = sealed_seed();
    let entries: Vec<Vec<u8>> = parted(input)
        .iter()
        .map(|entry| exchanged(entry, SEALED, &sealed))
        .collect();
    if entries.is_empty() {
        return;
    }
    let store = Arc::new(Memory::default());
    for (digest, content) in &PLAYED.contents {
        let _ = store.put_content(digest, content);
    }
    let whole = entries == PLAYED.entries;
    let begun = PLAYED.entries.starts_with(&entries);
    let append = Append {
        create: Some(PLAYED.new.clone()),
        entries,
        names: PLAYED.names.clone(),
        ..Append::to(PLAYED.id.clone(), 0, MatchState::Finished)
    };
    let kept = store.append(vec![append]);
    assert!(matches!(kept.as_deref(), Ok([Appended::Done])), "{kept:?}");
    let parts = parts(store, PLAYED.keys.clone());
    let checked = verify(&parts, &PLAYED.id, &mut |_| {});
    if whole {
        let findings = checked
            .as_ref()
            .ok()
            .and_then(|checked| checked.as_ref())
            .map(|checked| &checked.findings);
        assert_eq!(findings, Some(&Vec::new()), "what was written is not sound");
    }
    let registry = Registry::new(parts);
    RUNTIME.block_on(async {
        let Ok(Some(table)) = registry.open(&PLAYED.id).await else {
            assert!(!begun, "what was written cannot be opened");
            return;
        };
        let snapshot = table.snapshot();
        let _ = prove(registry.parts(), &snapshot.info);
        let _ = archive::export(registry.parts(), &snapshot);
    });
    let _ = carried_over(registry.parts(), &PLAYED.id);
}
