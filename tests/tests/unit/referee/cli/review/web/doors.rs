//! Tests of the module `cli::review::web::doors`.

use std::net::SocketAddr;

use http::Method;
use referee::cli::review::web::doors::{Doors, Refused};

fn asked(
    doors: &Doors,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
) -> Result<String, Refused> {
    let mut request = http::Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    doors.opened(&parts).map(str::to_owned)
}

#[test]
fn only_the_link_opens_and_only_our_own_page_sends() {
    let address = SocketAddr::from(([127, 0, 0, 1], 4000));
    let (doors, secret) = Doors::made(address).expect("entropy");
    let path = format!("/{secret}/en/thing?name=a");
    let (ours, local) = (("host", "127.0.0.1:4000"), ("host", "localhost:4000"));
    let get = |path: &str, headers: &[_]| asked(&doors, Method::GET, path, headers);
    let post = |headers: &[_]| asked(&doors, Method::POST, &path, headers);
    let opened = Ok("en/thing".to_owned());
    assert_eq!(get(&path, &[ours]), opened);
    assert_eq!(get(&path, &[local]), opened);
    assert_eq!(get(&format!("/{secret}"), &[ours]), Ok(String::new()));
    let own = ("origin", "http://127.0.0.1:4000");
    assert_eq!(post(&[ours, own]), opened);
    assert_eq!(post(&[local, ("origin", "http://localhost:4000")]), opened);

    for host in ["127.0.0.1", "127.0.0.1:4001", "evil.example:4000", ""] {
        assert_eq!(get(&path, &[("host", host)]), Err(Refused::Host), "{host}");
    }
    assert_eq!(get(&path, &[]), Err(Refused::Host));
    assert_eq!(get(&path, &[ours, local]), Err(Refused::Host));
    for origin in [
        "null",
        "http://localhost:4000",
        "https://127.0.0.1:4000",
        "http://evil.example",
        "",
    ] {
        let said = ("origin", origin);
        assert_eq!(post(&[ours, said]), Err(Refused::Origin), "{origin}");
        assert_eq!(get(&path, &[ours, said]), Err(Refused::Origin), "{origin}");
    }
    let (web, _) = Doors::made(SocketAddr::from(([127, 0, 0, 1], 80))).expect("entropy");
    assert_eq!(
        asked(&web, Method::GET, "/", &[("host", "localhost")]),
        Err(Refused::Secret)
    );
    assert_eq!(post(&[ours]), Err(Refused::Origin));
    assert_eq!(post(&[ours, own, own]), Err(Refused::Origin));
    for wrong in [
        "/",
        "/en/",
        "//en/",
        &format!("/{}/en/", &secret[1..]),
        &format!("/x{secret}/en/"),
    ] {
        assert_eq!(get(wrong, &[ours]), Err(Refused::Secret), "{wrong}");
    }
}
