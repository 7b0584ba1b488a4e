//! Many games as one page of HTML with plots.

use interpreter::Ruleset;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::playouts::{RowUse, Tally, WIN};
use super::plots::{Bar, bars, histogram};
use super::words::Words;
use crate::numbers::{float, to_i64, to_u64};

/// What is shown.
pub struct Simulation<'a> {
    /// The ruleset that was played.
    pub ruleset: &'a Ruleset,
    /// Its names, in the language of the page.
    pub words: &'a Words<'a>,
    /// What happened, each game for itself too.
    pub tally: &'a Tally,
    /// How the players played.
    pub policy: &'a str,
    /// The seed of the first game.
    pub seed: u64,
}

/// Factor of a standard error that holds 95 of 100 cases.
const SURE: f64 = 1.96;

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
                        ", " (self.words.say("players:", "gracze:")) " " (self.ruleset.players())
                        ", " (self.words.say("games:", "partie:")) " " (tally.games)
                        " (" (self.policy) ", " (self.words.say("from seed", "od ziarna")) " " (self.seed) ")"
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
            p { (format!("{:.1} ± {:.1}", self.tally.length.mean(), self.tally.length.deviation())) }
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
        let wins: Vec<Bar> = (0..tally.scores.len())
            .map(|seat| {
                let won: u64 = tally
                    .each
                    .iter()
                    .filter(|one| one.winners.iter().any(|won| usize::from(*won) == seat))
                    .map(|one| WIN / to_u64(one.winners.len().max(1)))
                    .sum();
                let part = float(won) / float(WIN) / games;
                Bar {
                    name: format!("p{}", seat + 1),
                    value: 100.0 * part,
                    uncertain: 100.0 * SURE * (part * (1.0 - part) / games).sqrt(),
                }
            })
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
                    th { } th { (self.words.say("mean", "średnio")) } th { (self.words.say("deviation", "odchylenie")) }
                    th { (self.words.say("least", "najmniej")) } th { (self.words.say("most", "najwięcej")) }
                    th { (self.words.say("wins", "zwycięstwa")) }
                }
                @for (seat, (score, win)) in tally.scores.iter().zip(&wins).enumerate() {
                    tr {
                        th { "p" (seat + 1) }
                        td { (format!("{:.1}", score.mean())) } td { (format!("{:.1}", score.deviation())) }
                        td { (score.range().0) } td { (score.range().1) }
                        td { (format!("{:.1} ± {:.1} %", win.value, win.uncertain)) }
                    }
                }
            }
            (PreEscaped(histogram(scores, self.words.say("points", "punkty"), &series)))
            (PreEscaped(bars(seats, "%", &wins)))
        }
    }

    fn endings(&self) -> Markup {
        let games = float(self.tally.games.max(1));
        let model = self.ruleset.model();
        let ends: Vec<Bar> = model
            .endings
            .iter()
            .zip(&self.tally.endings)
            .map(|(ending, count)| {
                let part = float(*count) / games;
                Bar {
                    name: self.words.ending(&ending.name),
                    value: 100.0 * part,
                    uncertain: 100.0 * SURE * (part * (1.0 - part) / games).sqrt(),
                }
            })
            .collect();
        let title = self.words.say(
            "How games ended, in per cent",
            "Jak kończyły się partie, w procentach",
        );
        html! {
            h2 { (title) }
            table { @for end in &ends {
                tr { th { (end.name) } td { (format!("{:.1} ± {:.1} %", end.value, end.uncertain)) } }
            } }
            (PreEscaped(bars(title, "%", &ends)))
        }
    }

    /// Use and worth of the rows of each table that anybody used.
    fn rows(&self) -> Markup {
        let games = float(self.tally.games.max(1));
        let model = self.ruleset.model();
        let fair = 100.0 / f64::from(model.players.max(1));
        let used = |uses: &&RowUse| uses.named > 0 || uses.placed > 0;
        html! {
            @for (table, uses) in model.tables.iter().zip(&self.tally.rows) {
                @if uses.iter().any(|one| used(&one)) {
                    h2 { (self.words.say("Use and worth:", "Użycie i wartość:")) " " (table.plural) }
                    table {
                        tr {
                            th { }
                            th { (self.words.say("named by moves", "w ruchach")) }
                            th { (self.words.say("with players, per game", "u graczy na koniec, na partię")) }
                            th { (self.words.say("holders' wins", "zwycięstwa posiadaczy")) }
                            th { (self.words.say("holders' score", "punkty posiadaczy")) }
                        }
                        @for (row, one) in table.rows.iter().zip(uses) {
                            tr {
                                th { (self.words.row(&table.name, row)) }
                                td { (one.named) } td { (format!("{:.2}", float(one.placed) / games)) }
                                @if one.holders > 0 {
                                    td { (format!("{:.1} %", 100.0 * one.won())) }
                                    td { (format!("{:.1}", one.score())) }
                                } @else { td { "–" } td { "–" } }
                            }
                        }
                    }
                    @let worth: Vec<Bar> = table.rows.iter().zip(uses)
                        .filter(|(_, one)| one.holders > 0)
                        .map(|(row, one)| Bar {
                            name: self.words.row(&table.name, row),
                            value: 100.0 * one.won() - fair,
                            uncertain: 100.0 * SURE * (one.won() * (1.0 - one.won()) / float(one.holders)).sqrt(),
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
                    tr { th { (mv.address) } td { (count) } td { (format!("{:.2}", float(*count) / games)) } }
                }
            }
        }
    }
}
