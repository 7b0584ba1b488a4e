//! Names in requests: resource names of rulesets, hashes in hexadecimal, what people are called.

use interpreter::play::Seat;

use super::status::Failure;
use referee_contract::convert;
use referee_store::Hash;
use referee_store::secrets::hex;

/// What a resource name names.
pub enum Named<'a> {
    /// A ruleset, by its id.
    Ruleset(&'a str),
    /// A channel, by the ids of its ruleset and its own.
    Channel(&'a str, &'a str),
    /// A revision, by the id of its ruleset and the digest of its texts.
    Revision(&'a str, Hash),
}

impl Named<'_> {
    /// Reads a resource name; none if it has another form.
    pub fn read(name: &str) -> Option<Named<'_>> {
        let rest = name.strip_prefix("rulesets/")?;
        let (id, what) = match rest.split_once('/') {
            None => (rest, None),
            Some((id, below)) => (id, Some(below.split_once('/')?)),
        };
        if id.is_empty() {
            return None;
        }
        match what {
            None => Some(Named::Ruleset(id)),
            Some(("channels", channel)) => Some(Named::Channel(id, channel)),
            Some(("revisions", digest)) => Some(Named::Revision(id, hash(digest)?)),
            Some(_) => None,
        }
    }
}

/// The resource name of a match and the id of what is below it, of a name such as `matches/<id>/seats/3`.
///
/// # Errors
///
/// When it has another form.
pub fn below_match<'a>(name: &'a str, kind: &str) -> Result<(&'a str, &'a str), Failure> {
    let parts = name.rsplit_once('/').and_then(|(rest, id)| {
        let (of, found) = rest.rsplit_once('/')?;
        (found == kind && !id.is_empty()).then_some((of, id))
    });
    parts.ok_or_else(|| {
        let problem = format!(
            "must have the form `matches/<id>/{kind}/<{}>`",
            kind.trim_end_matches('s')
        );
        Failure::field("name", problem)
    })
}

/// The resource name of a match and the seat of a name such as `matches/<id>/seats/3`.
///
/// # Errors
///
/// When it has another form, or there can be no such seat.
pub fn seat_of(name: &str) -> Result<(&str, Seat), Failure> {
    let (of, number) = below_match(name, "seats")?;
    let number = number.parse().unwrap_or(0);
    Ok((of, convert::seat_from(number, "name")?))
}

/// The hash of a token, of its resource name.
///
/// # Errors
///
/// When it has another form.
pub fn token_of(name: &str, field: &str) -> Result<Hash, Failure> {
    let id = name.strip_prefix("tokens/").and_then(hash);
    id.ok_or_else(|| Failure::field(field, "must have the form `tokens/<id>`"))
}

/// The resource name of a token.
pub fn token_name(token: &Hash) -> String {
    format!("tokens/{}", hex(token))
}

/// 32 bytes of 64 hexadecimal digits in lower case.
pub fn hash(hex: &str) -> Option<Hash> {
    if hex.len() != 64 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}

/// A name that can be shown everywhere: one line, no control characters, not too long.
pub fn display_name(name: &str, longest: usize, field: &str) -> Result<String, Failure> {
    let name = name.trim();
    let problem = if name.is_empty() {
        "is missing".to_owned()
    } else if name.chars().count() > longest {
        format!("is longer than {longest} characters")
    } else if name.chars().any(|c| {
        c.is_control()
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    }) {
        "has control characters".to_owned()
    } else {
        return Ok(name.to_owned());
    };
    Err(Failure::field(field, problem))
}
