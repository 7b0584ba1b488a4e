//! Signatures under `review.yaml`: those of OpenSSH (`ssh-keygen -Y sign`), one below the other in `review.yaml.sig`.

use ssh_key::public::KeyData;
use ssh_key::{HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};

/// What is signed here and nothing else: a signature made for another purpose is worth nothing.
pub const NAMESPACE: &str = "referee-review";

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// A signature as it stands in the file.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its line, from one.
    pub line: u32,
    /// As it is written.
    pub text: String,
    sig: SshSig,
}

/// Why a signature cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its line, from one.
    pub line: u32,
    /// Why.
    pub why: String,
}

/// What is found of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The key has signed this text.
    Good,
    /// The key has signed another text, or nobody has signed anything.
    OtherText,
    /// It was made for another purpose.
    OtherPurpose,
    /// A kind of key that cannot be verified here.
    UnknownKind,
}

impl Signature {
    /// The key that has signed.
    pub fn key(&self) -> &KeyData {
        self.sig.public_key()
    }

    /// What it says of a text.
    pub fn verdict(&self, text: &str) -> Verdict {
        if self.sig.namespace() != NAMESPACE {
            return Verdict::OtherPurpose;
        }
        // The second lies on a token.
        if !matches!(self.key(), KeyData::Ed25519(_) | KeyData::SkEd25519(_)) {
            return Verdict::UnknownKind;
        }
        let key = PublicKey::from(self.key().clone());
        match key.verify(NAMESPACE, text.as_bytes(), &self.sig) {
            Ok(()) => Verdict::Good,
            Err(_) => Verdict::OtherText,
        }
    }
}

/// Reads all signatures of a file.
pub fn signatures(file: &str) -> Vec<Result<Signature, Unreadable>> {
    let mut all = Vec::new();
    let mut lines = (1u32..).zip(file.lines());
    while let Some((line, text)) = lines.next() {
        if text.trim().is_empty() {
            continue;
        }
        let unreadable = |why: &str| Unreadable {
            line,
            why: why.to_owned(),
        };
        if text.trim_end() != BEGIN {
            all.push(Err(unreadable(
                "this is no signature of OpenSSH; one begins with `-----BEGIN SSH SIGNATURE-----`",
            )));
            // One complaint is enough for what is none.
            for (_, text) in lines.by_ref() {
                if text.trim_end() == END {
                    break;
                }
            }
            continue;
        }
        let mut written = format!("{BEGIN}\n");
        let mut is_whole = false;
        for (_, text) in lines.by_ref() {
            written.push_str(text.trim_end());
            written.push('\n');
            if text.trim_end() == END {
                is_whole = true;
                break;
            }
        }
        all.push(match (is_whole, SshSig::from_pem(&written)) {
            (false, _) => Err(unreadable("this signature has no end")),
            (true, Ok(sig)) => Ok(Signature {
                line,
                text: written,
                sig,
            }),
            (true, Err(error)) => Err(unreadable(&error.to_string())),
        });
    }
    all
}

/// What became of signing.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The whole file of signatures.
    pub file: String,
    /// Keys whose signatures do not hold for the text and are gone: they have to sign again.
    pub gone: Vec<String>,
    /// Lines where something stood that was no signature, and is gone.
    pub unreadable: Vec<u32>,
}

/// Signs a text, beside the signatures of others that hold for it.
///
/// # Errors
///
/// When the key cannot sign.
pub fn sign(key: &PrivateKey, text: &str, before: &str) -> Result<Signed, ssh_key::Error> {
    let sig = key.sign(NAMESPACE, HashAlg::Sha512, text.as_bytes())?;
    let own = key.public_key().key_data();
    let (mut file, mut gone, mut unreadable) = (String::new(), Vec::new(), Vec::new());
    for other in signatures(before) {
        match other {
            Err(other) => unreadable.push(other.line),
            Ok(other) if other.key() == own => {}
            Ok(other) if other.verdict(text) == Verdict::Good => file += &other.text,
            Ok(other) => gone.push(fingerprint(other.key())),
        }
    }
    file += &sig.to_pem(LineEnding::LF)?;
    if !file.ends_with('\n') {
        file.push('\n');
    }
    Ok(Signed {
        file,
        gone,
        unreadable,
    })
}

/// How a key is known: `SHA256:…`
pub fn fingerprint(key: &KeyData) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}
