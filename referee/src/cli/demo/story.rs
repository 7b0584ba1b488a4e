//! Turns what a spectator sees into lines that a player would say.
//!
//! One line for each role that is played: who chose it, what everybody did, what they gained and
//! lost. The events name everything by ids; the ruleset's catalogue has the words.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::out::say;
use super::super::style::{BAD, FAINT, HEAD, PLAYERS, STRONG, paint};
use super::bots::Attempt;
use super::script::Script;
use super::words::Words;
use referee_contract::v1::{self, event::Kind};
use referee_store::numbers::to_usize;

/// Columns of text.
const WIDTH: usize = 110;
/// Columns before the deeds of a line.
const INDENT: usize = 24;
/// Columns before what everybody has.
const STANDING: usize = 6;

/// Tells a match line by line.
pub struct Story<'a> {
    script: &'a Script,
    words: &'a Words,
    players: Vec<String>,
    pace: Duration,
    round: u32,
    first: Option<u32>,
    /// What each seat has, by counter or table.
    holdings: BTreeMap<(u32, String), i64>,
    /// The first event that is not in `holdings` already.
    from: u64,
    line: Line,
    /// What was tried and refused, until its player makes the move that it was tried instead of.
    attempts: Vec<Attempt>,
    /// How many moves each seat has made itself.
    moves: BTreeMap<u32, u64>,
}

/// The line that is being put together.
#[derive(Default)]
struct Line {
    /// Who chose, and what.
    head: Option<(u32, String)>,
    /// Its beginning was told already.
    begun: bool,
    deeds: Vec<Deed>,
}

/// What somebody did or got.
struct Deed {
    seat: u32,
    what: String,
    /// Rows that `what` names: getting one of them needs no further word.
    named: Vec<String>,
    changes: Vec<(String, i64)>,
}

impl<'a> Story<'a> {
    /// Between these players, who begin at the table of this view. Of what was before it, only
    /// the beginning of the first round is told.
    pub fn new(
        script: &'a Script,
        words: &'a Words,
        players: Vec<String>,
        pace: Duration,
        table: &v1::View,
    ) -> Story<'a> {
        let mut story = Story {
            script,
            words,
            players,
            pace,
            round: 0,
            first: None,
            holdings: BTreeMap::new(),
            from: table.event_count,
            line: Line::default(),
            attempts: Vec::new(),
            moves: BTreeMap::new(),
        };
        for marker in &table.markers {
            if let (Some(at), Some(value)) = (&marker.marker, &marker.value) {
                story.marked(at, value);
            }
        }
        for counter in &table.counters {
            if let (Some(seat), Some(value)) = (owner(counter.counter.as_ref()), counter.value) {
                let name = counter
                    .counter
                    .as_ref()
                    .map(|counter| counter.name.clone())
                    .unwrap_or_default();
                story.holdings.insert((seat, name), value);
            }
        }
        for place in &table.places {
            if let (Some(seat), Some(size)) = (owner(place.place.as_ref()), place.size) {
                *story
                    .holdings
                    .entry((seat, place.table.clone()))
                    .or_default() += i64::from(size);
            }
        }
        story
    }

    fn player(&self, seat: u32) -> String {
        let index = to_usize(seat.saturating_sub(1));
        let name = self.players.get(index).map_or("?", String::as_str);
        paint(PLAYERS[index % PLAYERS.len()], name)
    }

    /// Tells an event; often that waits until its line is complete.
    pub async fn tell(&mut self, event: v1::Event) {
        match event.kind {
            Some(Kind::PhaseBegan(began)) if began.phase == self.script.round => self.round().await,
            _ if event.number < self.from => {}
            Some(Kind::MoveMade(made)) => self.made(made).await,
            Some(Kind::PiecesMoved(moved)) => self.moved(moved),
            Some(Kind::CounterChanged(changed)) => self.changed(changed),
            Some(Kind::MarkerSet(set)) => {
                if let (Some(marker), Some(value)) = (set.marker, set.value) {
                    self.marked(&marker, &value);
                }
            }
            Some(Kind::EndingDue(due)) => {
                self.finish_line().await;
                let why = self.words.of("ending", &due.ending);
                self.say(&format!(
                    "  {}",
                    paint(STRONG, format!("The end is near: {why}"))
                ))
                .await;
            }
            _ => {}
        }
    }

    /// Hears what somebody tried and was refused. It is told before the move that this player made then, so that
    /// it stands where it happened, however fast the news came.
    pub fn hear(&mut self, attempt: Attempt) {
        self.attempts.push(attempt);
    }

    async fn refused(&self, attempt: &Attempt) {
        let Attempt {
            seat,
            step,
            mv,
            refusal,
            ..
        } = attempt;
        let tried = self.words.move_in_full(step, mv);
        let mut lines = vec![format!(
            "  {} {} tries to {tried}",
            paint(BAD, "✗"),
            self.player(*seat)
        )];
        if let Some(clause) = &refusal.clause {
            let text = clause.text.as_ref().map_or("", |text| text.within("en"));
            lines.push(format!(
                "      refused by {}: {text}",
                paint(STRONG, &clause.id)
            ));
        }
        let values = refusal.values.iter().filter_map(|compared| {
            let label = compared.label.as_ref().map(|label| label.within("en"));
            let what = label.unwrap_or(&compared.expression);
            match compared.value.as_ref()?.kind {
                Some(v1::value::Kind::Integer(n)) => Some(format!("{what} is {n}")),
                Some(v1::value::Kind::Boolean(b)) => Some(format!("{what} is {b}")),
                _ => None,
            }
        });
        let values: Vec<String> = values.collect();
        let values = if values.is_empty() {
            String::new()
        } else {
            format!(" ({})", values.join(", "))
        };
        lines.push(format!(
            "      because this fails: {}{values}",
            refusal.condition
        ));
        let instead = refusal.alternatives.iter().take(3);
        let instead: Vec<String> = instead
            .map(|mv| self.words.move_in_full(step, mv))
            .collect();
        if !instead.is_empty() {
            lines.push(format!("      allowed would be: {}", instead.join("; ")));
        }
        lines.push(paint(
            FAINT,
            "      nothing has changed, the question is the same",
        ));
        for line in lines {
            self.say(&line).await;
        }
    }

    /// Tells what is left.
    pub async fn end(&mut self) {
        self.finish_line().await;
        self.standing().await;
    }

    async fn round(&mut self) {
        self.finish_line().await;
        self.standing().await;
        self.round += 1;
        let first = self
            .first
            .map(|seat| {
                let first = self.words.of("marker", &self.script.first);
                format!(", {} is {first}", self.player(seat))
            })
            .unwrap_or_default();
        self.say(&format!(
            "\n{}{first}",
            paint(HEAD, format!("Round {}", self.round))
        ))
        .await;
    }

    /// What everybody has after a round.
    async fn standing(&mut self) {
        if self.round == 0 {
            return;
        }
        let has = |seat: u32, what: &str| {
            self.holdings
                .get(&(seat, what.to_owned()))
                .copied()
                .unwrap_or(0)
        };
        let mut all = Vec::new();
        for (seat, player) in (1..).zip(&self.players) {
            let standing = &self.script.standing;
            let counters = standing.counters.iter();
            let mut parts: Vec<String> = counters
                .map(|c| format!("{} {}", self.words.of("counter", c), has(seat, c)))
                .collect();
            let pieces = standing.tables.iter();
            parts.extend(
                pieces.map(|table| format!("{} {}", self.words.plural(table), has(seat, table))),
            );
            all.push(format!("{player}: {}", parts.join(", ")));
        }
        for line in wrap(&all, WIDTH - STANDING) {
            self.say(&format!("{:STANDING$}{}", "", paint(FAINT, line)))
                .await;
        }
    }

    fn marked(&mut self, marker: &v1::PlaceRef, value: &v1::Value) {
        if marker.name == self.script.first
            && let Some(v1::value::Kind::Seat(seat)) = value.kind
        {
            self.first = Some(seat);
        }
    }

    async fn made(&mut self, made: v1::MoveMade) {
        let moves = self.moves.entry(made.seat).or_default();
        let before = *moves;
        let is_own = made.origin() == v1::MoveOrigin::Player;
        *moves += u64::from(is_own);
        let now =
            |attempt: &Attempt| is_own && attempt.seat == made.seat && attempt.after == before;
        let (tried, later) = std::mem::take(&mut self.attempts)
            .into_iter()
            .partition(now);
        self.attempts = later;
        for attempt in &tried {
            self.pause_line().await;
            self.refused(attempt).await;
        }
        let mv = made.r#move.unwrap_or_default();
        if mv.name == self.script.opens {
            self.finish_line().await;
            self.line.head = Some((made.seat, self.words.move_in_short(&made.step, &mv)));
            return;
        }
        if mv.name == "pass" {
            return;
        }
        let named = mv.arguments.iter().filter_map(|argument| {
            match argument.value.as_ref()?.kind.as_ref()? {
                v1::value::Kind::Row(row) => Some(self.words.row(&row.table, &row.row)),
                _ => None,
            }
        });
        let named = named.collect();
        let nothing = mv.arguments.iter().any(|argument| {
            let kind = argument
                .value
                .as_ref()
                .and_then(|value| value.kind.as_ref());
            matches!(kind, Some(v1::value::Kind::Bag(bag)) if bag.counts.is_empty())
        });
        let what = if nothing {
            String::new()
        } else {
            self.words.move_in_short(&made.step, &mv)
        };
        self.line.deeds.push(Deed {
            seat: made.seat,
            what,
            named,
            changes: Vec::new(),
        });
    }

    fn moved(&mut self, moved: v1::PiecesMoved) {
        let (Some(row), Some(count)) = (moved.row, moved.count) else {
            return;
        };
        if self.script.quiet.contains(&row.table) {
            return;
        }
        let from = owner(moved.source.as_ref());
        let to = owner(moved.destination.as_ref());
        if from == to {
            return;
        }
        for (owner, by) in [(from, -i64::from(count)), (to, i64::from(count))] {
            if let Some(seat) = owner {
                *self.holdings.entry((seat, row.table.clone())).or_default() += by;
            }
        }
        let name = self.words.row(&row.table, &row.row);
        if let Some(seat) = from {
            self.change(seat, &name, -i64::from(count));
        }
        if let Some(seat) = to {
            self.change(seat, &name, i64::from(count));
        }
    }

    fn changed(&mut self, changed: v1::CounterChanged) {
        let Some(seat) = owner(changed.counter.as_ref()) else {
            return;
        };
        let (Some(from), Some(to), Some(counter)) =
            (changed.before, changed.after, changed.counter)
        else {
            return;
        };
        let name = self.words.of("counter", &counter.name);
        self.holdings.insert((seat, counter.name), to);
        self.change(seat, &name, to - from);
    }

    fn change(&mut self, seat: u32, what: &str, by: i64) {
        // What follows a choice belongs to the choice; set-up belongs to nobody's line.
        if self.line.head.is_none() {
            return;
        }
        // It follows from the last deed if that is this player's; else it is something that the phase
        // does to everybody, told once for each.
        let since = self
            .line
            .deeds
            .iter()
            .rposition(|deed| !deed.what.is_empty())
            .unwrap_or(0);
        let at = self
            .line
            .deeds
            .iter()
            .skip(since)
            .position(|deed| deed.seat == seat)
            .map(|at| at + since);
        let at = at.unwrap_or_else(|| {
            self.line.deeds.push(Deed {
                seat,
                what: String::new(),
                named: Vec::new(),
                changes: Vec::new(),
            });
            self.line.deeds.len() - 1
        });
        let deed = &mut self.line.deeds[at];
        match deed.changes.iter_mut().find(|(name, _)| name == what) {
            Some((_, sum)) => *sum += by,
            None => deed.changes.push((what.to_owned(), by)),
        }
    }

    async fn finish_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let Some((seat, role)) = line.head else {
            return;
        };
        let mut deeds = self.deeds(&line.deeds);
        if deeds.is_empty() && !line.begun {
            deeds.push(paint(FAINT, "nobody does anything"));
        }
        if !deeds.is_empty() {
            self.tell_line(seat, &role, &deeds, line.begun).await;
        }
    }

    /// Tells the line under way as far as it has come; what follows is told below it.
    async fn pause_line(&mut self) {
        let deeds = std::mem::take(&mut self.line.deeds);
        let deeds = self.deeds(&deeds);
        if let Some((seat, role)) = self.line.head.clone()
            && !(deeds.is_empty() && self.line.begun)
        {
            self.tell_line(seat, &role, &deeds, self.line.begun).await;
            self.line.begun = true;
        }
    }

    fn deeds(&self, deeds: &[Deed]) -> Vec<String> {
        deeds.iter().filter_map(|deed| self.deed(deed)).collect()
    }

    async fn tell_line(&self, seat: u32, role: &str, deeds: &[String], goes_on: bool) {
        let name = self
            .players
            .get(to_usize(seat.saturating_sub(1)))
            .map_or(0, |name| name.chars().count());
        let gap = " ".repeat(9usize.saturating_sub(name));
        let head = if goes_on {
            " ".repeat(INDENT)
        } else {
            let role = paint(STRONG, format!("{role:<13}"));
            format!("  {}{gap}{role}", self.player(seat))
        };
        let mut lines = wrap(deeds, WIDTH - INDENT).into_iter();
        self.say(&format!("{head}{}", lines.next().unwrap_or_default()))
            .await;
        for more in lines {
            self.say(&format!("{:INDENT$}{more}", "")).await;
        }
    }

    fn deed(&self, deed: &Deed) -> Option<String> {
        let changes = deed.changes.iter().filter(|(name, by)| {
            let said = *by == 1 && deed.named.contains(name);
            *by != 0 && !said
        });
        let changes: Vec<String> = changes.map(|(name, by)| format!("{name} {by:+}")).collect();
        let player = self.player(deed.seat);
        match (deed.what.is_empty(), changes.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("{player}: {}", changes.join(", "))),
            (false, true) => Some(format!("{player}: {}", deed.what)),
            (false, false) => Some(format!("{player}: {} ({})", deed.what, changes.join(", "))),
        }
    }

    async fn say(&self, line: &str) {
        say(line);
        if !self.pace.is_zero() {
            tokio::time::sleep(self.pace).await;
        }
    }
}

/// The player to whom a place or counter belongs: the first seat of its index.
fn owner(place: Option<&v1::PlaceRef>) -> Option<u32> {
    place?.index.iter().find_map(|value| match value.kind {
        Some(v1::value::Kind::Seat(seat)) => Some(seat),
        _ => None,
    })
}

/// Puts parts into lines, none of them broken.
fn wrap(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for part in parts {
        let columns = anstream::adapter::strip_str(part)
            .to_string()
            .chars()
            .count();
        match lines.last_mut() {
            Some((line, filled)) if *filled + columns + 3 <= width => {
                line.push_str(" · ");
                line.push_str(part);
                *filled += columns + 3;
            }
            _ => lines.push((part.clone(), columns)),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}
