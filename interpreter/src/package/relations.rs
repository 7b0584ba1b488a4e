//! What modules say of their base and of one another: what they extend, require and exclude, and the
//! order in which they are laid.

use super::folder::Folder;
use super::layers::Module;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::program::package::OfferedModule;
use crate::syntax::document::read::one_of;

/// What to do about a module that is required and was not chosen.
fn required(id: &str, offered: &[OfferedModule]) -> String {
    let mut known = offered.iter().map(|module| module.id.as_str());
    if known.any(|known| known == id) {
        return format!("choose `{id}` too");
    }
    let known = || offered.iter().map(|module| module.id.as_str());
    did_you_mean(id, known())
        .unwrap_or_else(|| one_of("there is none of this name; there are", known()))
}

/// Checks what modules say of their base and of one another.
pub(super) fn relations(
    base: &Folder,
    modules: &[Module],
    offered: &[OfferedModule],
    diagnostics: &mut Diagnostics,
) {
    let base_id = &base.manifest.id;
    for module in modules {
        let overlay = &module.folder.manifest.overlay;
        if let Some(extends) = overlay.extends.as_ref().filter(|e| e.node != base_id.node) {
            diagnostics.push(
                Code::WrongBaseRuleset
                    .error(
                        extends.span,
                        format!(
                            "`{}` extends `{}`, not `{}`",
                            module.id(),
                            extends.node,
                            base_id.node
                        ),
                    )
                    .also(base_id.span, "laid over this ruleset"),
            );
        }
        for needed in overlay.requires.iter().chain(&overlay.joins) {
            if !modules.iter().any(|other| other.id() == needed.node) {
                diagnostics.push(
                    Code::MissingRequiredModule
                        .error(
                            needed.span,
                            format!("`{}` requires `{}`", module.id(), needed.node),
                        )
                        .label("not among the modules chosen")
                        .help(required(&needed.node, offered)),
                );
            }
        }
        let peace = overlay
            .unless
            .iter()
            .any(|id| modules.iter().any(|other| other.id() == id.node));
        for excluded in overlay.excludes.iter().filter(|_| !peace) {
            if excluded.node != module.id()
                && modules.iter().any(|other| other.id() == excluded.node)
            {
                diagnostics.push(
                    Code::ExcludedModule
                        .error(
                            excluded.span,
                            format!(
                                "`{}` cannot be played together with `{}`",
                                module.id(),
                                excluded.node
                            ),
                        )
                        .help("leave one of them out"),
                );
            }
        }
    }
}

/// Modules so that each comes after those it names, otherwise in the order in which they were chosen.
pub(super) fn in_order(mut rest: Vec<Module>, diagnostics: &mut Diagnostics) -> Vec<Module> {
    let mut ordered: Vec<Module> = Vec::new();
    while !rest.is_empty() {
        let ready = rest.iter().position(|module| {
            let overlay = &module.folder.manifest.overlay;
            !overlay
                .follows()
                .any(|a| a.node != module.id() && rest.iter().any(|other| other.id() == a.node))
        });
        let next = ready.unwrap_or_else(|| {
            let ids: Vec<_> = rest.iter().map(|m| format!("`{}`", m.id())).collect();
            let mut diagnostic = Diagnostic::without_place(
                Code::CyclicModuleOrder,
                format!("{} come after one another in a circle", ids.join(" and ")),
            );
            for module in &rest {
                for after in module.folder.manifest.overlay.follows() {
                    diagnostic = diagnostic.also(
                        after.span,
                        format!("`{}` comes after `{}`", module.id(), after.node),
                    );
                }
            }
            diagnostics.push(diagnostic.help("remove one of these lines"));
            0
        });
        ordered.push(rest.remove(next));
    }
    ordered
}

/// Ids of the modules that a module comes after, directly or through others.
pub(super) fn all_after(module: &Module, modules: &[Module]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Vec<&Module> = vec![module];
    while let Some(next) = open.pop() {
        for after in next.folder.manifest.overlay.follows() {
            if !found.contains(&after.node) {
                found.push(after.node.clone());
                open.extend(modules.iter().filter(|m| m.id() == after.node));
            }
        }
    }
    found
}
