//! 02xx: scripts in `do { … }`.

macro_rules! scripts {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        MalformedScript = 201, "script cannot be read",
            "The script between the braces is not well formed from the marked place on. Statements end with `;`, \
             blocks stand in braces, conditions need no parentheses: `if n > 0 { gain(purse(p), n); }`.",
            wrong: "\
effect forgive: do { set(taxes, ; }
",
            right: "\
effect forgive: do { set(taxes, 0); }
";

        UnsupportedScriptFeature = 202, "not part of scripts",
            "Scripts know numbers, names, calls, `let`, assignments, `if`, `for`, `while`, `break` and `continue`. \
             What else the scripting language has (texts, lists, maps, closures, functions, `return`, `switch`, \
             `try`) could not be checked before the first move, so it is refused. The help says what to write \
             instead.",
            wrong: "\
effect tax: do { let rates = [1, 2]; gain(taxes, rates[0]); }
",
            right: "\
effect tax: do { let rate = 1; gain(taxes, rate); }
";

        ExcessiveScriptNesting = 203, "script nested too deeply or too long",
            "A script is nested more deeply, or longer, than the engine reads. Divide it: write effects (`effect \
             award(p: player, n: int)`) and call them.",
            wrong: "\
effect tax: do { if !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!(taxes > 0) { gain(taxes, 1); } }
",
            right: "\
effect tax: do { if taxes > 0 { gain(taxes, 1); } }
";
    } };
}
