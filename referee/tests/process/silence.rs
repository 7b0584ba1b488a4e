//! A referee whose log tells everything names no secret in it: no token, no claim code, no seed, no card.

use super::serving::{Server, canaries};

#[tokio::test]
async fn the_log_names_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&folder.path().join("matches.sqlite"), "trace");
    let played = canaries::play(&server).await;
    let heard = server.hears("SubmitMove").await;
    assert!(
        heard.contains("SubmitMove"),
        "the log tells of no call:\n{heard}"
    );
    for (what, secret) in played.secrets {
        let line = heard.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{what} is in the log");
    }
}

#[tokio::test]
async fn a_log_for_programs_is_json_and_tells_every_call_if_that_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let words = ["--log-format", "json", "--request-log"];
    let server = Server::start_with(&store, "warn", &words);
    canaries::play(&server).await;
    let heard = server.hears("SubmitMove").await;
    let logged: Vec<serde_json::Value> = heard
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let called = |line: &&serde_json::Value| line["method"] == "SubmitMove";
    let line = logged.iter().find(called).expect("a call is logged");
    assert_eq!(line["service"], "referee.v1.PlayService");
    assert!(
        line["code"].is_i64() && line["elapsed"].is_string(),
        "{line}"
    );
    assert!(
        !server.raw().contains('\u{1b}'),
        "no colours where nobody sees them"
    );
}
