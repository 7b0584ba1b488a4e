//! `RulesetService`: what can be played, for anybody.

use std::sync::Arc;

use interpreter::package::Configuration;
use tonic::metadata::MetadataMap;

use super::revisions::{configuration, edition};
use crate::Referee;
use crate::calls::chunks::Pieces;
use crate::calls::{Failure, place_tokens, serves};
use referee_contract::convert::timestamp;
use referee_contract::v1::{self, ruleset_service_server::RulesetService};
use referee_contract::{catalog, schema};
use referee_store::Hash;
use referee_store::numbers::to_u64;
use referee_table::Queue;

/// Answers what can be played.
pub struct Rulesets(pub Arc<Referee>);

serves! {
    RulesetService for Rulesets {
        list_rulesets(ListRulesetsRequest) -> v1::ListRulesetsResponse = list;
        get_ruleset(GetRulesetRequest) -> v1::GetRulesetResponse = get;
        list_revisions(ListRevisionsRequest) -> v1::ListRevisionsResponse = revisions;
        get_schemas(GetSchemasRequest) -> v1::GetSchemasResponse = schemas;
        diff_revisions(DiffRevisionsRequest) -> v1::DiffRevisionsResponse = differences;
    }
    streams {
        get_artifact(GetArtifactRequest) -> Pieces<v1::GetArtifactResponse> = artifact;
    }

    type GetArtifactStream = Pieces<v1::GetArtifactResponse>;
}

impl Rulesets {
    async fn list(
        &self,
        _: &MetadataMap,
        request: v1::ListRulesetsRequest,
    ) -> Result<v1::ListRulesetsResponse, Failure> {
        let keys = self.0.keys();
        let size = self.0.page_size(request.page_size)?;
        let first = place_tokens::paged(keys, &[b"rulesets"], &request.page_token)?.unwrap_or(0);
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
        let (rulesets, count) = self.0.workers().run(Queue::Making, work).await?;
        let next = first + to_u64(rulesets.len());
        let next_page_token = if next < to_u64(count) {
            place_tokens::page(keys, &[b"rulesets"], next)?
        } else {
            String::new()
        };
        Ok(v1::ListRulesetsResponse {
            rulesets,
            next_page_token,
        })
    }

    async fn get(
        &self,
        _: &MetadataMap,
        request: v1::GetRulesetRequest,
    ) -> Result<v1::GetRulesetResponse, Failure> {
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
            .run(Queue::Making, work)
            .await?
            .map_err(|why| Failure::rejected(&why))?;
        Ok(v1::GetRulesetResponse {
            ruleset: Some(ruleset),
        })
    }
}

impl Rulesets {
    async fn revisions(
        &self,
        _: &MetadataMap,
        asked: v1::ListRevisionsRequest,
    ) -> Result<v1::ListRevisionsResponse, Failure> {
        let current = edition(&self.0, &asked.name, "name").await?;
        let size = self.0.page_size(asked.page_size)?;
        let list: [&[u8]; 2] = [b"revisions", current.id.as_bytes()];
        let before = place_tokens::paged(self.0.keys(), &list, &asked.page_token)?;
        let (store, id) = (self.0.registry.parts().store.clone(), current.id.clone());
        let work = move || store.revisions(&id, before, size + 1);
        let mut rows = self.0.read(work).await?;
        let more = rows.len() > size;
        rows.truncate(size);
        let next_page_token = match rows.last().filter(|_| more) {
            Some(last) => place_tokens::page(self.0.keys(), &list, last.order)?,
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
        metadata: &MetadataMap,
        asked: v1::GetSchemasRequest,
    ) -> Result<v1::GetSchemasResponse, Failure> {
        let edition = edition(&self.0, &asked.name, "name").await?;
        let revision = catalog::revision_name(&edition.id, &edition.digest);
        let shown = v1::GetRulesetRequest {
            name: revision.clone(),
            configuration: asked.configuration,
        };
        let ruleset = self.get(metadata, shown).await?.ruleset.unwrap_or_default();
        let work = move || (schema::moves(&ruleset), schema::views(&ruleset));
        let (moves, views) = self.0.workers().run(Queue::Making, work).await?;
        Ok(v1::GetSchemasResponse {
            move_schema: moves.to_string(),
            view_schema: views.to_string(),
            revision,
        })
    }
}
