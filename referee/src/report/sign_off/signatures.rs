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

#[cfg(test)]
mod tests {
    use super::*;

    /// What `ssh-keygen -Y sign -n referee-review` makes of this text with this key, which signs nothing else.
    const TEXT: &str = "accepted: []\n";
    const KEY: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACADUQUWOS/2vXnGyi2memrthIyJvanUwTs9u68vY1J1JwAAAJg1PKulNTyr
pQAAAAtzc2gtZWQyNTUxOQAAACADUQUWOS/2vXnGyi2memrthIyJvanUwTs9u68vY1J1Jw
AAAEBjlCSfoEtZZHpGkEdZZtH4+Xyn3oGyz6G38VPjBFOxOgNRBRY5L/a9ecbKLaZ6au2E
jIm9qdTBOz27ry9jUnUnAAAAFWEgdGVzdCBvZiB0aGUgcmVmZXJlZQ==
-----END OPENSSH PRIVATE KEY-----
";
    const THEIRS: &str = "\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgA1EFFjkv9r15xsotpnpq7YSMib
2p1ME7PbuvL2NSdScAAAAOcmVmZXJlZS1yZXZpZXcAAAAAAAAABnNoYTUxMgAAAFMAAAAL
c3NoLWVkMjU1MTkAAABA15WrnIOkcNOONEhO+iousu+dstaGPNhKY2SoRidP5zQkjgGZip
CqMMeLQEvTIk/tmy/2WTyI17mA4FZjzsJVDA==
-----END SSH SIGNATURE-----
";

    fn key() -> PrivateKey {
        PrivateKey::from_openssh(KEY).expect("a key")
    }

    fn one(file: &str) -> Signature {
        let mut all = signatures(file);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0).expect("readable")
    }

    #[test]
    fn a_signature_of_openssh_holds_for_its_text_alone() {
        let theirs = one(THEIRS);
        assert_eq!(theirs.verdict(TEXT), Verdict::Good);
        assert_eq!(theirs.verdict("accepted: [] \n"), Verdict::OtherText);
        assert_eq!(
            fingerprint(theirs.key()),
            fingerprint(key().public_key().key_data())
        );
    }

    /// Ed25519 leaves nothing to chance: the same key says the same of the same text.
    #[test]
    fn ours_is_the_signature_that_openssh_makes() {
        let ours = sign(&key(), TEXT, "").expect("signed");
        assert_eq!(one(&ours.file).sig, one(THEIRS).sig);
    }

    #[test]
    fn a_signature_for_another_purpose_is_worth_nothing() {
        let sig = key()
            .sign("git", HashAlg::Sha512, TEXT.as_bytes())
            .expect("signed");
        let file = sig.to_pem(LineEnding::LF).expect("written");
        assert_eq!(one(&file).verdict(TEXT), Verdict::OtherPurpose);
    }

    #[test]
    fn several_sign_one_below_the_other() {
        let pair = ssh_key::private::Ed25519Keypair::from_seed(&[7; 32]);
        let other = PrivateKey::from(pair);
        let both = sign(&other, TEXT, THEIRS).expect("signed");
        let verdicts: Vec<Verdict> = signatures(&both.file)
            .into_iter()
            .map(|one| one.expect("readable").verdict(TEXT))
            .collect();
        assert_eq!((verdicts, both.gone), (vec![Verdict::Good; 2], vec![]));
        // Of another text, who signed the first has to sign again; who signs twice stands once.
        let text = "accepted: [] # changed\n";
        let again = sign(&other, text, &both.file).expect("signed");
        assert_eq!(again.gone, [fingerprint(key().public_key().key_data())]);
        assert_eq!(one(&again.file).verdict(text), Verdict::Good);
        let tidied = sign(&other, text, "\nnothing\n").expect("signed");
        assert_eq!((tidied.unreadable, tidied.gone), (vec![2], vec![]));
    }

    #[test]
    fn what_is_no_signature_is_told_with_its_line() {
        let end = THEIRS.replace("-----END SSH SIGNATURE-----", "");
        let broken = THEIRS.replace("U1NIU0lH", "U1NIU0lI");
        for (file, line, said) in [
            ("\nnothing\n", 2, "no signature"),
            (end.as_str(), 1, "no end"),
            (broken.as_str(), 1, ""),
        ] {
            let found = signatures(file);
            let [Err(unreadable)] = &found[..] else {
                panic!("{file}: {found:?}");
            };
            assert!(
                unreadable.line == line && unreadable.why.contains(said),
                "{unreadable:?}"
            );
        }
        assert!(signatures("").is_empty());
    }
}
