use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::{Audience, Game, Seed};
use interpreter::program::value::Seat;

const RULESET: &str = "\
id: cards
version: '1'
language: 1
titles: {en: Cards, pl: Karty}
players: {from: 2, to: 2}
files: {components: [cards.yaml], rules: [cards.rules], setup: setup.yaml}
";
const CARDS: &str = "\
table: card
plural: cards
names: {en: card, pl: karta}
columns: {copies: int}
rows:
  red: {names: {en: red, pl: czerwona}, copies: 6}
  blue: {names: {en: blue, pl: niebieska}, copies: 6}
";
const RULES: &str = "\
place deck: pile of card  face down  starts each c with copies(c)
place hand(p: player): card  seen by p
place shelf(p: player): card  face down, counted by p  room 4
counter coins(p: player)  counted by p
marker favourite(p: player): option card  seen by p
phase game
  step deal
    do {
      shuffle(deck);
      for p in players {
        draw(3, deck, hand(p));
        draw(2, deck, shelf(p));
        gain(coins(p), 5);
      }
    }
  step turns: repeat until the game ends
    ask first_player
      move stop
        do { finish(stopped); }
      move draw_one
        needs size(deck) > 0
        do { draw(1, deck, hand(first_player)); }
ending stopped
score cards for p: size(hand(p))
winner p with most score(p)
";

fn game(seed: u64) -> Game {
    let files = [
        ("ruleset.yaml", RULESET),
        ("cards.yaml", CARDS),
        ("cards.rules", RULES),
        ("setup.yaml", "figures: {}\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let texts = PackageTexts::new("", files.to_vec());
    let ruleset = Ruleset::compile(&texts, &[], &Configuration::base(2))
        .map_err(|r| r.diagnostics.render(&r.sources, Style::Plain))
        .expect("it compiles");
    let mut game = Game::new(ruleset, Seed::from_number(seed), false, false);
    game.start().expect("no fault");
    game
}

/// Numbers that are well mixed, and the same ones again.
fn numbers() -> impl FnMut() -> u64 {
    let mut n = 0u64;
    move || {
        n += 1;
        let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (word ^ word >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

#[test]
fn what_is_imagined_depends_on_what_is_seen_and_on_nothing_else() {
    let see = Audience::Seat(Seat(0));
    let mut same = 0;
    for seed in 0..40 {
        let (here, there) = (game(0), game(seed));
        let [a, b] = [&here, &there].map(|game| game.imagined(0, &mut numbers()));
        let (a, b) = (a.expect("no fault"), b.expect("no fault"));
        for (real, imagined) in [(&here, &a), (&there, &b)] {
            assert_eq!(real.view(see), imagined.view(see));
            assert_ne!(real.position().seed(), imagined.position().seed());
            imagined.verify().expect("no piece is lost");
        }
        if here.view(see) == there.view(see) {
            same += 1;
            // Neither how the cards lie nor how chance goes on.
            assert_eq!(a.position(), b.position(), "seed {seed}");
        }
    }
    assert!(same > 5, "only {same} deals look the same");
}

#[test]
fn other_numbers_imagine_otherwise() {
    let game = game(0);
    let mut numbers = numbers();
    let mut hands = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let imagined = game.imagined(0, &mut numbers).expect("no fault");
        hands.insert(format!(
            "{:?}",
            imagined.view(Audience::Seat(Seat(1))).places
        ));
    }
    // Of three cards none to three are red.
    assert_eq!(hands.len(), 4, "{hands:?}");
}
