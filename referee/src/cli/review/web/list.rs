//! The list: what is open, what was accepted by whom, by chapter and kind.

use interpreter::package::{Language, Part, Reviewed, Text};
use maud::{Markup, html};

use super::looked::{Found, Looked, Name};
use super::view::{View, show_name};
use super::words::{KINDS, called, kind, kind_of, standing};
use crate::cli::review::asked::{Through, Which};

/// What the list shows.
pub fn list(looked: &Looked, args: &Through, view: &View) -> Markup {
    let meant = looked.meant(args);
    let shown: Vec<Found<'_>> = meant
        .iter()
        .copied()
        .filter(|found| view.is_shown(found))
        .collect();
    let chosen = meant.iter().filter(|found| view.is_chosen(found));
    let open = chosen.clone().filter(|found| found.stands().is_open());
    let (open, all) = (open.count(), chosen.count());
    let first = shown.iter().find(|found| found.stands().is_open());
    html! {
        h1 { (view.say("What is to be accepted", "Do zaakceptowania")) }
        (choice(&meant, view))
        p.sum role="status" {
            (view.say("open", "otwarte")) ": " b { (open) }
            " · " (view.say("accepted", "zaakceptowane")) ": " b { (all - open) }
            @if let Some(first) = first {
                " " a.go rel="next" href=(view.thing(&Name::of(first), &[])) {
                    (view.say("Begin with the first that is open", "Zacznij od pierwszej otwartej pozycji"))
                }
            }
        }
        @if shown.is_empty() {
            p.empty {
                @match (open, all, view.show) {
                    (_, 0, _) => (view.say("There is nothing of this kind in this chapter.", "W tym rozdziale nie ma niczego takiego.")),
                    (0, _, Which::Open) => (view.say("Nothing is open here.", "Nic tu nie jest otwarte.")),
                    _ => (view.say("Nobody has accepted anything here yet.", "Nikt tu jeszcze niczego nie zaakceptował.")),
                }
            }
        }
        @for group in shown.chunk_by(|a, b| heading(a, view) == heading(b, view)) {
            @if let Some(first) = group.first() {
                section {
                    h2 { (heading(first, view)) }
                    ul.things { @for found in group { (entry(looked, found, view)) } }
                }
            }
        }
    }
}

/// What things stand under: their chapter, and the module if there are several folders.
fn heading(found: &Found<'_>, view: &View) -> String {
    let own = match &found.thing.what {
        Reviewed::Clause(_) => match found.thing.chapters.first() {
            Some((_, titles)) => titles.get(view.labels.0).to_owned(),
            None => view.say("Clauses", "Klauzule").to_owned(),
        },
        Reviewed::Paragraph(_) => view
            .say("Paragraphs of the print", "Akapity druku")
            .to_owned(),
        Reviewed::Unclaimed(_) => view
            .say("What no clause claims", "Bez żadnej klauzuli")
            .to_owned(),
    };
    match found.module() {
        "" => own,
        module => format!("{module} · {own}"),
    }
}

fn entry(looked: &Looked, found: &Found<'_>, view: &View) -> Markup {
    let (class, sign, words) = standing(view.labels, found);
    let of_kind = kind_of(found.thing);
    html! {
        li class=(class) {
            span.sign aria-hidden="true" { (sign) }
            div {
                p {
                    a href=(view.thing(&Name::of(found), &[])) { (called(view.labels, &found.thing.what)) }
                    @if !matches!(of_kind, "rule" | "paragraph" | "unclaimed") {
                        " " span.kind { (kind(view.labels, of_kind)) }
                    }
                    " " span.standing { (words) }
                    @if looked.disproving(found.thing).is_some() {
                        " " span.fails { (view.say("a scenario fails", "scenariusz nie przechodzi")) }
                    }
                }
                p.said { (said(found, view)) }
            }
        }
    }
}

/// What it is about, in a line.
fn said(found: &Found<'_>, view: &View) -> String {
    let thing = found.thing;
    let part = |part| thing.parts.get(&part).map_or(&[][..], Vec::as_slice);
    match &thing.what {
        Reviewed::Clause(_) => {
            let own = match view.labels.0 {
                Language::English => Part::English,
                Language::Polish => Part::Polish,
            };
            part(own).join(" ")
        }
        Reviewed::Paragraph(_) => {
            let tie = part(Part::Print).iter();
            let tie = tie.filter(|line| !line.starts_with("sentence "));
            tie.map(|line| match line.strip_prefix("no clause: ") {
                Some(why) => format!("{}: {why}", view.say("no clause", "żadna klauzula")),
                None => line.clone(),
            })
            .collect::<Vec<_>>()
            .join(", ")
        }
        Reviewed::Unclaimed(_) => {
            let count = part(Part::Rules).len() + part(Part::Figures).len();
            format!("{}: {count}", view.say("lines", "wiersze"))
        }
    }
}

/// What can be chosen to be shown.
fn choice(meant: &[Found<'_>], view: &View) -> Markup {
    let mut chapters: Vec<&(String, Text)> = Vec::new();
    for chapter in meant.iter().flat_map(|found| &found.thing.chapters) {
        if chapters.iter().all(|(id, _)| *id != chapter.0) {
            chapters.push(chapter);
        }
    }
    let is_there = |one: &&&str| meant.iter().any(|found| kind_of(found.thing) == **one);
    let shows = [Which::Open, Which::Accepted, Which::All].map(|show| {
        let words = match show {
            Which::Open => view.say("open", "otwarte"),
            Which::Accepted => view.say("accepted", "zaakceptowane"),
            Which::All => view.say("all", "wszystko"),
        };
        (show, words)
    });
    html! {
        form.choice method="get" action="./" {
            label { (view.say("Show", "Pokaż"))
                select name="show" { @for (show, words) in shows {
                    option value=(show_name(show)) selected[show == view.show] { (words) }
                } }
            }
            label { (view.say("Chapter", "Rozdział"))
                select name="chapter" {
                    option value="" { (view.say("all", "wszystkie")) }
                    @for (id, titles) in chapters {
                        option value=(id) selected[*id == view.chapter] { (titles.get(view.labels.0)) }
                    }
                }
            }
            label { (view.say("Kind", "Rodzaj"))
                select name="kind" {
                    option value="" { (view.say("all", "wszystkie")) }
                    @for one in KINDS.iter().filter(is_there) {
                        option value=(one) selected[*one == view.kind] { (kind(view.labels, one)) }
                    }
                }
            }
            button { (view.say("Choose", "Wybierz")) }
        }
    }
}
