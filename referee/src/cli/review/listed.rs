//! What there is to accept, as a list for people and for programs.

use std::collections::BTreeMap;

use interpreter::package::Part;
use serde::Serialize;

use super::asked::{Through, Which, is_meant};
use super::folder::Desk;
use super::shown;
use crate::cli::format::{Format, json};
use crate::cli::out::Out;
use crate::cli::outcome::{Exit, Failure};
use crate::cli::ruleset::Chosen;
use referee_report::prose::counted;
use referee_report::sign_off::standing::{Standing, changed_figures, standing};
use referee_report::sign_off::things::{Thing, key};

/// For programs. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    schema: &'static str,
    ruleset: &'a str,
    open: usize,
    accepted: usize,
    layers: Vec<Folder<'a>>,
}

#[derive(Debug, Serialize)]
struct Folder<'a> {
    /// The module; none is the ruleset.
    module: Option<&'a str>,
    /// Its `review.yaml`, also where it is not written yet.
    file: Option<String>,
    things: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    /// `clause`, `paragraph`, `unclaimed`
    is: &'static str,
    name: &'a str,
    /// `accepted`, `never`, `again`
    standing: &'static str,
    /// What has changed since it was accepted last.
    changed: Vec<&'static str>,
    /// Who has accepted it as it is; of what is open again, who has accepted it last.
    accepted: Vec<Who<'a>>,
    /// Acceptances that were withdrawn, or whose name was corrected.
    withdrawn: Vec<String>,
    /// Which figures have changed since, from what.
    figures: Vec<String>,
    chapters: Vec<&'a str>,
    phases: Vec<&'a str>,
    /// What is accepted with it, by its parts.
    parts: BTreeMap<&'static str, &'a [String]>,
    digest: String,
}

#[derive(Debug, Serialize)]
struct Who<'a> {
    by: &'a str,
    on: &'a str,
    comment: Option<&'a str>,
}

/// Lists what there is.
///
/// # Errors
///
/// When the output cannot be written.
pub fn list(
    args: &Through,
    which: Which,
    chosen: &Chosen,
    desks: &[Desk],
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let (mut open, mut accepted) = (0, 0);
    let mut folders = Vec::new();
    for desk in desks {
        let mut folder = Folder {
            module: desk.layer.module.as_deref(),
            file: desk.file().map(|path| path.display().to_string()),
            things: Vec::new(),
        };
        for thing in &desk.layer.things {
            let stands = standing(thing, desk.layer.accepted());
            if !is_meant(args, thing, &stands) {
                continue;
            }
            match stands.is_open() {
                true => open += 1,
                false => accepted += 1,
            }
            let is_wanted = match which {
                Which::All => true,
                Which::Open => stands.is_open(),
                Which::Accepted => !stands.is_open(),
            };
            if !is_wanted {
                continue;
            }
            match args.format {
                Format::Human => shown::heading(desk, thing, out)?,
                Format::Json => folder.things.push(entry(desk, thing, &stands)),
            }
        }
        folders.push(folder);
    }
    match args.format {
        Format::Human => writeln!(
            out.data,
            "{}: {} accepted, {open} open",
            chosen.called,
            counted(accepted, "thing")
        )?,
        Format::Json => json(
            out,
            &Listed {
                schema: "referee.review/1",
                ruleset: &chosen.called,
                open,
                accepted,
                layers: folders,
            },
        )?,
    }
    Ok(if open == 0 { Exit::Clean } else { Exit::Bad })
}

fn entry<'a>(desk: &'a Desk, thing: &'a Thing, stands: &Standing<'a>) -> Entry<'a> {
    let (is, name) = key(&thing.what);
    let (word, changed, entries) = match stands {
        Standing::Accepted(entries) => ("accepted", Vec::new(), entries.clone()),
        Standing::Never => ("never", Vec::new(), Vec::new()),
        Standing::Again { last, changed } => ("again", changed.clone(), vec![*last]),
    };
    let figures = match stands {
        Standing::Again { last, changed } if changed.contains(&Part::Figures) => {
            changed_figures(last, thing)
        }
        _ => Vec::new(),
    };
    let who = entries.into_iter().map(|entry| Who {
        by: &entry.by.node,
        on: &entry.on,
        comment: entry.comment.as_deref(),
    });
    Entry {
        is,
        name,
        standing: word,
        changed: changed.into_iter().map(|part| part.name()).collect(),
        accepted: who.collect(),
        withdrawn: shown::withdrawn(thing, desk.layer.accepted()),
        figures,
        chapters: thing.chapters.iter().map(|(id, _)| id.as_str()).collect(),
        phases: thing.phases.iter().map(String::as_str).collect(),
        parts: thing
            .parts
            .iter()
            .map(|(part, said)| (part.name(), said.as_slice()))
            .collect(),
        digest: thing.digest(),
    }
}
