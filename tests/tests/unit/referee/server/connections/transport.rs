//! Tests of the module `server::connections::transport`.

use std::sync::Arc;

use http::HeaderMap;
use referee::limits::Limits;
use referee::server::connections::transport::{Transport, rates};

fn origin(proxies: &[&str], peer: &str, said: &[&str]) -> String {
    let address = |text: &&str| text.parse().expect("an address");
    let transport = Transport {
        limits: Arc::default(),
        rates: rates(&Limits::default()),
        proxies: proxies.iter().map(address).collect(),
    };
    let mut headers = HeaderMap::new();
    for line in said {
        headers.append("x-forwarded-for", line.parse().expect("a value"));
    }
    let origin = transport.origin(address(&peer), &headers);
    origin.to_string()
}

#[test]
fn only_the_operators_proxies_are_believed() {
    assert_eq!(origin(&[], "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
    assert_eq!(origin(&["10.0.0.1"], "10.0.0.1", &[]), "10.0.0.1");
    assert_eq!(origin(&["10.0.0.1"], "10.0.0.2", &["1.2.3.4"]), "10.0.0.2");
    // The caller may have sent such a header to the proxy itself.
    let said = ["6.6.6.6, 5.6.7.8", "1.2.3.4"];
    assert_eq!(origin(&["10.0.0.1"], "10.0.0.1", &said), "1.2.3.4");
    let both = ["10.0.0.1", "1.2.3.4"];
    assert_eq!(origin(&both, "::ffff:10.0.0.1", &said), "5.6.7.8");
    assert_eq!(origin(&["10.0.0.1"], "10.0.0.1", &["unknown"]), "10.0.0.1");
}
