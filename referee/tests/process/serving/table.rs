//! A match, as a host and its players bring it to its beginning.

use referee::client::{Client, seat_name};
use referee::wire::v1;
use tonic::Status;

/// Creates a match of a shipped ruleset; a seed is for referees that take one.
pub async fn create(
    host: &Client,
    ruleset: &str,
    players: u32,
    seed: Option<[u8; 32]>,
) -> Result<v1::CreateMatchResponse, Status> {
    let create = v1::CreateMatchRequest {
        test_seed: seed.map_or_else(Vec::new, Vec::from),
        ..v1::CreateMatchRequest::of(format!("rulesets/{ruleset}"), players)
    };
    host.call(create).await
}

/// The name of a match that was created.
pub fn name(created: &v1::CreateMatchResponse) -> String {
    created.r#match.as_ref().expect("a match").name.clone()
}

/// Takes a seat; gives its token.
pub async fn claim(
    client: &Client,
    created: &v1::CreateMatchResponse,
    seat: u32,
    called: &str,
) -> String {
    let mut codes = created.claim_codes.iter();
    let code = codes.find(|code| code.seat == seat).expect("such a seat");
    let claim = v1::ClaimSeatRequest::by(code, called);
    let claimed = client.call(claim).await.expect("a seat");
    claimed.seat_token
}

/// Gives seats to bots.
pub async fn bots(host: &Client, name: &str, seats: impl IntoIterator<Item = u32>) {
    for seat in seats {
        let bot = v1::SeatBotRequest {
            bot: v1::BotKind::Random.into(),
            ..v1::SeatBotRequest::of(seat_name(name, seat))
        };
        host.call(bot).await.expect("a bot");
    }
}

/// Starts a match.
pub async fn start(host: &Client, name: &str) {
    let start = v1::StartMatchRequest::of(name);
    host.call(start).await.expect("it starts");
}
