//! Tests of the module `report::book::words`.

use referee::report::book::words::collated;

#[test]
fn polish_letters_have_their_places() {
    let mut words = [
        "żyto",
        "źródło",
        "zysk",
        "łan",
        "lato",
        "ląd",
        "lody",
        "Ćma",
        "cena",
        "dom",
    ];
    words.sort_by_key(|word| collated(word));
    assert_eq!(
        words,
        [
            "cena",
            "Ćma",
            "dom",
            "lato",
            "ląd",
            "lody",
            "łan",
            "zysk",
            "źródło",
            "żyto"
        ]
    );
}
