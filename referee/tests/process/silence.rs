//! A referee whose log tells everything names no secret in it: no token, no claim code, no seed, no card.

use std::time::Duration;

use super::serving::{Server, canaries};

#[tokio::test]
async fn the_log_names_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&folder.path().join("matches.sqlite"), "trace");
    let played = canaries::play(&server).await;
    // The log comes by another way than the answers.
    let mut heard = String::new();
    for _ in 0..100 {
        heard = server.heard();
        if heard.contains("SubmitMove") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(
        heard.contains("SubmitMove"),
        "the log tells of no call:\n{heard}"
    );
    for (what, secret) in played.secrets {
        let line = heard.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{what} is in the log");
    }
}
