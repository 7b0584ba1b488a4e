//! Tests of the module `cli::demo::script`.

use interpreter::package::Configuration;
use referee::cli::demo::script::Script;

#[test]
fn the_script_names_what_the_ruleset_has() {
    let script = Script::read();
    let library = referee_tests::library();
    let id = script.ruleset.trim_start_matches("rulesets/");
    let edition = library.get(id).expect("it is shipped");
    let configuration = Configuration::base(4);
    let ruleset = library
        .compile(edition, &configuration)
        .expect("it is right");
    let model = ruleset.model();
    let table = |name: &String| model.tables.iter().any(|t| *t.name == **name);
    assert!(model.phases.iter().any(|p| *p.name == *script.round));
    assert!(model.markers.iter().any(|m| *m.name == *script.first));
    assert!(model.moves.iter().any(|m| *m.name == *script.opens));
    assert!(
        script
            .quiet
            .iter()
            .chain(&script.standing.tables)
            .all(table)
    );
    for counter in &script.standing.counters {
        assert!(model.counters.iter().any(|c| *c.name == **counter));
    }
    for step in [&script.dares.out_of_reach, &script.dares.forbidden_pass] {
        assert!(model.asks.iter().any(|ask| *ask.step == **step));
    }
}
