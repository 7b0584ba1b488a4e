//! `referee play`: a match at the terminal, against bots or each other.
//!
//! A seat of a person sees what its player would see at the table: its view, its events, what its moves
//! do as far as it can know. [`session`] holds the match, [`choices`] numbers its moves, [`reading`]
//! understands what is typed, [`reasons`] explains refusals, [`input`] reads lines from a terminal or a pipe.

pub mod choices;
mod input;
mod reading;
pub mod reasons;
pub mod session;

use std::path::PathBuf;

use interpreter::diagnostic::did_you_mean;
use interpreter::play::{Seat, Seed};

use super::format::Lang;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::policy::{Player, SearchArgs};
use super::ruleset::RulesetArgs;
use choices::Choices;
use input::Input;
use referee_library::record::{Kept, seat, seat_name};
use referee_report::board::board;
use referee_report::event_lines::{EventLine, EventLines};
use referee_report::prose::wrapped;
use referee_report::transcript::sheet;
use referee_report::words::Words;
use session::Session;

/// Arguments of `play`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Type the number of a move, or `help`. `why not <move>` explains by its clause why a move is not legal, \
`undo` takes your last move back, `save <file>` keeps the match.

Examples:
  referee play puerto-rico
  referee play san-juan --players 3 --seat p2 --lang pl
  referee play puerto-rico --with nobles --seed 7
  referee play puerto-rico --seat p1,p2 --players 2        two people at one terminal
  referee play puerto-rico --record evening.yaml           goes on where the file ends, and keeps it
  referee play san-juan --bots search --iterations 1000    bots that think before they move
  printf '1\\n1\\nquit\\n' | referee play puerto-rico       a script plays

Exit codes: 0 played or stopped, 1 the ruleset has mistakes or the game failed, 2 it could not be played.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Number of players [default: the fewest that the ruleset allows]
    #[arg(long, value_name = "N")]
    pub players: Option<u8>,
    /// The seats of people; bots sit on the others
    #[arg(
        long = "seat",
        value_name = "SEAT",
        value_delimiter = ',',
        default_value = "p1"
    )]
    pub seats: Vec<String>,
    /// How bots play
    #[arg(long, value_enum, default_value_t)]
    pub bots: Player,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub search: SearchArgs,
    /// The deal [default: a new one]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Keep the match in this file; if it is there, go on where it ends
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The language at the table
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read, or a record cannot be gone on with.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let policy = args.bots.policy("--bots", args.search)?;
    let mut chosen = args.ruleset.open()?;
    let kept = match &args.record {
        Some(path) if path.exists() => Some(read(path)?),
        _ => None,
    };
    let mut asked = args.players;
    if let Some(kept) = &kept {
        // The record says with what it was played; house rules are folders and must be named again.
        if asked.is_some_and(|players| players != kept.players) {
            return Err(Failure::Usage(format!(
                "the record is of a match of {} players; leave `--players` out",
                kept.players
            )));
        }
        asked = Some(kept.players);
        for module in &kept.modules {
            if !chosen.modules.contains(module) {
                chosen.modules.push(module.clone());
            }
        }
        chosen.options.extend(kept.options.clone());
    }
    let Some(ruleset) = chosen.compiled(asked, out)? else {
        return Ok(Exit::Bad);
    };
    let people = match &kept {
        Some(kept) => kept.seats(),
        None => seats(&args.seats, ruleset.model().players)?,
    };
    let mut session = match &kept {
        Some(kept) => kept
            .record(&ruleset)
            .map_err(|error| error.to_string())
            .and_then(|record| Session::resume(ruleset.clone(), &record, people))
            .map_err(Failure::Usage)?,
        None => {
            let seed = match args.seed {
                Some(number) => Seed::from_number(number),
                None => Seed(referee_store::secrets::entropy()?),
            };
            match Session::new(ruleset.clone(), seed, people) {
                Ok(session) => session,
                Err(fault) => {
                    out.error(format_args!("the table cannot be set up: {fault}"));
                    return Ok(Exit::Bad);
                }
            }
        }
    };
    session.seat_bots(policy);
    let words = Words::new(ruleset.package(), args.lang.into());
    let mut host = Host::new(session, words, args.record.clone());
    host.welcome(out)?;
    host.play(&mut Input::standard(), out)
}

fn read(path: &std::path::Path) -> Result<Kept, Failure> {
    let wrong =
        |why: &dyn std::fmt::Display| Failure::Usage(format!("`{}`: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    Kept::read(&text).map_err(|error| wrong(&error))
}

fn seats(named: &[String], players: u8) -> Result<Vec<Seat>, Failure> {
    let mut seats = Vec::new();
    for name in named {
        let found = seat(name).filter(|seat| seat.0 < players);
        let found = found.ok_or_else(|| {
            Failure::Usage(format!(
                "there is no seat `{name}`: there are p1 to p{players}"
            ))
        })?;
        if !seats.contains(&found) {
            seats.push(found);
        }
    }
    Ok(seats)
}

/// A command that a person typed.
pub enum Typed {
    /// An empty line.
    Nothing,
    /// Show the commands.
    Help,
    /// Stop the game.
    Quit,
    /// Take back the last move.
    Undo,
    /// Show the table again.
    Table,
    /// Show the moves again.
    Moves,
    /// Show the latest events.
    Log,
    /// Let a bot make this move.
    Auto,
    /// Let other seats that are asked act first.
    Wait,
    /// Save the match to this file.
    Save(String),
    /// Show the text of this clause.
    Clause(String),
    /// Explain why this move is not legal.
    WhyNot(String),
    /// Make this move.
    Move(String),
}

/// Parses a line that a person typed, in either language.
pub fn understood(line: &str) -> Typed {
    let line = line.trim();
    let lower = line.to_lowercase();
    let after = |words: &[&str]| {
        words.iter().find_map(|word| {
            let rest = lower.strip_prefix(word)?;
            (rest.is_empty() || rest.starts_with(' '))
                .then(|| line[line.len() - rest.len()..].trim().to_owned())
        })
    };
    if let Some(rest) = after(&[
        "why not",
        "why",
        "czemu nie",
        "dlaczego nie",
        "dlaczego",
        "czemu",
    ]) {
        return Typed::WhyNot(rest);
    }
    if let Some(rest) = after(&["save", "zapisz"]) {
        return Typed::Save(rest);
    }
    if let Some(rest) = after(&["clause", "klauzula", "rule", "zasada"]) {
        return Typed::Clause(rest.trim_start_matches('@').to_owned());
    }
    if let Some(clause) = line.strip_prefix('@') {
        return Typed::Clause(clause.to_owned());
    }
    match lower.as_str() {
        "" => Typed::Nothing,
        "help" | "?" | "h" | "pomoc" => Typed::Help,
        "quit" | "exit" | "q" | "koniec" | "wyjdź" => Typed::Quit,
        "undo" | "u" | "cofnij" => Typed::Undo,
        "table" | "t" | "stół" => Typed::Table,
        "moves" | "m" | "ruchy" => Typed::Moves,
        "log" | "l" | "dziennik" => Typed::Log,
        "auto" | "a" | "sam" => Typed::Auto,
        "wait" | "w" | "czekaj" => Typed::Wait,
        _ => Typed::Move(line.to_owned()),
    }
}

/// Lines of the past that `log` shows.
const PAST: usize = 40;

/// What somebody wants next.
enum Next {
    /// The position has changed, or others shall act.
    Go,
    /// Ask again.
    Again,
    /// Stop.
    Stop,
}

/// The screen of a match at a terminal.
pub struct Host<'a> {
    session: Session,
    words: Words<'a>,
    record: Option<PathBuf>,
    /// How much of what happened was told.
    told: usize,
    /// For whom the table was drawn last.
    shown: Option<Seat>,
}

impl<'a> Host<'a> {
    /// Creates the screen of a session, whose match is kept in a file if one is named.
    pub fn new(session: Session, words: Words<'a>, record: Option<PathBuf>) -> Host<'a> {
        Host {
            session,
            words,
            record,
            told: 0,
            shown: None,
        }
    }

    fn welcome(&self, out: &mut Out<'_>) -> Result<(), Failure> {
        let ruleset = self.session.game().ruleset();
        let package = ruleset.package();
        let mut title = format!("{} {}", self.words.text(&package.titles), package.version);
        for module in &package.layers {
            title = format!("{title} + {}", self.words.text(&module.titles));
        }
        writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
        let bots: Vec<String> = (0..ruleset.players())
            .map(Seat)
            .filter(|seat| !self.session.people().contains(seat))
            .map(seat_name)
            .collect();
        let people: Vec<String> = self
            .session
            .people()
            .iter()
            .copied()
            .map(seat_name)
            .collect();
        let text = match bots.is_empty() {
            true => people.join(", "),
            false => format!(
                "{} {}; {} {}",
                self.words.say("you are", "grasz jako"),
                people.join(", "),
                self.words.say("bots are", "boty:"),
                bots.join(", ")
            ),
        };
        writeln!(
            out.data,
            "{text}. {}",
            self.words
                .say("Type `help` for help.", "Wpisz `pomoc`, aby uzyskać pomoc.")
        )?;
        Ok(())
    }

    fn play(&mut self, input: &mut Input, out: &mut Out<'_>) -> Result<Exit, Failure> {
        loop {
            if self.session.game().outcome().is_some() {
                let first = self.session.people().first().copied();
                self.tell(first, out)?;
                self.over(out)?;
                self.keep(out);
                return Ok(Exit::Clean);
            }
            let Some(seat) = self.session.next() else {
                out.error("nobody is asked anything and the game is not over");
                return Ok(Exit::Bad);
            };
            if !self.session.people().contains(&seat) {
                if let Err(why) = self.session.bot(seat) {
                    out.error(format_args!("{}: {why}", seat_name(seat)));
                    return Ok(Exit::Bad);
                }
                continue;
            }
            self.tell(Some(seat), out)?;
            self.draw(seat, out)?;
            let choices = Choices::new(self.session.game(), seat);
            self.moves(&choices, out)?;
            loop {
                let prompt = format!("{}> ", seat_name(seat));
                let Some(line) = input.line(&prompt, out)? else {
                    self.keep(out);
                    return Ok(Exit::Clean);
                };
                match self.typed(seat, &choices, &line, input, out)? {
                    Next::Go => break,
                    Next::Again => {}
                    Next::Stop => {
                        self.keep(out);
                        return Ok(Exit::Clean);
                    }
                }
            }
            self.keep(out);
        }
    }

    fn typed(
        &mut self,
        seat: Seat,
        choices: &Choices,
        line: &str,
        input: &mut Input,
        out: &mut Out<'_>,
    ) -> Result<Next, Failure> {
        match understood(line) {
            Typed::Nothing => {}
            Typed::Help => self.help(out)?,
            Typed::Quit => return Ok(Next::Stop),
            Typed::Undo => {
                if self.session.undo() {
                    self.told = self.session.game().happened();
                    self.shown = None;
                    return Ok(Next::Go);
                }
                let text = self
                    .words
                    .say("there is nothing to take back", "nie ma czego cofać");
                writeln!(out.data, "{text}")?;
            }
            Typed::Table => {
                self.shown = None;
                self.draw(seat, out)?;
            }
            Typed::Moves => self.moves(choices, out)?,
            Typed::Log => self.past(seat, out)?,
            Typed::Wait => {
                if self.session.wait(seat) {
                    return Ok(Next::Go);
                }
                let text = self
                    .words
                    .say("only you are asked", "tylko ty masz teraz ruch");
                writeln!(out.data, "{text}")?;
            }
            Typed::Auto => match self.session.bot_for(seat) {
                Ok(()) => return Ok(Next::Go),
                Err(why) => out.error(why),
            },
            Typed::Save(path) => self.save(&path, out),
            Typed::Clause(clause) => self.clause(&clause, out)?,
            Typed::WhyNot(text) => {
                let game = self.session.game();
                let lines = reasons::why_not(game, seat, choices, &self.words, &text);
                for line in lines {
                    for (i, part) in wrapped(&line, out.width).iter().enumerate() {
                        writeln!(out.data, "{}{part}", if i > 0 { "  " } else { "" })?;
                    }
                }
            }
            Typed::Move(text) => {
                let game = self.session.game();
                let read = reading::chosen(game, seat, choices, &self.words, &text);
                let mv = match read {
                    Ok(reading::Chosen::Move(mv)) => mv,
                    // Something remains to be chosen: it is asked for.
                    Ok(reading::Chosen::Open(number)) => {
                        let offer = &choices.offers[number];
                        let Some(mv) = self.completed(seat, offer, input, out)? else {
                            return Ok(Next::Again);
                        };
                        mv
                    }
                    Err(why) => {
                        writeln!(out.data, "{}", out.paint(Ink::Odd, why))?;
                        return Ok(Next::Again);
                    }
                };
                match self.session.play(seat, &mv) {
                    Ok(()) => return Ok(Next::Go),
                    Err(session::Stopped::Refused(refusal)) => {
                        let game = self.session.game();
                        for line in reasons::refusal(game, seat, &self.words, &refusal) {
                            writeln!(out.data, "{line}")?;
                        }
                    }
                    Err(session::Stopped::Fault(fault)) => out.error(format_args!(
                        "{}: {fault}",
                        self.words.say("the ruleset is faulty", "zasady są błędne")
                    )),
                }
            }
        }
        Ok(Next::Again)
    }

    /// Asks for what remains open in an offer; none if nothing was typed.
    fn completed(
        &self,
        seat: Seat,
        offer: &interpreter::play::Offer,
        input: &mut Input,
        out: &mut Out<'_>,
    ) -> Result<Option<interpreter::play::Move>, Failure> {
        let game = self.session.game();
        let mut args = offer.fixed.clone();
        for open in &offer.open {
            for line in reading::described(&self.words, open) {
                writeln!(out.data, "  {line}")?;
            }
            loop {
                let Some(line) = input.line("  … ", out)? else {
                    return Ok(None);
                };
                if line.trim().is_empty() {
                    return Ok(None);
                }
                match reading::open(&self.words, open, &line, game, seat) {
                    Ok(value) => {
                        args.push((open.name.clone(), value));
                        break;
                    }
                    Err(why) => writeln!(out.data, "  {}", out.paint(Ink::Odd, why))?,
                }
            }
        }
        Ok(Some(choices::in_order(game, seat, offer, args)))
    }

    /// Writes the events since the last call, as a seat or a spectator sees them.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn tell(&mut self, seat: Option<Seat>, out: &mut Out<'_>) -> Result<(), Failure> {
        let game = self.session.game();
        let audience = match seat {
            Some(seat) => interpreter::play::Audience::Seat(seat),
            None => interpreter::play::Audience::Spectator,
        };
        let events: Vec<_> = game
            .seen(audience, self.told)
            .map(|(_, event)| event)
            .collect();
        let told = EventLines::new(&self.words, game.ruleset().model());
        let lines = told.lines(&events);
        self.told = game.happened();
        writeln!(out.data)?;
        self.lines(&lines, out)
    }

    fn lines(&self, lines: &[EventLine], out: &mut Out<'_>) -> Result<(), Failure> {
        for line in lines {
            let (indent, ink, text) = match line {
                EventLine::Phase(name) => ("", Some(Ink::Heading), format!("── {name}")),
                EventLine::Moved(seat, text) => {
                    let mine = self.session.people().contains(seat);
                    let ink = mine.then_some(Ink::Added);
                    ("  ", ink, text.clone())
                }
                EventLine::Followed(text) => ("      ", Some(Ink::Dim), format!("· {text}")),
            };
            let room = out.width.saturating_sub(indent.len() + 2).max(30);
            for (i, part) in wrapped(&text, room).iter().enumerate() {
                let part = match ink {
                    Some(ink) => out.paint(ink, part),
                    None => part.clone(),
                };
                writeln!(out.data, "{indent}{}{part}", if i > 0 { "  " } else { "" })?;
            }
        }
        Ok(())
    }

    /// Draws the table as a seat sees it.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn draw(&mut self, seat: Seat, out: &mut Out<'_>) -> Result<(), Failure> {
        let game = self.session.game();
        // Somebody else looks at the same screen now.
        if self.session.people().len() > 1 && self.shown.is_some_and(|last| last != seat) {
            let text = format!(
                "{} {}",
                self.words.say("now it is the turn of", "teraz kolej na:"),
                seat_name(seat)
            );
            writeln!(out.data, "{}", out.paint(Ink::Odd, text))?;
        }
        let view = game.view(interpreter::play::Audience::Seat(seat));
        let text = board(&view, game.ruleset(), &self.words, Some(seat), out.width);
        writeln!(out.data, "\n{text}")?;
        self.shown = Some(seat);
        Ok(())
    }

    /// Writes the numbered moves.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn moves(&self, choices: &Choices, out: &mut Out<'_>) -> Result<(), Failure> {
        let step = self.words.step(&choices.step);
        let mut heading = format!("{}: {step}", seat_name(choices.seat));
        if let Some(cite) = &choices.cite {
            heading = format!("{heading}  @{cite}");
        }
        writeln!(out.data, "{}", out.paint(Ink::Heading, heading))?;
        let lines = choices.lines(self.session.game(), &self.words);
        let widest = lines
            .iter()
            .map(|(text, _)| text.chars().count())
            .max()
            .unwrap_or(0)
            .min(46);
        for (i, (text, effect)) in lines.iter().enumerate() {
            let gap = " ".repeat(widest.saturating_sub(text.chars().count()));
            let room = out.width.saturating_sub(widest + 9).max(30);
            let parts = wrapped(effect, room);
            let first = parts.first().map_or("", String::as_str);
            let left = format!("{:>4}  {text}{gap}", i + 1);
            writeln!(
                out.data,
                "{left}   {}",
                out.paint(Ink::Dim, first).trim_end()
            )?;
            for part in parts.iter().skip(1) {
                writeln!(
                    out.data,
                    "{}{}",
                    " ".repeat(widest + 9),
                    out.paint(Ink::Dim, part)
                )?;
            }
        }
        Ok(())
    }

    /// Writes the latest events of the whole match.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn past(&self, seat: Seat, out: &mut Out<'_>) -> Result<(), Failure> {
        let game = self.session.game();
        let events = game.events(interpreter::play::Audience::Seat(seat), 0);
        let lines = EventLines::new(&self.words, game.ruleset().model()).lines(&events);
        let from = lines.len().saturating_sub(PAST);
        self.lines(&lines[from..], out)
    }

    fn clause(&self, id: &str, out: &mut Out<'_>) -> Result<(), Failure> {
        match self.words.clause(id) {
            Some(text) => {
                for line in wrapped(&format!("@{id} {text}"), out.width) {
                    writeln!(out.data, "{line}")?;
                }
            }
            None => {
                let package = self.session.game().ruleset().package();
                let ids = package.rulebook.clauses.iter().map(|c| c.id.node.as_str());
                let near = did_you_mean(id, ids).map(|near| format!("; {near}"));
                let text = self.words.say("there is no clause", "nie ma klauzuli");
                writeln!(out.data, "{text} `{id}`{}", near.unwrap_or_default())?;
            }
        }
        Ok(())
    }

    fn help(&self, out: &mut Out<'_>) -> Result<(), Failure> {
        let text = self.words.say(
            "\
  3                 make move 3; what remains open is asked for
  3 2 corn 1 sugar  make move 3 and say at once what remains open
  why not <move>    why a move is not legal: `why not build wharf`, `why not 3`
  moves, table      show the moves or the table again
  log               what happened lately
  @<clause>         what a clause says
  undo              take back your last move, and all since then
  auto              let a bot make this move
  wait              let the others who are asked act first
  save <file>       keep the match; `referee play … --record <file>` goes on with it
  quit              stop",
            "\
  3                 wykonaj ruch 3; o to, co zostało do wyboru, padnie pytanie
  3 2 corn 1 sugar  wykonaj ruch 3 i od razu podaj resztę
  czemu nie <ruch>  dlaczego ruch jest niedozwolony: `czemu nie build wharf`, `czemu nie 3`
  ruchy, stół       pokaż jeszcze raz ruchy albo stół
  dziennik          co się ostatnio działo
  @<klauzula>       co mówi klauzula
  cofnij            cofnij swój ostatni ruch i wszystko, co było potem
  sam               niech ten ruch wykona bot
  czekaj            niech najpierw odpowiedzą inni zapytani
  zapisz <plik>     zapisz partię; `referee play … --record <plik>` ją wznawia
  koniec            zakończ",
        );
        writeln!(out.data, "{text}")?;
        Ok(())
    }

    fn save(&self, path: &str, out: &mut Out<'_>) {
        if path.is_empty() {
            let _ = writeln!(
                out.data,
                "{}",
                self.words.say(
                    "save where? `save match.yaml`",
                    "gdzie? `zapisz partia.yaml`"
                )
            );
            return;
        }
        match std::fs::write(path, self.session.kept().write()) {
            Ok(()) => out.note(format_args!(
                "{} `{path}`",
                self.words.say("kept in", "zapisano w")
            )),
            Err(error) => out.error(format_args!("`{path}`: {error}")),
        }
    }

    /// Writes the record, if one was asked for.
    fn keep(&self, out: &mut Out<'_>) {
        if let Some(path) = &self.record
            && let Err(error) = std::fs::write(path, self.session.kept().write())
        {
            out.error(format_args!("`{}`: {error}", path.display()));
        }
    }

    fn over(&self, out: &mut Out<'_>) -> Result<(), Failure> {
        let game = self.session.game();
        let Some(outcome) = game.outcome() else {
            return Ok(());
        };
        let mut why = self.words.ending(&outcome.ending);
        if let Some(cite) = &outcome.cite {
            why = format!(
                "{why}  @{cite} {}",
                self.words.clause(cite).unwrap_or_default()
            );
        }
        writeln!(
            out.data,
            "\n{}",
            out.paint(Ink::Heading, self.words.say("The end", "Koniec"))
        )?;
        for line in wrapped(&why, out.width) {
            writeln!(out.data, "{line}")?;
        }
        writeln!(out.data, "\n{}", sheet(&outcome, &self.words))?;
        let winners: Vec<String> = outcome.winners.iter().copied().map(seat_name).collect();
        let word = match winners.len() {
            1 => self.words.say("winner", "zwycięzca"),
            _ => self.words.say("winners", "zwycięzcy"),
        };
        let text = format!("{word}: {}", winners.join(", "));
        writeln!(out.data, "{}", out.paint(Ink::Good, text))?;
        Ok(())
    }
}
