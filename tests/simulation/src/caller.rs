//! Whoever calls. Where there are several referees, each call goes to another one than the last: routing could not be worse.

use std::sync::{Arc, Mutex, PoisonError};

use fastrand::Rng;
use referee::client::Client;

/// Somebody who calls, with a token or without.
#[derive(Clone)]
pub struct Caller {
    /// One for each referee.
    clients: Vec<Client>,
    /// Of several: chance, and which was called last.
    last: Option<Arc<Mutex<(Rng, usize)>>>,
}

impl Caller {
    /// Who has these connections; of several, one is chosen by this chance.
    pub fn of(clients: Vec<Client>, chance: impl FnOnce() -> Rng) -> Caller {
        let several = clients.len() > 1;
        Caller {
            clients,
            last: several.then(|| Arc::new(Mutex::new((chance(), 0)))),
        }
    }

    /// The same connections with a token.
    pub fn with_token(&self, token: &str) -> Caller {
        let clients = self.clients.iter();
        Caller {
            clients: clients.map(|client| client.with_token(token)).collect(),
            last: self.last.clone(),
        }
    }

    /// The connection that is used next.
    pub fn any(&self) -> &Client {
        let Some(last) = &self.last else {
            return &self.clients[0];
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let (random, called) = &mut *last;
        *called = (*called + random.usize(1..self.clients.len())) % self.clients.len();
        &self.clients[*called]
    }
}
