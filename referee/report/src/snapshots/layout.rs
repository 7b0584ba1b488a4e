//! How the list of games is laid out: JSON, in which all moves of a game take a line, and so do its states, its score sheets and
//! whatever else is pinned of it. Once a game parts from what was accepted, all that follows is another game: a difference of two lists
//! shows which games have parted, and `referee snapshot review` where.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// What lies no deeper is written line by line: what is `played` of a game of `games`.
const DEEP: usize = 4;

/// Writes something as the list is written.
pub(super) fn written(of: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Layout::default());
    // Writing to memory does not fail, nor does any part of the list refuse to be written.
    let _ = of.serialize(&mut serializer);
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

#[derive(Default)]
struct Layout {
    depth: usize,
    /// Whether the innermost brackets hold anything.
    holds: bool,
}

impl Layout {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> Result<()> {
        self.depth += 1;
        self.holds = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> Result<()> {
        let open = self.holds && self.depth <= DEEP;
        self.depth -= 1;
        self.holds = true;
        if open {
            self.new_line(writer)?;
        }
        writer.write_all(bracket)
    }

    fn value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.holds = true;
        if !first {
            writer.write_all(b",")?;
        }
        match self.depth <= DEEP {
            true => self.new_line(writer),
            false if first => Ok(()),
            false => writer.write_all(b" "),
        }
    }

    fn new_line<W: ?Sized + Write>(&self, writer: &mut W) -> Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.value(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.value(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }
}
