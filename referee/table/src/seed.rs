//! The seed of a match: drawn here, committed to when the match is created, kept encrypted, revealed after the end.

use interpreter::play::{Digest, Seat, Seed};
use ring::digest::{Context, SHA256};
use ring::hmac;

use referee_store::secrets::{self, Keys, Purpose};
use referee_store::{Hash, MatchId};

/// What is published of a seed before anybody has seen a card:
/// `SHA-256("referee/seed/v1\n" ‖ match id ‖ "\n" ‖ ruleset digest (32 bytes) ‖ seed (32 bytes))`.
/// SHA-256, so that any language can verify it with its standard library.
pub fn commitment(id: &MatchId, digest: Digest, seed: Seed) -> [u8; 32] {
    let mut hash = Context::new(&SHA256);
    hash.update(b"referee/seed/v1\n");
    hash.update(id.as_str().as_bytes());
    hash.update(b"\n");
    hash.update(&digest.0);
    hash.update(&seed.0);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.finish().as_ref());
    bytes
}

/// What a player publishes of a contribution before anybody shows one:
/// `SHA-256("referee/entropy/v1\n" ‖ match id ‖ "\n" ‖ seat number (1 byte, from 1) ‖ contribution (32 bytes))`.
pub fn entropy_commitment(id: &MatchId, seat: Seat, entropy: &Hash) -> Hash {
    let mut hash = Context::new(&SHA256);
    hash.update(b"referee/entropy/v1\n");
    hash.update(id.as_str().as_bytes());
    hash.update(b"\n");
    hash.update(&[seat.0.saturating_add(1)]);
    hash.update(entropy);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.finish().as_ref());
    bytes
}

/// The seed that all chance is drawn from: the referee's own if nobody contributes, else
/// `HMAC-SHA256(seed, "referee/game-seed/v1\n" ‖ match id ‖ "\n" ‖ each seat's number and contribution)`.
pub fn of_the_game(
    id: &MatchId,
    seed: Seed,
    contributions: impl Iterator<Item = (Seat, Hash)>,
) -> Seed {
    let mut contributions = contributions.peekable();
    if contributions.peek().is_none() {
        return seed;
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, &seed.0);
    let mut hash = hmac::Context::with_key(&key);
    hash.update(b"referee/game-seed/v1\n");
    hash.update(id.as_str().as_bytes());
    hash.update(b"\n");
    for (seat, entropy) in contributions {
        hash.update(&[seat.0.saturating_add(1)]);
        hash.update(&entropy);
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.sign().as_ref());
    Seed(bytes)
}

/// A seed from the operating system.
pub fn draw() -> std::io::Result<Seed> {
    secrets::entropy().map(Seed)
}

/// Closes a seed for the log.
pub fn seal(keys: &Keys, id: &MatchId, seed: Seed) -> std::io::Result<Vec<u8>> {
    keys.seal(Purpose::Seed, &[id.as_str().as_bytes()], &seed.0)
}

/// Opens a seed of the log; none if the referee's key is not the one that closed it.
pub fn open(keys: &Keys, id: &MatchId, sealed: &[u8]) -> Option<Seed> {
    let plain = keys.open(Purpose::Seed, &[id.as_str().as_bytes()], sealed)?;
    plain.try_into().ok().map(Seed)
}
