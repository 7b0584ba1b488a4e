//! A store in memory: for tests and for a referee that shall forget. Nothing survives the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    Append, Appended, Grant, Hash, MatchId, MatchRow, MatchState, NewMatch, Principal, RequestRow,
    Store, StoreError, StoredEntry, TokenRow, chain,
};

/// A store in memory.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    matches: BTreeMap<MatchId, Kept>,
    requests: BTreeMap<(Principal, String), RequestRow>,
    tokens: BTreeMap<Hash, Grant>,
    contents: BTreeMap<Hash, Vec<u8>>,
}

#[derive(Debug)]
struct Kept {
    order: u64,
    new: NewMatch,
    state: MatchState,
    log: Vec<StoredEntry>,
}

impl Memory {
    /// A panic elsewhere does not make maps inconsistent: every append below is a few insertions.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn append(&mut self, append: &Append) -> Appended {
        if let Some(request) = &append.request
            && let Some(known) = self
                .requests
                .get(&(request.principal, request.request_id.clone()))
        {
            return Appended::Duplicate(known.clone());
        }
        let order = self.matches.len() as u64 + 1;
        let kept = match (&append.create, self.matches.contains_key(&append.id)) {
            (Some(new), false) if append.expected == 0 => {
                self.matches.entry(append.id.clone()).or_insert(Kept {
                    order,
                    new: new.clone(),
                    state: append.state,
                    log: Vec::new(),
                })
            }
            (None, true) => match self.matches.get_mut(&append.id) {
                Some(kept) if kept.log.len() as u64 == append.expected => kept,
                _ => return Appended::Conflict,
            },
            _ => return Appended::Conflict,
        };
        let mut previous = kept
            .log
            .last()
            .map_or_else(|| chain::start(&append.id), |entry| entry.chain);
        for body in &append.entries {
            let sequence = kept.log.len() as u64;
            previous = chain::link(&previous, sequence, body);
            kept.log.push(StoredEntry {
                sequence,
                body: body.clone(),
                chain: previous,
            });
        }
        kept.state = append.state;
        if let Some(request) = &append.request {
            self.requests.insert(
                (request.principal, request.request_id.clone()),
                request.clone(),
            );
        }
        for token in &append.tokens {
            self.tokens.insert(token.hash, token.grant.clone());
        }
        Appended::Done
    }
}

impl Store for Memory {
    fn append(&self, group: &[Append]) -> Result<Vec<Appended>, StoreError> {
        let mut state = self.state();
        Ok(group.iter().map(|append| state.append(append)).collect())
    }

    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        let state = self.state();
        let log = state.matches.get(id).map_or(&[][..], |kept| &kept.log);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(log.iter().skip(from).take(limit).cloned().collect())
    }

    fn find(&self, id: &MatchId) -> Result<Option<(NewMatch, MatchState)>, StoreError> {
        Ok(self
            .state()
            .matches
            .get(id)
            .map(|kept| (kept.new.clone(), kept.state)))
    }

    fn request(
        &self,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        Ok(self
            .state()
            .requests
            .get(&(principal, request_id.to_owned()))
            .cloned())
    }

    fn list(
        &self,
        host: Principal,
        state: Option<MatchState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let all = self.state();
        let mut rows: Vec<MatchRow> = all
            .matches
            .iter()
            .filter(|(_, kept)| kept.new.host == host)
            .filter(|(_, kept)| state.is_none_or(|state| kept.state == state))
            .filter(|(_, kept)| before.is_none_or(|before| kept.order < before))
            .map(|(id, kept)| MatchRow {
                order: kept.order,
                id: id.clone(),
                ruleset: kept.new.ruleset.clone(),
                created_ms: kept.new.created_ms,
                state: kept.state,
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.order));
        rows.truncate(limit);
        Ok(rows)
    }

    fn token(&self, hash: &Hash) -> Result<Option<Grant>, StoreError> {
        Ok(self.state().tokens.get(hash).cloned())
    }

    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.state().tokens.insert(token.hash, token.grant.clone());
        Ok(())
    }

    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        self.state()
            .contents
            .entry(*digest)
            .or_insert_with(|| content.to_vec());
        Ok(())
    }

    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().contents.get(digest).cloned())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn conforms() {
        crate::store::conformance::check(&super::Memory::default());
    }
}
