//! What came of proving a package or a module, kept in `proof.yaml` beside its manifest, so that whoever says what is proven
//! need not plant every mistake again.
//!
//! In: texts. Out: of each clause whether mistakes in it survive, or that nobody knows. A proof says on which texts it rests;
//! of any others it says nothing.

use std::collections::BTreeMap;

use interpreter::mutation::{Mutant, Over, mutants};
use interpreter::package::{LAYOUT, PRINT, PROOF, PackageTexts, REVIEW};
use serde::{Deserialize, Serialize};

use super::marks::shown;
use super::{Count, Outcome, Proved};
use referee_store::hashing::Context;

static PROOFS: Context = Context::new("referee prove: what a proof rests on, 3");

/// The first lines of the file.
const HEAD: &str = "# What came of planting mistakes. `referee prove … --keep` writes this file; it holds for these texts only.\n";

/// A proof as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// A digest of the texts and of the mistakes that were planted in them.
    rests_on: String,
    /// What was laid over the package, that which is proved first; nothing if the package itself is proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
    /// How many mistakes came to which end.
    mistakes: Count,
    /// How many survive, by clause.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    survived: BTreeMap<String, usize>,
}

/// Whether a mistake is one in what is proved, and not in what that needs beside it.
pub fn belongs(mutant: &Mutant, proved: Option<&str>) -> bool {
    let Some(proved) = proved else { return true };
    match &mutant.house {
        Some(house) => house == proved,
        None => {
            let inside = mutant.path.strip_prefix("modules/");
            inside
                .and_then(|rest| rest.split_once('/'))
                .is_some_and(|(module, _)| module == proved)
        }
    }
}

impl Proof {
    /// The proof that a run gives of what was laid over first, or of the package itself.
    pub fn of(
        proved: &Proved<'_>,
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        over: &Over,
        with: Vec<String>,
    ) -> Proof {
        let planted: Vec<&Mutant> = proved.judged.iter().map(|judged| judged.mutant).collect();
        let mut survived: BTreeMap<String, usize> = BTreeMap::new();
        for judged in &proved.judged {
            if let (Outcome::Survived { .. }, Some(clause)) =
                (&judged.outcome, &judged.mutant.site.clause)
            {
                *survived.entry(clause.clone()).or_default() += 1;
            }
        }
        Proof {
            rests_on: rests_on(base, house, over, &planted),
            with,
            mistakes: proved.all(),
            survived,
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    ///
    /// When it cannot be written as YAML.
    pub fn text(&self) -> Result<String, serde_yaml::Error> {
        Ok(format!("{HEAD}{}", serde_yaml::to_string(self)?))
    }
}

/// Files on which no mistake and no scenario depends: they may change, and what was proved stays proved. A clause that rules and
/// scenarios cite is there, or the package is invalid. Names, clauses and ties to the print that a manifest keeps under other
/// names than these count.
const ASIDE: [&str; 7] = [
    PROOF,
    REVIEW,
    PRINT,
    LAYOUT,
    "names.yaml",
    "rulebook.yaml",
    "sources.yaml",
];

/// A digest of all texts but those that say nothing of what is proved, and of the mistakes.
fn rests_on(
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    over: &Over,
    planted: &[&Mutant],
) -> String {
    let mut hasher = PROOFS.hasher();
    let mut part = |text: &str| {
        hasher.update(&referee_store::numbers::to_u64(text.len()).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    let laid = house.iter().filter(|(name, _)| over.house.contains(name));
    let all = std::iter::once(("", base)).chain(laid.map(|(name, texts)| (name.as_str(), texts)));
    for (name, texts) in all {
        part(name);
        let mut files: Vec<_> = texts.files.iter().collect();
        files.sort();
        for (path, text) in files {
            let inside = path
                .strip_prefix("modules/")
                .and_then(|rest| rest.split_once('/'));
            let inside = inside.map_or(path.as_str(), |(_, inside)| inside);
            if ASIDE.contains(&inside) || inside.starts_with("snapshots/") {
                continue;
            }
            part(path);
            part(text);
        }
    }
    for module in &over.modules {
        part(module);
    }
    for mutant in planted {
        part(&mutant.id);
    }
    hasher.finalize().to_hex().to_string()
}

/// What is known of a package or of something that is laid over it.
#[derive(Clone, Debug)]
enum Known {
    /// There is no proof.
    Nothing,
    /// There is one of other texts.
    Outdated,
    /// There is one of these.
    Proof(Proof),
}

/// Why it is not known whether a clause is proven, or what is known against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nobody has planted mistakes in this, or not since the texts were changed: none is the package itself.
    Unknown(Option<String>),
    /// So many mistakes survive.
    Survive(usize),
}

/// The proofs of a package and of what is laid over it.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// By what is laid over it: none is the package itself.
    known: BTreeMap<Option<String>, Known>,
}

impl Kept {
    /// Reads the proofs of a package and of what is laid over it.
    ///
    /// # Errors
    ///
    /// When a proof is none, with its file.
    pub fn read(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        modules: &[String],
    ) -> Result<Kept, String> {
        let mut known = BTreeMap::new();
        let own = [(None, base, PROOF.to_owned())].into_iter();
        let modules = modules.iter().map(|module| {
            let path = format!("modules/{module}/{PROOF}");
            (Some(module.clone()), base, path)
        });
        let house_rules = house
            .iter()
            .map(|(name, texts)| (Some(name.clone()), texts, PROOF.to_owned()));
        for (layer, texts, path) in own.chain(modules).chain(house_rules) {
            let found = match texts.get(&path) {
                None => Known::Nothing,
                Some(text) => {
                    let proof: Proof = serde_yaml::from_str(text).map_err(|error| {
                        format!(
                            "{}: {error}; `referee prove … --keep` writes it anew",
                            shown(texts, &path)
                        )
                    })?;
                    judge(proof, base, house, layer.as_deref())
                }
            };
            known.insert(layer, found);
        }
        Ok(Kept { known })
    }

    /// What stands against a clause being proven, of which rules in these layers speak.
    pub fn doubt<'l>(
        &self,
        clause: &str,
        layers: impl Iterator<Item = Option<&'l str>>,
    ) -> Option<Doubt> {
        let mut survive = 0;
        for layer in layers {
            match self.known.get(&layer.map(str::to_owned)) {
                Some(Known::Proof(proof)) => {
                    survive += proof.survived.get(clause).copied().unwrap_or(0);
                }
                _ => return Some(Doubt::Unknown(layer.map(str::to_owned))),
            }
        }
        (survive > 0).then_some(Doubt::Survive(survive))
    }

    /// What is not proved as it is now: none is the package itself; and whether it was as it was before.
    pub fn unknown(&self) -> impl Iterator<Item = (Option<&str>, bool)> {
        self.known.iter().filter_map(|(layer, known)| match known {
            Known::Proof(_) => None,
            Known::Nothing => Some((layer.as_deref(), false)),
            Known::Outdated => Some((layer.as_deref(), true)),
        })
    }
}

/// Whether a proof is one of these texts.
fn judge(
    proof: Proof,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    layer: Option<&str>,
) -> Known {
    let (houses, modules): (Vec<String>, Vec<String>) = proof
        .with
        .iter()
        .cloned()
        .partition(|with| house.iter().any(|(name, _)| name == with));
    let over = Over {
        modules,
        house: houses,
    };
    let Ok(planted) = mutants(base, house, &over) else {
        return Known::Outdated;
    };
    let planted: Vec<&Mutant> = planted
        .mutants
        .iter()
        .filter(|mutant| belongs(mutant, layer))
        .collect();
    match rests_on(base, house, &over, &planted) == proof.rests_on
        && proof.with.first().map(String::as_str) == layer
    {
        true => Known::Proof(proof),
        false => Known::Outdated,
    }
}
