//! States in their canonical form, and saved matches: as bytes and as JSON.

use std::sync::{Arc, LazyLock};

use interpreter::Ruleset;
use interpreter::play::{ApplyError, FORM, Item, Match, Seed};
use referee_tests::games::{audiences, night_market, tea_house, walk};
use referee_tests::random::Random;

use crate::Target;
use crate::mutate::{bytes, json, once_in};

/// Bytes of states.
pub const TARGET: Target = Target {
    name: "states",
    about: "canonical states as bytes, and saved matches with the right sum: read, they are written as the same bytes; a match \
            that is rebuilt from one has that state and can be looked at and played",
    run,
    mutate,
    seeds,
    longest: 1 << 14,
};

/// The first byte of an input says which, and whether a saved match follows.
static RULESETS: LazyLock<Vec<Arc<Ruleset>>> = LazyLock::new(|| {
    vec![
        tea_house(2),
        night_market(2, &[]),
        night_market(3, &["rainy"]),
    ]
});

const SEED: u64 = 3;

fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (number, ruleset) in RULESETS.iter().enumerate() {
        let mut n = 0;
        walk(ruleset, SEED, true, |played| {
            if n % 7 == 0 {
                all.push([&[number as u8][..], &played.canonical()].concat());
            }
            if n % 29 == 0 {
                let saved = played.save();
                let body = saved.len().saturating_sub(32);
                all.push([&[number as u8 | 0x80][..], &saved[..body]].concat());
            }
            n += 1;
        });
    }
    all
}

/// Parts of states, to be put elsewhere.
static PARTS: LazyLock<Vec<serde_json::Value>> = LazyLock::new(|| {
    let mut parts = Vec::new();
    for seed in seeds() {
        let state = seed.get(1..).and_then(|state| Item::decode(state).ok());
        if let Some(serde_json::Value::Object(sections)) =
            state.and_then(|item| serde_json::to_value(item).ok())
        {
            for section in sections.into_iter().map(|(_, section)| section) {
                match &section {
                    serde_json::Value::Object(inner) => parts.extend(inner.values().cloned()),
                    serde_json::Value::Array(inner) => parts.extend(inner.iter().cloned()),
                    _ => {}
                }
                parts.push(section);
            }
        }
    }
    parts.truncate(4000);
    parts
});

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let state = input.get(1..).and_then(|state| Item::decode(state).ok());
    let tree = state.and_then(|item| serde_json::to_value(item).ok());
    match tree {
        Some(mut tree) if !once_in(8, random) => {
            json::change(&mut tree, &PARTS, random);
            match serde_json::from_value::<Item>(tree) {
                Ok(item) => [&input[..1], &item.encode()].concat(),
                Err(_) => bytes::mutate(input, random),
            }
        }
        _ => bytes::mutate(input, random),
    }
}

/// What follows the cells in a saved match: these are a list of numbers of seven bits to a byte, where a zero is followed by
/// how many there are.
fn happened(saved: &[u8]) -> Option<&[u8]> {
    let mut rest = saved;
    let mut number = || {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let (byte, more) = rest.split_first()?;
            rest = more;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    let mut left = number()?;
    while left > 0 {
        let run = match number()? {
            0 => number()?.max(1),
            _ => 1,
        };
        left = left.checked_sub(run)?;
    }
    Some(rest)
}

/// The sum that a saved match ends with.
fn sum(ruleset: &Ruleset, body: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026-11 saved match");
    hasher.update(FORM.as_bytes());
    hasher.update(&ruleset.digest().0);
    hasher.update(body);
    *hasher.finalize().as_bytes()
}

fn run(input: &[u8]) {
    let Some((which, body)) = input.split_first() else {
        return;
    };
    let ruleset = &RULESETS[usize::from(which & 0x7f) % RULESETS.len()];
    let seed = Seed::from_number(SEED);
    if which & 0x80 != 0 {
        // As it is: whatever is not what was saved is noticed by its sum. Behind a right sum cells are believed (nobody has
        // the key of a store but its referee), so here only what happened is changed, which comes after them.
        let _ = Match::restore(ruleset.clone(), seed, body);
        let (Ok(begun), Some(happened)) = (Match::new(ruleset.clone(), seed, true), happened(body))
        else {
            return;
        };
        let saved = begun.save();
        let cells = saved.len() - self::happened(&saved).map_or(0, <[u8]>::len);
        let whole = [&saved[..cells], happened].concat();
        let whole = [&whole[..], &sum(ruleset, &whole)].concat();
        if let Ok(again) = Match::restore(ruleset.clone(), seed, &whole) {
            for audience in audiences(ruleset.players()) {
                let _ = again.view(audience);
                let _ = again.events(audience, 0);
            }
            let _ = again.record();
            let saved = again.save();
            let once_more = Match::restore(ruleset.clone(), seed, &saved);
            assert_eq!(
                once_more.ok().map(|again| again.save()),
                Some(saved),
                "saved and restored otherwise"
            );
        }
        return;
    }
    if let Ok(item) = Item::decode(body) {
        assert_eq!(item.encode(), body, "read and written otherwise");
        let told = serde_json::to_string(&item).unwrap_or_default();
        let read: Result<Item, _> = serde_json::from_str(&told);
        assert_eq!(read.ok(), Some(item), "as JSON it is another");
    }
    let _ = serde_json::from_slice::<Item>(body);
    if let Ok(again) = Match::rebuilt(ruleset.clone(), seed, body) {
        assert_eq!(again.canonical(), body, "rebuilt from another state");
        played(again);
    }
}

/// A position that nobody came to by playing is nevertheless one: it can be looked at, and played on.
fn played(mut game: Match) {
    let mut random = Random::new(1);
    for _ in 0..6 {
        for audience in audiences(game.ruleset().players()) {
            let _ = game.view(audience);
        }
        let Some(seat) = game.quickest(&mut || random.word()) else {
            return;
        };
        let _ = game.question(seat);
        let _ = game.legal_moves(seat, 20);
        let Some(mv) = game.sample(seat, &mut || random.word()) else {
            return;
        };
        match game.apply(seat, &mv) {
            Ok(()) => {}
            Err(ApplyError::Refused(why)) => panic!("{mv:?} was offered: {why:?}"),
            Err(ApplyError::Fault(_)) => return,
        }
    }
}
