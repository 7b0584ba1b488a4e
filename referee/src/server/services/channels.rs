//! `PublishingService.SetChannel`: channels are names for revisions, which publishers move from one to the next.

use tonic::metadata::MetadataMap;

use super::publishing::Publishing;
use super::{publishing, revisions};
use crate::library::Edition;
use crate::numbers::to_usize;
use crate::server::calls::{Failure, Named, Publisher, once};
use crate::server::published::channels::{Channels, NO_CHANNEL, is_channel};
use crate::store::{Change, STABLE};
use crate::table::TableError;
use crate::wire::catalog;
use crate::wire::v1;

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
        request: &crate::table::Request,
    ) -> Result<bool, Failure> {
        if channel == STABLE {
            let problem =
                "is what the ruleset's id means, and stays: let it point to another revision";
            return Err(Failure::field("name", problem));
        }
        let _in_order = self.0.publishing.lock().await;
        self.0.may_publish(publisher, ruleset).await?;
        let known = self.0.channels.load().get(ruleset, channel).is_some();
        if !known && !self.0.has_answered(None, request).await? {
            return Err(Failure::not_found());
        }
        let change = Change::RemoveChannel {
            ruleset: ruleset.to_owned(),
            channel: channel.to_owned(),
        };
        let replayed = self.0.settle(change, request).await?;
        if !replayed {
            tracing::info!(ruleset, channel, "a channel is removed");
            self.change_channels(|channels| channels.remove(ruleset, channel));
        }
        Ok(replayed)
    }

    /// Keeps an edition, and lets a channel point to it from now on: `stable` is what its ruleset's id means.
    pub(super) async fn point(
        &self,
        publisher: &Publisher,
        channel: &str,
        edition: std::sync::Arc<Edition>,
        request: &crate::table::Request,
    ) -> Result<bool, Failure> {
        let _in_order = self.0.publishing.lock().await;
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
        let replayed = self.0.settle(change, request).await?;
        if replayed {
            return Ok(true);
        }
        if let Some(owner) = owner {
            self.0.owned(&edition.id, owner);
        }
        tracing::info!(ruleset = %edition.id, version = %edition.version, channel, "a channel points to a revision");
        match channel {
            STABLE => drop(self.0.registry.parts().library.rcu(|library| {
                let mut library = (**library).clone();
                library.put(edition.clone());
                library
            })),
            _ => self.change_channels(|channels| {
                channels.point(&edition.id, channel, edition.digest);
            }),
        }
        Ok(false)
    }

    pub(super) fn change_channels(&self, change: impl Fn(&mut Channels)) {
        self.0.channels.rcu(|channels| {
            let mut channels = (**channels).clone();
            change(&mut channels);
            channels
        });
    }
}
