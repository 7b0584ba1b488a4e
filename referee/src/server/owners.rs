//! Whose rulesets are: who publishes them, moves their channels and yanks their revisions.
//!
//! A ruleset belongs to the label of its publisher's tokens, so that tokens can be renewed. An id that nobody has used
//! becomes theirs who publishes it first; whatever the referee brought itself is the operator's. Administrators give
//! rulesets away.

use std::collections::BTreeMap;

use tonic::metadata::MetadataMap;

use super::admin::Admin;
use super::auth::Publisher;
use super::issuing::OPERATOR;
use super::matches::display_name;
use super::rulesets::Named;
use super::status::Failure;
use super::{Referee, once};
use crate::store::{Change, OwnerRow};
use crate::wire::catalog;
use crate::wire::v1::{self, Reason};

/// Owners by ruleset.
#[derive(Clone, Default)]
pub struct Owners(BTreeMap<String, String>);

impl Owners {
    /// Those that a store keeps.
    pub fn of(rows: Vec<OwnerRow>) -> Owners {
        let rows = rows.into_iter();
        Owners(rows.map(|row| (row.ruleset, row.owner)).collect())
    }

    /// Whose a ruleset is that somebody has published, or the referee has brought.
    pub fn of_known(&self, ruleset: &str) -> &str {
        self.0.get(ruleset).map_or(OPERATOR, String::as_str)
    }
}

impl Referee {
    /// Whether a publisher may publish under an id; gives whose it becomes by that, if it was nobody's.
    ///
    /// # Errors
    ///
    /// `RULESET_OWNED`.
    pub(super) async fn may_publish(
        &self,
        publisher: &Publisher,
        ruleset: &str,
    ) -> Result<Option<String>, Failure> {
        let owners = self.owners.load_full();
        let known = owners.0.contains_key(ruleset) || self.library().get(ruleset).is_some();
        if !known {
            let (store, id) = (self.registry.parts().store.clone(), ruleset.to_owned());
            let revisions = self.read(move || store.revisions(&id, None, 1)).await?;
            if revisions.is_empty() {
                return Ok(Some(publisher.name.clone()));
            }
        }
        let owner = owners.of_known(ruleset);
        if owner == publisher.name {
            return Ok(None);
        }
        let name = catalog::ruleset_name(ruleset);
        let why = format!(
            "`{name}` belongs to `{owner}`: publish under another id, or have an administrator give it to `{}`",
            publisher.name
        );
        Err(Failure::new(Reason::RulesetOwned, why).with("owner", owner))
    }

    /// A ruleset belongs to somebody from now on.
    pub(super) fn owned(&self, ruleset: &str, owner: String) {
        tracing::info!(ruleset, owner, "a ruleset has an owner");
        self.owners.rcu(|owners| {
            let mut owners = (**owners).clone();
            owners.0.insert(ruleset.to_owned(), owner.clone());
            owners
        });
    }
}

impl Admin {
    pub(super) async fn give(
        &self,
        metadata: &MetadataMap,
        asked: v1::SetRulesetOwnerRequest,
    ) -> Result<v1::SetRulesetOwnerResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "SetRulesetOwner", asked)?;
        let Some(Named::Ruleset(ruleset)) = Named::read(&asked.name) else {
            return Err(Failure::field("name", "is not of the form `rulesets/<id>`"));
        };
        let longest = self.0.limits().display_name_chars as usize;
        let owner = display_name(&asked.owner, longest, "owner")?;
        let row = OwnerRow {
            ruleset: ruleset.to_owned(),
            owner: owner.clone(),
        };
        let _in_order = self.0.publishing.lock().await;
        let replayed = self.0.settle(Change::Own(row), &request).await?;
        if !replayed {
            self.0.owned(ruleset, owner);
        }
        Ok(v1::SetRulesetOwnerResponse { replayed })
    }
}
