//! What is laid over a base: modules that were read, and what they have made of tables and rows so far.

use super::components::{RawColumn, RawRow};
use super::folder::Folder;
use crate::program::package::{Board, Text};
use crate::source::{Span, Spanned};
use crate::syntax::document::Node;

/// A module that was read.
pub(super) struct Module {
    pub(super) folder: Folder,
}

impl Module {
    pub(super) fn id(&self) -> &str {
        &self.folder.manifest.id.node
    }
}

/// A table while layers are laid.
pub(super) struct Draft {
    pub(super) name: Spanned<String>,
    pub(super) plural: Spanned<String>,
    pub(super) names: Text,
    pub(super) board: Option<Spanned<Board>>,
    pub(super) columns: Vec<RawColumn>,
    pub(super) rows: Vec<RawRow>,
}

/// Who changed something last.
pub(super) struct Changed {
    pub(super) module: String,
    pub(super) span: Span,
    /// What it says now; none: it was removed.
    pub(super) value: Option<Node>,
}
