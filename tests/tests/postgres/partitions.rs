//! Nothing on the way of a move looks into more than one part of a table.

use std::collections::BTreeSet;

use libtest_mimic::Failed;
use referee::store::conformance::{append_to, new_match};
use referee::store::{Append, Grant, Principal, RequestRow, Store as _, TokenRow};
use referee_tests::cluster::Cluster;

use super::Test;
use super::conformance::store;

pub const TESTS: &[(&str, Test)] = &[(
    "partitions::a_move_touches_one_part_of_each_table",
    one_part,
)];

/// Parts that a line of a plan says something was done in: `entries_3`, `matches_3_pkey`.
fn parts(line: &str) -> impl Iterator<Item = char> {
    let done = line.contains("(actual") && !line.contains("never executed");
    let words = line.split_whitespace().filter(move |_| done);
    words.filter_map(|word| {
        let (table, rest) = word.split_once('_')?;
        let of_matches = referee::store::postgres::OF_MATCHES.contains(&table);
        rest.chars()
            .next()
            .filter(|first| of_matches && first.is_ascii_digit())
    })
}

fn one_part(cluster: &Cluster) -> Result<(), Failed> {
    let (store, ..) = store(cluster)?;
    // Enough matches that every part has some, and one of which all is looked at.
    let mut ids = Vec::new();
    for _ in 0..64 {
        let (create, id) = new_match();
        store.append(vec![create])?;
        ids.push(id);
    }
    let mut seen = BTreeSet::new();
    for id in &ids[..8] {
        let token = TokenRow::new(
            [7; 32],
            Grant::Seat {
                id: id.clone(),
                seat: 1,
            },
        );
        store.grant(&token)?;
        let append = Append {
            request: Some(RequestRow {
                principal: Principal(token.hash),
                request_id: "one".into(),
                digest: [1; 32],
                receipt: vec![1],
            }),
            ..append_to(id, 1, &[b"a move", b"another"])
        };
        for plan in store.plans(append, token.hash)? {
            let touched: BTreeSet<char> = plan.lines.iter().flat_map(|line| parts(line)).collect();
            if touched.len() != 1 {
                let lines = plan.lines.join("\n");
                return Err(format!("{} touches {touched:?}:\n{lines}", plan.what).into());
            }
            seen.extend(touched);
        }
        // What was told was done, too.
        let kept = store.find(id)?.ok_or("it is gone")?;
        if kept.length != 3 {
            return Err(format!("the log has {} entries", kept.length).into());
        }
    }
    match seen.len() > 1 {
        true => Ok(()),
        false => Err("all matches lie in one part".into()),
    }
}
