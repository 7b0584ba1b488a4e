//! The author's workbench: what reads, draws, compares and writes rulesets.

mod book;
mod graph;
mod record;

use referee_tests::root;

/// Compares with an accepted text below `tests/program/workbench/accepted`.
macro_rules! shows {
    ($name:literal, $text:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "accepted",
        }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}
pub(crate) use shows;

/// Rulesets that are shipped and can be played.
const SHIPPED: [&str; 3] = ["puerto-rico", "san-juan", "catan-rivals"];

/// The folder of an invented ruleset.
fn invented(name: &str) -> String {
    root()
        .join("tests/rulesets")
        .join(name)
        .display()
        .to_string()
}
