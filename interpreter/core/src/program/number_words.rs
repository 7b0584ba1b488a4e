//! The numbers that a text states: digits and number words of English and Polish, in every case.
//!
//! In: a text. Out: each number with its place. Ordinals count from the third on: "first" and "second" say an order more
//! often than a number, as the Polish `pierwszy` and `drugi` do. Articles and "once" (`raz`) are no numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use super::text::Language;

/// A number as a text states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stated {
    /// A number in any form: `2`, two, both, twice, double.
    Number(i64),
    /// Half: something divided by two.
    Half,
}

impl Stated {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Stated> {
        match text {
            "half" => Some(Stated::Half),
            _ => text.parse().ok().map(Stated::Number),
        }
    }

    /// Returns the number that rules count with: half divides by two.
    pub fn value(self) -> i64 {
        match self {
            Stated::Number(number) => number,
            Stated::Half => 2,
        }
    }
}

impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stated::Number(number) => write!(f, "{number}"),
            Stated::Half => f.write_str("half"),
        }
    }
}

/// Words by number. An entry that ends in `*` matches every word with that prefix; one that ends in `~` matches the prefix with
/// each ending of a Polish adjective.
type Words = &'static [(i64, &'static str)];

const ENGLISH: Words = &[
    (0, "zero"),
    (1, "one"),
    (2, "two both twice double doubled doubles"),
    (3, "three third thirds thrice triple tripled triples"),
    (4, "four fourth"),
    (5, "five fifth"),
    (6, "six sixth"),
    (7, "seven seventh"),
    (8, "eight eighth"),
    (9, "nine ninth"),
    (10, "ten tenth"),
    (11, "eleven eleventh"),
    (12, "twelve twelfth"),
    (13, "thirteen"),
    (14, "fourteen"),
    (15, "fifteen"),
    (16, "sixteen"),
    (17, "seventeen"),
    (18, "eighteen"),
    (19, "nineteen"),
    (20, "twenty"),
    (30, "thirty"),
    (40, "forty"),
    (50, "fifty"),
    (60, "sixty"),
    (70, "seventy"),
    (80, "eighty"),
    (90, "ninety"),
    (100, "hundred"),
    (1000, "thousand"),
];

const ENGLISH_HALF: &str = "half halved halves";

const POLISH: Words = &[
    (0, "zero zera zeru zerem"),
    (
        1,
        "jeden jedna jedno jednego jednej jednemu jednym jedną jednoosobow~",
    ),
    (
        2,
        "dwa dwie dwaj dwóch dwu dwom dwóm dwoma dwiema dwoje dwojga dwojgu dwojgiem oba obie obaj oboje obu obom oboma \
         obiema obojga obojgu obojgiem obydwa obydwie obydwaj obydwoje obydwu obydwóch obydwom obydwoma obydwiema \
         dwukrotn* podwójn* dwójk* podwaja* podwoi* dwuosobow~",
    ),
    (
        3,
        "trzy trzej trzech trzem trzema troje trojga trojgu trojgiem trzeci~ trzykrotn* potrójn* trójk* trzyosobow~",
    ),
    (
        4,
        "cztery czterej czterech czterem czterema cztero czworo czworga czworgu czworgiem czwart~ czwórk* czterokrotn* czteroosobow~",
    ),
    (
        5,
        "pięć pięciu pięcioma pięcio pięcioro pięciorga pięciorgu piąt~ pięcioosobow~",
    ),
    (
        6,
        "sześć sześciu sześcioma sześcio sześcioro szóst~ sześcioosobow~",
    ),
    (7, "siedem siedmiu siedmioma siedmioro siódm~"),
    (8, "osiem ośmiu ośmioma ośmioro ósm~"),
    (9, "dziewięć dziewięciu dziewięcioma dziewięcioro dziewiąt~"),
    (
        10,
        "dziesięć dziesięciu dziesięcioma dziesięcioro dziesiąt~",
    ),
    (11, "jedenaście jedenastu jedenastoma jedenast~"),
    (12, "dwanaście dwunastu dwunastoma dwunast~"),
    (13, "trzynaście trzynastu trzynastoma"),
    (14, "czternaście czternastu czternastoma"),
    (15, "piętnaście piętnastu piętnastoma"),
    (16, "szesnaście szesnastu szesnastoma"),
    (17, "siedemnaście siedemnastu siedemnastoma"),
    (18, "osiemnaście osiemnastu osiemnastoma"),
    (19, "dziewiętnaście dziewiętnastu dziewiętnastoma"),
    (20, "dwadzieścia dwudziestu dwudziestoma"),
    (30, "trzydzieści trzydziestu trzydziestoma"),
    (40, "czterdzieści czterdziestu czterdziestoma"),
    (50, "pięćdziesiąt pięćdziesięciu pięćdziesięcioma"),
    (60, "sześćdziesiąt sześćdziesięciu sześćdziesięcioma"),
    (70, "siedemdziesiąt siedemdziesięciu siedemdziesięcioma"),
    (80, "osiemdziesiąt osiemdziesięciu osiemdziesięcioma"),
    (
        90,
        "dziewięćdziesiąt dziewięćdziesięciu dziewięćdziesięcioma",
    ),
    (100, "sto stu stoma"),
    (200, "dwieście dwustu"),
    (1000, "tysiąc tysiąca tysiącem tysiące tysięcy"),
];

const POLISH_HALF: &str = "pół połowa połowy połowie połowę połową";

/// Endings of Polish adjectives behind a stem, hard and soft.
const ENDINGS: &[&str] = &[
    "", "y", "a", "e", "i", "ego", "ej", "emu", "ym", "m", "ą", "ych", "ch", "ymi", "mi",
];

/// The forms of a language by word, and the beginnings that stand for all words that continue them.
struct Forms {
    words: BTreeMap<String, Stated>,
    beginnings: Vec<(&'static str, Stated)>,
}

impl Forms {
    fn new(words: Words, half: &'static str) -> Forms {
        let mut forms = Forms {
            words: BTreeMap::new(),
            beginnings: Vec::new(),
        };
        let numbers = words
            .iter()
            .map(|(number, all)| (Stated::Number(*number), *all));
        for (number, all) in numbers.chain([(Stated::Half, half)]) {
            for form in all.split_whitespace() {
                if let Some(beginning) = form.strip_suffix('*') {
                    forms.beginnings.push((beginning, number));
                } else if let Some(stem) = form.strip_suffix('~') {
                    let all = ENDINGS
                        .iter()
                        .map(|ending| (format!("{stem}{ending}"), number));
                    forms.words.extend(all);
                } else {
                    forms.words.insert(form.to_owned(), number);
                }
            }
        }
        forms
    }

    fn of(language: Language) -> &'static Forms {
        static ALL: LazyLock<[Forms; 2]> = LazyLock::new(|| {
            [
                Forms::new(ENGLISH, ENGLISH_HALF),
                Forms::new(POLISH, POLISH_HALF),
            ]
        });
        match language {
            Language::English => &ALL[0],
            Language::Polish => &ALL[1],
        }
    }

    fn get(&self, word: &str) -> Option<Stated> {
        let begins = |(beginning, _): &&(&str, Stated)| word.starts_with(beginning);
        let longer = || {
            self.beginnings
                .iter()
                .find(begins)
                .map(|(_, number)| *number)
        };
        self.words.get(word).copied().or_else(longer)
    }
}

fn of_word(word: &str, language: Language) -> Option<Stated> {
    match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => word.parse().ok().map(Stated::Number),
        false => Forms::of(language).get(&word.to_lowercase()),
    }
}

/// Joins two number words that stand side by side: `twenty-five`, `sto cztery`, `two hundred`.
fn joined(first: i64, second: i64) -> Option<i64> {
    let tens = |number: i64| (20..100).contains(&number) && number % 10 == 0;
    let hundreds = |number: i64| number >= 100 && number % 100 == 0;
    match (first, second) {
        (1..10, 100 | 1000) => Some(first * second),
        (_, 1..10) if tens(first) => Some(first + second),
        (_, 1..100) if hundreds(first) => Some(first + second),
        _ => None,
    }
}

/// Returns the numbers that a text states, in order, with where they stand.
pub fn stated(text: &str, language: Language) -> Vec<(Stated, Range<usize>)> {
    let mut found: Vec<(Stated, Range<usize>)> = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if letter.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        let Some(begin) = start.take() else { continue };
        let Some(number) = of_word(&text[begin..at], language) else {
            continue;
        };
        let is_word =
            |range: &Range<usize>| !text[range.clone()].ends_with(|c: char| c.is_ascii_digit());
        match found.last_mut() {
            Some((Stated::Number(before), place))
                if matches!(&text[place.end..begin], " " | "-")
                    && is_word(place)
                    && is_word(&(begin..at)) =>
            {
                let whole = match number {
                    Stated::Number(number) => joined(*before, number),
                    Stated::Half => None,
                };
                match whole {
                    Some(whole) => (*before, place.end) = (whole, at),
                    None => found.push((number, begin..at)),
                }
            }
            _ => found.push((number, begin..at)),
        }
    }
    found
}
