//! Tests of the module `cli::play`.

use interpreter::play::{Audience, Match, Seat, Seed, Value};
use referee::cli::out::Out;
use referee::cli::play::choices::Choices;
use referee::cli::play::session::Session;
use referee::cli::play::{Host, Typed, reasons, understood};
use referee::players::Random;
use referee::report::words::Words;

/// Everything that a seat reads of a game while it is asked, and why moves of every name do not go.
fn screen(game: &Match, seat: Seat) -> String {
    let ruleset = game.ruleset().clone();
    let session = Session::of(game.clone(), vec![seat]);
    let words = Words::new(ruleset.package(), interpreter::package::Language::English);
    let mut host = Host::new(session, words, None);
    let (mut data, mut notes) = (Vec::new(), Vec::new());
    let mut out = Out::plain(&mut data, &mut notes);
    let choices = Choices::new(game, seat);
    let drawn = host.tell(Some(seat), &mut out);
    let drawn = drawn.and_then(|()| host.draw(seat, &mut out));
    let drawn = drawn.and_then(|()| host.moves(&choices, &mut out));
    let drawn = drawn.and_then(|()| host.past(seat, &mut out));
    assert!(drawn.is_ok(), "memory takes everything");
    let mut text = String::from_utf8(data).unwrap();
    for mv in &ruleset.model().moves {
        let why = reasons::why_not(game, seat, &choices, &words, &mv.name);
        text += &format!("{}: {}\n", mv.name, why.join("\n"));
    }
    text
}

#[test]
fn what_stands_on_the_screen_is_the_same_whatever_is_hidden() {
    screens_show_nothing_hidden(|id| id == "san-juan");
}

#[test]
#[ignore = "slow"]
fn what_stands_on_the_screen_of_every_title_is_the_same_whatever_is_hidden() {
    screens_show_nothing_hidden(|_| true);
}

/// Compares the screens of a game of some titles when everything that a seat does not see is different.
fn screens_show_nothing_hidden(is_tried: fn(&str) -> bool) {
    let library = referee_tests::library();
    for edition in library.iter().filter(|edition| is_tried(&edition.id)) {
        let configuration = interpreter::package::Configuration::base(edition.players.0.max(2));
        let ruleset = library.compile(edition, &configuration).unwrap();
        let mut random = Random::new(7, 0);
        let mut game = Match::new(ruleset, Seed::from_number(5), false).unwrap();
        let (mut compared, mut planted, mut found) = (0, 0, 0);
        for number in 0..120 {
            let Some(seat) = game.waiting().first().copied() else {
                break;
            };
            // Where an offer stands, everybody knows that it can be paid: another deal need not be possible.
            let kept = game.view(Audience::Referee).kept;
            let mut kept = kept.iter().filter_map(|(_, value)| value.as_ref());
            let offered = kept.any(|value| matches!(value, Value::Record { .. }));
            if number % 12 == 0 && !offered {
                let shown = screen(&game, seat);
                let mut other = |audience| {
                    let other = game.with_other_secrets(audience, &mut || random.word());
                    (other.state_hash() != game.state_hash()).then_some(other)
                };
                if let Some(other) = other(Audience::Seat(seat)) {
                    let theirs = screen(&other, seat);
                    for (ours, theirs) in shown.lines().zip(theirs.lines()) {
                        assert_eq!(ours, theirs, "{} {number}", edition.id);
                    }
                    assert_eq!(shown.len(), theirs.len(), "{} {number}", edition.id);
                    compared += 1;
                }
                // Planted: other secrets of which this seat sees some.
                if let Some(other) = other(Audience::Spectator) {
                    planted += 1;
                    found += usize::from(shown != screen(&other, seat));
                }
            }
            let mv = game.sample(seat, &mut || random.word()).unwrap();
            game.apply(seat, &mv).unwrap();
        }
        assert!(compared > 3, "{}: {compared} screens", edition.id);
        assert!(
            planted == 0 || found > 0,
            "{}: {planted} planted",
            edition.id
        );
    }
}

#[test]
fn both_languages_are_understood() {
    assert!(matches!(understood(" cofnij "), Typed::Undo));
    assert!(
        matches!(understood("why not build wharf"), Typed::WhyNot(text) if text == "build wharf")
    );
    assert!(matches!(understood("Czemu nie 3"), Typed::WhyNot(text) if text == "3"));
    assert!(matches!(understood("@captain.load"), Typed::Clause(text) if text == "captain.load"));
    assert!(matches!(understood("saved 2"), Typed::Move(text) if text == "saved 2"));
    assert!(matches!(understood("save ż.yaml"), Typed::Save(text) if text == "ż.yaml"));
}
