//! Tests of the module `players::played_by`.

use referee::players::PlayedBy;

#[test]
fn what_is_written_of_players_is_read_again() {
    for text in [
        "random",
        "greedy",
        "search, 1 s a move",
        "search, 200 games a move",
        "search, 2 s a move, judged after 60",
    ] {
        let by: PlayedBy = text.parse().expect(text);
        assert_eq!(by.to_string(), text);
    }
    for text in [
        "",
        "chance",
        "search",
        "search, 0 s a move",
        "search, 1 h a move",
        "search, 1 s a move, 60",
    ] {
        assert!(text.parse::<PlayedBy>().is_err(), "{text}");
    }
}
