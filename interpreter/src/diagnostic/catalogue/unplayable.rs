//! 09xx: constructs that are known but not yet playable.

macro_rules! unplayable {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        UnplayableConstruct = 901, "not yet playable",
            "The grammar knows this construct, so that rules can be written and read, but no shipped ruleset has \
             needed it and the engine does not play it yet.",
            wrong: "\
phase game
  step voting: ask players, all answer, sealed
    move agree
    move refuse
",
            right: "\
phase game
  step voting: ask players, all answer
    move agree
    move refuse
";
    } };
}
