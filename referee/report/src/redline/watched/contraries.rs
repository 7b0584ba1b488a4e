//! Words that are nothing to be watched by themselves, and the contrary of others: one in place of the other turns a sentence
//! round. Their synonyms stand beside them, so that `receives` may become `takes`.

use interpreter::package::Language;

/// Beginnings of words of one side, and of the other. A whole word stands without `*`.
type Pair = (&'static [&'static str], &'static [&'static str]);

const ENGLISH: &[Pair] = &[
    (
        &[
            "receiv*", "gain*", "get", "gets", "earn*", "take", "takes", "win", "wins",
        ],
        &[
            "pay", "pays", "lose", "loses", "lost", "give", "gives", "spend*", "owe", "owes",
        ],
    ),
    (
        &["cheap", "cheaper", "cheapest"],
        &[
            "dear",
            "dearer",
            "dearest",
            "expensive",
            "costlier",
            "costliest",
        ],
    ),
    (
        &["nearer", "nearest", "closer", "closest"],
        &["farther", "farthest", "further", "furthest"],
    ),
    (
        &["early", "earlier", "earliest"],
        &["late", "later", "latest"],
    ),
    (
        &["young", "younger", "youngest"],
        &["old", "older", "oldest"],
    ),
    (
        &["short", "shorter", "shortest"],
        &["long", "longer", "longest"],
    ),
    (
        &["rich", "richer", "richest"],
        &["poor", "poorer", "poorest"],
    ),
    (
        &["small", "smaller", "smallest"],
        &["large", "larger", "largest", "big", "bigger", "biggest"],
    ),
    (
        &["strong", "stronger", "strongest"],
        &["weak", "weaker", "weakest"],
    ),
    (
        &[
            "choice", "choos*", "chose", "chosen", "pick", "picks", "picked", "select*",
        ],
        &["random", "randomly", "chance"],
    ),
    (
        &["top", "onto", "on", "upper"],
        &["bottom", "under", "underneath", "beneath"],
    ),
    (
        &["add", "adds", "added", "plus", "increas*", "rais*"],
        &[
            "subtract*",
            "minus",
            "reduc*",
            "decreas*",
            "lowers",
            "deduct*",
        ],
    ),
    (&["up"], &["down"]),
    (&["in", "inside", "within"], &["outside", "beyond"]),
    (&["front"], &["behind"]),
    (&["own"], &["opponent's", "others'", "another's"]),
    (&["to"], &["from"]),
    (
        &["visible", "shown", "show", "shows", "reveal*"],
        &["hide", "hides", "conceal*"],
    ),
    (&["odd"], &["even"]),
    (&["open", "opens"], &["close", "closes", "closed"]),
    (&["active"], &["idle"]),
    (&["free"], &["occupied", "taken"]),
    (&["return*"], &["stay", "stays", "remain*"]),
];

const POLISH: &[Pair] = &[
    (
        &[
            "otrzym*", "dosta*", "zysk*", "bierz*", "biorą", "pobier*", "zarabia*",
        ],
        &[
            "płac*", "zapłac*", "opłac*", "trac*", "straci*", "oddaj*", "wydaj*",
        ],
    ),
    (
        &["tani*", "tańsz*", "najtań*"],
        &["drogo", "droższ*", "najdroż*"],
    ),
    (
        &["bliższ*", "najbliż*", "bliżej"],
        &["dalsz*", "najdal*", "dalej"],
    ),
    (
        &["wcześniejsz*", "najwcześn*", "wcześniej"],
        &["późniejsz*", "najpóźn*", "później"],
    ),
    (&["młodsz*", "najmłods*"], &["starsz*", "najstars*"]),
    (&["krótsz*", "najkrót*"], &["dłuższ*", "najdłuż*"]),
    (&["bogat*", "najbogat*"], &["biedn*", "najbiedn*", "ubo*"]),
    (
        &["mały", "mała", "małe", "małego", "małej", "małych"],
        &["duży", "duża", "duże", "dużego", "dużej", "dużych"],
    ),
    (&["silniejsz*", "najsiln*"], &["słabsz*", "najsłab*"]),
    (
        &["wybr*", "wybier*", "wybór", "wyboru"],
        &["losow*", "wylosow*", "przypadk*"],
    ),
    (&["wierzch*"], &["spód", "spodu", "spodzie", "spodem"]),
    (&["nad"], &["pod"]),
    (
        &["dodaj*", "dodać", "plus", "zwiększ*", "podnos*"],
        &["odejm*", "odjąć", "minus", "zmniejsz*", "obniż*"],
    ),
    (&["własn*"], &["cudz*", "obc*"]),
    (&["do"], &["z", "ze"]),
    (&["ujawni*", "pokazuj*"], &["ukrywa*", "zakrywa*"]),
    (&["nieparzyst*"], &["parzyst*"]),
    (&["woln*"], &["zajęt*"]),
    (&["wraca*"], &["zostaj*", "pozostaj*"]),
];

fn is(word: &str, side: &[&str]) -> bool {
    side.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == *known,
    })
}

/// Words of which some became their contrary: there are fewer of the one side, and as many more of the other.
pub(super) fn contraries(
    before: &[String],
    after: &[String],
    language: Language,
) -> Vec<(String, String)> {
    let pairs = match language {
        Language::English => ENGLISH,
        Language::Polish => POLISH,
    };
    let of = |words: &[String], side: &[&str]| -> Vec<String> {
        let words = words.iter().filter(|word| is(word, side));
        words.cloned().collect()
    };
    // Of those that stand in one text and not in the other, the first.
    let first = |from: &[String], to: &[String]| -> String {
        let only = from.iter().find(|word| !to.contains(word));
        only.or(from.first()).cloned().unwrap_or_default()
    };
    let mut all = Vec::new();
    for (one, other) in pairs {
        for (gone, new) in [(one, other), (other, one)] {
            let (was, lost) = (of(before, gone), of(after, gone));
            let (had, is) = (of(before, new), of(after, new));
            if lost.len() < was.len() && had.len() < is.len() {
                all.push((first(&was, &lost), first(&is, &had)));
            }
        }
    }
    all
}
