//! Names for people: pairs of texts wherever they stand, and `names.yaml`.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::package::{Counted, SentencePair, Text};
use crate::program::sentence::Sentence;
use crate::source::{Span, Spanned};
use crate::syntax::document::Node;
use crate::syntax::document::read::{Fields, check_address, check_id, unknown_key};

/// The sections of `names.yaml`, and how their entries are addressed.
const SECTIONS: &[(&str, &str)] = &[
    ("places", "place"),
    ("counters", "counter"),
    ("markers", "marker"),
    ("kept", "kept"),
    ("phases", "phase"),
    ("steps", "step"),
    ("moves", "move"),
    ("params", "param"),
    ("events", "event"),
    ("endings", "ending"),
    ("scores", "score"),
    ("queries", "query"),
];

/// Reads `{en: …, pl: …}`.
pub(super) fn text_pair(
    node: &Node,
    what: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<Text> {
    if node.scalar().is_some() {
        diagnostics.push(
            Code::MissingTranslation
                .error(
                    node.span,
                    format!("{what} is needed in English and in Polish"),
                )
                .help("write `{en: …, pl: …}`"),
        );
        return None;
    }
    let mut fields = Fields::open(node, what, node.span, diagnostics)?;
    let text = languages(&mut fields, what, diagnostics);
    fields.finish(diagnostics);
    Some(text)
}

/// Takes `en` and `pl` out of a map; the absence of one is reported and leaves it empty.
pub(super) fn languages(
    fields: &mut Fields<'_>,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> Text {
    let [en, pl] = placed_languages(fields, what, diagnostics);
    Text {
        en: en.node,
        pl: pl.node,
    }
}

/// As [`languages`], with where both texts stand.
pub(super) fn placed_languages(
    fields: &mut Fields<'_>,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> [Spanned<String>; 2] {
    let nowhere = Spanned::new(String::new(), fields.at());
    let mut one = |key: &'static str, language: &str| {
        if !fields.has(key) {
            diagnostics.push(
                Code::MissingTranslation
                    .error(fields.at(), format!("{what} has no {language} text"))
                    .label(format!("`{key}` is missing here")),
            );
        }
        let text = fields.take(key, diagnostics)?.text("a text", diagnostics)?;
        if text.node.is_empty() {
            diagnostics.push(
                Code::MissingTranslation
                    .error(text.span, format!("{what} has an empty {language} text")),
            );
        }
        Some(text)
    };
    [("en", "English"), ("pl", "Polish")]
        .map(|(key, language)| one(key, language).unwrap_or_else(|| nowhere.clone()))
}

/// Takes the required names or titles out of a map.
pub(super) fn titles(
    fields: &mut Fields<'_>,
    key: &'static str,
    diagnostics: &mut Diagnostics,
) -> Text {
    let what = if key == "titles" { "a title" } else { "a name" };
    fields
        .require(key, diagnostics)
        .and_then(|node| text_pair(node, what, diagnostics))
        .unwrap_or_default()
}

/// Takes names that need not be there.
pub(super) fn optional_names(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Text {
    fields
        .take("names", diagnostics)
        .and_then(|node| text_pair(node, "a name", diagnostics))
        .unwrap_or_default()
}

/// Reports a key that cannot be a name in rules.
pub(super) fn id_of(key: &Spanned<String>, what: &str, diagnostics: &mut Diagnostics) -> bool {
    check_id(key, what, diagnostics)
}

/// What `names.yaml` says.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names by address.
    pub names: BTreeMap<String, Spanned<Text>>,
    /// How pieces are counted, by the address of their row.
    pub counted: BTreeMap<String, Spanned<Counted>>,
    /// Sentences by address.
    pub sentences: BTreeMap<String, SentencePair>,
}

/// The section of how pieces are counted.
const COUNTED: &str = "counted";

/// The section of sentences.
const SENTENCES: &str = "sentences";

/// Its sections, and how their entries are addressed.
const SENTENCE_SECTIONS: &[(&str, &str)] = &[("moves", "move"), ("events", "event")];

/// Reads `names.yaml`.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> Names {
    let mut read = Names::default();
    for section in root
        .map("names by section", diagnostics)
        .unwrap_or_default()
    {
        if section.key.node == SENTENCES {
            read.sentences = sentences(&section.value, diagnostics);
            continue;
        }
        if section.key.node == COUNTED {
            read.counted = counted(&section.value, diagnostics);
            continue;
        }
        let Some((_, kind)) = SECTIONS.iter().find(|(key, _)| *key == section.key.node) else {
            unknown_key(
                &section.key,
                "the names",
                SECTIONS
                    .iter()
                    .map(|(key, _)| *key)
                    .chain([COUNTED, SENTENCES]),
                diagnostics,
            );
            continue;
        };
        for pair in section
            .value
            .map("names by the thing named", diagnostics)
            .unwrap_or_default()
        {
            if !check_address(&pair.key, &format!("the address of a {kind}"), diagnostics) {
                continue;
            }
            let Some(mut fields) = Fields::open(&pair.value, "a name", pair.key.span, diagnostics)
            else {
                continue;
            };
            let text = languages(&mut fields, "a name", diagnostics);
            fields.finish(diagnostics);
            read.names.insert(
                format!("{kind} {}", pair.key.node),
                Spanned::new(text, pair.key.span),
            );
        }
    }
    read
}

/// Reads how pieces are counted: `tile.quarry: {en: quarries, pl: [kamieniołomy, kamieniołomów]}`.
fn counted(root: &Node, diagnostics: &mut Diagnostics) -> BTreeMap<String, Spanned<Counted>> {
    let mut counted = BTreeMap::new();
    for pair in root
        .map("forms behind a number, by row", diagnostics)
        .unwrap_or_default()
    {
        let (key, at) = (&pair.key, pair.key.span);
        if !check_address(key, "the address of a row", diagnostics) {
            continue;
        }
        let Some(mut fields) = Fields::open(&pair.value, "forms behind a number", at, diagnostics)
        else {
            continue;
        };
        let en = forms(&mut fields, ("en", "English"), ["all"], diagnostics);
        let pl = forms(
            &mut fields,
            ("pl", "Polish"),
            ["2 to 4", "the others"],
            diagnostics,
        );
        fields.finish(diagnostics);
        if let (Some(en), Some(pl)) = (en, pl) {
            counted.insert(key.node.clone(), Spanned::new(Counted { en, pl }, at));
        }
    }
    counted
}

/// Takes the forms of a language: one text for all, or one behind each of these numbers.
fn forms<const N: usize>(
    fields: &mut Fields<'_>,
    (key, language): (&'static str, &str),
    behind: [&str; N],
    diagnostics: &mut Diagnostics,
) -> Option<[String; N]> {
    if !fields.has(key) {
        let message = format!("what is counted has no {language} form");
        diagnostics.push(
            Code::MissingTranslation
                .error(fields.at(), message)
                .label(format!("`{key}` is missing here")),
        );
    }
    let node = fields.take(key, diagnostics)?;
    let wrong = |message: String| {
        let list = format!(
            "`{key}` is one text, or a list of {N}: one behind {}",
            behind.join(", one behind ")
        );
        Code::InvalidPluralForms
            .error(node.span, message)
            .help(match N {
                1 => format!("`{key}` is one text"),
                _ => list,
            })
    };
    let texts: [&Node; N] = match node.items() {
        None => [node; N],
        Some(items) => match <&[Node; N]>::try_from(items) {
            Ok(items) if N > 1 => items.each_ref(),
            _ => {
                let message = format!("this is a list of {} {language} forms", items.len());
                diagnostics.push(wrong(message));
                return None;
            }
        },
    };
    let mut forms = [const { String::new() }; N];
    for (form, text) in forms.iter_mut().zip(texts) {
        *form = text.text("a form behind a number", diagnostics)?.node;
        if form.is_empty() {
            diagnostics.push(wrong(format!("the {language} form is empty")));
            return None;
        }
    }
    Some(forms)
}

/// Reads the sentences by address.
fn sentences(root: &Node, diagnostics: &mut Diagnostics) -> BTreeMap<String, SentencePair> {
    let mut sentences = BTreeMap::new();
    for section in root
        .map("sentences by section", diagnostics)
        .unwrap_or_default()
    {
        let mut known = SENTENCE_SECTIONS.iter();
        let Some((_, kind)) = known.find(|(key, _)| *key == section.key.node) else {
            let known = SENTENCE_SECTIONS.iter().map(|(key, _)| *key);
            unknown_key(&section.key, "the sentences", known, diagnostics);
            continue;
        };
        for pair in section
            .value
            .map("sentences by what they tell", diagnostics)
            .unwrap_or_default()
        {
            if !check_address(&pair.key, &format!("the address of a {kind}"), diagnostics) {
                continue;
            }
            if let Some(sentence) = sentence(&pair.key, &pair.value, diagnostics) {
                sentences.insert(format!("{kind} {}", pair.key.node), sentence);
            }
        }
    }
    sentences
}

/// Reads one sentence in both languages.
fn sentence(
    key: &Spanned<String>,
    value: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<SentencePair> {
    let mut fields = Fields::open(value, "a sentence", key.span, diagnostics)?;
    let mut one = |key: &'static str, language: &str| {
        if !fields.has(key) {
            diagnostics.push(
                Code::MissingTranslation
                    .error(fields.at(), format!("a sentence has no {language} text"))
                    .label(format!("`{key}` is missing here")),
            );
        }
        let text = fields.take(key, diagnostics)?.text("a text", diagnostics)?;
        if text.node.is_empty() {
            let message = format!("a sentence has an empty {language} text");
            diagnostics.push(Code::MissingTranslation.error(text.span, message));
            return None;
        }
        match Sentence::parse(&text.node) {
            Ok(sentence) => Some((text.clone(), Spanned::new(sentence, text.span))),
            Err(flaw) => {
                let at = within(text.span, &text.node, flaw.at);
                diagnostics.push(
                    Code::InvalidSentence
                        .error(at, flaw.problem)
                        .help(flaw.help),
                );
                None
            }
        }
    };
    let (en, pl) = (one("en", "English"), one("pl", "Polish"));
    fields.finish(diagnostics);
    let ((en_text, en), (pl_text, pl)) = (en?, pl?);
    let sides = [
        (&en_text, &en, "English", &pl, "Polish"),
        (&pl_text, &pl, "Polish", &en, "English"),
    ];
    for (text, with, language, without, other) in sides {
        let others = without.node.holes();
        for hole in with.node.holes().difference(&others) {
            let alone = others
                .difference(&with.node.holes())
                .copied()
                .collect::<Vec<_>>();
            let help = did_you_mean(hole, alone).unwrap_or_else(|| {
                format!("put `{{{hole}}}` into the {other} sentence, or take it out of the {language} one")
            });
            let message =
                format!("the {language} sentence says `{{{hole}}}`, the {other} one does not");
            diagnostics.push(
                Code::HoleInOneLanguage
                    .error(hole_at(text, hole), message)
                    .also(without.span, format!("no `{{{hole}}}` here"))
                    .help(help),
            );
        }
    }
    Some(SentencePair {
        at: key.span,
        en: en.clone(),
        pl: pl.clone(),
    })
}

/// Where a hole of a text is written.
pub(crate) fn hole_at(text: &Spanned<String>, hole: &str) -> Span {
    let written = format!("{{{hole}}}");
    match text.node.find(&written) {
        Some(at) => within(text.span, &text.node, at..at + written.len()),
        None => text.span,
    }
}

/// Where some bytes of a text are written: exactly, if it is written on one line as it is read, perhaps in quotes.
fn within(span: Span, text: &str, at: Range<usize>) -> Span {
    let before = match (span.end - span.start).checked_sub(text.len().fit()) {
        Some(0) => 0,
        Some(2) => 1,
        _ => return span,
    };
    let (from, to): (u32, u32) = (at.start.fit(), at.end.fit());
    Span {
        start: span.start + before + from,
        end: span.start + before + to,
        ..span
    }
}
