//! Matches and processes, as the examples that load a referee need them.

use std::process::Child;
use std::time::Duration;

use referee::client::{Client, SeatClient, seat_name};
use referee::wire::v1;

/// What may go wrong anywhere.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A process that ends when this is dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Creates a match that has yet to begin.
pub async fn create(
    host: &Client,
    ruleset: &str,
    players: u32,
) -> Outcome<(String, Vec<v1::ClaimCode>)> {
    let create = v1::CreateMatchRequest::of(ruleset, players);
    let created = host.call(create).await?;
    let name = created.r#match.ok_or("no match")?.name;
    Ok((name, created.claim_codes))
}

/// Takes a seat of a match.
pub async fn claim(client: &Client, name: &str, code: &v1::ClaimCode) -> Outcome<SeatClient> {
    let claim = v1::ClaimSeatRequest::by(code, "a neighbour");
    let claimed = client.call(claim).await?;
    let seat = client.with_token(&claimed.seat_token);
    Ok(SeatClient::new(seat, name.to_owned()))
}

/// Gives a seat to a bot.
pub async fn seat_bot(host: &Client, name: &str, seat: u32, kind: v1::BotKind) -> Outcome<()> {
    let bot = v1::SeatBotRequest {
        bot: kind.into(),
        ..v1::SeatBotRequest::of(seat_name(name, seat))
    };
    Ok(host.call(bot).await.map(drop)?)
}

/// Begins a match.
pub async fn begin(host: &Client, name: &str) -> Outcome<()> {
    let start = v1::StartMatchRequest::of(name);
    Ok(host.call(start).await.map(drop)?)
}

/// The time that a share of all times, in hundredths, does not exceed; none if there are no times. They are sorted.
pub fn at(times: &[Duration], share: usize) -> Option<Duration> {
    let last = times.len().checked_sub(1)?;
    times.get((times.len() * share / 100).min(last)).copied()
}
