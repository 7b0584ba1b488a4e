//! Whoever runs targets notices what goes wrong: faults that are planted, one of each kind.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `fuzz`, which keeps what it finds in a folder of the test's.
fn fuzz(arguments: &[&str], found: &Path) -> Output {
    let done = Command::new(env!("CARGO_BIN_EXE_fuzz"))
        .args(arguments)
        .env("CARGO_TARGET_DIR", found)
        .env("FUZZ_SECONDS_PER_INPUT", "1")
        .env("FUZZ_MIB", "400")
        .output();
    done.expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_kind_of_fault_is_noticed_and_its_input_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    for (word, how) in [
        ("panic", "it panicked"),
        ("elsewhere", "it panicked"),
        ("overflow", "the process was lost"),
        ("endless", "it took too long"),
        ("memory", "it took too much memory"),
    ] {
        let input = folder.path().join("input");
        std::fs::write(&input, word).expect("a file");
        let done = fuzz(
            &["replay", "planted", &input.to_string_lossy()],
            folder.path(),
        );
        let said = said(&done);
        assert_eq!(done.status.code(), Some(1), "{word}: {said}");
        assert!(said.contains(how), "{word}: {said}");
        // The command that is printed feeds it again.
        let command = said.lines().last().expect("a command");
        let kept = command.rsplit(' ').next().expect("a file");
        assert_eq!(
            std::fs::read_to_string(kept).expect("it is kept"),
            word,
            "{command}"
        );
    }
    let input = folder.path().join("input");
    std::fs::write(&input, "harmless").expect("a file");
    let done = fuzz(
        &["replay", "planted", &input.to_string_lossy()],
        folder.path(),
    );
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_fault_near_a_seed_is_found_by_mutation_and_found_again_by_the_same_seed() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "mutate",
        "planted",
        "--seed",
        "a1b2",
        "--seconds",
        "60",
        "--inputs",
        "60000",
    ];
    let [one, other] = [(); 2].map(|()| fuzz(&arguments, folder.path()));
    assert_eq!(one.status.code(), Some(1), "{}", said(&one));
    assert!(said(&one).contains("fuzz: seed a1b2"), "{}", said(&one));
    assert_eq!(said(&one), said(&other));
}

#[test]
fn every_target_has_seeds_and_mutates_them() {
    let mut random = referee_tests::random::Random::new(1);
    for target in referee_fuzz::TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}", target.name);
        let changed = (0..50).filter(|_| {
            let seed = random.pick(&seeds).clone();
            let made = referee_fuzz::mutated(target, &seed, &mut random);
            made != seed && made.len() <= target.longest
        });
        assert!(changed.count() > 25, "{}", target.name);
    }
}
