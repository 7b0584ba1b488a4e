use interpreter::package::{Counted, Language};

#[test]
fn form_depends_on_language_and_number() {
    let tile = Counted {
        en: ["plantations".to_owned()],
        pl: ["plantacje".to_owned(), "plantacji".to_owned()],
    };
    assert_eq!(tile.form(Language::Polish, 24), "plantacje");
    assert_eq!(tile.form(Language::Polish, 12), "plantacji");
    assert_eq!(tile.form(Language::English, 0), "plantations");
}
