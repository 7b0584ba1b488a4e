//! The phase graph is what runs: without an edge, play is another one.

use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::play::{Match, Seed};
use referee_tests::games::{night_market, puerto_rico};
use referee_tests::random::Random;

/// Where a random game stands after each move, or how it went wrong.
fn course(ruleset: &Arc<Ruleset>, seed: u64) -> Vec<String> {
    let mut course = Vec::new();
    let mut random = Random::new(seed);
    let mut played = match Match::new(ruleset.clone(), Seed::from_number(seed), false) {
        Ok(played) => played,
        Err(fault) => return vec![fault.to_string()],
    };
    // The longest game of those tried has fewer moves.
    for _ in 0..1_500 {
        course.push(played.state_hash().to_string());
        let Some(&seat) = played.waiting().first() else {
            break;
        };
        let Some(mv) = played.sample(seat, &mut || random.word()) else {
            course.push("no move".to_owned());
            break;
        };
        if let Err(error) = played.apply(seat, &mv) {
            course.push(format!("{error:?}"));
            break;
        }
    }
    course
}

/// Edges whose removal no game of these seeds notices, as `step: edge`.
fn unnoticed(ruleset: &Arc<Ruleset>, seeds: u64) -> Vec<String> {
    let usual: Vec<Vec<String>> = (0..seeds).map(|seed| course(ruleset, seed)).collect();
    let graph = ruleset.phase_graph();
    let mut unnoticed = Vec::new();
    for edge in graph.graph.edge_indices() {
        let (from, _) = graph.graph.edge_endpoints(edge).expect("an edge has ends");
        let mut cut = graph.clone();
        cut.graph.remove_edge(edge);
        let cut = Arc::new(ruleset.with_graph(cut));
        let noticed = (0..seeds).any(|seed| course(&cut, seed) != usual[seed as usize]);
        if !noticed {
            let node = &graph.graph[from];
            unnoticed.push(format!("{}: {:?}", node.step, graph.graph[edge]));
        }
    }
    unnoticed
}

#[test]
fn every_edge_of_the_invented_game_matters() {
    assert_eq!(unnoticed(&night_market(3, &[]), 40), Vec::<String>::new());
}

#[test]
fn every_edge_of_puerto_rico_matters() {
    assert_eq!(unnoticed(&puerto_rico(4), 80), Vec::<String>::new());
}
