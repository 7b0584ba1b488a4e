//! `referee graph`.

use referee_tests::command::{Ran, json, run};
use serde_json::Value;

use super::{SHIPPED, invented, shows};

#[test]
fn a_phase_is_drawn_in_every_language_of_pictures() {
    let tea = invented("tea-house");
    let drawn = |format: &str| {
        let Ran { code, data, notes } = run(format!("graph {tea} round --format {format}"));
        assert_eq!((code, notes.as_str()), (0, ""));
        data
    };
    shows!("graph_round_dot", drawn("dot"));
    shows!("graph_round_mermaid", drawn("mermaid"));
    shows!("graph_round_svg", drawn("svg"));
}

#[test]
fn the_machine_is_drawn_node_by_node() {
    let tea = invented("tea-house");
    let drawn = json(format!("graph {tea} round --detail machine --format json"));
    let steps = json(format!("graph {tea} round --format json"));
    let count = |graph: &Value| graph["boxes"].as_array().map_or(0, Vec::len);
    assert!(count(&drawn) > count(&steps), "{}", count(&drawn));
    let says = |graph: &Value, text: &str| graph.to_string().contains(text);
    assert!(says(&drawn, "turns left?") && !says(&steps, "turns left?"));
}

/// Every phase and every question of the model stands in the drawing, and nothing hangs in the air.
#[test]
fn whole_graphs_are_whole() {
    for id in SHIPPED {
        let drawn = json(format!("graph {id} --format json"));
        assert_eq!(drawn["schema"], "referee.graph/1");
        let boxes = drawn["boxes"].as_array().expect("boxes");
        let of = |shape: &str| -> Vec<&str> {
            let all = boxes.iter().filter(|one| one["shape"] == shape);
            all.filter_map(|one| one["address"].as_str()).collect()
        };
        let players = drawn["players"].as_u64().expect("a number") as u8;
        let ruleset = referee_tests::games::shipped(id, players, &[]);
        let model = ruleset.model();
        let phases: Vec<&str> = model.phases.iter().map(|phase| &*phase.name).collect();
        assert_eq!(of("begin"), phases, "{id}");
        assert_eq!(of("end"), phases, "{id}");
        for ask in &model.asks {
            assert!(of("ask").contains(&&*ask.step), "{id}: {}", ask.step);
        }
        assert!(of("elsewhere").is_empty(), "{id}");
        let arrows = drawn["arrows"].as_array().expect("arrows");
        let mut reached = vec![false; boxes.len()];
        for arrow in arrows {
            let (from, to) = (arrow["from"].as_u64(), arrow["to"].as_u64());
            assert!(from.is_some_and(|from| (from as usize) < boxes.len()));
            reached[to.expect("a number") as usize] = true;
        }
        for (one, reached) in boxes.iter().zip(reached) {
            // Play begins in `game`, what interrupts is entered by an event, and what is repeated until the
            // game ends has no end of its own.
            let begins = one["shape"] == "begin" || one["shape"] == "end";
            assert!(
                reached || begins,
                "{id}: nothing leads to {}",
                one["address"]
            );
        }
    }
}

#[test]
fn pictures_stand_alone() {
    for id in SHIPPED {
        let Ran { code, data, .. } = run(format!("graph {id} --format svg --lang pl"));
        assert_eq!(code, 0);
        assert!(
            data.starts_with("<svg ") && data.ends_with("</svg>\n"),
            "{id}"
        );
        for foreign in ["<script", "href=\"http", "src=", "NaN", "\"inf\""] {
            assert!(!data.contains(foreign), "{id}: {foreign}");
        }
        assert_eq!(
            data.matches("<g").count(),
            data.matches("</g>").count(),
            "{id}"
        );
    }
}

#[test]
fn a_removed_step_is_not_drawn() {
    let tea = invented("tea-house");
    let folder = tempfile::tempdir().expect("a folder");
    let module = folder.path().join("quick");
    std::fs::create_dir(&module).expect("writable");
    for (file, text) in [
        (
            "module.yaml",
            "id: quick\nextends: tea-house\ntitles: {en: Quick, pl: Szybko}\nfiles: {rulebook: rulebook.yaml, rules: [quick.rules]}\n",
        ),
        (
            "rulebook.yaml",
            "sections:\n  - id: quick\n    titles: {en: Quick, pl: Szybko}\n    clauses:\n      - {id: quick, en: No race., pl: Bez wyścigu.}\n",
        ),
        ("quick.rules", "disable round.race    @quick\n"),
    ] {
        std::fs::write(module.join(file), text).expect("writable");
    }
    let with = module.to_str().expect("a path of text");
    let drawn = run(format!("graph {tea} round --with {with}")).ends(0);
    assert!(
        !drawn.data.contains("race") && run(format!("graph {tea} round")).data.contains("race")
    );
}

#[test]
fn wrong_usage_is_answered() {
    let tea = invented("tea-house");
    for (line, expected) in [
        (
            format!("graph {tea} rund"),
            "there is no phase `rund`; did you mean `round`?",
        ),
        (
            format!("graph {tea} --players=9"),
            "is for 2 to 3 players, not 9",
        ),
    ] {
        let ran = run(line).ends(2);
        assert_eq!(ran.data, "");
        ran.notes(expected);
    }
}
