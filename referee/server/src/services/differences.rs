//! `RulesetService.DiffRevisions`: what differs between two revisions, told as `referee diff` tells it.

use std::sync::Arc;

use interpreter::budget::{self, Budget};
use interpreter::package::Configuration;
use interpreter::syntax::Trees;
use prost::Message as _;

use tonic::metadata::MetadataMap;

use super::revisions::{configuration_in, edition};
use super::rulesets::Rulesets;
use crate::calls::{Failure, place_tokens};
use referee_contract::catalog;
use referee_contract::v1::{self, DifferenceTopic as Topic, Reason};
use referee_library::Edition;
use referee_report::diff::{Difference, Side, players_of_both, texts};
use referee_store::numbers::{to_u64, to_usize};
use referee_table::{Queue, TableError};

/// Bytes of one text at most: two of them fit into any answer.
pub const TEXT: usize = 64 << 10;

/// Units of [work](interpreter::budget) that comparing two revisions may take.
const DIFFERENCE_WORK: u64 = 200_000_000;

impl Rulesets {
    pub(super) async fn differences(
        &self,
        _: &MetadataMap,
        asked: v1::DiffRevisionsRequest,
    ) -> Result<v1::DiffRevisionsResponse, Failure> {
        let size = self.0.page_size(asked.page_size)?;
        let before = edition(&self.0, &asked.before, "before").await?;
        let after = edition(&self.0, &asked.after, "after").await?;
        let (first, second) = configurations(&before, &after, &asked)?;
        let question = v1::DiffRevisionsResponse {
            before: catalog::revision_name(&before.id, &before.digest),
            after: catalog::revision_name(&after.id, &after.digest),
            ..Default::default()
        };
        // A token is good for the same question only: what differs otherwise is another list.
        let composed = [
            catalog::configuration(&first).encode_to_vec(),
            catalog::configuration(&second).encode_to_vec(),
        ];
        let list: [&[u8]; 5] = [
            b"differences",
            question.before.as_bytes(),
            question.after.as_bytes(),
            &composed[0],
            &composed[1],
        ];
        let from = place_tokens::paged(self.0.keys(), &list, &asked.page_token)?.unwrap_or(0);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let room = to_usize(self.0.limits().response_bytes) / 2;
        let work = move || {
            let (players, others) = (first.players, second.players);
            let compared = || {
                let before = side(&before, first).composed(Some(players)).ok()?;
                let after = side(&after, second).composed(Some(others)).ok()?;
                Some(told(texts::compare(&before, &after)))
            };
            budget::within(&Budget::of(DIFFERENCE_WORK), compared).0
        };
        let all = self.0.workers().run(Queue::Making, work).await?;
        let all = all.map_err(|_| TableError::Limit("difference_work"))?;
        let all = all.ok_or_else(Failure::not_playable)?;
        let count = all.len();
        let differences = page(all, from, size, room);
        let next = from.saturating_add(differences.len());
        let next_page_token = match next < count {
            true => place_tokens::page(self.0.keys(), &list, to_u64(next))?,
            false => String::new(),
        };
        Ok(v1::DiffRevisionsResponse {
            difference_count: u32::try_from(count).unwrap_or(u32::MAX),
            differences,
            next_page_token,
            ..question
        })
    }
}

/// The configurations in which both are compared.
fn configurations(
    before: &Edition,
    after: &Edition,
    asked: &v1::DiffRevisionsRequest,
) -> Result<(Configuration, Configuration), Failure> {
    let read = |name: &str, edition: &Edition, asked: &Option<v1::Configuration>| {
        let read = asked.as_ref();
        read.map(|asked| configuration_in(name, edition, asked))
            .transpose()
    };
    let first = read("before_configuration", before, &asked.before_configuration)?;
    let second = read("after_configuration", after, &asked.after_configuration)?;
    match (first, second) {
        (Some(first), Some(second)) => Ok((first, second)),
        (Some(first), None) => {
            let base = base(after, first.players, "before_configuration")?;
            Ok((first, base))
        }
        (None, Some(second)) => {
            let base = base(before, second.players, "after_configuration")?;
            Ok((base, second))
        }
        (None, None) => {
            let both = players_of_both(before.players, after.players);
            if both.is_empty() {
                let why = "no number of players is allowed by both: say in which configuration each is compared";
                return Err(Failure::new(Reason::ConfigurationInvalid, why)
                    .violation("before_configuration", "is missing")
                    .violation("after_configuration", "is missing"));
            }
            let base = Configuration::base(*both.start());
            Ok((base.clone(), base))
        }
    }
}

/// The base game for a number of players that the other side was asked for.
fn base(edition: &Edition, players: u8, asked: &str) -> Result<Configuration, Failure> {
    let (least, most) = edition.players;
    if (least..=most).contains(&players) {
        return Ok(Configuration::base(players));
    }
    let why =
        "the other ruleset is not for so many players: say in which configuration it is compared";
    let problem = format!("the other is for {least} to {most}");
    Err(Failure::new(Reason::ConfigurationInvalid, why)
        .violation(format!("{asked}.players"), problem))
}

fn side(edition: &Arc<Edition>, configuration: Configuration) -> Side {
    Side {
        called: edition.id.clone(),
        base: edition.texts.clone(),
        house: Vec::new(),
        modules: configuration.modules,
        options: configuration.options,
        trees: Trees::growing(),
    }
}

fn told(texts: texts::Texts) -> Vec<v1::RevisionDifference> {
    let topics = [
        (Topic::Manifest, texts.manifest),
        (Topic::Figure, texts.figures),
        (Topic::Row, texts.rows),
        (Topic::Rule, texts.rules),
        (Topic::Clause, texts.clauses),
        (Topic::Name, texts.names),
    ];
    let each = topics.into_iter().flat_map(|(topic, differences)| {
        differences
            .into_iter()
            .map(move |difference| message(topic, difference))
    });
    each.collect()
}

fn message(topic: Topic, difference: Difference) -> v1::RevisionDifference {
    v1::RevisionDifference {
        topic: topic.into(),
        subject: difference.of.split(' ').map(str::to_owned).collect(),
        before: difference.before.map(cut),
        after: difference.after.map(cut),
    }
}

/// Cuts a text that is too long; it ends with an ellipsis then.
pub fn cut(mut text: String) -> String {
    if text.len() > TEXT {
        text.truncate(text.floor_char_boundary(TEXT - '…'.len_utf8()));
        text.push('…');
    }
    text
}

/// Returns at most `size` differences from a place on, and no more than fit into `room` bytes; at least one if there is one.
pub fn page(
    all: Vec<v1::RevisionDifference>,
    from: usize,
    size: usize,
    room: usize,
) -> Vec<v1::RevisionDifference> {
    let mut used = 0;
    let fits = |difference: &v1::RevisionDifference| {
        let first = used == 0;
        used += difference.encoded_len();
        first || used <= room
    };
    all.into_iter()
        .skip(from)
        .take(size)
        .take_while(fits)
        .collect()
}
