//! `referee token`: who may host, publish and administer, said on the machine that keeps the store.

use std::fs::File;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::kept::{Kept, SaidKey};
use super::settings::Settings;
use super::style;
use super::trouble::Trouble;
use referee_server::Running;
use referee_server::issuing::{FirstTokens, LIFETIME, first, issue, nobody_has_one};
use referee_store::clock::Clock;
use referee_store::secrets::hex;
use referee_store::{Change, Grant, ListedToken, Store};

/// Makes, lists and revokes tokens of hosts, publishers and administrators
#[derive(Debug, Args)]
#[command(after_help = "\
A referee may be serving from the store: a new token is good at once, a revoked one opens nothing after a second. Each \
token is shown once; the store keeps what it can be recognized by.

Examples:
  referee token new host --label \"the club's server\" --store matches.sqlite
  referee token new admin --days 30 --token-file admin.token --store matches.sqlite
  referee token list --store matches.sqlite
  referee token revoke 3f9c21ab --store matches.sqlite")]
pub struct Token {
    /// The file or database that keeps matches [default: referee.sqlite in the data folder of this user]
    #[arg(long, value_name = "STORE", env = "REFEREE_STORE", global = true)]
    store: Option<PathBuf>,

    #[command(flatten)]
    key: SaidKey,

    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Makes a token and shows it, once
    New {
        /// What it opens
        kind: Kind,
        /// For whom or what, for lists; of publishers, whose rulesets theirs are
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
        /// After how many days it opens nothing any more
        #[arg(long, value_name = "NUMBER", default_value_t = LIFETIME.as_secs() / DAY)]
        days: u64,
        /// It opens until it is revoked
        #[arg(long, conflicts_with = "days")]
        for_ever: bool,
        /// Write it into this new file, readable by its owner only, and show nothing
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
    },
    /// Lists tokens, newest first: their ids, which open nothing, what they open, and until when
    List,
    /// Revokes a token
    Revoke {
        /// Its id, or enough of its beginning
        id: String,
    },
}

/// What a token opens.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Creating matches, and these matches
    Host,
    /// Publishing rulesets
    Publisher,
    /// Making and revoking tokens over the service
    Admin,
    /// Creating matches and nothing else: for a page that opens tables for strangers
    Creator,
    /// Seats of many matches: a player is known by the label
    Player,
}

/// Seconds of a day.
const DAY: u64 = 24 * 3600;

/// Digits of an id that are shown: as good as all of them.
const SHOWN: usize = 12;

/// Tokens that are read at a time.
const PAGE: usize = 256;

impl Token {
    /// Does what was asked.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let kept = Kept::of(self.store, self.key)?;
        match self.action {
            Action::New {
                kind,
                label,
                days,
                for_ever,
                token_file,
            } => {
                let store = kept.beside()?;
                let grant = match kind {
                    Kind::Host => Grant::Host,
                    Kind::Publisher => Grant::Publisher,
                    Kind::Admin => Grant::Admin,
                    Kind::Creator => Grant::Creator,
                    Kind::Player => Grant::Player,
                };
                let lifetime = Duration::from_secs(days.saturating_mul(DAY));
                let lifetime = Some(lifetime).filter(|_| !for_ever);
                // The file first: a token that nobody can be told would be lost.
                let file = token_file.as_deref().map(private).transpose()?;
                let token = issue(&*store, grant, &label, Clock::system().now_ms(), lifetime)?;
                match file {
                    Some(mut file) => {
                        writeln!(file, "{token}")?;
                        file.sync_all()?;
                    }
                    None => println!("{token}"),
                }
                Ok(ExitCode::SUCCESS)
            }
            Action::List => {
                list(&*kept.look()?)?;
                Ok(ExitCode::SUCCESS)
            }
            Action::Revoke { id } => {
                let store = kept.beside()?;
                let token = one(&*store, &kept.shown(), &id)?;
                store.change(&Change::Revoke(token.row.hash))?;
                println!("{} is revoked", named(&token));
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Every token of a person, newest first.
fn every(store: &dyn Store) -> Result<Vec<ListedToken>, Trouble> {
    let mut all: Vec<ListedToken> = Vec::new();
    loop {
        let before = all.last().map(|token| token.order);
        let page = store.tokens(before, PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

fn kind(grant: &Grant) -> &'static str {
    match grant {
        Grant::Host => "host",
        Grant::Publisher => "publisher",
        Grant::Admin => "admin",
        Grant::Creator => "creator",
        Grant::Player => "player",
        Grant::Seat { .. } => "seat",
        Grant::Spectator { .. } => "spectator",
    }
}

fn named(token: &ListedToken) -> String {
    let id = hex(&token.row.hash);
    let label = match token.row.label.as_str() {
        "" => String::new(),
        label => format!(", {label}"),
    };
    format!("{} ({}{label})", &id[..SHOWN], kind(&token.row.grant))
}

/// The token whose id begins so.
fn one(store: &dyn Store, shown: &str, id: &str) -> Result<ListedToken, Trouble> {
    let wanted = id.to_ascii_lowercase();
    let mut all = every(store)?;
    all.retain(|token| hex(&token.row.hash).starts_with(&wanted));
    match all.len() {
        1 if !wanted.is_empty() => Ok(all.remove(0)),
        0 => Err(
            Trouble::new(format!("no token has an id that begins with `{id}`")).help(format!(
                "`referee token list --store {shown}` tells them; an id is not the token itself"
            )),
        ),
        number => Err(Trouble::new(format!("the ids of {number} tokens begin so"))
            .help("say more of the one that is meant")),
    }
}

fn list(store: &dyn Store) -> Result<(), Trouble> {
    let now_ms = Clock::system().now_ms();
    let date = |ms: i64| {
        let at = referee_contract::convert::timestamp(ms).to_string();
        at.split('T').next().unwrap_or_default().to_owned()
    };
    for token in every(store)? {
        let until = match token.row.expires_ms {
            _ if token.revoked => "revoked".to_owned(),
            Some(at) if at <= now_ms => format!("expired on {}", date(at)),
            Some(at) => format!("until {}", date(at)),
            None => "for ever".to_owned(),
        };
        let line = format!(
            "{}  {:9}  made {}  {until:21}  {}",
            &hex(&token.row.hash)[..SHOWN],
            kind(&token.row.grant),
            date(token.row.created_ms),
            token.row.label
        );
        match token.revoked {
            true => anstream::println!("{}", style::paint(style::FAINT, line.trim_end())),
            false => anstream::println!("{}", line.trim_end()),
        }
    }
    Ok(())
}

/// What is said of tokens: they are shown once, and never where a log would keep them. Those of a referee that keeps
/// nothing end with it.
pub enum Said {
    /// The first ones, on a terminal.
    Tokens(FirstTokens),
    /// The first ones are in this file.
    Written(PathBuf),
    /// Nobody has one yet.
    Nobody,
    /// They were told before.
    Before,
}

pub fn first_tokens(running: &Running, settings: &Settings) -> Result<Said, Trouble> {
    let store = running.store();
    if !running.has_new_key() && !nobody_has_one(store)? {
        return Ok(Said::Before);
    }
    let now_ms = Clock::system().now_ms();
    match &settings.token_file {
        // The file first: tokens that nobody can be told would be lost.
        Some(path) => {
            let mut file = private(path)?;
            let tokens = first(store, now_ms)?;
            let FirstTokens {
                host,
                admin,
                publisher,
            } = tokens;
            writeln!(file, "host: {host}\nadmin: {admin}\npublisher: {publisher}")?;
            file.sync_all()?;
            Ok(Said::Written(path.clone()))
        }
        None if settings.memory || std::io::stderr().is_terminal() => {
            Ok(Said::Tokens(first(store, now_ms)?))
        }
        None => Ok(Said::Nobody),
    }
}

pub const NEW_FILE: &str = "tokens are written into a new file: move one that is there away";

/// A new file that only its owner reads.
fn private(path: &Path) -> Result<File, Trouble> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).map_err(|error| {
        let what = format!("cannot make the file of tokens {}: {error}", path.display());
        Trouble::new(what).help(NEW_FILE)
    })
}
