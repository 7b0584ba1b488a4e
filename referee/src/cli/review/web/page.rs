//! What every page has around what it shows: its head, who it is about, and what was said of the last thing done.

use maud::{DOCTYPE, Markup, html};

use super::view::View;
use super::words::other;

/// A page: what is on it is put into its frame.
pub struct Page<'p> {
    /// What it shows, in its language.
    pub view: &'p View,
    /// What the window is called.
    pub title: &'p str,
    /// What is reviewed, as it was named.
    pub called: &'p str,
    /// How many are open of how many; none if that cannot be told.
    pub count: Option<(usize, usize)>,
    /// The address of the same page in the other language, from beside it.
    pub same: &'p str,
    /// Whether nothing can be asked any more.
    pub is_last: bool,
    /// What is on it.
    pub main: Markup,
}

impl Page<'_> {
    /// As it is sent.
    pub fn html(&self) -> String {
        let view = self.view;
        let other = other(view.labels);
        let page = html! {
            (DOCTYPE)
            html lang=(view.labels.code()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " – " (self.called) }
                    link rel="stylesheet" href="../review.css";
                    link rel="icon" href="data:,";
                    script src="../review.js" defer {}
                }
                body {
                    a.skip href="#main" { (view.say("To the content", "Do treści")) }
                    header {
                        p.of {
                            @match self.is_last {
                                true => b { (view.say("Review", "Przegląd")) },
                                false => a href=(view.list()) { (view.say("Review", "Przegląd")) },
                            }
                            " " span { (self.called) }
                        }
                        @if let Some((open, all)) = self.count {
                            p.count {
                                (view.say("open", "otwarte")) ": " b { (open) } " / " (all)
                                " " progress max=(all.max(1)) value=(all - open) aria-label=(view.say("accepted", "zaakceptowane")) {}
                            }
                        }
                        @if !self.is_last {
                            nav.tongue aria-label=(view.say("Language", "Język")) {
                                a href={ "../" (other.code()) "/" (self.same) } lang=(other.code()) hreflang=(other.code()) {
                                    (other.say("English", "Polski"))
                                }
                            }
                            form.done method="post" action="done" {
                                button { (view.say("Done", "Koniec")) }
                            }
                        }
                    }
                    main id="main" tabindex="-1" { (self.main) }
                    @if !self.is_last {
                        footer {
                            (view.say("Keys:", "Klawisze:"))
                            " " kbd { "j" } " " kbd { "k" } " " (view.say("next, previous", "następna, poprzednia pozycja"))
                            " · " kbd { "a" } " " (view.say("to the acceptance, then Enter", "do akceptacji, potem Enter"))
                            " · " kbd { "c" } " " (view.say("comment", "komentarz"))
                            " · " kbd { "l" } " " (view.say("list", "lista"))
                        }
                    }
                }
            }
        };
        page.into_string()
    }
}

/// Something that has to be read before anything else.
pub fn alert(text: &Markup) -> Markup {
    html! { div.alert role="alert" { (text) } }
}

/// A comment that could not be kept, so that nobody writes it twice.
pub fn kept(view: &View, comment: &str) -> Markup {
    html! {
        @if !comment.trim().is_empty() {
            p { label for="kept" { (view.say("Your comment, not written yet:", "Komentarz, jeszcze nie zapisany:")) } }
            textarea id="kept" rows="3" readonly { (comment) }
        }
    }
}
