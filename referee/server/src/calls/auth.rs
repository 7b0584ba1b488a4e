//! Who calls: bearer tokens and what they open.
//!
//! Tokens are 256 bits that nobody can guess, so they are kept as plain hashes and looked up by hash;
//! nothing secret is ever compared byte by byte. A token may expire, and is revoked at once. Which token may call what is decided by the service
//! called: each has one kind of caller.

use std::net::Ipv4Addr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::{HashMap, HashSet};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use interpreter::play::Seat;
use tokio::sync::watch;
use tonic::metadata::MetadataMap;

use super::status::Failure;
use referee_contract::v1::Reason;
use referee_sandbox::limits::Limits;
use referee_store::clock::Clock;
use referee_store::hashing::Context;
use referee_store::secrets::{hex, token_hash};
use referee_store::threads::Threads;
use referee_store::{Grant, Hash, MatchId, Principal, Store, StoreError, TokenRow};
use referee_table::outside::identity::{Identity, Provider, Rejected, is_signed};
use referee_table::{Holder, Payer, Payers, TableError};

/// Prefix of hosts' tokens.
pub const HOST_PREFIX: &str = "rfh_";
/// Prefix of seats' tokens.
pub const SEAT_PREFIX: &str = "rfs_";
/// Prefix of claim codes.
pub const CLAIM_PREFIX: &str = "rfc_";
/// Prefix of spectators' tokens.
pub const SPECTATOR_PREFIX: &str = "rfw_";
/// Prefix of publishers' tokens.
pub const PUBLISHER_PREFIX: &str = "rfp_";
/// Prefix of administrators' tokens.
pub const ADMIN_PREFIX: &str = "rfa_";

/// Prefix of tokens that create matches.
pub const CREATOR_PREFIX: &str = "rfn_";
/// Prefix of players' tokens.
pub const PLAYER_PREFIX: &str = "rfu_";

/// The prefix of tokens that open this.
pub fn prefix(grant: &Grant) -> &'static str {
    match grant {
        Grant::Host => HOST_PREFIX,
        Grant::Seat { .. } => SEAT_PREFIX,
        Grant::Spectator { .. } => SPECTATOR_PREFIX,
        Grant::Publisher => PUBLISHER_PREFIX,
        Grant::Admin => ADMIN_PREFIX,
        Grant::Creator => CREATOR_PREFIX,
        Grant::Player => PLAYER_PREFIX,
    }
}

/// Longer tokens are none of ours and are not even hashed.
const LONGEST: usize = 128;

/// The same of signed ones.
const LONGEST_SIGNED: usize = 8 << 10;

/// Tokens that are remembered; beyond that the memory starts anew.
const REMEMBERED: usize = 1 << 16;

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A host.
    Host(Principal),
    /// A seat of a match.
    Seat {
        /// The caller, for telling requests apart.
        principal: Principal,
        /// The match.
        id: MatchId,
        /// The seat.
        seat: Seat,
    },
    /// A spectator of a match.
    Spectator(MatchId),
    /// A publisher.
    Publisher(Publisher),
    /// An administrator.
    Admin(Principal),
    /// Somebody who creates matches, and nothing else.
    Creator(Principal),
    /// A player.
    Player(Player),
}

/// A player who may hold many seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player(Hash);

impl Player {
    /// Who is called so.
    fn called(label: &str) -> Player {
        static CONTEXT: Context = Context::new("referee 2026-11 player v1");
        Player(
            *CONTEXT
                .hasher()
                .update(label.as_bytes())
                .finalize()
                .as_bytes(),
        )
    }

    /// For telling players apart, and on whose account they call.
    pub fn id(&self) -> &Hash {
        &self.0
    }

    /// The label of tokens by which the player holds seats.
    pub fn holder(&self) -> String {
        hex(&self.0)
    }

    /// The player with something else, such as a match.
    fn with(&self, what: &[u8]) -> Hash {
        static CONTEXT: Context = Context::new("referee 2026-11 player with v1");
        let mut hasher = CONTEXT.hasher();
        *hasher.update(&self.0).update(what).finalize().as_bytes()
    }

    /// Who the player is at a match.
    pub fn at(&self, id: &MatchId) -> Principal {
        Principal(self.with(id.as_str().as_bytes()))
    }

    /// How the player holds the seat that a token opens.
    pub fn holds(&self, seat_token: &Hash) -> Holder {
        Holder {
            label: self.holder(),
            token: self.with(seat_token),
        }
    }
}

/// Who publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// The caller, for telling requests apart.
    pub principal: Principal,
    /// What rulesets of theirs are known to belong to: the label of their tokens; of one without a label, its id.
    pub name: String,
}

impl Caller {
    /// What the caller's token is called.
    fn kind(&self) -> &'static str {
        match self {
            Caller::Host(_) => "a host's (`rfh_…`)",
            Caller::Seat { .. } => "a seat's (`rfs_…`)",
            Caller::Spectator(_) => "a spectator's (`rfw_…`)",
            Caller::Publisher(_) => "a publisher's (`rfp_…`)",
            Caller::Admin(_) => "an administrator's (`rfa_…`)",
            Caller::Creator(_) => "a creator's (`rfn_…`)",
            Caller::Player(_) => "a player's (`rfu_…`)",
        }
    }

    /// A failure: the token is good, but a token of another kind is needed.
    pub fn wrong_kind(&self, needed: &str) -> Failure {
        let message = format!("{needed} token is needed, this is {}", self.kind());
        Failure::new(Reason::TokenKindWrong, message)
    }
}

/// What a stream was opened with: it ends when this opens nothing any more.
#[derive(Clone, Debug)]
pub struct Credential {
    hash: Hash,
    /// The match that the token tells.
    of: Option<MatchId>,
    /// When that is at the latest.
    pub expires_ms: Option<i64>,
}

/// Looks tokens up.
pub struct Auth {
    store: Arc<dyn Store>,
    clock: Clock,
    threads: Threads,
    known: Mutex<Known>,
    /// How often a token was revoked by itself: not with its seat or match, whose streams hear of that otherwise.
    revoked: watch::Sender<u64>,
    /// Whose signed tokens are players' tokens.
    identity: Option<Arc<Identity>>,
    /// Failed authentications, by the address that calls or, once that is known, by the caller.
    failures: DefaultKeyedRateLimiter<Payer>,
    rates: DefaultKeyedRateLimiter<Hash>,
}

/// Tokens that were found, until they are revoked here.
#[derive(Default)]
struct Known {
    rows: HashMap<Hash, Arc<TokenRow>>,
    /// Players of the identity provider who are barred, as far as they have called.
    barred: HashSet<Hash>,
    /// How often something was revoked: what was found before may be so no more.
    revocations: u64,
}

/// Addresses whose failures are counted before those are forgotten that have not failed for a while.
const REMEMBERED_FAILURES: usize = 1 << 14;

impl Auth {
    /// With the tokens of this store. `limits` says how many failures of each address are explained in a minute, and how often
    /// each token may call in a second.
    pub fn new(
        store: Arc<dyn Store>,
        limits: &Limits,
        clock: Clock,
        threads: Threads,
        identity: Option<Arc<Identity>>,
    ) -> Auth {
        let at_least_one = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let failures = Quota::per_minute(at_least_one(limits.failed_authentications));
        let calls = Quota::per_second(at_least_one(limits.calls_per_second));
        Auth {
            store,
            clock,
            threads,
            known: Mutex::default(),
            revoked: watch::Sender::default(),
            identity,
            failures: RateLimiter::keyed(failures),
            rates: RateLimiter::keyed(calls),
        }
    }

    /// Whose signed tokens are players' tokens, if anybody's.
    pub fn provider(&self) -> Option<&Provider> {
        self.identity.as_ref().map(|identity| identity.provider())
    }

    /// Forgets callers who have not called for a while.
    pub fn rest(&self) {
        self.rates.retain_recent();
        self.failures.retain_recent();
    }

    /// A token was revoked.
    pub fn forget(&self, hash: &Hash) {
        {
            let mut known = self.known();
            known.revocations += 1;
            known.rows.remove(hash);
        }
        self.revoked.send_modify(|count| *count += 1);
    }

    /// The tokens of a seat were revoked.
    pub fn forget_seat(&self, id: &MatchId, seat: Seat) {
        let gone = Grant::Seat {
            id: id.clone(),
            seat: seat.0,
        };
        let mut known = self.known();
        known.revocations += 1;
        known.rows.retain(|_, row| row.grant != gone);
    }

    /// The tokens of a match were deleted.
    pub fn forget_match(&self, gone: &MatchId) {
        let mut known = self.known();
        known.revocations += 1;
        known.rows.retain(|_, row| match &row.grant {
            Grant::Seat { id, .. } | Grant::Spectator { id } => id != gone,
            Grant::Host | Grant::Publisher | Grant::Admin | Grant::Creator | Grant::Player => true,
        });
    }

    /// Something was revoked by somebody else: every token is looked up anew.
    pub fn forget_all(&self) {
        {
            let mut known = self.known();
            known.revocations += 1;
            known.rows.clear();
        }
        self.revoked.send_modify(|count| *count += 1);
    }

    /// It could not be asked whether something was revoked: until it can, every token is looked up with each call. Streams go
    /// on, which hear of nothing that this referee cannot read.
    pub fn believe_nothing(&self) {
        let mut known = self.known();
        known.revocations += 1;
        known.rows.clear();
    }

    /// Changes whenever a stream should look whether its [`Credential`] is still good.
    pub fn revocations(&self) -> watch::Receiver<u64> {
        self.revoked.subscribe()
    }

    /// What a call that goes on as a stream was opened with; none if it needs no token and has none.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID` when it opens nothing.
    pub async fn credential(&self, metadata: &MetadataMap) -> Result<Option<Credential>, Failure> {
        if presented(metadata).is_none() {
            return Ok(None);
        }
        let found = self.found(metadata).await?;
        let (hash, row) = found.ok_or_else(opens_nothing)?;
        Ok(Some(Credential {
            hash,
            of: row.grant.of().cloned(),
            expires_ms: row.expires_ms,
        }))
    }

    /// That it is still good.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID` when it is not.
    pub async fn still(&self, credential: &Credential) -> Result<(), Failure> {
        let row = self.valid(credential.hash, credential.of.clone()).await?;
        row.map(drop).ok_or_else(opens_nothing)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a wrong credential and returns what the caller is told: `failure`, or that the limit is reached, by an address that
    /// has guessed too often.
    pub fn failed(&self, failure: Failure) -> Failure {
        if self.failures.len() > REMEMBERED_FAILURES {
            self.failures.retain_recent();
        }
        let payers = Payers::calling();
        let nowhere = Payer::at(Ipv4Addr::UNSPECIFIED.into());
        let account = payers.accounts().last().unwrap_or(&nowhere);
        match self.failures.check_key(account) {
            Ok(()) => failure,
            Err(_) => TableError::Limit("failed_authentications").into(),
        }
    }

    /// Who calls with this metadata.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID` without a good token, whatever is wrong with it.
    pub async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Failure> {
        let invalid = || {
            self.failed(Failure::new(
                Reason::TokenInvalid,
                "a bearer token of this referee is needed",
            ))
        };
        let (hash, row) = self.found(metadata).await?.ok_or_else(invalid)?;
        // However many tokens a player has, all are one account.
        let account = match &row.grant {
            Grant::Player => *Player::called(&row.label).id(),
            _ => hash,
        };
        if self.rates.check_key(&account).is_err() {
            return Err(TableError::Limit("calls_per_second").into());
        }
        let of = match &row.grant {
            Grant::Host | Grant::Creator => Some(Payer::Host(Principal(hash))),
            Grant::Seat { id, .. } | Grant::Spectator { id } => Some(Payer::Match(id.clone())),
            Grant::Publisher | Grant::Admin | Grant::Player => None,
        };
        Payers::caller_is(of.into_iter().chain([Payer::Token(account)]));
        Ok(match row.grant.clone() {
            Grant::Spectator { id } => Caller::Spectator(id),
            Grant::Publisher => Caller::Publisher(Publisher {
                principal: Principal(hash),
                name: match row.label.is_empty() {
                    true => hex(&hash),
                    false => row.label.clone(),
                },
            }),
            Grant::Admin => Caller::Admin(Principal(hash)),
            Grant::Host => Caller::Host(Principal(hash)),
            Grant::Creator => Caller::Creator(Principal(hash)),
            Grant::Player => Caller::Player(Player::called(&row.label)),
            Grant::Seat { id, seat } => Caller::Seat {
                principal: Principal(hash),
                id,
                seat: Seat(seat),
            },
        })
    }

    /// The host that calls.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a seat's token.
    pub async fn host(&self, metadata: &MetadataMap) -> Result<Principal, Failure> {
        match self.caller(metadata).await? {
            Caller::Host(principal) => Ok(principal),
            other => Err(other.wrong_kind("a host's")),
        }
    }

    /// Whoever may create a match: a host, or somebody who may do nothing else.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a token of another kind.
    pub async fn creator(&self, metadata: &MetadataMap) -> Result<Principal, Failure> {
        match self.caller(metadata).await? {
            Caller::Host(principal) | Caller::Creator(principal) => Ok(principal),
            other => Err(other.wrong_kind("a host's or a creator's")),
        }
    }

    /// The publisher that calls.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a token of another kind.
    pub async fn publisher(&self, metadata: &MetadataMap) -> Result<Publisher, Failure> {
        match self.caller(metadata).await? {
            Caller::Publisher(publisher) => Ok(publisher),
            other => Err(other.wrong_kind("a publisher's")),
        }
    }

    /// The administrator that calls.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a token of another kind.
    pub async fn admin(&self, metadata: &MetadataMap) -> Result<Principal, Failure> {
        match self.caller(metadata).await? {
            Caller::Admin(principal) => Ok(principal),
            other => Err(other.wrong_kind("an administrator's")),
        }
    }

    /// The seat that calls, and that it is one of the match it names.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, `TOKEN_KIND_WRONG` with a host's token, `NOT_FOUND` for another match.
    pub async fn seat(
        &self,
        metadata: &MetadataMap,
        name: &str,
    ) -> Result<(Principal, MatchId, Seat), Failure> {
        match self.caller_of(metadata, name).await? {
            Caller::Seat {
                principal,
                id,
                seat,
            } if match_id(name)? == id => Ok((principal, id, seat)),
            Caller::Seat { .. } | Caller::Player(_) => Err(Failure::not_found()),
            other => Err(other.wrong_kind("a seat's")),
        }
    }

    /// Who calls, of a match: a player who holds a seat of it is that seat.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `MALFORMED_REQUEST` when a player names no match.
    pub async fn caller_of(&self, metadata: &MetadataMap, name: &str) -> Result<Caller, Failure> {
        let caller = self.caller(metadata).await?;
        let Caller::Player(player) = caller else {
            return Ok(caller);
        };
        let id = match_id(name)?;
        let Some(seat) = self.held(&player, &id).await? else {
            return Ok(caller);
        };
        Payers::caller_is([Payer::Match(id.clone()), Payer::Token(*player.id())]);
        Ok(Caller::Seat {
            principal: player.at(&id),
            id,
            seat,
        })
    }

    /// The player that calls.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a token of another kind.
    pub async fn player(&self, metadata: &MetadataMap) -> Result<Player, Failure> {
        match self.caller(metadata).await? {
            Caller::Player(player) => Ok(player),
            other => Err(other.wrong_kind("a player's")),
        }
    }

    /// The seat that a player holds of a match, if any.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn held(&self, player: &Player, id: &MatchId) -> Result<Option<Seat>, Failure> {
        let (holder, of) = (player.holder(), id.clone());
        let look = move |store: &dyn Store| store.held_in(&holder, &of);
        let row = self.remembered(player.at(id).0, look).await?;
        Ok(row.and_then(|row| match row.grant {
            Grant::Seat { seat, .. } => Some(Seat(seat)),
            _ => None,
        }))
    }

    /// What the store has of a token.
    async fn look_up(
        &self,
        look: impl FnOnce(&dyn Store) -> Result<Option<TokenRow>, StoreError> + Send + 'static,
    ) -> Result<Result<Option<TokenRow>, StoreError>, Failure> {
        if self.store.is_instant() {
            return Ok(look(&*self.store));
        }
        let store = self.store.clone();
        let found = self.threads.run(move || look(&*store)).await;
        found.map_err(|error| Failure::internal(&error.to_string()))
    }

    /// The token that is remembered under a key, or else found in the store.
    async fn remembered(
        &self,
        key: Hash,
        look: impl FnOnce(&dyn Store) -> Result<Option<TokenRow>, StoreError> + Send + 'static,
    ) -> Result<Option<Arc<TokenRow>>, Failure> {
        let (remembered, revocations) = {
            let known = self.known();
            (known.rows.get(&key).cloned(), known.revocations)
        };
        if remembered.is_some() {
            return Ok(remembered);
        }
        let found = match self.look_up(look).await? {
            // Somebody has written it who has not the key, or a page is damaged: it is none of ours.
            Err(StoreError::Damaged(why)) => {
                tracing::error!(why, "a token is not believed");
                None
            }
            found => found?.map(Arc::new),
        };
        let mut known = self.known();
        // It may have been revoked after the store was read: then the store is asked again next time.
        if let Some(row) = found.as_ref().filter(|_| known.revocations == revocations) {
            if known.rows.len() >= REMEMBERED {
                known.rows.clear();
            }
            known.rows.insert(key, row.clone());
        }
        drop(known);
        Ok(found)
    }

    /// What a call's token opens now, and under which hash that is kept; none if it opens nothing.
    async fn found(
        &self,
        metadata: &MetadataMap,
    ) -> Result<Option<(Hash, Arc<TokenRow>)>, Failure> {
        let Some(hash) = presented(metadata) else {
            return Ok(None);
        };
        let text = || metadata.as_ref().get(AUTHORIZATION)?.to_str().ok();
        if let Some(identity) = &self.identity
            && let Some(token) = text().and_then(bearer_text)
            && is_signed(token)
        {
            // Boxed: few calls have such a token, and its verification needs much room.
            return Box::pin(self.found_signed(identity, &hash, token)).await;
        }
        // Where every match is kept apart, it is known where to look.
        let of = match self.store.shared() {
            Some(_) => text().and_then(bearer_text).and_then(match_told),
            None => None,
        };
        Ok(self.valid(hash, of).await?.map(|row| (hash, row)))
    }

    /// The same of a signed token. Each of its provider's players has a row in the store, so that they are listed and can be
    /// barred: it is made when they call first.
    async fn found_signed(
        &self,
        identity: &Identity,
        hash: &Hash,
        token: &str,
    ) -> Result<Option<(Hash, Arc<TokenRow>)>, Failure> {
        let signed = match identity.verify(hash, token).await {
            Ok(signed) => signed,
            Err(Rejected::Invalid(why)) => {
                tracing::debug!(why, "a signed token is rejected");
                return Ok(None);
            }
            Err(unavailable @ Rejected::Unavailable) => {
                let why = unavailable.to_string();
                return Err(Failure::new(Reason::IdentityUnavailable, why));
            }
        };
        if signed.expires_ms <= self.clock.now_ms() {
            return Ok(None);
        }
        static CONTEXT: Context = Context::new("referee 2026-11 signed player v1");
        let mut key = CONTEXT.hasher();
        let key = *key.update(signed.label.as_bytes()).finalize().as_bytes();
        if self.known().barred.contains(&key) {
            return Ok(None);
        }
        let mut row = self.valid(key, None).await?;
        if row.is_none() {
            let first = TokenRow {
                label: signed.label.clone(),
                created_ms: self.clock.now_ms(),
                ..TokenRow::new(key, Grant::Player)
            };
            let make = move |store: &dyn Store| store.grant(&first).map(|()| None);
            self.look_up(make).await??;
            row = self.valid(key, None).await?;
        }
        let Some(row) = row else {
            // It was revoked.
            let mut known = self.known();
            if known.barred.len() >= REMEMBERED {
                known.barred.clear();
            }
            known.barred.insert(key);
            return Ok(None);
        };
        let row = TokenRow {
            expires_ms: Some(signed.expires_ms),
            ..TokenRow::clone(&row)
        };
        Ok(Some((key, Arc::new(row))))
    }

    /// The token with this hash, if it opens anything now.
    async fn valid(
        &self,
        hash: Hash,
        of: Option<MatchId>,
    ) -> Result<Option<Arc<TokenRow>>, Failure> {
        let look = move |store: &dyn Store| store.token(&hash, of.as_ref());
        let row = self.remembered(hash, look).await?;
        let now = || self.clock.now_ms();
        let valid = |row: &Arc<TokenRow>| row.expires_ms.is_none_or(|expires| now() < expires);
        Ok(row.filter(valid))
    }
}

/// The match that a seat's or spectator's token tells: it stands before the secret, so that a store that keeps every match
/// apart need not look for the token in all of them. Those of before tell none.
fn match_told(token: &str) -> Option<MatchId> {
    let told = token
        .strip_prefix(SEAT_PREFIX)
        .or_else(|| token.strip_prefix(SPECTATOR_PREFIX))?;
    let told = URL_SAFE_NO_PAD.decode(told).ok()?;
    let (id, secret) = told.split_first_chunk()?;
    (secret.len() == size_of::<Hash>()).then(|| MatchId::of_bytes(*id))
}

/// A token was revoked, or is too old, since its stream was opened.
pub fn opens_nothing() -> Failure {
    let why = "this token opens nothing any more: it was revoked, its seat was given to somebody else, or its time is over";
    Failure::new(Reason::TokenInvalid, why)
}

/// The hash of the token that a call carries, good or not; none if it carries nothing that could be one.
pub fn presented(metadata: &MetadataMap) -> Option<Hash> {
    Payers::token_that_calls().or_else(|| hash_of(metadata.get("authorization")?.to_str().ok()?))
}

/// As [`presented`], of the headers of a call.
pub fn bearer(headers: &HeaderMap) -> Option<Hash> {
    hash_of(headers.get(AUTHORIZATION)?.to_str().ok()?)
}

fn hash_of(authorization: &str) -> Option<Hash> {
    let token = bearer_text(authorization)?;
    let fits = token.len() <= LONGEST || token.len() <= LONGEST_SIGNED && is_signed(token);
    fits.then(|| token_hash(token))
}

fn bearer_text(authorization: &str) -> Option<&str> {
    let token = authorization
        .strip_prefix("Bearer ")
        .or_else(|| authorization.strip_prefix("bearer "))?;
    Some(token.trim())
}

/// The match that a resource name names.
///
/// # Errors
///
/// `MALFORMED_REQUEST` when it has not the form of one.
pub fn match_id(name: &str) -> Result<MatchId, Failure> {
    let form = || Failure::field("name", "is not of the form `matches/<id>`");
    name.strip_prefix("matches/")
        .and_then(MatchId::parse)
        .ok_or_else(form)
}
