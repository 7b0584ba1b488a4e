//! 07xx: the phase graph.

macro_rules! graph {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        EmptyPhase = 701, "phase without steps",
            "A phase does something: it has at least one step.",
            wrong: "\
phase game
  step opening: visit day
phase day
  keeps visitors: int
",
            right: "\
phase game
  step opening: visit day
phase day
  keeps visitors: int
  step rain: do { set(visitors, 0); }
";

        UnvisitedPhase = 702, "phase that nothing visits",
            "No step visits this phase, directly or through others, and it `plays` no row, so it never happens.",
            wrong: "\
phase day
  step rain: do { gain(taxes, 1); }
",
            right: "\
phase game
  step opening: visit day
phase day
  step rain: do { gain(taxes, 1); }
";

        UnboundedPhaseRecursion = 703, "phase that visits itself",
            "A phase that visits itself, directly or through others, need not end. Repeat a step instead, or say `at \
             most n deep`.",
            wrong: "\
phase game
  step opening: visit day
phase day
  step again when taxes == 0: visit day
",
            right: "\
phase game
  step opening: visit day
phase day  at most 2 deep
  step again when taxes == 0: visit day
";

        InfiniteRecursion = 704, "query or effect that asks itself",
            "Asking this query, or calling this effect, asks it again, directly or through others (a `possible(…)` \
             asks all conditions of the move). Such a call need not end. Aggregates go through many things (`sum`, \
             `count`, `max`, `min`, `any`, `all`), and scripts repeat with `while` and `for`.",
            wrong: "\
query days_left(n: int): int = 1 + days_left(n - 1)
",
            right: "\
query days_left(n: int): int = rounds - n
";

        ExcessiveCallDepth = 705, "calls nested too deeply",
            "Queries and effects may ask others, which ask others in turn, but only so deep: evaluating them must \
             not exhaust the machine. The note shows the longest way. Rules that people can follow stay far below.",
            wrong: "\
query first(n: int): int = second(n) + 1
query second(n: int): int = third(n) + 1
# … and so on, with more than 48 calls within one another
",
            right: "\
query first(n: int): int = n + rounds
";

        WorkLimitExceeded = 706, "more work than is allowed",
            "What the making of a ruleset takes is counted: about a unit for every part of an expression, each \
             time that the compiler reads, writes or computes it. The largest games that are shipped take a small \
             part of what is allowed. More is asked for by tables of many thousand rows that are laid against each \
             other, or by first values that are summed up over such tables.",
            wrong: "\
# With a table of 1000 goods:
counter debts(g: good)  starts sum a in goods: sum b in goods: price(a) % price(b)
",
            right: "\
counter debts(g: good)  starts price(g)
";
    } };
}
