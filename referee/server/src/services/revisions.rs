//! Finding the revision that a request names, and the configuration that it asks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::package::Configuration;

use crate::Referee;
use crate::calls::{Failure, Named};
use referee_contract::catalog;
use referee_contract::v1::{self, Reason};
use referee_library::Edition;
use referee_store::{MatchId, STABLE, StoreError};
use referee_table::{Queue, TableError};

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
        request: &referee_table::Request,
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
    let kept = referee.workers().run(Queue::Making, move || {
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
            Some(option) if !option.allows(setting.value) => {
                let why = match option.is_int {
                    false => "a switch is 0 or 1".into(),
                    true => format!("is not {}", option.range()),
                };
                problems.push((format!("{field}.value"), why));
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
