//! What a phase keeps and nothing has set yet is told to nobody as if it had been chosen.

use interpreter::play::Audience;
use referee_tests::games::{puerto_rico, san_juan, walk};
use referee_tests::mini;

const TURN: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer: visit turn(p)
phase turn(p: player)
  keeps picked: colour
  keeps again: colour
  keeps stirred: colour
  keeps unsure: option colour
  step asking: ask p
    move choose(c: colour)
      do {
        set(picked, c);
        raise(noted(p, 1));
      }
  step looping: repeat until purse(p) > 4
    ask p
      move more(c: colour)
        do {
          set(again, c);
          set(unsure, c);
          gain(purse(p), 1);
        }
  on noted(q, n): do { set(stirred, red); gain(purse(q), n - 1); }
ending rich when any p in players: purse(p) > 20
";

#[test]
fn what_nothing_has_set_is_known_by_the_steps_before() {
    let ruleset = mini::ruleset(TURN);
    let model = ruleset.model();
    let phase = model.phases.iter().find(|phase| &*phase.name == "turn");
    let phase = phase.expect("the phase");
    let before = |name: &str| -> Vec<String> {
        let var = phase.keeps.iter().find(|var| &*var.name == name);
        let steps = ruleset.steps_before_set(phase, var.expect("it keeps it"));
        steps.iter().map(|step| step.to_string()).collect()
    };
    assert_eq!(before("picked"), ["turn.asking"]);
    // A step that comes again comes after what it has set.
    assert_eq!(before("again"), ["turn.asking"]);
    // What follows an event may come at any time.
    assert_eq!(before("stirred"), [""; 0]);
    // This says by itself that it is nothing yet.
    assert_eq!(before("unsure"), [""; 0]);
}

#[test]
fn whoever_chooses_a_role_has_chosen_none() {
    for ruleset in [puerto_rico(3), san_juan(3)] {
        let mut phases = ruleset.model().phases.iter();
        let phase = phases.find(|phase| &*phase.name == "turn").expect("turns");
        let var = phase.keeps.iter().find(|var| &*var.name == "picked");
        let before = ruleset.steps_before_set(phase, var.expect("a role"));
        let (mut choosing, mut chosen) = (0, 0);
        walk(&ruleset, 3, true, |game| {
            let view = game.view(Audience::Spectator);
            let kept = view
                .kept
                .iter()
                .any(|(kept, _)| &*kept.name == "turn.picked");
            let Some(asking) = view.asking else {
                assert!(view.outcome.is_some(), "somebody is asked until the end");
                return;
            };
            assert_eq!(before.contains(&asking), &*asking == "turn.choosing");
            choosing += usize::from(kept && before.contains(&asking));
            chosen += usize::from(kept && !before.contains(&asking));
        });
        assert!(choosing > 9 && chosen > 9, "{choosing}, {chosen}");
    }
}
