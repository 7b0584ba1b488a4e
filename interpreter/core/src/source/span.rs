//! Places in texts, which need not be known to speak of them.

/// Identifies one text of a [`Sources`](super::Sources).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A stretch of one text, in bytes: `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The stretch from the start of `self` to the end of `other`, which is in the same text.
    pub fn to(self, other: Span) -> Span {
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty stretch at the start of `self`.
    pub fn at_start(self) -> Span {
        Span {
            end: self.start,
            ..self
        }
    }
}

/// Something and where it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The thing.
    pub node: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a thing and its place.
    pub fn new(node: T, span: Span) -> Self {
        Spanned { node, span }
    }
}
