//! Places: an editor counts lines from zero and columns in UTF-16; files have URIs.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use crate::numbers::{to_u32, to_usize};
use lsp_types::{Position, Range, Uri};

/// The path of a `file:` URI.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
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

/// The URI of a file; none if its path is not a whole one, as of what lies in no folder.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
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

/// Where a byte of a text is.
pub(super) fn position(text: &str, offset: usize) -> Position {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = to_u32(before.matches('\n').count());
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    Position::new(line, to_u32(before[start..].encode_utf16().count()))
}

/// The places of a span of bytes.
pub(super) fn range(text: &str, start: usize, end: usize) -> Range {
    Range::new(position(text, start), position(text, end.max(start)))
}

/// The byte at a place; the end of its line if it is beyond it.
pub(super) fn offset(text: &str, position: Position) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_as_editors_do() {
        let text = "a\nżółw 🐢 x\r\nb";
        let x = text.find('x').expect("it is written");
        assert_eq!(position(text, x), Position::new(1, 8));
        assert_eq!(offset(text, Position::new(1, 8)), x);
        assert_eq!(offset(text, Position::new(1, 99)), x + 1);
        assert_eq!(offset(text, Position::new(9, 0)), text.len());
        assert_eq!(position(text, 999), Position::new(2, 1));
    }

    #[cfg(unix)]
    #[test]
    fn paths_and_uris_say_the_same() {
        for path in ["/games/my game/ż.rules", "/a%b/c+d.yaml"] {
            let uri = uri_of(Path::new(path)).expect("a whole path");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{uri:?}");
        }
        assert_eq!(uri_of(Path::new("puerto-rico/ruleset.yaml")), None);
        let other = Uri::from_str("untitled:Untitled-1").expect("a URI");
        assert_eq!(path_of(&other), None);
    }
}
