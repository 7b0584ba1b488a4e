//! `RulesetService.GetArtifact`: the book, the phase graph, the schemas and the coverage of a revision.
//!
//! What is made of the same texts, in the same configuration and language, is the same for ever: it is made once and
//! remembered, within a limit of bytes. A few are made at once; further requests wait for a place.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::budget::{self, Budget};
use interpreter::package::{Configuration, Language};

use tonic::metadata::MetadataMap;

use super::revisions::{configuration, edition};
use super::rulesets::Rulesets;
use crate::calls::chunks::Pieces;
use crate::calls::{Failure, chunks, status};
use referee_contract::v1::{self, ArtifactKind as Kind};
use referee_contract::{catalog, schema};
use referee_library::Edition;
use referee_report::artifact::{Report, covered, write};
use referee_store::numbers::{to_u64, to_usize};
use referee_table::{Queue, TableError};

/// Units of [work](interpreter::budget) that one of them may take, some thirty times what the longest book of the shipped
/// rulesets does.
const ARTIFACT_WORK: u64 = 200_000_000;
/// The same where scenarios are run.
const COVERAGE_WORK: u64 = 1_000_000_000;

impl Rulesets {
    pub(super) async fn artifact(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetArtifactRequest,
    ) -> Result<Pieces<v1::GetArtifactResponse>, Failure> {
        let language = status::language(metadata);
        let kind = match Kind::try_from(asked.kind) {
            Ok(Kind::Unspecified) | Err(_) => {
                return Err(Failure::field(
                    "kind",
                    "is missing, or no value of the enum",
                ));
            }
            Ok(kind) => kind,
        };
        let edition = edition(&self.0, &asked.name, "name").await?;
        let configuration = match &asked.configuration {
            Some(asked) => configuration(&edition, asked)?,
            None => Configuration::base(edition.players.0),
        };
        let revision = catalog::revision_name(&edition.id, &edition.digest);
        let text = self.made(edition, configuration, kind, language).await?;
        let (media_type, size) = (media_type(kind), to_u64(text.len()));
        Ok(chunks::stream(text, move |begin, data| match begin {
            0 => v1::GetArtifactResponse {
                data,
                media_type: media_type.to_owned(),
                revision: revision.clone(),
                size,
            },
            _ => v1::GetArtifactResponse {
                data,
                ..Default::default()
            },
        }))
    }

    /// What was made before, or is made now.
    async fn made(
        &self,
        edition: Arc<Edition>,
        configuration: Configuration,
        kind: Kind,
        language: Language,
    ) -> Result<Arc<str>, Failure> {
        let referee = self.0.clone();
        let most = to_usize(referee.limits().artifact_bytes);
        let work = move || {
            let compiled = referee.library().compile(&edition, &configuration);
            let compiled = compiled.map_err(|why| Failure::rejected(&why))?;
            let language_code = match language {
                Language::English => "en",
                Language::Polish => "pl",
            };
            let key = (compiled.digest().0, kind, language_code);
            if let Some(text) = referee.artifacts.known(&key) {
                return Ok(text);
            }
            let text = match kind {
                Kind::Coverage => coverage_of(&edition, &compiled, language),
                _ => {
                    let written = || match report(kind) {
                        Some(report) => write(&compiled, report, language),
                        None => schema_of(&edition, &compiled, kind),
                    };
                    budget::within(&Budget::of(ARTIFACT_WORK), written).0.ok()
                }
            };
            let text = text.ok_or(TableError::Limit("artifact_work"))?;
            if text.len() > most {
                return Err(TableError::Limit("artifact_bytes").into());
            }
            let text: Arc<str> = text.into();
            referee.artifacts.remember(key, &text);
            Ok(text)
        };
        self.0.workers().run(Queue::Making, work).await?
    }
}

/// What is a report on the rules; none of schemas.
fn report(kind: Kind) -> Option<Report> {
    Some(match kind {
        Kind::BookMarkdown => Report::BookMarkdown,
        Kind::BookHtml => Report::BookHtml,
        Kind::GraphSvg => Report::GraphSvg,
        Kind::GraphDot => Report::GraphDot,
        Kind::GraphMermaid => Report::GraphMermaid,
        Kind::MoveSchema | Kind::ViewSchema | Kind::Coverage | Kind::Unspecified => return None,
    })
}

/// Runs the scenarios of an edition; none if that takes more than it may. Many threads would have a budget each: one does it all.
fn coverage_of(edition: &Edition, compiled: &Ruleset, language: Language) -> Option<String> {
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .ok()?;
    let written = || covered(compiled, &edition.texts, language);
    alone.install(|| budget::within(&Budget::of(COVERAGE_WORK), written).0.ok())
}

fn schema_of(edition: &Edition, compiled: &Ruleset, kind: Kind) -> String {
    let ruleset = catalog::ruleset(edition, compiled);
    let schema = match kind {
        Kind::MoveSchema => schema::moves(&ruleset),
        _ => schema::views(&ruleset),
    };
    schema.to_string()
}

fn media_type(kind: Kind) -> &'static str {
    match kind {
        Kind::BookMarkdown => "text/markdown; charset=utf-8",
        Kind::BookHtml => "text/html; charset=utf-8",
        Kind::GraphSvg => "image/svg+xml",
        Kind::GraphDot => "text/vnd.graphviz",
        Kind::GraphMermaid => "text/vnd.mermaid",
        Kind::MoveSchema | Kind::ViewSchema => "application/schema+json",
        Kind::Coverage => "application/json",
        Kind::Unspecified => "application/octet-stream",
    }
}
