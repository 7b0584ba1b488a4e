//! Referees in processes of their own, which end or are killed.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use referee::library::Library;
use referee::server::{Config, KeySource, StoreChoice, start};
use referee::store::postgres::Address;

use crate::Trouble;

/// How long a referee may take to end; one of a version that does not know how it is told to is killed then.
const ENDING: Duration = Duration::from_secs(15);

/// One of the referees, until its input ends or it is killed.
pub async fn serve(address: &str, key: &Path) -> Result<(), Trouble> {
    let address = Box::new(Address::read(address)?);
    let choice = StoreChoice::Database(address, KeySource::File(key.into()));
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), choice, Library::embedded()?);
    // Hundreds of people call from one address.
    config.limits.calls_per_second = 100_000;
    let running = start(config).await?;
    println!("{} {}", running.url(), running.host_token());
    let told = || std::io::stdin().read_to_end(&mut Vec::new());
    tokio::task::spawn_blocking(told).await??;
    running.stop().await;
    Ok(())
}

/// A referee that runs, and where.
pub struct Process {
    child: Child,
    /// Where it listens.
    pub url: String,
    /// The token of its host.
    pub host: String,
}

impl Process {
    /// Starts one by this program, with this database and this key.
    ///
    /// # Errors
    ///
    /// When it ends before it serves.
    pub fn start(program: &Path, address: &str, key: &Path) -> Result<Process, Trouble> {
        let mut command = Command::new(program);
        command.arg("--serve").arg(address).arg(key);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let said = child.stdout.take().ok_or("it has no output")?;
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        let (url, host) = line.trim().split_once(' ').ok_or("it did not start")?;
        Ok(Process {
            url: url.to_owned(),
            host: host.to_owned(),
            child,
        })
    }
}

impl Process {
    /// Ends what it is at, and then itself.
    ///
    /// # Errors
    ///
    /// When it does neither and cannot be killed.
    pub fn end(&mut self) -> std::io::Result<()> {
        drop(self.child.stdin.take());
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if began.elapsed() > ENDING {
                return self.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Is gone at once.
    ///
    /// # Errors
    ///
    /// When it cannot be killed.
    pub fn kill(&mut self) -> std::io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
