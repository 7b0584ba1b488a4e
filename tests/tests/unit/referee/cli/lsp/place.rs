//! Tests of the module `cli::lsp::place`.

use std::path::Path;

use std::str::FromStr as _;

use lsp_types::{Position, Uri};
use referee::cli::lsp::place::{offset, path_of, position, uri_of};

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
