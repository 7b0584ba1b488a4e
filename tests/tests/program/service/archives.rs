//! Archives of matches as others read them: by their JSON Schemas, and by the script that verifies their last state.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interpreter::play::{Seat, canonical};
use referee::client::{Chooser, Chooses as _};
use referee::record::keep;
use referee::secrets::hex;
use referee::store::chain;
use referee::wire::v1;
use referee_tests::games::every_game;
use referee_tests::golden::revised;
use referee_tests::{json, root, schemas};
use serde_json::{Value, json};

use super::publishing::{files, publish};
use super::records::{export, script};
use super::world::{Table, World, create_of};

fn hash(digits: &Value) -> [u8; 32] {
    let digits = digits.as_str().expect("digits");
    let pairs = (0..digits.len()).step_by(2);
    let bytes = pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits"));
    bytes.collect::<Vec<_>>().try_into().expect("32 bytes")
}

/// The schema of a form.
fn schema(form: &str) -> jsonschema::Validator {
    schemas::schema(form).expect("a schema")
}

/// A form that was released is what it was: whoever needs another makes a new one.
#[test]
fn schemas_of_released_forms_are_not_changed() {
    for (form, digest) in [
        ("referee.record-1", "588667925ef91200"),
        ("referee.record-2", "d1c0bee4cb2f1704"),
        ("referee.record-3", "495c0c5aa4e5d366"),
        ("referee.record-4", "ccf8b93e669765f7"),
    ] {
        let path = root().join(format!("proto/archive/{form}.schema.json"));
        let schema = std::fs::read_to_string(path).expect("a schema");
        let mut schema: Value = serde_json::from_str(&schema).expect("JSON");
        without_descriptions(&mut schema);
        let pinned = blake3::hash(schema.to_string().as_bytes()).to_hex();
        assert_eq!(&pinned[..16], digest, "{form}");
    }
}

/// What a schema demands, without what it says to people.
fn without_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            entries.retain(|name, value| name != "description" || !value.is_string());
            entries.values_mut().for_each(without_descriptions);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_descriptions),
        _ => {}
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// An archive of these lines, with a sum that fits them.
fn sealed(lines: &[Value]) -> String {
    let end = lines.iter().position(|line| line.get("end").is_some());
    let (lines, names) = lines.split_at(end.unwrap_or(lines.len()));
    let written =
        |lines: &[Value]| -> String { lines.iter().map(|line| format!("{line}\n")).collect() };
    let body = written(lines);
    let sum = ring::digest::digest(&ring::digest::SHA256, body.as_bytes());
    let end = json!({"end": {"sha256": hex(sum.as_ref())}});
    let names = written(names.get(1..).unwrap_or_default());
    format!("{body}{end}\n{names}")
}

/// Where an entry says the hash of a state.
fn state_hash(entry: &mut Value) -> Option<&mut Value> {
    let says = &mut entry["says"];
    let said = ["started", "moved"]
        .into_iter()
        .find(|kind| says.get(kind).is_some());
    match said {
        Some(kind) => says[kind].get_mut("stateHash"),
        None => says.get_mut("stateHash"),
    }
}

/// Lets the last entry with a state say the hash of the one that is there now, in its body, too, and ties entries to each
/// other again.
fn hashed(lines: &mut [Value]) {
    let state = lines
        .iter()
        .find_map(|line| line.get("state"))
        .expect("a state");
    let state: canonical::Item = serde_json::from_value(state.clone()).expect("a state");
    let new = canonical::hash(&state.encode()).0;
    let entries = lines.iter_mut().filter_map(|line| line.get_mut("entry"));
    let mut entries: Vec<&mut Value> = entries.collect();
    let last = entries
        .iter_mut()
        .rposition(|entry| state_hash(entry).is_some());
    let last = last.expect("it was begun");
    let mut previous = hash(&entries[last - 1]["chain"]);
    for (number, entry) in entries.into_iter().enumerate().skip(last) {
        let body = entry["body"].as_str().expect("a body");
        let mut body = STANDARD.decode(body).expect("bytes");
        if number == last {
            let said = state_hash(entry).expect("a hash");
            let old = hash(said);
            match body.windows(32).position(|bytes| bytes == old) {
                Some(at) => body[at..at + 32].copy_from_slice(&new),
                None => body.extend(new),
            }
            *said = json!(hex(&new));
            entry["body"] = json!(STANDARD.encode(&body));
        }
        previous = chain::link(&previous, number as u64, &body);
        entry["chain"] = json!(hex(&previous));
    }
}

/// A match to its end.
pub async fn ended(
    world: &World,
    ruleset: &str,
    players: u32,
    modules: &[&str],
    seed: u64,
) -> Table {
    let mut create = create_of(ruleset, players, seed);
    if let Some(configuration) = &mut create.configuration {
        configuration.modules = modules.iter().map(|id| (*id).to_owned()).collect();
    }
    let (table, _) = world.begin(create).await;
    let mut player = Chooser::new(seed);
    while let Some((seat, decision, offers)) = table.asked().await {
        // What depends on another choice may not fit it: then another one is made.
        for left in (0..100).rev() {
            let mv = player.choose(&decision, &offers);
            match table.seats[seat].submit(&decision.decision_id, mv).await {
                Ok(_) => break,
                Err(refused) => assert!(left > 0, "{ruleset}: {refused:?}"),
            }
        }
    }
    table
}

/// Archives of every kind of thing that happens: whole matches of several rulesets, one with moves that were taken back.
async fn archives(all_titles: bool) -> Vec<(&'static str, String)> {
    let world = World::new().await;
    let mut all = Vec::new();
    for id in ["tea-house", "night-market"] {
        let package = publish(files(&root().join("tests/rulesets").join(id)));
        let published = world.publisher().await.call(package).await;
        published.expect("it is sound");
    }
    for (ruleset, players, modules) in [
        ("puerto-rico", 3, &[][..]),
        ("san-juan", 4, &["new-buildings"]),
        ("catan-rivals", 2, &[]),
        ("genoa", 3, &[]),
        ("tea-house", 3, &[]),
        ("night-market", 3, &["rainy"]),
    ] {
        if !all_titles && !matches!(ruleset, "tea-house" | "night-market") {
            continue;
        }
        let table = ended(&world, ruleset, players, modules, 7).await;
        all.push((
            ruleset,
            export(&table.host, &table.name).await.expect("a record"),
        ));
    }
    if !all_titles {
        return all;
    }
    let (table, _) = world.table(3, 7).await;
    let mut player = Chooser::new(3);
    let mut undone = 0;
    while undone < 6 {
        table.play(1, &mut player).await;
        if let Ok(made) = table.propose(0, v1::ProposalKind::Undo, 1).await {
            for seat in [1, 2] {
                table.respond(seat, &made.name, true).await.expect("yes");
            }
            undone += 1;
        }
    }
    table.resign(1).await.expect("one");
    table.resign(2).await.expect("two");
    all.push((
        "taken back",
        export(&table.host, &table.name).await.expect("a record"),
    ));
    all
}

/// What a form refuses: a line of a kind in which something is changed.
type Mistake = (&'static str, &'static str, fn(&mut Value));

const MISTAKES: &[Mistake] = &[
    ("record", "another form", |said| {
        said["form"] = json!("referee.record/9")
    }),
    ("record", "no seed", |said| {
        drop(said.as_object_mut().map(|said| said.remove("seed")))
    }),
    ("record", "a short seed", |said| {
        said["seed"] = json!("00ff")
    }),
    ("record", "a word more", |said| said["sede"] = json!(1)),
    ("file", "no path", |said| {
        drop(said.as_object_mut().map(|said| said.remove("path")))
    }),
    ("file", "a text that is none", |said| {
        said["text"] = json!(1)
    }),
    ("entry", "no chain", |said| {
        drop(said.as_object_mut().map(|said| said.remove("chain")))
    }),
    ("entry", "no body", |said| {
        drop(said.as_object_mut().map(|said| said.remove("body")))
    }),
    ("entry", "something else that it says", |said| {
        said["says"] = json!({"wished": {}})
    }),
    ("entry", "two things that it says", |said| {
        said["says"]["finished"] = json!({"ending": "x"});
        said["says"]["suspended"] = json!({"reason": "x"});
    }),
    ("entry", "a number as text", |said| {
        said["sequence"] = json!("7")
    }),
    ("event", "nothing that happened", |said| {
        *said = json!({"number": "7"})
    }),
    ("event", "something unheard of", |said| {
        said["wished"] = json!({})
    }),
    ("end", "no sum", |said| {
        drop(said.as_object_mut().map(|said| said.remove("sha256")))
    }),
    ("end", "half a signature", |said| {
        said["signatures"] = json!([{"key": "00".repeat(32), "signature": "00"}])
    }),
];

/// What only the form refuses that says states.
const MISTAKES_OF_STATES: &[Mistake] = &[
    ("entry", "a short salt", |said| said["salt"] = json!("00")),
    ("record", "a start of something else", |said| {
        said["start"]["visits"] = json!([])
    }),
    ("name", "no salt", |said| {
        drop(said.as_object_mut().map(|said| said.remove("salt")))
    }),
    ("state", "no form", |said| {
        drop(said.as_object_mut().map(|said| said.remove("form")))
    }),
    ("state", "no visits", |said| said["visits"] = json!([])),
    ("state", "a visit that is nowhere", |said| {
        said["visits"][0] = json!({"phase": "game"})
    }),
    ("state", "a step without a point", |said| {
        said["visits"][0]["at"] = json!("game.going")
    }),
    ("state", "a counter at zero", |said| {
        said["counters"]["spare"] = json!(0)
    }),
    ("state", "an empty place", |said| {
        said["places"]["spare"] = json!({})
    }),
    ("state", "an empty pile", |said| {
        said["places"]["spare"] = json!([])
    }),
    ("state", "no seats", |said| {
        said["question"] = json!({"step": "turn.choosing", "seats": []})
    }),
];

fn refuses(schema: &jsonschema::Validator, lines: &[Value], mistakes: &[Mistake]) {
    for (kind, what, change) in mistakes {
        // Not the first of its kind: the first entry has no body.
        let line = lines.iter().rfind(|line| line.get(kind).is_some());
        let mut line = line.unwrap_or_else(|| panic!("no {kind}")).clone();
        assert!(schema.is_valid(&line), "{kind}");
        change(&mut line[*kind]);
        assert!(!schema.is_valid(&line), "{kind}: {what} is refused: {line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_are_what_their_schemas_say_and_their_last_states_what_their_events_come_to() {
    let (verified, _) = verify(archives(false).await);
    assert!(verified == 0 || verified == 2, "{verified}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn archives_of_every_title_and_of_moves_taken_back_are_what_their_schemas_say() {
    let (verified, kinds) = verify(archives(true).await);
    assert!(verified == 0 || verified == 7, "{verified}");
    for kind in [
        "phaseBegan",
        "moveMade",
        "piecesMoved",
        "counterChanged",
        "markerSet",
        "pileShuffled",
        "raised",
        "endingDue",
        "matchOver",
        "tableChanged",
    ] {
        assert!(kinds.contains(kind), "no archive has `{kind}`");
    }
}

/// Holds archives to their schemas and to the script that verifies records; returns the number of archives that the script
/// verified (0 where Python is not installed) and the kinds of their events.
fn verify(archives: Vec<(&'static str, String)>) -> (usize, BTreeSet<String>) {
    let mut verified = 0;
    let mut kinds = BTreeSet::new();
    for (name, text) in archives {
        let lines = lines(&text);
        assert!(
            lines.iter().any(|line| line.get("state").is_some()),
            "{name}"
        );
        let form = lines[0]["record"]["form"].as_str().expect("a form");
        let schema = schema(form);
        for line in &lines {
            let errors: Vec<String> = schema
                .iter_errors(line)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{name}, {form}: {line}: {errors:?}");
            if let Some(event) = line.get("event") {
                // Their words are the contract's, too.
                let event = revised(event.clone());
                let read: v1::Event = json::read("Event", &event).expect("an event");
                assert_eq!(json::of("Event", &read), event, "{name}");
            }
            kinds.extend(
                line["event"]
                    .as_object()
                    .into_iter()
                    .flat_map(|event| event.keys().cloned()),
            );
        }
        refuses(&schema, &lines, MISTAKES);
        refuses(&schema, &lines, MISTAKES_OF_STATES);
        let Some((good, said)) = script(&sealed(&lines), &[]) else {
            continue;
        };
        assert!(good, "{name}: {said}");
        assert!(
            said.contains("its state has the hash that its entries say; what it says of"),
            "{name}: {said}"
        );
        println!("{name}: {said}");
        verified += 1;
        if matches!(name, "puerto-rico" | "tea-house" | "taken back") {
            bent_states_are_found(name, &lines);
        }
    }
    (verified, kinds)
}

/// One of several things under names, to be bent.
fn first(section: &mut Value, fits: impl Fn(&str, &Value) -> bool) -> Option<&mut Value> {
    let entries = section.as_object_mut()?.iter_mut();
    let mut fitting = entries.filter(|(name, said)| fits(name, said));
    fitting.next().map(|(_, said)| said)
}

/// Adds one to a number; tells whether there was one.
fn more(number: Option<&mut Value>) -> bool {
    number.is_some_and(|number| {
        *number = json!(number.as_i64().expect("a number") + 1);
        true
    })
}

/// A state that is bent alone has another hash; bent together with its hash, it is not what events come to.
fn bent_states_are_found(name: &str, stated: &[Value]) {
    type Bend = fn(&mut Value) -> bool;
    let bends: [(&str, Bend); 7] = [
        ("of the counter", |state| {
            more(first(&mut state["counters"], |_, _| true))
        }),
        ("of the place", |state| {
            let place = first(&mut state["places"], |_, lies| lies.is_object());
            more(place.and_then(|place| first(place, |_, _| true)))
        }),
        ("of the place", |state| {
            let places = state["places"].as_object_mut().expect("places");
            let name = places.keys().next().cloned();
            name.is_some_and(|name| places.remove(&name).is_some())
        }),
        ("of the marker", |state| {
            let marker = first(&mut state["markers"], |_, shows| {
                shows.get("seat").is_some()
            });
            more(marker.and_then(|marker| marker.get_mut("seat")))
        }),
        ("words of chance", |state| {
            more(first(&mut state["chance"], |name, _| name == "stack"))
        }),
        ("lies otherwise", |state| {
            let pile = first(&mut state["places"], |name, lies| {
                name == "stack" && lies.is_array()
            });
            let pile = pile.and_then(Value::as_array_mut);
            pile.is_some_and(
                |pile| match pile.windows(2).position(|pair| pair[0] != pair[1]) {
                    Some(at) => {
                        pile.swap(at, at + 1);
                        true
                    }
                    None => false,
                },
            )
        }),
        ("of the match's end", |state| match state.get("over") {
            Some(_) => state
                .as_object_mut()
                .is_some_and(|state| state.remove("over").is_some()),
            None => {
                state["over"] = json!("too_soon");
                true
            }
        }),
    ];
    let found = |lines: &[Value], why: &str| {
        let (good, said) = script(&sealed(lines), &[]).expect("Python is there");
        assert!(!good && said.contains(why), "{name}, {why}: {said}");
    };
    let mut bent_ways = 0;
    for (why, bend) in bends {
        let mut bent = stated.to_vec();
        let state = bent.iter_mut().find_map(|line| line.get_mut("state"));
        // There pieces come below the stack, so that events do not tell its order.
        let told = name != "tea-house" || why != "lies otherwise";
        if !bend(state.expect("a state")) || !told {
            continue;
        }
        bent_ways += 1;
        if bent_ways == 1 {
            found(&bent, "the state is not the one whose hash");
            // In plain sight only, not in the bodies, which are tied to each other.
            let mut half = bent.clone();
            hashed(&mut half);
            for (half, said) in half.iter_mut().zip(&bent) {
                if let Some(entry) = half.get_mut("entry") {
                    for kept in ["body", "chain"] {
                        if let Some(kept_one) = said["entry"].get(kept) {
                            entry[kept] = kept_one.clone();
                        }
                    }
                }
            }
            found(&half, "another hash than its body");
        }
        hashed(&mut bent);
        found(&bent, why);
    }
    assert!(bent_ways >= 4, "{name}: {bent_ways}");
}

#[test]
fn records_are_what_their_schema_says() {
    let schema = schema("referee.record/1");
    for (name, ruleset) in every_game() {
        let told = referee::report::transcript::random_game(&ruleset, 2).expect("it can be set up");
        let kept = keep(&ruleset, &told.game.record(), &[Seat(0)]);
        let record = serde_json::to_value(&kept).expect("JSON");
        let errors: Vec<String> = schema
            .iter_errors(&record)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let bent = |change: &dyn Fn(&mut Value)| {
            let mut bent = record.clone();
            change(&mut bent);
            assert!(!schema.is_valid(&bent), "{name}: {bent}");
        };
        bent(&|record| record["schema"] = json!("referee.record/2"));
        bent(&|record| record["seed"] = json!("7"));
        bent(&|record| record["people"] = json!(["Ada"]));
        bent(&|record| record["moves"][0]["sate"] = json!(1));
        bent(&|record| drop(record["moves"][0].as_object_mut().map(|mv| mv.remove("at"))));
        bent(&|record| record["moves"][0]["with"] = json!({"n": 1.5}));
    }
}
