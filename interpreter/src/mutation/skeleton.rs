//! The skeleton of a scenario that would notice a mutant: what can be said without knowing the rule.

use super::Operator;
use super::mutant::Mutant;
use crate::program::package::Package;

/// A scenario in YAML, with `…` where its author has to say what is right.
pub fn skeleton(mutant: &Mutant, package: &Package, players: u8) -> String {
    let clause = mutant.site.clause.as_deref();
    let text = clause.and_then(|id| package.rulebook.clause(id));
    let name = text.map_or_else(
        || mutant.says.en.clone(),
        |clause| {
            let first = clause.text.en.split(". ").next().unwrap_or_default();
            first.trim_end_matches('.').to_owned()
        },
    );
    let mut lines = vec![format!("- scenario: {}", quoted(&name))];
    lines.extend(clause.map(|clause| format!("  cites: [{clause}]")));
    if let Some(clause) = clause {
        let places = package.rulebook.printed(clause);
        lines.extend(places.map(|paragraph| format!("  # {}", paragraph.place())));
    }
    lines.push(format!("  game: {{players: {players}, seed: 1}}"));
    lines.push("  given:".to_owned());
    match &mutant.site.step {
        Some(step) => lines.push(format!("    at: {step}")),
        None => lines.push("    p1: {…}".to_owned()),
    }
    let is_gate = matches!(
        mutant.operator,
        Operator::ConditionDropped | Operator::ComparisonShifted
    );
    let mv = mutant.site.mv.as_ref().map(|(name, params)| {
        let params: Vec<String> = params.iter().map(|param| format!("{param}: …")).collect();
        match params.is_empty() {
            true => name.clone(),
            false => format!("{{{name}: {{{}}}}}", params.join(", ")),
        }
    });
    if let Some(mv) = mv {
        lines.push("  when:".to_owned());
        match (is_gate, clause) {
            (true, Some(clause)) => {
                lines.push(format!("    - refused: {{p1: {mv}}}"));
                lines.push(format!("      by: {clause}"));
                return lines.join("\n") + "\n";
            }
            _ => lines.push(format!("    - p1: {mv}")),
        }
    }
    lines.push("  then:".to_owned());
    lines.push("    p1: {…}".to_owned());
    lines.join("\n") + "\n"
}

/// A text as YAML reads it.
fn quoted(text: &str) -> String {
    let plain = text
        .chars()
        .all(|c| c.is_alphanumeric() || " ,.-'’".contains(c));
    match plain && text.starts_with(char::is_alphabetic) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "''")),
    }
}
