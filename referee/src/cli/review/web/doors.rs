//! Who is let in: whoever has the link, from a page of this address and of no other.
//!
//! Other programs of this machine can call at the port, and so can pages of strangers, through the browser. Neither knows the
//! secret, which is part of every address. A name of a stranger that leads to this machine is not ours (`Host`), and a form
//! is sent by our own page (`Origin`).

use std::net::SocketAddr;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method};

use referee_store::secrets::{base64url, entropy, token_hash};

/// The port that an address without one means.
const HTTP: u16 = 80;

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was called by another name.
    Host,
    /// It was sent by another page.
    Origin,
    /// The secret is missing.
    Secret,
}

/// Where it listens, and the hash of the secret.
pub struct Doors {
    hosts: Vec<String>,
    hash: [u8; 32],
}

impl Doors {
    /// Doors at an address, and the secret that opens them.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn made(address: SocketAddr) -> std::io::Result<(Doors, String)> {
        let drawn: [u8; 32] = entropy()?;
        let secret = base64url(&drawn);
        let names = [address.ip().to_string(), "localhost".to_owned()];
        let mut hosts: Vec<String> = names
            .iter()
            .map(|name| format!("{name}:{}", address.port()))
            .collect();
        if address.port() == HTTP {
            // Browsers leave it out.
            hosts.extend(names);
        }
        let doors = Doors {
            hosts,
            hash: token_hash(&secret),
        };
        Ok((doors, secret))
    }

    /// The path behind the secret: `en/thing`.
    ///
    /// # Errors
    ///
    /// When whoever asks is not let in.
    pub fn opened<'r>(&self, request: &'r Parts) -> Result<&'r str, Refused> {
        let Some(host) = only(&request.headers, HOST) else {
            return Err(Refused::Host);
        };
        if !self.hosts.iter().any(|own| own == host) {
            return Err(Refused::Host);
        }
        let is_sent = !matches!(request.method, Method::GET | Method::HEAD);
        // Browsers say it of every form.
        let origin = only(&request.headers, ORIGIN);
        let is_own = origin.is_some_and(|origin| origin.strip_prefix("http://") == Some(host));
        if !is_own && (is_sent || request.headers.contains_key(ORIGIN)) {
            return Err(Refused::Origin);
        }
        let path = request.uri.path();
        let inside = path.strip_prefix('/').unwrap_or(path);
        let (secret, rest) = inside.split_once('/').unwrap_or((inside, ""));
        match token_hash(secret) == self.hash {
            true => Ok(rest),
            false => Err(Refused::Secret),
        }
    }
}

/// The value of a header that is there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}
