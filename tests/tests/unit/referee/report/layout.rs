//! Tests of the module `report::layout`.

use referee::report::layout::{CITATIONS, Left, formatted};

fn written(text: &str) -> String {
    match formatted("x.rules", text) {
        Ok(text) => text,
        Err(Left::Mistakes(sources, diagnostics)) => {
            panic!(
                "{}",
                diagnostics.render(&sources, interpreter::diagnostic::Style::Plain)
            )
        }
        Err(Left::Meaning) => panic!("it means something else"),
    }
}

#[test]
fn sentences_citations_and_scripts_find_their_columns() {
    let text = "\
# The game.


phase game   @game
     # Who begins.
     step first: each p from first_player @game.first
         do {
             for q in players {
                 gain(points(q), 1);
             }
         }   
     step second
         ask first_player
             move stop   @game.stop   # at once
                 needs size(hand) ==
                       0 @game.empty



";
    let right = "\
# The game.

phase game                                                                  @game
  # Who begins.
  step first: each p from first_player                                      @game.first
    do {
        for q in players {
            gain(points(q), 1);
        }
    }
  step second
    ask first_player
      move stop                                                             @game.stop   # at once
        needs size(hand) ==
              0                                                             @game.empty
";
    assert_eq!(written(text), right);
    assert_eq!(written(right), right, "once is enough");
}

#[test]
fn long_lines_keep_their_citation_close() {
    let long = format!("query {}: int = 1 @a.b\n", "q".repeat(80));
    assert_eq!(written(&long), long.replace(" @", "  @"));
}

#[test]
fn a_citation_on_a_line_of_its_own_stands_in_its_column() {
    let text = "place bank: coin\n @table.bank\n";
    let right = format!("place bank: coin\n{}@table.bank\n", " ".repeat(CITATIONS));
    assert_eq!(written(text), right);
    assert_eq!(written(&right), right, "once is enough");
}

#[test]
fn what_stands_behind_a_colon_stands_on_the_line_above() {
    let text = "\
replace round.dealing: step dealing: each p from leader                     @dealing
     do {
       draw(1, deck, hand(p));
     }
";
    assert_eq!(written(text), text.replace("\n   ", "\n"));
}

#[test]
fn what_has_mistakes_is_left_alone() {
    let left = formatted("x.rules", "phase game\n  stepp first\n");
    assert!(matches!(left, Err(Left::Mistakes(..))));
    assert_eq!(written(""), "");
    assert_eq!(written("\u{feff}# only\r\n"), "# only\n");
}
