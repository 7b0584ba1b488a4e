//! A publisher, who publishes new revisions of what is played.

use std::sync::Arc;
use std::time::Duration;

use referee::client::request_id;
use referee::wire::v1;
use tokio::time::Instant;

use super::{RULESETS, twice};
use crate::world::World;

/// Publishes a ruleset again and again, each time a little otherwise: what was acknowledged is offered.
pub async fn publisher(world: Arc<World>, token: String) {
    let mut random = world.random();
    let publisher = world.client().with_token(&token);
    let who = "the publisher";
    let Some(edition) = world.library().get(RULESETS[0]).cloned() else {
        world.trace.fault("there is nothing to publish".into());
        return;
    };
    let mut version = 0;
    while !world.is_over() {
        tokio::time::sleep(Duration::from_millis(random.u64(3000..20_000))).await;
        version += 1;
        let files = edition
            .texts
            .files
            .iter()
            .map(|(path, text)| v1::PackageFile {
                path: path.clone(),
                text: match &path[..] {
                    "ruleset.yaml" => text.replace("0.1.0", &format!("0.1.{version}")),
                    _ => text.clone(),
                },
            });
        let publish = v1::PublishPackageRequest {
            package: Some(v1::Package {
                files: files.collect(),
            }),
            request_id: request_id(),
            ..Default::default()
        };
        let published = twice(&world, who, &publisher, &mut random, publish);
        let revision = match published.await {
            Ok(published) => published.revision,
            Err(status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                return;
            }
        };
        world.trace.count("revisions");
        let done = Instant::now();
        loop {
            let asked = v1::GetRulesetRequest {
                name: format!("rulesets/{}", RULESETS[0]),
                ..Default::default()
            };
            let called = Instant::now();
            let offered = world.insist(who, &publisher, asked);
            let offered = offered.await.map(|answer| format!("{answer:?}"));
            if offered.as_ref().is_ok_and(|said| said.contains(&revision)) {
                break;
            }
            if called >= done + world.known_everywhere(done) {
                world
                    .trace
                    .fault(format!("{revision} was published, and is not offered"));
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
