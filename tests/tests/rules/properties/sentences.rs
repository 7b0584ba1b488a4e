//! What people are told of moves, events and refusals: no number of a row, no hole that nobody filled, no name of one letter
//! that only the rules know.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::{Language, Sentence};
use interpreter::play::{Audience, ClosedMove, Compared, Event, Match, Seat, Subject, Value};
use interpreter::program::model::Model;
use interpreter::program::tree::Ty;
use referee::words::{Words, phrases};
use referee_tests::games::{all_games, puerto_rico, rivals, san_juan, shipped, walk};

/// The shipped rulesets, all of whose things have names.
fn titles() -> Vec<(String, Arc<Ruleset>)> {
    let invented = ["night-market", "tea-house", "sealed-letters"];
    let mut all = all_games();
    all.retain(|(name, _)| !invented.iter().any(|of| name.starts_with(of)));
    assert!(all.len() > 9, "{}", all.len());
    all
}

/// Positions are looked at in steps of this.
const EACH: usize = 29;

/// The closed moves of a question that are looked at.
const CLOSED: usize = 20;

fn closed(game: &Match, seat: Seat) -> Vec<ClosedMove> {
    let question = game.question(seat).expect("whoever waits is asked");
    let model = game.ruleset().model();
    let ask = model.asks.iter().find(|ask| ask.step == question.step);
    let moves = &ask.expect("the question is one of the rules").moves;
    let mut all = Vec::new();
    for mv in moves {
        let page = game.closed_moves(seat, &model.moves[*mv].name, &[], 0, CLOSED);
        all.extend(page.expect("a move of the question").moves);
    }
    all
}

/// Whether a value can be one of a type: a row of a table is no number.
fn is_of(value: &Value, ty: &Ty, model: &Model) -> bool {
    match (ty, value) {
        (Ty::Option(_), Value::None) => true,
        (Ty::Option(inner), value) => is_of(value, inner, model),
        (Ty::Row(table), Value::Row { table: of, .. }) => model.tables[*table].name == *of,
        (Ty::Player, Value::Player(_)) | (Ty::Bool, Value::Bool(_)) | (Ty::Int, Value::Int(_)) => {
            true
        }
        // None of a query that found nothing.
        (Ty::Row(_) | Ty::Player, Value::None) => true,
        (Ty::Row(_) | Ty::Player | Ty::Bool | Ty::Int, _) => false,
        _ => true,
    }
}

/// Whether something that was compared is what its declaration says.
fn is_typed(compared: &Compared, game: &Match, closed: &ClosedMove) -> bool {
    let model = game.ruleset().model();
    let value = &compared.value;
    match &compared.subject {
        Subject::Name(name) => {
            let given = closed.fixed.iter().find(|(param, _)| param == name);
            given.is_none_or(|(_, given)| value == given)
        }
        Subject::Query { query, args } => {
            let declared = model.queries.get(&**query);
            declared.is_none_or(|declared| {
                let params = declared.params.iter().zip(args);
                let mut params = params.filter(|_| declared.params.len() == args.len());
                is_of(value, &declared.ty, model) && params.all(|(ty, arg)| is_of(arg, ty, model))
            })
        }
        Subject::Pieces(..) => matches!(value, Value::Int(_)),
        Subject::Site(place) => {
            let marker = model
                .markers
                .iter()
                .find(|marker| marker.name == place.name);
            marker.is_none_or(|marker| is_of(value, &marker.ty, model))
        }
        Subject::Cell { column, row } => {
            let of = |table| model.tables[table].name == row.table;
            let columns = &model.columns;
            let found = columns.iter().find(|c| c.name == *column && of(c.table));
            found.is_none_or(|column| is_of(value, &column.ty, model))
        }
        Subject::Number | Subject::Aggregate(_) => matches!(value, Value::Int(_)),
        Subject::Operation { sides, .. } => sides.iter().all(|side| is_typed(side, game, closed)),
        Subject::Expression => true,
    }
}

/// What a refusal tells of twice, with one value or several.
fn told_twice(closed: &ClosedMove) -> Vec<&str> {
    let values = closed.refusal.values.iter();
    let all: Vec<&str> = values.map(|compared| &*compared.expression).collect();
    let again = |(at, expression): &(usize, &&str)| all[..*at].contains(expression);
    let twice = all.iter().enumerate().filter(again);
    twice.map(|(_, expression)| *expression).collect()
}

/// What is wrong with a text for people, if anything is.
pub(super) fn fault(text: &str) -> Option<&'static str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    if text.contains(['{', '}', '[', ']']) {
        return Some("a hole that nobody filled");
    }
    if words.any(|word| word.contains('_')) {
        return Some("a name that only the rules know");
    }
    // Polish has words of one letter, and English has two and the end of a genitive.
    let text = text.replace("'s", "").replace("’s", "");
    let single = |word: &str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let known = |word: &str| "aiouwzAIOUWZ".contains(word);
    words
        .any(|word| single(word) && !known(word))
        .then_some("a name of one letter")
}

#[test]
fn nothing_that_people_are_told_has_a_raw_index_or_a_hole() {
    let (mut refusals, mut limits) = (0, 0);
    for (name, ruleset) in titles() {
        let mut n = 0;
        let mut faults = BTreeSet::new();
        let mut told = 0;
        walk(&ruleset, 2, false, |game| {
            n += 1;
            if n % EACH != 0 {
                return;
            }
            for language in [Language::English, Language::Polish] {
                let words = Words::new(game.ruleset().package(), language);
                for seat in game.waiting() {
                    let question = game.question(seat).expect("it waits");
                    for offer in question.offers.iter().take(CLOSED) {
                        let open: Vec<&str> = offer.open.iter().map(|open| &*open.name).collect();
                        let text = words.offered(&question.step, &offer.name, &offer.fixed, &open);
                        told += 1;
                        faults.extend(fault(&text).map(|fault| format!("{fault}: {text}")));
                    }
                    for closed in closed(game, seat) {
                        let twice = told_twice(&closed);
                        faults.extend(twice.iter().map(|twice| format!("told twice: {twice}")));
                        for compared in &closed.refusal.values {
                            refusals += 1;
                            if !is_typed(compared, game, &closed) {
                                faults.insert(format!("a raw value: {compared:?}"));
                            }
                            if let Some(label) = words.subject(compared) {
                                faults
                                    .extend(fault(&label).map(|fault| format!("{fault}: {label}")));
                            }
                        }
                        let limit = closed.refusal.limit.as_ref();
                        for text in reasons(&words, &closed) {
                            faults.extend(fault(&text).map(|fault| format!("{fault}: {text}")));
                        }
                        limits += usize::from(limit.is_some());
                    }
                }
            }
        });
        println!("{name}: {told} offers");
        let faults: Vec<String> = faults.into_iter().take(12).collect();
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
        assert!(told > 10, "{name}: {told}");
    }
    assert!(refusals > 500, "{refusals}");
    assert!(limits > 100, "{limits}");
}

#[test]
fn whatever_happens_in_a_game_is_told_without_raw_names() {
    for (name, ruleset) in titles() {
        let mut faults = BTreeSet::new();
        let mut last = None;
        walk(&ruleset, 1, false, |game| last = Some(game.clone()));
        let game = last.expect("a game");
        for language in [Language::English, Language::Polish] {
            let words = Words::new(game.ruleset().package(), language);
            let events = game.events(Audience::Referee, 0);
            for (at, event) in events.iter().enumerate() {
                let text = match event {
                    Event::PhaseBegan { phase, args } => words.begun(words.phase(phase), args),
                    Event::Moved { seat, step, mv, .. } => words.moved(&[*seat], step, mv, false),
                    Event::Pieces { .. } => words.pieces(&events[at..]).1,
                    event => words.followed(event).unwrap_or_default(),
                };
                faults.extend(fault(&text).map(|fault| format!("{fault}: {text}")));
            }
        }
        let faults: Vec<String> = faults.into_iter().take(12).collect();
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
    }
}

#[test]
fn every_phrase_is_a_sentence() {
    for (id, text) in phrases() {
        for text in [&text.en, &text.pl] {
            assert!(Sentence::parse(text).is_ok(), "{id}: {text}");
        }
    }
}

/// Why a move is not legal, as people read it beside the clause.
fn reasons(words: &Words<'_>, closed: &ClosedMove) -> Vec<String> {
    let refusal = &closed.refusal;
    let limit = refusal.limit.iter().map(|limit| words.limit(limit));
    let values = refusal
        .values
        .iter()
        .filter_map(|value| words.reading(value));
    limit.chain(values).collect()
}

/// The refusals of a game that are read.
const FIRST: usize = 14;

/// The first refusals of a game, each reason of a move once, in both languages.
fn first_refusals(ruleset: &Arc<Ruleset>) -> String {
    let mut known = BTreeSet::new();
    let mut told = String::new();
    walk(ruleset, 1, false, |game| {
        if known.len() >= FIRST {
            return;
        }
        for seat in game.waiting() {
            let question = game.question(seat).expect("it waits");
            for closed in closed(game, seat) {
                let refusal = &closed.refusal;
                let condition = refusal.condition.clone().unwrap_or_default();
                if known.len() >= FIRST
                    || refusal.values.is_empty()
                    || !known.insert(condition.clone())
                {
                    continue;
                }
                let _ = writeln!(told, "{}: {condition}", question.step);
                for language in [Language::English, Language::Polish] {
                    let words = Words::new(game.ruleset().package(), language);
                    let _ = writeln!(told, "  {}", reasons(&words, &closed).join("; "));
                }
            }
        }
    });
    told
}

#[test]
fn refusals_read_like_this() {
    insta::assert_snapshot!("refusals_puerto_rico", first_refusals(&puerto_rico(3)));
    insta::assert_snapshot!("refusals_san_juan", first_refusals(&san_juan(3)));
    insta::assert_snapshot!("refusals_catan_rivals", first_refusals(&rivals(&[])));
    insta::assert_snapshot!("refusals_genoa", first_refusals(&shipped("genoa", 3, &[])));
}
