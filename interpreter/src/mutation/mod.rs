//! Mutation testing of rules: whether the scenarios of a ruleset would notice a mistake.
//!
//! In: the texts of a package and which modules are laid over it. Out: [mutants](Mutant), each of them the package with one
//! mistake planted by an [operator](Operator), and a [verdict](Verdict) on each: some scenario fails, or none does. A rule
//! of which a mutant survives may be wrong and everything stays green.
//!
//! Read [`mutants`] first, which finds the places in the parsed texts (`rules`, `tables`) where a mistake could show (`uses`), then [`Court`], which compiles a
//! mutant for one setup of scenarios and plays those in which something runs that differs (`compare`, `touched`), and [`Pair`],
//! which plays games with both where somebody says that nobody could notice. All of
//! it is pure, and every mutant stands alone: whoever wants verdicts in parallel asks for them in parallel.

mod chance;
mod compare;
mod court;
mod games;
mod mutant;
mod operator;
mod planting;
mod rules;
mod scripts;
mod skeleton;
mod tables;
mod touched;
mod uses;

pub use court::{Court, Heard, Killer, NotReady, Verdict, bare, judged};
pub use games::{Pair, Parted, Until};
pub use mutant::{Edit, Mutant, Site};
pub use operator::Operator;
pub use planting::{Over, Planted, mutants};
pub use skeleton::skeleton;

/// How many characters of a text stand in a line that tells of it.
const SNIPPET: usize = 72;

/// The numbers next to one. None below zero is next to zero: most numbers count something, and nobody makes that mistake.
fn near(number: i64) -> impl Iterator<Item = i64> {
    let below = (number != 0).then(|| number.saturating_sub(1));
    std::iter::once(number.saturating_add(1)).chain(below)
}

/// A stretch of a text on one line, cut if it is long.
fn snippet(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SNIPPET) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
