//! What stretches of work took, and what counts of several.

use std::time::Instant;

use crate::Outcome;
use crate::server::{Server, machine_cpu, process_cpu};

/// What a stretch of work took.
#[derive(Clone, Copy)]
pub struct Took {
    pub calls: f64,
    pub seconds: f64,
    pub server: f64,
    client: f64,
    foreign: f64,
}

impl Took {
    pub fn rate(self) -> f64 {
        self.calls / self.seconds
    }

    /// The same work, done twice.
    pub fn and(self, other: Took) -> Took {
        let seconds = self.seconds + other.seconds;
        Took {
            calls: self.calls + other.calls,
            seconds,
            server: self.server + other.server,
            client: self.client + other.client,
            foreign: (self.foreign * self.seconds + other.foreign * other.seconds) / seconds,
        }
    }

    pub fn is_void(self) -> bool {
        self.foreign > 0.1
    }
}

/// Turns of the same work.
#[derive(Default)]
pub struct Turns(pub Vec<Took>);

impl Turns {
    /// Of the turns that count.
    pub fn median(&self, of: fn(Took) -> f64) -> f64 {
        let valid = self.0.iter().filter(|took| !took.is_void());
        let mut values: Vec<f64> = valid.map(|took| of(*took)).collect();
        if values.is_empty() {
            values = self.0.iter().map(|took| of(*took)).collect();
        }
        median(values)
    }

    pub fn tell(&self, what: &str) {
        let void = self.0.iter().filter(|took| took.is_void()).count();
        println!(
            "{what:42} {:9.0}/s {:8.1} us of the server's processor a call, {:.1} us of the client's, foreign load {:.2} cores, {void} of {} turns void",
            self.median(Took::rate),
            self.median(|took| took.server / took.calls * 1e6),
            self.median(|took| took.client / took.calls * 1e6),
            median(self.0.iter().map(|took| took.foreign).collect()),
            self.0.len(),
        );
    }

    /// The median of the ratios to another work's rates, turn by turn.
    pub fn ratio(&self, other: &Turns) -> f64 {
        let pairs = || self.0.iter().zip(&other.0);
        let valid = pairs().filter(|(a, b)| !a.is_void() && !b.is_void());
        let mut ratios: Vec<f64> = valid.map(|(a, b)| a.rate() / b.rate()).collect();
        if ratios.is_empty() {
            ratios = pairs().map(|(a, b)| a.rate() / b.rate()).collect();
        }
        median(ratios)
    }
}

/// The value in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What so many of a hundred values do not exceed.
pub fn part(values: &mut [f64], hundredths: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = values.len() * hundredths / 100;
    values.get(place).copied().unwrap_or(f64::NAN)
}

/// What work takes, and what it costs these servers.
pub async fn timed(
    servers: &[&Server],
    calls: usize,
    work: impl Future<Output = Outcome<()>>,
) -> Outcome<Took> {
    let own = || process_cpu("/proc/self/stat");
    let of_servers = || servers.iter().map(|server| server.cpu()).sum::<f64>();
    let (began, all, mine, theirs) = (Instant::now(), machine_cpu(), own(), of_servers());
    work.await?;
    let seconds = began.elapsed().as_secs_f64();
    let (client_cpu, server_cpu) = (own() - mine, of_servers() - theirs);
    let foreign = (machine_cpu() - all - client_cpu - server_cpu).max(0.0) / seconds;
    Ok(Took {
        calls: calls as f64,
        seconds,
        server: server_cpu,
        client: client_cpu,
        foreign,
    })
}
