//! Who may sign under which name: a file of allowed signers, as `ssh-keygen(1)` describes it.

use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use super::signatures::NAMESPACE;

/// A line of the file.
#[derive(Clone, Debug)]
struct Signer {
    names: Vec<String>,
    purposes: Option<Vec<String>>,
    after: Option<String>,
    before: Option<String>,
    key: KeyData,
}

/// A file of allowed signers.
#[derive(Clone, Debug, Default)]
pub struct Signers {
    all: Vec<Signer>,
}

impl Signers {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first line that cannot be read, with why.
    pub fn read(text: &str) -> Result<Signers, (usize, String)> {
        let mut all = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            all.push(signer(text).map_err(|why| (line, why))?);
        }
        Ok(Signers { all })
    }

    /// The names under which a key may sign reviews at a moment, as the file writes them.
    pub fn names(&self, key: &KeyData, now: &str) -> Vec<String> {
        let own = self.all.iter();
        let own = own.filter(|signer| signer.key == *key && signer.holds(now));
        own.flat_map(|signer| signer.names.clone()).collect()
    }

    /// Whether a key may sign reviews under a name at a moment: `20261127120000`, in UTC.
    pub fn allow(&self, key: &KeyData, name: &str, now: &str) -> bool {
        self.all
            .iter()
            .any(|signer| signer.key == *key && signer.holds(now) && matches(&signer.names, name))
    }
}

impl Signer {
    fn holds(&self, now: &str) -> bool {
        let purposes = self.purposes.as_ref();
        purposes.is_none_or(|purposes| matches(purposes, NAMESPACE))
            && self.after.as_deref().is_none_or(|after| after <= now)
            && self.before.as_deref().is_none_or(|before| now < before)
    }
}

fn signer(text: &str) -> Result<Signer, String> {
    if PublicKey::from_openssh(text).is_ok() {
        return Err(
            "no name stands before the public key: `anna@example.org ssh-ed25519 AAAA…`".to_owned(),
        );
    }
    let (names, rest) = word(text)?;
    let (mut options, mut key) = (String::new(), rest);
    // Options stand before the key, if there are any.
    if PublicKey::from_openssh(rest).is_err() {
        (options, key) = word(rest)?;
    }
    let key = PublicKey::from_openssh(key).map_err(|_| {
        "a line has names, perhaps options, and a public key: `anna@example.org ssh-ed25519 AAAA…`"
            .to_owned()
    })?;
    let mut signer = Signer {
        names: listed(&names),
        purposes: None,
        after: None,
        before: None,
        key: key.key_data().clone(),
    };
    for option in split(&options) {
        let (name, value) = option.split_once('=').unwrap_or((&option, ""));
        match name.to_ascii_lowercase().as_str() {
            "namespaces" => signer.purposes = Some(listed(value)),
            "valid-after" => signer.after = Some(moment(value)?),
            "valid-before" => signer.before = Some(moment(value)?),
            "cert-authority" => {
                return Err("certificates are not read here: name the key itself".to_owned());
            }
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    Ok(signer)
}

/// The first word, in which blanks stand in quotes, and what follows it.
fn word(text: &str) -> Result<(String, &str), String> {
    let mut is_quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => {
                return Ok((text[..at].to_owned(), text[at..].trim_start()));
            }
            _ => {}
        }
    }
    match is_quoted {
        true => Err("a quote is never closed".to_owned()),
        false => Ok((text.to_owned(), "")),
    }
}

/// Options between commas that do not stand in quotes; the quotes are taken off.
fn split(text: &str) -> Vec<String> {
    let (mut all, mut one, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(std::mem::take(&mut one)),
            c => one.push(c),
        }
    }
    all.push(one);
    all.retain(|one| !one.is_empty());
    all
}

fn listed(text: &str) -> Vec<String> {
    let parts = text.trim_matches('"').split(',');
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A moment to the second: `20261127`, `202611271200` or `20261127120000`, perhaps with `Z` behind it.
fn moment(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let is_moment =
        matches!(digits.len(), 8 | 12 | 14) && digits.bytes().all(|b| b.is_ascii_digit());
    match is_moment {
        true => Ok(format!("{digits:0<14}")),
        false => Err(format!(
            "`{text}` is no moment: write `20261127` or `20261127120000Z`"
        )),
    }
}

/// Whether a name fits a list of patterns: one that begins with `!` forbids whatever the others say.
fn matches(patterns: &[String], name: &str) -> bool {
    let mut fits = false;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(forbidden) if fit(forbidden, name) => return false,
            Some(_) => {}
            None => fits |= fit(pattern, name),
        }
    }
    fits
}

/// `*` is any number of signs, `?` is one.
fn fit(pattern: &str, name: &str) -> bool {
    let mut chars = pattern.chars();
    match chars.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = chars.as_str();
            let ends = name.char_indices().map(|(at, _)| at);
            ends.chain([name.len()]).any(|at| fit(rest, &name[at..]))
        }
        Some(c) => {
            let mut own = name.chars();
            match own.next() {
                Some(other) if c == '?' || c == other => fit(chars.as_str(), own.as_str()),
                _ => false,
            }
        }
    }
}
