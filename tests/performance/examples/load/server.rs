//! A server in a process of its own, and what it costs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use prost::Message as _;
use referee::secrets::Keys;
use referee::store::postgres::is_address;
use referee::wire::v1;

use crate::Outcome;

/// A server in a process of its own.
pub struct Server {
    child: Child,
    pub url: String,
    pub echo: String,
    pub host: String,
    pub keys: Keys,
}

impl Server {
    /// Starts one on a store of this name in the folder, on `memory`, or on a database by its address.
    pub fn start(folder: &Path, store: &str, open: u32) -> Outcome<Server> {
        let key = folder.join("key");
        let keys = Keys::load_or_create(&key)?;
        let store: PathBuf = match store {
            "memory" => "memory".into(),
            address if is_address(address) => address.into(),
            name => folder.join(name),
        };
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .args([&store, &key])
            .arg(open.to_string())
            // As the command's `main` has it.
            .env("MIMALLOC_PURGE_DELAY", "1000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut word = || words.next().ok_or("the server did not start");
        Ok(Server {
            url: word()?,
            echo: word()?,
            host: word()?,
            keys,
            child,
        })
    }

    pub fn let_echo_answer(&mut self, answer: &v1::SubmitMoveResponse) -> Outcome<()> {
        let bytes = answer.encode_to_vec();
        let words: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let told = self.child.stdin.as_mut().ok_or("no input")?;
        writeln!(told, "{}", words.join(" "))?;
        Ok(told.flush()?)
    }

    /// Which process it is.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Processor time so far, in seconds.
    pub fn cpu(&self) -> f64 {
        process_cpu(&format!("/proc/{}/stat", self.child.id()))
    }

    /// Resident memory, in bytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id()));
        let pages = status
            .ok()
            .and_then(|s| s.split(' ').nth(1)?.parse::<u64>().ok());
        pages.unwrap_or(0) * 4096
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hundredths of a second, as the kernel counts them.
pub fn ticks(text: &str, from: usize, count: usize) -> f64 {
    let numbers = text.split_whitespace().skip(from).take(count);
    numbers.filter_map(|n| n.parse::<f64>().ok()).sum::<f64>() / 100.0
}

pub fn process_cpu(path: &str) -> f64 {
    let stat = std::fs::read_to_string(path).unwrap_or_default();
    // Behind the name, which may have spaces: user and system time are the 12th and 13th.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    ticks(rest, 11, 2)
}

/// Time that all processors worked.
pub fn machine_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let (user, rest) = (ticks(line, 1, 3), ticks(line, 6, 3));
    user + rest
}
