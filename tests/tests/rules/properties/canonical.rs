//! What a state is: everything that decides how it goes on, and nothing of how the ruleset is laid out.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::PackageTexts;
use interpreter::play::{Audience, Item, Match, Move, Seat, Seed};
use referee_tests::games::{
    EXPANSIONS, LONGEST, all_games, audiences, invented_games, nth, san_juan, shipped, some_games,
};
use referee_tests::random::Random;
use referee_tests::{mini, root, texts};

use crate::vectors::WAITING;

/// Whether two matches are the same to everybody from now on, whatever happened before.
fn alike(one: &Match, other: &Match) -> bool {
    let seats = || (0..one.ruleset().players()).map(Seat);
    let asked = |game: &Match, seat| {
        let question = game.question(seat);
        question.map(|question| (question.step, question.offers))
    };
    one.waiting() == other.waiting()
        && one.outcome() == other.outcome()
        && audiences(one.ruleset().players())
            .into_iter()
            .all(|audience| one.view(audience) == other.view(audience))
        && seats().all(|seat| asked(one, seat) == asked(other, seat))
}

/// A match that is played at random, shown before every move with the move that comes.
fn played(
    ruleset: &Arc<Ruleset>,
    seed: u64,
    ask_forced: bool,
    mut show: impl FnMut(&Match, Option<(Seat, &Move)>),
) {
    let mut random = Random::new(seed);
    let game = Match::new(ruleset.clone(), Seed::from_number(seed), ask_forced);
    let mut game = game.expect("it begins");
    for _ in 0..LONGEST {
        let Some(seat) = game.quickest(&mut || random.word()) else {
            show(&game, None);
            assert!(game.outcome().is_some(), "it ends");
            return;
        };
        let mv = game.sample(seat, &mut || random.word()).expect("a move");
        show(&game, Some((seat, &mv)));
        game.apply(seat, &mv).expect("it is legal");
    }
    panic!("it does not end");
}

#[test]
fn a_match_rebuilt_from_its_state_and_seed_goes_on_the_same_to_its_end() {
    rebuilt_matches_are_the_same(some_games());
}

#[test]
#[ignore = "slow"]
fn a_rebuilt_match_of_every_game_goes_on_the_same_to_its_end() {
    rebuilt_matches_are_the_same(all_games());
}

/// Rebuilds a match of each game from its states, and holds the copies to be the same until they are over.
fn rebuilt_matches_are_the_same(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let seed = Seed::from_number(5);
        let mut random = Random::new(11);
        let mut companions: Vec<(usize, Match)> = Vec::new();
        let mut n = 0;
        for ask_forced in [true, false] {
            companions.clear();
            played(&ruleset, 5, ask_forced, |game, next| {
                let state = game.canonical();
                let again = Match::rebuilt(ruleset.clone(), seed, &state);
                let mut again = again.unwrap_or_else(|why| panic!("{name}, move {n}: {why}"));
                again.set_ask_forced(ask_forced).expect("it goes on");
                // Whoever looks at everything takes longest.
                if n % nth(&name, 5) as usize == 0 || next.is_none() {
                    assert!(alike(game, &again), "{name}, move {n}");
                }
                for (since, companion) in &companions {
                    assert_eq!(
                        companion.state_hash(),
                        game.state_hash(),
                        "{name}, move {n}, rebuilt before move {since}"
                    );
                }
                if random.below(80) == 0 || next.is_none() {
                    companions.iter().for_each(|(since, companion)| {
                        assert!(alike(game, companion), "{name}, move {n}, since {since}");
                    });
                    companions.push((n, again));
                }
                if let Some((seat, mv)) = next {
                    for (since, companion) in &mut companions {
                        let made = companion.apply(seat, mv);
                        made.unwrap_or_else(|why| panic!("{name}, {n}, {since}: {why:?}"));
                    }
                }
                n += 1;
            });
        }
    }
}

/// A property that cannot fail proves nothing: here something leaks that is remembered and decides nothing.
#[test]
fn a_hidden_counter_that_leaks_into_the_hash_is_noticed() {
    let whole = |game: &Match| game.state_hash().0.to_vec();
    let leaking = |game: &Match| [whole(game), vec![game.moves().len() as u8]].concat();
    for (name, ruleset) in invented_games() {
        for (leaks, hash) in [
            (false, &whole as &dyn Fn(&Match) -> Vec<u8>),
            (true, &leaking),
        ] {
            let mut noticed = false;
            played(&ruleset, 5, true, |game, _| {
                let seed = Seed::from_number(5);
                let again = Match::rebuilt(ruleset.clone(), seed, &game.canonical());
                noticed |= hash(&again.expect("it is a state")) != hash(game);
            });
            assert_eq!(noticed, leaks, "{name}");
        }
    }
}

#[test]
fn what_is_remembered_of_a_state_changes_no_hash() {
    for (name, ruleset) in all_games() {
        let mut kept = None;
        let mut random = Random::new(23);
        let mut n = 0;
        played(&ruleset, 23, false, |game, next| {
            let kept = kept.get_or_insert_with(|| game.clone());
            let hash = game.state_hash();
            // Of the state before or of an older one, in the match itself and in a copy that goes another way.
            assert_eq!(kept.state_hash(), hash, "{name}, move {n}");
            assert_eq!(kept.clone().next_state_hash(), hash, "{name}, move {n}");
            if random.below(3) > 0 {
                assert_eq!(kept.next_state_hash(), hash, "{name}, move {n}");
            }
            if let Some((seat, mv)) = next {
                if random.below(20) == 0 {
                    let other = |game: &Match| {
                        let mut random = Random::new(n);
                        let audience = Audience::Seat(seat);
                        game.with_other_secrets(audience, &mut || random.word())
                    };
                    assert_eq!(other(kept).state_hash(), other(game).state_hash(), "{name}");
                }
                kept.apply(seat, mv).expect("it is legal there, too");
            }
            n += 1;
        });
    }
}

#[test]
fn states_do_not_hang_on_layout_or_on_numbers_of_nodes() {
    states_are_the_same_in_other_layouts(some_games());
}

#[test]
#[ignore = "slow"]
fn states_of_every_game_do_not_depend_on_layout() {
    states_are_the_same_in_other_layouts(all_games());
}

/// Plays a match of each game beside the same match in another layout.
fn states_are_the_same_in_other_layouts(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let mut cells = false;
        for number in 1..=2 {
            let otherwise = ruleset.laid_out_otherwise(number);
            let mut beside = None;
            played(&ruleset, number, false, |game, next| {
                let seed = Seed::from_number(number);
                let beside = beside.get_or_insert_with(|| {
                    Match::new(otherwise.clone(), seed, false).expect("it begins")
                });
                assert_eq!(game.state_hash(), beside.state_hash(), "{name}");
                cells |= game.cells_hash() != beside.cells_hash();
                if let Some((seat, mv)) = next {
                    beside.apply(seat, mv).expect("it is legal there, too");
                } else {
                    let state = game.canonical();
                    let rebuilt = Match::rebuilt(otherwise.clone(), seed, &state);
                    assert!(
                        alike(game, &rebuilt.expect("it is a state there, too")),
                        "{name}"
                    );
                }
            });
        }
        // Otherwise nothing was laid out otherwise.
        assert!(cells, "{name}");
    }
}

/// A house rule that declares things of which nothing is ever used.
fn unused() -> (String, PackageTexts) {
    let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = vec![
        text(
            "module.yaml",
            "id: unused\nextends: EXTENDED\ntitles: {en: Unused, pl: Zbędne}\nfiles:\n  components: [none.yaml]\n  rules: [unused.rules]\n",
        ),
        text(
            "none.yaml",
            "table: spare_thing\nplural: spare_things\nnames: {en: spare thing, pl: zapas}\nrows: {}\n",
        ),
        text(
            "unused.rules",
            "counter a_spare_tally(p: player)\n\
             counter zero_spare_tally\n\
             marker a_spare_marker(p: player): option player\n\
             event a_spare_event(p: player)\n\
             place a_spare_place: spare_thing\n\
             place zero_spare_places(p: player): spare_thing\n",
        ),
    ];
    (
        "unused".to_owned(),
        PackageTexts::new("unused".to_owned(), files),
    )
}

#[test]
fn declarations_that_nothing_uses_change_no_state() {
    unused_declarations_change_no_state(some_games());
}

#[test]
#[ignore = "slow"]
fn declarations_that_nothing_uses_change_no_state_of_any_game() {
    unused_declarations_change_no_state(all_games());
}

/// Plays a match of each game beside one of the same game with the module [`unused`].
fn unused_declarations_change_no_state(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let (id, _) = name.split_once('/').unwrap_or((&name, ""));
        let shipped = root().join("rulesets").join(id);
        let base = match shipped.is_dir() {
            true => texts(&shipped),
            false => texts(&root().join("tests/rulesets").join(id)),
        };
        let (module, mut house) = unused();
        for (_, text) in &mut house.files {
            *text = text.replace("EXTENDED", id);
        }
        let more = Ruleset::compile(&base, &[(module, house)], ruleset.configuration());
        let more = more.unwrap_or_else(|wrong| {
            panic!(
                "{name}: {}",
                wrong.diagnostics.render(&wrong.sources, Default::default())
            )
        });
        let mut beside = None;
        played(&ruleset, 3, true, |game, next| {
            let begin = || Match::new(more.clone(), Seed::from_number(3), true);
            let beside = beside.get_or_insert_with(|| begin().expect("it begins"));
            assert_eq!(game.state_hash(), beside.next_state_hash(), "{name}");
            if let Some((seat, mv)) = next {
                beside.apply(seat, mv).expect("it is legal there, too");
            }
        });
    }
}

/// The kinds of things that a state says, by their places in it, each with a state from which all of that kind are left
/// out.
fn without_each(state: &Item) -> BTreeMap<String, Item> {
    let mut all = BTreeMap::new();
    let Item::Map(sections) = state else {
        panic!("a state is a map");
    };
    for (section, _) in sections {
        let rest = sections.iter().filter(|(name, _)| name != section);
        all.insert(section.clone(), Item::Map(rest.cloned().collect()));
    }
    let Some(Item::List(visits)) = state.get("visits") else {
        return all;
    };
    let mut kinds: Vec<Vec<&str>> = vec![vec!["values"], vec!["steps"], vec!["follows"]];
    for part in [
        "turn", "left", "since", "last", "had", "done", "open", "answers",
    ] {
        kinds.push(vec!["steps", "*", part]);
    }
    for part in ["event", "watch", "next", "args"] {
        kinds.push(vec!["follows", "*", part]);
    }
    for kind in kinds {
        let fewer: Vec<Item> = visits.iter().map(|visit| without(visit, &kind)).collect();
        if fewer != *visits {
            let sections = sections.iter().map(|(name, said)| match &name[..] {
                "visits" => (name.clone(), Item::List(fewer.clone())),
                _ => (name.clone(), said.clone()),
            });
            all.insert(kind.join("."), Item::Map(sections.collect()));
        }
    }
    all
}

/// The same without what lies on a path; maps that become empty are left out, too.
fn without(item: &Item, path: &[&str]) -> Item {
    let (Some((first, rest)), Item::Map(entries)) = (path.split_first(), item) else {
        return match item {
            Item::List(items) if path.first() == Some(&"*") => {
                Item::List(items.iter().map(|item| without(item, &path[1..])).collect())
            }
            other => other.clone(),
        };
    };
    let left = entries.iter().filter_map(|(name, said)| {
        let meant = *first == "*" || name == first;
        match (meant, rest) {
            (false, _) => Some((name.clone(), said.clone())),
            (true, []) => None,
            (true, rest) => {
                let said = without(said, rest);
                (said != Item::Map(Vec::new())).then(|| (name.clone(), said))
            }
        }
    });
    Item::Map(left.collect())
}

#[test]
fn every_thing_that_a_state_says_decides_something() {
    // Some kinds are only said by a match with every expansion.
    let mut games = some_games();
    games.push((
        "puerto-rico/3 expansions".to_owned(),
        shipped("puerto-rico", 3, &EXPANSIONS),
    ));
    everything_decides(games, 4);
}

#[test]
#[ignore = "slow"]
fn every_thing_that_a_state_of_any_game_says_decides_something() {
    everything_decides(all_games(), 12);
}

/// Leaves each kind of thing out of states of the invented games, with so many seeds, and of others, with one.
fn everything_decides(games: Vec<(String, Arc<Ruleset>)>, seeds: u64) {
    // Kinds that were seen, and whether a match without it went on otherwise.
    let mut missed: BTreeMap<String, bool> = BTreeMap::new();
    let mut short = invented_games();
    let others = games.into_iter().skip(short.len());
    short.push(("waiting".to_owned(), mini::ruleset(WAITING)));
    let games = short
        .iter()
        .flat_map(|game| (1..=seeds).map(move |seed| (game.clone(), seed)));
    let others = others.map(|game| (game, 1));
    for ((name, ruleset), number) in games.chain(others) {
        let seed = Seed::from_number(number);
        let mut random = Random::new(number);
        let mut lacking: Vec<(String, Match)> = Vec::new();
        let mut tried: BTreeMap<String, u32> = BTreeMap::new();
        played(&ruleset, number, true, |game, next| {
            let state = Item::decode(&game.canonical()).expect("it is a state");
            for (kind, fewer) in without_each(&state) {
                let shown = missed.entry(kind.clone()).or_default();
                let tried = tried.entry(kind.clone()).or_default();
                if *shown || *tried > 60 || random.below(3) > 0 {
                    continue;
                }
                *tried += 1;
                match Match::rebuilt(ruleset.clone(), seed, &fewer.encode()) {
                    Err(_) => *shown = true,
                    Ok(other) => lacking.push((kind, other)),
                }
            }
            lacking.retain_mut(|(kind, other)| {
                let goes_on = alike(game, other)
                    && next.is_none_or(|(seat, mv)| other.apply(seat, mv).is_ok());
                if !goes_on {
                    missed.insert(kind.clone(), true);
                }
                goes_on && !missed[kind]
            });
        });
        println!("{name}, seed {number}: {missed:?}");
    }
    let idle: Vec<&String> = missed
        .iter()
        .filter(|(_, shown)| !**shown)
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(
        idle,
        Vec::<&String>::new(),
        "these are written and decide nothing"
    );
    // Everything that `proto/state/README.md` names, but for `dice`, whose faces nobody sets beforehand in a match, and a watch that
    // waits: here all are looked at before events (`vectors.json` has one).
    let mut unseen = vec![
        "form",
        "places",
        "counters",
        "markers",
        "visits",
        "question",
        "once",
        "watches",
        "chance",
        "due",
        "over",
        "values",
        "steps",
        "follows",
        "steps.*.turn",
        "steps.*.left",
        "steps.*.since",
        "steps.*.last",
        "steps.*.had",
        "steps.*.done",
        "steps.*.open",
        "steps.*.answers",
        "follows.*.event",
        "follows.*.next",
        "follows.*.args",
    ];
    unseen.retain(|kind| !missed.contains_key(*kind));
    assert!(unseen.is_empty(), "never seen: {unseen:?}");
}

/// A state is read from what others send: what is too much is refused where it is read.
#[test]
fn a_pile_that_is_longer_than_its_place_is_refused() {
    let (ruleset, seed) = (san_juan(3), Seed::from_number(1));
    let game = Match::new(ruleset.clone(), seed, true).expect("it begins");
    let Ok(Item::Map(mut state)) = Item::decode(&game.canonical()) else {
        panic!("a state is a map");
    };
    let places = state.iter_mut().find(|(name, _)| name == "places");
    let Some((_, Item::Map(places))) = places else {
        panic!("a state has places");
    };
    let piles = places.iter_mut().filter_map(|(_, lies)| match lies {
        Item::List(pieces) => Some(pieces),
        _ => None,
    });
    let pile = piles.max_by_key(|pieces| pieces.len()).expect("a deck");
    let again = std::iter::repeat_n(pile[0].clone(), 100_000);
    pile.extend(again);
    let refused = Match::rebuilt(ruleset, seed, &Item::Map(state).encode());
    let why = refused.map(drop).expect_err("it is").to_string();
    assert!(why.contains("there is no room for"), "{why}");
}
