//! Tests of the module `server::services::publishing`.

use referee::server::services::publishing::path_is_plain;

#[test]
fn paths_stay_inside_of_their_package() {
    for good in [
        "ruleset.yaml",
        "rules/a-b_c.rules",
        "modules/x/module.yaml",
        "e.f.rhai",
    ] {
        assert_eq!(path_is_plain(good), Ok(()), "{good}");
    }
    for bad in [
        "",
        "/etc/passwd.yaml",
        "../up.yaml",
        "a/../../b.yaml",
        "a//b.yaml",
        "a/./b.yaml",
        ".hidden.yaml",
        "a\\b.yaml",
        "a\0.yaml",
        "caf\u{e9}.yaml",
        "C:/x.yaml",
        "program.exe",
        "ruleset",
    ] {
        assert!(path_is_plain(bad).is_err(), "{bad:?}");
    }
}
