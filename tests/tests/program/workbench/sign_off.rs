//! `referee review` and `referee check --signed`: what is open, who accepted it, and four attacks on that, each of which is red.

use std::fs;
use std::path::PathBuf;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::Configuration;
use referee_tests::command::{Ran, run};
use serde_json::Value;
use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};

use super::{copied, shown, write};

/// A copy of *Two fairs*, of which nothing is accepted, that ties two paragraphs of a print to its clauses, with keys of two people beside it.
struct Desk {
    folder: tempfile::TempDir,
    path: PathBuf,
}

const ANNA: &str = "anna@example.org";
const BEN: &str = "ben@example.org";

/// The clause that the changes below concern.
const SOLD: &str = "east.price";

fn key(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

impl Desk {
    fn new() -> Desk {
        let (folder, path) = copied("two-fairs");
        fs::remove_file(path.join("review.yaml")).expect("there");
        let manifest = fs::read_to_string(path.join("ruleset.yaml")).expect("readable");
        let manifest = format!("{manifest}  sources: sources.yaml\n");
        let sources = "paragraphs:\n- {at: fairs 1, clauses: [days, east]}\n- {at: fairs 2, none: praise of figs}\n";
        write(
            &path,
            &[("ruleset.yaml", &manifest), ("sources.yaml", sources)],
        );
        let mut signers = String::new();
        for (seed, name) in [(1, ANNA), (2, BEN)] {
            let private = key(seed);
            let text = private.to_openssh(LineEnding::LF).expect("a key");
            write(folder.path(), &[(name, &text)]);
            let public = private.public_key().to_openssh().expect("a key");
            signers += &format!("{name} {public}\n");
        }
        write(folder.path(), &[("allowed_signers", &signers)]);
        Desk { folder, path }
    }

    /// All of it accepted by Anna and signed.
    fn signed() -> Desk {
        let desk = Desk::new();
        desk.accept_all(ANNA);
        desk.sign(ANNA).ends(0);
        desk.check().ends(0).tells("no errors");
        desk
    }

    fn keys(&self) -> PathBuf {
        self.folder.path().join("allowed_signers")
    }

    fn list(&self, more: &str) -> Value {
        let path = shown(&self.path);
        run(format!("review {path} --list all --format json {more}")).json()
    }

    fn accept(&self, by: &str, names: &[String]) -> Ran {
        let things: String = names
            .iter()
            .map(|name| format!(" --accept '{name}'"))
            .collect();
        run(format!("review {} --by '{by}'{things}", shown(&self.path)))
    }

    fn accept_all(&self, by: &str) {
        self.accept(by, &names(&self.list(""))).ends(0);
    }

    fn sign(&self, who: &str) -> Ran {
        let key = self.folder.path().join(who);
        run(format!(
            "review sign {} --key {}",
            shown(&self.path),
            shown(&key)
        ))
    }

    fn check(&self) -> Ran {
        let keys = self.keys();
        run(format!(
            "check {} --signed --keys {}",
            shown(&self.path),
            shown(&keys)
        ))
    }

    /// The codes of what `check --signed` finds, each once.
    fn codes(&self) -> Vec<String> {
        let keys = self.keys();
        let line = format!(
            "check {} --signed --keys {} --format json",
            shown(&self.path),
            shown(&keys)
        );
        let found = run(line).json();
        let all = found["diagnostics"].as_array().expect("a list").iter();
        let errors = all.filter(|one| one["severity"] == "error");
        let mut codes: Vec<String> = errors
            .map(|one| one["code"].as_str().expect("a code").to_owned())
            .collect();
        codes.sort();
        codes.dedup();
        codes
    }

    fn edit(&self, file: &str, old: &str, new: &str) {
        let path = self.path.join(file);
        let text = fs::read_to_string(&path).expect("readable");
        assert!(text.contains(old), "{file}: {old}");
        fs::write(path, text.replacen(old, new, 1)).expect("writable");
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path.join(file)).expect("readable")
    }
}

fn things(listed: &Value) -> Vec<&Value> {
    let layers = listed["layers"].as_array().expect("layers").iter();
    layers
        .flat_map(|layer| layer["things"].as_array().expect("things"))
        .collect()
}

/// The things of a list as `--accept` takes them.
fn names(listed: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    things(listed)
        .into_iter()
        .map(|thing| format!("{}:{}", text(&thing["is"]), text(&thing["name"])))
        .collect()
}

/// What is open again of a list, each with what of it has changed.
fn again(listed: &Value) -> Vec<(String, Vec<String>)> {
    let all = things(listed)
        .into_iter()
        .filter(|thing| thing["standing"] == "again");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    all.map(|thing| {
        let changed = thing["changed"].as_array().expect("parts").iter();
        (text(&thing["name"]), changed.map(text).collect())
    })
    .collect()
}

#[test]
fn what_is_accepted_is_kept_and_listed() {
    let desk = Desk::new();
    let before = desk.list("");
    assert_eq!(
        (&before["accepted"], &before["schema"]),
        (&0.into(), &"referee.review/1".into())
    );
    let line = format!(
        "review {} --by {ANNA} --accept @{SOLD} --accept 'fairs 2' --comment 'as \"printed\": yes'",
        shown(&desk.path)
    );
    run(line).ends(0).tells("accepted");
    let after = desk.list("");
    assert_eq!(after["accepted"], 2);
    let things = things(&after);
    let sold = things
        .iter()
        .find(|thing| thing["name"] == SOLD)
        .expect("there");
    assert_eq!(sold["standing"], "accepted");
    assert_eq!(sold["accepted"][0]["by"], ANNA);
    assert_eq!(sold["accepted"][0]["comment"], "as \"printed\": yes");
    assert_eq!(
        sold["parts"]["scenarios"].as_array().expect("a list").len(),
        1
    );
    // It plays as it did, and the checker knows the file.
    run(format!("check {} --fail-on-warn", shown(&desk.path))).ends(0);
    // Who accepts the same again stands once, beside others who do.
    desk.accept(ANNA, &[SOLD.to_owned()]).ends(0);
    desk.accept(BEN, &[SOLD.to_owned()]).ends(0);
    assert_eq!(
        desk.text("review.yaml")
            .matches("clause: east.price")
            .count(),
        2
    );
}

#[test]
fn no_match_is_pinned_to_what_was_accepted() {
    let desk = Desk::new();
    let digest = || {
        let texts = referee_tests::texts(&desk.path);
        let ruleset = Ruleset::compile(&texts, &[], &Configuration::base(2));
        ruleset
            .unwrap_or_else(|_| panic!("it is right"))
            .digest()
            .to_string()
    };
    let without = digest();
    desk.accept(ANNA, &[SOLD.to_owned()]).ends(0);
    assert!(desk.text("review.yaml").contains(SOLD));
    assert_eq!(digest(), without);
    // Planted: whatever else is changed is part of it.
    desk.edit("setup.yaml", "value: 9", "value: 8");
    assert_ne!(digest(), without);
}

#[test]
fn layout_and_comments_open_nothing() {
    let desk = Desk::signed();
    desk.edit(
        "rules/east.rules",
        "query east_price(w: ware): int = max(2, east_worth(w) / 2)                  @east.price",
        "# Half.\nquery east_price( w: ware ): int = max( 2,east_worth(w)/2 )  @east.price",
    );
    desk.edit("setup.yaml", "figures:", "# Few.\nfigures:");
    desk.edit(
        "scenarios/east.yaml",
        "p1: {east_coins: 0, stock: {figs: 2, salt: 0}}",
        "p1: {stock: {salt: 0, figs: 2}, east_coins: 0} # poor",
    );
    assert_eq!(again(&desk.list("")), []);
    desk.check().ends(0);
}

/// What is printed on a tile is signed with what speaks of that tile, or with what no clause claims.
#[test]
fn a_tile_of_another_name_opens_what_speaks_of_it() {
    let desk = Desk::new();
    desk.edit(
        "rulebook.yaml",
        "In the east a fair is held.",
        "In the east a fair of figs is held.",
    );
    desk.accept_all(ANNA);
    desk.sign(ANNA).ends(0);
    desk.check().ends(0);
    let tile = "components/wares.yaml";
    desk.edit(tile, "{en: Figs, pl: Figi}", "{en: Figs, pl: Daktyle}");
    let only = |name: &str| vec![(name.to_owned(), vec!["figures".to_owned()])];
    assert_eq!(again(&desk.list("")), only("east"));
    desk.check().ends(1);
    desk.edit(tile, "{en: Figs, pl: Daktyle}", "{en: Figs, pl: Figi}");
    desk.check().ends(0);
    desk.edit(tile, "{en: Salt, pl: Sól}", "{en: Salt, pl: Pieprz}");
    assert_eq!(again(&desk.list("")), only("figures"));
    desk.check().ends(1);
}

/// Each part that is changed opens what it belongs to, and it is said which it was.
#[test]
fn every_part_opens_its_things_again() {
    let paragraph = "fairs 1".to_owned();
    let only = |name: &str, part: &str| vec![(name.to_owned(), vec![part.to_owned()])];
    for (file, old, new, expected) in [
        (
            "rulebook.yaml",
            "A ware costs half of its worth",
            "A ware costs a half of its worth",
            only(SOLD, "en"),
        ),
        (
            "rulebook.yaml",
            "Towar kosztuje połowę wartości",
            "Towar kosztuje pół wartości",
            only(SOLD, "pl"),
        ),
        (
            "rules/east.rules",
            "max(2, east_worth(w) / 2)",
            "max(3, east_worth(w) / 2)",
            // What a query answers serves whoever asks it: the sale, and what makes the price higher.
            ["east.sell", SOLD, "east.heavy"]
                .map(|name| (name.to_owned(), vec!["rules".to_owned()]))
                .to_vec(),
        ),
        (
            "setup.yaml",
            "east_riches: {value: 9",
            "east_riches: {value: 8",
            only("east.full", "figures"),
        ),
        (
            "rulebook.yaml",
            "      - id: days.host\n",
            "      - id: days.host\n        kind: ruling\n",
            only("days.host", "kind"),
        ),
        (
            "sources.yaml",
            "none: praise of figs",
            "none: praise of salt",
            only("fairs 2", "print"),
        ),
        (
            "sources.yaml",
            "clauses: [days, east]",
            "clauses: [days]",
            vec![
                ("east".to_owned(), vec!["print".to_owned()]),
                (
                    paragraph.clone(),
                    ["en", "pl", "kind", "print"].map(str::to_owned).to_vec(),
                ),
            ],
        ),
        (
            "rulebook.yaml",
            "In the east a fair is held.",
            "A fair is held in the east.",
            vec![
                ("east".to_owned(), vec!["en".to_owned()]),
                (paragraph.clone(), vec!["en".to_owned()]),
            ],
        ),
        (
            "ruleset.yaml",
            "players: {from: 2, to: 3}",
            "players: {from: 2, to: 2}",
            only("figures", "figures"),
        ),
    ] {
        let desk = Desk::new();
        desk.accept_all(ANNA);
        desk.edit(file, old, new);
        assert_eq!(again(&desk.list("")), expected, "{new}");
    }
}

#[test]
fn filters_choose_what_is_gone_through() {
    let desk = Desk::new();
    let found = |filter: &str| names(&desk.list(filter));
    let west = found("--chapter west");
    assert!(
        west.iter().all(|name| name.starts_with("clause:west")) && west.len() == 14,
        "{west:?}"
    );
    assert_eq!(found("--chapter 'Jarmark na zachodzie'"), west);
    assert_eq!(found("--clause days"), ["clause:days", "paragraph:fairs 1"]);
    let east = found("--phase east");
    assert!(east.contains(&"clause:east.sell".to_owned()), "{east:?}");
    assert!(!east.contains(&"clause:west.sell".to_owned()), "{east:?}");
    run(format!(
        "review {} --list all --clause day",
        shown(&desk.path)
    ))
    .ends(2)
    .notes("there is nothing to accept in the clause `day`");
    // Of a language: what is open in its words.
    desk.accept_all(ANNA);
    desk.edit(
        "rulebook.yaml",
        "Towar kosztuje połowę wartości",
        "Towar kosztuje pół wartości",
    );
    let open = |language: &str| {
        let line = format!(
            "review {} --list open --language {language} --format json",
            shown(&desk.path)
        );
        names(&run(line).json())
    };
    assert_eq!(open("pl"), ["clause:east.price"]);
    assert!(open("en").is_empty());
}

#[test]
fn what_a_scenario_disproves_is_not_accepted() {
    let desk = Desk::new();
    desk.edit(
        "scenarios/east.yaml",
        "p1: {east_coins: 9}",
        "p1: {east_coins: 7}",
    );
    desk.accept(ANNA, &["table".to_owned(), SOLD.to_owned()])
        .ends(2)
        .notes("@east.price cannot be accepted: its scenario");
    assert!(
        !desk.path.join("review.yaml").exists(),
        "all of it or nothing"
    );
    desk.accept(ANNA, &["no.clause".to_owned()])
        .ends(2)
        .notes("`no.clause`");
    desk.accept("*", &["table".to_owned()])
        .ends(2)
        .notes("`*` is no name: a name under which somebody can sign");
}

#[test]
fn a_module_is_accepted_in_its_own_folder() {
    let desk = Desk::new();
    let module = "id: autumn\nextends: two-fairs\ntitles: {en: Autumn, pl: Jesień}\nfiles: {}\npatch:\n  figures: {west_riches: 5}\n";
    write(&desk.path, &[("modules/autumn/module.yaml", module)]);
    let before = desk.list("--with autumn");
    // What it leaves as it is, is none of its own.
    assert_eq!(names(&before), ["clause:west.full"]);
    let line = format!(
        "review {} --with autumn --by {ANNA} --accept west.full",
        shown(&desk.path)
    );
    run(line).ends(0);
    assert_eq!(desk.list("--with autumn")["open"], 0);
    assert_eq!(
        desk.list("")["accepted"],
        0,
        "the ruleset is another matter"
    );
    assert!(
        desk.text("modules/autumn/review.yaml")
            .contains("west.full")
    );
    run(format!(
        "check {} --with autumn --fail-on-warn",
        shown(&desk.path)
    ))
    .ends(0);
}

/// An effect that stands in no sentence of its own is signed with what it belongs to.
#[test]
fn what_an_extension_does_is_signed_with_its_clause() {
    let desk = Desk::new();
    let module = "id: gifts\nextends: two-fairs\ntitles: {en: Gifts, pl: Prezenty}\nfiles: {rules: [gifts.rules]}\n";
    let rules = |coins: u8| {
        format!("extend east.sell  @east.gift\n  do {{ gain(east_coins(p), {coins}); }}\n")
    };
    let write_rules = |coins| {
        let text = rules(coins);
        write(
            &desk.path,
            &[
                ("modules/gifts/module.yaml", module),
                ("modules/gifts/gifts.rules", &text),
            ],
        );
    };
    write_rules(1);
    let line = format!(
        "review {} --with gifts --by {ANNA} --accept east.gift",
        shown(&desk.path)
    );
    run(line).ends(0);
    assert_eq!(desk.list("--with gifts")["open"], 0);
    write_rules(2);
    let now = desk.list("--with gifts");
    assert_eq!(names(&now), ["clause:east.gift"], "{now}");
    assert_eq!(now["open"], 1, "{now}");
}

/// What cannot be looked at by itself was accepted by nobody.
#[test]
fn a_module_that_lacks_what_it_needs_is_no_release() {
    let desk = Desk::signed();
    let module = |id: &str, rest: &str| {
        format!("id: {id}\nextends: two-fairs\ntitles: {{en: {id}, pl: {id}}}\n{rest}")
    };
    write(
        &desk.path,
        &[
            (
                "modules/autumn/module.yaml",
                &module("autumn", "files: {setup: setup.yaml}\n"),
            ),
            ("modules/autumn/setup.yaml", "figures:\n  leaves: 3\n"),
            (
                "modules/winter/module.yaml",
                &module("winter", "files: {}\npatch:\n  figures: {leaves: 4}\n"),
            ),
        ],
    );
    let (path, keys) = (shown(&desk.path), desk.keys());
    let both = format!("check {path} --with autumn --with winter");
    run(&both).ends(0);
    run(format!("{both} --signed --keys {}", shown(&keys)))
        .ends(1)
        .tells("there is no figure `leaves` to patch");
}

#[test]
fn entries_are_checked_with_their_place() {
    let desk = Desk::new();
    desk.accept(ANNA, &[SOLD.to_owned()]).ends(0);
    let checked = |old: &str, new: &str| {
        let desk = Desk::new();
        desk.accept(ANNA, &[SOLD.to_owned()]).ends(0);
        desk.edit("review.yaml", old, new);
        run(format!("check {}", shown(&desk.path))).ends(1).data
    };
    let told = checked("clause: east.price", "clause: east.prize");
    assert!(
        told.contains("RF0342")
            && told.contains("review.yaml:4:13")
            && told.contains("did you mean `east.price`"),
        "{told}"
    );
    let told = checked("    on: 2", "    on: 3000-02-30 #");
    assert!(
        told.contains("RF0344") && told.contains("`3000-02-30` is no date"),
        "{told}"
    );
    let told = checked("digest: \"", "digest: \"x");
    assert!(told.contains("RF0345"), "{told}");
    let told = checked(&format!("by: \"{ANNA}\""), "by: \"*\"");
    assert!(told.contains("RF0346"), "{told}");
    let text = desk.text("review.yaml");
    let (head, entry) = text.split_once("accepted:\n").expect("a list");
    let twice = format!("{head}accepted:\n{entry}{entry}");
    write(&desk.path, &[("review.yaml", &twice)]);
    run(format!("check {}", shown(&desk.path)))
        .ends(1)
        .tells("RF0343");
}

#[test]
fn a_release_wants_everything_accepted_and_signed() {
    let desk = Desk::new();
    assert_eq!(desk.codes(), ["RF0359"], "nothing is accepted");
    desk.accept_all(ANNA);
    assert_eq!(desk.codes(), ["RF0347"], "nobody has signed");
    desk.sign(ANNA).ends(0).tells("signed");
    assert_eq!(desk.codes(), [""; 0]);
    // Without its switch nobody asks.
    fs::remove_file(desk.path.join("review.yaml.sig")).expect("there");
    run(format!("check {}", shown(&desk.path))).ends(0);
}

#[test]
fn several_people_sign() {
    let desk = Desk::new();
    desk.accept_all(ANNA);
    desk.accept(BEN, &[SOLD.to_owned()]).ends(0);
    desk.sign(ANNA).ends(0);
    assert_eq!(desk.codes(), ["RF0349"], "Ben has not signed");
    desk.sign(BEN).ends(0);
    assert_eq!(desk.codes(), [""; 0]);
    let verify = format!(
        "review sign {} --verify --keys {}",
        shown(&desk.path),
        shown(&desk.keys())
    );
    let ran = run(&verify).ends(0);
    assert_eq!(
        [
            "good, by anna@example.org (SHA256:",
            "good, by ben@example.org (SHA256:"
        ]
        .map(|told| ran.data.matches(told).count()),
        [1, 1],
        "{}",
        ran.data
    );
    // One more acceptance, and both sign again.
    desk.accept(BEN, &["table".to_owned()])
        .ends(0)
        .notes("signs again");
    run(&verify).ends(1).tells("of another text");
    desk.sign(BEN).ends(0).notes("signs again");
    desk.sign(ANNA).ends(0);
    assert_eq!(desk.codes(), [""; 0]);
}

/// Nothing is deleted: the file, the list and the audit show what was accepted, and that it was withdrawn or by whom it was.
#[test]
fn an_acceptance_is_withdrawn_and_a_name_is_corrected() {
    let desk = Desk::new();
    let review = |rest: &str| run(format!("review {} {rest}", shown(&desk.path)));
    let wrong = "anna@exmaple.org";
    desk.accept_all(wrong);
    review(&format!("--by {ANNA} --withdraw {SOLD}"))
        .ends(2)
        .notes("has not accepted @east.price");
    review(&format!("--by {ANNA} --corrects {BEN}"))
        .ends(2)
        .notes("has accepted nothing");
    review(&format!("--by {ANNA} --corrects {wrong}"))
        .ends(0)
        .tells("corrected  @east.price");
    desk.sign(ANNA).ends(0);
    desk.check().ends(0);
    let verify = format!(
        "review sign {} --verify --keys {}",
        shown(&desk.path),
        shown(&desk.keys())
    );
    run(&verify)
        .ends(0)
        .tells(&format!(" more: accepted by `{wrong}` on "));
    review(&format!(
        "--by {ANNA} --withdraw {SOLD} --comment 'too fast'"
    ))
    .ends(0)
    .tells("withdrawn  @east.price");
    assert_eq!(
        desk.text("review.yaml")
            .matches("clause: east.price\n")
            .count(),
        3
    );
    run(format!("check {} --fail-on-warn", shown(&desk.path))).ends(0);
    review("--list open").ends(1).tells("withdrawn");
    desk.sign(ANNA).ends(0);
    desk.check()
        .ends(1)
        .tells("@east.price is open: its acceptance was withdrawn")
        .tells("too fast");
    // What is withdrawn is above.
    desk.edit(
        "review.yaml",
        &format!("withdraws: \"{wrong}\""),
        "withdraws: \"eve\"",
    );
    run(format!("check {}", shown(&desk.path)))
        .ends(1)
        .tells("no acceptance of this by `eve` is above");
}

#[test]
fn a_chapter_and_what_no_clause_says_are_accepted_at_once() {
    let desk = Desk::new();
    let review = |rest: &str| run(format!("review {} {rest}", shown(&desk.path)));
    assert_eq!(names(&desk.list("--no-clause")), ["paragraph:fairs 2"]);
    review(&format!("--by {ANNA} --no-clause --accept-all"))
        .ends(0)
        .tells("accepted  fairs 2");
    assert_eq!(desk.list("")["accepted"], 1);
    review(&format!("--by {ANNA} --chapter west --accept-all")).ends(0);
    assert_eq!(
        (
            &desk.list("--chapter west")["open"],
            &desk.list("")["accepted"]
        ),
        (&0.into(), &15.into())
    );
}

#[test]
fn figures_that_changed_are_told_and_scenarios_are_read() {
    let desk = Desk::new();
    desk.accept_all(ANNA);
    desk.edit(
        "setup.yaml",
        "east_riches: {value: 9",
        "east_riches: {value: 8",
    );
    run(format!("review {} --list open", shown(&desk.path)))
        .ends(1)
        .tells("the figures [figure east_riches: 9 → 8]");
    desk.check().ends(1).tells("figure east_riches: 9 → 8");
    assert!(
        desk.text("review.yaml")
            .contains("      - \"figure east_riches = 9\"\n")
    );
}

/// The first attack: somebody accepts in the name of somebody else, and signs with their own key.
#[test]
fn a_forged_name_is_red() {
    let desk = Desk::new();
    desk.accept_all(ANNA);
    desk.sign(BEN).ends(0);
    assert_eq!(desk.codes(), ["RF0349"]);
    // A key that nobody knows is no better.
    write(
        desk.folder.path(),
        &[("eve", &key(3).to_openssh(LineEnding::LF).expect("a key"))],
    );
    desk.sign("eve").ends(0);
    assert_eq!(desk.codes(), ["RF0349"]);
}

/// The second attack: a clause is changed after it was signed, or another text stands over the old signature.
#[test]
fn an_old_signature_under_a_new_text_is_red() {
    let desk = Desk::signed();
    let old = desk.text("review.yaml.sig");
    desk.edit("rulebook.yaml", "at least two.", "at least one.");
    assert_eq!(desk.codes(), ["RF0359"], "it is open again");
    desk.check()
        .ends(1)
        .tells("@east.price is open again: changed are the English words");
    desk.accept(ANNA, &[SOLD.to_owned()]).ends(0);
    assert_eq!(desk.text("review.yaml.sig"), old);
    assert_eq!(desk.codes(), ["RF0348"], "it was not signed");
    // A comment is signed, too.
    let desk = Desk::signed();
    desk.edit("review.yaml", "accepted:", "# Nothing.\naccepted:");
    assert_eq!(desk.codes(), ["RF0348"]);
}

/// The third attack: a digest is written by hand, so that what was changed looks accepted.
#[test]
fn a_digest_edited_by_hand_is_red() {
    let desk = Desk::signed();
    let digest = |desk: &Desk| {
        let listed = desk.list("");
        let things = things(&listed);
        let sold = things
            .iter()
            .find(|thing| thing["name"] == SOLD)
            .expect("there");
        sold["digest"].as_str().expect("a digest").to_owned()
    };
    let before = digest(&desk);
    desk.edit("rulebook.yaml", "at least two.", "at least one.");
    desk.edit("review.yaml", &before, &digest(&desk));
    // Its parts tell, and so does the signature.
    assert_eq!(desk.codes(), ["RF0348", "RF0357"]);
    desk.check()
        .ends(1)
        .tells("the digest of @east.price was edited by hand");
    // Even if whoever may sign has done it.
    desk.sign(ANNA).ends(0);
    assert_eq!(desk.codes(), ["RF0357"]);
}

/// The fourth attack: a scenario is deleted, or made to say less, after it was signed.
#[test]
fn a_scenario_deleted_after_signing_is_red() {
    let desk = Desk::signed();
    let text = desk.text("scenarios/east.yaml");
    let start = text.find("  - scenario: nobody pays").expect("there");
    let end = text
        .find("  - scenario: the game ends after")
        .expect("there");
    write(
        &desk.path,
        &[(
            "scenarios/east.yaml",
            &[&text[..start], &text[end..]].concat(),
        )],
    );
    assert_eq!(desk.codes(), ["RF0358"]);
    desk.check()
        .ends(1)
        .tells("@east.busy was accepted with other scenarios");
    let desk = Desk::signed();
    desk.edit(
        "scenarios/east.yaml",
        "      p1: {east_coins: 4}\n      p2: {east_coins: 2}",
        "      p1: {east_coins: 4}",
    );
    assert_eq!(desk.codes(), ["RF0358"]);
}

#[test]
fn what_is_no_signature_or_no_list_of_signers_is_told() {
    let desk = Desk::signed();
    write(&desk.path, &[("review.yaml.sig", "nothing\n")]);
    assert_eq!(desk.codes(), ["RF0347", "RF0360"]);
    write(desk.folder.path(), &[("allowed_signers", "# who\nanna\n")]);
    desk.check().ends(2).notes("allowed_signers:2:");
    let verify = || run(format!("review sign {} --verify", shown(&desk.path))).ends(1);
    verify().tells("no signature of OpenSSH");
    desk.sign(ANNA).ends(0).notes("line 1 was no signature");
    // A file without any says nothing of anybody.
    write(&desk.path, &[("review.yaml.sig", "")]);
    verify().tells("no signature in it");
}

#[test]
fn a_key_with_a_passphrase_is_left_to_openssh() {
    let desk = Desk::signed();
    let signed = desk.text("review.yaml.sig");
    write(desk.folder.path(), &[("locked", LOCKED)]);
    desk.sign("locked").ends(2).notes(&format!(
        "ssh-keygen -Y sign -f '{}' -n referee-review < '{}' >> '{}'",
        shown(&desk.folder.path().join("locked")),
        shown(&desk.path.join("review.yaml")),
        shown(&desk.path.join("review.yaml.sig")),
    ));
    assert_eq!(desk.text("review.yaml.sig"), signed);
}

#[test]
fn what_cannot_sign_is_told_with_what_can() {
    let desk = Desk::signed();
    let public = key(1).public_key().to_openssh().expect("a key");
    write(
        desk.folder.path(),
        &[("anna.pub", &public), ("ecdsa", ECDSA)],
    );
    for (who, told) in [
        ("anna.pub", "this is a public key: name the private one"),
        ("ecdsa", "a key of the kind ecdsa-sha2-nistp256"),
        ("allowed_signers", "no private key of OpenSSH"),
        ("nobody", "nobody`: "),
    ] {
        desk.sign(who).ends(2).notes(told);
    }
    write(&desk.path, &[("review.yaml", "accepted: []\n")]);
    desk.sign(ANNA).ends(2).notes("there is nothing to sign");
    // Nor is what cannot be read or written passed over.
    let desk = Desk::signed();
    fs::remove_file(desk.path.join("review.yaml.sig")).expect("there");
    fs::create_dir(desk.path.join("review.yaml.sig")).expect("writable");
    desk.sign(ANNA).ends(2).notes("review.yaml.sig`: ");
    desk.check().ends(2).notes("review.yaml.sig`: ");
}

/// A ruleset that comes with the program is listed, and written nowhere.
#[test]
fn what_comes_with_the_program_is_only_listed() {
    let listed = run("review genoa --list all --format json").json();
    assert!(
        listed["open"].as_u64().expect("a number") > 300,
        "{}",
        listed["open"]
    );
    run(format!(
        "review genoa --by {ANNA} --accept 'unclaimed figures'"
    ))
    .ends(2)
    .notes("name its folder");
}

/// A key whose passphrase nobody needs.
const LOCKED: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABBPQMAOlH
hk6Wxd/bLe6TwsAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIOVzBHiYo/WfaLyD
srJvSVmHEuuqfHR2pc+2HCFIZGamAAAAoHSHCHxSliF3NIaVoFWciS7rTT5przY/97nmh2
pGQRP5wh0qPJqgFHeJhwXXwOUKyx4TIdnu6qcb1NzXDULpEhojaMTcpP/VzSauDVTxEcCm
gr3sC1CMv4JuAPi5o6jAEdkb4LDFWvgVVYMmiV2myXEytX8hLbejal1/N1kaedcFfiDWae
y4MFAVhgDz/BiMYc0LkKpMwO30U1m7VRz+wYg=
-----END OPENSSH PRIVATE KEY-----
";

/// A key of a kind that signs nothing here.
const ECDSA: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS
1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQTHyLwIr/4U5Z1mkPhuwRw6sKVfcuWC
Fs3Wb8DJbKDG3J9dIiPlHtVm0XQChWnnOqBiaPrdwp+ma1o60g91O1ddAAAAsNQFrkvUBa
5LAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBMfIvAiv/hTlnWaQ
+G7BHDqwpV9y5YIWzdZvwMlsoMbcn10iI+Ue1WbRdAKFaec6oGJo+t3Cn6ZrWjrSD3U7V1
0AAAAgG5aSV2pIGx2WTlg0R9X9ZAnWar/xV/3Wfpe3dvDp/TUAAAAVYSB0ZXN0IG9mIHRo
ZSByZWZlcmVlAQID
-----END OPENSSH PRIVATE KEY-----
";
