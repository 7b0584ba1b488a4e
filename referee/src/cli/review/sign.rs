//! `referee review sign`: signatures under `review.yaml`, as `ssh-keygen -Y sign` makes them.

use std::path::{Path, PathBuf};

use interpreter::diagnostic::{Code, Diagnostics};
use ssh_key::{Algorithm, PrivateKey, PublicKey};

use super::folder::{Desk, desks_or_mistakes, write};
use super::shown;
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use crate::cli::ruleset::RulesetArgs;
use referee_report::prose::listed;
use referee_report::sign_off::audit::Allowed;
use referee_report::sign_off::days::moment;
use referee_report::sign_off::signatures::{NAMESPACE, Verdict, fingerprint, sign, signatures};
use referee_report::sign_off::signers::Signers;
use referee_report::sign_off::things::called;
use referee_store::clock::Clock;

/// Arguments of `review sign`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A signature is one of OpenSSH, in `review.yaml.sig`, for the namespace `referee-review`; several people sign one below \
the other. A key with a passphrase, in an agent or on a token, signs with OpenSSH itself:
  ssh-keygen -Y sign -f ~/.ssh/id_ed25519 -n referee-review < review.yaml >> review.yaml.sig

Keys are of the kind Ed25519. A file of allowed signers has names and public keys, a line each:
  anna@example.org ssh-ed25519 AAAA…

Examples:
  referee review sign rulesets/puerto-rico --key ~/.ssh/id_ed25519
  referee review sign rulesets/puerto-rico --verify --keys allowed_signers

Exit codes: 0 signed, or everybody has signed what is there, 1 not so, 2 it could not be done.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// The private key, a file of OpenSSH
    #[arg(long, value_name = "FILE", required_unless_present = "verify")]
    pub key: Option<PathBuf>,
    /// Sign nothing, and say whose signatures hold
    #[arg(long, conflicts_with = "key")]
    pub verify: bool,
    /// The file of allowed signers: whether everybody has signed who has accepted something
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub keys: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// When a file cannot be read or written, or the key cannot sign.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let Some(desks) = desks_or_mistakes(&chosen, out) else {
        return Ok(Exit::Bad);
    };
    if let Some(path) = &args.key {
        // All of it or nothing.
        let all: Vec<Signing<'_>> = desks.iter().map(signing).collect::<Result<_, _>>()?;
        let key = private_key(path, &all)?;
        for one in &all {
            signed(one, &key, out)?;
        }
        return Ok(Exit::Clean);
    }
    let signers = args.keys.as_deref().map(allowed_signers).transpose()?;
    let mut is_good = true;
    for desk in &desks {
        is_good &= verified(desk, signers.as_ref(), out)?;
    }
    Ok(if is_good { Exit::Clean } else { Exit::Bad })
}

/// Reads a file of allowed signers.
///
/// # Errors
///
/// When it cannot be read, with the line.
pub fn allowed_signers(path: &Path) -> Result<Signers, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("`{}`: {error}", path.display())))?;
    Signers::read(&text)
        .map_err(|(line, why)| Failure::Usage(format!("{}:{line}: {why}", path.display())))
}

/// What is to be signed.
struct Signing<'d> {
    desk: &'d Desk,
    text: &'d str,
    review: PathBuf,
    signatures: PathBuf,
}

fn signing(desk: &Desk) -> Result<Signing<'_>, Failure> {
    let review = desk.writable()?;
    let text = desk.layer.text();
    match (text, desk.signatures(), desk.layer.accepted()) {
        (Some(text), Some(signatures), [_, ..]) => Ok(Signing {
            desk,
            text,
            review,
            signatures,
        }),
        _ => Err(Failure::Usage(format!(
            "nothing of `{}` is accepted yet, so there is nothing to sign: `referee review` comes first",
            desk.called()
        ))),
    }
}

/// Reads a key that can sign here.
fn private_key(path: &Path, all: &[Signing<'_>]) -> Result<PrivateKey, Failure> {
    let failed = |why: String| Failure::Usage(format!("`{}`: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    if PublicKey::from_openssh(&text).is_ok() {
        return Err(failed(
            "this is a public key: name the private one, which has no `.pub` at its end".to_owned(),
        ));
    }
    let key = PrivateKey::from_openssh(&text).map_err(|error| {
        failed(format!(
            "this is no private key of OpenSSH ({error}); `ssh-keygen -t ed25519` makes one"
        ))
    })?;
    let with_openssh = |why: &str| {
        let lines = all.iter().map(|one| by_openssh(path, one));
        failed(format!(
            "{why}, so sign with OpenSSH itself: {}",
            lines.collect::<Vec<_>>().join(" and ")
        ))
    };
    match key.algorithm() {
        Algorithm::Ed25519 if key.is_encrypted() => Err(with_openssh("the key has a passphrase")),
        Algorithm::Ed25519 => Ok(key),
        Algorithm::SkEd25519 => Err(with_openssh("the key lies on a token")),
        other => Err(failed(format!(
            "this is a key of the kind {other}, and reviews are signed by Ed25519; `ssh-keygen -t ed25519` makes one"
        ))),
    }
}

/// How OpenSSH signs it: `>>` keeps the signatures of others.
fn by_openssh(key: &Path, one: &Signing<'_>) -> String {
    format!(
        "`ssh-keygen -Y sign -f '{}' -n {NAMESPACE} < '{}' >> '{}'`",
        key.display(),
        one.review.display(),
        one.signatures.display()
    )
}

fn signed(one: &Signing<'_>, key: &PrivateKey, out: &mut Out<'_>) -> Result<(), Failure> {
    let path = &one.signatures;
    let before = one.desk.signed()?.unwrap_or_default();
    let made = sign(key, one.text, &before)
        .map_err(|error| Failure::Usage(format!("the key cannot sign: {error}")))?;
    write(path, &made.file)?;
    let word = out.paint(Ink::Good, "signed");
    let own = fingerprint(key.public_key().key_data());
    writeln!(out.data, "{word}  {}  by {own}", path.display())?;
    for gone in &made.gone {
        out.note(format_args!(
            "the signature by {gone} does not hold for this text and is gone: whoever has that key signs again"
        ));
    }
    for line in &made.unreadable {
        out.note(format_args!(
            "what stood in line {line} was no signature, and is gone"
        ));
    }
    Ok(())
}

/// Whether all signatures hold, and, if it is said who may sign, everybody has signed.
fn verified(desk: &Desk, signers: Option<&Signers>, out: &mut Out<'_>) -> Result<bool, Failure> {
    let file = desk.signed()?;
    let shown = desk.signatures().map_or_else(
        || desk.called().to_owned(),
        |path| path.display().to_string(),
    );
    let (Some(text), Some(file)) = (desk.layer.text(), &file) else {
        writeln!(
            out.data,
            "{shown}: {}",
            out.paint(Ink::Bad, "nobody has signed")
        )?;
        return Ok(false);
    };
    let now = moment(Clock::system().now_ms());
    let all = signatures(file);
    let mut is_good = !all.is_empty();
    if all.is_empty() {
        let none = out.paint(Ink::Bad, "there is no signature in it");
        writeln!(out.data, "{shown}: {none}")?;
    }
    for one in all {
        let (line, ink, said) = match one {
            Err(unreadable) => (unreadable.line, Ink::Bad, unreadable.why),
            Ok(signature) => {
                let key = fingerprint(signature.key());
                let names = signers.map(|signers| signers.names(signature.key(), &now));
                let key = match names {
                    Some(names) if names.is_empty() => format!("a key of nobody ({key})"),
                    Some(names) => format!("{} ({key})", listed(&names, "and")),
                    None => key,
                };
                match signature.verdict(text) {
                    Verdict::Good => (signature.line, Ink::Good, format!("good, by {key}")),
                    Verdict::OtherText => (
                        signature.line,
                        Ink::Bad,
                        format!("of another text, by {key}"),
                    ),
                    Verdict::OtherPurpose => (
                        signature.line,
                        Ink::Bad,
                        format!("for another purpose, by {key}"),
                    ),
                    Verdict::UnknownKind => (
                        signature.line,
                        Ink::Bad,
                        format!("a kind of key that is not known here, {key}"),
                    ),
                }
            }
        };
        is_good &= ink == Ink::Good;
        writeln!(out.data, "{shown}:{line}: {}", out.paint(ink, said))?;
    }
    let Some(signers) = signers else {
        return Ok(is_good);
    };
    // One line for all that was withdrawn, or corrected, at once.
    let mut withdrawn: Vec<(String, Vec<String>)> = Vec::new();
    for thing in &desk.layer.things {
        for line in shown::withdrawn(thing, desk.layer.accepted()) {
            match withdrawn.iter_mut().find(|(known, _)| *known == line) {
                Some((_, things)) => things.push(called(&thing.what)),
                None => withdrawn.push((line, vec![called(&thing.what)])),
            }
        }
    }
    for (line, mut things) in withdrawn {
        let more = things.len().saturating_sub(3);
        if more > 1 {
            things.truncate(3);
            things.push(format!("{more} more"));
        }
        writeln!(out.data, "{}: {line}", listed(&things, "and"))?;
    }
    let allowed = Allowed { signers, now: &now };
    let (sources, found) = desk.audit(&allowed)?;
    let of_names = [Code::MissingSignature, Code::SignedByOther];
    let mut missing = Diagnostics::default();
    for diagnostic in found.list {
        if of_names.contains(&diagnostic.code) {
            missing.push(diagnostic);
        }
    }
    out.diagnostics_of(&sources, &missing);
    Ok(is_good && !missing.has_errors())
}
