//! Hints: what a position is worth to a player beside what the score sheet says, in hundredths of a point.
//!
//! Players that need nobody weigh positions by them. A rule that asked a hint would make them part of the
//! game, so only hints may ask hints.

use std::collections::BTreeSet;

use super::Checker;
use crate::analysis::visit::{visit, visit_statements};
use crate::diagnostic::Code;
use crate::program::tree::{Ex, FuncId, Kind};
use crate::source::Span;

impl Checker<'_> {
    /// Reports every rule that asks a hint, and hints of another shape that help no hint.
    pub(super) fn only_hints_ask_hints(&mut self) {
        let mut asked: BTreeSet<(FuncId, Span, bool)> = BTreeSet::new();
        for (caller, function) in self.model.functions.iter_enumerated() {
            let by_hint = self.hints.contains(&caller);
            let mut look = |ex: &Ex| match &ex.kind {
                Kind::Call(callee, _) if self.hints.contains(callee) => {
                    asked.insert((*callee, ex.span, by_hint));
                }
                _ => {}
            };
            visit_statements(&function.body, &mut look);
            if let Some(result) = &function.result {
                visit(result, &mut look);
            }
        }
        for (hint, span, _) in asked.iter().filter(|(_, _, by_hint)| !by_hint) {
            let hint = &self.model.functions[*hint];
            let (name, declared) = (&hint.name, hint.span);
            let mistake = Code::HintUsedInRules
                .error(*span, format!("a rule asks the hint `{name}`"))
                .also(declared, "players that need nobody weigh positions by it")
                .help(format!(
                    "make `{name}` a `query` if it belongs to the rules"
                ));
            self.report(mistake);
        }
        let helpful: BTreeSet<FuncId> = asked.into_iter().map(|(hint, ..)| hint).collect();
        for hint in self.hints.clone() {
            if helpful.contains(&hint) || self.model.hints.contains(&hint) {
                continue;
            }
            let hint = &self.model.functions[hint];
            let (name, declared) = (&hint.name, hint.span);
            let wrong =
                format!("the hint `{name}` is no amount for a player, and no other hint asks it");
            let help = format!("write `hint {name}(p: player): int = …`, in hundredths of a point");
            self.report(Code::UnusedHint.error(declared, wrong).help(help));
        }
    }
}
