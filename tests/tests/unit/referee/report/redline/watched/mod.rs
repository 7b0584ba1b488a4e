//! Tests of the module `report::redline::watched`.

use interpreter::package::Language;
use referee::report::redline::watched::Class::{
    self, Bound, Extent, Negation, Number, Obligation, Permission, Subject, Time,
};
use referee::report::redline::watched::{Names, shifts};

/// A sentence, the same with one change, and why that change is watched.
type Pair = (&'static str, &'static str, Class);

const ENGLISH: [Pair; 60] = [
    ("Each may load.", "Each must load.", Permission),
    ("Each must load.", "Each may load.", Obligation),
    ("Each must load.", "Each can load.", Obligation),
    ("Each has to load.", "Each may load.", Obligation),
    (
        "Players have to pass.",
        "Players are allowed to pass.",
        Obligation,
    ),
    ("She is obliged to pay.", "She is free to pay.", Obligation),
    ("Each should load.", "Each must load.", Obligation),
    ("Paying is optional.", "Paying is mandatory.", Permission),
    (
        "He is allowed to pass.",
        "He is required to pass.",
        Permission,
    ),
    ("She may pass.", "She passes.", Permission),
    ("She pays.", "She must pay.", Obligation),
    ("She pays.", "She can pay.", Permission),
    ("She may not pass.", "She may pass.", Negation),
    ("Tiles may leave.", "Tiles may never leave.", Negation),
    ("She mustn't pass.", "She must pass.", Negation),
    ("She cannot pass.", "She can pass.", Negation),
    ("Nobody passes.", "Everybody passes.", Negation),
    (
        "Tiles are laid out without a worker.",
        "Tiles are laid out with a worker.",
        Negation,
    ),
    ("Passing is forbidden.", "Passing is allowed.", Negation),
    ("No tile is drawn.", "A tile is drawn.", Negation),
    ("The tile is occupied.", "The tile is unoccupied.", Negation),
    (
        "The building is inactive.",
        "The building is active.",
        Negation,
    ),
    ("Neither of them pays.", "Either of them pays.", Negation),
    ("She takes 2 coins.", "She takes 3 coins.", Number),
    ("She takes two coins.", "She takes three coins.", Number),
    ("She takes one coin.", "She takes 2 coins.", Number),
    ("She takes twelve coins.", "She takes eleven coins.", Number),
    ("The first ship sails.", "The second ship sails.", Number),
    ("The third ship sails.", "The last ship sails.", Number),
    (
        "Once in a round she pays.",
        "Twice in a round she pays.",
        Number,
    ),
    ("She loses half of them.", "She loses them.", Number),
    ("She takes a coin.", "She takes another coin.", Number),
    ("She takes several coins.", "She takes coins.", Number),
    ("At least two stay.", "At most two stay.", Bound),
    ("No more than two stay.", "More than two stay.", Bound),
    ("Up to three are kept.", "Exactly three are kept.", Bound),
    ("No fewer than five count.", "Fewer than five count.", Bound),
    ("Whoever has more wins.", "Whoever has fewer wins.", Bound),
    ("The highest bid wins.", "The lowest bid wins.", Bound),
    (
        "Load as much as possible.",
        "Load as much as you like.",
        Bound,
    ),
    ("Two or more count.", "Two or fewer count.", Bound),
    ("Pay before loading.", "Pay after loading.", Time),
    ("Pay immediately.", "Pay later.", Time),
    ("Pay at once.", "Pay.", Time),
    (
        "Draw until a ship is full.",
        "Draw while a ship is full.",
        Time,
    ),
    (
        "It counts at the start of a round.",
        "It counts at the end of a round.",
        Time,
    ),
    (
        "It counts during the round.",
        "It counts before the round.",
        Time,
    ),
    (
        "They choose at the same time.",
        "They choose in turn.",
        Time,
    ),
    ("Then all discard.", "All discard.", Time),
    ("Draw again.", "Draw.", Time),
    ("It is always open.", "It is open.", Time),
    (
        "As soon as it is full, it sails.",
        "Before it is full, it sails.",
        Time,
    ),
    ("All goods are kept.", "Any goods are kept.", Extent),
    ("Only corn counts.", "Corn counts.", Extent),
    ("All except corn count.", "All besides corn count.", Extent),
    (
        "It stays unless it is full.",
        "It stays as it is full.",
        Extent,
    ),
    ("Both take a coin.", "All take a coin.", Extent),
    ("Corn or sugar is paid.", "Corn and sugar is paid.", Extent),
    ("The owner pays.", "The holder pays.", Subject),
    (
        "The player on the left begins.",
        "The player on the right begins.",
        Subject,
    ),
];

const POLISH: [Pair; 60] = [
    ("Każdy może ładować.", "Każdy musi ładować.", Permission),
    ("Każdy musi ładować.", "Każdy może ładować.", Obligation),
    ("Gracze muszą ładować.", "Gracze mogą ładować.", Obligation),
    ("Musisz zapłacić.", "Możesz zapłacić.", Obligation),
    ("Należy zapłacić.", "Wolno zapłacić.", Obligation),
    ("Trzeba oddać towar.", "Można oddać towar.", Obligation),
    (
        "Gracz powinien zapłacić.",
        "Gracz musi zapłacić.",
        Obligation,
    ),
    ("Ona powinna zapłacić.", "Ona może zapłacić.", Obligation),
    ("Oni powinni zapłacić.", "Oni płacą.", Obligation),
    ("Ma obowiązek spasować.", "Ma prawo spasować.", Obligation),
    (
        "Opłata jest obowiązkowa.",
        "Opłata jest dobrowolna.",
        Obligation,
    ),
    ("Mogliby zapłacić.", "Musieli zapłacić.", Permission),
    ("Wolno spasować.", "Nie wolno spasować.", Negation),
    ("Nie może spasować.", "Może spasować.", Negation),
    ("Nikt nie pasuje.", "Kto chce, ten pasuje.", Negation),
    ("Żaden żeton nie znika.", "Każdy żeton nie znika.", Negation),
    (
        "Żadnego żetonu się nie bierze.",
        "Jednego żetonu się nie bierze.",
        Negation,
    ),
    ("Nigdy się nie ściga.", "Zawsze się nie ściga.", Negation),
    ("Bierze bez opłaty.", "Bierze za opłatą.", Negation),
    (
        "Ani kukurydza, ani indygo.",
        "Kukurydza i indygo.",
        Negation,
    ),
    (
        "Pasowanie jest zabronione.",
        "Pasowanie jest dozwolone.",
        Negation,
    ),
    ("Pole jest zajęte.", "Pole jest niezajęte.", Negation),
    (
        "Budynki nieaktywne działają.",
        "Budynki aktywne działają.",
        Negation,
    ),
    ("Bierze 2 monety.", "Bierze 3 monety.", Number),
    ("Bierze dwie monety.", "Bierze trzy monety.", Number),
    ("Zachowuje jeden towar.", "Zachowuje dwa towary.", Number),
    (
        "Oprócz tego jednego towaru.",
        "Oprócz tych dwóch towarów.",
        Number,
    ),
    ("Z pięcioma kartami.", "Z sześcioma kartami.", Number),
    ("Dla trzech graczy.", "Dla czterech graczy.", Number),
    ("W grze dwuosobowej.", "W grze trzyosobowej.", Number),
    ("Pierwszego gracza.", "Drugiego gracza.", Number),
    (
        "Pierwszy statek odpływa.",
        "Ostatni statek odpływa.",
        Number,
    ),
    ("Raz w rundzie płaci.", "Dwa razy w rundzie płaci.", Number),
    ("Liczy się podwójnie.", "Liczy się.", Number),
    ("Traci połowę towarów.", "Traci towary.", Number),
    ("Bierze po jednej monecie.", "Bierze jedną monetę.", Number),
    ("Bierze dodatkową kartę.", "Bierze kartę.", Number),
    (
        "Co najmniej dwa zostają.",
        "Co najwyżej dwa zostają.",
        Bound,
    ),
    ("Przynajmniej dwa zostają.", "Najwyżej dwa zostają.", Bound),
    ("Nie więcej niż trzy.", "Więcej niż trzy.", Bound),
    ("Dokładnie trzy karty.", "Maksymalnie trzy karty.", Bound),
    (
        "Wygrywa największa oferta.",
        "Wygrywa najmniejsza oferta.",
        Bound,
    ),
    ("Kto ma więcej, wygrywa.", "Kto ma mniej, wygrywa.", Bound),
    ("Ponad pięć kart.", "Poniżej pięć kart.", Bound),
    ("Ładuje jak najwięcej.", "Ładuje.", Bound),
    ("Płaci przed załadunkiem.", "Płaci podczas załadunku.", Time),
    ("Płaci natychmiast.", "Płaci później.", Time),
    ("Płaci od razu.", "Płaci.", Time),
    (
        "Zanim wybierze, płaci.",
        "Dopiero gdy wybierze, płaci.",
        Time,
    ),
    ("Najpierw płaci.", "Na koniec płaci.", Time),
    ("Wybierają jednocześnie.", "Wybierają kolejno.", Time),
    ("Dobiera ponownie.", "Dobiera.", Time),
    ("Zawsze jest jawne.", "Jest jawne.", Time),
    (
        "Zachowuje wszystkie towary.",
        "Zachowuje dowolne towary.",
        Extent,
    ),
    ("Liczy się tylko kukurydza.", "Liczy się kukurydza.", Extent),
    (
        "Wszystko oprócz kukurydzy.",
        "Wszystko z wyjątkiem kukurydzy.",
        Extent,
    ),
    ("Każdego to dotyczy.", "Obu to dotyczy.", Extent),
    ("Kukurydza albo cukier.", "Kukurydza i cukier.", Extent),
    ("Właściciel płaci.", "Posiadacz płaci.", Subject),
    (
        "Gracz po lewej zaczyna.",
        "Gracz po prawej zaczyna.",
        Subject,
    ),
];

/// Sentences that say the same of everything that is watched.
const SAME: [(Language, &str, &str); 22] = [
    (
        Language::English,
        "The seller receives a coin.",
        "The seller takes a coin.",
    ),
    (
        Language::English,
        "A tile on which there is no worker rests.",
        "A tile without a worker rests.",
    ),
    (
        Language::English,
        "It comes from the bank; the bank never runs out.",
        "It comes from the bank, which never runs out.",
    ),
    (
        Language::English,
        "Cards of their choice go on the pile.",
        "Chosen cards go on the pile.",
    ),
    (
        Language::Polish,
        "Żeton, na którym nie ma robotnika, odpoczywa.",
        "Żeton bez robotnika odpoczywa.",
    ),
    (
        Language::Polish,
        "Właściciel bierze z ręki kartę.",
        "Z ręki właściciel bierze kartę.",
    ),
    (
        Language::Polish,
        "Pochodzą z banku; bank nigdy się nie wyczerpuje.",
        "Pochodzą z banku, który nigdy się nie wyczerpuje.",
    ),
    (
        Language::Polish,
        "Sprzedający otrzymuje monetę.",
        "Sprzedający dostaje monetę.",
    ),
    (Language::English, "Each must load.", "Each has to load."),
    (
        Language::English,
        "At last the goods go back.",
        "Finally, the goods return.",
    ),
    (
        Language::English,
        "No more than 3 stay.",
        "At most three stay.",
    ),
    (Language::English, "Pay at once!", "Pay straight away."),
    (
        Language::English,
        "Everybody may keep one good.",
        "Everyone may keep a single good.",
    ),
    (
        Language::English,
        "She cannot pass.",
        "She cannot pass on it.",
    ),
    (
        Language::English,
        "A large building takes room.",
        "Large buildings take up room.",
    ),
    (
        Language::Polish,
        "Każdy musi ładować.",
        "Każdy ma obowiązek ładować.",
    ),
    (
        Language::Polish,
        "Na koniec towary wracają.",
        "Wreszcie towary wracają.",
    ),
    (Language::Polish, "Co najwyżej trzy.", "Nie więcej niż 3."),
    (
        Language::Polish,
        "Natychmiast płaci.",
        "Od razu uiszcza opłatę.",
    ),
    (Language::Polish, "Wolno spasować.", "Można spasować."),
    (Language::Polish, "W grze dwuosobowej.", "W grze 2 osób."),
    (
        Language::Polish,
        "Towary wracają do zasobów.",
        "Towary trafiają z powrotem do zasobów.",
    ),
];

fn looked_at(pairs: &[Pair], language: Language) {
    for (before, after, class) in pairs {
        let found = shifts(before, after, language, &Names::default());
        assert!(
            found.iter().any(|shift| shift.class == *class),
            "{before} → {after}: {found:?}"
        );
        assert!(
            shifts(after, before, language, &Names::default()).len() == found.len(),
            "{after} → {before}"
        );
    }
}

#[test]
fn english_words_are_watched() {
    looked_at(&ENGLISH, Language::English);
}

#[test]
fn polish_words_are_watched() {
    looked_at(&POLISH, Language::Polish);
}

#[test]
fn what_says_the_same_is_not_told() {
    for (language, before, after) in SAME {
        let found = shifts(before, after, language, &Names::default());
        assert_eq!(found, [], "{before} → {after}");
    }
}

/// Sentences of which one word became its opposite, or another place.
const CONTRARY: [(Language, &str, &str, Class); 30] = [
    (
        Language::English,
        "The cheapest card counts.",
        "The dearest card counts.",
        Class::Opposite,
    ),
    (
        Language::English,
        "She discards cards of her choice.",
        "She discards cards at random.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The seller receives a coin.",
        "The seller pays a coin.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The card goes to the bottom.",
        "The card goes to the top.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The nearest ship sails.",
        "The farthest ship sails.",
        Class::Opposite,
    ),
    (
        Language::English,
        "It raises the price.",
        "It reduces the price.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The youngest begins it.",
        "The oldest begins it.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Najtańsza karta się liczy.",
        "Najdroższa karta się liczy.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Odkłada wybrane karty.",
        "Odkłada losowe karty.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Sprzedający otrzymuje monetę.",
        "Sprzedający płaci monetę.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Karta trafia na spód.",
        "Karta trafia na wierzch.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Odpływa najbliższy statek.",
        "Odpływa najdalszy statek.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "To zwiększa cenę.",
        "To zmniejsza cenę.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Przynosi to własny znacznik.",
        "Przynosi to cudzy znacznik.",
        Class::Opposite,
    ),
    (
        Language::English,
        "Play goes clockwise.",
        "Play goes anticlockwise.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The plantations lie face up.",
        "The plantations lie face down.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The marker moves upwards.",
        "The marker moves downwards.",
        Class::Opposite,
    ),
    (
        Language::English,
        "A full ship sails.",
        "An empty ship sails.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The chips are secret.",
        "The chips are open.",
        Class::Opposite,
    ),
    (
        Language::English,
        "The card is discarded.",
        "The card is kept.",
        Class::Opposite,
    ),
    (
        Language::English,
        "It goes to the supply.",
        "It goes to the bank.",
        Class::Subject,
    ),
    (
        Language::English,
        "Workers in the country.",
        "Workers in the city.",
        Class::Subject,
    ),
    (
        Language::Polish,
        "Gra toczy się zgodnie z ruchem wskazówek zegara.",
        "Gra toczy się przeciwnie do ruchu wskazówek zegara.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Plantacje leżą odkryte.",
        "Plantacje leżą zakryte.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Znacznik idzie w górę.",
        "Znacznik idzie w dół.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Pełny statek odpływa.",
        "Pusty statek odpływa.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Liczba żetonów jest tajna.",
        "Liczba żetonów jest jawna.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Kartę się odrzuca.",
        "Kartę się zachowuje.",
        Class::Opposite,
    ),
    (
        Language::Polish,
        "Towar wraca do zasobów.",
        "Towar wraca do banku.",
        Class::Subject,
    ),
    (
        Language::Polish,
        "Karta idzie na stos.",
        "Karta idzie na rękę.",
        Class::Subject,
    ),
];

/// Sentences in which two things have changed places, although no word is new.
const EXCHANGED: [(Language, &str, &str); 6] = [
    (
        Language::English,
        "The hand is secret, the supply is open.",
        "The hand is open, the supply is secret.",
    ),
    (
        Language::English,
        "The owner pays the opponent.",
        "The opponent pays the owner.",
    ),
    (
        Language::English,
        "She keeps 2 and discards 3.",
        "She keeps 3 and discards 2.",
    ),
    (
        Language::Polish,
        "Ręka jest tajna, a talia jawna.",
        "Ręka jest jawna, a talia tajna.",
    ),
    (
        Language::Polish,
        "Właściciel płaci przeciwnikowi.",
        "Przeciwnik płaci właścicielowi.",
    ),
    (
        Language::Polish,
        "Najpierw właściciel, potem przeciwnik.",
        "Najpierw przeciwnik, potem właściciel.",
    ),
];

#[test]
fn what_has_changed_places_is_told() {
    for (language, before, after) in EXCHANGED {
        let found = shifts(before, after, language, &Names::default());
        assert!(!found.is_empty(), "{before} → {after}");
    }
}

#[test]
fn opposites_and_other_places_are_watched() {
    for (language, before, after, class) in CONTRARY {
        for (before, after) in [(before, after), (after, before)] {
            let found = shifts(before, after, language, &Names::default());
            let classes: Vec<Class> = found.iter().map(|shift| shift.class).collect();
            assert_eq!(classes, [class], "{before} → {after}: {found:?}");
        }
    }
}
