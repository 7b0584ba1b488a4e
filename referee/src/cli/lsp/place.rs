//! Places: an editor counts lines from zero and columns in UTF-16; files have URIs.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use lsp_types::{Position, Range, Uri};
use referee_store::numbers::{to_u32, to_usize};

/// Returns the path of a `file:` URI.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // A host, if any, is this one.
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        match byte {
            b'%' => {
                let hex = [left.next()?, left.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/games` is `C:/games`.
    let drive = cfg!(windows) && text.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &text[1..] } else { &text[..] }))
}

/// Returns the URI of a file, or `None` if its path is not absolute.
pub fn uri_of(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return None;
    }
    let text = path.to_str()?.replace('\\', "/");
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&uri).ok()
}

/// Returns the position of a byte of a text.
pub fn position(text: &str, offset: usize) -> Position {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = to_u32(before.matches('\n').count());
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    Position::new(line, to_u32(before[start..].encode_utf16().count()))
}

/// Returns the positions of a span of bytes.
pub fn range(text: &str, start: usize, end: usize) -> Range {
    Range::new(position(text, start), position(text, end.max(start)))
}

/// Returns the byte at a position, or the end of its line if the position is beyond it.
pub fn offset(text: &str, position: Position) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines
        .by_ref()
        .take(to_usize(position.line))
        .map(str::len)
        .sum();
    let line = lines
        .next()
        .unwrap_or_default()
        .trim_end_matches(['\n', '\r']);
    let mut units = 0;
    for (at, letter) in line.char_indices() {
        if units >= position.character {
            return before + at;
        }
        units += to_u32(letter.len_utf16());
    }
    before + line.len()
}
