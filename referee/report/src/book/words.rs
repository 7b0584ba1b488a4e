//! Which words a glossary explains, and in which order.

/// Kinds of name that a glossary lists.
pub(super) const KINDS: [&str; 9] = [
    "place", "counter", "marker", "phase", "move", "param", "event", "ending", "score",
];

/// Returns the sort key of a name: Polish letters come after those without a stroke or tail.
pub fn collated(name: &str) -> String {
    let mut key = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        let (base, marked) = match c {
            'ą' => ('a', '~'),
            'ć' => ('c', '~'),
            'ę' => ('e', '~'),
            'ł' => ('l', '~'),
            'ń' => ('n', '~'),
            'ó' => ('o', '~'),
            'ś' => ('s', '~'),
            'ź' => ('z', '~'),
            'ż' => ('z', '\u{7f}'),
            c => (c, '\0'),
        };
        key.push(base);
        if marked != '\0' {
            key.push(marked);
        }
    }
    key
}
