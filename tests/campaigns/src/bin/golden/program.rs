//! The program of a referee, as an operator and a player at a terminal run it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use referee_tests::golden::{Ended, Trouble};

use crate::hosting::WEBHOOK_HOST;
use crate::plans::{Plan, Texts};

/// Moves of a game at the terminal, at most.
const LONGEST: usize = 20_000;

/// A program.
pub struct Program {
    path: PathBuf,
    /// What it says its version is.
    pub version: String,
}

/// The tokens that a referee prints when it starts.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    pub host: String,
    pub admin: String,
    pub publisher: String,
}

/// A referee that serves; it is stopped when this goes.
pub struct Serving {
    child: Child,
    pub url: String,
    pub tokens: Tokens,
}

/// A game at the terminal.
pub struct Recorded {
    /// The file of `--record`.
    pub text: String,
    /// How it ended, as the terminal said.
    pub ended: Ended,
}

impl Program {
    pub fn new(path: &Path) -> Result<Program, Trouble> {
        let path = path
            .canonicalize()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let said = Command::new(&path).arg("--version").output()?;
        let version = String::from_utf8(said.stdout)?.trim().to_owned();
        Ok(Program { path, version })
    }

    /// Serves from a store on loopback.
    pub fn serve(&self, store: &Path) -> Result<Serving, Trouble> {
        let mut child = Command::new(&self.path)
            .args(["serve", "--listen", "127.0.0.1:0", "--store"])
            .arg(store)
            .args(["--webhook-host", WEBHOOK_HOST])
            .arg("--token-file")
            .arg(store.with_extension("tokens"))
            .env("REFEREE_LOG", "warn")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().ok_or("it has no standard error")?;
        let mut serving = Serving {
            child,
            url: String::new(),
            tokens: Tokens::default(),
        };
        let mut lines = BufReader::new(said).lines();
        loop {
            let line = lines.next().ok_or("the referee ended before it served")??;
            if line.contains("listens on") {
                let last = line.split_whitespace().last();
                serving.url = last.unwrap_or_default().to_owned();
            }
            if line.contains("  tokens ") {
                break;
            }
        }
        let told = std::fs::read_to_string(store.with_extension("tokens"))?;
        let told: BTreeMap<String, String> = serde_yaml::from_str(&told)?;
        let one = |kind: &str| told.get(kind).cloned().ok_or("a token is missing");
        serving.tokens = Tokens {
            host: one("host")?,
            admin: one("admin")?,
            publisher: one("publisher")?,
        };
        // Somebody has to read what it says, or it would wait.
        std::thread::spawn(move || {
            let warns = |line: &String| line.contains("WARN") || line.contains("ERROR");
            for line in lines.map_while(Result::ok).filter(warns) {
                eprintln!("  {line}");
            }
        });
        Ok(serving)
    }

    /// Copies a store that is served from, with its key.
    pub fn backup(&self, store: &Path, to: &Path) -> Result<(), Trouble> {
        let mut command = Command::new(&self.path);
        command
            .args(["store", "backup", "--store"])
            .arg(store)
            .arg(to);
        let done = command.output()?;
        match done.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
        }
    }

    /// Plays a game at the terminal to its end, by chance, and keeps its record.
    pub fn record(&self, plan: &Plan, seed: u64) -> Result<Recorded, Trouble> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("record.yaml");
        let mut command = Command::new(&self.path);
        command.arg("play");
        match plan.texts {
            Texts::Shipped => command.arg(plan.ruleset),
            Texts::Invented | Texts::Faulty => command.arg(plan.folder()),
        };
        for module in plan.modules {
            command.args(["--with", module]);
        }
        for (name, value) in plan.options {
            command.args(["--option", &format!("{name}={value}")]);
        }
        command
            .args([
                "--players",
                &plan.players.to_string(),
                "--seed",
                &seed.to_string(),
            ])
            .args([
                "--bots", "random", "--seat", "p1", "--lang", "en", "--record",
            ])
            .arg(&file)
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command.spawn()?;
        let mut typed = child.stdin.take().ok_or("it has no standard input")?;
        let typing = std::thread::spawn(move || {
            for _ in 0..LONGEST {
                // It ends when the game does.
                if typed.write_all(b"auto\n").is_err() {
                    break;
                }
            }
        });
        let said = child.wait_with_output()?;
        typing.join().map_err(|_| "typing failed")?;
        let said = String::from_utf8(said.stdout)?;
        let ended = ended(&said).ok_or("a game at the terminal did not end")?;
        Ok(Recorded {
            text: std::fs::read_to_string(file)?,
            ended,
        })
    }
}

/// How a game ended, from the last lines that a terminal shows.
fn ended(said: &str) -> Option<Ended> {
    let mut totals = None;
    let mut winners = None;
    for line in said.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("total") => totals = words.map(|word| word.parse().ok()).collect(),
            Some("winner:" | "winners:") => {
                winners = Some(
                    words
                        .map(|word| word.trim_end_matches(',').to_owned())
                        .collect(),
                );
            }
            _ => {}
        }
    }
    Some(Ended {
        totals: totals?,
        winners: winners?,
    })
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It was copied, or it does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
