//! Laying modules' `replace` and `disable` over the rules, before names are resolved.
//!
//! The result is one list of items: the base's and the modules', with replaced steps, moves and
//! queries exchanged and disabled ones taken out. A module changes the layers below it, so what it
//! says itself under the same name stays.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::program::package::Package;
use crate::source::Span;
use crate::syntax::ast::{Body, Item, MoveDecl, Path, Phase, Query, Replacement, Replacing, Step};

/// All items of a package in order, with replacements and removals carried out.
pub(crate) fn compose(package: &Package, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut done = Done::new();
    // The files of a layer stand together.
    for layer in package.rules.chunk_by(|a, b| a.module == b.module) {
        let (changes, own): (Vec<&Item>, Vec<&Item>) = layer
            .iter()
            .flat_map(|file| &file.tree.items)
            .partition(|item| matches!(item, Item::Replacement(_) | Item::Disable(_)));
        for item in changes {
            change(
                &mut items,
                item,
                layer[0].module.as_ref(),
                &mut done,
                diagnostics,
            );
        }
        items.extend(own.into_iter().cloned());
    }
    items
}

/// What was replaced or disabled: where, and by which module.
type Done = BTreeMap<String, (Span, Option<String>)>;

/// Carries out one `replace` or `disable`.
fn change(
    items: &mut Vec<Item>,
    change: &Item,
    module: Option<&String>,
    done: &mut Done,
    diagnostics: &mut Diagnostics,
) {
    let (target, span, after) = match change {
        Item::Replacement(r) => (&r.target, r.span, r.after.as_ref().map(|a| a.node.clone())),
        Item::Disable(d) => (&d.target, d.span, None),
        _ => return,
    };
    let address = path_text(target);
    if let Some((earlier, other)) = done.get(&address)
        && (after.is_none() || after != *other)
    {
        diagnostics.push(
            Code::ConflictingChanges.error(span, format!("`{address}` is replaced or disabled twice"))
                .also(*earlier, "here already")
                .help("say `after <module>` on the one that shall win, or let the modules exclude each other"),
        );
        return;
    }
    let mut names = Vec::new();
    reshaped(items, &address, change, diagnostics);
    let found = items
        .iter_mut()
        .any(|item| change_item(item, &address, change, &mut names));
    let removed =
        !found && matches!(change, Item::Disable(_)) && disable_top(items, &address, &mut names);
    if !found && !removed {
        let d = Code::UnknownPatchTarget.error(
            target.span,
            format!("nothing to change is called `{address}`"),
        );
        diagnostics.push(match did_you_mean(&address, names.iter().map(String::as_str)) {
            Some(help) => d.help(help),
            None => d.help("name a step, move or query as `phase.name`, an ending or a component by its own name"),
        });
    }
    done.insert(address, (span, module.cloned()));
}

/// Reports a query that takes or gives something else than the one it replaces: callers ask it as
/// before.
fn reshaped(items: &[Item], address: &str, change: &Item, diagnostics: &mut Diagnostics) {
    let Item::Replacement(Replacement {
        with: Replacing::Query(new),
        ..
    }) = change
    else {
        return;
    };
    let old = items.iter().find_map(|item| match item {
        Item::Query(query) => (query.name.node == address).then_some(query),
        Item::Phase(phase) => {
            let name = address.strip_prefix(&*phase.name.node)?.strip_prefix('.')?;
            phase.queries.iter().find(|query| query.name.node == name)
        }
        _ => None,
    });
    let shape = |query: &Query| {
        let params: Vec<String> = query.params.iter().map(|p| p.ty.to_string()).collect();
        (params, query.ty.to_string())
    };
    let Some(old) = old.filter(|old| shape(old) != shape(new)) else {
        return;
    };
    let params: Vec<String> = old
        .params
        .iter()
        .map(|p| format!("{}: {}", p.name.node, p.ty))
        .collect();
    let (name, params) = (&old.name.node, params.join(", "));
    diagnostics.push(
        Code::QuerySignatureMismatch
            .error(
                new.name.span,
                format!("this takes or gives something else than the `{address}` that it replaces"),
            )
            .also(old.name.span, "replaced")
            .help(format!("begin it as `query {name}({params}): {}`", old.ty)),
    );
}

fn change_item(item: &mut Item, address: &str, change: &Item, names: &mut Vec<String>) -> bool {
    match item {
        Item::Phase(phase) => change_phase(phase, address, change, names),
        Item::Query(query) => {
            names.push(query.name.node.clone());
            query.name.node == address && replace_query(query, change)
        }
        _ => false,
    }
}

fn replace_query(query: &mut Query, change: &Item) -> bool {
    if let Item::Replacement(r) = change
        && let Replacing::Query(new) = &r.with
    {
        *query = (**new).clone();
        return true;
    }
    false
}

fn change_phase(phase: &mut Phase, address: &str, change: &Item, names: &mut Vec<String>) -> bool {
    let prefix = phase.name.node.clone();
    for query in &mut phase.queries {
        let name = format!("{prefix}.{}", query.name.node);
        let hit = name == address && replace_query(query, change);
        names.push(name);
        if hit {
            return true;
        }
    }
    change_steps(&mut phase.steps, &prefix, address, change, names)
}

fn change_steps(
    steps: &mut Vec<Step>,
    prefix: &str,
    address: &str,
    change: &Item,
    names: &mut Vec<String>,
) -> bool {
    let mut index = 0;
    while index < steps.len() {
        let name = format!("{prefix}.{}", steps[index].name.node);
        names.push(name.clone());
        if name == address {
            match change {
                Item::Replacement(r) => {
                    if let Replacing::Step(new) = &r.with {
                        steps[index] = (**new).clone();
                        return true;
                    }
                }
                _ => {
                    steps.remove(index);
                    return true;
                }
            }
        }
        let step = &mut steps[index];
        let hit = match &mut step.body {
            Body::Steps(inner) => change_steps(inner, prefix, address, change, names),
            Body::Ask(ask) => ask
                .groups
                .iter_mut()
                .any(|group| change_moves(&mut group.moves, prefix, &name, address, change, names)),
            _ => false,
        };
        if hit {
            return true;
        }
        index += 1;
    }
    false
}

/// A move is called `phase.move`, or `phase.step.move` where several steps have one of that name.
fn change_moves(
    moves: &mut Vec<MoveDecl>,
    phase: &str,
    step: &str,
    address: &str,
    change: &Item,
    names: &mut Vec<String>,
) -> bool {
    let position = moves.iter().position(|m| {
        let short = format!("{phase}.{}", m.name.node);
        let hit = short == address || format!("{step}.{}", m.name.node) == address;
        names.push(short);
        hit
    });
    let Some(position) = position else {
        return false;
    };
    match change {
        Item::Replacement(r) => match &r.with {
            Replacing::Move(new) => moves[position] = (**new).clone(),
            _ => return false,
        },
        _ => {
            moves.remove(position);
        }
    }
    true
}

/// Endings, scores, triggers' components: whole items taken out by name.
fn disable_top(items: &mut Vec<Item>, address: &str, names: &mut Vec<String>) -> bool {
    let before = items.len();
    items.retain(|item| {
        let name = match item {
            Item::Ending(e) => &e.name.node,
            Item::Score(s) => &s.name.node,
            Item::Component(c) => &c.row.node,
            Item::Contribution(c) => match &c.name {
                Some(name) => &name.node,
                None => return true,
            },
            _ => return true,
        };
        names.push(name.clone());
        name != address
    });
    items.len() < before
}

/// A path as it is written: `captain.loading`.
pub(crate) fn path_text(path: &Path) -> String {
    path.parts
        .iter()
        .map(|p| p.node.as_str())
        .collect::<Vec<_>>()
        .join(".")
}
