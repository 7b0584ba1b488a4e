//! `RulesetService`: what can be played, for anybody.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::package::Configuration;
use tonic::{Request, Response, Status};

use super::pieces::Pieces;
use super::status::Failure;
use super::{Referee, answer, language, tokens};
use crate::library::Edition;
use crate::store::{Hash, MatchId, STABLE, StoreError};
use crate::table::{Line, TableError};
use crate::wire::convert::timestamp;
use crate::wire::v1::{self, Reason, ruleset_service_server::RulesetService};
use crate::wire::{catalog, schema};

/// Answers what can be played.
pub struct Rulesets(pub Arc<Referee>);

#[tonic::async_trait]
impl RulesetService for Rulesets {
    type GetArtifactStream = Pieces<v1::GetArtifactResponse>;

    async fn list_rulesets(
        &self,
        request: Request<v1::ListRulesetsRequest>,
    ) -> Result<Response<v1::ListRulesetsResponse>, Status> {
        answer(language(&request), self.list(request.into_inner()).await)
    }

    async fn get_ruleset(
        &self,
        request: Request<v1::GetRulesetRequest>,
    ) -> Result<Response<v1::GetRulesetResponse>, Status> {
        answer(language(&request), self.get(request.into_inner()).await)
    }

    async fn list_revisions(
        &self,
        request: Request<v1::ListRevisionsRequest>,
    ) -> Result<Response<v1::ListRevisionsResponse>, Status> {
        answer(
            language(&request),
            self.revisions(request.into_inner()).await,
        )
    }

    async fn get_schemas(
        &self,
        request: Request<v1::GetSchemasRequest>,
    ) -> Result<Response<v1::GetSchemasResponse>, Status> {
        answer(language(&request), self.schemas(request.into_inner()).await)
    }

    async fn get_artifact(
        &self,
        request: Request<v1::GetArtifactRequest>,
    ) -> Result<Response<Self::GetArtifactStream>, Status> {
        let language = language(&request);
        let asked = request.into_inner();
        answer(language, self.artifact(language, asked).await)
    }

    async fn diff_revisions(
        &self,
        request: Request<v1::DiffRevisionsRequest>,
    ) -> Result<Response<v1::DiffRevisionsResponse>, Status> {
        answer(
            language(&request),
            self.differences(request.into_inner()).await,
        )
    }
}

impl Rulesets {
    async fn list(
        &self,
        request: v1::ListRulesetsRequest,
    ) -> Result<v1::ListRulesetsResponse, Failure> {
        let keys = self.0.keys();
        let size = self.0.page_size(request.page_size)?;
        let first = tokens::paged(keys, &[b"rulesets"], &request.page_token)?.unwrap_or(0);
        let (library, yanked) = (self.0.library(), self.0.yanked.load_full());
        let (channels, owners) = (self.0.channels.load_full(), self.0.owners.load_full());
        let first_index = usize::try_from(first).unwrap_or(usize::MAX);
        let work = move || {
            let all = library.iter().skip(first_index).take(size);
            let rulesets: Vec<_> = all
                .map(|edition| {
                    let playable = library
                        .compile(edition, &Configuration::base(edition.players.0))
                        .is_ok();
                    let playable = playable && !yanked.contains(&edition.digest);
                    v1::RulesetSummary {
                        channels: channels.messages(&library, &edition.id),
                        owner: owners.of_known(&edition.id).to_owned(),
                        ..catalog::summary(edition, playable)
                    }
                })
                .collect();
            (rulesets, library.iter().count())
        };
        let (rulesets, count) = self.0.workers().run(Line::Making, work).await?;
        let next = first + rulesets.len() as u64;
        let next_page_token = if next < count as u64 {
            tokens::page(keys, &[b"rulesets"], next)?
        } else {
            String::new()
        };
        Ok(v1::ListRulesetsResponse {
            rulesets,
            next_page_token,
        })
    }

    async fn get(&self, request: v1::GetRulesetRequest) -> Result<v1::GetRulesetResponse, Failure> {
        let edition = edition(&self.0, &request.name, "name").await?;
        let configuration = match &request.configuration {
            Some(asked) => configuration(&edition, asked)?,
            None => Configuration::base(edition.players.0),
        };
        let library = self.0.library();
        let yanked = self.0.yanked.load().contains(&edition.digest);
        let channels = self.0.channels.load().messages(&library, &edition.id);
        let owner = self.0.owners.load().of_known(&edition.id).to_owned();
        let work = move || {
            library.compile(&edition, &configuration).map(|compiled| {
                let mut ruleset = catalog::ruleset(&edition, &compiled);
                if let Some(summary) = &mut ruleset.summary {
                    summary.playable &= !yanked;
                    summary.channels = channels;
                    summary.owner = owner;
                }
                ruleset
            })
        };
        let ruleset = self
            .0
            .workers()
            .run(Line::Making, work)
            .await?
            .map_err(|_| not_playable())?;
        Ok(v1::GetRulesetResponse {
            ruleset: Some(ruleset),
        })
    }
}

impl Rulesets {
    async fn revisions(
        &self,
        asked: v1::ListRevisionsRequest,
    ) -> Result<v1::ListRevisionsResponse, Failure> {
        let current = edition(&self.0, &asked.name, "name").await?;
        let size = self.0.page_size(asked.page_size)?;
        let list: [&[u8]; 2] = [b"revisions", current.id.as_bytes()];
        let before = tokens::paged(self.0.keys(), &list, &asked.page_token)?;
        let (store, id) = (self.0.registry.parts().store.clone(), current.id.clone());
        let work = move || store.revisions(&id, before, size + 1);
        let mut rows = self.0.read(work).await?;
        let more = rows.len() > size;
        rows.truncate(size);
        let next_page_token = match rows.last().filter(|_| more) {
            Some(last) => tokens::page(self.0.keys(), &list, last.order)?,
            None => String::new(),
        };
        let (library, channels) = (self.0.library(), self.0.channels.load());
        let now = library.get(&current.id).map(|edition| edition.digest);
        let pointing = |digest: Hash| {
            let all = channels.all(&library, &current.id);
            let pointing = all.filter(move |(_, pointed)| *pointed == digest);
            pointing.map(|(channel, _)| channel.to_owned()).collect()
        };
        let revisions = rows.into_iter().map(|kept| v1::Revision {
            name: catalog::revision_name(&kept.row.ruleset, &kept.row.digest),
            current: now == Some(kept.row.digest),
            channels: pointing(kept.row.digest),
            version: kept.row.version,
            create_time: Some(timestamp(kept.row.created_ms)),
            yanked: kept.yanked.is_some(),
            yanked_why: kept.yanked.unwrap_or_default(),
        });
        Ok(v1::ListRevisionsResponse {
            revisions: revisions.collect(),
            next_page_token,
        })
    }

    async fn schemas(
        &self,
        asked: v1::GetSchemasRequest,
    ) -> Result<v1::GetSchemasResponse, Failure> {
        let edition = edition(&self.0, &asked.name, "name").await?;
        let revision = catalog::revision_name(&edition.id, &edition.digest);
        let shown = v1::GetRulesetRequest {
            name: revision.clone(),
            configuration: asked.configuration,
        };
        let ruleset = self.get(shown).await?.ruleset.unwrap_or_default();
        let work = move || (schema::moves(&ruleset), schema::views(&ruleset));
        let (moves, views) = self.0.workers().run(Line::Making, work).await?;
        Ok(v1::GetSchemasResponse {
            move_schema: moves.to_string(),
            view_schema: views.to_string(),
            revision,
        })
    }
}

impl Referee {
    /// Whether something new may begin with a revision, or this very request began it before, within a match or outside of
    /// any.
    ///
    /// # Errors
    ///
    /// `REVISION_YANKED`.
    pub(super) async fn unless_yanked(
        &self,
        edition: &Edition,
        within: Option<&MatchId>,
        request: &crate::table::Request,
    ) -> Result<(), Failure> {
        if !self.yanked.load().contains(&edition.digest) {
            return Ok(());
        }
        let (store, digest) = (self.registry.parts().store.clone(), edition.digest);
        let (id, request) = (edition.id.clone(), request.clone());
        let within = within.cloned();
        let look = move || -> Result<Option<String>, StoreError> {
            if store
                .request(within.as_ref(), request.principal, &request.id)?
                .is_some()
            {
                return Ok(None);
            }
            let mut before = None;
            loop {
                let page = store.revisions(&id, before, PAGE)?;
                let Some(last) = page.last() else {
                    return Ok(Some(String::new()));
                };
                before = Some(last.order);
                if let Some(kept) = page.into_iter().find(|kept| kept.row.digest == digest) {
                    return Ok(Some(kept.yanked.unwrap_or_default()));
                }
            }
        };
        let Some(why) = self.read(look).await? else {
            return Ok(());
        };
        let said = match why.as_str() {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        let text = format!(
            "this revision is yanked{said}: take another one, or have a publisher restore it"
        );
        Err(Failure::new(Reason::RevisionYanked, text)
            .with("revision", catalog::revision_name(&edition.id, &digest))
            .with("why", why))
    }
}

/// Revisions that are read at a time.
const PAGE: usize = 100;

/// A ruleset that has mistakes.
pub fn not_playable() -> Failure {
    Failure::new(
        Reason::RulesetNotPlayable,
        "this ruleset has mistakes and cannot be played",
    )
}

/// What a resource name names.
pub enum Named<'a> {
    /// A ruleset, by its id.
    Ruleset(&'a str),
    /// A channel, by the ids of its ruleset and its own.
    Channel(&'a str, &'a str),
    /// A revision, by the id of its ruleset and the digest of its texts.
    Revision(&'a str, Hash),
}

impl Named<'_> {
    /// Reads a resource name; none if it has another form.
    pub fn read(name: &str) -> Option<Named<'_>> {
        let rest = name.strip_prefix("rulesets/")?;
        let (id, what) = match rest.split_once('/') {
            None => (rest, None),
            Some((id, below)) => (id, Some(below.split_once('/')?)),
        };
        if id.is_empty() {
            return None;
        }
        match what {
            None => Some(Named::Ruleset(id)),
            Some(("channels", channel)) => Some(Named::Channel(id, channel)),
            Some(("revisions", digest)) => Some(Named::Revision(id, hash(digest)?)),
            Some(_) => None,
        }
    }
}

/// The edition that a resource name means: of the library, or a revision that was published.
///
/// # Errors
///
/// `NOT_FOUND`, or `MALFORMED_REQUEST` when the name has another form.
pub async fn edition(referee: &Referee, name: &str, field: &str) -> Result<Arc<Edition>, Failure> {
    let form = || {
        Failure::field(
            field,
            "is not of the form `rulesets/<id>`, `rulesets/<id>/channels/<channel>` or `rulesets/<id>/revisions/<digest>`",
        )
    };
    let parts = referee.registry.parts();
    let library = referee.library();
    let (id, digest) = match Named::read(name).ok_or_else(form)? {
        Named::Ruleset(id) | Named::Channel(id, STABLE) => {
            return library.get(id).cloned().ok_or_else(Failure::not_found);
        }
        Named::Channel(id, channel) => {
            let pointed = referee.channels.load().get(id, channel);
            (id, pointed.ok_or_else(Failure::not_found)?)
        }
        Named::Revision(id, digest) => (id, digest),
    };
    if let Some(current) = library.get(id).filter(|edition| edition.digest == digest) {
        return Ok(current.clone());
    }
    let (store, id) = (parts.store.clone(), id.to_owned());
    let kept = referee.workers().run(Line::Making, move || {
        // Texts that came with an archive are kept as well, and serve that archive alone.
        if !store.offered(&id, &digest)? {
            return Ok(None);
        }
        let Some(content) = store.content(&digest)? else {
            return Ok(None);
        };
        let edition = Edition::from_content(&content)
            .map_err(|error| TableError::Damaged(error.to_string()))?;
        Ok((edition.id == id && edition.digest == digest).then(|| Arc::new(edition)))
    });
    kept.await?
        .map_err(|error: TableError| Failure::from(error))?
        .ok_or_else(Failure::not_found)
}

/// 32 bytes of 64 hexadecimal digits in lower case.
pub fn hash(hex: &str) -> Option<Hash> {
    if hex.len() != 64 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}

/// Reads a configuration and compares it with what the edition offers.
///
/// # Errors
///
/// `CONFIGURATION_INVALID` with every field that does not fit.
pub fn configuration(
    edition: &Edition,
    asked: &v1::Configuration,
) -> Result<Configuration, Failure> {
    configuration_in("configuration", edition, asked)
}

/// As [`configuration`], of a field of another name.
///
/// # Errors
///
/// `CONFIGURATION_INVALID` with every field that does not fit.
pub fn configuration_in(
    name: &str,
    edition: &Edition,
    asked: &v1::Configuration,
) -> Result<Configuration, Failure> {
    let mut problems: Vec<(String, String)> = Vec::new();
    let (least, most) = edition.players;
    let players = u8::try_from(asked.players).unwrap_or(u8::MAX);
    // A module may be for other numbers of players; the composition knows.
    let offered = |id: &String| edition.modules.iter().any(|module| module.id == *id);
    let composed = !asked.modules.is_empty() && asked.modules.iter().all(offered);
    if !composed && !(least..=most).contains(&players) {
        problems.push((
            format!("{name}.players"),
            format!("must be {least} to {most}"),
        ));
    }
    for (i, module) in asked.modules.iter().enumerate() {
        if !offered(module) {
            problems.push((
                format!("{name}.modules[{i}]"),
                format!("there is no module `{module}`"),
            ));
        } else if asked.modules[..i].contains(module) {
            problems.push((
                format!("{name}.modules[{i}]"),
                format!("`{module}` is chosen twice"),
            ));
        }
    }
    let mut options = BTreeMap::new();
    for (i, setting) in asked.options.iter().enumerate() {
        let field = format!("{name}.options[{i}]");
        match edition
            .options
            .iter()
            .find(|option| option.id.node == setting.option)
        {
            // A module may bring options of its own; the composition knows them.
            None if asked.modules.is_empty() => {
                problems.push((
                    format!("{field}.option"),
                    format!("there is no option `{}`", setting.option),
                ));
            }
            Some(option) if !option.is_int && !(0..=1).contains(&setting.value) => {
                problems.push((format!("{field}.value"), "a switch is 0 or 1".into()));
            }
            _ if options
                .insert(setting.option.clone(), setting.value)
                .is_some() =>
            {
                problems.push((
                    format!("{field}.option"),
                    format!("`{}` is set twice", setting.option),
                ));
            }
            _ => {}
        }
    }
    if problems.is_empty() {
        return Ok(Configuration {
            players,
            modules: asked.modules.clone(),
            options,
        });
    }
    let why = "the ruleset does not allow this configuration";
    Err(problems.into_iter().fold(
        Failure::new(Reason::ConfigurationInvalid, why),
        |failure, (field, problem)| failure.violation(field, problem),
    ))
}
