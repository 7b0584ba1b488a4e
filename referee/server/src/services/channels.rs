//! `PublishingService.SetChannel`: channels are names for revisions, which publishers move from one to the next.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;
use tonic::metadata::MetadataMap;

use super::publishing::Publishing;
use super::{publishing, revisions};
use crate::Referee;
use crate::calls::{Failure, Named, Publisher, once};
use crate::published::channels::{Channels, NO_CHANNEL, is_channel};
use referee_contract::catalog;
use referee_contract::v1;
use referee_library::Edition;
use referee_store::numbers::to_usize;
use referee_store::{Change, STABLE};
use referee_table::TableError;

impl Publishing {
    pub(super) async fn set_channel_to(
        &self,
        metadata: &MetadataMap,
        asked: v1::SetChannelRequest,
    ) -> Result<v1::SetChannelResponse, Failure> {
        let publisher = self.0.auth.publisher(metadata).await?;
        let request = once!(publisher.principal, "SetChannel", asked)?;
        let Some(Named::Channel(ruleset, channel)) = Named::read(&asked.name) else {
            let problem = "is not of the form `rulesets/<id>/channels/<channel>`";
            return Err(Failure::field("name", problem));
        };
        if !is_channel(channel) {
            return Err(Failure::field("name", NO_CHANNEL));
        }
        if asked.revision.is_empty() {
            let replayed = self
                .remove_channel(&publisher, (ruleset, channel), &request)
                .await?;
            let revision = String::new();
            return Ok(v1::SetChannelResponse { revision, replayed });
        }
        let edition = revisions::edition(&self.0, &asked.revision, "revision").await?;
        if edition.id != ruleset {
            return Err(Failure::field("revision", "is one of another ruleset"));
        }
        let revision = catalog::revision_name(&edition.id, &edition.digest);
        let replayed = self.point(&publisher, channel, edition, &request).await?;
        Ok(v1::SetChannelResponse { revision, replayed })
    }

    async fn remove_channel(
        &self,
        publisher: &Publisher,
        (ruleset, channel): (&str, &str),
        request: &referee_table::Request,
    ) -> Result<bool, Failure> {
        if channel == STABLE {
            let problem =
                "is what the ruleset's id means, and stays: let it point to another revision";
            return Err(Failure::field("name", problem));
        }
        let in_order = self.0.in_order().await;
        self.0.may_publish(publisher, ruleset).await?;
        let known = self.0.channels.load().get(ruleset, channel).is_some();
        if !known && !self.0.has_answered(None, request).await? {
            return Err(Failure::not_found());
        }
        let change = Change::RemoveChannel {
            ruleset: ruleset.to_owned(),
            channel: channel.to_owned(),
        };
        let (ruleset, channel) = (ruleset.to_owned(), channel.to_owned());
        let learn = move |referee: &Referee| {
            tracing::info!(ruleset, channel, "a channel is removed");
            referee.change_channels(|channels| channels.remove(&ruleset, &channel));
            drop(in_order);
        };
        self.0
            .settle_by(Some(publisher), change, request, learn)
            .await
    }

    /// Keeps an edition, and lets a channel point to it from now on: `stable` is what its ruleset's id means.
    pub(super) async fn point(
        &self,
        publisher: &Publisher,
        channel: &str,
        edition: Arc<Edition>,
        request: &referee_table::Request,
    ) -> Result<bool, Failure> {
        let in_order = self.0.in_order().await;
        let owner = self.0.may_publish(publisher, &edition.id).await?;
        self.0.unless_yanked(&edition, None, request).await?;
        let others = self.0.channels.load().others(&edition.id, channel);
        let most = to_usize(self.0.limits().channels_per_ruleset);
        if channel != STABLE && others >= most {
            return Err(TableError::Limit("channels_per_ruleset").into());
        }
        let (store, kept) = (self.0.registry.parts().store.clone(), edition.clone());
        self.0
            .read(move || store.put_content(&kept.digest, kept.content()))
            .await?;
        let change = Change::Point {
            revision: publishing::row(&edition, self.0.now_ms()),
            channel: channel.to_owned(),
            owner: owner.clone(),
        };
        let channel = channel.to_owned();
        let learn = move |referee: &Referee| {
            if let Some(owner) = owner {
                referee.owned(&edition.id, owner);
            }
            tracing::info!(ruleset = %edition.id, version = %edition.version, channel, "a channel points to a revision");
            match &channel[..] {
                STABLE => drop(referee.registry.parts().library.rcu(|library| {
                    let mut library = (**library).clone();
                    library.put(edition.clone());
                    library
                })),
                channel => referee.change_channels(|channels| {
                    channels.point(&edition.id, channel, edition.digest);
                }),
            }
            drop(in_order);
        };
        self.0
            .settle_by(Some(publisher), change, request, learn)
            .await
    }
}

impl Referee {
    /// What is published changes in the store and in memory in the same order: as long as this is held, nobody else
    /// changes it.
    pub(super) async fn in_order(&self) -> OwnedMutexGuard<()> {
        self.publishing.clone().lock_owned().await
    }

    pub(super) fn change_channels(&self, change: impl Fn(&mut Channels)) {
        self.channels.rcu(|channels| {
            let mut channels = (**channels).clone();
            change(&mut channels);
            channels
        });
    }
}
