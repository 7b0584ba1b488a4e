//! How much of something is tried, and which part.

use std::process::Command;
use std::time::SystemTime;

/// A number that somebody asks for by a variable of the environment.
///
/// # Panics
///
/// When it is no number.
pub fn asked(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is no number: {value}")),
    )
}

/// A number by which samples rotate: another one with each commit, or each day where the tests are not in a repository.
pub fn turn() -> u64 {
    let told = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(crate::root())
        .output();
    let commit = told.ok().and_then(|told| {
        let digits = String::from_utf8(told.stdout).ok()?;
        u64::from_str_radix(digits.get(..12)?, 16).ok()
    });
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    commit.unwrap_or_else(|| since.map_or(0, |since| since.as_secs() / (24 * 3600)))
}
