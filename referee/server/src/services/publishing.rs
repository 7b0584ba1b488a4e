//! `PublishingService`: checking packages, and making them what is played.
//!
//! A package comes as a list of paths and texts, never as an archive, and never touches the file
//! system. Whatever is wrong with it is a diagnostic; only what is no package at all is an error.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use interpreter::budget;
use interpreter::diagnostic::Code;
use interpreter::package::Configuration;
use interpreter::play::PackageTexts;
use prost::Message as _;
use tonic::metadata::MetadataMap;

use super::revisions;
use crate::Referee;
use crate::calls::{Failure, display_name, once, serves};
use crate::published::channels::{NO_CHANNEL, is_channel};
use referee_contract::catalog;
use referee_contract::v1::{
    self, DiagnosticSeverity, Reason, publishing_service_server::PublishingService,
};
use referee_library::Edition;
use referee_library::ruleset_files::belongs;
use referee_sandbox::limits::Limits;
use referee_sandbox::{Ended, Purpose, Trial, configuration};
use referee_store::numbers::to_usize;
use referee_store::{Change, Principal, RevisionRow, STABLE};
use referee_table::{Queue, TableError};

/// Answers publishers.
pub struct Publishing(pub Arc<Referee>);

serves! {
    PublishingService for Publishing {
        check_package(CheckPackageRequest) -> v1::CheckPackageResponse = check;
        publish_package(PublishPackageRequest) -> v1::PublishPackageResponse = publish;
        set_channel(SetChannelRequest) -> v1::SetChannelResponse = set_channel_to;
        set_current_revision(SetCurrentRevisionRequest) -> v1::SetCurrentRevisionResponse = set_current;
        yank_revision(YankRevisionRequest) -> v1::YankRevisionResponse = yank;
    }
}

/// What a check comes to.
struct Checked {
    /// The package, if its manifest can be read.
    edition: Option<Edition>,
    /// Whether a match of it can be created.
    playable: bool,
    diagnostics: Vec<v1::Diagnostic>,
}

impl Publishing {
    async fn check(
        &self,
        metadata: &MetadataMap,
        asked: v1::CheckPackageRequest,
    ) -> Result<v1::CheckPackageResponse, Failure> {
        let publisher = self.0.auth.publisher(metadata).await?.principal;
        let texts = texts(asked.package, self.0.limits())?;
        let configuration = asked.configuration.as_ref().map(configuration);
        let checked = self.judge(publisher, texts, configuration).await?;
        let count = checked.diagnostics.len();
        let mut diagnostics = checked.diagnostics;
        diagnostics.truncate(to_usize(self.0.limits().diagnostics));
        Ok(v1::CheckPackageResponse {
            playable: checked.playable,
            diagnostics,
            diagnostic_count: u32::try_from(count).unwrap_or(u32::MAX),
        })
    }

    async fn publish(
        &self,
        metadata: &MetadataMap,
        asked: v1::PublishPackageRequest,
    ) -> Result<v1::PublishPackageResponse, Failure> {
        let publisher = self.0.auth.publisher(metadata).await?;
        let request = once!(publisher.principal, "PublishPackage", asked)?;
        let channel = match asked.channel {
            empty if empty.is_empty() => STABLE.to_owned(),
            channel if is_channel(&channel) => channel,
            _ => return Err(Failure::field("channel", NO_CHANNEL)),
        };
        let texts = texts(asked.package, self.0.limits())?;
        let checked = self.judge(publisher.principal, texts, None).await?;
        let edition = match checked.edition {
            Some(edition) if checked.playable => Arc::new(edition),
            _ => return Err(rejected(&checked.diagnostics)),
        };
        let revision = catalog::revision_name(&edition.id, &edition.digest);
        if asked.validate_only {
            self.0.may_publish(&publisher, &edition.id).await?;
            self.0.unless_yanked(&edition, None, &request).await?;
            return Ok(v1::PublishPackageResponse {
                revision,
                replayed: false,
            });
        }
        let replayed = self.point(&publisher, &channel, edition, &request).await?;
        Ok(v1::PublishPackageResponse { revision, replayed })
    }

    async fn set_current(
        &self,
        metadata: &MetadataMap,
        asked: v1::SetCurrentRevisionRequest,
    ) -> Result<v1::SetCurrentRevisionResponse, Failure> {
        let publisher = self.0.auth.publisher(metadata).await?;
        let request = once!(publisher.principal, "SetCurrentRevision", asked)?;
        let edition = self.revision(&asked.revision).await?;
        let replayed = self.point(&publisher, STABLE, edition, &request).await?;
        Ok(v1::SetCurrentRevisionResponse { replayed })
    }

    async fn yank(
        &self,
        metadata: &MetadataMap,
        asked: v1::YankRevisionRequest,
    ) -> Result<v1::YankRevisionResponse, Failure> {
        let publisher = self.0.auth.publisher(metadata).await?;
        let request = once!(publisher.principal, "YankRevision", asked)?;
        let why = match asked.why.trim() {
            "" => String::new(),
            _ if asked.restore => {
                return Err(Failure::field("why", "is for yanking, not for `restore`"));
            }
            why => display_name(why, LONGEST_WHY, "why")?,
        };
        let edition = self.revision(&asked.revision).await?;
        let change = Change::Yank {
            revision: row(&edition, self.0.now_ms()),
            reason: (!asked.restore).then_some(why),
        };
        let in_order = self.0.in_order().await;
        self.0.may_publish(&publisher, &edition.id).await?;
        let learn = move |referee: &Referee| {
            tracing::info!(ruleset = %edition.id, version = %edition.version, yanked = !asked.restore, "a revision is yanked or restored");
            referee.yanked.rcu(|yanked| {
                let mut yanked = (**yanked).clone();
                match asked.restore {
                    true => yanked.remove(&edition.digest),
                    false => yanked.insert(edition.digest),
                };
                yanked
            });
            if !asked.restore {
                referee.change_channels(|channels| channels.forget(&edition.id, &edition.digest));
            }
            drop(in_order);
        };
        let by = Some(&publisher);
        let replayed = self.0.settle_by(by, change, &request, learn).await?;
        Ok(v1::YankRevisionResponse { replayed })
    }

    /// A revision by its full name.
    async fn revision(&self, name: &str) -> Result<Arc<Edition>, Failure> {
        if !name.contains("/revisions/") {
            let problem = "is not of the form `rulesets/<id>/revisions/<digest>`";
            return Err(Failure::field("revision", problem));
        }
        revisions::edition(&self.0, name, "revision").await
    }

    /// Checks a package in one configuration, or in all that it [offers](referee_sandbox::Offer). A bounded number at a time, each
    /// configuration in a turn of its own.
    async fn judge(
        &self,
        publisher: Principal,
        texts: PackageTexts,
        configuration: Option<Configuration>,
    ) -> Result<Checked, Failure> {
        let most = self.0.limits().package_checks;
        let entered = self.0.checks.enter(publisher, most);
        let _entered = entered.ok_or(TableError::Limit("package_checks"))?;
        let _place = self.0.workers().place(Queue::Trying).await;
        let texts = Arc::new(texts);
        let trial = self.0.registry.parts().sandbox.tries(texts.clone());
        let (trial, (offer, mut spent)) = self.turn(trial, |trial| trial.offer()).await?;
        let (mut trial, purpose) = (
            trial,
            match &configuration {
                Some(_) => Purpose::Asked,
                None => Purpose::Offered,
            },
        );
        let configurations = match configuration {
            Some(configuration) => vec![configuration],
            // What is wrong with the rest of it is worth telling, too.
            None if offer.configurations.is_empty() => vec![Configuration::base(0)],
            None => offer.configurations,
        };
        let mut checked = Checked {
            playable: offer.mistake.is_none(),
            edition: None,
            diagnostics: Vec::new(),
        };
        let most_work = self.0.limits().package_work;
        let (mut found, count) = (HashSet::new(), configurations.len());
        for (number, one) in configurations.into_iter().enumerate() {
            if spent > u64::from(most_work) {
                checked.playable = false;
                let seen = format!("{number} of the {count} configurations that it offers");
                checked.diagnostics.insert(0, too_much(&seen, most_work));
                break;
            }
            let work = move |trial: &mut Trial| trial.verdict(&one, purpose);
            let (tried, (verdict, units)) = self.turn(trial, work).await?;
            trial = tried;
            spent += units;
            checked.playable &= verdict.playable;
            let new = verdict.diagnostics.into_iter();
            let new = new.filter(|diagnostic| found.insert(diagnostic.encode_to_vec()));
            checked.diagnostics.extend(new);
        }
        if checked.diagnostics.is_empty() {
            checked.diagnostics.extend(offer.mistake);
        }
        if checked.playable {
            let work = move || Edition::new(Arc::unwrap_or_clone(texts));
            checked.edition = self.0.workers().run(Queue::Making, work).await?.ok();
        }
        checked
            .diagnostics
            .sort_by_key(|diagnostic| diagnostic.severity);
        Ok(checked)
    }

    /// Asks something of a package that is tried, in a turn of its own, and gives what it took in units of work.
    async fn turn<T: Send + 'static>(
        &self,
        mut trial: Trial,
        ask: impl FnOnce(&mut Trial) -> Result<T, Ended> + Send + 'static,
    ) -> Result<(Trial, (T, u64)), Failure> {
        let work = move || {
            let (answer, units) = budget::counted(|| ask(&mut trial));
            answer.map(|answer| (trial, (answer, units)))
        };
        let done = self.0.workers().run(Queue::Making, work).await?;
        Ok(done.map_err(TableError::from)?)
    }
}

/// A revision as the store keeps it.
pub(super) fn row(edition: &Edition, now_ms: i64) -> RevisionRow {
    RevisionRow {
        ruleset: edition.id.clone(),
        digest: edition.digest,
        version: edition.version.clone(),
        created_ms: now_ms,
    }
}

/// Characters of what a publisher says of a yanked revision.
const LONGEST_WHY: usize = 200;

/// Returns the diagnostic of a package that takes more [work](interpreter::budget) than the limit `package_work` allows.
fn too_much(seen: &str, limit: u32) -> v1::Diagnostic {
    v1::Diagnostic {
        code: Code::WorkLimitExceeded.to_string(),
        severity: DiagnosticSeverity::Error.into(),
        message: format!(
            "checking {seen} has taken more than {limit} units of work (`package_work`)"
        ),
        path: "ruleset.yaml".into(),
        help: "offer fewer modules, or fewer numbers of players".into(),
        ..Default::default()
    }
}

fn rejected(diagnostics: &[v1::Diagnostic]) -> Failure {
    let errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity() == DiagnosticSeverity::Error);
    let errors: Vec<_> = errors.collect();
    let first = errors.first().map_or("", |first| &first.message);
    let why = format!("the package has mistakes, {} in all: {first}", errors.len());
    // As many as fit into an answer; `CheckPackage` tells them all.
    errors.iter().take(5).fold(
        Failure::new(Reason::PackageRejected, why),
        |failure, error| {
            let place = format!("{}:{}:{}", error.path, error.line, error.column);
            let problem: String = error.message.chars().take(300).collect();
            failure.violation(place, format!("{}: {problem}", error.code))
        },
    )
}

/// The texts of a package, once its paths are known to stay inside of it.
///
/// # Errors
///
/// `MALFORMED_REQUEST` with the field that is no path of a package, `LIMIT_REACHED` for too many or too
/// large ones.
fn texts(package: Option<v1::Package>, limits: &Limits) -> Result<PackageTexts, Failure> {
    let package = package.ok_or_else(|| Failure::field("package", "is missing"))?;
    if package.files.len() > to_usize(limits.package_files) {
        return Err(TableError::Limit("package_files").into());
    }
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for (i, file) in package.files.into_iter().enumerate() {
        let wrong = |problem: &str| Failure::field(format!("package.files[{i}].path"), problem);
        if let Err(problem) = path_is_plain(&file.path) {
            return Err(wrong(problem));
        }
        if !seen.insert(file.path.to_ascii_lowercase()) {
            return Err(wrong("stands twice, or differs from another by case only"));
        }
        if file.text.len() > to_usize(limits.package_file_bytes) {
            return Err(TableError::Limit("package_file_bytes").into());
        }
        files.push((file.path, file.text));
    }
    files.sort();
    Ok(PackageTexts::new("package".to_owned(), files))
}

/// Checks that a path is one of a package: plain names of letters and digits, divided by `/`.
///
/// # Errors
///
/// Says what is wrong with the path.
pub fn path_is_plain(path: &str) -> Result<(), &'static str> {
    if path.is_empty() || path.len() > 200 {
        return Err("is empty or longer than 200 bytes");
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
    if !path.bytes().all(plain) {
        return Err("may have ASCII letters, digits, `.`, `_`, `-` and `/` only");
    }
    if path
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.'))
    {
        return Err("leads out of the package, is absolute, or names a hidden file");
    }
    if !belongs(path) {
        return Err("does not end in .yaml, .yml, .rules or .rhai");
    }
    Ok(())
}
