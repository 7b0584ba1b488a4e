//! Every kind of mistake: its code, a title, an explanation and an example, for `referee explain` and the reference.
//!
//! One document for each stage; a mistake is added there, and to the [codes](Code), in the same change that first
//! reports it.
//!
//! An example is what an author writes into a package that is right without it: the market in
//! `tests/tests/unit/interpreter/diagnostic/catalogue/market`. It is text of a `.rules` file, or of a scenario if the
//! mistake is one of scenarios. A line `# setup.yaml` begins the text of that document: its keys take the place of those
//! that the document has. `# … is missing` says that there is no such file, and `# referee check market --players 5` how
//! the match is configured.

mod codes;

pub use codes::Code;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// What is said of a code.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// A few words.
    pub title: String,
    /// A paragraph: what is wrong, why it matters, how to mend it.
    pub explanation: String,
    /// How it looks.
    pub example: Example,
}

/// Something short that has the mistake, and the same mended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// With the mistake.
    pub wrong: String,
    /// Without it.
    pub right: String,
}

const STAGES: [&str; 10] = [
    include_str!("rules.yaml"),
    include_str!("scripts.yaml"),
    include_str!("documents.yaml"),
    include_str!("composition.yaml"),
    include_str!("names.yaml"),
    include_str!("audiences.yaml"),
    include_str!("graph.yaml"),
    include_str!("lints.yaml"),
    include_str!("unplayable.yaml"),
    include_str!("scenarios.yaml"),
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let read = |stage| serde_yaml::from_str::<Vec<Entry>>(stage).expect("a test reads it");
    STAGES.into_iter().flat_map(read).collect()
});

/// Every entry, by code.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter()
}

/// What this code means.
///
/// # Panics
///
/// Never: a test finds an entry for every code.
pub fn explain(code: Code) -> &'static Entry {
    let mut entries = entries();
    let entry = entries.find(|entry| entry.code == code);
    entry.expect("a test finds an entry for every code")
}
