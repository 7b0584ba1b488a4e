//! 08xx: lints, that is what is allowed but suspicious.

macro_rules! lints {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        UncitedClause = 801, "clause that no rule cites",
            "A clause that is enforced is cited where it is enforced, so that refusals can name it and coverage \
             can count it. A clause that no machine can enforce is `kind: note`.",
            wrong: "\
# rulebook.yaml
sections:
  - id: market
    titles: {en: The market, pl: Targ}
    clauses:
      - {id: end, en: The game ends when somebody is rich., pl: \"Gra kończy się, gdy ktoś jest bogaty.\"}
      - {id: purse.start, en: Everybody begins with two coins., pl: Każdy zaczyna z dwiema monetami.}
      - {id: thanks, en: Thank whoever brought the game., pl: \"Podziękuj temu, kto przyniósł grę.\"}
",
            right: "\
# rulebook.yaml
sections:
  - id: market
    titles: {en: The market, pl: Targ}
    clauses:
      - {id: end, en: The game ends when somebody is rich., pl: \"Gra kończy się, gdy ktoś jest bogaty.\"}
      - {id: purse.start, en: Everybody begins with two coins., pl: Każdy zaczyna z dwiema monetami.}
      - {id: thanks, kind: note, en: Thank whoever brought the game., pl: \"Podziękuj temu, kto przyniósł grę.\"}
";

        UnusedName = 802, "name that is not used",
            "A parameter of a move, a local of a script or a variable of a loop or a sum has no use. In scripts a \
             name that begins with `_` says that this is meant.",
            wrong: "\
effect tax(p: player): do { let due = 1; pay(coins(p), 1); }
",
            right: "\
effect tax(p: player): do { let due = 1; pay(coins(p), due); }
";

        UnusedValue = 803, "value that is not used",
            "A statement computes a value and drops it. Perhaps a verb is missing.",
            wrong: "\
effect tax(p: player): do { coins(p); }
",
            right: "\
effect tax(p: player): do { pay(coins(p), 1); }
";

        UnnamedNumber = 804, "number without a name",
            "Figures stand in tables and in `setup.yaml`, where a proofreader finds each in one place with its \
             clause. Rules use them by name; only 0, 1 and 2, and the numbers of hints, need none.",
            wrong: "\
query is_rich(p: player): bool = coins(p) > 12
",
            right: "\
# setup.yaml
figures: {rounds: 6, most_taxes: 9, wealth: 12}
# rules/example.rules
query is_rich(p: player): bool = coins(p) > wealth
";
    } };
}
