//! The ruleset that a measuring example is asked about.

use std::error::Error;
use std::sync::Arc;

use clap::Args;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::Configuration;
use referee::library::Library;

/// A shipped ruleset with modules and options.
#[derive(Args)]
pub struct Asked {
    /// A ruleset by its id
    ruleset: String,
    /// Numbers of players; all that the ruleset allows if left out
    #[arg(long)]
    players: Vec<u8>,
    /// Modules
    #[arg(long)]
    with: Vec<String>,
    /// `name=number`
    #[arg(long, value_parser = option)]
    option: Vec<(String, i64)>,
}

fn option(text: &str) -> Result<(String, i64), String> {
    let wrong = || format!("`{text}` is not of the form name=number");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.to_owned(), value.parse().map_err(|_| wrong())?))
}

impl Asked {
    /// It, compiled for each number of players.
    ///
    /// # Errors
    /// There is no such ruleset, or it is rejected in this configuration.
    pub fn compiled(&self) -> Result<Vec<Arc<Ruleset>>, Box<dyn Error>> {
        let library = Library::embedded()?;
        let edition = library
            .get(&self.ruleset)
            .ok_or_else(|| format!("no shipped ruleset is called `{}`", self.ruleset))?;
        let players = match self.players.is_empty() {
            true => (edition.players.0..=edition.players.1).collect(),
            false => self.players.clone(),
        };
        let mut compiled = Vec::with_capacity(players.len());
        for players in players {
            let mut configuration = Configuration::base(players);
            configuration.modules.clone_from(&self.with);
            configuration.options.extend(self.option.iter().cloned());
            let ruleset = library
                .compile(edition, &configuration)
                .map_err(|rejected| rejected.diagnostics.render(&rejected.sources, Style::Plain))?;
            compiled.push(ruleset);
        }
        Ok(compiled)
    }
}
