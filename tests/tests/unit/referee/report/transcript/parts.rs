//! Tests of the module `report::transcript::parts`.

use interpreter::package::Language;
use interpreter::play::Id;
use referee::report::transcript::parts::{Kind, PAGE, Parts};

fn parts(of: &[(Kind, &str, &[&str])]) -> Parts {
    let mut parts = Parts::of(Language::English);
    for (kind, text, things) in of {
        match kind {
            Kind::Heading(depth) => parts.begin_heading(*depth, text.trim()),
            kind => parts.begin(*kind),
        }
        parts.push_str(text);
        parts.touch(things.iter().map(|thing| (*thing).to_owned()));
    }
    parts
}

#[test]
fn an_excerpt_tells_of_each_thing_before_it_tells_of_one_again() {
    let all = parts(&[
        (Kind::Title, "title\n", &[]),
        (Kind::Heading(0), "\nround 1\n", &[]),
        (Kind::Heading(1), "phase\n", &[]),
        (Kind::Move, "a\n", &["a"]),
        (Kind::Move, "a again\n", &["a"]),
        (Kind::Move, "nothing\n", &[]),
        (Kind::Table, "\ntable\n", &[]),
        (Kind::Heading(0), "\nround 2\n", &[]),
        (Kind::Heading(1), "phase b\n", &["b"]),
        (Kind::End, "\nend\n", &[]),
    ]);
    let each = "title\n\nround 1\nphase\na\n[…]\n\nround 2\nphase b\n\nend\n";
    assert_eq!(all.excerpt(17), each);
    let again = "title\n\nround 1\nphase\na\na again\n[…]\n\nround 2\nphase b\n\nend\n";
    assert_eq!(all.excerpt(19), again);
    assert_eq!(all.excerpt(5), "title\n[…]\n\nend\n");
    for most in 5..30 {
        assert!(all.excerpt(most).lines().count() <= most);
    }
}

/// Each page says where it is and what its clauses say, and holds no more than it may; a heading stands above
/// something.
#[test]
fn pages_hold_forty_lines_and_say_where_they_are() {
    let clause = |parts: &mut Parts| parts.cite(&Id::from("a.clause"), "§ it says so\n".to_owned());
    for before in 0..80 {
        let mut all = parts(&[
            (Kind::Title, "title\n", &[]),
            (Kind::Heading(0), "\nround 1\n", &[]),
        ]);
        for _ in 0..before {
            all.begin(Kind::Move);
            all.push_str("a\n");
            clause(&mut all);
        }
        all.begin_heading(1, "phase b");
        all.push_str("phase b\n");
        all.begin(Kind::Move);
        all.push_str("b\n");
        clause(&mut all);
        all.begin(Kind::Table);
        all.push_str(&"row\n".repeat(60));
        let text = all.text();
        let told = text.lines().filter(|line| ["a", "row"].contains(line));
        assert_eq!(told.count(), before + 60);
        let pages: Vec<&str> = text.split("\n──────── page ").collect();
        assert!(pages.len() > 1);
        for (at, page) in pages.iter().enumerate() {
            // The empty line before a page was parted from it.
            let lines = page.lines().count() + usize::from(at > 0);
            assert!(lines <= PAGE, "{page}");
            let last = page.trim_end().lines().last().unwrap_or_default();
            assert!(last != "phase b", "{text}");
            let ruled = page.lines().any(|line| line == "a" || line == "b");
            assert_eq!(
                page.matches("it says so").count(),
                usize::from(ruled),
                "{page}"
            );
            if at > 0 {
                assert!(page.starts_with(&format!("{} · round 1", at + 1)), "{page}");
            }
        }
    }
}
