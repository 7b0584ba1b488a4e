//! What a proxy goes by that stands between clients and several referees.

use referee::wire::routing::HEADER;
use referee::wire::v1;
use tonic::transport::Channel;

use super::calls::{call_with, methods, request};
use super::world::{World, expect, fields};

/// The id that a call is sent by, if it is about a match.
fn said(id: &str) -> (&'static str, String) {
    (HEADER, id.to_owned())
}

#[tokio::test]
async fn no_call_goes_by_another_match_than_it_is_about() {
    let world = World::new().await;
    let (table, _) = world.table(3, 1).await;
    let channel = Channel::from_shared(world.url()).expect("a url");
    let channel = channel.connect().await.expect("it listens");
    let id = table.name.trim_start_matches("matches/");
    let mut about_matches = 0;
    for (method, input) in methods() {
        // Nobody calls: what is refused here is refused to everybody.
        let bytes = request(&input, &table.name);
        let path = format!("/referee.v1.{method}");
        let same = call_with(&channel, &path, &[said(id)], bytes.clone()).await;
        let another = call_with(&channel, &path, &[said("5f2c")], bytes).await;
        let by_header = |status: &tonic::Status| {
            referee::client::bad_request(status).is_some() && fields(status) == [HEADER]
        };
        assert!(!same.as_ref().is_some_and(by_header), "{method}: {same:?}");
        if another.as_ref().is_some_and(by_header) {
            about_matches += 1;
        } else {
            // What it is about is no match, or none is known by name.
            let named = input.field.iter().any(|field| field.name() == "name");
            let code = |status: &Option<tonic::Status>| status.as_ref().map(tonic::Status::code);
            assert_eq!(code(&another), code(&same), "{method}");
            assert!(!named || request_names_no_match(input.name()), "{method}");
        }
    }
    assert!(about_matches > 30, "{about_matches}");
}

/// Requests whose name is not one of a match in [`request`].
fn request_names_no_match(request: &str) -> bool {
    let others = ["Ruleset", "Schemas", "Artifact", "Revisions"];
    others.iter().any(|other| request.contains(other))
}

#[tokio::test]
async fn our_client_says_which_match_a_call_is_about() {
    let world = World::new().await;
    let (table, _) = world.table(3, 1).await;
    let look = v1::GetMatchRequest::of(&table.name);
    table
        .host
        .call(look.clone())
        .await
        .expect("it says its own");
    // Whoever says it by themselves is not spoken over.
    let mut request = tonic::Request::new(look);
    let another = "5f2c".parse().expect("a value");
    request.metadata_mut().insert(HEADER, another);
    let status = expect(
        table.host.call::<v1::GetMatchRequest>(request).await,
        "MALFORMED_REQUEST",
    );
    assert_eq!(fields(&status), [HEADER]);
}
