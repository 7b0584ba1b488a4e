//! A match as a text that a rules person can read: rounds, phases, moves, what followed, the table
//! after each round, the score sheet; on pages of forty lines, each of which tells where it is.
//!
//! What a step does by itself, at the end of a round for instance, is told as that step, not as part of the move before
//! it. Each move and each step has its clause, once a page in words.
//!
//! It is made from the events of a match and the table before its first step, and knows no game:
//! a *round* is whatever phase the phase `game` visits. It tells everything, secrets included, so it
//! is for finished matches and for authors.

mod excerpt;
pub mod parts;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Language;
use interpreter::play::{
    ApplyError, Audience, Cause, Event, Game, Id, Match, Move, Origin, Outcome, Seat, Seed, Value,
};
use interpreter::program::ids::{IndexVec, PhaseId};
use interpreter::program::model::{BodyModel, Model, StepModel};

use super::prose::wrapped;
use super::words::Words;
use parts::{Kind, Parts, Things};
use referee_library::players::{PlayedBy, Random};
use table::Table;

pub use excerpt::excerpt;

/// Width of the text.
const WIDTH: usize = 110;

/// A game that was played to be told.
pub struct Told {
    /// The match, over unless there is a fault.
    pub game: Match,
    /// Why it is not over.
    pub fault: Option<String>,
}

/// Plays the random game of a seed: the same that a play-out of this seed is.
///
/// # Errors
///
/// A fault of the ruleset before the first question.
pub fn random_game(ruleset: &Arc<Ruleset>, seed: u64) -> Result<Told, String> {
    let mut player = Random::new(seed, 0);
    let game = Match::new(ruleset.clone(), Seed::from_number(seed), false);
    // As in a play-out of this seed.
    let mut game = game.map_err(|fault| fault.to_string())?.drawing();
    let by = PlayedBy::default();
    let fault = go_on(&mut game, by, &mut player, &mut |_| {});
    Ok(Told { game, fault })
}

/// Plays a match until it is over, showing it after every move; gives the fault that ended it before.
pub fn go_on(
    game: &mut Match,
    by: PlayedBy,
    player: &mut Random,
    seen: &mut dyn FnMut(&Match),
) -> Option<String> {
    loop {
        let seat = game.quickest(&mut || player.word())?;
        let Some(mv) = by.choose(game, seat, player) else {
            return Some(format!("p{} is asked and has no move", seat.0 + 1));
        };
        match game.apply(seat, &mv) {
            Ok(()) => {}
            Err(ApplyError::Fault(fault)) => return Some(fault.to_string()),
            Err(ApplyError::Refused(_)) => {
                return Some(format!("`{}` is offered and refused", mv.name));
            }
        }
        if let Err(broken) = game.verify() {
            return Some(broken);
        }
        seen(game);
    }
}

/// What is shown of the table after each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Everything.
    Whole,
    /// After the set-up everything, later the lines that are new since the round before: for games of
    /// very many rounds.
    News,
}

/// The transcript of a match that was played from its set-up, and by whom it was.
pub fn transcript(game: &Match, by: PlayedBy, language: Language, tables: Tables) -> String {
    parts(game, by, language, tables, &|_| Things::new()).text()
}

/// The transcript in its parts. Each knows of which `things` the events tell that it is of, by the number of the event.
fn parts(
    game: &Match,
    by: PlayedBy,
    language: Language,
    tables: Tables,
    things: &dyn Fn(usize) -> Things,
) -> Parts {
    let ruleset = game.ruleset();
    // Nothing is drawn before the first step, so any seed shows the table as it stands in the box.
    let box_lid = Game::new(ruleset.clone(), Seed::from_number(0), false, false);
    let words = Words::new(ruleset.package(), language);
    let mut teller = Teller {
        words,
        model: ruleset.model(),
        depths: depths(ruleset.model()),
        table: Table::new(&box_lid.view(Audience::Referee)),
        tables,
        shown: Vec::new(),
        counts: BTreeMap::new(),
        often: BTreeMap::new(),
        open: None,
        followed: Vec::new(),
        made: None,
        things,
        followed_things: Things::new(),
        depth: 0,
        above: Vec::new(),
        parts: Parts::of(language),
    };
    teller.tell(game, by);
    teller.parts
}

/// The lines that are new, a player's below that player's name.
fn news(lines: &[(usize, String)], before: &[(usize, String)]) -> Vec<(usize, String)> {
    let before = owned(before);
    let mut news = Vec::new();
    let mut heading = None;
    for (line, owned) in lines.iter().zip(owned(lines)) {
        let new = !before.contains(&owned);
        if line.0 == 0 {
            heading = (!new).then(|| line.clone());
        }
        if new {
            news.extend(heading.take());
            news.push(line.clone());
        }
    }
    news
}

/// Lines with whose they are: two players may have the same.
fn owned(lines: &[(usize, String)]) -> Vec<(String, usize, &str)> {
    let mut owner = String::new();
    let owned = lines.iter().map(|(depth, text)| {
        if *depth == 0 {
            text.split(':')
                .next()
                .unwrap_or_default()
                .clone_into(&mut owner);
        }
        (owner.clone(), *depth, text.as_str())
    });
    owned.collect()
}

/// How deeply each phase is nested: `game` is 0, what it visits 1.
fn depths(model: &Model) -> IndexVec<PhaseId, usize> {
    fn visited(model: &Model, steps: &[StepModel], out: &mut Vec<PhaseId>) {
        for step in steps {
            visited(model, &step.at_start, out);
            visited(model, &step.before_turn, out);
            match &step.body {
                BodyModel::Visit { phase, .. } => out.push(*phase),
                BodyModel::Play { table, .. } => {
                    out.extend(
                        model
                            .plays
                            .iter()
                            .filter(|((of, _), _)| of == table)
                            .map(|(_, phase)| *phase),
                    );
                }
                BodyModel::Steps(steps) => visited(model, steps, out),
                BodyModel::Effect(_) | BodyModel::Ask(_) | BodyModel::End { .. } => {}
            }
            visited(model, &step.after_turn, out);
        }
    }
    let mut depths = model.phases.map(|_| usize::MAX);
    let game = model.phases.position(|phase| &*phase.name == "game");
    let mut next = Vec::from_iter(game);
    let mut depth = 0;
    while !next.is_empty() {
        let mut inner = Vec::new();
        for phase in next {
            if depths[phase] > depth {
                depths[phase] = depth;
                visited(model, &model.phases[phase].steps, &mut inner);
            }
        }
        next = inner;
        depth += 1;
    }
    depths
}

/// What one rule brought.
struct Followed {
    cause: Option<Cause>,
    texts: Vec<String>,
    /// Clauses that are named in the texts.
    named: Vec<Id>,
}

struct Teller<'a> {
    words: Words<'a>,
    model: &'a Model,
    depths: IndexVec<PhaseId, usize>,
    table: Table,
    tables: Tables,
    /// The table as it was shown last.
    shown: Vec<(usize, String)>,
    /// How often each outermost phase has begun.
    counts: BTreeMap<String, u32>,
    /// How often each phase begins in all.
    often: BTreeMap<String, u32>,
    /// The heading of the outermost phase under way.
    open: Option<String>,
    /// What followed the last move, not yet written.
    followed: Vec<Followed>,
    /// The last move, as the rule that it is.
    made: Option<Id>,
    /// Of what an event tells.
    things: &'a dyn Fn(usize) -> Things,
    /// The same of what followed.
    followed_things: Things,
    depth: usize,
    /// How deep the phases lie that are interrupted.
    above: Vec<usize>,
    parts: Parts,
}

impl Teller<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let lines = laid_out(depth, text);
        self.parts.push_str(&lines);
    }

    /// What a clause says, below what it is the clause of.
    fn clause(&mut self, depth: usize, cite: &Id) {
        if let Some(text) = self.words.clause(cite) {
            let lines = laid_out(depth, &format!("§ {text}"));
            self.parts.cite(cite, lines);
        }
    }

    fn tell(&mut self, game: &Match, by: PlayedBy) {
        let package = game.ruleset().package();
        let players = self.words.say("players", "graczy");
        let polish = self.words.language() == Language::Polish;
        let title = format!(
            "{} {}, {} {players}; {} {}",
            self.words.text(&package.titles),
            package.version,
            self.model.players,
            self.words.say("played", "grane"),
            by.told(polish)
        );
        self.parts.begin(Kind::Title);
        self.line(0, &title);
        let happened: Vec<(Event, Option<Cause>)> = game
            .happenings(Audience::Referee, 0)
            .map(|happening| (happening.event, happening.cause.cloned()))
            .collect();
        let (events, causes): (Vec<Event>, Vec<Option<Cause>>) = happened.into_iter().unzip();
        for event in &events {
            if let Event::PhaseBegan { phase, .. } = event {
                *self.often.entry(phase.to_string()).or_default() += 1;
            }
        }
        let mut at = 0;
        while let (Some(event), Some(cause)) = (events.get(at), causes.get(at)) {
            let told = match event {
                // What two rules brought is told apart.
                Event::Pieces { .. } => {
                    let same = causes[at..].iter().take_while(|other| *other == cause);
                    self.pieces(&events[at..at + same.count()], cause.as_ref())
                }
                Event::Moved {
                    origin: Origin::Forced,
                    ..
                } => self.forced(&events[at..], cause.as_ref()),
                event => {
                    self.event(event, cause.as_ref());
                    1
                }
            };
            let things = (at..at + told).flat_map(self.things);
            match event {
                Event::Moved { .. } | Event::PhaseBegan { .. } => self.parts.touch(things),
                _ => self.followed_things.extend(things),
            }
            at += told;
        }
        self.flush();
        self.close();
        match game.outcome() {
            Some(outcome) => self.outcome(&outcome),
            None => {
                let asked: Vec<String> = game
                    .waiting()
                    .into_iter()
                    .map(|seat| self.words.seat(seat))
                    .collect();
                let text = format!(
                    "{}: {}",
                    self.words.say("asked now", "teraz pytany"),
                    asked.join(", ")
                );
                self.parts.begin(Kind::End);
                self.parts.push_str("\n");
                self.line(0, &text);
            }
        }
    }

    /// Adds to what followed the last move. What another step brings than what was told before is a part of its own.
    fn follow(&mut self, cause: Option<&Cause>, text: String, named: Option<&Id>) {
        let known = self.followed.last().map(|last| last.cause.as_ref());
        if known != Some(cause) {
            let step = cause.and_then(|cause| self.step_of(cause));
            if step.is_some() {
                self.flush();
            }
            self.followed.push(Followed {
                cause: cause.cloned(),
                texts: Vec::new(),
                named: Vec::new(),
            });
        }
        if let Some(last) = self.followed.last_mut() {
            last.texts.push(text);
            last.named.extend(named.cloned());
        }
    }

    /// The phase of a step that does something by itself; none of the last move, of a component, and of what follows an
    /// event.
    fn step_of(&self, cause: &Cause) -> Option<PhaseId> {
        if self.made.as_ref() == Some(&cause.rule) {
            return None;
        }
        let (phase, _) = cause.rule.split_once('.')?;
        self.model.phases.position(|known| *known.name == *phase)
    }

    /// Pieces that go the same way are told together; gives how many events that was.
    fn pieces(&mut self, events: &[Event], cause: Option<&Cause>) -> usize {
        let (told, text) = self.words.pieces(events);
        for event in &events[..told] {
            if let Event::Pieces {
                from,
                to,
                row: Some(row),
                count,
            } = event
            {
                let n = i64::from(count.unwrap_or(1));
                self.table.moved(from, to, row, n);
            }
        }
        self.follow(cause, text, None);
        told
    }

    fn event(&mut self, event: &Event, cause: Option<&Cause>) {
        let mut named = None;
        match event {
            Event::PhaseBegan { phase, args } => self.phase(phase, args),
            // What comes next is no longer of what was done in it.
            Event::PhaseEnded { .. } => {
                self.flush();
                self.depth = self.above.pop().unwrap_or_default();
            }
            Event::Moved { seat, step, mv, .. } => {
                let text = self.words.moved(&[*seat], step, mv, false);
                self.moved(&text, cause);
            }
            Event::Counter {
                counter,
                to: Some(to),
                ..
            } => self.table.counted(counter, *to),
            Event::Marker {
                marker,
                to: Some(to),
            } => self.table.marked(marker, to),
            Event::EndingDue { cite, .. } => named = cite.as_ref(),
            _ => {}
        }
        if let Some(text) = self.words.followed(event) {
            let cited = named.map_or_else(String::new, |cite| format!(" @{cite}"));
            self.follow(cause, format!("{text}{cited}"), named);
        }
    }

    /// How deep a phase lies: 1 is what `game` visits. A phase that only a trigger begins is visited by no step: it
    /// stands below what is under way.
    fn depth_of(&self, phase: Option<PhaseId>) -> usize {
        phase.map_or(0, |number| match self.depths[number] {
            usize::MAX => self.depth.max(1) + 1,
            depth => depth,
        })
    }

    fn phase(&mut self, phase: &str, args: &[(Id, Value)]) {
        self.flush();
        let depth = self.depth_of(self.model.phases.position(|p| *p.name == *phase));
        let name = self.words.phase(phase);
        match depth {
            0 => {}
            1 => {
                self.close();
                let count = self.counts.entry(phase.to_owned()).or_default();
                *count += 1;
                let mut heading = name;
                if self.often.get(phase).is_some_and(|often| *often > 1) {
                    heading = format!("{heading} {count}");
                }
                let heading = self.words.begun(heading, args);
                self.parts.begin_heading(0, &heading);
                self.parts.push_str("\n");
                self.line(0, &format!("════ {heading} ════"));
                self.open = Some(heading);
            }
            depth => {
                let text = self.words.begun(name, args);
                self.parts.begin_heading(depth - 1, &text);
                self.line(depth - 2, &format!("── {text}"));
            }
        }
        self.above
            .push(std::mem::replace(&mut self.depth, depth.max(1)));
    }

    /// The same forced move of several players after one another is told once; gives how many events
    /// that was.
    fn forced(&mut self, events: &[Event], cause: Option<&Cause>) -> usize {
        let mut seats: Vec<Seat> = Vec::new();
        let mut first: Option<(&Id, &Move)> = None;
        for event in events {
            let Event::Moved {
                seat,
                step,
                mv,
                origin: Origin::Forced,
            } = event
            else {
                break;
            };
            let (of, like) = *first.get_or_insert((step, mv));
            if self.words.made(of, like) != self.words.made(step, mv) {
                break;
            }
            seats.push(*seat);
        }
        if let Some((step, mv)) = first {
            let text = self.words.moved(&seats, step, mv, true);
            self.moved(&text, cause);
        }
        seats.len().max(1)
    }

    fn moved(&mut self, text: &str, cause: Option<&Cause>) {
        self.flush();
        let depth = self.depth.max(1);
        self.parts.begin_move(depth);
        self.rule(depth - 1, text, cause.and_then(|cause| cause.cite.as_ref()));
        self.made = cause.map(|cause| cause.rule.clone());
    }

    /// A move or a step with its clause.
    fn rule(&mut self, depth: usize, text: &str, cite: Option<&Id>) {
        let cited = cite.map_or_else(String::new, |cite| format!(" @{cite}"));
        self.line(depth, &format!("{text}{cited}"));
        if let Some(cite) = cite {
            self.clause(depth + 2, cite);
        }
    }

    /// Writes what followed the last move.
    fn flush(&mut self) {
        for followed in std::mem::take(&mut self.followed) {
            let text = followed.texts.join("; ");
            let cause = followed.cause.as_ref();
            let cite = cause.and_then(|cause| cause.cite.as_ref());
            let step = cause.and_then(|cause| Some((cause, self.step_of(cause)?)));
            let depth = match step {
                Some((cause, phase)) => {
                    let depth = self.depth_of(Some(phase)).max(1);
                    self.parts.begin_move(depth);
                    self.rule(depth - 1, &self.words.step(&cause.rule), cite);
                    depth
                }
                None => {
                    // What a phase begins with can be told without its heading, and that without it.
                    let depth = self.depth.max(1);
                    self.parts.begin_below_heading(depth);
                    depth
                }
            };
            let of_another =
                cause.filter(|cause| step.is_none() && self.made.as_ref() != Some(&cause.rule));
            match of_another {
                Some(cause) => {
                    let name = self.words.any_row(&cause.rule);
                    let name = name.unwrap_or_else(|| self.words.event(&cause.rule));
                    let cited = cite.map_or_else(String::new, |cite| format!(" @{cite}"));
                    self.line(depth + 1, &format!("· {name}{cited}: {text}"));
                    if let Some(cite) = cite {
                        self.clause(depth + 2, cite);
                    }
                }
                None => self.line(depth + 1, &format!("· {text}")),
            }
            for cite in &followed.named {
                self.clause(depth + 2, cite);
            }
        }
        self.parts.touch(std::mem::take(&mut self.followed_things));
    }

    /// Ends the outermost phase under way: shows the table.
    fn close(&mut self) {
        let Some(heading) = self.open.take() else {
            return;
        };
        let lines = self.table.lines(&self.words, self.model);
        let before = std::mem::replace(&mut self.shown, lines.clone());
        let whole = self.tables == Tables::Whole || before.is_empty();
        let after = match whole {
            true => self.words.say("the table after", "stół po:"),
            false => self
                .words
                .say("new on the table after", "nowe na stole po:"),
        };
        self.parts.begin(Kind::Table);
        self.parts.push_str("\n");
        let title = format!("── {after} {heading}");
        self.line(0, &title);
        let lines = if whole { lines } else { news(&lines, &before) };
        for (depth, text) in lines {
            self.line(depth + 1, &text);
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        self.parts.begin(Kind::End);
        self.parts.push_str("\n");
        let end = format!("════ {} ════", self.words.say("the end", "koniec"));
        self.line(0, &end);
        let mut why = self.words.ending(&outcome.ending);
        if let Some(cite) = &outcome.cite {
            why = format!(
                "{why} @{cite}: {}",
                self.words.clause(cite).unwrap_or_default()
            );
        }
        self.line(0, &why);
        self.parts.push_str("\n");
        self.parts.push_str(&sheet(outcome, &self.words));
        let winners: Vec<String> = outcome
            .winners
            .iter()
            .map(|seat| self.words.seat(*seat))
            .collect();
        let word = match winners.len() {
            1 => self.words.say("winner", "zwycięzca"),
            _ => self.words.say("winners", "zwycięzcy"),
        };
        self.parts.push_str("\n");
        let text = format!("{word}: {}", winners.join(", "));
        self.line(0, &text);
    }
}

/// A text in lines, what does not fit on the first further in.
fn laid_out(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth);
    let mut lines = String::new();
    for (i, line) in wrapped(text, WIDTH - indent.len() - 4)
        .into_iter()
        .enumerate()
    {
        lines.push_str(&indent);
        if i > 0 {
            lines.push_str("    ");
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

/// The score sheets side by side.
pub fn sheet(outcome: &Outcome, words: &Words<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for line in outcome.scores.iter().flat_map(|sheet| &sheet.lines) {
        if !names.contains(&&*line.name) {
            names.push(&line.name);
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut head = vec![String::new()];
    head.extend(outcome.scores.iter().map(|sheet| words.seat(sheet.seat)));
    rows.push(head);
    for name in names {
        let mut row = vec![words.score(name)];
        for sheet in &outcome.scores {
            let line = sheet.lines.iter().find(|line| &*line.name == name);
            row.push(line.map_or_else(|| "–".to_owned(), |line| line.points.to_string()));
        }
        rows.push(row);
    }
    let mut totals = vec![words.say("total", "razem").to_owned()];
    totals.extend(outcome.scores.iter().map(|sheet| sheet.total.to_string()));
    rows.push(totals);
    let ties = outcome
        .scores
        .first()
        .map_or(0, |sheet| sheet.tie_breaks.len());
    for tie in 0..ties {
        let mut row = vec![words.say("tie-break", "rozstrzygnięcie remisu").to_owned()];
        row.extend(outcome.scores.iter().map(|sheet| {
            sheet
                .tie_breaks
                .get(tie)
                .map_or_else(String::new, i64::to_string)
        }));
        rows.push(row);
    }
    let first = rows
        .iter()
        .filter_map(|row| row.first())
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let mut cells = row.into_iter();
        let name = cells.next().unwrap_or_default();
        let gap = " ".repeat(first - name.chars().count());
        text.push_str(&format!("{name}{gap}"));
        for cell in cells {
            text.push_str(&format!("{cell:>6}"));
        }
        text.push('\n');
    }
    text
}
