//! Tells platforms whose turn it is, at addresses that the operator allows.
//!
//! In: notices that were kept in the store with the moves that they are of. Out: calls, signed as Standard Webhooks
//! (standardwebhooks.com) says, until each is heard or given up. Nothing of a game is in them. One that is told again, because nobody
//! knows whether it was heard, has the same id.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use tokio::sync::{Notify, Semaphore};

use super::web::{self, Reach, Sent, Url, WebError};
use referee_store::clock::Clock;
use referee_store::hashing::Context;
use referee_store::secrets::{Keys, Purpose, hex};
use referee_store::threads::Threads;
use referee_store::{MatchId, NoticeRow, Principal, Store, StoreError};

/// After how long a notice is told again that was not heard; after the last it is given up.
const AGAIN: [Duration; 8] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(3600),
    Duration::from_secs(3 * 3600),
    Duration::from_secs(8 * 3600),
    Duration::from_secs(12 * 3600),
];

/// Time between two looks for notices whose time has come.
const PAUSE: Duration = Duration::from_secs(1);

/// Notices that are under way at once, and to one server: what is slow holds up nothing else.
const AT_ONCE: usize = 64;
const AT_ONCE_TO_ONE: usize = 4;

/// How long a notice is told by one referee before another may think that it has failed, in milliseconds: longer than a call
/// takes.
const TAKEN: i64 = 30_000;

/// Bytes of an address at most.
const LONGEST: usize = 500;

/// Servers to which notices go: those that the operator has listed.
#[derive(Clone, Debug, Default)]
pub struct Allowed(BTreeSet<String>);

impl Allowed {
    /// A list of servers: `club.example`, `club.example:8443`, `127.0.0.1:9000`.
    ///
    /// # Errors
    ///
    /// Says which one is none.
    pub fn read(list: &[String]) -> Result<Allowed, String> {
        let one = |server: &String| {
            let none = || {
                format!(
                    "`{server}` is no server; write a host, or a host and a port, such as club.example"
                )
            };
            match server.contains('/') {
                true => Err(none()),
                false => Url::read(&format!("https://{server}/"))
                    .map(|url| url.server())
                    .map_err(|_| none()),
            }
        };
        list.iter().map(one).collect::<Result<_, _>>().map(Allowed)
    }

    /// Whether none is listed: no notices are told at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads an address that may be told something.
    ///
    /// # Errors
    ///
    /// Says why it may not.
    pub fn url(&self, text: &str) -> Result<Url, String> {
        if text.len() > LONGEST {
            return Err(format!("is longer than {LONGEST} bytes"));
        }
        let url = Url::read(text).map_err(|error| error.to_string())?;
        match self.0.contains(&url.server()) {
            true => Ok(url),
            false => Err(format!(
                "is at `{}`, which the operator of this referee does not list (`--webhook-host`)",
                url.server()
            )),
        }
    }
}

/// The secret by which a host knows that a notice is this referee's, as Standard Webhooks writes it.
pub fn secret(keys: &Keys, host: Principal) -> String {
    let secret = keys.derive(Purpose::WebhookSecret, &[&host.0]);
    format!("whsec_{}", STANDARD.encode(secret))
}

/// That it is a seat's turn, by the entry of the log after which it is.
pub fn turn(of: &MatchId, seat: u32, entry: u64, address: &str, now_ms: i64) -> NoticeRow {
    static CONTEXT: Context = Context::new("referee 2026-11 turn notice v1");
    let mut id = CONTEXT.hasher();
    id.update(of.as_str().as_bytes());
    id.update(&entry.to_le_bytes()).update(&seat.to_le_bytes());
    let mut first = [0; 16];
    first.copy_from_slice(&id.finalize().as_bytes()[..16]);
    let time = prost_types::Timestamp {
        seconds: now_ms.div_euclid(1000),
        nanos: 0,
    };
    let body = serde_json::json!({
        "type": "turn",
        "timestamp": time.to_string(),
        "data": { "match": format!("matches/{of}"), "seat": seat },
    });
    NoticeRow {
        id: first,
        of: of.clone(),
        address: address.to_owned(),
        body: body.to_string().into_bytes(),
        due_ms: now_ms,
        tries: 0,
    }
}

/// Tells what is to be told.
pub struct Notices {
    store: Arc<dyn Store>,
    threads: Threads,
    clock: Clock,
    keys: Keys,
    allowed: Allowed,
    /// Those that are being told.
    under_way: Mutex<HashSet<[u8; 16]>>,
    places: Arc<Semaphore>,
    /// By server.
    places_to: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

impl Notices {
    /// To these servers.
    pub fn new(
        store: Arc<dyn Store>,
        threads: Threads,
        clock: Clock,
        keys: Keys,
        allowed: Allowed,
    ) -> Arc<Notices> {
        Arc::new(Notices {
            store,
            threads,
            clock,
            keys,
            allowed,
            under_way: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            places_to: Mutex::default(),
        })
    }

    /// Tells notices as they come, which is told by `new`, and when their time comes.
    pub async fn run(self: Arc<Notices>, new: Arc<Notify>) {
        loop {
            if let Err(error) = self.look().await {
                tracing::warn!(%error, "notices cannot be read");
            }
            tokio::select! {
                () = new.notified() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    async fn look(self: &Arc<Notices>) -> Result<(), StoreError> {
        let (store, now) = (self.store.clone(), self.clock.now_ms());
        // More than can be under way, so that those that are do not hide the others.
        let due = self
            .blocking(move || store.notices(now, 2 * AT_ONCE))
            .await?;
        for notice in due {
            let Ok(place) = self.places.clone().try_acquire_owned() else {
                return Ok(());
            };
            let url = match self.allowed.url(&notice.address) {
                Ok(url) => url,
                Err(why) => {
                    let address = &notice.address;
                    tracing::warn!(address, why, "a notice is given up");
                    self.settle(&notice, None).await?;
                    continue;
                }
            };
            let Ok(own_place) = self.place_to(url.server()).try_acquire_owned() else {
                continue;
            };
            if !self.under_way().insert(notice.id) {
                continue;
            }
            let notices = self.clone();
            tokio::spawn(async move {
                if notices.takes(&notice).await {
                    notices.tell(&notice, &url).await;
                }
                notices.under_way().remove(&notice.id);
                drop((place, own_place));
            });
        }
        Ok(())
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, HashSet<[u8; 16]>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn place_to(&self, server: String) -> Arc<Semaphore> {
        let mut places = self
            .places_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let place = places
            .entry(server)
            .or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_TO_ONE)));
        place.clone()
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.threads.run(work).await;
        done.map_err(|error| StoreError::Engine(error.to_string()))?
    }

    async fn settle(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError> {
        let (store, notice) = (self.store.clone(), notice.clone());
        self.blocking(move || store.settle_notice(&notice, again_ms))
            .await
    }

    /// Whether it is for this referee to tell a notice: where several serve, all of them read it.
    async fn takes(&self, notice: &NoticeRow) -> bool {
        let (store, notice) = (self.store.clone(), notice.clone());
        let until = self.clock.now_ms().saturating_add(TAKEN);
        let take = move || match store.shared() {
            Some(shared) => shared.take_notice(&notice, until),
            None => Ok(true),
        };
        let taken = self.blocking(take).await;
        taken.unwrap_or_else(|error| {
            tracing::warn!(%error, "nobody knows who tells a notice");
            false
        })
    }

    /// Tells one; what becomes of it is kept.
    async fn tell(&self, notice: &NoticeRow, url: &Url) {
        let told = self.call(notice, url).await;
        let again = match &told {
            Ok(()) => None,
            // Whoever is there says that nobody will listen again.
            Err(WebError::Status(410)) => None,
            Err(_) => usize::try_from(notice.tries)
                .ok()
                .and_then(|tries| AGAIN.get(tries)),
        };
        if let Err(error) = &told {
            let (server, given_up) = (url.server(), again.is_none());
            tracing::warn!(server, %error, given_up, "a notice was not heard");
        }
        let now = self.clock.now_ms();
        let again = again
            .map(|pause| now.saturating_add(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX)));
        // If that cannot be kept it is told again, with the same id.
        if let Err(error) = self.settle(notice, again).await {
            tracing::warn!(%error, "what became of a notice is not kept");
        }
    }

    async fn call(&self, notice: &NoticeRow, url: &Url) -> Result<(), WebError> {
        let (store, of) = (self.store.clone(), notice.of.clone());
        let found = self.blocking(move || store.find(&of)).await;
        let found = found.map_err(|error| WebError::Failed(error.to_string()))?;
        let Some(found) = found else {
            // The match was deleted, and nobody waits for it.
            return Ok(());
        };
        let (id, time) = (hex(&notice.id), self.clock.now_ms().div_euclid(1000));
        let secret = self
            .keys
            .derive(Purpose::WebhookSecret, &[&found.new.host.0]);
        let mut signed = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &secret));
        signed.update(format!("{id}.{time}.").as_bytes());
        signed.update(&notice.body);
        let signature = STANDARD.encode(signed.sign());
        let headers = [
            ("webhook-id", id),
            ("webhook-timestamp", time.to_string()),
            ("webhook-signature", format!("v1,{signature}")),
        ];
        // An address that the operator has written is meant; what a name means is somebody else's word.
        let reach = match url.is_address() {
            true => Reach::Any,
            false => Reach::Public,
        };
        let sent = Sent {
            headers: &headers,
            body: notice.body.clone(),
        };
        web::post(url, reach, sent).await
    }
}
