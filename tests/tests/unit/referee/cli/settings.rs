//! Tests of the module `cli::settings`.

use std::num::NonZeroUsize;

use referee::cli::settings::{Flags, LimitValue, Settings, limit, threads};

fn written(text: &str) -> (tempfile::TempDir, Flags) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("referee.yaml");
    std::fs::write(&path, text).unwrap();
    let flags = Flags {
        config: Some(path),
        ..Flags::default()
    };
    (folder, flags)
}

#[test]
fn flags_win_over_the_file() {
    let text = "listen: 127.0.0.1:1\nstore: a.sqlite\nwatch: true\nthreads: 3\nlimits: {open_matches: 9, max_page_size: 7, call_time: 3s}\n";
    let (_folder, flags) = written(text);
    let flags = Flags {
        said: Settings {
            listen: Some(([127, 0, 0, 1], 2).into()),
            ..Settings::default()
        },
        limits: vec![("max_page_size".into(), LimitValue("8".into()))],
        ..flags
    };
    let settings = flags.settings(Vec::new()).unwrap();
    assert_eq!(settings.listen, Some(([127, 0, 0, 1], 2).into()));
    assert_eq!(settings.store, Some("a.sqlite".into()));
    assert!(settings.watch && !settings.insecure);
    assert_eq!(settings.threads, NonZeroUsize::new(3));
    let limits = settings.limits().unwrap();
    assert_eq!((limits.open_matches, limits.max_page_size), (9, 8));
    assert_eq!(limits.call_time, std::time::Duration::from_secs(3));
    let printed = serde_yaml::to_string(&settings).unwrap();
    assert_eq!(
        serde_yaml::from_str::<Settings>(&printed).unwrap(),
        settings
    );
}

#[test]
fn what_is_not_known_is_an_error() {
    for text in [
        "lisen: 127.0.0.1:1\n",
        "watch: perhaps\n",
        "threads: 0\n",
        "- a\n",
    ] {
        let (_folder, flags) = written(text);
        let trouble = flags.settings(Vec::new()).unwrap_err();
        assert!(
            trouble.what.contains("no file of settings"),
            "{}",
            trouble.what
        );
    }
    let (_folder, flags) = written("limits: {open_matchs: 9}\n");
    let settings = flags.settings(Vec::new()).unwrap();
    let trouble = settings.limits().err().unwrap();
    assert!(trouble.what.contains("open_matches"), "{}", trouble.what);
    assert!(limit("max_page_size=0").is_err() && limit("max_page_size").is_err());
    assert!(threads("0").is_err() && threads("many").is_err());
}
