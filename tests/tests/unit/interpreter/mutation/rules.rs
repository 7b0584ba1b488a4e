//! Each operator on a small text: what it makes of a sentence.

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::mutation::{Mutant, Operator, Over, mutants};
use interpreter::source::{PackageTexts, Sources};
use interpreter::syntax::rules::parse;

const RULESET: &str = "\
id: test
version: '1'
language: 1
titles: {en: Test, pl: Test}
players: {from: 2, to: 3}
files: {rules: [test.rules]}
";

/// Asserts that a text is a file of rules.
#[track_caller]
fn assert_parsed(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("test.rules", text);
    let mut diagnostics = Diagnostics::default();
    parse(&sources, file, &mut diagnostics);
    assert!(
        !diagnostics.has_errors(),
        "{text}\n{}",
        diagnostics.render(&sources, Style::Plain)
    );
}

/// The mutants of some rules.
fn planted(text: &str) -> Vec<Mutant> {
    assert_parsed(text);
    let files = [("ruleset.yaml", RULESET), ("test.rules", text)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let texts = PackageTexts::new("", files.into());
    let planted = mutants(&texts, &[], &Over::default()).expect("the manifest can be read");
    let all = planted.mutants.into_iter();
    all.filter(|mutant| mutant.path == "test.rules").collect()
}

/// The lines that an operator makes of rules, without those that stay.
#[track_caller]
fn changes(text: &str, operator: Operator, expected: &[&str]) {
    let of_it = planted(text)
        .into_iter()
        .filter(|mutant| mutant.operator == operator);
    let changed: Vec<String> = of_it
        .map(|mutant| {
            let after = mutant.applied(text);
            // Whatever is planted is still a file of rules.
            assert_parsed(&after);
            let new = after
                .lines()
                .filter(|line| !text.lines().any(|old| old == *line));
            let new: Vec<&str> = new.map(str::trim).collect();
            new.join(" | ")
        })
        .collect();
    assert_eq!(changed, expected, "{}", operator.id());
}

const QUESTION: &str = "\
phase shop(holder: player)  @shop
  step selling: each p from holder
    ask p
      move sell(g: good)  @shop.sell
        needs stock(p, g) > 0 and welcome(g)  @shop.own
        do { move(1, g, stock(p), supply); }
      move pass  @shop.optional
";

#[test]
fn conditions_are_left_out_and_turned_round() {
    changes(
        QUESTION,
        Operator::ConditionDropped,
        &[
            "needs true and welcome(g)  @shop.own",
            "needs stock(p, g) > 0 and true  @shop.own",
        ],
    );
    changes(
        QUESTION,
        Operator::ConditionNegated,
        &[
            "needs (not (stock(p, g) > 0)) and welcome(g)  @shop.own",
            "needs stock(p, g) > 0 and (not (welcome(g)))  @shop.own",
        ],
    );
    let alternatives = "query open(g: good): bool = not closed(g) or (is_free(g))\n";
    changes(
        alternatives,
        Operator::ConditionDropped,
        &[
            "query open(g: good): bool = false or (is_free(g))",
            "query open(g: good): bool = not closed(g) or false",
        ],
    );
    changes(
        alternatives,
        Operator::ConditionNegated,
        &[
            "query open(g: good): bool = closed(g) or (is_free(g))",
            "query open(g: good): bool = not closed(g) or (not ((is_free(g))))",
        ],
    );
}

#[test]
fn comparisons_have_other_limits_and_signs_and_numbers_are_off_by_one() {
    changes(
        QUESTION,
        Operator::ComparisonShifted,
        &[
            "needs stock(p, g) >= 0 and welcome(g)  @shop.own",
            "needs stock(p, g) > 1 and welcome(g)  @shop.own",
        ],
    );
    changes(
        QUESTION,
        Operator::NumberChanged,
        &[
            "do { move(2, g, stock(p), supply); }",
            "do { move(0, g, stock(p), supply); }",
        ],
    );
    changes(
        "query rest(a: int, b: int): bool = a + 1 <= b\n",
        Operator::ComparisonShifted,
        &[
            "query rest(a: int, b: int): bool = a + 1 < b",
            "query rest(a: int, b: int): bool = a + 1 <= (b) + 1",
            "query rest(a: int, b: int): bool = a + 1 == b",
        ],
    );
    // What is the same of every number that is counted is not made: `== 0` and `<= 0`, `> 0` and `!= 0`.
    for (written, expected) in [
        (
            "n == 2",
            "n == 3, n == 1, n <= 2, n <= 3, n <= 1, n >= 2, n >= 3, n >= 1",
        ),
        ("n == 0", "n == 1, n <= 1, n >= 1"),
        ("n != 2", "n != 3, n != 1"),
        ("n < 2", "n <= 2, n < 1, n != 2"),
        ("n > 2", "n >= 2, n > 3, n != 2"),
        ("n > 0", "n >= 0, n > 1"),
        ("n <= 0", "n < 0, n <= 1"),
        ("n >= 1", "n > 1, n >= 0, n == 1"),
    ] {
        let expected: Vec<String> = expected
            .split(", ")
            .map(|changed| format!("query of(n: int): bool = {changed}"))
            .collect();
        changes(
            &format!("query of(n: int): bool = {written}\n"),
            Operator::ComparisonShifted,
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn statements_are_not_done() {
    let script = "\
effect settle(p: player)
  do {
    let n = 2;
    for g in goods {
      if stock(p, g) > n { pay(coins(p), 1); } else { n += 1; }
    }
  }
";
    changes(
        script,
        Operator::StatementDropped,
        &[
            "if stock(p, g) > n {  } else { n += 1; }",
            "if stock(p, g) > n { pay(coins(p), 1); } else {  }",
            "",
            "",
        ],
    );
    changes(
        script,
        Operator::ConditionNegated,
        &["if !(stock(p, g) > n) { pay(coins(p), 1); } else { n += 1; }"],
    );
    changes(
        script,
        Operator::EndsExchanged,
        &["if stock(p, g) > n { gain(coins(p), 1); } else { n += 1; }"],
    );
}

#[test]
fn what_is_added_elsewhere_is_missing() {
    let added = "\
building market for p when active  @market
  modify sale(p, g) by 1

building harbor for p when active  @harbor
  # Whoever loads is paid.
  on loaded(p, n) when n > 1: do { award(p, 1); }
  modify room(p) by 1 as wide

before shop.selling as early: do { shuffle(stack); }  @early
ending poor when coins(first_player) == 0, after round
";
    changes(added, Operator::ContributionRemoved, &["", ""]);
    let market = &planted(added)[0];
    assert!(
        !market.applied(added).contains("market"),
        "{}",
        market.applied(added)
    );
    changes(added, Operator::TriggerRemoved, &[""]);
    changes(added, Operator::InsertionRemoved, &[""]);
    changes(added, Operator::EndingRemoved, &[""]);
    changes(
        added,
        Operator::MomentChanged,
        &[
            "after shop.selling as early: do { shuffle(stack); }  @early",
            "ending poor when coins(first_player) == 0",
        ],
    );
}

#[test]
fn secrets_are_open_and_audiences_see_nothing() {
    let table = "\
place deck: pile of card  face down  refilled from tray
place hand(p: player): card  seen by p  room 5
counter gold(p: player)  counted by p
marker aim(p: player): good  seen by p
place vault(p: player): card  seen by p  counted by p
";
    changes(
        table,
        Operator::SecretOpened,
        &[
            "place deck: pile of card  refilled from tray",
            "place hand(p: player): card  room 5",
            "counter gold(p: player)",
            "marker aim(p: player): good",
            "place vault(p: player): card  seen by p",
        ],
    );
    changes(
        table,
        Operator::AudienceChanged,
        &[
            "place hand(p: player): card  face down  room 5",
            "marker aim(p: player): good  face down",
            "place vault(p: player): card  face down  counted by p",
        ],
    );
}

#[test]
fn may_and_must_once_and_often_are_confused() {
    changes(QUESTION, Operator::DeclineChanged, &[""]);
    let must = "\
phase shop(holder: player)
  step selling: cycle p from holder until a lap without sold
    ask p
      move sell(g: good)  once per shop
        needs stock(p, g) > 0
        do { raise(sold(p)); }
      move haggle(g: good)
        do { raise(sold(p)); }
  on sold(p): do { gain(coins(p), 1); }
";
    changes(must, Operator::DeclineChanged, &["move decline_anyway"]);
    changes(
        must,
        Operator::OnceChanged,
        &[
            "on sold(p), once per shop: do { gain(coins(p), 1); }",
            "move sell(g: good)",
            "move haggle(g: good), once per shop",
        ],
    );
}

#[test]
fn steps_and_turns_come_in_another_order() {
    let steps = "\
phase round
  step first: each p from governor
    do { take(1, corn, supply, stock(p)); }
  # Then the rest of it is shuffled.
  step second: do { shuffle_into(supply, stack); }
  query after(p: player): player = next(p)
";
    changes(
        steps,
        Operator::TurnOrderChanged,
        &[
            "query after(p: player): player = next(next(p))",
            "query after(p: player): player = (p)",
            "step first: each p from next(governor)",
        ],
    );
    changes(
        steps,
        Operator::EachExchanged,
        &["step first: each p from governor where p is (governor)"],
    );
    let exchanged = planted(steps);
    let exchanged = exchanged
        .iter()
        .find(|m| m.operator == Operator::StepsExchanged);
    let exchanged = exchanged.expect("two steps").applied(steps);
    let (first, second) = (exchanged.find("step first"), exchanged.find("step second"));
    assert!(second < first, "{exchanged}");
}

#[test]
fn roundings_extremes_quantities_and_ties_are_confused() {
    let values = "\
query share(p: player): int = max(1, coins(p) / 3)
  at most 7
query best: int = max g in goods: price(g)
query rich(p: player): bool = all g in goods: stock(p, g) > 0
winner p with most score(p)
  then fewest coins(p)
";
    changes(
        values,
        Operator::RoundingChanged,
        &["query share(p: player): int = max(1, ((coins(p)) + (3) - 1) / (3))"],
    );
    changes(
        values,
        Operator::ExtremeExchanged,
        &[
            "query share(p: player): int = min(1, coins(p) / 3)",
            "at least 7",
            "query best: int = min g in goods: price(g)",
        ],
    );
    changes(
        values,
        Operator::EachExchanged,
        &["query rich(p: player): bool = any g in goods: stock(p, g) > 0"],
    );
    changes(
        values,
        Operator::TieRuleChanged,
        &["winner p with fewest score(p)", "then most coins(p)", ""],
    );
}

#[test]
fn hints_and_requirements_are_left_alone() {
    let aside = "\
hint worth(p: player): int = coins(p) * 2
require all g in goods: price(g) > 0
";
    assert_eq!(planted(aside), []);
}

/// Two steps with a table around them, and whether exchanging them is a mistake.
#[track_caller]
fn exchanged(a: &str, b: &str, around: &str, is_mistake: bool) {
    let [a, b] = [a, b].map(|step| match step.starts_with("when") {
        true => format!(" {step}"),
        false => format!(": {step}"),
    });
    let text = format!(
        "\
place supply: good
place stock(p: player): good
place deck: pile of card  refilled from discards
place discards: card
counter coins(p: player)
counter laps  at most rounds_of(first_player)
marker first: player
query wealth(p: player): int = coins(p) * 2
modify wealth(p) by laps
{around}
phase round
  step one{a}
  step two{b}
"
    );
    let planted = planted(&text);
    let found = planted
        .iter()
        .any(|mutant| mutant.operator == Operator::StepsExchanged);
    assert_eq!(found, is_mistake, "{text}");
}

#[test]
fn steps_that_do_not_touch_each_other_are_not_exchanged() {
    let coins = "each p from first\n    do { gain(coins(p), 1); }";
    let goods = "do { move_all(discards, supply); }";
    exchanged(coins, goods, "", false);
    exchanged(
        "when laps > 1: do { shuffle(deck); }",
        "do { gain(coins(first), 1); }",
        "",
        false,
    );
    // Everybody gets a coin, whoever is first.
    exchanged(coins, "do { set(first, next(first)); }", "", false);

    // What the one changes the other names, itself or by way of a query that is changed elsewhere.
    exchanged(coins, "do { gain(coins(first), 2); }", "", true);
    exchanged(
        coins,
        "do { if wealth(first) > 3 { move_all(discards, supply); } }",
        "",
        true,
    );
    exchanged(
        "do { gain(laps, 1); }",
        "when wealth(first) > 2: do { move_all(discards, supply); }",
        "",
        true,
    );
    exchanged(
        "each p from first\n    do { draw(1, deck, hand(p)); }",
        goods,
        "",
        true,
    );
    // Somebody is asked, or something happens because of it.
    exchanged("ask first\n    move pass", goods, "", true);
    exchanged("do { raise(begun()); }", goods, "", true);
    exchanged("visit fair", goods, "", true);
    exchanged(
        "do { settle(first); }",
        goods,
        "effect settle(p: player)\n  do { gain(laps, 1); }",
        true,
    );
    // Chance comes into both.
    exchanged("do { shuffle(deck); }", "do { shuffle(pool); }", "", true);
    // Something looks at the table in between, or stands between them.
    exchanged(coins, goods, "ending full when size(supply) > 9", true);
    exchanged(
        coins,
        goods,
        "when wealth(first) > 8 becomes true as rich: do { finish(full); }",
        true,
    );
    exchanged(
        coins,
        goods,
        "before round.two: do { gain(laps, 1); }",
        true,
    );
}

/// A step in which each player has a turn, and whether it is a mistake to begin with another player.
#[track_caller]
fn begun_by_another(turn: &str, around: &str, is_mistake: bool) {
    let text = format!(
        "\
place supply: good
place stock(p: player): good
place held(p: player): role
place offered: role
place deck: pile of card
place hand(p: player): card
place cart: good  room 3
counter coins(p: player)
counter pot
query rest(g: good): int = supply(g)
{around}
phase round
  step turns: each p from first
    {turn}
"
    );
    let planted = planted(&text);
    let found = planted
        .iter()
        .any(|mutant| mutant.applied(&text).contains("from next(first)"));
    assert_eq!(found, is_mistake, "{text}");
}

#[test]
fn turns_that_come_to_the_same_in_any_order_begin_with_anybody() {
    for same in [
        "do { gain(coins(p), share); }",
        "do { move_all(held(p), offered); }",
        "do { for g in goods { if stock(p, g) > 2 { move(1, g, stock(p), supply); } } gain(coins(p), size(stock(p))); }",
        "do { take_out(1, crook, deck, hand(p)); }",
        "do { pay(coins(p), 1); gain(pot, 1); }",
    ] {
        begun_by_another(same, "", false);
    }
    for other in [
        // Somebody is asked, or chance decides.
        "ask p\n      move pass",
        "do { draw(1, deck, hand(p)); }",
        // It runs out, is looked at, or has no room.
        "do { take(1, corn, supply, stock(p)); }",
        "do { if supply(corn) > 2 { move(1, corn, supply, stock(p)); } }",
        "do { move(rest(corn), corn, supply, stock(p)); }",
        "do { move(1, corn, stock(p), cart); }",
        "do { pay(pot, 1); gain(coins(p), 1); }",
        // What is another's is looked at, or changed.
        "do { gain(coins(p), coins(next(p))); }",
        "do { gain(coins(next(p)), 1); gain(coins(p), 1); }",
        "do { set(first, p); }",
        "do { for p in players { gain(coins(p), 1); } }",
    ] {
        begun_by_another(other, "", true);
    }
    let coin = "do { gain(coins(p), share); }";
    begun_by_another(
        coin,
        "ending rich when any p in players: coins(p) > 9",
        true,
    );
    begun_by_another(
        coin,
        "before each turn of p in round.turns: do { gain(pot, 1); }",
        true,
    );
}

#[test]
fn what_require_alone_asks_is_left_alone() {
    let asserted = "\
require all g in goods: worth(g) > known(g)
query worth(g: good): int = price(g) + basic(g)
query basic(g: good): int = 1 + price(g)
query known(g: good): int = 3 + price(g)
hint riches(p: player): int = basic(first)
counter gold  starts known(corn)
";
    changes(
        asserted,
        Operator::NumberChanged,
        &[
            "query known(g: good): int = 4 + price(g)",
            "query known(g: good): int = 2 + price(g)",
        ],
    );
}

#[test]
fn ids_stay_when_something_is_written_above() {
    let below = format!("# A comment.\n\nquery more: int = 1\n{QUESTION}");
    let ids = |text: &str| -> Vec<String> {
        let all = planted(text).into_iter();
        all.filter(|m| m.site.step.is_some())
            .map(|m| m.id)
            .collect()
    };
    assert!(!ids(QUESTION).is_empty());
    assert_eq!(ids(QUESTION), ids(&below));
    let clause = |m: &Mutant| m.site.clause.clone().unwrap_or_default();
    let dropped = planted(QUESTION)
        .into_iter()
        .find(|m| m.operator == Operator::ConditionDropped);
    let dropped = dropped.expect("a condition");
    assert_eq!(clause(&dropped), "shop.own");
    assert_eq!(dropped.site.step.as_deref(), Some("shop.selling"));
    assert_eq!(
        dropped.site.mv,
        Some(("sell".to_owned(), vec!["g".to_owned()]))
    );
}
