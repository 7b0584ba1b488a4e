//! Words that cannot be names.
//!
//! Rules and scripts share their names, so a name must be one in both notations. The grammar keeps
//! only the words that may stand where a value stands; scripts keep those of Rhai.

/// Words that Rhai keeps for itself, and that are no words of rules.
const RHAI: &[&str] = &[
    "as",
    "async",
    "await",
    "break",
    "call",
    "case",
    "catch",
    "const",
    "continue",
    "curry",
    "debug",
    "default",
    "do",
    "else",
    "eval",
    "exit",
    "export",
    "fn",
    "for",
    "global",
    "go",
    "goto",
    "if",
    "import",
    "is_def_fn",
    "is_def_var",
    "is_shared",
    "let",
    "loop",
    "match",
    "module",
    "new",
    "nil",
    "null",
    "package",
    "print",
    "private",
    "protected",
    "public",
    "return",
    "shared",
    "spawn",
    "static",
    "super",
    "switch",
    "sync",
    "this",
    "thread",
    "throw",
    "try",
    "type_of",
    "until",
    "use",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "Fn",
];

/// Words of the grammar that may stand where a value stands.
const RULES: &[&str] = &[
    "all",
    "and",
    "any",
    "each",
    "false",
    "in",
    "is",
    "none",
    "not",
    "or",
    "otherwise",
    "true",
    "when",
    "where",
];

/// Whether scripts cannot use this word as a name.
pub fn in_scripts(word: &str) -> bool {
    RHAI.contains(&word)
}

/// Whether this word can be no name at all, neither of a rule nor of a row of a table.
pub fn is_reserved(word: &str) -> bool {
    RHAI.contains(&word) || RULES.contains(&word)
}
