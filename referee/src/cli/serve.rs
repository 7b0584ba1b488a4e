//! `referee serve`.

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Args;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::prelude::*;

use super::environment::own_program;
use super::kept::{Kept, SaidKey};
use super::library::LibraryOptions;
use super::settings::{Flags, LogFormat, Settings};
use super::style::{FAINT, GOOD, HEAD, paint};
use super::supervisor::{self, Interruption};
use super::token::{NEW_FILE, Said, first_tokens};
use super::trouble::Trouble;
use referee_server::CALLS;
use referee_server::{
    Config, Folders, OpenError, Running, StartError, StoreChoice, Tls, runtime, start,
};
use referee_table::traces::{self, Traces};

/// Serves matches over gRPC
#[derive(Debug, Args)]
#[command(after_help = "\
Without flags the referee listens on this machine only and keeps matches in one file. For others to reach \
it, give it a certificate, or put a proxy that ends TLS in front of it, or trust your network and say \
--insecure.

Flags win over the environment, and that over the file of --config.

Examples:
  referee serve
  referee serve --listen 127.0.0.1:9000 --store matches.sqlite --metrics 127.0.0.1:9100
  referee serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem
  referee serve --store postgres://referee@db.example/league --key league.key
  referee serve --rulesets ./my-rulesets --watch
  referee serve --print-config > referee.yaml && referee serve --config referee.yaml")]
pub struct Serve {
    #[command(flatten)]
    flags: Flags,

    #[command(flatten)]
    library: LibraryOptions,

    /// Take the store from a referee that serves from it: that one ends
    #[arg(long)]
    take_over: bool,

    /// Make a new key although that of the store is gone: tokens and claim codes of before open nothing, and matches
    /// under way cannot go on, since their decks are sealed with it
    #[arg(long)]
    new_key: bool,
}

/// Where a referee listens if nothing is said.
pub const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7435);

/// The exit code of a referee whose store another one has taken over: whoever starts it again would take it back.
const TAKEN_OVER: u8 = 4;

impl Serve {
    /// Serves until interrupted.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let only_print = self.flags.only_print();
        let mut settings = self.flags.settings(self.library.rulesets)?;
        let listen = settings.listen.get_or_insert(ADDRESS);
        let address = *listen;
        let limits = settings.limits()?;
        if only_print {
            print!("{}", serde_yaml::to_string(&settings.in_full()?)?);
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = runtime(settings.threads)?;
        let inside = runtime.enter();
        let traces = settings.traces()?;
        drop(inside);
        listen_to_log(wanted_log(&settings)?, &settings, traces.as_ref());

        let found = LibraryOptions {
            rulesets: settings.rulesets.clone(),
        };
        let library = found.library()?;
        let rulesets: Vec<String> = library
            .iter()
            .map(|edition| format!("{} {}", edition.id, edition.version))
            .collect();
        let Chosen {
            store,
            kept,
            options,
        } = store(&settings)?;
        if matches!(store, StoreChoice::Database(..)) {
            refuse_what_is_of_files(self.take_over, self.new_key)?;
        }
        // Before anything is made: the first tokens of a new store would have no place.
        if let (StoreChoice::File(path), Some(tokens)) = (&store, &settings.token_file)
            && !path.exists()
            && tokens.exists()
        {
            let what = format!("there is a file of tokens already: {}", tokens.display());
            return Err(Trouble::new(what).help(NEW_FILE));
        }
        let mut config = Config::new(address, store, library);
        config.insecure = settings.insecure;
        config.testing = settings.testing;
        config.metrics = settings.metrics;
        config.page = !settings.no_web;
        config.origins = settings.origins.clone();
        config.proxies = settings.proxies.clone();
        config.identity = settings.identity()?;
        config.webhook_hosts = settings.webhook_hosts.clone();
        config.limits = limits;
        config.program = Some(own_program()?);
        config.retention = settings.retention()?;
        config.tls = tls(&settings)?;
        config.take_over = self.take_over;
        config.new_key = self.new_key;
        config.own_tokens = false;
        config.folders = settings.watch.then(|| Folders {
            folders: settings.rulesets.clone(),
            read: Box::new(move || found.library()),
        });
        let served = runtime.block_on(async {
            // Before anybody is told that it listens: whoever reads that may stop it.
            let interruption = Interruption::expect()?;
            let running = start(config).await.map_err(|error| {
                let help = help(&error);
                let trouble = Trouble::from(error);
                match help {
                    Some(help) => trouble.help(help),
                    None => trouble,
                }
            })?;
            let tokens = first_tokens(&running, &settings)?;
            greet(&running, &settings, &rulesets, (&kept, &options), &tokens);
            invite(&running, &settings)?;
            let last = "  interrupt to stop; REFEREE_LOG=debug says more";
            anstream::eprintln!("{}", paint(FAINT, last));
            supervisor::tell("READY=1");
            renew_when_told(&running)?;
            tokio::select! {
                came = interruption.came() => {
                    came?;
                    anstream::eprintln!("stopping: streams end, calls under way finish");
                    supervisor::tell("STOPPING=1");
                    running.stop().await;
                    Ok(ExitCode::SUCCESS)
                }
                () = running.taken_over() => {
                    anstream::eprintln!(
                        "stopping: another referee has taken over the store; whoever starts this one again takes it back"
                    );
                    running.stop().await;
                    Ok(ExitCode::from(TAKEN_OVER))
                }
            }
        });
        // While there is still a runtime that sends them.
        if let Some(traces) = traces {
            traces.stop();
        }
        served
    }
}

/// Refuses what only a file of matches has, where a database is meant.
fn refuse_what_is_of_files(take_over: bool, new_key: bool) -> Result<(), Trouble> {
    let refused = |what: &str, why: &str| Err(Trouble::new(what).help(why));
    match (take_over, new_key) {
        (true, _) => refused(
            "--take-over is for a file of matches: nobody holds a database",
            "leave it out: any number of referees serve from one database",
        ),
        (_, true) => refused(
            "--new-key is for a file of matches: all who serve from a database have its key",
            "put the key there from its backup, or from a machine that serves with it; for a new database, name a file \
             that is not there",
        ),
        _ => Ok(()),
    }
}

/// The store that was chosen.
struct Chosen {
    store: StoreChoice,
    /// As people read it.
    kept: String,
    /// As a command is told of it.
    options: String,
}

/// Returns how to mend what kept a referee from starting.
pub fn help(error: &StartError) -> Option<&'static str> {
    Some(match error {
        StartError::Insecure(_) => {
            "encrypt with --tls-cert and --tls-key, or say --insecure if that is meant"
        }
        StartError::Archives { .. } => {
            "matches are deleted only once they are archived: name a folder that this user can write with --archives"
        }
        StartError::Open(OpenError::Held(_)) => {
            "stop that one first, or say --take-over: then it ends, and this one goes on with its matches"
        }
        StartError::Open(OpenError::KeyLost(_)) => {
            "put the key back from its backup; or say --new-key: then tokens and claim codes of before open nothing, and \
             matches under way cannot go on, since their decks are sealed with the key"
        }
        StartError::Open(OpenError::KeyWrong(_)) => {
            "put the store's own key there; without any, move this one away and say --new-key"
        }
        StartError::Open(OpenError::DatabaseKeyLost(_)) => {
            "put the key there from its backup, or from a machine that serves with it; a database gets no other key"
        }
        StartError::Open(OpenError::DatabaseKeyWrong(_)) => {
            "put the key of the other referees there; for a new database, name a file that is not there"
        }
        StartError::Open(OpenError::StoreLost(_)) => {
            "put the store back from its backup; or, to begin with nothing, move the key away"
        }
        _ => return None,
    })
}

/// What `REFEREE_LOG` asks for: a level, or levels of parts such as `info,referee_store=debug`; and every call if that is
/// said.
fn wanted_log(settings: &Settings) -> Result<Targets, Trouble> {
    let wanted = match std::env::var("REFEREE_LOG") {
        Ok(wanted) if !wanted.trim().is_empty() => wanted,
        _ => "info".to_owned(),
    };
    let with_calls = |targets: Targets| match settings.request_log {
        true => targets.with_target(CALLS, LevelFilter::DEBUG),
        false => targets,
    };
    wanted.parse().map(with_calls).map_err(|error| {
        Trouble::new(format!("REFEREE_LOG=`{wanted}` names no levels: {error}")).help(
            "a level is off, error, warn, info, debug or trace, for everything (debug) or for parts \
             (info,referee_store=debug)",
        )
    })
}

/// From now on what is logged is told on standard error, and what is traced to a collector.
fn listen_to_log(filter: Targets, settings: &Settings, traces: Option<&Traces>) {
    let colours = std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(colours)
        // Whoever read the log may have gone away; that is no reason to stop.
        .log_internal_errors(false);
    let log = match settings.log_format.unwrap_or_default() {
        LogFormat::Text => log.boxed(),
        LogFormat::Json => log.json().flatten_event(true).boxed(),
    };
    let log = log
        .with_filter(filter)
        .with_filter(filter_fn(|metadata| !traces::is_ours(metadata)));
    tracing_subscriber::registry()
        .with(log)
        .with(traces.map(Traces::layer))
        .init();
}

/// Where matches are kept, and how that is told.
fn store(settings: &Settings) -> Result<Chosen, Trouble> {
    if settings.memory {
        return Ok(Chosen {
            store: StoreChoice::Memory,
            kept: "in memory: lost when the referee stops".to_owned(),
            options: String::new(),
        });
    }
    let key = SaidKey {
        file: settings.key.clone(),
        command: settings.key_command.clone(),
    };
    let is_file = key.file.is_some() || key.command.is_some();
    let kept = Kept::of(settings.store.clone(), key)?;
    if is_file && matches!(kept, Kept::File(..)) {
        let what = "the key of a file of matches lies beside it";
        return Err(Trouble::new(what)
            .help("--key and --key-command are for databases: postgres://user@host/name"));
    }
    Ok(Chosen {
        kept: kept.shown(),
        options: kept.options(),
        store: kept.choice(),
    })
}

fn tls(settings: &Settings) -> Result<Option<Tls>, Trouble> {
    match (&settings.tls_cert, &settings.tls_key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => Ok(Some(Tls::files(
            certificate.clone(),
            key.clone(),
            settings.tls_client_ca.clone(),
        ))),
        _ => Err(Trouble::new("a certificate and its key are given together")),
    }
}

/// On SIGHUP the certificate is read again at once, as operators and their tools expect.
#[cfg(unix)]
fn renew_when_told(running: &Running) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let Some(renew) = running.certificate_renewal() else {
        return Ok(());
    };
    let mut told = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while told.recv().await.is_some() {
            match renew() {
                Ok(true) => tracing::info!("connections are encrypted with a new certificate"),
                Ok(false) => tracing::info!("the certificate is the same"),
                Err(error) => {
                    tracing::warn!(%error, "the certificate cannot be renewed; the one before is used on");
                }
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn renew_when_told(_: &Running) -> std::io::Result<()> {
    Ok(())
}

fn greet(
    running: &Running,
    settings: &Settings,
    rulesets: &[String],
    (kept, options): (&str, &str),
    tokens: &Said,
) {
    anstream::eprintln!(
        "{}",
        paint(HEAD, format!("referee {}", env!("CARGO_PKG_VERSION")))
    );
    anstream::eprintln!("  listens on   {}", paint(GOOD, running.url()));
    if !settings.no_web {
        anstream::eprintln!("  page         {}/", running.url());
    }
    if let Some(metrics) = settings.metrics {
        anstream::eprintln!("  figures      http://{metrics}/metrics");
    }
    if let Some(traces) = &settings.traces {
        anstream::eprintln!("  traces       to {traces}");
    }
    anstream::eprintln!("  rulesets     {}", rulesets.join(", "));
    anstream::eprintln!("  matches      {kept}");
    match tokens {
        Said::Tokens(tokens) => {
            anstream::eprintln!("  host token   {}", tokens.host);
            anstream::eprintln!("  admin token  {}", tokens.admin);
            anstream::eprintln!("  publisher    {}", tokens.publisher);
            if !settings.memory {
                let once = "  they are shown this once; `referee token new` makes others";
                anstream::eprintln!("{}", paint(FAINT, once));
            }
        }
        Said::Written(path) => anstream::eprintln!("  tokens       in {}", path.display()),
        Said::Nobody => anstream::eprintln!(
            "  tokens       nobody has one yet: `referee token new host {options}` makes one"
        ),
        Said::Before => anstream::eprintln!("  tokens       `referee token list {options}`"),
    }
    if settings.testing {
        anstream::eprintln!("  testing      seeds can be chosen: nothing here is fair");
    }
}

/// Shows a link that opens the page as a host, to whoever sits at this machine: what is not a terminal may be a log that
/// others read. Programs that test with this referee need it, too.
fn invite(running: &Running, settings: &Settings) -> std::io::Result<()> {
    let is_seen = std::io::stderr().is_terminal() || settings.testing;
    if settings.no_web || !running.address().ip().is_loopback() || !is_seen {
        return Ok(());
    }
    let link = format!("{}/#/open/{}", running.url(), running.host_code()?);
    anstream::eprintln!("  host a table {}", paint(GOOD, link));
    let once = "  it works once, for ten minutes, in a browser on this machine";
    anstream::eprintln!("{}", paint(FAINT, once));
    Ok(())
}
