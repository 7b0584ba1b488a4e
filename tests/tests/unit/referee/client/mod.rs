//! Tests of the module `client` and its parts.

mod player;

use referee::client::routed;
use referee::wire::{routing, v1};
use tonic::Request;
use tonic::metadata::MetadataValue;

#[test]
fn a_call_about_a_match_says_which() {
    let said = |request: Request<v1::GetMatchRequest>| {
        let request = routed(request);
        let said = request.metadata().get(routing::HEADER);
        said.map(|said| said.to_str().expect("text").to_owned())
    };
    let about = |name: &str| Request::new(v1::GetMatchRequest { name: name.into() });
    assert_eq!(said(about("matches/5f2c")).as_deref(), Some("5f2c"));
    assert_eq!(said(about("rulesets/5f2c")), None);
    assert_eq!(said(about("matches/no id")).as_deref(), Some("no id"));
    assert_eq!(said(about("matches/\n")), None);
    let mut own = about("matches/5f2c");
    let mine = MetadataValue::from_static("mine");
    own.metadata_mut().insert(routing::HEADER, mine);
    assert_eq!(said(own).as_deref(), Some("mine"));
}
