//! Resume and page tokens: places in streams and lists, sealed.
//!
//! A token is encrypted and bound to what it is a place in, so it cannot be moved to another seat,
//! match or list, and it does not show how much happened that its holder did not see.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interpreter::play::{Audience, Seat};

use super::status::Failure;
use referee_contract::v1::Reason;
use referee_store::secrets::{Keys, Purpose, base64url};
use referee_store::{Hash, MatchId};
use referee_table::Cursor;

/// How places in a history are counted, first in every resume token: in events, of which another version may tell more
/// kinds. It rises with every kind of event that is added; a token of another form is refused, and its holder
/// looks at the match anew.
pub const PLACES: u8 = 3;

fn audience_byte(audience: Audience) -> u8 {
    match audience {
        Audience::Seat(Seat(seat)) => seat,
        Audience::Spectator | Audience::Referee => u8::MAX,
    }
}

/// The token of a place in a history.
///
/// # Errors
///
/// When the operating system has no entropy to give.
pub fn resume(
    keys: &Keys,
    id: &MatchId,
    audience: Audience,
    cursor: Cursor,
) -> Result<String, Failure> {
    let (happened, number) = (cursor.happened.to_le_bytes(), cursor.number.to_le_bytes());
    let plain = [&[PLACES][..], &happened, &number].concat();
    seal(
        keys,
        Purpose::ResumeToken,
        &[id.as_str().as_bytes(), &[audience_byte(audience)]],
        &plain,
    )
}

/// The place that a token stands for; the beginning if it is empty.
///
/// # Errors
///
/// `RESUME_TOKEN_INVALID` when it is not of this match and audience.
pub fn resumed(
    keys: &Keys,
    id: &MatchId,
    audience: Audience,
    token: &str,
) -> Result<Cursor, Failure> {
    seen(keys, id, audience, token, "resume_token")
}

/// As [`resumed`], of a token in a field of another name.
///
/// # Errors
///
/// `RESUME_TOKEN_INVALID` when it is not of this match and audience.
pub fn seen(
    keys: &Keys,
    id: &MatchId,
    audience: Audience,
    token: &str,
    field: &str,
) -> Result<Cursor, Failure> {
    if token.is_empty() {
        return Ok(Cursor::default());
    }
    let plain = open(
        keys,
        Purpose::ResumeToken,
        &[id.as_str().as_bytes(), &[audience_byte(audience)]],
        token,
    );
    let numbers = plain
        .as_deref()
        .and_then(|plain| plain.strip_prefix(&[PLACES]))
        .and_then(|plain| plain.split_at_checked(8))
        .and_then(|(happened, number)| {
            Some(Cursor {
                happened: u64::from_le_bytes(happened.try_into().ok()?),
                number: u64::from_le_bytes(number.try_into().ok()?),
            })
        });
    numbers.ok_or_else(|| {
        Failure::new(
            Reason::ResumeTokenInvalid,
            "this resume token is not of this match and audience, or of another version of the referee: look at the \
             match anew",
        )
        .violation(field, "is not of this match and audience")
    })
}

/// Places in the histories of several matches, as a player sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Whether matches that are not among them begin with the table as it is.
    pub from_now: bool,
    /// By match: as whom it is seen, and the place.
    pub of: BTreeMap<MatchId, (Audience, Cursor)>,
}

/// Bytes of one place among several.
const PLACE: usize = 16 + 1 + 8 + 8;

/// The token of places in the histories of several matches. Its length tells how many there are, and nothing else.
///
/// # Errors
///
/// When the operating system has no entropy to give.
pub fn resume_all(keys: &Keys, player: &Hash, places: &Places) -> Result<String, Failure> {
    let mut plain = vec![PLACES, u8::from(places.from_now)];
    for (id, (audience, cursor)) in &places.of {
        plain.extend(id.bytes());
        plain.push(audience_byte(*audience));
        plain.extend(cursor.happened.to_le_bytes());
        plain.extend(cursor.number.to_le_bytes());
    }
    seal(keys, Purpose::ResumeToken, &[b"all", player], &plain)
}

/// The places that such a token stands for.
///
/// # Errors
///
/// `RESUME_TOKEN_INVALID` when it is not this player's.
pub fn resumed_all(keys: &Keys, player: &Hash, token: &str) -> Result<Places, Failure> {
    let read = |plain: &[u8]| {
        let (head, rest) = plain.split_at_checked(2)?;
        let from_now = match head {
            [PLACES, from_now @ (0 | 1)] => *from_now == 1,
            _ => return None,
        };
        let (places, rest) = rest.as_chunks::<PLACE>();
        let mut of = BTreeMap::new();
        for place in places {
            let (id, place) = place.split_first_chunk::<16>()?;
            let (audience, place) = place.split_first()?;
            let (happened, number) = place.split_first_chunk::<8>()?;
            let cursor = Cursor {
                happened: u64::from_le_bytes(*happened),
                number: u64::from_le_bytes(number.try_into().ok()?),
            };
            let audience = match *audience {
                u8::MAX => Audience::Spectator,
                seat => Audience::Seat(Seat(seat)),
            };
            of.insert(MatchId::of_bytes(*id), (audience, cursor));
        }
        rest.is_empty().then_some(Places { from_now, of })
    };
    let plain = open(keys, Purpose::ResumeToken, &[b"all", player], token);
    plain.as_deref().and_then(read).ok_or_else(|| {
        let why = "this resume token is not of a stream of this player's matches, or of another version of the referee";
        Failure::new(Reason::ResumeTokenInvalid, why)
            .violation("resume_token", "is not of a stream of this player's matches")
    })
}

/// The token of a place in a list. `list` says which list, and whose.
///
/// # Errors
///
/// When the operating system has no entropy to give.
pub fn page(keys: &Keys, list: &[&[u8]], place: u64) -> Result<String, Failure> {
    seal(keys, Purpose::PageToken, list, &place.to_le_bytes())
}

/// The place that a token stands for; none if it is empty.
///
/// # Errors
///
/// `PAGE_TOKEN_INVALID` when it is not of this list.
pub fn paged(keys: &Keys, list: &[&[u8]], token: &str) -> Result<Option<u64>, Failure> {
    if token.is_empty() {
        return Ok(None);
    }
    let place = open(keys, Purpose::PageToken, list, token).and_then(|plain| plain.try_into().ok());
    place
        .map(|bytes| Some(u64::from_le_bytes(bytes)))
        .ok_or_else(|| {
            Failure::new(
                Reason::PageTokenInvalid,
                "this page token is not of this list",
            )
            .violation("page_token", "is not of this list")
        })
}

fn seal(keys: &Keys, purpose: Purpose, bound: &[&[u8]], plain: &[u8]) -> Result<String, Failure> {
    let sealed = keys
        .seal(purpose, bound, plain)
        .map_err(|error| Failure::internal(&error.to_string()))?;
    Ok(base64url(&sealed))
}

fn open(keys: &Keys, purpose: Purpose, bound: &[&[u8]], token: &str) -> Option<Vec<u8>> {
    keys.open(purpose, bound, &URL_SAFE_NO_PAD.decode(token).ok()?)
}
