//! A thing as whoever signs reads it: its words in both languages, the print, the rules, the figures and the proof; who has
//! accepted it; and the form by which it is accepted as it stands here.

use interpreter::package::{Part, Reviewed};
use maud::{Markup, html};

use super::looked::{Found, Looked, Name};
use super::page::alert;
use super::view::{View, Way};
use super::words::{called, changed, kind, kind_of, outdated, standing};
use referee_report::printed::Sentence;
use referee_report::sign_off::printed::{Place, Printed};
use referee_report::sign_off::standing::{Standing, counting};

/// What is typed into the form already, and what is said of it.
#[derive(Default)]
pub struct Typed<'t> {
    /// Who accepts.
    pub by: &'t str,
    /// What they have to say.
    pub comment: &'t str,
    /// Why it was not accepted.
    pub refused: Option<Markup>,
}

/// A thing, and what is beside it.
pub struct Sheet<'s> {
    /// What is shown.
    pub view: &'s View,
    /// Where it was found.
    pub looked: &'s Looked,
    /// The thing.
    pub found: Found<'s>,
    /// The things before and behind it.
    pub way: Way,
    /// The text of the print, if there is one.
    pub text: &'s [Sentence],
    /// Who accepts, if the command line says so.
    pub by: Option<&'s str>,
}

impl Sheet<'_> {
    /// All of it.
    pub fn html(&self, typed: &Typed<'_>) -> Markup {
        let (view, thing) = (self.view, self.found.thing);
        let (class, sign, words) = standing(view.labels, &self.found);
        let chapters: Vec<&str> = thing
            .chapters
            .iter()
            .map(|(_, titles)| titles.get(view.labels.0))
            .collect();
        html! {
            @if let Some(refused) = &typed.refused { (alert(refused)) }
            (self.way())
            article class={ "thing " (class) } {
                h1 { (called(view.labels, &thing.what)) }
                p.about {
                    span.kind { (kind(view.labels, kind_of(thing))) }
                    @if !chapters.is_empty() { " " span.chapter { (chapters.join(", ")) } }
                    @if !self.found.module().is_empty() { " " span.chapter { (self.found.module()) } }
                    " " span.standing { span aria-hidden="true" { (sign) } " " (words) }
                }
                (self.words())
                (self.print())
                (self.rules())
                (self.figures())
                (self.scenarios())
                (self.acceptances())
            }
            (self.form(typed))
        }
    }

    /// The title of the window.
    pub fn title(&self) -> String {
        called(self.view.labels, &self.found.thing.what)
    }

    fn way(&self) -> Markup {
        let (view, way) = (self.view, &self.way);
        let step = |name: &Option<Name>, rel: &str, words: &str| {
            html! {
                @match name {
                    Some(name) => a rel=(rel) href=(view.thing(name, &[])) { (words) },
                    None => span.none { (words) },
                }
            }
        };
        html! {
            nav.way aria-label=(view.say("Things", "Pozycje")) {
                (step(&way.before, "prev", view.say("← previous", "← poprzednia")))
                span {
                    @if let Some(number) = way.number {
                        (number) " / " (way.count)
                    }
                    " " a.up href=(view.list()) { (view.say("list", "lista")) }
                    @if self.looked.disproving(self.found.thing).is_none() {
                        " " a href="#accept" { (view.say("to the acceptance", "do akceptacji")) " ↓" }
                    }
                }
                (step(&way.behind, "next", view.say("next →", "następna →")))
            }
        }
    }

    fn said(&self, part: Part) -> &[String] {
        let said = self.found.thing.parts.get(&part);
        said.map_or(&[], Vec::as_slice)
    }

    /// A heading, with what has changed below it since it was accepted.
    fn heading(&self, title: &str, parts: &[Part]) -> Markup {
        let is_changed = match self.found.stands() {
            Standing::Again { changed, .. } => parts.iter().any(|part| changed.contains(part)),
            _ => false,
        };
        html! {
            h2 {
                (title)
                @if is_changed {
                    " " span.changed { (self.view.say("changed since it was accepted", "zmienione od akceptacji")) }
                }
            }
        }
    }

    fn words(&self) -> Markup {
        let thing = self.found.thing;
        let (english, polish) = (self.said(Part::English), self.said(Part::Polish));
        if english.is_empty() && polish.is_empty() {
            return html! {};
        }
        let is_paragraph = matches!(thing.what, Reviewed::Paragraph(_));
        let kinds = self.said(Part::Kind);
        let parts: &[Part] = &[Part::English, Part::Polish, Part::Kind];
        let title = match is_paragraph {
            true => self
                .view
                .say("The clauses that say it", "Klauzule, które to mówią"),
            false => self.view.say("Words", "Treść"),
        };
        html! {
            section.words {
                (self.heading(title, parts))
                @for (at, (english, polish)) in english.iter().zip(polish).enumerate() {
                    @if is_paragraph && let Some(id) = thing.clauses.get(at) {
                        p.of { (self.clause(id)) @if let Some(of_kind) = kinds.get(at) { " " span.kind { (kind(self.view.labels, of_kind)) } } }
                    }
                    div.both {
                        p lang="en" { (english) }
                        p lang="pl" { (polish) }
                    }
                }
            }
        }
    }

    /// A clause beside it, as a link where it is accepted here, too.
    fn clause(&self, id: &str) -> Markup {
        let name = Name::of(&self.found).clause(id);
        html! {
            @match self.looked.find(&name) {
                Some(_) => a href=(self.view.thing(&name, &[])) { "@" (id) },
                None => code { "@" (id) },
            }
        }
    }

    fn print(&self) -> Markup {
        let (view, thing) = (self.view, self.found.thing);
        let reasons: Vec<&str> = self
            .said(Part::Print)
            .iter()
            .filter_map(|line| line.strip_prefix("no clause: "))
            .collect();
        if thing.places.is_empty() {
            return html! {};
        }
        let is_clause = matches!(thing.what, Reviewed::Clause(_));
        html! {
            section.print {
                (self.heading(view.say("Print", "Druk"), &[Part::Print]))
                @for why in reasons {
                    p { (view.say("No clause says it:", "Nie mówi tego żadna klauzula:")) " " em { (why) } }
                }
                @for place in &thing.places {
                    div.place {
                        @let excerpts = place.excerpts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                        p.of {
                            @if is_clause { (self.paragraph(place)) " " }
                            @if !excerpts.is_empty() { code { (excerpts) } }
                        }
                        @if !self.text.is_empty() && !place.excerpts.is_empty() {
                            (self.printed(&place.printed(self.text)))
                        }
                    }
                }
                @if self.text.is_empty() {
                    p.hint { (view.say(
                        "Its words are shown here if the command is told where they are: --text rulebook.txt",
                        "Jego słowa pojawią się tutaj, jeśli polecenie dostanie ich plik: --text instrukcja.txt",
                    )) }
                }
            }
        }
    }

    fn paragraph(&self, place: &Place) -> Markup {
        let name = Name {
            is: "paragraph".to_owned(),
            name: place.at.clone(),
            ..Name::of(&self.found)
        };
        html! {
            @match self.looked.find(&name) {
                Some(_) => a href=(self.view.thing(&name, &[])) { (place.at) },
                None => (place.at),
            }
        }
    }

    fn printed(&self, said: &[Printed<'_>]) -> Markup {
        let view = self.view;
        html! {
            @if said.is_empty() {
                p.flag { (view.say("The text that was named has nothing here.", "Podany tekst nic tu nie zawiera.")) }
            }
            @if !said.is_empty() {
                blockquote lang="" {
                    @for one in said {
                        span.otherwise[!one.is_pinned] { (one.sentence.text) } " "
                    }
                }
            }
            @if said.iter().any(|one| !one.is_pinned) {
                p.flag { (view.say(
                    "What is marked is not what was pinned: another edition, or another print.",
                    "Zaznaczone nie jest tym, co przypięto: to inne wydanie albo inny druk.",
                )) }
            }
        }
    }

    fn rules(&self) -> Markup {
        let rules = &self.found.thing.rules;
        html! {
            @if !rules.is_empty() {
                section.rules {
                    (self.heading(self.view.say("Rules that carry it out", "Reguły, które to wykonują"), &[Part::Rules]))
                    @for rule in rules {
                        details open {
                            summary { code { (rule.what) } " " small { (rule.place) } }
                            pre tabindex="0" { code { (rule.code) } }
                        }
                    }
                }
            } @else if self.is_enforceable() {
                section.rules {
                    (self.heading(self.view.say("Rules that carry it out", "Reguły, które to wykonują"), &[Part::Rules]))
                    p.none { (self.view.say("No rule cites it.", "Nie odwołuje się do niej żadna reguła.")) }
                }
            }
        }
    }

    /// Whether it is a clause that something should carry out.
    fn is_enforceable(&self) -> bool {
        matches!(kind_of(self.found.thing), "rule" | "ruling" | "option")
    }

    fn figures(&self) -> Markup {
        let lines = self.said(Part::Figures);
        html! {
            @if !lines.is_empty() {
                section.figures {
                    (self.heading(self.view.say("Figures", "Liczby"), &[Part::Figures]))
                    details open {
                        summary { (self.view.say("lines", "wiersze")) ": " (lines.len()) }
                        ul lang="en" { @for line in lines { li { code { (line) } } } }
                    }
                }
            }
        }
    }

    fn scenarios(&self) -> Markup {
        let (view, thing) = (self.view, self.found.thing);
        html! {
            @if !thing.scenarios.is_empty() {
                section.scenarios {
                    (self.heading(view.say("Scenarios that prove it", "Scenariusze, które tego dowodzą"), &[Part::Scenarios]))
                    ul {
                        @for name in &thing.scenarios {
                            @match self.looked.failing.get(name) {
                                None => li { span.good { "✓ " (view.say("passes", "przechodzi")) } " " (name) },
                                Some(why) => li {
                                    span.fails { "✗ " (view.say("fails", "nie przechodzi")) } " " (name)
                                    p.why lang="en" { (why) }
                                },
                            }
                        }
                    }
                    details {
                        summary { (view.say("what they say", "co mówią")) }
                        @for text in self.said(Part::Scenarios) { pre tabindex="0" { (text) } }
                    }
                }
            }
        }
    }

    fn acceptances(&self) -> Markup {
        let own = counting(&self.found.thing.what, self.found.desk.layer.accepted());
        let view = self.view;
        html! {
            @if !own.is_empty() {
                section.accepted {
                    h2 { (view.say("Who has accepted it", "Kto to zaakceptował")) }
                    ul { @for entry in own {
                        li {
                            b { (entry.by.node) } ", " time datetime=(entry.on) { (entry.on) }
                            @if let Some(comment) = &entry.comment { ": " q lang="" { (comment) } }
                            @if let Some(what) = outdated(view.labels, entry, self.found.thing) {
                                " " span.flag { (view.say("holds no more", "już nie obowiązuje")) " – " (what) }
                            }
                        }
                    } }
                }
            }
        }
    }

    fn form(&self, typed: &Typed<'_>) -> Markup {
        let (view, thing) = (self.view, self.found.thing);
        if let Some((name, why)) = self.looked.disproving(thing) {
            return html! {
                section.accept { p.fails {
                    (view.say("Nobody can accept it while this scenario fails:", "Nie można tego zaakceptować, dopóki ten scenariusz nie przechodzi:"))
                    " " b { (name) } " – " span lang="en" { (why) }
                } }
            };
        }
        let name = Name::of(&self.found);
        let marks: Vec<String> = thing
            .marks()
            .iter()
            .map(|(part, mark)| format!("{}={mark}", part.name()))
            .collect();
        let hidden = [
            ("of", name.module.as_str()),
            ("is", &name.is),
            ("name", &name.name),
            ("digest", &thing.digest()),
            ("parts", &marks.join(" ")),
        ];
        let is_accepted = !self.found.stands().is_open();
        html! {
            form.accept method="post" action="accept" aria-label=(view.say("Acceptance", "Akceptacja")) {
                @for (name, value) in hidden.into_iter().chain(view.pairs()) {
                    input type="hidden" name=(name) value=(value);
                }
                @if is_accepted {
                    p { (view.say(
                        "It is accepted as it is. Accept it as well, or again with another comment:",
                        "To jest zaakceptowane tak, jak jest. Można zaakceptować to także we własnym imieniu albo ponownie, z innym komentarzem:",
                    )) }
                }
                @match self.by {
                    Some(by) => p.by { (view.say("You accept as", "Akceptujesz jako")) " " b { (by) } },
                    None => {
                        label for="by" { (view.say("Your name, as the file of allowed signers has it", "Twoje imię, tak jak w pliku osób uprawnionych do podpisu")) }
                        input id="by" name="by" value=(typed.by) required autocomplete="username" spellcheck="false";
                    },
                }
                label for="comment" { (view.say("Comment, if there is something to say", "Komentarz, jeśli jest coś do powiedzenia")) }
                textarea id="comment" name="comment" rows="2" maxlength="4000" { (typed.comment) }
                p.buttons {
                    button.yes id="accept" {
                        (view.say("Accept as it stands here", "Zaakceptuj tak, jak tu jest"))
                    }
                    @if let Some(behind) = &self.way.behind {
                        " " a href=(view.thing(behind, &[])) { (view.say("Skip", "Pomiń")) }
                    }
                }
            }
        }
    }
}

/// Why a thing was not accepted that has changed since it was shown: `before` are the marks of its parts as it was shown.
pub fn otherwise(view: &View, found: &Found<'_>, before: &str) -> Markup {
    let now = found.thing.marks();
    let shown: Vec<(&str, &str)> = before
        .split(' ')
        .filter_map(|mark| mark.split_once('='))
        .collect();
    let differs = |one: &Part| {
        let was = shown.iter().find(|(name, _)| *name == one.name());
        was.map(|(_, mark)| *mark) != now.get(one).map(String::as_str)
    };
    let parts = Part::ALL.iter().map(|(_, part)| *part).filter(differs);
    let parts: Vec<Part> = parts.collect();
    html! {
        p { b { (view.say("It was not accepted: it is no longer what you were shown.", "Nie zaakceptowano: to już nie jest to, co było pokazane.")) } }
        @if !parts.is_empty() { p { (changed(view.labels, &parts)) } }
        p { (view.say(
            "Below it stands as it is now, with your comment. Read it, and accept it if you still would.",
            "Poniżej jest w obecnej postaci, z Twoim komentarzem. Przeczytaj i zaakceptuj, jeśli nadal się zgadzasz.",
        )) }
    }
}

/// What was accepted last, on the page that follows.
pub fn accepted(view: &View, found: &Found<'_>) -> Markup {
    html! {
        p.done role="status" {
            "✓ " (view.say("Accepted:", "Zaakceptowano:")) " "
            a href=(view.thing(&Name::of(found), &[])) { (called(view.labels, &found.thing.what)) }
        }
    }
}

/// Signatures that hold no more.
pub fn unsigned(view: &View, found: &Found<'_>) -> Markup {
    html! {
        @if found.desk.was_signed_before() {
            p.flag {
                (view.say(
                    "The signatures are of review.yaml as it was: whoever signed it signs again.",
                    "Podpisy są pod poprzednią treścią review.yaml: kto podpisał, podpisuje ponownie.",
                ))
            }
        }
    }
}
