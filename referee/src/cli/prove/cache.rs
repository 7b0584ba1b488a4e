//! Verdicts that were found before, in a file: a run that was interrupted goes on where it was, and whoever adds a scenario
//! has only those mutants judged again of which that might say something else.
//!
//! The file is named by a digest of the rules and of this program. A line keeps a verdict with a digest of what it rests on
//! beside them: the file of the scenario that noticed the mistake, or all scenarios where none did. What has survived the
//! scenarios that prove a package, and was not yet tried with those of its modules, is kept as that.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use interpreter::mutation::{Mutant, Over, Verdict, bare};
use interpreter::package::PackageTexts;
use serde::{Deserialize, Serialize};

use super::super::environment::{cache_folder, own_program};
use referee_report::proving::Stage;
use referee_store::hashing::Context;

static VERDICTS: Context = Context::new("referee prove: what verdicts rest on, 1");

/// Files of other rules that are kept: those that were written last.
const KEPT: usize = 64;

/// A verdict as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    mutant: String,
    rests_on: String,
    verdict: Verdict,
    /// Whether scenarios with modules have still to be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_open: bool,
}

/// Verdicts that are known, and the file to which those that are found are added.
pub(super) struct Cache {
    known: BTreeMap<String, Line>,
    /// By path: the digest of a file of scenarios.
    files: BTreeMap<String, String>,
    scenarios: String,
    file: Mutex<File>,
}

impl Cache {
    /// Opens the file for these rules in a folder, or in the user's folder of caches.
    pub(super) fn open(
        folder: Option<&Path>,
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        over: &Over,
    ) -> io::Result<Cache> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => cache_folder("prove"),
        };
        fs::create_dir_all(&folder)?;
        tidy(&folder);
        let path = folder.join(format!("{}.jsonl", rules(base, house, over)?));
        let mut known = BTreeMap::new();
        if let Ok(file) = File::open(&path) {
            // A line that was cut off when the run was is no verdict.
            let lines = BufReader::new(file).lines().map_while(Result::ok);
            let lines = lines.filter_map(|line| serde_json::from_str::<Line>(&line).ok());
            known.extend(lines.map(|line| (line.mutant.clone(), line)));
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        // So that what follows a line that was cut off begins another one.
        writeln!(file)?;
        let (mut files, mut all) = (BTreeMap::new(), VERDICTS.hasher());
        for texts in std::iter::once(base).chain(house.iter().map(|(_, texts)| texts)) {
            for (path, text) in sorted(texts).filter(|(path, _)| path.contains("scenarios/")) {
                let shown = match texts.path.trim_end_matches('/') {
                    "" => path.clone(),
                    folder => format!("{folder}/{path}"),
                };
                part(&mut all, path);
                part(&mut all, text);
                files.insert(shown, blake3::hash(text.as_bytes()).to_hex().to_string());
            }
        }
        Ok(Cache {
            known,
            files,
            scenarios: all.finalize().to_hex().to_string(),
            file: Mutex::new(file),
        })
    }

    /// The verdict on a mutant, if what it rests on is still there, and by which scenarios it was given.
    pub(super) fn known(&self, mutant: &Mutant) -> Option<(Verdict, Stage)> {
        let line = self.known.get(&mutant.id)?;
        let stage = match line.is_open {
            true => Stage::Proving,
            false => Stage::All,
        };
        (line.rests_on == self.rests_on(&line.verdict)).then(|| (line.verdict.clone(), stage))
    }

    /// Keeps a verdict, unless it is known. That it cannot be written is no reason to stop.
    pub(super) fn keep(&self, mutant: &Mutant, verdict: &Verdict, stage: Stage) {
        if self
            .known(mutant)
            .is_some_and(|(_, known)| known == stage || known == Stage::All)
        {
            return;
        }
        let line = Line {
            mutant: mutant.id.clone(),
            rests_on: self.rests_on(verdict),
            verdict: verdict.clone(),
            is_open: stage == Stage::Proving,
        };
        if let Ok(mut line) = serde_json::to_string(&line) {
            line.push('\n');
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(line.as_bytes());
        }
    }

    fn rests_on(&self, verdict: &Verdict) -> String {
        match verdict {
            Verdict::Invalid { .. } => String::new(),
            Verdict::Survived { .. } => self.scenarios.clone(),
            Verdict::Killed(by) => {
                let path = by.place.rsplit_once(':').map_or("", |(path, _)| path);
                self.files.get(path).unwrap_or(&self.scenarios).clone()
            }
        }
    }
}

/// A digest of the rules and of this program.
fn rules(base: &PackageTexts, house: &[(String, PackageTexts)], over: &Over) -> io::Result<String> {
    let mut hasher = VERDICTS.hasher();
    hasher.update_reader(File::open(own_program()?)?)?;
    for name in over.modules.iter().chain(&over.house) {
        part(&mut hasher, name);
    }
    let laid = house.iter().filter(|(name, _)| over.house.contains(name));
    let all = std::iter::once(("", base)).chain(laid.map(|(name, texts)| (name.as_str(), texts)));
    for (name, texts) in all {
        part(&mut hasher, name);
        // Killers are named by places, which say where the folder is.
        part(&mut hasher, &texts.path);
        for (path, text) in sorted(&bare(texts)) {
            part(&mut hasher, path);
            part(&mut hasher, text);
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn part(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&referee_store::numbers::to_u64(text.len()).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn sorted(texts: &PackageTexts) -> impl Iterator<Item = &(String, String)> {
    let mut files: Vec<_> = texts.files.iter().collect();
    files.sort();
    files.into_iter()
}

/// Removes files of rules that have not been proved for long.
fn tidy(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(std::time::SystemTime, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    files.sort();
    for (_, path) in files.iter().rev().skip(KEPT) {
        let _ = fs::remove_file(path);
    }
}
