//! Tests of the module `cli::kept`.

use referee::cli::kept::{KEY, Kept};
use referee::server::KeySource;
use referee::store::postgres::Address;

#[test]
fn a_store_is_said_as_a_command_takes_it() {
    let address = || Box::new(Address::read("postgres://ada:s3cret@127.0.0.1/league").unwrap());
    let database = |key| Kept::Database(address(), key).options();
    let store = "--store postgres://ada@127.0.0.1:5432/league";
    assert_eq!(
        database(KeySource::File("my key".into())),
        format!("{store} --key 'my key'")
    );
    assert_eq!(
        database(KeySource::Command("vault get it".into())),
        format!("{store} --key-command 'vault get it'")
    );
    assert_eq!(database(KeySource::Text(String::new(), KEY)), store);
    let file = Kept::File("a/b.sqlite".into(), "a/b.sqlite.key".into());
    assert_eq!(file.options(), "--store a/b.sqlite");
}
