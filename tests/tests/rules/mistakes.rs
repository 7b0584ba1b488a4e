//! What the corpus of mistakes holds: enough of them, each told with its place and how to mend it.

use std::collections::{BTreeMap, BTreeSet};

use referee_tests::root;

/// The messages of errors in every text under `corpus/diagnostics`, by code.
fn messages() -> BTreeMap<String, Vec<String>> {
    let mut by_code: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folder = root().join("tests/corpus/diagnostics");
    for stage in std::fs::read_dir(folder).expect("a folder").flatten() {
        let snapshots = std::fs::read_dir(stage.path().join("snapshots")).expect("a folder");
        for file in snapshots.flatten() {
            let text = std::fs::read_to_string(file.path()).expect("readable");
            let (_, told) = text.rsplit_once("────────").unwrap_or(("", &text));
            for message in told.split("\n\n") {
                let code = message.trim_start().strip_prefix("error[");
                if let Some((code, _)) = code.and_then(|rest| rest.split_once(']')) {
                    let message = message.trim().to_owned();
                    by_code.entry(code.to_owned()).or_default().push(message);
                }
            }
        }
    }
    by_code
}

#[test]
fn mistakes_are_told_with_place_and_mend() {
    let mended = messages().into_iter().filter_map(|(code, messages)| {
        let good = messages
            .into_iter()
            .filter(|message| message.contains(" --> ") && message.contains("= help: "));
        let good: BTreeSet<String> = good.collect();
        (!good.is_empty()).then_some((code, good.len()))
    });
    let mended: BTreeMap<String, usize> = mended.collect();
    let mistakes: usize = mended.values().sum();
    println!("{mistakes} mistakes of {} codes", mended.len());
    assert!(mistakes >= 200, "{mistakes}");
    assert!(mended.len() >= 80, "{mended:?}");
}
