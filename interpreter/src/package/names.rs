//! Names for people: pairs of texts wherever they stand, and `names.yaml`.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostics};
use crate::program::package::Text;
use crate::source::Spanned;
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
        Some(text.node)
    };
    Text {
        en: one("en", "English").unwrap_or_default(),
        pl: one("pl", "Polish").unwrap_or_default(),
    }
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

/// Reads `names.yaml` into names by address.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> BTreeMap<String, Spanned<Text>> {
    let mut names = BTreeMap::new();
    for section in root
        .map("names by section", diagnostics)
        .unwrap_or_default()
    {
        let Some((_, kind)) = SECTIONS.iter().find(|(key, _)| *key == section.key.node) else {
            unknown_key(
                &section.key,
                "the names",
                SECTIONS.iter().map(|(key, _)| *key),
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
            names.insert(
                format!("{kind} {}", pair.key.node),
                Spanned::new(text, pair.key.span),
            );
        }
    }
    names
}
