//! Channels: names for revisions, which publishers move from one to the next.
//!
//! `stable` is what a ruleset's id means, so the [`Library`] has it; the others are here. Both stand in the store.

use std::collections::BTreeMap;

use tonic::metadata::MetadataMap;

use super::auth::Publisher;
use super::publishing::Publishing;
use super::rulesets::{self, Named};
use super::status::Failure;
use super::{once, publishing};
use crate::library::{Edition, Library};
use crate::store::{Change, ChannelRow, Hash, STABLE};
use crate::table::TableError;
use crate::wire::catalog;
use crate::wire::v1;

/// Letters of a channel's id at most.
const LONGEST: usize = 32;

/// Every channel but `stable`, by ruleset and channel.
#[derive(Clone, Default)]
pub struct Channels(BTreeMap<String, BTreeMap<String, Hash>>);

impl Channels {
    /// Those that a store keeps.
    pub fn of(rows: Vec<ChannelRow>) -> Channels {
        let mut channels = Channels::default();
        for row in rows {
            channels.point(&row.ruleset, &row.channel, row.digest);
        }
        channels
    }

    /// The revision that a channel points to.
    pub fn get(&self, ruleset: &str, channel: &str) -> Option<Hash> {
        self.0.get(ruleset)?.get(channel).copied()
    }

    /// How many a ruleset has beside this one.
    pub fn others(&self, ruleset: &str, channel: &str) -> usize {
        let all = self.0.get(ruleset).into_iter().flatten();
        all.filter(|(other, _)| *other != channel).count()
    }

    /// Lets a channel point to a revision; `stable` is not kept here.
    pub fn point(&mut self, ruleset: &str, channel: &str, digest: Hash) {
        if channel != STABLE {
            let of_it = self.0.entry(ruleset.to_owned()).or_default();
            of_it.insert(channel.to_owned(), digest);
        }
    }

    fn remove(&mut self, ruleset: &str, channel: &str) {
        if let Some(of_it) = self.0.get_mut(ruleset) {
            of_it.remove(channel);
        }
    }

    /// Removes the channels that point to a revision with which nothing new begins.
    pub fn forget(&mut self, ruleset: &str, digest: &Hash) {
        if let Some(of_it) = self.0.get_mut(ruleset) {
            of_it.retain(|_, pointed| pointed != digest);
        }
    }

    /// Every channel of a ruleset with what it points to, `stable` first.
    pub fn all<'a>(
        &'a self,
        library: &Library,
        ruleset: &str,
    ) -> impl Iterator<Item = (&'a str, Hash)> {
        let stable = library.get(ruleset).map(|edition| (STABLE, edition.digest));
        let others = self.0.get(ruleset).into_iter().flatten();
        stable
            .into_iter()
            .chain(others.map(|(channel, digest)| (channel.as_str(), *digest)))
    }

    /// As [`all`](Self::all), as clients see it.
    pub fn messages(&self, library: &Library, ruleset: &str) -> Vec<v1::Channel> {
        let message = |(channel, digest): (&str, Hash)| v1::Channel {
            name: format!("{}/channels/{channel}", catalog::ruleset_name(ruleset)),
            revision: catalog::revision_name(ruleset, &digest),
        };
        self.all(library, ruleset).map(message).collect()
    }
}

/// Whether a text can be the id of a channel.
pub fn is_channel(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    id.len() <= LONGEST && id.starts_with(|c: char| c.is_ascii_lowercase()) && id.bytes().all(plain)
}

/// What is said of a text that cannot be the id of a channel.
pub const NO_CHANNEL: &str =
    "is no id of a channel: a letter `a` to `z`, then up to 31 such letters, digits and hyphens";

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
        let edition = rulesets::edition(&self.0, &asked.revision, "revision").await?;
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
        let most = self.0.limits().channels_per_ruleset as usize;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_channels_are_plain_and_short() {
        for good in ["stable", "next", "a", "rc-2"] {
            assert!(is_channel(good), "{good}");
        }
        let long = "x".repeat(LONGEST + 1);
        for bad in ["", "-a", "2a", "Next", "a_b", "a/b", "ż", long.as_str()] {
            assert!(!is_channel(bad), "{bad}");
        }
    }
}
