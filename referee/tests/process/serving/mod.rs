//! A referee in a process of its own, as an operator runs it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use referee::client::Client;

pub mod canaries;
pub mod table;

/// The process, and what it says.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub url: String,
    /// The token of a host.
    pub host: String,
    heard: Arc<Mutex<String>>,
}

impl Server {
    /// Starts one that keeps its matches in a file; `log` is what its log tells.
    pub fn start(store: &Path, log: &str) -> Server {
        Server::start_with(store, log, &[])
    }

    /// As [`start`](Self::start), with more words on its command line.
    pub fn start_with(store: &Path, log: &str, words: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command
            .args(["serve", "--testing", "--listen", "127.0.0.1:0", "--store"])
            .arg(store)
            .arg("--token-file")
            .arg(tokens(store))
            .args(words)
            .env("REFEREE_LOG", log);
        Server::of(&mut command, store).unwrap_or_else(|said| panic!("it does not start: {said}"))
    }

    /// Starts one on an address of the test's choice.
    pub fn start_at(store: &Path, address: &str) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command.args(["serve", "--listen", address, "--store"]);
        command.arg(store).arg("--token-file").arg(tokens(store));
        command.env("REFEREE_LOG", "warn");
        Server::of(&mut command, store).unwrap_or_else(|said| panic!("it does not start: {said}"))
    }

    /// A process that says where it listens and that there are tokens, or what that of a host is, as a referee does; if it
    /// ends before, what it said and how it ended.
    pub fn of(command: &mut Command, store: &Path) -> Result<Server, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a referee");
        let (mut url, mut host, mut said) = (String::new(), String::new(), String::new());
        let mut lines = BufReader::new(child.stderr.take().expect("it speaks")).lines();
        while host.is_empty() {
            let Some(line) = lines.next() else {
                let ended = child.wait().expect("it has ended");
                return Err(format!("{said}{ended}"));
            };
            let line = line.expect("a line");
            let plain = without_colours(&line);
            said.push_str(&plain);
            said.push('\n');
            let last = plain.split_whitespace().last().unwrap_or_default();
            if plain.contains("listens on") {
                url = last.to_owned();
            } else if plain.contains("host token") {
                host = last.to_owned();
            } else if plain.contains("  tokens ") {
                let tokens = std::fs::read_to_string(tokens(store)).expect("the first tokens");
                let mut lines = tokens.lines();
                let of_host = lines.find_map(|line| line.strip_prefix("host: "));
                host = of_host.expect("one of a host").to_owned();
            }
        }
        let heard = Arc::new(Mutex::new(String::new()));
        let keeps = heard.clone();
        // Somebody has to read what it says, or it would wait.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut heard = keeps.lock().expect("nobody panicked");
                heard.push_str(&line);
                heard.push('\n');
            }
        });
        Ok(Server {
            child,
            url,
            host,
            heard,
        })
    }

    /// Asks it to stop, as an operator does, and waits until it has. Connections to it hear of it meanwhile, or it would
    /// wait for them.
    pub async fn stop(&mut self) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.expect("it is asked").success());
        while self.runs() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(self.ended(), Some(0));
    }

    /// Waits until it ends by itself; gives its exit code.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Whether it runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().expect("it can be asked").is_none()
    }

    /// A connection to it.
    pub async fn client(&self) -> Client {
        Client::connect(&self.url).await.expect("it listens")
    }

    /// What it has said since it told the token of a host.
    pub fn heard(&self) -> String {
        without_colours(&self.raw())
    }

    /// Waits until it has said a word; gives all that it has said. The log comes by another way than the answers.
    pub async fn hears(&self, word: &str) -> String {
        for _ in 0..500 {
            if self.heard().contains(word) {
                return self.heard();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("`{word}` is not said: {}", self.heard());
    }

    /// The same with its colours, if it has any.
    pub fn raw(&self) -> String {
        self.heard.lock().expect("nobody panicked").clone()
    }
}

impl Drop for Server {
    /// As a power cut: the process gets no chance to finish anything.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A referee that is expected to refuse to start, with exit code 2; one that serves is a failure, and is ended.
pub fn refused(command: &mut Command) -> String {
    let pipes = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = pipes.stderr(Stdio::piped()).spawn().expect("a referee");
    let mut said = String::new();
    for line in BufReader::new(child.stderr.take().expect("it speaks")).lines() {
        said.push_str(&line.expect("a line"));
        said.push('\n');
        if said.contains("listens on") {
            let _ = child.kill();
        }
    }
    let code = child.wait().expect("it ends").code();
    assert_eq!(code, Some(2), "{said}");
    said
}

/// What a referee says until it serves; it is ended then.
pub fn greeting(command: &mut Command) -> String {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("a referee");
    let mut said = String::new();
    for line in BufReader::new(child.stderr.take().expect("it speaks")).lines() {
        let line = line.expect("a line");
        said.push_str(&line);
        said.push('\n');
        if line.contains("interrupt to stop") {
            break;
        }
    }
    child.kill().expect("it ends");
    child.wait().expect("it ends");
    said
}

/// Where the first tokens of a store are written.
pub fn tokens(store: &Path) -> PathBuf {
    store.with_extension("tokens")
}

/// A line without the codes of colours.
fn without_colours(line: &str) -> String {
    let code = |c: char| c == '[' || c == ';' || c == 'm' || c.is_ascii_digit();
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.trim_start_matches(code))
}
