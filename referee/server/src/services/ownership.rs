//! The owners of rulesets: who publishes them, moves their channels and yanks their revisions.
//!
//! A ruleset belongs to the label of its publisher's tokens, so that tokens can be renewed. An id that nobody has used
//! becomes theirs who publishes it first; whatever the referee brought itself is the operator's. Administrators give
//! rulesets away.

use tonic::metadata::MetadataMap;

use super::admin::Admin;
use crate::Referee;
use crate::calls::{Failure, Named, Publisher, display_name, once};
use crate::published::owners::Owners;
use referee_contract::catalog;
use referee_contract::v1::{self, Reason};
use referee_store::numbers::to_usize;
use referee_store::{Change, OwnerRow};

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
        let known = owners.know(ruleset) || self.library().get(ruleset).is_some();
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
        Err(belongs_to(ruleset, owner, publisher))
    }

    /// What a publisher is told whose ruleset has become another's at another referee.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub(super) async fn owned_meanwhile(
        &self,
        ruleset: &str,
        publisher: &Publisher,
    ) -> Result<Failure, Failure> {
        let store = self.registry.parts().store.clone();
        let owners = Owners::of(self.read(move || store.owners()).await?);
        let owner = owners.of_known(ruleset);
        self.owned(ruleset, owner.to_owned());
        Ok(belongs_to(ruleset, owner, publisher))
    }

    /// A ruleset belongs to somebody from now on.
    pub(super) fn owned(&self, ruleset: &str, owner: String) {
        tracing::info!(ruleset, owner, "a ruleset has an owner");
        self.owners.rcu(|owners| {
            let mut owners = (**owners).clone();
            owners.give(ruleset, owner.clone());
            owners
        });
    }
}

fn belongs_to(ruleset: &str, owner: &str, publisher: &Publisher) -> Failure {
    let name = catalog::ruleset_name(ruleset);
    let why = format!(
        "`{name}` belongs to `{owner}`: publish under another id, or have an administrator give it to `{}`",
        publisher.name
    );
    Failure::new(Reason::RulesetOwned, why).with("owner", owner)
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
        let longest = to_usize(self.0.limits().display_name_chars);
        let owner = display_name(&asked.owner, longest, "owner")?;
        let row = OwnerRow {
            ruleset: ruleset.to_owned(),
            owner: owner.clone(),
        };
        let (in_order, ruleset) = (self.0.in_order().await, ruleset.to_owned());
        let learn = move |referee: &Referee| {
            referee.owned(&ruleset, owner);
            drop(in_order);
        };
        let replayed = self.0.settle(Change::Own(row), &request, learn).await?;
        Ok(v1::SetRulesetOwnerResponse { replayed })
    }
}
