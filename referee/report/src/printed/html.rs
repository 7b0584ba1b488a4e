//! The print beside its clauses as one page of HTML, for whoever proofreads: no script, no other file; it reads and prints.

use interpreter::package::Package;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Beside, Said};
use crate::book::Labels;

/// The page.
pub fn page(title: &str, all: &[Beside], package: &Package, labels: Labels) -> String {
    let say = |english, polish| labels.say(english, polish);
    let open = all
        .iter()
        .filter(|sentence| sentence.said.is_empty())
        .count();
    let otherwise = all
        .iter()
        .filter(|sentence| sentence.as_pinned == Some(false))
        .count();
    let page = html! {
        (DOCTYPE)
        html lang=(labels.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (say("The print beside its clauses", "Druk obok klauzul")) ": " (title) }
                style { (PreEscaped(include_str!("beside.css"))) }
            }
            body {
                h1 { (say("The print beside its clauses", "Druk obok klauzul")) }
                p.sum {
                    (title) " · " (say("sentences", "zdania")) ": " (all.len())
                    " · " (say("without a tie", "bez powiązania")) ": " b { (open) }
                    " · " (say("not as pinned", "inne niż przypięte")) ": " b { (otherwise) }
                }
                table {
                    thead { tr {
                        th { (say("Place", "Miejsce")) }
                        th { (say("Print", "Druk")) }
                        th { (say("Clauses", "Klauzule")) }
                    } }
                    tbody {
                        @for sentence in all { (row(sentence, package, labels)) }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn row(sentence: &Beside, package: &Package, labels: Labels) -> Markup {
    let say = |english, polish| labels.say(english, polish);
    let is_bad = sentence.said.is_empty() || sentence.as_pinned == Some(false);
    html! {
        tr.bad[is_bad] id=(sentence.place) {
            td.place { (sentence.place) }
            td lang="" {
                @match &sentence.text {
                    Some(text) => (text),
                    None => em { (say("not in this text", "nie ma w tym tekście")) },
                }
                @if sentence.as_pinned == Some(false) && sentence.text.is_some() {
                    p.flag { (say("not what was pinned", "nie to, co przypięto")) }
                }
            }
            td {
                @if sentence.said.is_empty() {
                    p.flag { (say("nothing says what becomes of it", "nic nie mówi, co się z tym dzieje")) }
                }
                @for said in &sentence.said { (tie(said, package, labels)) }
            }
        }
    }
}

fn tie(said: &Said, package: &Package, labels: Labels) -> Markup {
    html! {
        @if let Some(why) = &said.why_none {
            p.none { (labels.say("no clause:", "żadna klauzula:")) " " (why) }
        }
        @for tied in &said.clauses {
            p {
                @if let Some(clause) = package.rulebook.clause(&tied.id) {
                    (clause.text.get(labels.0))
                }
                " " code { "@" (tied.id) }
                @if let Some(standing) = tied.standing {
                    " " small.standing { (labels.standing(standing, &[])) }
                }
            }
        }
    }
}
