//! Cases of a corpus: a package that is right, and what somebody wrote instead.
//!
//! A case is a text of sections. `=== path` begins the text of a file that replaces the one of the
//! right package (or is added to it); `=== path removed` removes it; `=== path changed` changes lines
//! of it: `- ` before a line that is found by its beginning, `+ ` before what stands there instead.
//! Lines before the first section say what the case is about and how the match is configured:
//!
//! ```text
//! # The price is written in words.
//! players 3
//! modules fair, tax
//! option open_purses 1
//! house feast
//! === components/goods.yaml
//! …
//! ```
//!
//! The files of the house rule `feast` lie under `house/feast/`.

use interpreter::package::{Configuration, PackageTexts};

/// A case, taken apart.
pub struct Case {
    /// The package with the case's changes.
    pub base: PackageTexts,
    /// Its house rules.
    pub house: Vec<(String, PackageTexts)>,
    /// How the match is configured.
    pub configuration: Configuration,
}

impl Case {
    /// Lays a case over the right package.
    ///
    /// # Panics
    /// If the case itself is not written as described above.
    pub fn new(right: &PackageTexts, text: &str) -> Case {
        Case::read(right, text).unwrap_or_else(|why| panic!("{why}"))
    }

    /// As [`new`](Self::new), of a case that anybody may have written.
    ///
    /// # Errors
    /// Says what of the case is not written as described above.
    pub fn read(right: &PackageTexts, text: &str) -> Result<Case, String> {
        let mut case = Case {
            base: right.clone(),
            house: Vec::new(),
            configuration: Configuration::base(3),
        };
        let mut sections = text.split("\n=== ");
        let head = sections.next().unwrap_or_default();
        let mut names = Vec::new();
        for line in head
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "players" => {
                    let players = rest.parse().map_err(|_| "no number of players");
                    case.configuration.players = players?;
                }
                "modules" => {
                    case.configuration.modules = rest.split(", ").map(str::to_owned).collect()
                }
                "option" => {
                    let (name, value) = rest.split_once(' ').ok_or("no name and value")?;
                    let value = value.parse().map_err(|_| "no number");
                    case.configuration.options.insert(name.to_owned(), value?);
                }
                "house" => names.push(rest.to_owned()),
                _ => return Err(format!("a case cannot say `{line}`")),
            }
        }
        for section in sections {
            let (path, text) = section.split_once('\n').unwrap_or((section, ""));
            if let Some(path) = path.strip_suffix(" changed") {
                let mut files = case.base.files.iter_mut();
                let file = files.find(|(name, _)| name == path);
                let (_, old) = file.ok_or_else(|| format!("there is no {path} to change"))?;
                *old = changed(old, text)?;
                continue;
            }
            let (path, removed) = match path.strip_suffix(" removed") {
                Some(path) => (path, true),
                None => (path, false),
            };
            case.base.files.retain(|(name, _)| name != path);
            if !removed {
                case.base.files.push((path.to_owned(), text.to_owned()));
            }
        }
        for name in names {
            let prefix = format!("house/{name}/");
            let (inside, outside) = case
                .base
                .files
                .drain(..)
                .partition(|(path, _)| path.starts_with(&prefix));
            case.base.files = outside;
            let inside: Vec<(String, String)> = inside;
            let files = inside
                .into_iter()
                .map(|(path, text)| (path[prefix.len()..].to_owned(), text))
                .collect();
            case.house.push((
                name.clone(),
                PackageTexts::new(prefix.trim_end_matches('/'), files),
            ));
        }
        Ok(case)
    }
}

/// A file with some of its lines replaced.
fn changed(old: &str, changes: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = old.lines().collect();
    let mut at = lines.len();
    for change in changes.lines() {
        match change.split_at_checked(2) {
            Some(("- ", begins)) => {
                let mut found = (0..lines.len()).filter(|&i| lines[i].starts_with(begins));
                at = found
                    .next()
                    .ok_or_else(|| format!("no line begins `{begins}`"))?;
                lines.remove(at);
            }
            Some(("+ ", line)) => {
                lines.insert(at, line);
                at += 1;
            }
            _ => return Err(format!("a change cannot say `{change}`")),
        }
    }
    Ok(lines.join("\n") + "\n")
}
