//! Tests of the module `library`.

use interpreter::package::Configuration;
use referee::library::{Edition, LibraryError, MANIFEST, MODULE, shipped};

#[test]
fn the_embedded_ruleset_is_found_and_survives_being_kept() {
    let library = referee_tests::library();
    let edition = library.get("puerto-rico").unwrap();
    assert_eq!(edition.players, (2, 5));
    let kept = Edition::from_content(edition.content()).unwrap();
    assert_eq!(kept.digest, edition.digest);
    assert_eq!(kept.texts.files, edition.texts.files);
}

#[test]
fn every_embedded_ruleset_is_found_by_itself() {
    let library = referee_tests::library();
    assert!(library.iter().count() > 3);
    for edition in library.iter() {
        assert_eq!(shipped(&edition.id).unwrap().files, edition.texts.files);
    }
    assert!(shipped("house-rules").is_none() && shipped("chess").is_none());
}

#[test]
fn a_folder_takes_the_place_of_what_is_embedded() {
    let mut library = referee_tests::library();
    let edition = library.get("puerto-rico").unwrap().clone();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in &edition.texts.files {
        let file = folder.path().join("mine").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = if path == MANIFEST {
            text.replace("0.1.0", "9.9.9")
        } else {
            text.clone()
        };
        std::fs::write(file, text).unwrap();
    }
    std::fs::write(folder.path().join("mine/notes.txt"), "not part of it").unwrap();
    library.add_folder(folder.path()).unwrap();
    let mine = library.get("puerto-rico").unwrap();
    assert_eq!(mine.version, "9.9.9");
    assert_ne!(mine.digest, edition.digest);
    assert_eq!(mine.texts.files.len(), edition.texts.files.len());

    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        library.add_folder(empty.path()),
        Err(LibraryError::Empty { .. })
    ));
    assert!(matches!(
        library.add_folder(&empty.path().join("absent")),
        Err(LibraryError::File { .. })
    ));
}

#[test]
fn a_house_rule_is_offered_by_the_ruleset_that_it_extends() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = |extends: &str| {
        format!(
            "id: cheap\nextends: {extends}\ntitles: {{en: Cheap, pl: Tanio}}\npatch: {{building: {{wharf: {{cost: 1}}}}}}\n"
        )
    };
    let file = folder.path().join("cheap").join(MODULE);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, manifest("puerto-rico")).unwrap();
    let mut library = referee_tests::library();
    let before = library.get("puerto-rico").unwrap().digest;
    library.add_folder(folder.path()).unwrap();
    let edition = library.get("puerto-rico").unwrap().clone();
    assert!(edition.modules.iter().any(|module| module.id == "cheap"));
    assert_ne!(edition.digest, before);
    let mut configuration = Configuration::base(4);
    let plain = library.compile(&edition, &configuration).unwrap();
    configuration.modules = vec!["cheap".to_owned()];
    let cheap = library.compile(&edition, &configuration).unwrap();
    assert_ne!(plain.digest(), cheap.digest());
    // What a match was played with is kept with it.
    let kept = Edition::from_content(edition.content()).unwrap();
    assert_eq!(kept.modules.len(), edition.modules.len());

    std::fs::write(&file, manifest("chess")).unwrap();
    let homeless = library.add_folder(folder.path());
    assert!(matches!(homeless, Err(LibraryError::Homeless { .. })));
}
