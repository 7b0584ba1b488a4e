use interpreter::program::number_words::{Stated, stated};
use interpreter::program::text::Language;

fn numbers(text: &str, language: Language) -> String {
    let found = stated(text, language).into_iter();
    let shown = found.map(|(number, place)| format!("{}={number}", &text[place]));
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn english_numbers_are_recognized() {
    let english = |text| numbers(text, Language::English);
    assert_eq!(english("12 spaces, 5-card hands"), "12=12 5=5");
    assert_eq!(english("Two of them, or both"), "Two=2 both=2");
    assert_eq!(english("twice as many; half, rounded"), "twice=2 half=half");
    assert_eq!(
        english("twenty-five of forty two"),
        "twenty-five=25 forty two=42"
    );
    assert_eq!(
        english("two hundred and one hundred fifty"),
        "two hundred=200 one hundred fifty=150"
    );
    assert_eq!(
        english("every third turn, the first of nobody's"),
        "third=3"
    );
    assert_eq!(english("someone, anyone, once, often, tenths"), "");
    assert_eq!(english("20 5"), "20=20 5=5");
    assert_eq!(english("one, two or three"), "one=1 two=2 three=3");
}

#[test]
fn polish_numbers_are_recognized_in_every_case() {
    let polish = |text| numbers(text, Language::Polish);
    for (number, forms) in [
        (1, "jeden jedna jedno jednego jednej jednemu jednym jedną"),
        (
            2,
            "dwa dwie dwaj dwóch dwu dwom dwóm dwoma dwiema dwoje dwojga dwojgu dwojgiem oba obie obaj obu oboma obiema oboje",
        ),
        (
            2,
            "obydwa obydwie obydwaj obydwu dwukrotnie dwukrotność podwójną podwaja podwoić dwuosobowej",
        ),
        (
            3,
            "trzy trzej trzech trzem trzema troje trojga trzeci trzeciego trzecich trzecią trzyosobowa",
        ),
        (
            4,
            "cztery czterej czterech czterem czterema czworo czworga czwarty czwartej czteroosobowym",
        ),
        (5, "pięć pięciu pięcioma pięcioro piąty piątego"),
        (6, "sześć sześciu sześcioma szósta"),
        (7, "siedem siedmiu siedmioma siódmą"),
        (8, "osiem ośmiu ośmioma ósmych"),
        (9, "dziewięć dziewięciu dziewięcioma"),
        (10, "dziesięć dziesięciu dziesięcioma"),
        (12, "dwanaście dwunastu dwunastoma dwunasty"),
        (20, "dwadzieścia dwudziestu"),
    ] {
        for form in forms.split(' ') {
            assert_eq!(polish(form), format!("{form}={number}"));
        }
    }
    assert_eq!(polish("połowę punktów, pół"), "połowę=half pół=half");
    assert_eq!(
        polish("dwadzieścia pięć, sto dwa"),
        "dwadzieścia pięć=25 sto dwa=102"
    );
    assert_eq!(
        polish("jednak, jednocześnie, trzymać, pierwszy, raz, stos, piątek, obok"),
        ""
    );
    assert_eq!(polish("W dwu- i czteroosobowej"), "dwu=2 czteroosobowej=4");
}

#[test]
fn a_number_is_read_as_it_is_written() {
    for (text, value) in [("12", 12), ("0", 0), ("half", 2)] {
        let number = Stated::parse(text).expect("a number");
        assert_eq!((number.to_string().as_str(), number.value()), (text, value));
    }
    assert_eq!(Stated::parse("twelve"), None);
}
