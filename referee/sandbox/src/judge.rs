//! What is wrong with a package: wherever it is tried, this is what finds out.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::budget::{self, Budget, Ended};
use interpreter::diagnostic::{ADDED, Code, Diagnostic, Severity};
use interpreter::package::{Configuration, Glimpse};
use interpreter::play::{CompileOptions, PackageTexts, WORK};
use interpreter::source::Sources;

use referee_contract::v1::{self, DiagnosticSeverity};
use referee_library::{Edition, LibraryError, MODULE};

/// What a package offers.
#[derive(Debug, Default)]
pub struct Offer {
    /// Configurations that are worth a look: every number of players of the base game, and of each module with those
    /// that it cannot do without.
    pub configurations: Vec<Configuration>,
    /// Why its manifest cannot be read, if it cannot.
    pub mistake: Option<v1::Diagnostic>,
}

/// What came of compiling a package in one configuration.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Whether a match of it can be created.
    pub playable: bool,
    /// What is wrong with it.
    pub diagnostics: Vec<v1::Diagnostic>,
}

/// For what a package is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Purpose {
    /// Somebody asks for this configuration.
    Asked = 0,
    /// It is one of those that a package [offers](Offer).
    Offered = 1,
    /// A match that began with these texts elsewhere is brought: errors that later builds have added do not matter.
    Brought = 2,
    /// A match began with them here: nor does it matter what making them takes.
    Kept = 3,
}

/// The mistake of a number of players that a ruleset does not allow.
const PLAYERS: Code = Code::UnsupportedPlayerCount;

/// Reads what a package offers.
pub fn offer(texts: &PackageTexts) -> Offer {
    let (edition, _) = budget::within(&Budget::of(WORK), || Edition::new(texts.clone()));
    let mistake = match edition {
        Ok(Ok(edition)) => {
            return Offer {
                configurations: offered(&edition),
                mistake: None,
            };
        }
        Ok(Err(LibraryError::Manifest { report, .. })) => report.trim().to_owned(),
        Ok(Err(other)) => other.to_string(),
        Err(Ended::Spent(_) | Ended::Stopped) => {
            format!("reading its manifest takes more than {WORK} units of work")
        }
    };
    Offer {
        configurations: Vec::new(),
        mistake: Some(v1::Diagnostic {
            severity: DiagnosticSeverity::Error.into(),
            message: mistake,
            path: "ruleset.yaml".into(),
            ..Default::default()
        }),
    }
}

/// Compiles a package in one configuration.
pub fn verdict(texts: &PackageTexts, configuration: &Configuration, purpose: Purpose) -> Verdict {
    let options = CompileOptions {
        tolerated: match purpose {
            Purpose::Asked | Purpose::Offered => &[],
            Purpose::Brought | Purpose::Kept => ADDED,
        },
        work: if purpose == Purpose::Kept {
            u64::MAX
        } else {
            WORK
        },
        ..CompileOptions::default()
    };
    let (playable, diagnostics) = match &Ruleset::compile_with(texts, &[], configuration, options) {
        Ok(ruleset) => (true, messages(ruleset.sources(), &ruleset.warnings().list)),
        // A module may be for fewer numbers of players than the base game.
        Err(rejected)
            if purpose == Purpose::Offered
                && !configuration.modules.is_empty()
                && rejected.diagnostics.list.iter().all(|d| d.code == PLAYERS) =>
        {
            (true, Vec::new())
        }
        Err(rejected) => (
            false,
            messages(&rejected.sources, &rejected.diagnostics.list),
        ),
    };
    Verdict {
        playable,
        diagnostics,
    }
}

fn offered(edition: &Edition) -> Vec<Configuration> {
    let players = edition.players.0..=edition.players.1;
    let mut configurations: Vec<Configuration> = players.clone().map(Configuration::base).collect();
    for module in &edition.modules {
        let manifest = format!("modules/{}/{MODULE}", module.id);
        let glimpse = Glimpse::of(edition.texts.get(&manifest).unwrap_or_default());
        let mut modules = glimpse.requires;
        match glimpse.joins.is_empty() {
            true => modules.push(module.id.clone()),
            // It is laid by itself when those that it joins are.
            false => modules.extend(glimpse.joins),
        }
        configurations.extend(players.clone().map(|players| Configuration {
            modules: modules.clone(),
            ..Configuration::base(players)
        }));
    }
    configurations
}

fn messages(sources: &Sources, list: &[Diagnostic]) -> Vec<v1::Diagnostic> {
    let told = list.iter().map(|diagnostic| {
        let place = diagnostic.labels.first().map(|label| label.span);
        let at = place.map(|span| sources.line_column(span));
        let path = place.map(|span| sources.file(span.file).path.clone());
        v1::Diagnostic {
            code: diagnostic.code.to_string(),
            severity: match diagnostic.severity {
                Severity::Error => DiagnosticSeverity::Error,
                Severity::Warning => DiagnosticSeverity::Warning,
            }
            .into(),
            message: diagnostic.message.clone(),
            path: path.unwrap_or_default(),
            line: at.map_or(0, |at| at.line),
            column: at.map_or(0, |at| at.column),
            help: diagnostic.help.clone().unwrap_or_default(),
        }
    });
    told.collect()
}
