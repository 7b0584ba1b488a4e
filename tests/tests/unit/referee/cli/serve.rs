//! Tests of the module `cli::serve`.

use referee::cli::serve::help;
use referee::server::OpenError;

#[test]
fn nobody_is_advised_to_make_another_key_for_a_database() {
    for error in [
        OpenError::DatabaseKeyLost("league.key".into()),
        OpenError::DatabaseKeyWrong("league.key".into()),
    ] {
        let help = help(&error.into()).unwrap_or("--new-key");
        assert!(!help.contains("--new-key"), "{help}");
    }
}
