//! What is answered to whoever was let in: pages, and an acceptance that is written.
//!
//! The folder is looked at anew for every request. What is accepted is what was shown: its digest comes back with the form,
//! and where the folder has something else by then nothing is written.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use http::{Method, StatusCode};
use interpreter::package::is_name;
use maud::{Markup, html};
use tokio_util::sync::CancellationToken;

use super::form::Form;
use super::list::list;
use super::looked::{Looked, Name, Unreadable};
use super::page::{Page, alert, kept};
use super::thing::{Sheet, Typed, accepted, otherwise, unsigned};
use super::view::{View, Way, language};
use crate::cli::review::asked::{Through, Which};
use crate::cli::review::folder::accepting;
use referee_report::printed::Sentence;

/// What is answered.
pub enum Answer {
    /// A page of our own.
    Page(StatusCode, String),
    /// Another page of ours.
    Elsewhere(String),
    /// A file that pages use: of which kind, and what is in it.
    File(&'static str, &'static str),
    /// There is nothing of that name.
    Nothing,
}

/// One review, as long as it is served.
pub struct Room {
    args: Through,
    text: Vec<Sentence>,
    stop: CancellationToken,
    session: Mutex<Session>,
}

/// What has been done so far.
#[derive(Default)]
struct Session {
    looked: Option<Looked>,
    by: String,
    done: Done,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// What was accepted.
    pub accepted: BTreeSet<String>,
    /// Files of signatures beside what was written.
    pub signatures: BTreeSet<PathBuf>,
}

impl Session {
    fn look(&mut self, args: &Through) -> Result<&mut Looked, Unreadable> {
        let looked = Looked::again(self.looked.take(), args)?;
        Ok(self.looked.insert(looked))
    }
}

impl Room {
    /// A review that ends when `stop` is cancelled, by whomever.
    pub fn new(args: Through, text: Vec<Sentence>, stop: CancellationToken) -> Room {
        Room {
            args,
            text,
            stop,
            session: Mutex::default(),
        }
    }

    /// What came of it, and how much is still open.
    ///
    /// # Errors
    ///
    /// When that cannot be told, as the rules have mistakes now.
    pub fn end(&self) -> (Done, Result<usize, Unreadable>) {
        let mut session = self.session();
        let open = session
            .look(&self.args)
            .map(|looked| looked.open(&self.args));
        (session.done.clone(), open)
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a request for what stands behind the secret.
    pub fn answer(&self, request: &Parts, path: &str, body: &str) -> Answer {
        let is_sent = request.method == Method::POST;
        let form = match is_sent {
            true => Form::read(body),
            false => Form::read(request.uri.query().unwrap_or_default()),
        };
        let (code, rest) = match path.split_once('/') {
            Some((code, rest)) => (code, rest),
            None if is_sent => return Answer::Nothing,
            None => {
                return match path {
                    "" => begin(request),
                    "review.css" => {
                        Answer::File("text/css; charset=utf-8", include_str!("review.css"))
                    }
                    "review.js" => {
                        Answer::File("text/javascript; charset=utf-8", include_str!("review.js"))
                    }
                    _ => Answer::Nothing,
                };
            }
        };
        let Some(labels) = language(code) else {
            return Answer::Nothing;
        };
        let view = View::read(labels, &form);
        match (is_sent, rest) {
            (false, "") => self.list(&view, &form),
            (false, "thing") => self.thing(&view, &form),
            (true, "accept") => self.accept(&view, &form),
            (true, "done") => self.done(&view),
            // Whoever reloads what a form has answered.
            (false, "accept" | "done") => Answer::Elsewhere(view.list()),
            _ => Answer::Nothing,
        }
    }

    fn page(
        &self,
        view: &View,
        (title, same): (&str, &str),
        looked: Option<&Looked>,
        main: Markup,
    ) -> String {
        let count = looked.map(|looked| (looked.open(&self.args), looked.meant(&self.args).len()));
        let page = Page {
            view,
            title,
            called: &self.args.ruleset.ruleset,
            count,
            same,
            is_last: self.stop.is_cancelled(),
            main,
        };
        page.html()
    }

    fn list(&self, view: &View, form: &Form) -> Answer {
        let mut session = self.session();
        let looked = match session.look(&self.args) {
            Ok(looked) => looked,
            Err(unreadable) => return self.unreadable(view, &unreadable, ""),
        };
        let main = html! {
            (self.done_last(view, form, looked))
            (list(looked, &self.args, view))
        };
        let title = view.say("Review", "Przegląd");
        let page = self.page(view, (title, &view.list()), Some(looked), main);
        Answer::Page(StatusCode::OK, page)
    }

    /// What was accepted before this page.
    fn done_last(&self, view: &View, form: &Form, looked: &Looked) -> Markup {
        let Some(name) = Name::read(form.get("after")) else {
            return html! {};
        };
        let Some(found) = looked.find(&name).filter(|found| !found.stands().is_open()) else {
            return html! {};
        };
        html! {
            (accepted(view, &found))
            (unsigned(view, &found))
        }
    }

    fn thing(&self, view: &View, form: &Form) -> Answer {
        let mut session = self.session();
        let by = session.by.clone();
        let looked = match session.look(&self.args) {
            Ok(looked) => looked,
            Err(unreadable) => return self.unreadable(view, &unreadable, ""),
        };
        let typed = Typed {
            by: &by,
            ..Typed::default()
        };
        self.sheet(view, looked, form, &typed, StatusCode::OK)
    }

    /// The page of a thing.
    fn sheet(
        &self,
        view: &View,
        looked: &Looked,
        form: &Form,
        typed: &Typed<'_>,
        status: StatusCode,
    ) -> Answer {
        let name = name(form);
        let Some(found) = looked.find(&name) else {
            return self.gone(view, looked, &name, typed.comment);
        };
        let sheet = Sheet {
            view,
            looked,
            found,
            way: Way::of(looked, &self.args, view, &name),
            text: &self.text,
            by: self.args.by.as_deref(),
        };
        let main = html! {
            (self.done_last(view, form, looked))
            (sheet.html(typed))
        };
        let title = match status {
            StatusCode::OK => sheet.title(),
            _ => format!(
                "{}: {}",
                view.say("Not accepted", "Nie zaakceptowano"),
                sheet.title()
            ),
        };
        let same = view.thing(&name, &[]);
        Answer::Page(status, self.page(view, (&title, &same), Some(looked), main))
    }

    fn gone(&self, view: &View, looked: &Looked, name: &Name, comment: &str) -> Answer {
        let title = view.say("There is no such thing", "Nie ma tego");
        let main = html! {
            (alert(&html! {
                p {
                    b { (name.name) } ": "
                    (view.say(
                        "there is no such thing to accept, or no longer.",
                        "nie ma czegoś takiego do zaakceptowania albo już nie ma.",
                    ))
                }
            }))
            (kept(view, comment))
            p { a href=(view.list()) { (view.say("To the list", "Do listy")) } }
        };
        let page = self.page(view, (title, &view.list()), Some(looked), main);
        Answer::Page(StatusCode::NOT_FOUND, page)
    }

    fn unreadable(&self, view: &View, why: &Unreadable, comment: &str) -> Answer {
        let title = view.say("The rules cannot be read", "Reguł nie można odczytać");
        let main = html! {
            h1 { (title) }
            @match why {
                Unreadable::Folder(why) => { (alert(&html! { p lang="en" { (why) } })) }
                Unreadable::Mistakes(told) => {
                    (alert(&html! { p { (view.say(
                        "There are mistakes in the rules, so nobody can tell what is accepted. Mend them and load this page again.",
                        "W regułach są błędy, więc nie wiadomo, co jest zaakceptowane. Popraw je i odśwież tę stronę.",
                    )) } }))
                    pre.mistakes lang="en" tabindex="0" { (told) }
                }
            }
            (kept(view, comment))
        };
        let page = self.page(view, (title, &view.list()), None, main);
        Answer::Page(StatusCode::CONFLICT, page)
    }

    fn accept(&self, view: &View, form: &Form) -> Answer {
        let mut session = self.session();
        let by = self
            .args
            .by
            .as_deref()
            .unwrap_or_else(|| form.get("by"))
            .trim();
        let comment = form.get("comment").trim();
        if is_name(by) {
            by.clone_into(&mut session.by);
        }
        let looked = match session.look(&self.args) {
            Ok(looked) => looked,
            Err(unreadable) => return self.unreadable(view, &unreadable, comment),
        };
        let name = name(form);
        let refused = |looked: &Looked, status, why| {
            let typed = Typed {
                by,
                comment,
                refused: Some(why),
            };
            self.sheet(view, looked, form, &typed, status)
        };
        let Some(found) = looked.find(&name) else {
            return self.gone(view, looked, &name, comment);
        };
        if found.thing.digest() != form.get("digest") {
            let why = otherwise(view, &found, form.get("parts"));
            return refused(looked, StatusCode::CONFLICT, why);
        }
        if looked.disproving(found.thing).is_some() {
            let why = html! { p { (view.say("It was not accepted: a scenario of it fails.", "Nie zaakceptowano: jego scenariusz nie przechodzi.")) } };
            return refused(looked, StatusCode::CONFLICT, why);
        }
        if !is_name(by) {
            let why = html! { p { (view.say(
                "It was not accepted: say who accepts. A name under which somebody can sign is not empty and has none of the signs , * ? ! and \".",
                "Nie zaakceptowano: podaj, kto akceptuje. Imię, pod którym można podpisać, nie jest puste i nie zawiera znaków , * ? ! ani \".",
            )) } };
            return refused(looked, StatusCode::UNPROCESSABLE_ENTITY, why);
        }
        let thing = found.thing.clone();
        let said = Some(comment).filter(|comment| !comment.is_empty());
        let written = match looked.desk_of(&name) {
            Some(desk) => desk
                .accept(&thing, &accepting(by, said))
                .map(|()| desk.signatures()),
            None => Ok(None),
        };
        match written {
            Err(failure) => {
                let why = html! {
                    p { (view.say("It was not accepted, because it cannot be written:", "Nie zaakceptowano, bo nie można tego zapisać:")) }
                    p lang="en" { (failure) }
                };
                refused(looked, StatusCode::INTERNAL_SERVER_ERROR, why)
            }
            Ok(signatures) => {
                let next = self.next(view, looked, &name);
                session.done.accepted.insert(name.whole());
                session.done.signatures.extend(signatures);
                Answer::Elsewhere(next)
            }
        }
    }

    /// Where to go on after something was accepted.
    fn next(&self, view: &View, looked: &Looked, name: &Name) -> String {
        let way = Way::of(looked, &self.args, view, name);
        // Whoever begins in the middle comes back to what was left out.
        let behind = way.behind.or(match view.show {
            Which::Open => way.first,
            Which::Accepted | Which::All => None,
        });
        let after = name.whole();
        let said = [("after", after.as_str())];
        match behind {
            Some(behind) => view.thing(&behind, &said),
            None => view.list_after(&said),
        }
    }

    fn done(&self, view: &View) -> Answer {
        let mut session = self.session();
        let open = session
            .look(&self.args)
            .map(|looked| looked.open(&self.args));
        let accepted = session.done.accepted.len();
        self.stop.cancel();
        let title = view.say("The review is closed", "Przegląd zamknięty");
        let main = html! {
            h1 { (title) }
            p {
                (view.say("accepted here", "zaakceptowane tutaj")) ": " b { (accepted) }
                @if let Ok(open) = open { " · " (view.say("still open", "nadal otwarte")) ": " b { (open) } }
            }
            @if session.done.signatures.iter().any(|path| path.is_file()) {
                p.flag { (view.say(
                    "The signatures are of review.yaml as it was: whoever signed it signs again.",
                    "Podpisy są pod poprzednią treścią review.yaml: kto podpisał, podpisuje ponownie.",
                )) }
            } @else if accepted > 0 {
                p { (view.say("Sign it with", "Podpisz poleceniem")) " " code { "referee review sign" } "." }
            }
            p { (view.say("This page opens no more; it can be closed.", "Ta strona już się nie otworzy; można ją zamknąć.")) }
        };
        let page = self.page(view, (title, ""), None, main);
        Answer::Page(StatusCode::OK, page)
    }
}

fn name(form: &Form) -> Name {
    Name {
        module: form.get("of").to_owned(),
        is: form.get("is").to_owned(),
        name: form.get("name").to_owned(),
    }
}

/// The list in the language that the browser prefers.
fn begin(request: &Parts) -> Answer {
    let said = request.headers.get(http::header::ACCEPT_LANGUAGE);
    let said = said.and_then(|said| said.to_str().ok()).unwrap_or_default();
    let mut codes = said
        .split([',', ';'])
        .map(|code| code.trim().to_lowercase());
    let known = codes.find_map(|code| match code.split('-').next() {
        Some("pl") => Some("pl"),
        Some("en") => Some("en"),
        _ => None,
    });
    let inside = request.uri.path().trim_matches('/');
    Answer::Elsewhere(format!("/{inside}/{}/", known.unwrap_or("en")))
}
