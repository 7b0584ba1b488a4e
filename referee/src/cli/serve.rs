//! `referee serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::style::{FAINT, GOOD, HEAD, paint};
use super::{LibraryOptions, Trouble, data_folder, runtime};
use crate::limits::Limits;
use crate::server::{Config, StartError, StoreChoice, start};

/// Serves matches over gRPC
#[derive(Debug, Args)]
#[command(after_help = "\
Without flags the referee listens on this machine only and keeps matches in one file. TLS comes with a \
later version: until then put a proxy that ends TLS in front of it, or trust your network and say \
--insecure.

Examples:
  referee serve
  referee serve --listen 127.0.0.1:9000 --store matches.sqlite
  referee serve --rulesets ./my-rulesets")]
pub struct Serve {
    /// Where to listen
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7435",
        value_parser = address,
        env = "REFEREE_LISTEN"
    )]
    listen: SocketAddr,

    /// The file that keeps matches; made if there is none, with its key beside it in FILE.key
    /// [default: referee.sqlite in the data folder of this user]
    #[arg(long, value_name = "FILE", env = "REFEREE_STORE")]
    store: Option<PathBuf>,

    /// Keep matches in memory: all are lost when the referee stops
    #[arg(long, conflicts_with = "store")]
    memory: bool,

    /// Listen on an address that other machines can reach, although nothing is encrypted
    #[arg(long)]
    insecure: bool,

    /// Accept chosen seeds: for tests of clients. Whoever chooses a seed knows every card
    #[arg(long)]
    testing: bool,

    #[command(flatten)]
    library: LibraryOptions,
}

impl Serve {
    /// Serves until interrupted.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let filter = tracing_subscriber::EnvFilter::try_from_env("REFEREE_LOG")
            .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .init();

        let library = self.library.library()?;
        let rulesets: Vec<String> = library
            .iter()
            .map(|edition| format!("{} {}", edition.id, edition.version))
            .collect();
        let (store, kept) = match (self.memory, self.store) {
            (true, _) => (
                StoreChoice::Memory,
                "in memory: lost when the referee stops".to_owned(),
            ),
            (false, path) => {
                let path = match path {
                    Some(path) => path,
                    None => data_folder()?.join("referee.sqlite"),
                };
                let kept = path.display().to_string();
                (StoreChoice::File(path), kept)
            }
        };
        let config = Config {
            address: self.listen,
            insecure: self.insecure,
            store,
            library,
            limits: Limits::default(),
            testing: self.testing,
        };
        runtime()?.block_on(async {
            // Before anybody is told that it listens: whoever reads that may stop it.
            let interruption = Interruption::expect()?;
            let running = start(config).await.map_err(|error| {
                let insecure = matches!(error, StartError::Insecure(_));
                let trouble = Trouble::from(error);
                if insecure {
                    trouble.help("say --insecure if that is meant")
                } else {
                    trouble
                }
            })?;
            anstream::eprintln!(
                "{}",
                paint(HEAD, format!("referee {}", env!("CARGO_PKG_VERSION")))
            );
            anstream::eprintln!("  listens on   {}", paint(GOOD, running.url()));
            anstream::eprintln!("  rulesets     {}", rulesets.join(", "));
            anstream::eprintln!("  matches      {kept}");
            anstream::eprintln!("  host token   {}", running.host_token());
            if self.testing {
                anstream::eprintln!("  testing      seeds can be chosen: nothing here is fair");
            }
            anstream::eprintln!(
                "{}",
                paint(FAINT, "  interrupt to stop; REFEREE_LOG=debug says more")
            );
            interruption.came().await?;
            anstream::eprintln!("stopping: streams end, calls under way finish");
            running.stop().await;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// An address to listen on; a name (`localhost:7435`) is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(text)
        .map_err(|error| format!("{error}; write a host and a port, such as 127.0.0.1:7435"))?;
    found
        .next()
        .ok_or_else(|| "this name has no address".to_owned())
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
