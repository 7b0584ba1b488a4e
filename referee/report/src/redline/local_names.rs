//! Names that are bound within a sentence of the rules: what they are called says nothing.
//!
//! In: the words and signs of a sentence. Out: the same, with a number for each name that `let`, `for … in` or an aggregate
//! binds. Where it is not certain that a name means the same everywhere in the sentence, it stays as it is written.

/// The stretch in which a name is bound.
struct Bound<'t> {
    name: &'t str,
    /// Where it is bound.
    at: usize,
    /// Where it can be used.
    from: usize,
    to: usize,
}

/// Replaces names that a sentence binds itself by numbers.
pub fn unnamed(tokens: &[String]) -> Vec<String> {
    let mut bound = in_scripts(tokens);
    bound.extend(in_expressions(tokens));
    bound.sort_by_key(|bound| bound.at);
    let innermost = |at: usize| {
        let here = bound.iter().enumerate().filter(|(_, bound)| {
            bound.name == tokens[at]
                && (bound.at == at || (bound.from <= at && at < bound.to && !member(tokens, at)))
        });
        here.max_by_key(|(_, bound)| bound.at)
            .map(|(number, _)| number)
    };
    let found: Vec<Option<usize>> = (0..tokens.len()).map(innermost).collect();
    // A name that is used where it is not bound may be that of something else there.
    let elsewhere = |name: &str| {
        let mut uses = tokens.iter().zip(&found);
        uses.any(|(token, found)| token == name && found.is_none())
    };
    let free: Vec<bool> = bound.iter().map(|bound| elsewhere(bound.name)).collect();
    let each = tokens.iter().zip(&found).map(|(token, found)| match found {
        Some(number) if !free[*number] => format!("${number}"),
        _ => token.clone(),
    });
    each.collect()
}

/// Whether a word is a part of something, as `paid` of `d.paid`.
fn member(tokens: &[String], at: usize) -> bool {
    at > 0 && tokens[at - 1] == "."
}

fn is_name(token: Option<&String>) -> bool {
    token.is_some_and(|token| token.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// How a sign changes how deep one is in brackets.
fn deeper(token: &str) -> i32 {
    match token {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The first place from one on, no deeper than it, where something holds; or where the brackets around it end.
fn seek(tokens: &[String], from: usize, found: impl Fn(usize) -> bool) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if depth == 0 && found(at) {
            return at;
        }
        depth += deeper(token);
        if depth < 0 {
            return at;
        }
    }
    tokens.len()
}

/// Names that scripts bind.
fn in_scripts(tokens: &[String]) -> Vec<Bound<'_>> {
    let mut all = Vec::new();
    let mut depth = 0u32;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "let" if depth > 0 && is_name(tokens.get(at + 1)) => {
                let end = seek(tokens, at + 2, |at| tokens[at] == ";");
                all.push(Bound {
                    name: &tokens[at + 1],
                    at: at + 1,
                    from: end,
                    to: seek(tokens, end, |_| false),
                });
            }
            "for" if depth > 0 && is_name(tokens.get(at + 1)) => {
                let block = seek(tokens, at + 2, |at| tokens[at] == "{");
                all.push(Bound {
                    name: &tokens[at + 1],
                    at: at + 1,
                    from: block,
                    to: seek(tokens, block + 1, |_| false),
                });
            }
            _ => {}
        }
    }
    all
}

/// Names that aggregates bind: `any o in ships where o is not s: hold(o, g) > 0`.
fn in_expressions(tokens: &[String]) -> Vec<Bound<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    let mut depth = 0u32;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ if depth == 0 && aggregate(tokens, at) => at = within(tokens, at, &mut all) - 1,
            _ => {}
        }
        at += 1;
    }
    all
}

fn aggregate(tokens: &[String], at: usize) -> bool {
    let word = tokens[at].as_str();
    matches!(
        word,
        "any" | "all" | "sum" | "max" | "min" | "count" | "first"
    ) && is_name(tokens.get(at + 1))
        && tokens.get(at + 2).is_some_and(|token| token == "in")
}

/// Reads an aggregate with all that stand within it. Gives where it ends: too early rather than too late, as a name that is used
/// behind it then stays as it is written.
fn within<'t>(tokens: &'t [String], at: usize, all: &mut Vec<Bound<'t>>) -> usize {
    let kind = tokens[at].as_str();
    let mut from = None;
    let mut depth = 0;
    let mut place = at + 3;
    let mut body = false;
    while let Some(token) = tokens.get(place) {
        if aggregate(tokens, place) {
            place = within(tokens, place, all);
            continue;
        }
        let token = token.as_str();
        if depth == 0 {
            let arrow = token == "-" && tokens.get(place + 1).is_some_and(|next| next == ">");
            let ends = match (kind, body) {
                (_, false) => false,
                ("any" | "all", true) => matches!(token, "and" | "or"),
                (_, true) => matches!(token, "and" | "or" | "is" | "<" | ">" | "=" | "!"),
            };
            if ends || arrow || matches!(token, "," | "when" | "at" | "then" | "{" | "}") {
                break;
            }
            match token {
                "where" => from = from.or(Some(place)),
                ":" if body => break,
                ":" => {
                    body = true;
                    from = from.or(Some(place));
                }
                _ => {}
            }
        }
        depth += deeper(token);
        if depth < 0 {
            break;
        }
        place += 1;
    }
    all.push(Bound {
        name: &tokens[at + 1],
        at: at + 1,
        from: from.unwrap_or(place),
        to: place,
    });
    place.max(at + 3)
}
