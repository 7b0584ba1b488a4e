//! An administrator, who makes tokens and revokes them.

use std::sync::Arc;
use std::time::Duration;

use referee::client::request_id;
use referee::wire::v1;
use tokio::time::Instant;
use tonic::Status;

use super::{must_open_nothing, twice};
use crate::caller::Caller;
use crate::world::World;

/// Makes tokens, uses them, revokes them, and tries them again for ever.
pub async fn administrator(world: Arc<World>, token: String) {
    let mut random = world.random();
    let client = world.client();
    let admin = client.with_token(&token);
    let who = "the administrator";
    let mut revoked: Vec<(String, Instant)> = Vec::new();
    while !world.is_over() {
        tokio::time::sleep(Duration::from_millis(random.u64(50..1500))).await;
        let create = v1::CreateTokenRequest {
            kind: v1::TokenKind::Host.into(),
            label: "a host".into(),
            request_id: request_id(),
            ..Default::default()
        };
        let made = twice(&world, who, &admin, &mut random, create);
        let made = match made.await {
            Ok(made) => made,
            Err(status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                return;
            }
        };
        let holder = client.with_token(&made.token);
        if let Err(status) = matches_of(&world, who, &holder).await {
            world
                .trace
                .fault(format!("a new token opens nothing: {status:?}"));
        }
        let revoke = v1::RevokeTokenRequest {
            name: made.name,
            request_id: request_id(),
        };
        let gone = twice(&world, who, &admin, &mut random, revoke);
        if let Err(status) = gone.await {
            world.trace.fault(format!("{who}: {status:?}"));
            continue;
        }
        revoked.push((made.token, Instant::now()));
        let old = random.choice(&revoked);
        for (token, since) in revoked.last().into_iter().chain(old) {
            let holder = client.with_token(token);
            must_open_nothing(&world, who, *since, || matches_of(&world, who, &holder)).await;
        }
        if revoked.len() > 50 {
            revoked.remove(0);
        }
    }
}

async fn matches_of(world: &World, who: &str, host: &Caller) -> Result<(), Status> {
    let asked = v1::ListMatchesRequest::default();
    world.insist(who, host, asked).await.map(drop)
}
