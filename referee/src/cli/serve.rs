//! `referee serve`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::prelude::*;

use super::settings::{Flags, Settings};
use super::style::{FAINT, GOOD, HEAD, paint};
use super::{LibraryOptions, Trouble, data_folder};
use crate::server::{Config, Folders, Running, StartError, StoreChoice, Tls, runtime, start};
use crate::traces::{self, Traces};

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

/// The exit code of a referee whose store another one has taken over: whoever starts it again would take it back.
const TAKEN_OVER: u8 = 4;

impl Serve {
    /// Serves until interrupted.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let only_print = self.flags.only_print();
        let mut settings = self.flags.settings(self.library.rulesets)?;
        let listen = settings.listen.get_or_insert(([127, 0, 0, 1], 7435).into());
        let address = *listen;
        let limits = settings.limits()?;
        if only_print {
            print!("{}", serde_yaml::to_string(&settings)?);
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = runtime(settings.threads)?;
        let inside = runtime.enter();
        let traces = settings.traces()?;
        drop(inside);
        listen_to_log(wanted_log()?, traces.as_ref());

        let found = LibraryOptions {
            rulesets: settings.rulesets.clone(),
        };
        let library = found.library()?;
        let rulesets: Vec<String> = library
            .iter()
            .map(|edition| format!("{} {}", edition.id, edition.version))
            .collect();
        let (store, kept) = store(&settings)?;
        let mut config = Config::new(address, store, library);
        config.insecure = settings.insecure;
        config.testing = settings.testing;
        config.metrics = settings.metrics;
        config.origins = settings.origins.clone();
        config.limits = limits;
        config.tls = tls(&settings)?;
        config.take_over = self.take_over;
        config.new_key = self.new_key;
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
            greet(&running, &settings, &rulesets, &kept);
            renew_when_told(&running)?;
            tokio::select! {
                came = interruption.came() => {
                    came?;
                    anstream::eprintln!("stopping: streams end, calls under way finish");
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

/// How to mend what kept a referee from starting.
fn help(error: &StartError) -> Option<&'static str> {
    Some(match error {
        StartError::Insecure(_) => {
            "encrypt with --tls-cert and --tls-key, or say --insecure if that is meant"
        }
        StartError::Held(_) => {
            "stop that one first, or say --take-over: then it ends, and this one goes on with its matches"
        }
        StartError::KeyLost(_) => {
            "put the key back from its backup; or say --new-key: then tokens and claim codes of before open nothing, and \
             matches under way cannot go on, since their decks are sealed with the key"
        }
        StartError::KeyWrong(_) => {
            "put the store's own key there; without any, move this one away and say --new-key"
        }
        StartError::StoreLost(_) => {
            "put the store back from its backup; or, to begin with nothing, move the key away"
        }
        _ => return None,
    })
}

/// What `REFEREE_LOG` asks for: a level, or levels of parts such as `info,referee::store=debug`.
fn wanted_log() -> Result<Targets, Trouble> {
    let wanted = match std::env::var("REFEREE_LOG") {
        Ok(wanted) if !wanted.trim().is_empty() => wanted,
        _ => return Ok(Targets::new().with_default(LevelFilter::INFO)),
    };
    wanted.parse().map_err(|error| {
        Trouble::new(format!("REFEREE_LOG=`{wanted}` names no levels: {error}")).help(
            "a level is off, error, warn, info, debug or trace, for everything (debug) or for parts \
             (info,referee::store=debug)",
        )
    })
}

/// From now on what is logged is told on standard error, and what is traced to a collector.
fn listen_to_log(filter: Targets, traces: Option<&Traces>) {
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // Whoever read the log may have gone away; that is no reason to stop.
        .log_internal_errors(false)
        .with_filter(filter)
        .with_filter(filter_fn(|metadata| !traces::is_ours(metadata)));
    tracing_subscriber::registry()
        .with(log)
        .with(traces.map(Traces::layer))
        .init();
}

/// Where matches are kept, and how that is told.
fn store(settings: &Settings) -> Result<(StoreChoice, String), Trouble> {
    if settings.memory {
        let kept = "in memory: lost when the referee stops".to_owned();
        return Ok((StoreChoice::Memory, kept));
    }
    let path: PathBuf = match &settings.store {
        Some(path) => path.clone(),
        None => data_folder()?.join("referee.sqlite"),
    };
    let kept = path.display().to_string();
    Ok((StoreChoice::File(path), kept))
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

fn greet(running: &Running, settings: &Settings, rulesets: &[String], kept: &str) {
    anstream::eprintln!(
        "{}",
        paint(HEAD, format!("referee {}", env!("CARGO_PKG_VERSION")))
    );
    anstream::eprintln!("  listens on   {}", paint(GOOD, running.url()));
    if let Some(metrics) = settings.metrics {
        anstream::eprintln!("  figures      http://{metrics}/metrics");
    }
    if let Some(traces) = &settings.traces {
        anstream::eprintln!("  traces       to {traces}");
    }
    anstream::eprintln!("  rulesets     {}", rulesets.join(", "));
    anstream::eprintln!("  matches      {kept}");
    anstream::eprintln!("  host token   {}", running.host_token());
    anstream::eprintln!("  admin token  {}", running.admin_token());
    anstream::eprintln!("  publisher    {}", running.publisher_token());
    if settings.testing {
        anstream::eprintln!("  testing      seeds can be chosen: nothing here is fair");
    }
    anstream::eprintln!(
        "{}",
        paint(FAINT, "  interrupt to stop; REFEREE_LOG=debug says more")
    );
}

/// Interruptions of this process. From its making on they end [`came`](Self::came) and not the process.
struct Interruption {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
}

impl Interruption {
    #[cfg(unix)]
    fn expect() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        ];
        Ok(Interruption { signals })
    }

    #[cfg(unix)]
    async fn came(mut self) -> std::io::Result<()> {
        let [interrupt, terminate] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    }

    #[cfg(not(unix))]
    fn expect() -> std::io::Result<Self> {
        Ok(Interruption {})
    }

    #[cfg(not(unix))]
    async fn came(self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
