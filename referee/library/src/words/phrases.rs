//! The referee's own sentences: what it says of events that no ruleset raises, and how values are written within them.
//!
//! The one home of these words, in every language. The terminal and transcripts fill them ([`narration`](super::narration)),
//! and clients are sent them (`Ruleset.phrases`), so that nobody has a copy. An event's is called like the field of the
//! contract's `Event`, and its holes like the fields of that message; where one field says what kind of event it is,
//! there is a sentence for each kind (`move_made.forced`). Names of things stand in their base form wherever they are put.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use interpreter::package::{Language, Sentence, Text};

/// Ids with the sentence in English and in Polish.
const PHRASES: &[(&str, &str, &str)] = &[
    // Values.
    ("seat", "seat {number}", "gracz {number}"),
    ("yes", "yes", "tak"),
    ("no", "no", "nie"),
    ("nothing", "nothing", "brak"),
    ("secret", "secret", "tajne"),
    ("secret_number", "?", "?"),
    ("number", "number", "liczba"),
    ("player", "player", "gracz"),
    ("found.count", "how many", "ile"),
    ("found.sum", "the sum", "suma"),
    ("found.most", "the most", "najwięcej"),
    ("found.least", "the least", "najmniej"),
    ("pieces", "{count} {row}", "{count} {row}"),
    ("pieces.face_down", "{count} face down", "zakryte ({count})"),
    ("indexed", "{name} ({index})", "{name} ({index})"),
    ("argument", "{name} {value}", "{name} {value}"),
    ("share", "{pieces} → {place}", "{pieces} → {place}"),
    ("score", "{seat}: {total}", "{seat}: {total}"),
    // What keeps a move from being legal.
    (
        "limit.under",
        "only while this is under way: {phase}",
        "tylko dopóki trwa: {phase}",
    ),
    (
        "limit.elsewhere",
        "only at another question: {step}",
        "tylko przy innym pytaniu: {step}",
    ),
    (
        "limit.once",
        "[{name}: ]only once ({phase})",
        "[{name}: ]tylko raz ({phase})",
    ),
    (
        "limit.answers",
        "after so many answers ({number}) only what ends this question can be chosen",
        "po tylu odpowiedziach ({number}) można wybrać tylko to, co kończy to pytanie",
    ),
    (
        "limit.not_offered",
        "{name}: cannot be chosen now",
        "{name}: nie można tego teraz wybrać",
    ),
    (
        "limit.not_there",
        "{name}: this is not what is there now",
        "{name}: nie to jest tam teraz",
    ),
    (
        "limit.outside",
        "{name}: more, less or other than can be chosen",
        "{name}: więcej, mniej albo coś innego, niż można wybrać",
    ),
    (
        "limit.outside.nothing",
        "{name}: nothing can be chosen",
        "{name}: niczego nie można wybrać",
    ),
    (
        "limit.outside.number",
        "{name}: {asked} asked for, {from} to {to} allowed[ in steps of {step}]",
        "{name}: chciano {asked}, można od {from} do {to}[ co {step}]",
    ),
    (
        "limit.outside.exactly",
        "{name}: {asked} asked for, it must be exactly {number}",
        "{name}: chciano {asked}, musi być dokładnie {number}",
    ),
    (
        "limit.outside.least",
        "{name}: {asked} asked for, it must be at least {number}",
        "{name}: chciano {asked}, musi być co najmniej {number}",
    ),
    (
        "limit.outside.kind",
        "{name}: {row}: {asked} asked for, {number} to choose from",
        "{name}: {row}: chciano {asked}, do wyboru {number}",
    ),
    (
        "limit.outside.kinds",
        "{name}: {asked} kinds asked for, at most {number} allowed",
        "{name}: chciano rodzajów: {asked}, można co najwyżej {number}",
    ),
    (
        "limit.outside.loose",
        "{name}: outside of the fullest kinds ({kinds}) {asked} asked for, at most {number} allowed",
        "{name}: poza najliczniejszymi rodzajami ({kinds}) chciano {asked}, można co najwyżej {number}",
    ),
    (
        "limit.unplaced",
        "{name}: {asked} of {number} placed; every piece must be placed while there is room",
        "{name}: położono {asked} z {number}; każdy element trzeba położyć, dopóki jest miejsce",
    ),
    (
        "limit.outside.room",
        "{name}: {place}: {asked} asked for, room for {number}",
        "{name}: {place}: chciano {asked}, miejsca jest na {number}",
    ),
    // Events of play.
    (
        "phase_began",
        "{phase}[: {arguments}]",
        "{phase}[: {arguments}]",
    ),
    ("phase_ended", "{phase} is over", "koniec: {phase}"),
    ("move_made", "{seat}: {move}", "{seat}: {move}"),
    (
        "move_made.forced",
        "{seat}: {move} (the only move)",
        "{seat}: {move} (jedyny ruch)",
    ),
    (
        "move_made.timeout",
        "{seat}: {move} (the time was up)",
        "{seat}: {move} (czas minął)",
    ),
    (
        "move_made.bot",
        "{seat}: {move} (a bot)",
        "{seat}: {move} (bot)",
    ),
    (
        "move_made.resigned",
        "{seat}: {move} (the player has resigned)",
        "{seat}: {move} (gracz się poddał)",
    ),
    (
        "pieces_moved",
        "{pieces}: {source} → {destination}",
        "{pieces}: {source} → {destination}",
    ),
    (
        "counter_changed",
        "{counter} {before} → {after}",
        "{counter} {before} → {after}",
    ),
    ("marker_set", "{marker} → {value}", "{marker} → {value}"),
    ("kept_set", "{kept} → {value}", "{kept} → {value}"),
    (
        "pile_shuffled",
        "shuffled: {pile} ({size})",
        "przetasowano: {pile} ({size})",
    ),
    (
        "seats_asked",
        "asked now: {seats}[ ({step})]",
        "teraz decyduje: {seats}[ ({step})]",
    ),
    (
        "raised",
        "{event}[ ({arguments})]",
        "{event}[ ({arguments})]",
    ),
    (
        "ending_due",
        "the end draws near: {ending}",
        "zbliża się koniec: {ending}",
    ),
    (
        "match_over",
        "the end: {ending}[; {scores}][; won by {winners}]",
        "koniec: {ending}[; {scores}][; wygrywa {winners}]",
    ),
    // Events at the table.
    (
        "proposal_made.pause",
        "{seat} proposes a pause",
        "{seat}: proponuję przerwę",
    ),
    (
        "proposal_made.resume",
        "{seat} proposes to go on",
        "{seat}: proponuję grać dalej",
    ),
    (
        "proposal_made.undo",
        "{seat} proposes to take moves back: {moves}",
        "{seat}: proponuję cofnąć ruchy: {moves}",
    ),
    (
        "proposal_made.draw",
        "{seat} proposes a draw",
        "{seat}: proponuję remis",
    ),
    (
        "proposal_made.abandon",
        "{seat} proposes to abandon the match",
        "{seat}: proponuję przerwać partię bez wyniku",
    ),
    (
        "proposal_made.show_hands",
        "{seat} proposes to show all hands to spectators",
        "{seat}: proponuję pokazać widzom wszystkie ręce",
    ),
    ("proposal_answered.agree", "{seat} agrees", "{seat}: zgoda"),
    (
        "proposal_answered.decline",
        "{seat} declines",
        "{seat}: brak zgody",
    ),
    (
        "proposal_closed.done",
        "the proposal is carried out",
        "propozycja przyjęta",
    ),
    (
        "proposal_closed.declined",
        "the proposal is declined",
        "propozycja odrzucona",
    ),
    (
        "proposal_closed.withdrawn",
        "the proposal is withdrawn",
        "propozycja wycofana",
    ),
    (
        "proposal_closed.lapsed",
        "the proposal has lapsed",
        "propozycja nieaktualna",
    ),
    ("match_paused", "the match is paused", "partia wstrzymana"),
    ("match_resumed", "the match goes on", "partia trwa dalej"),
    (
        "moves_undone",
        "moves taken back: {moves}",
        "cofnięte ruchy: {moves}",
    ),
    (
        "seat_resigned",
        "{seat} has resigned",
        "{seat}: poddanie partii",
    ),
    (
        "bot_seated",
        "the referee plays for {seat}[: {display_name}]",
        "sędzia gra za miejsce: {seat}[ – {display_name}]",
    ),
    (
        "match_concluded.draw",
        "the match ends in an agreed draw",
        "partia kończy się uzgodnionym remisem",
    ),
    (
        "match_concluded.abandoned",
        "the match is abandoned",
        "partia przerwana bez wyniku",
    ),
    (
        "match_concluded.resignation",
        "all others have resigned[: won by {winners}]",
        "wszyscy inni się poddali[: wygrywa {winners}]",
    ),
    (
        "match_concluded.cancelled",
        "the host has cancelled the match",
        "gospodarz odwołał partię",
    ),
    (
        "ruleset_changed",
        "the match goes on with corrected rules",
        "partia trwa dalej z poprawionymi zasadami",
    ),
    (
        "seat_released",
        "{seat} waits for a player",
        "{seat}: wolne miejsce czeka na gracza",
    ),
    (
        "seat_taken",
        "{seat} is taken[ by {display_name}]",
        "{seat}: miejsce zajęte[, gra {display_name}]",
    ),
    (
        "seat_left",
        "{seat} is free again",
        "{seat}: miejsce znowu wolne",
    ),
    (
        "hands_shown",
        "spectators see all hands from now on",
        "widzowie widzą odtąd wszystkie ręce",
    ),
];

static SENTENCES: LazyLock<BTreeMap<&str, [Sentence; 2]>> = LazyLock::new(|| {
    let read = |text: &str| Sentence::parse(text).expect("a test reads it");
    let all = PHRASES.iter();
    all.map(|(id, en, pl)| (*id, [read(en), read(pl)]))
        .collect()
});

/// One of the sentences.
///
/// # Panics
///
/// When there is none of this id, which is a mistake of whoever asks.
pub fn phrase(id: &str, language: Language) -> &'static Sentence {
    let [en, pl] = &SENTENCES[id];
    match language {
        Language::English => en,
        Language::Polish => pl,
    }
}

/// All of them as texts, by id.
pub fn phrases() -> impl Iterator<Item = (&'static str, Text)> {
    PHRASES.iter().map(|(id, en, pl)| {
        let (en, pl) = ((*en).to_owned(), (*pl).to_owned());
        (*id, Text { en, pl })
    })
}
