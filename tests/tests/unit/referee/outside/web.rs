//! Tests of the module `outside::web`.

use referee::outside::web::{Url, is_public};

#[test]
fn only_encrypted_urls_are_called_but_on_this_machine() {
    let server = |text: &str| Url::read(text).map(|url| url.server());
    assert_eq!(
        server("https://Club.example/turn?x=1").unwrap(),
        "club.example"
    );
    assert_eq!(
        server("https://club.example:8443").unwrap(),
        "club.example:8443"
    );
    assert_eq!(server("http://127.0.0.1:9000/x").unwrap(), "127.0.0.1:9000");
    assert_eq!(server("http://[::1]:9000/x").unwrap(), "[::1]:9000");
    for bad in [
        "",
        "club.example/turn",
        "http://club.example/turn",
        "http://localhost/turn",
        "http://10.0.0.1/",
        "ftp://club.example/",
        "https://a:b@club.example/",
        "https://club.example/#x",
        "file:///etc/passwd",
        "https://",
    ] {
        assert!(server(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn private_addresses_are_not_public_however_they_are_written() {
    let public = |text: &str| is_public(text.parse().unwrap());
    for address in [
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ] {
        assert!(public(address), "{address}");
    }
    for address in [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a00:1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2002:a00:1::",
        "2001::1",
        "2001:db8::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "ff02::1",
        "fec0::1",
        "4000::1",
    ] {
        assert!(!public(address), "{address}");
    }
}
