//! 04xx: composition of a base and its modules.

macro_rules! composition {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        UnknownModule = 401, "unknown module",
            "The match is configured with a module that the ruleset does not offer. Modules are offered under \
             `modules` in `ruleset.yaml` and lie in folders of their ids; a house rule is given by its folder \
             instead.",
            wrong: "\
# referee check market --with fare
",
            right: "\
# referee check market --with fair
";

        WrongBaseRuleset = 402, "module of another ruleset",
            "`extends` in `module.yaml` names the ruleset for which a module is made. It was laid over another \
             one.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
extends: bazaar
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
extends: market
";

        MissingRequiredModule = 403, "required module is missing",
            "A module says under `requires` that it cannot do without another module, which is not among those \
             chosen.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
requires: [tax]
",
            right: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
requires: [tax]
";

        ExcludedModule = 404, "modules that exclude each other",
            "A module says under `excludes` that it cannot be played together with another one that is also \
             chosen.",
            wrong: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
excludes: [tax]
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
excludes: [tax]
";

        ConflictingChanges = 405, "two modules change the same thing",
            "Two modules give the same field different values, replace or disable the same rule, or one removes \
             what the other changes. The engine does not guess which is meant. If one of them should decide, let \
             its `module.yaml` say `after:` and the id of the other, or its `replace` say `after` and that id; if \
             they do not go together, let one exclude the other.",
            wrong: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
patch: {figures: {rounds: 5}}
# modules/tax/module.yaml
patch: {figures: {rounds: 7}}
",
            right: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
patch: {figures: {rounds: 5}}
# modules/tax/module.yaml
after: [fair]
patch: {figures: {rounds: 7}}
";

        UnknownPatchTarget = 406, "change of something that does not exist",
            "`patch` and `remove` change tables, rows and figures of what lies below a module, `replace` and \
             `disable` its rules, by their names. There is nothing of this name there, or an earlier module has \
             removed it. Tables are named in the singular, steps and moves as `phase.step`.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
patch: {figures: {round: 5}}
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
patch: {figures: {rounds: 5}}
";

        DuplicateAddition = 407, "module adds what exists already",
            "A module adds an option, figure, table, column or row whose id is taken by the base or by another \
             module. To change what exists, write it under `patch:` in `module.yaml`; to add something new, give \
             it another id.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
files: {setup: setup.yaml}
# modules/fair/setup.yaml
figures: {rounds: 5}
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
patch: {figures: {rounds: 5}}
";

        CyclicModuleOrder = 408, "modules that come after one another",
            "Modules say `after:` of one another in a circle, so there is no order in which they could be laid. \
             Remove one of the lines.",
            wrong: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
after: [tax]
# modules/tax/module.yaml
after: [fair]
",
            right: "\
# referee check market --with fair,tax
# modules/fair/module.yaml
after: [tax]
";

        MismatchedModuleId = 409, "module and folder differ",
            "A module that a ruleset offers lies in a folder of its id: the module `nobles` in `modules/nobles`.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
id: the-fair
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
id: fair
";

        UnsupportedPlayerCount = 410, "wrong number of players",
            "The match is configured for a number of players that the ruleset, with the chosen modules, does not \
             allow.",
            wrong: "\
# referee check market --players 5
",
            right: "\
# referee check market --players 4
";

        UnknownOption = 411, "unknown option",
            "The match is configured with an option that the ruleset does not have, or with a value that it cannot \
             have.",
            wrong: "\
# referee check market --option open_purse
",
            right: "\
# referee check market --option open_purses
";

        DuplicateModule = 412, "module chosen twice",
            "Every module is laid once. Remove it from the list, or rename the house rule that has the same id.",
            wrong: "\
# referee check market --with fair,fair
",
            right: "\
# referee check market --with fair
";

        QuerySignatureMismatch = 413, "query replaced by one of another shape",
            "A query that replaces another is asked by the same rules, so it takes as many arguments of the same \
             types, in the same order, and gives a value of the same type.",
            wrong: "\
# referee check market --with fair
# modules/fair/fair.rules
replace worth
  query worth(g: good, n: int): int = n * price(g)
",
            right: "\
# referee check market --with fair
# modules/fair/fair.rules
replace worth
  query worth(g: good): int = 2 * price(g)
";
    } };
}
