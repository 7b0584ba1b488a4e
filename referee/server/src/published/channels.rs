//! Where channels point, in memory: `stable` is what a ruleset's id means, so the [`Library`] has it; the others are here.

use std::collections::BTreeMap;

use referee_contract::catalog;
use referee_contract::v1;
use referee_library::Library;
use referee_store::{ChannelRow, Hash, STABLE};

/// Letters of a channel's id at most.
pub const LONGEST: usize = 32;

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

    /// Removes a channel.
    pub fn remove(&mut self, ruleset: &str, channel: &str) {
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
