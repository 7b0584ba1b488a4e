//! Many games as one page of HTML with plots.

use interpreter::Ruleset;
use interpreter::package::Language;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::estimate::Estimate;
use super::playouts::{RowUse, Tally, WIN};
use super::plots::{Bar, bars, histogram};
use super::words::Words;
use referee_library::players::Policy;
use referee_store::numbers::{float, to_i64, to_u64};

/// What is shown.
pub struct Simulation<'a> {
    /// The ruleset that was played.
    pub ruleset: &'a Ruleset,
    /// Its names, in the language of the page.
    pub words: &'a Words<'a>,
    /// What happened, each game for itself too.
    pub tally: &'a Tally,
    /// How the players played.
    pub policy: Policy,
    /// The seed of the first game.
    pub seed: u64,
    /// Seconds that a decision takes, if it is said how long a game lasts.
    pub pace: Option<u32>,
}

/// Who played, behind "players": what the figures are worth depends on it.
pub fn who(policy: Policy, language: Language) -> String {
    let say = |en: &'static str, pl: &'static str| match language {
        Language::English => en,
        Language::Polish => pl,
    };
    match policy {
        Policy::Random => say("who move at random", "którzy ruszają losowo").to_owned(),
        Policy::Greedy => say(
            "who look one move ahead",
            "którzy patrzą o jeden ruch naprzód",
        )
        .to_owned(),
        Policy::Search(search) => {
            format!(
                "{} {}",
                say(
                    "who think ahead (games imagined for each move:",
                    "którzy myślą naprzód (partii wyobrażonych przed każdym ruchem:"
                ),
                search.iterations
            ) + ")"
        }
    }
}

/// The page.
pub fn page(simulation: &Simulation<'_>) -> String {
    simulation.page().into_string()
}

impl Simulation<'_> {
    fn page(&self) -> Markup {
        let (package, tally) = (self.ruleset.package(), self.tally);
        let title = self.words.text(&package.titles);
        html! {
            (DOCTYPE)
            html lang=(self.words.say("en", "pl")) {
                head {
                    meta charset="utf-8";
                    title { (title) ": " (tally.games) " " (self.words.say("games", "partii")) }
                    style { (PreEscaped(include_str!("simulation.css"))) }
                }
                body {
                    h1 { (title) }
                    p {
                        code { (package.id.node) " " (package.version) }
                        @for layer in &package.layers { " + " (self.words.text(&layer.titles)) }
                        ", " (self.words.say("games:", "partie:")) " " (tally.games)
                        " (" (self.words.say("from seed", "od ziarna")) " " (self.seed) ")"
                    }
                    p class="who" {
                        (self.words.say("players:", "gracze:")) " " (self.ruleset.players()) ", " (who(self.policy, self.words.language()))
                    }
                    p class="small" {
                        (self.words.say(
                            "Behind a share, in per cent, where it lies in 95 of 100 cases; what was seen fewer than 30 times is pale. The spread of a figure says how much games differ, not how sure its mean is.",
                            "Za udziałem podano w procentach, gdzie leży on w 95 przypadkach na 100; co widziano mniej niż 30 razy, jest blade. Rozrzut mówi, jak bardzo różnią się partie, a nie, jak pewna jest średnia."))
                    }
                    p class="small" {
                        (self.words.say("digest", "skrót")) " " code { (self.ruleset.digest()) }
                    }
                    @if !tally.failures.is_empty() {
                        p class="bad" {
                            (tally.failures.len()) " " (self.words.say("games failed: seeds", "partii zakończonych błędem: ziarna"))
                            @for failure in tally.failures.iter().take(20) { " " (failure.seed) }
                        }
                    }
                    (self.length())
                    (self.scores())
                    (self.endings())
                    (self.rows())
                    (self.moves())
                }
            }
        }
    }

    fn length(&self) -> Markup {
        let lengths = self
            .tally
            .each
            .iter()
            .map(|one| to_i64(one.decisions))
            .collect();
        let title = self.words.say("Length of a game", "Długość partii");
        let below = self.words.say("decisions", "decyzje");
        html! {
            h2 { (title) }
            p {
                (self.words.say("mean", "średnio")) (format!(" {:.1}, ", self.tally.length.mean()))
                (self.words.say("spread", "rozrzut")) (format!(" {:.1}", self.tally.length.deviation()))
                @for (phase, begun) in self.tally.rounds(self.ruleset.model()) {
                    @let (least, most) = begun.range();
                    "; " (self.words.phase(&self.ruleset.model().phases[phase].name))
                    (format!(": {:.1} ({least}–{most})", begun.mean()))
                }
                @if let Some(pace) = self.pace {
                    (format!("; {:.0} ", self.tally.minutes(pace)))
                    (self.words.say("minutes at", "min, jeśli decyzja trwa")) (format!(" {pace} s "))
                    (self.words.say("a decision", ""))
                }
            }
            (PreEscaped(histogram(title, below, &[(String::new(), lengths)])))
        }
    }

    fn scores(&self) -> Markup {
        let tally = self.tally;
        let games = float(tally.games.max(1));
        let series: Vec<(String, Vec<i64>)> = (0..tally.scores.len())
            .map(|seat| {
                let scores = tally.each.iter().filter_map(|one| one.scores.get(seat));
                (format!("p{}", seat + 1), scores.copied().collect())
            })
            .collect();
        let wins: Vec<(String, Estimate)> = (0..tally.scores.len())
            .map(|seat| {
                let won: u64 = tally
                    .each
                    .iter()
                    .filter(|one| one.winners.iter().any(|won| usize::from(*won) == seat))
                    .map(|one| WIN / to_u64(one.winners.len().max(1)))
                    .sum();
                let part = float(won) / float(WIN) / games;
                (format!("p{}", seat + 1), Estimate::of(part, tally.games))
            })
            .collect();
        let bars_of_wins: Vec<Bar> = wins
            .iter()
            .map(|(name, win)| bar(name, *win, 0.0))
            .collect();
        let (scores, seats) = (
            self.words.say("Scores", "Punkty"),
            self.words.say(
                "Wins by seat, in per cent",
                "Zwycięstwa według miejsca, w procentach",
            ),
        );
        html! {
            h2 { (scores) }
            table {
                tr {
                    th { } th { (self.words.say("mean", "średnio")) } th { (self.words.say("spread", "rozrzut")) }
                    th { (self.words.say("least", "najmniej")) } th { (self.words.say("most", "najwięcej")) }
                    th { (self.words.say("wins", "zwycięstwa")) }
                }
                @for (score, (seat, win)) in tally.scores.iter().zip(&wins) {
                    tr {
                        th { (seat) }
                        td { (format!("{:.1}", score.mean())) } td { (format!("{:.1}", score.deviation())) }
                        td { (score.range().0) } td { (score.range().1) }
                        (sure(*win))
                    }
                }
            }
            (PreEscaped(histogram(scores, self.words.say("points", "punkty"), &series)))
            (PreEscaped(bars(seats, "%", &bars_of_wins)))
        }
    }

    fn endings(&self) -> Markup {
        let games = self.tally.games;
        let endings = self.ruleset.model().endings.iter();
        let ends = endings.zip(&self.tally.endings).map(|(ending, count)| {
            let part = float(*count) / float(games.max(1));
            (self.words.ending(&ending.name), Estimate::of(part, games))
        });
        let ends: Vec<(String, Estimate)> = ends.collect();
        let bars_of_ends: Vec<Bar> = ends
            .iter()
            .map(|(name, end)| bar(name, *end, 0.0))
            .collect();
        let title = self.words.say(
            "How games ended, in per cent",
            "Jak kończyły się partie, w procentach",
        );
        html! {
            h2 { (title) }
            table { @for end in &ends {
                tr { th { (end.0) } (sure(end.1)) }
            } }
            (PreEscaped(bars(title, "%", &bars_of_ends)))
        }
    }

    /// Use and worth of the rows of each table that anybody used. Of what nobody used nothing is said but that.
    fn rows(&self) -> Markup {
        let games = float(self.tally.games.max(1));
        let model = self.ruleset.model();
        let fair = 100.0 / f64::from(model.players.max(1));
        let used = |uses: &RowUse| uses.named > 0 || uses.placed > 0;
        html! {
            @for (table, uses) in model.tables.iter().zip(&self.tally.rows) {
                @if uses.iter().any(used) {
                    h2 { (self.words.say("Use and worth:", "Użycie i wartość:")) " " (table.plural) }
                    table {
                        tr {
                            th { }
                            th { (self.words.say("chosen in moves", "wybrano w ruchach")) }
                            th { (self.words.say("with players at the end, per game", "u graczy na koniec, na partię")) }
                            th { (self.words.say("its owners win", "zwycięstwa właścicieli")) }
                            th { (self.words.say("its owners' score", "punkty właścicieli")) }
                        }
                        @for (row, one) in table.rows.iter().zip(uses).filter(|(_, one)| used(one)) {
                            tr {
                                th { (self.words.row(&table.name, row)) }
                                td { (one.named) } td { (format!("{:.2}", float(one.placed) / games)) }
                                @if one.holders > 0 {
                                    (sure(Estimate::of(one.won(), one.holders)))
                                    td { (format!("{:.1}", one.score())) }
                                } @else { td { "–" } td { "–" } }
                            }
                        }
                    }
                    @let unused: Vec<String> = table.rows.iter().zip(uses).filter(|(_, one)| !used(one))
                        .map(|(row, _)| self.words.row(&table.name, row)).collect();
                    @if !unused.is_empty() {
                        p class="small" {
                            (self.words.say("Never used in these games, so nothing is said of what it is worth:", "W tych partiach ani razu nie użyto, więc o wartości nic nie wiadomo:"))
                            " " (unused.join(", "))
                        }
                    }
                    @if uses.iter().any(|one| one.holders > 0) {
                        p class="small" {
                            (self.words.say("Owning something need not be why somebody wins: whoever does well may buy more.", "Posiadanie czegoś nie musi być przyczyną zwycięstwa: komu idzie dobrze, ten może więcej kupić."))
                        }
                    }
                    @let worth: Vec<Bar> = table.rows.iter().zip(uses)
                        .filter(|(_, one)| one.holders > 0)
                        .map(|(row, one)| {
                            bar(&self.words.row(&table.name, row), Estimate::of(one.won(), one.holders), fair)
                        })
                        .collect();
                    (PreEscaped(bars(
                        self.words.say("Holders' wins beyond an even share, in percentage points", "Zwycięstwa posiadaczy ponad równy udział, w punktach procentowych"),
                        "", &worth)))
                }
            }
        }
    }

    fn moves(&self) -> Markup {
        let games = float(self.tally.games.max(1));
        html! {
            h2 { (self.words.say("Moves", "Ruchy")) }
            table {
                tr { th { } th { (self.words.say("made", "wykonano")) } th { (self.words.say("per game", "na partię")) } }
                @for (mv, count) in self.ruleset.model().moves.iter().zip(&self.tally.moves) {
                    @let (step, name) = mv.address.rsplit_once('.').unwrap_or(("", &mv.name));
                    tr { th { (self.words.step(step)) ": " (self.words.mv(step, name)) } td { (count) } td { (format!("{:.2}", float(*count) / games)) } }
                }
            }
        }
    }
}

/// A share in a table, pale if it says nothing by itself.
fn sure(share: Estimate) -> Markup {
    html! { td class=[share.is_weak.then_some("few")] { (share) } }
}

/// A share as a bar, in per cent beyond a level.
fn bar(name: &str, share: Estimate, level: f64) -> Bar {
    Bar {
        name: name.to_owned(),
        value: 100.0 * share.share - level,
        uncertain: 50.0 * (share.most - share.least),
    }
}
