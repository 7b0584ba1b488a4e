//! Tests of the module `store::postgres::address`.

use std::path::Path;

use referee::store::postgres::address::{Address, found};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

fn refused(text: &str) -> String {
    Address::read(text).err().unwrap_or_default()
}

#[test]
fn whoever_is_far_is_known_by_a_certificate() {
    let mode = |text: &str| Address::read(text).map(|address| address.config().get_ssl_mode());
    for near in ["localhost", "127.0.0.1", "[::1]", "%2Ftmp"] {
        assert_eq!(
            mode(&format!("postgres://u@{near}/d")),
            Ok(SslMode::Disable)
        );
    }
    assert_eq!(mode("postgres://u@db.example/d"), Ok(SslMode::Require));
    let full = "postgres://u@db.example,db2.example/d?sslmode=verify-full";
    assert_eq!(mode(full), Ok(SslMode::Require));
    let mixed = refused("postgres://u@localhost,db.example/d?sslmode=require");
    assert!(mixed.contains("verify-full"), "{mixed}");
    let address = Address::read("postgres://u@db.example/d?sslrootcert=/ca.pem").unwrap();
    assert_eq!(address.authorities(), Some(Path::new("/ca.pem")));
}

#[test]
fn no_password_is_ever_shown() {
    let address = Address::read("postgres://ada:s3cret@localhost:6000,[::1]:6001/league").unwrap();
    assert_eq!(
        address.shown(),
        "postgres://ada@localhost:6000,[::1]:6001/league"
    );
    // What is shown is an address again.
    for text in [
        "postgres://a%40b:s3cret@db.example/my%20league?sslrootcert=/etc/ca.pem",
        "postgres://ada@%2Fvar%2Frun/league",
    ] {
        let address = Address::read(text).unwrap();
        let again = Address::read(&address.shown()).unwrap();
        let of = |address: &Address| {
            let config = address.config();
            let names = (config.get_user(), config.get_dbname());
            format!(
                "{names:?} {:?} {:?}",
                config.get_hosts(),
                address.authorities()
            )
        };
        assert_eq!(of(&again), of(&address), "{}", address.shown());
    }
    for wrong in [
        "postgres://ada:s3cret@localhost/league?sslmode=perhaps",
        "postgres://ada:s3cret@localhost:port/league",
        "postgres://ada:s3cret@localhost/league?unheard_of=1",
        "postgres://ada:s3cret@localhost/league?options=x",
    ] {
        let said = refused(wrong);
        assert!(
            !said.is_empty() && !said.contains("s3cret"),
            "{wrong}: {said}"
        );
    }
}

#[test]
fn passwords_are_found_as_libpq_finds_them() {
    let of = |text: &str| text.parse::<Config>().unwrap();
    let file = "# a comment\nother:*:*:*:wrong\n*:5433:*:*:by port\nlocalhost:*:league:ada:pass\\:word\\\\\n*:*:*:*:any";
    assert_eq!(
        found(file, &of("postgres://ada@localhost/league")).as_deref(),
        Some("pass:word\\")
    );
    assert_eq!(
        found(file, &of("postgres://ada@localhost:5433/league")).as_deref(),
        Some("by port")
    );
    assert_eq!(
        found(file, &of("postgres://bea@localhost/league")).as_deref(),
        Some("any")
    );
}
