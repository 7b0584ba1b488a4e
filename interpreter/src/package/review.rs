//! Looks at a composed package as a whole: what is cited exists, and nothing is missing for any
//! number of players.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::program::package::{Cell, Package};
use crate::source::{Span, Spanned};

/// Reviews a package. If clauses were lost, because a rulebook could not be read, citations are taken on trust.
pub(super) fn review(package: &Package, lost_clauses: bool, diagnostics: &mut Diagnostics) {
    clauses_are_unique(package, diagnostics);
    precedence_is_downwards(package, diagnostics);
    if !lost_clauses {
        citations_exist(package, diagnostics);
    }
    let (from, to) = package.players;
    if to == u8::MAX {
        // The manifest does not say who can play, which has been reported.
        return;
    }
    let range = Range { package, from, to };
    for table in &package.tables {
        for row in &table.rows {
            range.warn_of(row.players.iter(), row.id.span, diagnostics);
            let in_play: Vec<u8> = (from..=to)
                .filter(|n| row.players.is_empty() || row.players.contains(n))
                .collect();
            for (cell, column) in row.cells.iter().zip(&table.columns) {
                let what = format!(
                    "`{}` of the {} `{}`",
                    column.name.node, table.name.node, row.id.node
                );
                range.check(cell, &in_play, &what, diagnostics);
            }
        }
    }
    let everybody: Vec<u8> = (from..=to).collect();
    for figure in &package.figures {
        range.check(
            &figure.value,
            &everybody,
            &format!("the figure `{}`", figure.name.node),
            diagnostics,
        );
    }
}

struct Range<'a> {
    package: &'a Package,
    from: u8,
    to: u8,
}

impl Range<'_> {
    fn check(
        &self,
        cell: &Spanned<Cell>,
        in_play: &[u8],
        what: &str,
        diagnostics: &mut Diagnostics,
    ) {
        let Cell::ByPlayers(map) = &cell.node else {
            return;
        };
        let missing: Vec<u8> = in_play
            .iter()
            .copied()
            .filter(|n| !map.contains_key(n))
            .collect();
        if !missing.is_empty() {
            diagnostics.push(
                Code::MissingPlayerCount
                    .error(
                        cell.span,
                        format!("no value for {} players", listed(&missing)),
                    )
                    .label(what)
                    .help(format!(
                        "the ruleset is for {} to {} players",
                        self.from, self.to
                    )),
            );
        }
        self.warn_of(map.keys(), cell.span, diagnostics);
    }

    /// Warns of numbers of players with which nobody ever plays what is said: not the layer that says
    /// it, nor, if that says nothing of players itself, the base. What a module patches into the base
    /// stands in the base's place and may be meant for that module's numbers.
    fn warn_of<'n>(
        &self,
        numbers: impl Iterator<Item = &'n u8>,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) {
        let layers = &self.package.layers;
        let base = self.package.players_of_base;
        let ranges: Vec<(u8, u8)> = match layers.iter().position(|l| l.files.contains(&span.file)) {
            None => layers.iter().map(|l| l.players).chain([base]).collect(),
            Some(at) => {
                let below = at
                    .checked_sub(1)
                    .map_or(base, |below| layers[below].players);
                let own = layers[at].players;
                if own == below {
                    vec![own, base]
                } else {
                    vec![own]
                }
            }
        };
        let (from, to) = ranges[0];
        let played = |n: &u8| ranges.iter().any(|(from, to)| (from..=to).contains(&n));
        let odd: Vec<u8> = numbers.copied().filter(|n| !played(n)).collect();
        if odd.is_empty() {
            return;
        }
        diagnostics.push(
            Code::ImpossiblePlayerCount
                .warning(span, format!("{} players never play this", listed(&odd)))
                .help(format!("the ruleset is for {from} to {to} players")),
        );
    }
}

/// `3`, `3 or 4`, `2, 3 or 4`
fn listed(numbers: &[u8]) -> String {
    let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn clauses_are_unique(package: &Package, diagnostics: &mut Diagnostics) {
    let mut twice = |ids: &mut dyn Iterator<Item = &Spanned<String>>, what: &str| {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for id in ids {
            match seen.get(id.node.as_str()) {
                Some(first) => diagnostics.push(
                    Code::DuplicateId
                        .error(
                            id.span,
                            format!("there are two {what} called `{}`", id.node),
                        )
                        .also(*first, "first here"),
                ),
                None => {
                    seen.insert(&id.node, id.span);
                }
            }
        }
    };
    twice(
        &mut package.rulebook.clauses.iter().map(|c| &c.id),
        "clauses",
    );
    // A module adds clauses to a section of its base by naming it again, so sections may repeat
    // between layers.
    for layer in
        std::iter::once(None).chain(package.layers.iter().map(|l| Some(l.id.node.as_str())))
    {
        let own = package.rulebook.sections.iter().map(|s| &s.id);
        twice(
            &mut own.filter(|id| package.origin(id.span) == layer),
            "sections",
        );
    }
    twice(
        &mut package.rulebook.sources.iter().map(|p| &p.at),
        "paragraphs",
    );
}

/// Reports clauses that replace or restrict others than those of lower layers.
fn precedence_is_downwards(package: &Package, diagnostics: &mut Diagnostics) {
    for clause in &package.rulebook.clauses {
        let layer = |at: Span| package.layer(at.file);
        let own = layer(clause.words[0]);
        for lower in clause.replaces.iter().chain(&clause.restricts) {
            let found = package.rulebook.clause(&lower.node);
            let is_same = |at: Span| layer(at) >= own;
            let found = found.filter(|it| is_same(it.id.span) || layer(it.words[0]) == own);
            let Some(found) = found else { continue };
            let wrong = format!("the words of `{}` are of no lower layer", lower.node);
            let mistake = Code::MisplacedPrecedence.error(lower.span, wrong);
            let help = "name a clause of the base or of a module below; a clause of the module itself is deleted or changed where \
                        it is written, and a clause that `patch` gives other words needs nothing else";
            diagnostics.push(mistake.also(found.words[0], "its words").help(help));
        }
    }
}

fn citations_exist(package: &Package, diagnostics: &mut Diagnostics) {
    let known: BTreeSet<&str> = package
        .rulebook
        .clauses
        .iter()
        .map(|c| c.id.node.as_str())
        .collect();
    let options = package.options.iter().filter_map(|o| o.cite.as_ref());
    let figures = package.figures.iter().filter_map(|f| f.cite.as_ref());
    let paragraphs = package.rulebook.sources.iter().flat_map(|p| &p.clauses);
    let clauses = package.rulebook.clauses.iter();
    let lower = clauses.flat_map(|clause| clause.replaces.iter().chain(&clause.restricts));
    let rows = package.tables.iter().flat_map(|table| &table.rows);
    let rows = rows.filter_map(|row| row.cite.as_ref());
    let all = options.chain(figures).chain(rows).chain(paragraphs);
    for cite in all.chain(lower) {
        if !known.contains(cite.node.as_str()) {
            diagnostics.push(
                Code::UnknownClauseInDocument
                    .error(cite.span, format!("there is no clause `{}`", cite.node))
                    .maybe_help(did_you_mean(&cite.node, known.iter().copied()).or_else(|| {
                        known.is_empty().then(|| {
                            "clauses are listed in the document named under `rulebook:`".to_owned()
                        })
                    })),
            );
        }
    }
}
