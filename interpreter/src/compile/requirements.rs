//! Judges what a package requires of its own tables (`require`), once it is compiled.

use crate::budget;
use crate::diagnostic::{Code, Diagnostic};
use crate::numbers::Fit as _;
use crate::play::machine::{Ruleset, Trouble, read};
use crate::play::state::REGISTERS;
use crate::program::model::{FuncId, RequireModel};
use crate::program::tree::Ty;

/// What does not hold, each with the first values for which it does not.
pub(super) fn unmet(ruleset: &Ruleset) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for require in &ruleset.model().requires {
        let mut values = Vec::new();
        let said = match first_unmet(ruleset, require, &mut values) {
            Ok(false) => continue,
            Ok(true) => label(ruleset, require, &values),
            Err(trouble) => trouble.kind.message().to_owned(),
        };
        let clause = require
            .cite
            .map(|cite| ruleset.model().clauses[cite].clone());
        let mut diagnostic = Code::UnmetRequirement
            .error(
                require.span,
                match &clause {
                    Some(clause) => format!("the tables are not as `{clause}` requires"),
                    None => "the tables are not as required here".to_owned(),
                },
            )
            .label(said)
            .help("mend the tables or the figures, or what is required of them");
        let rulebook = &ruleset.package().rulebook;
        if let Some(clause) = clause.and_then(|clause| rulebook.clause(&clause)) {
            diagnostic = diagnostic.note(clause.text.en.clone());
        }
        found.push(diagnostic);
    }
    found
}

/// Goes through everything that a requirement speaks of until it does not hold.
fn first_unmet(
    ruleset: &Ruleset,
    require: &RequireModel,
    values: &mut Vec<i64>,
) -> Result<bool, Trouble> {
    // What the machine does is charged; here it is given up when nothing is left.
    budget::spend(1, Some(require.span));
    let ask = |function: FuncId, values: &[i64]| {
        let mut registers = vec![0; REGISTERS];
        registers[..values.len()].copy_from_slice(values);
        read(
            ruleset,
            &ruleset.program().initial,
            &mut registers,
            function,
        )
    };
    let Some(each) = require.each.get(values.len()) else {
        return Ok(ask(require.condition, values)? == 0);
    };
    for value in ask(each.from, values)?..ask(each.to, values)? {
        values.push(value);
        let counts = match each.filter {
            Some(filter) => ask(filter, values)? != 0,
            None => true,
        };
        if counts && first_unmet(ruleset, require, values)? {
            return Ok(true);
        }
        values.pop();
    }
    Ok(false)
}

/// `not so for f = coach_house, n = 3`
fn label(ruleset: &Ruleset, require: &RequireModel, values: &[i64]) -> String {
    let named = require.each.iter().zip(values).map(|(each, value)| {
        let value = match each.ty {
            Ty::Row(table) => ruleset.model().tables[table].rows[value.fit::<usize>()].to_string(),
            _ => value.to_string(),
        };
        format!("{} = {value}", each.name)
    });
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => "this is not so".to_owned(),
        false => format!("not so for {}", named.join(", ")),
    }
}
