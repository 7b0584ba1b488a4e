//! Whether everything is accepted and signed: what a release is held to.
//!
//! In: a layer, the file of signatures beside its `review.yaml`, and who may sign under which name. Out: mistakes, each kind
//! with a code of its own.

use std::collections::BTreeSet;

use interpreter::diagnostic::{Code, Diagnostic, Diagnostics};
use interpreter::package::{Acceptance, Part};
use interpreter::source::{Sources, Span};

use super::layers::Layer;
use super::signatures::{NAMESPACE, Signature, Verdict, fingerprint, signatures};
use super::signers::Signers;
use super::standing::{
    Holds, Standing, changed_figures, counting, holds, part_words, standing, withdrawal, withdrawn,
};
use super::things::{Thing, called};
use crate::prose::{counted, listed};

/// Things that are named; more are counted.
const NAMED: usize = 5;

/// Who may sign, and when that is asked.
pub struct Allowed<'a> {
    /// Who may sign under which name.
    pub signers: &'a Signers,
    /// The moment: `20261127120000`, in UTC.
    pub now: &'a str,
}

/// What is wrong with the acceptances of a layer, with the texts that it is told of. `signed` is the path of its file of
/// signatures, and what is in it if it is there.
pub fn audit(
    layer: &Layer,
    signed: (&str, Option<&str>),
    allowed: &Allowed<'_>,
) -> (Sources, Diagnostics) {
    let mut sources = layer.sources.clone();
    let mut diagnostics = Diagnostics::default();
    stands(layer, &mut diagnostics);
    if let (Some(review), Some(text)) = (&layer.review, layer.text()) {
        // Those whose acceptance was withdrawn sign nothing, and those who withdrew it do.
        let gone = |entry: &Acceptance| {
            let gone = withdrawn(&entry.thing.node, &review.accepted);
            gone.iter().any(|(old, _)| std::ptr::eq(*old, entry))
        };
        let signing: Vec<&Acceptance> = review
            .accepted
            .iter()
            .filter(|entry| !gone(entry))
            .collect();
        let names: BTreeSet<&str> = signing.iter().map(|entry| entry.by.node.as_str()).collect();
        let start = Span {
            file: review.file,
            start: 0,
            end: 0,
        };
        match signed {
            (path, None) => diagnostics.push(
                Code::MissingSignature
                    .error(start, "nobody has signed this")
                    .note(format!("there is no `{path}`"))
                    .help("sign it with `referee review sign`, or with `ssh-keygen -Y sign -n referee-review`"),
            ),
            (path, Some(file)) => {
                let at = sources.add(path, file);
                let place = |line: u32, sources: &Sources| {
                    let start = sources.file(at).offset(line, 1);
                    let end = sources.file(at).offset(line + 1, 1);
                    Span {
                        file: at,
                        start,
                        end: end.saturating_sub(1).max(start),
                    }
                };
                let mut made = Vec::new();
                for one in signatures(file) {
                    match one {
                        Ok(signature) => {
                            let span = place(signature.line, &sources);
                            made.push((signature, span));
                        }
                        Err(unreadable) => diagnostics.push(
                            Code::UnreadableSignature
                                .error(place(unreadable.line, &sources), "this signature cannot be read")
                                .note(unreadable.why)
                                .help("take it out and sign again"),
                        ),
                    }
                }
                let told = judged(&made, text, &mut diagnostics);
                for name in names {
                    let own = |signature: &Signature| allowed.signers.allow(signature.key(), name, allowed.now);
                    if told.good.iter().any(|signature| own(signature))
                        || told.stale.iter().any(|signature| own(signature))
                    {
                        continue;
                    }
                    let entry = signing.iter().find(|entry| entry.by.node == name);
                    let span = entry.map_or(start, |entry| entry.by.span);
                    diagnostics.push(unsigned(name, span, &told.good));
                }
            }
        }
    }
    (sources, diagnostics.sorted())
}

/// Signatures by what they say of the text.
struct Judged<'s> {
    good: Vec<&'s Signature>,
    stale: Vec<&'s Signature>,
}

fn judged<'s>(
    made: &'s [(Signature, Span)],
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Judged<'s> {
    let mut all = Judged {
        good: Vec::new(),
        stale: Vec::new(),
    };
    for (signature, span) in made {
        let key = fingerprint(signature.key());
        match signature.verdict(text) {
            Verdict::Good => all.good.push(signature),
            Verdict::OtherText => {
                all.stale.push(signature);
                diagnostics.push(
                    Code::SignatureOfOtherText
                        .error(*span, "this signature is of another text")
                        .note(format!(
                            "it is by the key {key}, and `review.yaml` is not what was signed"
                        ))
                        .help("look at what has changed, and let that person sign again"),
                );
            }
            Verdict::OtherPurpose => diagnostics.push(
                Code::UnreadableSignature
                    .error(*span, "this signature was made for another purpose")
                    .note(format!("it is by the key {key}"))
                    .help(format!("sign for the namespace `{NAMESPACE}`")),
            ),
            Verdict::UnknownKind => diagnostics.push(
                Code::UnreadableSignature
                    .error(
                        *span,
                        "this signature is by a kind of key that is not known here",
                    )
                    .note(format!("it is by the key {key}"))
                    .help("sign with a key of the kind Ed25519"),
            ),
        }
    }
    all
}

/// Somebody is said to have accepted something, and their signature is not there.
fn unsigned(name: &str, span: Span, good: &[&Signature]) -> Diagnostic {
    let help =
        "whoever is named signs, with a key that the file of allowed signers gives to this name";
    if good.is_empty() {
        return Code::MissingSignature
            .error(span, format!("`{name}` has not signed"))
            .help(help);
    }
    let keys: Vec<String> = good
        .iter()
        .map(|signature| fingerprint(signature.key()))
        .collect();
    Code::SignedByOther
        .error(
            span,
            format!("`{name}` is said to have accepted this, and only others have signed"),
        )
        .note(format!(
            "signed by {}, which is no key of `{name}`",
            listed(&keys, "and")
        ))
        .help(help)
}

/// What is open, what was changed after it was accepted, and what was written by hand.
fn stands(layer: &Layer, diagnostics: &mut Diagnostics) {
    let accepted = layer.accepted();
    let mut never: Vec<&Thing> = Vec::new();
    for thing in &layer.things {
        let mut is_told = false;
        for entry in counting(&thing.what, accepted) {
            if holds(entry, thing) == Holds::Edited {
                is_told = true;
                diagnostics.push(
                    Code::DigestEdited
                        .error(
                            entry.digest.span,
                            format!("the digest of {} was edited by hand", called(&thing.what)),
                        )
                        .note("it does not belong to the digests of the parts")
                        .help("take the entry out, read the thing, and accept it again"),
                );
            }
        }
        match standing(thing, accepted) {
            Standing::Accepted(_) => {}
            _ if is_told => {}
            Standing::Never => match withdrawn(&thing.what, accepted).last() {
                Some((old, entry)) => diagnostics.push(
                    Code::OpenThing
                        .error(
                            entry.thing.span,
                            format!(
                                "{} is open: its acceptance was withdrawn",
                                called(&thing.what)
                            ),
                        )
                        .note(withdrawal(old, entry))
                        .help("`referee review` goes through what is open"),
                ),
                None => never.push(thing),
            },
            Standing::Again { last, changed } => {
                let (proof, rest): (Vec<Part>, Vec<Part>) = changed
                    .into_iter()
                    .partition(|part| *part == Part::Scenarios);
                let what = called(&thing.what);
                let by = format!("`{}` accepted it on {}", last.by.node, last.on);
                if !proof.is_empty() {
                    diagnostics.push(
                        Code::ProofGone
                            .error(
                                last.thing.span,
                                format!("{what} was accepted with other scenarios"),
                            )
                            .note(format!(
                                "{by}; since then one that cites it was deleted, changed or added"
                            ))
                            .help("bring it back, or look at what is left with `referee review`"),
                    );
                }
                if !rest.is_empty() {
                    let by = match changed_figures(last, thing) {
                        figures if rest.contains(&Part::Figures) && !figures.is_empty() => {
                            format!("{by}; {}", figures.join("; "))
                        }
                        _ => by,
                    };
                    let words: Vec<&str> = rest.into_iter().map(part_words).collect();
                    diagnostics.push(
                        Code::OpenThing
                            .error(
                                last.thing.span,
                                format!(
                                    "{what} is open again: changed are {}",
                                    listed(&words, "and")
                                ),
                            )
                            .note(by)
                            .help("look at it with `referee review`, and accept it again"),
                    );
                }
            }
        }
    }
    if never.is_empty() {
        return;
    }
    let mut names: Vec<String> = never
        .iter()
        .take(NAMED)
        .map(|thing| called(&thing.what))
        .collect();
    if never.len() > NAMED {
        names.push(format!("{} more", never.len() - NAMED));
    }
    let message = format!(
        "nobody has accepted {}: {}",
        counted(never.len(), "thing"),
        listed(&names, "and")
    );
    let help = "`referee review` goes through what is open";
    let first = never.iter().find_map(|thing| thing.at);
    diagnostics.push(match first {
        Some(span) => Code::OpenThing.error(span, message).help(help),
        None => Diagnostic::without_place(Code::OpenThing, message).help(help),
    });
}
