//! Tests of the module `cli::new`.

use std::path::Path;

use referee::cli::new::{id_of, title};

#[test]
fn names_of_folders_become_ids_and_titles() {
    assert_eq!(
        id_of(Path::new("a/my-game-2")).ok().as_deref(),
        Some("my-game-2")
    );
    assert_eq!(title("my-game"), "My game");
    let wrong = id_of(Path::new("a/2 Große  Spiele!")).map_err(|e| e.to_string());
    assert!(wrong.is_err_and(|why| why.ends_with("call the folder `gro-e-spiele`")));
}
