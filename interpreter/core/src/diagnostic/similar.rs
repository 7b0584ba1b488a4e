//! Did you mean …? Finds the known word that a misspelt one was probably meant to be.

use crate::budget::spend;
use crate::numbers::Fit as _;

/// The candidate most like `word`, if one is alike enough to be suggested.
///
/// Case, hyphens and underscores count for nothing, so `OneShipPerKind` and `one_ship_per_kind` find
/// `one-ship-per-kind`; beyond that about one letter in three may be wrong. Among equals the first
/// candidate wins, so the answer does not depend on anything but the order given.
pub fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = simplified(word);
    let most = match plain.chars().count() {
        0 => return None,
        n => (n / 3).max(1),
    };
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        if candidate == word {
            continue;
        }
        spend(16 + 2 * candidate.len().fit::<u64>(), None);
        let simple = simplified(candidate);
        // So many letters must go at least; to count them all would take long for a word without end.
        if plain.chars().count() > simple.chars().count() + most {
            continue;
        }
        spend((plain.len() * simple.len()).fit(), None);
        let distance = distance(&plain, &simple);
        // A word of which every letter differs is no suggestion, however short it is.
        if distance <= most
            && distance < plain.chars().count()
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The sentence for a diagnostic's help: ``did you mean `cost`?``
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    similar(word, candidates).map(|found| format!("did you mean `{found}`?"))
}

fn distance(a: &str, b: &str) -> usize {
    // A word typed only in part (`ship` for `ship_6`) is closer than its length says.
    if a.chars().count() >= 3 && b.starts_with(a) {
        return 1;
    }
    strsim::damerau_levenshtein(a, b)
}

fn simplified(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}
