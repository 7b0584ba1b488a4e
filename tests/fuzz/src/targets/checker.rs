//! The checker over changed rulesets; what checks is played.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Severity;
use referee_tests::random::Random;

use super::diagnosed::sound;
use super::played;
use crate::mutate::{bytes, case, once_in};
use crate::{Target, shelf};

/// Packages with changed files.
pub const TARGET: Target = Target {
    name: "checker",
    about: "every shipped ruleset, module and house rule with changed files: checked again the same, diagnostics point into \
            the files, what checks can be played",
    run,
    mutate,
    seeds,
    longest: 1 << 17,
};

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    match once_in(100, random) {
        true => bytes::mutate(input, random),
        false => case::mutate(input, random, |path| {
            path.ends_with(".rules") || (path.ends_with(".yaml") && !path.contains("scenarios/"))
        }),
    }
}

/// Every package as it is, with each of its modules, and with each house rule.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (folder, texts) in shelf::packages() {
        all.push(format!("ruleset {folder}\nplayers 3\n").into_bytes());
        let manifests = texts.files.iter().filter_map(|(path, _)| {
            let (module, file) = path.strip_prefix("modules/")?.split_once('/')?;
            (file == "module.yaml").then_some(module)
        });
        for module in manifests {
            all.push(format!("ruleset {folder}\nplayers 3\nmodules {module}\n").into_bytes());
            all.push(format!("ruleset {folder}\nplayers 2\nmodules {module}\n").into_bytes());
        }
    }
    for (name, extends, texts) in shelf::house_rules() {
        let mut case = format!("ruleset {extends}\nplayers 2\nhouse {name}\n");
        for (path, text) in texts
            .files
            .iter()
            .filter(|(path, _)| !path.contains("scenarios/"))
        {
            case.pop();
            case += &format!("\n=== house/{name}/{path}\n{text}");
        }
        all.push(case.into_bytes());
    }
    all
}

fn run(input: &[u8]) {
    let Some(case) = shelf::case_of(input) else {
        return;
    };
    let check = || Ruleset::compile(&case.base, &case.house, &case.configuration);
    let hash = blake3::hash(input);
    let seed = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    // A check of a large ruleset takes long: only some are checked twice.
    let twice = seed.is_multiple_of(4);
    match check() {
        Err(one) => {
            sound(&one.sources, &one.diagnostics);
            let errors = |d: &interpreter::diagnostic::Diagnostic| d.severity == Severity::Error;
            assert!(
                one.diagnostics.list.iter().any(errors),
                "rejected without an error"
            );
            let other = twice.then(|| check().err().map(|other| other.diagnostics.list));
            assert!(
                other.is_none_or(|other| other.as_ref() == Some(&one.diagnostics.list)),
                "checked twice, diagnosed otherwise"
            );
        }
        Ok(one) => {
            sound(one.sources(), one.warnings());
            if twice {
                let other = check().ok();
                let other = other.map(|other| (other.digest(), other.warnings().list.clone()));
                assert_eq!(
                    other,
                    Some((one.digest(), one.warnings().list.clone())),
                    "checked twice, compiled otherwise"
                );
            }
            played::shortly(&one, seed);
        }
    }
}
