//! Builds the tree of a document from the events of the scanner.

use std::collections::BTreeMap;

use serde_saphyr::granit_parser::{self as yaml, Event, Marker, Parser, ScalarStyle};

use super::explain::explain;
use super::{Node, NodeKind, Pair, Scalar};
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::source::{FileId, Sources, Span, Spanned};

/// Reads a document. Gives nothing if it is not YAML at all; gives what could be read, besides the
/// diagnostics, if it is YAML of a kind that packages do not use.
pub fn parse(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> Option<Node> {
    let text = &sources.file(file).text;
    let options = yaml::options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        disallow_directives: true,
    };
    Builder {
        sources,
        file,
        text,
        events: Parser::new_from_str_with_options(text, options),
        peeked: None,
        diagnostics,
    }
    .document()
    .ok()
    .flatten()
}

/// The scanner gave up; what it said has been reported.
struct GaveUp;

struct Builder<'a, I> {
    sources: &'a Sources,
    file: FileId,
    text: &'a str,
    events: I,
    peeked: Option<(Event<'a>, yaml::Span)>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a, I> Builder<'a, I>
where
    I: Iterator<Item = Result<(Event<'a>, yaml::Span), yaml::ScanError>>,
{
    fn next(&mut self) -> Result<(Event<'a>, yaml::Span), GaveUp> {
        if let Some(event) = self.peeked.take() {
            return Ok(event);
        }
        match self.events.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let at = self.offset(error.marker());
                self.diagnostics.push(explain(
                    error.kind(),
                    self.sources.file(self.file),
                    self.file,
                    at,
                ));
                Err(GaveUp)
            }
            // The scanner always says that the stream ends before it ends.
            None => Err(GaveUp),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, GaveUp> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) if root.is_some() => {
                    self.diagnostics.push(
                        Code::SecondDocument.error(self.span(&span),
                            "a second document in one file",
                        )
                        .help(
                            "remove the line `---`, or move what follows it to a file of its own",
                        ),
                    );
                    return Ok(root);
                }
                Event::DocumentStart(..) => root = Some(self.value()?),
                _ => {}
            }
        }
        match root {
            Some(Node {
                kind: NodeKind::Nothing,
                ..
            })
            | None => {
                let start = Span {
                    file: self.file,
                    start: 0,
                    end: 0,
                };
                self.diagnostics
                    .push(Code::EmptyDocument.error(start, "this document is empty"));
                Ok(None)
            }
            root => Ok(root),
        }
    }

    /// The next value with everything in it.
    fn value(&mut self) -> Result<Node, GaveUp> {
        let (event, place) = self.next()?;
        self.value_of(event, place)
    }

    fn value_of(&mut self, event: Event<'a>, place: yaml::Span) -> Result<Node, GaveUp> {
        let span = self.span(&place);
        if event.tag().is_some() {
            self.tag(&place);
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                self.anchor(anchor)?;
                let quoted = style != ScalarStyle::Plain;
                // The scanner says `~` where nothing is written.
                if !quoted && span.start == span.end {
                    return Ok(Node {
                        kind: NodeKind::Nothing,
                        span,
                    });
                }
                Ok(Node {
                    kind: NodeKind::Scalar(Scalar {
                        text: text.into_owned(),
                        quoted,
                    }),
                    span: self.trimmed(span),
                })
            }
            Event::SequenceStart(_, anchor, _) => {
                self.anchor(anchor)?;
                let mut items: Vec<Node> = Vec::new();
                loop {
                    let (event, place) = self.next()?;
                    if event == Event::SequenceEnd {
                        let span = self.collection(span, items.last().map(|i| i.span), &place);
                        return Ok(Node {
                            kind: NodeKind::List(items),
                            span,
                        });
                    }
                    items.push(self.value_of(event, place)?);
                }
            }
            Event::MappingStart(_, anchor, _) => {
                self.anchor(anchor)?;
                self.map(span)
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.diagnostics.push(
                    Code::AnchorOrAlias
                        .error(span, "aliases are not used in packages")
                        .label("YAML reads this as a reference to an anchor")
                        .help("write the value out; a text that begins with `*` needs quotes"),
                );
                Ok(Node {
                    kind: NodeKind::Broken,
                    span,
                })
            }
            // Nothing else stands where a value is expected.
            _ => Ok(Node {
                kind: NodeKind::Broken,
                span,
            }),
        }
    }

    fn map(&mut self, start: Span) -> Result<Node, GaveUp> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut places: BTreeMap<String, Span> = BTreeMap::new();
        loop {
            let (event, place) = self.next()?;
            if event == Event::MappingEnd {
                let span = self.collection(start, pairs.last().map(|p| p.value.span), &place);
                return Ok(Node {
                    kind: NodeKind::Map(pairs),
                    span,
                });
            }
            let key = self.value_of(event, place)?;
            let mut value = self.value()?;
            if value.kind == NodeKind::Nothing {
                // The scanner puts an absent value where the next token is; people look after the key.
                value.span = Span {
                    start: key.span.end,
                    end: key.span.end,
                    ..key.span
                };
            }
            let NodeKind::Scalar(scalar) = key.kind else {
                if key.kind == NodeKind::Broken {
                    continue;
                }
                self.diagnostics.push(
                    Code::ComplexKey
                        .error(key.span, format!("{} cannot be a key", key.described()))
                        .help("a key is a single word, followed by a colon and a space"),
                );
                continue;
            };
            if scalar.text == "<<" && !scalar.quoted {
                self.diagnostics.push(
                    Code::MergeKey
                        .error(key.span, "merges are not used in packages")
                        .help("write out the keys that `<<` would bring in"),
                );
                continue;
            }
            if let Some(first) = places.get(&scalar.text) {
                self.diagnostics.push(
                    Code::DuplicateKey
                        .error(
                            key.span,
                            format!("the key `{}` is written twice", scalar.text),
                        )
                        .label("here again")
                        .also(*first, "first here"),
                );
                continue;
            }
            places.insert(scalar.text.clone(), key.span);
            pairs.push(Pair {
                key: Spanned::new(scalar.text, key.span),
                value,
            });
        }
    }

    /// Reports an anchor, whose event follows the value that it names.
    fn anchor(&mut self, anchor: usize) -> Result<(), GaveUp> {
        if anchor == 0 {
            return Ok(());
        }
        match self.next()? {
            (Event::Anchor(..), place) => {
                let span = self.span(&place);
                self.diagnostics.push(
                    Code::AnchorOrAlias
                        .error(span, "anchors are not used in packages")
                        .help("remove it; a text that begins with `&` needs quotes"),
                );
            }
            other => self.peeked = Some(other),
        }
        Ok(())
    }

    fn tag(&mut self, place: &yaml::Span) {
        let span = self.span(&place.tag_span().unwrap_or(*place));
        self.diagnostics.push(
            Code::TaggedValue
                .error(span, "tags are not used in packages")
                .help("remove it; a text that begins with `!` needs quotes"),
        );
    }

    fn offset(&self, marker: &Marker) -> u32 {
        match marker.byte_offset() {
            Some(offset) => offset.min(self.text.len()).fit(),
            None => self
                .sources
                .file(self.file)
                .offset(marker.line().fit(), marker.col().fit::<u32>() + 1),
        }
    }

    fn span(&self, place: &yaml::Span) -> Span {
        let start = self.offset(&place.start);
        Span {
            file: self.file,
            start,
            end: self.offset(&place.end).max(start),
        }
    }

    /// Without the blanks and comments that the scanner counts to a block.
    fn trimmed(&self, span: Span) -> Span {
        let text = self.sources.text(span);
        Span {
            end: span.start + text.trim_end().len().fit::<u32>(),
            ..span
        }
    }

    /// The span of a list or map: to its closing bracket, or, in block notation, where the scanner
    /// only notices the end at the next token, to the end of its last value.
    fn collection(&self, start: Span, last: Option<Span>, end: &yaml::Span) -> Span {
        let end = self.span(end);
        if end.end > end.start {
            return start.to(end);
        }
        match last {
            Some(last) => start.to(last),
            None => start,
        }
    }
}
