//! Tests of the module `cli::lsp::project`.

use std::collections::BTreeMap;
use std::path::Path;

use lsp_types::Position;
use referee::cli::LibraryOptions;
use referee::cli::lsp::project::Project;

/// A layout stands in the same editor: what its names mean, where they are declared, what is wrong with it.
#[test]
fn names_in_a_layout_are_told_and_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets/san-juan");
    let folder = folder.canonicalize().unwrap();
    let path = folder.join("table.yaml");
    let text = "table:\n  - offered\n  - houze_stack\n  - {track: [quiet_rounds], to: 3}\nlooks:\n  role: {form: card}\n";
    let open = BTreeMap::from([(path.clone(), text.to_owned())]);
    let library = LibraryOptions {
        rulesets: Vec::new(),
    };
    let project = Project::read(&folder, &library, &open);
    let (_, told) = project.hover(&path, Position::new(1, 6)).unwrap();
    assert!(told.contains("place offered: role"), "{told}");
    let (_, told) = project.hover(&path, Position::new(3, 14)).unwrap();
    assert!(told.contains("counter quiet_rounds"), "{told}");
    let (_, told) = project.hover(&path, Position::new(5, 3)).unwrap();
    assert!(told.contains("table of 5 rows"), "{told}");
    let found = project.definition(&path, Position::new(1, 6));
    assert_eq!(found.len(), 1);
    assert!(found[0].0.ends_with("rules/table.rules"));
    let wrong = &project.diagnostics()[&path];
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(wrong[0].range.start, Position::new(2, 4));
    assert!(wrong[0].message.contains("did you mean `house_stack`?"));
}

#[test]
fn a_clause_says_how_far_it_is_proven_unless_there_are_mistakes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rulesets/two-fairs");
    let folder = folder.canonicalize().unwrap();
    let rules = folder.join("rules/east.rules");
    let text = std::fs::read_to_string(&rules).unwrap();
    let cited = text
        .lines()
        .zip(0..)
        .find(|(line, _)| line.contains("@east.own"));
    let (line, number) = cited.unwrap();
    let at = Position::new(
        number,
        u32::try_from(line.find("@east.own").unwrap() + 2).unwrap(),
    );
    let library = LibraryOptions {
        rulesets: Vec::new(),
    };
    let told = |open| {
        let project = Project::read(&folder, &library, &open);
        project.hover(&rules, at).unwrap().1
    };
    let said = told(BTreeMap::new());
    let is_said = said.contains("\n\ntouched: ") || said.ends_with("\n\nproven");
    assert!(is_said, "{said}");
    let broken = format!("{text}\nphase broken\n  nonsense\n");
    let said = told(BTreeMap::from([(rules.clone(), broken)]));
    assert!(!said.contains("proven"), "{said}");
}
