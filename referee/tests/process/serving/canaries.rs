//! A match full of secrets that can be recognized wherever they turn up.

use referee::client::{Chooser, Chooses, SeatClient};
use referee::wire::v1;

use super::{Server, table};

/// A seed that can be recognized, however it is written.
const SEED: [u8; 32] = [0xA7; 32];

/// What was played.
pub struct Played {
    /// What must not be told: what it is, and the text by which it is recognized.
    pub secrets: Vec<(String, String)>,
    /// The seats.
    pub seats: Vec<SeatClient>,
    /// The match.
    pub name: String,
}

/// Plays a match of San Juan for a while; some calls go wrong on purpose.
pub async fn play(server: &Server) -> Played {
    let client = server.client().await;
    let host = client.with_token(&server.host);
    let created = table::create(&host, "san-juan", 2, Some(SEED)).await;
    let created = created.expect("a match");
    let name = table::name(&created);
    let mut secrets = vec![("the host's token".to_owned(), server.host.clone())];
    let mut seats = Vec::new();
    for code in &created.claim_codes {
        secrets.push((format!("claim code {}", code.seat), code.code.clone()));
        let token = table::claim(&client, &created, code.seat, "Canary").await;
        secrets.push((format!("token {}", code.seat), token.clone()));
        seats.push(SeatClient::new(client.with_token(&token), name.as_str()));
    }
    table::start(&host, &name).await;

    // What goes wrong is logged too: a move that is none, and a foreign token.
    let mut player = Chooser::new(3);
    for round in 0..40 {
        for seat in &seats {
            let Some((decision, offers)) = seat.decision().await.expect("an answer") else {
                continue;
            };
            if round % 10 == 0 {
                let wrong = v1::Move {
                    name: "canary".into(),
                    arguments: Vec::new(),
                };
                let refused = seat.submit(&decision.decision_id, wrong).await;
                refused.expect_err("there is no such move");
            }
            let mv = player.choose(&decision, &offers);
            let _ = seat.submit(&decision.decision_id, mv).await;
        }
    }
    let foreign = client.with_token(&secrets[0].1.replace("rfh_", "rfs_"));
    let view = v1::GetViewRequest::of(&name);
    foreign.call(view).await.expect_err("no token");

    secrets.push(("the seed".into(), "a7a7a7a7".into()));
    secrets.push(("the seed as numbers".into(), "167, 167".into()));
    let ruleset = v1::GetRulesetRequest::of("rulesets/san-juan");
    let ruleset = client.call(ruleset).await;
    let cards = format!("{:?}", ruleset.expect("it is offered"));
    // Long ids of cards: short ones are also words of other things.
    for card in [
        "aqueduct",
        "tobacco_storage",
        "victory_column",
        "triumphal_arch",
        "sugar_mill",
    ] {
        assert!(cards.contains(card), "`{card}` is no card of the game");
        secrets.push((format!("the card {card}"), card.to_owned()));
    }
    Played {
        secrets,
        seats,
        name,
    }
}
