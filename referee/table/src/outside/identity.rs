//! Who a signed token is of: tokens (JWT) of the identity provider that the operator trusts (OpenID Connect).
//!
//! In: a token. Out: a player, or why it is nobody's. Its signature, issuer, audience and times are judged. The provider's keys are
//! found by discovery (OpenID Connect Discovery 1.0, section 4), fetched anew now and then and when a token names one that is not
//! known, and kept in the store: while the provider cannot be reached, and over restarts meanwhile, those that are known are good.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use tokio::time::Instant;

use super::signatures::{self, ALGORITHMS};
use super::web::{self, Reach, Url, WebError};
use referee_store::threads::Threads;
use referee_store::{Hash, Store, StoreError};

/// Bytes of what a provider answers at most.
const LONGEST_ANSWER: usize = 256 << 10;

/// Keys of a provider that are looked at.
const MOST_KEYS: usize = 64;

/// How old keys become before they are fetched anew.
const RENEWED: Duration = Duration::from_secs(3600);

/// Time between two tries to fetch keys.
const PAUSE: Duration = Duration::from_secs(10);

/// Seconds by which clocks may differ.
const LEEWAY: u64 = 30;

/// Characters of a subject at most (OpenID Connect Core 1.0, section 2).
const LONGEST_SUBJECT: usize = 255;

/// Tokens that are remembered with what they say.
const REMEMBERED: usize = 1 << 14;

/// What an operator says of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its issuer: a URL, exactly as tokens say it.
    pub issuer: String,
    /// The audience that tokens for this referee have.
    pub audience: String,
}

/// Whose a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// What the player is known by: issuer and subject.
    pub label: String,
    /// When the token opens nothing any more, in milliseconds of Unix time.
    pub expires_ms: i64,
}

/// Why a token is nobody's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The token is no good.
    #[error("{0}")]
    Invalid(String),
    /// The provider was never reached, so that nobody can say.
    #[error("the identity provider cannot be reached")]
    Unavailable,
}

/// Why a provider cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The issuer is no URL that can be called.
    #[error(
        "the identity provider's issuer {0}: write it as its tokens do, such as https://id.example.org"
    )]
    Issuer(WebError),
    /// The store did not say which keys were known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a provider says what it offers.
#[derive(Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: u64,
    /// Claim of security events, such as a logout (OpenID Connect Back-Channel Logout 1.0, 2.4).
    events: Option<serde_json::Value>,
}

/// Keys that are good, and tokens that were found to be.
#[derive(Default)]
struct Known {
    keys: Vec<Jwk>,
    tokens: HashMap<Hash, Arc<Signed>>,
}

/// Judges tokens of one provider.
pub struct Identity {
    provider: Provider,
    discovery: Url,
    known: RwLock<Known>,
    /// When keys were fetched last, or tried to be; held meanwhile.
    tried: tokio::sync::Mutex<Option<Instant>>,
    fetched: Mutex<Option<Instant>>,
    store: Arc<dyn Store>,
    threads: Threads,
}

/// Whether a token has the form of a signed one (RFC 7519).
pub fn is_signed(token: &str) -> bool {
    token.bytes().filter(|b| *b == b'.').count() == 2
}

impl Identity {
    /// Tokens of this provider, whose keys were kept in the store.
    ///
    /// # Errors
    ///
    /// When the issuer is no URL, or the store fails.
    pub fn of(
        provider: Provider,
        store: Arc<dyn Store>,
        threads: Threads,
    ) -> Result<Identity, ProviderError> {
        signatures::install();
        let issuer = provider.issuer.trim_end_matches('/');
        let discovery = Url::read(&format!("{issuer}/.well-known/openid-configuration"));
        let discovery = discovery.map_err(ProviderError::Issuer)?;
        let kept = store.learned(&kept_as(&provider))?;
        let keys = kept.and_then(|kept| read_keys(&kept).ok());
        Ok(Identity {
            discovery,
            known: RwLock::new(Known {
                keys: keys.unwrap_or_default(),
                tokens: HashMap::new(),
            }),
            tried: tokio::sync::Mutex::default(),
            fetched: Mutex::default(),
            provider,
            store,
            threads,
        })
    }

    /// Postpones the next fetch of keys, as if one had just been tried.
    pub async fn postpone_fetch(&self) {
        *self.tried.lock().await = Some(Instant::now());
    }

    /// What its operator says of it.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Whose a token is, whose hash is this.
    ///
    /// # Errors
    ///
    /// Why it is nobody's.
    pub async fn verify(&self, hash: &Hash, token: &str) -> Result<Arc<Signed>, Rejected> {
        if let Some(signed) = self.read().tokens.get(hash) {
            return Ok(signed.clone());
        }
        let header = decode_header(token).map_err(|error| Rejected::Invalid(error.to_string()))?;
        let algorithm = header.alg;
        if !ALGORITHMS.contains(&algorithm) {
            let why = format!("it is signed by {algorithm:?}, which is not accepted");
            return Err(Rejected::Invalid(why));
        }
        if header.crit.is_some() {
            return Err(Rejected::Invalid(
                "it has an extension that must be understood".into(),
            ));
        }
        if !header.typ.as_deref().is_none_or(is_of_a_person) {
            let why = format!("its type is {:?}", header.typ.unwrap_or_default());
            return Err(Rejected::Invalid(why));
        }
        let find = || find_key(&self.read().keys, header.kid.as_deref());
        let mut key = find();
        if key.is_none() {
            self.fetch_soon().await;
            key = find();
        }
        let Some(key) = key else {
            return Err(match self.read().keys.is_empty() {
                true => Rejected::Unavailable,
                false => {
                    Rejected::Invalid("it is signed with a key that the provider has not".into())
                }
            });
        };
        let signed = Arc::new(self.judge(token, algorithm, &key)?);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // The key may have gone meanwhile.
        if known.keys.contains(&key) {
            if known.tokens.len() >= REMEMBERED {
                known.tokens.clear();
            }
            known.tokens.insert(*hash, signed.clone());
        }
        drop(known);
        Ok(signed)
    }

    fn judge(
        &self,
        token: &str,
        algorithm: jsonwebtoken::Algorithm,
        key: &Jwk,
    ) -> Result<Signed, Rejected> {
        let wrong = |why: &dyn std::fmt::Display| Rejected::Invalid(why.to_string());
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[&self.provider.issuer]);
        validation.set_audience(&[&self.provider.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY;
        let decoding = DecodingKey::from_jwk(key).map_err(|error| wrong(&error))?;
        let claims: Claims = decode(token, &decoding, &validation)
            .map_err(|error| wrong(&error))?
            .claims;
        if claims.events.is_some() {
            return Err(wrong(&"it tells of an event and identifies nobody"));
        }
        let subject = &claims.sub;
        let shown = |c: char| c.is_ascii_graphic() || c == ' ';
        if subject.is_empty() || subject.len() > LONGEST_SUBJECT || !subject.chars().all(shown) {
            return Err(wrong(
                &"its subject is empty, too long, or not of ASCII characters",
            ));
        }
        let expires_s = i64::try_from(claims.exp.saturating_add(LEEWAY)).unwrap_or(i64::MAX);
        Ok(Signed {
            label: format!("{} {subject}", self.provider.issuer),
            expires_ms: expires_s.saturating_mul(1000),
        })
    }

    /// Fetches keys, unless that was tried just now.
    async fn fetch_soon(&self) {
        let mut tried = self.tried.lock().await;
        if tried.is_some_and(|tried| tried.elapsed() < PAUSE) {
            return;
        }
        match self.fetch().await {
            Ok(()) => {}
            Err(error) => {
                let issuer = &self.provider.issuer;
                tracing::warn!(%error, issuer, "the keys of the identity provider cannot be fetched; those that are known are used on");
            }
        }
        *tried = Some(Instant::now());
    }

    /// Fetches keys if those that are known are old.
    pub async fn renew(&self) {
        let fetched = *self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        if fetched.is_none_or(|fetched| fetched.elapsed() >= RENEWED) {
            self.fetch_soon().await;
        }
    }

    async fn fetch(&self) -> Result<(), WebError> {
        let failed = |what: &str| WebError::Failed(what.into());
        // The operator has named the provider: it may be in a network of their own.
        let found = web::get(&self.discovery, Reach::Any, LONGEST_ANSWER).await?;
        let found: Discovered = serde_json::from_slice(&found.body)
            .map_err(|error| WebError::Failed(format!("what it offers cannot be read: {error}")))?;
        if found.issuer != self.provider.issuer {
            return Err(failed("it says that it is another issuer"));
        }
        let keys = Url::read(&found.jwks_uri)?;
        // Elsewhere it may point to the public internet only.
        let reach = match keys.server() == self.discovery.server() {
            true => Reach::Any,
            false => Reach::Public,
        };
        let answer = web::get(&keys, reach, LONGEST_ANSWER).await?;
        let keys = read_keys(&answer.body).map_err(WebError::Failed)?;
        if keys.is_empty() {
            return Err(failed("it has no key that can be used"));
        }
        let (store, key, kept) = (self.store.clone(), kept_as(&self.provider), answer.body);
        let kept = self.threads.run(move || store.learn(&key, &kept)).await;
        if !matches!(kept, Ok(Ok(()))) {
            tracing::warn!("the keys of the identity provider are not kept for the next start");
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.keys != keys {
            tracing::info!(keys = keys.len(), "the identity provider has other keys");
            // What was signed with one that has gone is signed no more.
            known.tokens.clear();
            known.keys = keys;
        }
        drop(known);
        *self.fetched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Ok(())
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a token with this `typ` in its header says who somebody is: an identity or access token, by RFC 7519 (5.1) and
/// RFC 9068 (2.1). A provider signs others with the same keys, such as `logout+jwt`.
fn is_of_a_person(typ: &str) -> bool {
    const PREFIX: &str = "application/";
    let prefix = typ.get(..PREFIX.len());
    let is_prefixed = prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX));
    let name = if is_prefixed {
        &typ[PREFIX.len()..]
    } else {
        typ
    };
    name.eq_ignore_ascii_case("JWT") || name.eq_ignore_ascii_case("at+jwt")
}

/// Returns the name under which a store keeps the keys of a provider.
pub fn kept_as(provider: &Provider) -> String {
    format!("identity keys of {}", provider.issuer)
}

/// Keys with which a signature can be verified; those of other kinds are passed over.
fn read_keys(bytes: &[u8]) -> Result<Vec<Jwk>, String> {
    #[derive(Deserialize)]
    struct Keys {
        keys: Vec<serde_json::Value>,
    }
    let read: Keys = serde_json::from_slice(bytes)
        .map_err(|error| format!("its keys cannot be read: {error}"))?;
    let keys = read.keys.into_iter().take(MOST_KEYS);
    let keys = keys.filter_map(|key| serde_json::from_value::<Jwk>(key).ok());
    let signs = |key: &Jwk| {
        let by = key.common.public_key_use.as_ref();
        let asymmetric = !matches!(
            key.algorithm,
            jsonwebtoken::jwk::AlgorithmParameters::OctetKey(_)
                | jsonwebtoken::jwk::AlgorithmParameters::Other(_)
        );
        asymmetric && by.is_none_or(|by| *by == PublicKeyUse::Signature)
    };
    Ok(JwkSet {
        keys: keys.filter(signs).collect(),
    }
    .keys)
}

/// The key that a token names; if it names none, the only one.
fn find_key(keys: &[Jwk], id: Option<&str>) -> Option<Jwk> {
    match id {
        Some(id) => keys
            .iter()
            .find(|key| key.common.key_id.as_deref() == Some(id))
            .cloned(),
        None => match keys {
            [only] => Some(only.clone()),
            _ => None,
        },
    }
}
