//! Records of matches in files: `referee.record/1`.

use std::sync::{Arc, LazyLock};

use interpreter::Ruleset;
use interpreter::play::Match;
use referee::record::{Kept, keep};
use referee_tests::games::{night_market, tea_house, walk};
use referee_tests::random::Random;

use crate::mutate::json;
use crate::mutate::text;
use crate::{Target, shelf};

/// Texts of records.
pub const TARGET: Target = Target {
    name: "records",
    about: "records of matches as YAML, with the right digest: what is read is written and read the same; what is replayed is \
            recorded the same",
    run,
    mutate,
    seeds,
    longest: 1 << 15,
};

static RULESETS: LazyLock<Vec<Arc<Ruleset>>> = LazyLock::new(|| {
    vec![
        tea_house(2),
        night_market(3, &["rainy"]),
        night_market(2, &[]),
    ]
});

fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for ruleset in &*RULESETS {
        for seed in 0..4 {
            let mut last = None;
            walk(ruleset, seed, seed % 2 == 0, |played| {
                last = Some(played.clone())
            });
            if let Some(played) = last {
                let mut kept = keep(ruleset, &played.record(), &[]);
                if seed > 1 {
                    kept.moves.truncate(6);
                }
                all.push(kept.write().into_bytes());
            }
        }
    }
    all
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let tree: Option<serde_json::Value> = serde_yaml::from_str(&text).ok();
    match tree {
        Some(mut tree) if random.below(3) > 0 => {
            json::change(&mut tree, &[], random);
            serde_yaml::to_string(&tree)
                .unwrap_or_default()
                .into_bytes()
        }
        _ => text::mutate(&text, &shelf::YAML, random).into_bytes(),
    }
}

fn run(input: &[u8]) {
    let Ok(mut kept) = Kept::read(&String::from_utf8_lossy(input)) else {
        return;
    };
    let again = Kept::read(&kept.write());
    assert_eq!(
        again.ok().as_ref(),
        Some(&kept),
        "written and read otherwise"
    );
    let _ = kept.seats();
    for ruleset in &*RULESETS {
        // As it is, and as if it were of these rules.
        let _ = kept.record(ruleset);
        kept.digest = ruleset.digest().to_string();
        let Ok(record) = kept.record(ruleset) else {
            continue;
        };
        if let Ok(played) = Match::replay(ruleset.clone(), &record) {
            let moves = played.record().moves;
            assert_eq!(
                moves.len(),
                record.moves.len(),
                "played again, recorded otherwise"
            );
            assert_eq!(played.verify(), Ok(()));
        }
    }
}
