//! The vectors of `proto/state`: what the specification of the canonical state promises to other languages.
//!
//! `cargo test -p referee-tests --test rules -- --ignored the_vectors_of_real_games_are_made_anew` plays the games
//! anew and writes them into the file, for review; what was written by hand stays as it is.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Item, Match, Move, Seed, canonical};
use referee::record::{Kept, KeptMove, keep};
use referee::secrets::hex;
use referee_tests::games::{DUEL, LONGEST, invented_games, walk};
use referee_tests::random::Random;
use referee_tests::{compile, mini, root};
use serde_json::{Value, json};

fn path(name: &str) -> PathBuf {
    root().join("proto/state").join(name)
}

fn vectors() -> Value {
    let text = std::fs::read_to_string(path("vectors.json")).expect("the vectors are there");
    serde_json::from_str(&text).expect("JSON")
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().expect("a list")
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    let text = of[name].as_str();
    text.unwrap_or_else(|| panic!("{}: no {name}", of["name"]))
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    pairs.map(byte).collect()
}

/// Everything under a name that a state holds, at any depth.
fn names(item: &Item, out: &mut BTreeSet<String>) {
    match item {
        Item::List(items) => items.iter().for_each(|item| names(item, out)),
        Item::Map(entries) => {
            for (name, item) in entries {
                out.insert(name.clone());
                names(item, out);
            }
        }
        _ => {}
    }
}

#[test]
fn states_are_the_bytes_and_hashes_of_the_vectors() {
    let vectors = vectors();
    let mut seen = BTreeSet::new();
    let schema = root().join("proto/archive/referee.record-4.schema.json");
    let schema = std::fs::read_to_string(schema).expect("it is there");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for vector in list(&vectors, "vectors")
        .iter()
        .chain(list(&vectors, "games"))
    {
        let name = text(vector, "name");
        assert!(
            text(vector, "says").len() > 10,
            "{name} says why it is there"
        );
        let item: Item = serde_json::from_value(vector["state"].clone()).expect("the JSON form");
        let written = bytes(text(vector, "bytes"));
        assert_eq!(hex(&item.encode()), hex(&written), "{name}");
        let read = Item::decode(&written).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(
            serde_json::to_value(&read).expect("JSON"),
            vector["state"],
            "{name}"
        );
        assert_eq!(hex(&read.encode()), hex(&written), "{name}");
        assert_eq!(
            canonical::hash(&written).to_string(),
            text(vector, "hash"),
            "{name}"
        );
        let line = json!({"state": vector["state"]});
        assert!(schema.is_valid(&line), "{name} is a line of an archive");
        names(&item, &mut seen);
    }
    for kind in [
        "form", "due", "over", "dice", "once", "chance", "places", "visits", "markers", "watches",
        "counters", "question", "step", "seats", "at", "phase", "steps", "values", "turn", "left",
        "since", "last", "had", "done", "open", "answers", "follows", "event", "watch", "next",
        "args", "seat", "bag", "record", "team", "piece", "state", "past",
    ] {
        assert!(seen.contains(kind), "no vector has `{kind}`");
    }
}

#[test]
fn what_is_no_state_is_refused_and_its_right_form_is_not() {
    let vectors = vectors();
    for refused in list(&vectors, "refused") {
        let name = text(refused, "name");
        let state = Item::decode(&bytes(text(refused, "bytes")));
        assert!(state.is_err(), "{name}: {state:?}");
        if let Some(right) = refused["right"].as_str() {
            let right = Item::decode(&bytes(right));
            assert!(right.is_ok(), "{name}: {right:?}");
        }
    }
    for refused in list(&vectors, "refusedJson") {
        let state = serde_json::from_value::<Item>(refused["state"].clone());
        assert!(state.is_err(), "{}: {state:?}", text(refused, "name"));
    }
    // A reader that builds a map of what it reads does not see this.
    let twice: Result<Item, _> = serde_json::from_str(r#"{"a": 1, "a": 1}"#);
    assert!(twice.is_err(), "{twice:?}");
}

#[test]
fn the_specification_shows_the_vectors_that_it_speaks_of() {
    let specification = std::fs::read_to_string(path("README.md")).expect("it is there");
    let vectors = vectors();
    let shown = list(&vectors, "vectors").iter();
    let shown: Vec<&Value> = shown.filter(|one| one["shown"] == json!(true)).collect();
    assert_eq!(shown.len(), 1, "the worked example");
    // It is shown in lines, with what they mean beside them.
    let code = specification
        .lines()
        .filter_map(|line| line.strip_prefix("    "));
    let digits = code.filter_map(|line| line.split("  ").next());
    let digits: String = digits
        .flat_map(|line| line.chars().filter(|c| *c != ' '))
        .collect();
    for said in ["bytes", "hash"] {
        assert!(
            digits.contains(text(shown[0], said)),
            "{said} of {}",
            shown[0]["name"]
        );
    }
}

#[test]
fn the_specification_names_everything_that_states_say() {
    let specification = std::fs::read_to_string(path("README.md")).expect("it is there");
    let points = specification
        .lines()
        .filter_map(|line| line.strip_prefix("| `"));
    let points = points.filter_map(|line| line.split(" |").next());
    let points: BTreeSet<&str> = points
        .flat_map(|cell| cell.split(['`', ',', ' ']))
        .collect();
    let in_cddl = |name: &str| {
        let key = [
            format!(" {name}: "),
            format!("{{{name}: "),
            format!("({name}: "),
        ];
        key.iter().any(|key| specification.contains(key))
    };
    let keys = |item: Option<&Item>| match item {
        Some(Item::Map(entries)) => entries.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    let mut tried = 0;
    for (name, ruleset) in invented_games() {
        walk(&ruleset, 3, true, |game| {
            let state = Item::decode(&game.canonical()).expect("a state");
            let Some(Item::List(visits)) = state.get("visits") else {
                panic!("{name}: no visits");
            };
            let mut said = keys(Some(&state));
            for visit in visits {
                said.extend(keys(Some(visit)));
                if let Some(Item::Text(at)) = visit.get("at") {
                    let point = at
                        .rsplit('/')
                        .next()
                        .and_then(|point| point.split(' ').next());
                    let point = point.expect("a point");
                    assert!(points.contains(point), "{name}: `{at}`");
                }
                for step in keys(visit.get("steps")) {
                    let step = visit.get("steps").and_then(|steps| steps.get(&step));
                    said.extend(keys(step));
                }
            }
            for key in said {
                assert!(in_cddl(&key), "{name}: `{key}`");
                tried += 1;
            }
        });
    }
    assert!(tried > 1000, "{tried}");
}

/// The ruleset of a vector.
fn ruleset(game: &Value) -> Arc<Ruleset> {
    let configuration = Configuration {
        players: game["players"].as_u64().expect("players") as u8,
        modules: serde_json::from_value(game["modules"].clone()).expect("modules"),
        options: serde_json::from_value(game["options"].clone()).expect("options"),
    };
    let id = text(game, "ruleset");
    let shipped = root().join("rulesets").join(id);
    match shipped.is_dir() {
        true => compile(&shipped, &configuration),
        false => compile(&root().join("tests/rulesets").join(id), &configuration),
    }
}

#[test]
fn the_real_states_are_those_that_the_engine_comes_to() {
    for vector in list(&vectors(), "games") {
        let (name, game) = (text(vector, "name"), &vector["game"]);
        let ruleset = ruleset(game);
        let moves: Vec<KeptMove> = serde_json::from_value(game["moves"].clone()).expect("moves");
        let begun = Match::new(ruleset.clone(), Seed([0; 32]), true).expect("it begins");
        let kept = Kept {
            seed: text(game, "seed").to_owned(),
            moves,
            ..keep(&ruleset, &begun.record(), &[])
        };
        let record = kept
            .record(&ruleset)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        let played = Match::replay(ruleset.clone(), &record);
        let played = played.unwrap_or_else(|why| panic!("{name}: {why}"));
        let state = Item::decode(&played.canonical()).expect("a state");
        // The trees first: they show what differs.
        assert_eq!(
            serde_json::to_value(&state).expect("JSON"),
            vector["state"],
            "{name}"
        );
        assert_eq!(hex(&played.canonical()), text(vector, "bytes"), "{name}");
        let rebuilt = Match::rebuilt(ruleset, record.seed, &bytes(text(vector, "bytes")));
        assert_eq!(
            rebuilt.map(|rebuilt| rebuilt.state_hash().to_string()),
            Ok(text(vector, "hash").to_owned()),
            "{name}"
        );
    }
}

/// Two events and a watch of which more follows than the question that waits.
pub const WAITING: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3)
          do { gain(purse(p), n); raise(noted(p, n)); raise(done); }
        move pass
on noted(p, n) as asked
  step answering
    ask p
      move take
        do { gain(told(red), 1); }
      move leave
on noted(p, n) as counted: do { gain(told(green), n); }
on done as ended: do { gain(told(blue), 1); }
when purse(p) > 4 becomes true for each p as wealthy
  step boasting
    ask p
      move boast
        do { gain(told(red), 5); }
      move keep_silent
ending rich when any p in players: purse(p) > 20
";

#[test]
fn events_that_wait_for_a_question_stand_in_the_state() {
    let ruleset = mini::ruleset(WAITING);
    let seed = Seed::from_number(1);
    let mut game = Match::new(ruleset.clone(), seed, true).expect("it begins");
    let mut rebuilt: Vec<Match> = Vec::new();
    let mut waiting = Vec::new();
    let act = |n| Move {
        name: "act".into(),
        args: vec![("n".into(), interpreter::play::Value::Int(n))],
    };
    let plain = |name: &str| Move {
        name: name.into(),
        args: Vec::new(),
    };
    // The purse holds three: the first player is wealthy at once.
    for mv in [
        act(2),
        plain("boast"),
        plain("take"),
        act(1),
        plain("leave"),
        plain("pass"),
    ] {
        for game in rebuilt.iter_mut().chain([&mut game]) {
            let seat = game.waiting()[0];
            let made = game.apply(seat, &mv);
            made.unwrap_or_else(|why| panic!("{mv:?}: {why:?}"));
        }
        let state = game.canonical();
        for other in &rebuilt {
            assert_eq!(hex(&other.canonical()), hex(&state), "{mv:?}");
        }
        rebuilt.push(Match::rebuilt(ruleset.clone(), seed, &state).expect("its own state"));
        let state = Item::decode(&state).expect("a state");
        let state = serde_json::to_value(&state).expect("JSON");
        let visits = list(&state, "visits");
        waiting.push(
            visits
                .iter()
                .find_map(|visit| visit.get("follows"))
                .cloned(),
        );
    }
    let event = |next: u32| json!({"args": [{"seat": 1}, 2], "event": "noted", "next": next});
    let done = json!({"event": "done", "next": 0});
    assert_eq!(
        waiting[0],
        Some(json!([done, event(0)])),
        "the watch was first"
    );
    assert_eq!(waiting[1], Some(json!([done, event(1)])));
    assert_eq!(waiting[2], None);
}

/// A game of which a state becomes a vector: where it says something.
struct Wanted {
    name: &'static str,
    says: &'static str,
    ruleset: &'static str,
    players: u8,
    modules: &'static [&'static str],
    options: &'static [(&'static str, i64)],
    /// The least moves.
    moves: usize,
    says_it: fn(&Item) -> bool,
}

fn any(_: &Item) -> bool {
    true
}

/// Whether something has a name, anywhere in a state.
fn has(state: &Item, name: &str) -> bool {
    let mut seen = BTreeSet::new();
    names(state, &mut seen);
    seen.contains(name)
}

/// Whether a phase visits itself, and keeps something meanwhile.
fn recurs(state: &Item) -> bool {
    let Some(Item::List(visits)) = state.get("visits") else {
        return false;
    };
    let kept = visits.iter().filter(|visit| visit.get("values").is_some());
    let phases: Vec<Option<&Item>> = kept.map(|visit| visit.get("phase")).collect();
    phases
        .iter()
        .enumerate()
        .any(|(at, phase)| phases[..at].contains(phase))
}

fn wanted() -> Vec<Wanted> {
    let plain = Wanted {
        name: "",
        says: "",
        ruleset: "",
        players: 3,
        modules: &[],
        options: &[],
        moves: 0,
        says_it: any,
    };
    vec![
        Wanted {
            name: "puerto-rico",
            says: "the middle of a game of three: many unordered places, counters, a stack of tiles",
            ruleset: "puerto-rico",
            moves: 60,
            ..plain
        },
        Wanted {
            name: "san-juan",
            says: "the middle of a game of three: a deck, hidden hands, a discard pile",
            ruleset: "san-juan",
            moves: 40,
            ..plain
        },
        Wanted {
            name: "catan-rivals-duel",
            says: "the Duel of the Princes: piles that are not shuffled, dice, many markers",
            ruleset: "catan-rivals",
            players: 2,
            modules: &DUEL,
            options: &[("removal_when_full", 1)],
            moves: 60,
            ..plain
        },
        Wanted {
            name: "genoa",
            says: "open bargaining: a phase that keeps records, a question to several seats",
            ruleset: "genoa",
            moves: 40,
            says_it: |state| has(state, "record"),
            ..plain
        },
        Wanted {
            name: "tea-house-within-itself",
            says: "a phase that is visited within itself: each visit keeps its own values",
            ruleset: "tea-house",
            says_it: recurs,
            ..plain
        },
        Wanted {
            name: "tea-house-follows",
            says: "a question that follows an event",
            ruleset: "tea-house",
            says_it: |state| has(state, "follows"),
            ..plain
        },
        Wanted {
            name: "tea-house-several",
            says: "a question that stands open to several seats, one of which has answered without closing it",
            ruleset: "tea-house",
            says_it: |state| has(state, "open") && has(state, "answers"),
            ..plain
        },
        Wanted {
            name: "tea-house-watches",
            says: "a watch that has seen its condition hold for one seat, and words drawn for dice",
            ruleset: "tea-house",
            says_it: |state| {
                let chance = state.get("chance");
                has(state, "watches") && chance.is_some_and(|chance| has(chance, "mood"))
            },
            ..plain
        },
        Wanted {
            name: "night-market-once",
            says: "what one seat has done once in a phase, and a cycle that counts the turns since an event",
            ruleset: "night-market",
            modules: &["rainy"],
            says_it: |state| has(state, "once") && has(state, "since"),
            ..plain
        },
        Wanted {
            name: "night-market-over",
            says: "a game that is over: no question, and the ending by which it ended",
            ruleset: "night-market",
            players: 2,
            says_it: |state| state.get("over").is_some(),
            ..plain
        },
    ]
}

/// The first match, by seeds from 1, that comes to a state that is wanted, played at random, every move asked.
fn come_to(wanted: &Wanted, ruleset: &Arc<Ruleset>) -> Option<Match> {
    for seed in 1..=100 {
        let mut random = Random::new(seed);
        let game = Match::new(ruleset.clone(), Seed::from_number(seed), true);
        let mut game = game.expect("it begins");
        for made in 0..LONGEST {
            if made >= wanted.moves
                && (wanted.says_it)(&Item::decode(&game.canonical()).expect("a state"))
            {
                return Some(game);
            }
            let Some(seat) = game.quickest(&mut || random.word()) else {
                break;
            };
            let mv = game.sample(seat, &mut || random.word()).expect("a move");
            game.apply(seat, &mv).expect("it is legal");
        }
    }
    None
}

/// In which order people read what the file says.
const ORDER: [&str; 15] = [
    "about",
    "form",
    "context",
    "vectors",
    "games",
    "refused",
    "refusedJson",
    "name",
    "says",
    "shown",
    "game",
    "state",
    "bytes",
    "right",
    "hash",
];

/// A vector as it is written: what is long stands in a line of its own, part by part.
fn written(vector: &Value) -> String {
    fn parts(value: &Value, open: &[&str], indent: usize) -> String {
        let Value::Object(entries) = value else {
            return value.to_string();
        };
        let inner = " ".repeat(indent + 1);
        let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
        entries.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name));
        let entries = entries.into_iter().map(|(name, said)| {
            let said = match said {
                Value::Object(_) if open.contains(&name.as_str()) => parts(said, open, indent + 1),
                Value::Array(items) if open.contains(&name.as_str()) => {
                    let items = items.iter().map(|item| format!("{inner} {item}"));
                    format!("[\n{}\n{inner}]", items.collect::<Vec<_>>().join(",\n"))
                }
                said => said.to_string(),
            };
            format!("{inner}{}: {said}", json!(name))
        });
        let all = entries.collect::<Vec<_>>().join(",\n");
        format!("{{\n{all}\n{}}}", " ".repeat(indent))
    }
    let open: &[&str] = match vector.get("game") {
        Some(_) => &["game", "moves", "state", "places", "visits"],
        None => &[],
    };
    parts(vector, open, 2)
}

/// Generates the vectors of real games and compares them with those of the repository, or writes them for review if
/// `INSTA_UPDATE=always` is set.
#[test]
#[ignore = "slow"]
fn vectors_of_real_games_are_as_generated() {
    let mut all = vectors();
    let games = wanted().into_iter().map(|wanted| {
        let mut game = json!({
            "ruleset": wanted.ruleset,
            "players": wanted.players,
            "modules": wanted.modules,
            "options": wanted.options.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        });
        let ruleset = ruleset(&game);
        let played = come_to(&wanted, &ruleset).unwrap_or_else(|| panic!("{}", wanted.name));
        let kept = keep(&ruleset, &played.record(), &[]);
        game["seed"] = json!(kept.seed);
        game["moves"] = json!(kept.moves);
        let state = Item::decode(&played.canonical()).expect("a state");
        json!({
            "name": wanted.name,
            "says": wanted.says,
            "game": game,
            "state": state,
            "bytes": hex(&played.canonical()),
            "hash": played.state_hash().to_string(),
        })
    });
    all["games"] = games.collect();
    let Value::Object(all) = all else {
        panic!("the file is a map");
    };
    let mut all: Vec<(&String, &Value)> = all.iter().collect();
    all.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name));
    let parts = all.into_iter().map(|(name, said)| match said {
        Value::Array(vectors) => {
            let vectors = vectors
                .iter()
                .map(|vector| format!("  {}", written(vector)));
            format!(
                " {}: [\n{}\n ]",
                json!(name),
                vectors.collect::<Vec<_>>().join(",\n")
            )
        }
        said => format!(" {}: {said}", json!(name)),
    });
    let all = parts.collect::<Vec<_>>().join(",\n");
    let generated = format!("{{\n{all}\n}}\n");
    let file = path("vectors.json");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(file, generated).expect("writable");
    } else {
        let committed = std::fs::read_to_string(&file).expect("the vectors");
        assert!(
            generated == committed,
            "{} is not as generated: set INSTA_UPDATE=always and read `git diff`",
            file.display()
        );
    }
}
