//! A track in one line: its steps, and what stands on which.
//!
//! In: the first step and the last, and where each counter stands. Out: the line. Of a long track the steps are named on which
//! something stands, and both ends.

use std::collections::BTreeMap;

/// Of a track of more steps than this the empty ones are left out.
const MOST_EMPTY: u64 = 24;

/// Draws a track. A counter of which there is nothing to say stands there without a name; where one stands may be hidden.
pub fn drawn((from, to): (i64, i64), counters: Vec<(Option<i64>, Option<String>)>) -> String {
    let within = from.min(to)..=from.max(to);
    let mut on: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let mut beside = Vec::new();
    for (value, name) in counters {
        match value {
            Some(step) if within.contains(&step) => on.entry(step).or_default().extend(name),
            value => {
                let value = value.map_or_else(|| "?".to_owned(), |value| value.to_string());
                beside.push(match name {
                    Some(name) => format!("{name}: {value}"),
                    None => value,
                });
            }
        }
    }
    let all = from.abs_diff(to) < MOST_EMPTY;
    let mut steps: Vec<i64> = match all {
        true => within.collect(),
        false => on.keys().copied().chain([from, to]).collect(),
    };
    steps.sort_unstable();
    steps.dedup();
    if from > to {
        steps.reverse();
    }
    let said = steps.iter().map(|step| match on.get(step) {
        None => step.to_string(),
        Some(names) if names.is_empty() => format!("[{step}]"),
        Some(names) => format!("[{step} {}]", names.join(", ")),
    });
    let between = if all { " " } else { " … " };
    let mut line = said.collect::<Vec<_>>().join(between);
    if !beside.is_empty() {
        line.push_str(&format!(" · {}", beside.join(" · ")));
    }
    line
}
