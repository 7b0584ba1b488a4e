//! What only the referee knows: one root key, and everything derived from it.
//!
//! The root key lies in a file of its own beside the store, so that a copy of the database alone
//! opens no seat and shows no deck: seeds are sealed with it, and tokens are kept as hashes only.
//! Tokens and ids are *derived*, not drawn, so that a repeated request gets the same answer without
//! anything secret being written down.

use std::cell::RefCell;
use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::hashing::Context;
use crate::numbers::to_u64;

/// Bytes from the operating system.
///
/// # Errors
///
/// When the operating system has none to give.
pub fn entropy<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// As [`entropy`], of bytes that a thread has asked for together: to ask for a few takes as long as to hash them. Each is
/// given once.
///
/// # Errors
///
/// When the operating system has none to give.
pub fn drawn<const N: usize>() -> std::io::Result<[u8; N]> {
    /// Bytes that a thread asks for.
    const TOGETHER: usize = 4096;
    thread_local! {
        static LEFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    LEFT.with_borrow_mut(|left| {
        if left.len() < N {
            let more: [u8; TOGETHER] = entropy()?;
            left.extend(more);
        }
        let given = left.last_chunk().copied();
        left.truncate(left.len().saturating_sub(N));
        given.ok_or_else(|| std::io::Error::other("more than is asked for together"))
    })
}

/// Bytes in the alphabet of URLs, without padding.
pub fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The hash under which a token or code is kept.
pub fn token_hash(token: &str) -> [u8; 32] {
    static CONTEXT: Context = Context::new("referee 2026-11 token hash v1");
    let mut hasher = CONTEXT.hasher();
    *hasher.update(token.as_bytes()).finalize().as_bytes()
}

/// The root key. It cannot be printed.
#[derive(Clone)]
pub struct Keys {
    root: [u8; 32],
    /// What is derived from it for each purpose, in their order.
    derived: Arc<[[u8; 32]; Purpose::ALL.len()]>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(..)")
    }
}

impl Keys {
    /// A new root key.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn random() -> std::io::Result<Keys> {
        Ok(Keys::of(entropy()?))
    }

    fn of(root: [u8; 32]) -> Keys {
        let derived = Purpose::ALL.map(|purpose| blake3::derive_key(purpose.context(), &root));
        Keys {
            root,
            derived: Arc::new(derived),
        }
    }

    /// The key of a file.
    ///
    /// # Errors
    ///
    /// When there is none, or it holds no key.
    pub fn load(path: &Path) -> std::io::Result<Keys> {
        let text = std::fs::read_to_string(path)?;
        Keys::read(&text)
            .map_err(|_| std::io::Error::other(format!("{} holds no key", path.display())))
    }

    /// The key that stands in the text of such a file.
    ///
    /// # Errors
    ///
    /// When it is no key.
    pub fn read(text: &str) -> std::io::Result<Keys> {
        let none = || std::io::Error::other("this is no key");
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| none())?;
        Ok(Keys::of(bytes.try_into().map_err(|_| none())?))
    }

    /// Reads the root key from a file; makes the file, readable by its owner only, if there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or made, or does not hold a key.
    pub fn load_or_create(path: &Path) -> std::io::Result<Keys> {
        match Keys::load(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let keys = Keys::random()?;
                keys.write(path)?;
                Ok(keys)
            }
            loaded => loaded,
        }
    }

    /// Writes the root key into a new file, readable by its owner only.
    ///
    /// # Errors
    ///
    /// When there is such a file, or it cannot be made.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(path)?;
        writeln!(file, "{}", URL_SAFE_NO_PAD.encode(self.root))?;
        file.sync_all()
    }

    /// What a store knows this key by. It tells nothing of the key, and is never negative.
    pub fn mark(&self) -> i64 {
        let derived = self.derive(Purpose::KeyMark, &[]);
        let mut first = [0; 8];
        first.copy_from_slice(&derived[..8]);
        i64::from_le_bytes(first) & i64::MAX
    }

    /// 32 bytes that only this referee can compute, one function for each purpose. Parts are
    /// length-prefixed, so that no two lists of parts are the same input.
    pub fn derive(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        let len = parts.iter().map(|part| 8 + part.len()).sum();
        let mut bytes = Vec::with_capacity(len);
        for part in parts {
            bytes.extend_from_slice(&to_u64(part.len()).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        *blake3::keyed_hash(&self.derived[purpose.place()], &bytes).as_bytes()
    }

    /// A bearer token or code: a prefix that says its kind, and 256 bits.
    pub fn token(&self, purpose: Purpose, prefix: &str, parts: &[&[u8]]) -> String {
        format!("{prefix}{}", base64url(&self.derive(purpose, parts)))
    }

    /// A bearer token of a match, which stands in it before the 256 bits.
    pub fn token_of(
        &self,
        purpose: Purpose,
        prefix: &str,
        of: [u8; 16],
        parts: &[&[u8]],
    ) -> String {
        let told = [&of[..], &self.derive(purpose, parts)].concat();
        format!("{prefix}{}", base64url(&told))
    }

    /// What signs records.
    ///
    /// # Panics
    ///
    /// Never: any 32 bytes are a seed of a key.
    pub fn signer(&self) -> Signer {
        let seed = self.derive(Purpose::RecordKey, &[]);
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        Signer(pair.expect("any 32 bytes are a seed of a key"))
    }

    /// Encrypts and authenticates. `bound` is not in the result, but opens it: what is sealed for one
    /// match or audience cannot be opened as another's.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn seal(
        &self,
        purpose: Purpose,
        bound: &[&[u8]],
        plain: &[u8],
    ) -> std::io::Result<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = drawn()?;
        let mut sealed = plain.to_vec();
        self.cipher(purpose, bound)
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::empty(),
                &mut sealed,
            )
            .map_err(|_| std::io::Error::other("the cipher refused"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens what [`seal`](Keys::seal) closed for the same purpose and binding; none if it is anything else.
    pub fn open(&self, purpose: Purpose, bound: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let plain = self
            .cipher(purpose, bound)
            .open_in_place(nonce, Aad::empty(), &mut rest)
            .ok()?;
        Some(plain.to_vec())
    }

    /// A key for each binding: nonces are random, and this way no key ever sees many.
    fn cipher(&self, purpose: Purpose, bound: &[&[u8]]) -> LessSafeKey {
        let key = self.derive(purpose, bound);
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key)
            .expect("a key of 32 bytes is the cipher's own length");
        LessSafeKey::new(key)
    }
}

/// A key that signs; its secret half cannot be printed.
pub struct Signer(Ed25519KeyPair);

impl Signer {
    /// Its public half.
    pub fn public(&self) -> [u8; 32] {
        let mut key = [0; 32];
        key.copy_from_slice(self.0.public_key().as_ref());
        key
    }

    /// An Ed25519 signature; the same for the same bytes.
    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).as_ref().to_vec()
    }
}

/// Whether bytes were signed by whoever has the secret half of a key.
pub fn signed(key: &[u8; 32], bytes: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&ED25519, key)
        .verify(bytes, signature)
        .is_ok()
}

/// What a derived key is for. Each purpose is a separate function of the root key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The host's bearer token.
    HostToken,
    /// The administrator's bearer token.
    AdminToken,
    /// The bearer token of the referee's own publisher.
    PublisherToken,
    /// Bearer tokens that an administrator makes.
    PersonToken,
    /// Bearer tokens of spectators.
    SpectatorToken,
    /// Claim codes of seats.
    ClaimCode,
    /// Bearer tokens of seats.
    SeatToken,
    /// Ids of decisions.
    DecisionId,
    /// Resume tokens of streams.
    ResumeToken,
    /// Page tokens of lists.
    PageToken,
    /// Seeds of running matches.
    Seed,
    /// Signatures of records.
    RecordKey,
    /// Snapshots of games, which show every card.
    Snapshot,
    /// What a store knows its key by.
    KeyMark,
    /// Seals of the rows of a store.
    StoreSeal,
    /// Secrets by which hosts know notices.
    WebhookSecret,
    /// Ids of matches.
    MatchId,
}

impl Purpose {
    /// Returns the position of the purpose in [`ALL`](Self::ALL).
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    pub const fn place(self) -> usize {
        self as usize
    }

    /// Every purpose, in order.
    pub const ALL: [Purpose; 17] = [
        Purpose::HostToken,
        Purpose::AdminToken,
        Purpose::PublisherToken,
        Purpose::PersonToken,
        Purpose::SpectatorToken,
        Purpose::ClaimCode,
        Purpose::SeatToken,
        Purpose::DecisionId,
        Purpose::ResumeToken,
        Purpose::PageToken,
        Purpose::Seed,
        Purpose::RecordKey,
        Purpose::Snapshot,
        Purpose::KeyMark,
        Purpose::StoreSeal,
        Purpose::WebhookSecret,
        Purpose::MatchId,
    ];

    /// Returns the context of the key derivation, which no other purpose has.
    pub fn context(self) -> &'static str {
        match self {
            Purpose::HostToken => "referee 2026-11 host token v1",
            Purpose::AdminToken => "referee 2026-11 admin token v1",
            Purpose::PublisherToken => "referee 2026-11 publisher token v1",
            Purpose::PersonToken => "referee 2026-11 person token v1",
            Purpose::SpectatorToken => "referee 2026-11 spectator token v1",
            Purpose::ClaimCode => "referee 2026-11 claim code v1",
            Purpose::SeatToken => "referee 2026-11 seat token v1",
            Purpose::DecisionId => "referee 2026-11 decision id v1",
            Purpose::ResumeToken => "referee 2026-11 resume token v1",
            Purpose::PageToken => "referee 2026-11 page token v1",
            Purpose::Seed => "referee 2026-11 seed v1",
            Purpose::RecordKey => "referee 2026-11 record key v1",
            Purpose::Snapshot => "referee 2026-11 snapshot v1",
            Purpose::KeyMark => "referee 2026-11 key mark v1",
            Purpose::StoreSeal => "referee 2026-11 store seal v1",
            Purpose::WebhookSecret => "referee 2026-11 webhook secret v1",
            Purpose::MatchId => "referee 2026-11 match id v1",
        }
    }
}
