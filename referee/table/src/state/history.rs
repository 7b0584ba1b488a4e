//! What happened, as each audience counts it.
//!
//! Every audience has numbers of its own, without gaps, so that nothing can be read from them. A
//! [`Cursor`] is a place in that order, and how far the match's own history had come there.
//!
//! A history is mostly the game's own. Between its events stands what happened at the table, and when
//! moves are taken back, what they were stays: nothing that was told is ever untold.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::play::{Audience, Cause, Event, Happening, Match, Origin, Seat};

use referee_store::log::v1::{Maker, Place, TableChanged, table_changed::Kind};
use referee_store::numbers::to_u64;

/// A place in an audience's history: between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// How far the match's own history had come; never shown to a client in clear.
    pub happened: u64,
    /// How many events this audience had seen; the number of its next event.
    pub number: u64,
}

/// Something that an audience saw.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// In the game.
    Game(Told<'a>),
    /// At the table; and how many changes at the table were told before it.
    Table(&'a TableChanged, u64),
}

/// Something in the game that an audience saw.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// What.
    pub event: &'a Event,
    /// The rule that brought it.
    pub cause: Option<&'a Cause>,
    /// Who made the move, if it is one that the referee made in a player's place.
    pub maker: Maker,
    /// How many moves had been told, this one too if it is one. Those that were taken back are among them.
    pub moves: u64,
}

/// What happened in a match, beside the log of the game that is played now.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// In order, without gaps.
    pieces: Arc<Vec<Piece>>,
    /// Where the game that is played now goes on from, and which of its own events is the first there.
    tail: (u64, u64),
    /// How many moves of that game were made before that event.
    tail_moves: u64,
    /// What was told before the game that is played now goes on.
    told: Place,
    /// Who made moves in players' places: by their places in the history.
    makers: Arc<BTreeMap<u64, Maker>>,
}

#[derive(Clone, Debug)]
struct Piece {
    start: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Events of a game: of the one that is played now, or of one that was before moves were taken back.
    Game {
        gone: Option<Arc<Match>>,
        from: u64,
        to: u64,
        /// The numbers of its first move here, and of the first behind.
        moves: (u64, u64),
    },
    /// Something at the table.
    Table(TableChanged),
}

impl Piece {
    fn end(&self) -> u64 {
        match &self.what {
            What::Game { from, to, .. } => self.start + (to - from),
            What::Table(_) => self.start + 1,
        }
    }
}

impl History {
    /// How much has happened.
    pub fn length(&self, game: &Match) -> u64 {
        self.tail.0 + to_u64(game.happened()).saturating_sub(self.tail.1)
    }

    /// Closes the piece of the game that goes up to its `happened`th event and so many moves, and adds what happened
    /// then.
    pub fn note(&mut self, happened: u64, moves: u64, change: TableChanged) {
        self.close(happened, moves);
        self.told.changes += 1;
        let start = self.tail.0;
        Arc::make_mut(&mut self.pieces).push(Piece {
            start,
            what: What::Table(change),
        });
        self.tail.0 += 1;
    }

    fn close(&mut self, happened: u64, moves: u64) {
        let (start, from) = self.tail;
        if happened > from {
            let what = What::Game {
                gone: None,
                from,
                to: happened,
                moves: (self.tail_moves, moves),
            };
            Arc::make_mut(&mut self.pieces).push(Piece { start, what });
            self.tail = (start + (happened - from), happened);
            self.told.moves += moves.saturating_sub(self.tail_moves);
            self.tail_moves = moves;
        }
    }

    /// Everything that was told, in moves and changes at the table: a place that stays what it is whatever else
    /// becomes an event.
    pub fn told(&self, game: &Match) -> Place {
        Place {
            moves: self.told.moves + to_u64(game.moves().len()).saturating_sub(self.tail_moves),
            changes: self.told.changes,
        }
    }

    /// How much had happened when so much was told: up to the next move or change at the table.
    fn happened_at(&self, game: &Match, place: Place) -> u64 {
        let mut left = place;
        for piece in self.pieces.iter() {
            match &piece.what {
                What::Table(_) => match left.changes.checked_sub(1) {
                    Some(changes) => left.changes = changes,
                    None => return piece.start,
                },
                What::Game {
                    gone, from, moves, ..
                } => {
                    if left.moves < moves.1 - moves.0 {
                        let game = gone.as_deref().unwrap_or(game);
                        let at = place_of_move(game, moves.0 + left.moves);
                        return piece.start + at.saturating_sub(*from);
                    }
                    left.moves -= moves.1 - moves.0;
                }
            }
        }
        let at = place_of_move(game, self.tail_moves + left.moves);
        self.tail.0 + at.saturating_sub(self.tail.1)
    }

    /// What had been told when so much had happened; the piece in which that is, is the `first`th.
    fn told_at(&self, game: &Match, happened: u64, first: usize) -> Place {
        let mut told = Place::default();
        for piece in &self.pieces[..first] {
            match &piece.what {
                What::Table(_) => told.changes += 1,
                What::Game { moves, .. } => told.moves += moves.1 - moves.0,
            }
        }
        let (game, start, from, first_move) = match self.pieces.get(first) {
            Some(Piece {
                start,
                what: What::Game {
                    gone, from, moves, ..
                },
            }) => (gone.as_deref().unwrap_or(game), *start, *from, moves.0),
            Some(_) => return told,
            None => (game, self.tail.0, self.tail.1, self.tail_moves),
        };
        let place = index(from + happened.saturating_sub(start));
        let before = to_u64(game.moves().before(place));
        told.moves += before.saturating_sub(first_move);
        told
    }

    /// Another game goes on from here: what the old one showed stays.
    pub fn change_game(&mut self, old: &Arc<Match>, new: &Match) {
        self.close(to_u64(old.happened()), to_u64(old.moves().len()));
        for piece in Arc::make_mut(&mut self.pieces) {
            if let What::Game { gone, .. } = &mut piece.what {
                gone.get_or_insert_with(|| old.clone());
            }
        }
        self.tail.1 = to_u64(new.happened());
        self.tail_moves = to_u64(new.moves().len());
    }

    /// Remembers who made the first move from the game's `happened`th event on.
    pub fn made_by(&mut self, game: &Match, happened: u64, maker: Maker) {
        if maker == Maker::Unspecified {
            return;
        }
        let from = usize::try_from(happened).unwrap_or(usize::MAX);
        let mut moves = game.seen(Audience::Referee, from);
        let made = moves.find(|(_, event)| matches!(event, Event::Moved { .. }));
        if let Some((at, _)) = made {
            let place = self.tail.0 + to_u64(at).saturating_sub(self.tail.1);
            Arc::make_mut(&mut self.makers).insert(place, maker);
        }
    }

    /// Remembers who made the move that is the `happened`th event of the game that is played now.
    pub fn made_at(&mut self, happened: u64, maker: Maker) {
        let place = match happened.checked_sub(self.tail.1) {
            Some(after) => self.tail.0 + after,
            None => {
                let holds = |piece: &&Piece| matches!(&piece.what, What::Game { gone: None, from, to, .. } if (*from..*to).contains(&happened));
                let Some(piece) = self.pieces.iter().find(holds) else {
                    return;
                };
                let What::Game { from, .. } = &piece.what else {
                    return;
                };
                piece.start + (happened - from)
            }
        };
        Arc::make_mut(&mut self.makers).insert(place, maker);
    }

    /// Tells at most `limit` events from a cursor on, one after the other, each with its number for the audience; gives
    /// the cursor after them.
    pub fn read(
        &self,
        game: &Match,
        audience: Audience,
        from: Cursor,
        limit: usize,
        tell: impl FnMut(u64, Seen<'_>),
    ) -> Cursor {
        let first = self
            .pieces
            .partition_point(|piece| piece.end() <= from.happened);
        let mut reading = Reading {
            tell,
            at: from,
            left: limit,
            makers: &self.makers,
            told: self.told_at(game, from.happened, first),
        };
        for piece in &self.pieces[first..] {
            let more = match &piece.what {
                What::Table(change) => {
                    let told = reading.told.changes;
                    reading.told.changes += 1;
                    reading.tell(piece.start, Seen::Table(change, told))
                }
                What::Game { gone, from, to, .. } => {
                    let game = gone.as_deref().unwrap_or(game);
                    reading.game(game, audience, piece.start, *from, *to)
                }
            };
            if !more {
                return reading.at;
            }
        }
        let end = to_u64(game.happened());
        if reading.game(game, audience, self.tail.0, self.tail.1, end) {
            // What follows unseen is passed over, so that a reader at the end is at the end.
            reading.at.happened = reading.at.happened.max(self.length(game));
        }
        reading.at
    }
}

/// A moment at which the table waited for somebody.
pub(super) struct Moment<'a> {
    /// The game that was played then.
    pub game: &'a Match,
    /// How many of its moves had been made.
    pub moves: usize,
    /// Where that is in the history of an audience.
    pub cursor: Cursor,
}

/// A stretch of a history that is events of one game.
struct Stretch<'a> {
    game: &'a Match,
    start: u64,
    from: u64,
    to: u64,
    moves: (u64, u64),
}

impl Stretch<'_> {
    /// How many of its events up to one of the game's an audience sees.
    fn count(&self, audience: Audience, to: usize) -> u64 {
        let mut counts = vec![0; usize::from(self.game.ruleset().configuration().players) + 1];
        let at = place(audience, counts.len() - 1);
        self.game.count_seen(index(self.from)..to, &mut counts);
        counts.get(at).copied().unwrap_or(0)
    }
}

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

impl History {
    /// The stretches of games in order; none stands for a change at the table, with whether another game goes on behind it.
    fn stretches<'a>(
        &'a self,
        game: &'a Match,
    ) -> impl Iterator<Item = Result<Stretch<'a>, (u64, bool)>> {
        let pieces = self.pieces.iter().map(move |piece| match &piece.what {
            What::Table(change) => {
                let other = matches!(
                    change.kind,
                    Some(Kind::MovesUndone(_) | Kind::RulesetChanged(_))
                );
                Err((piece.start, other))
            }
            What::Game {
                gone,
                from,
                to,
                moves,
            } => Ok(Stretch {
                game: gone.as_deref().unwrap_or(game),
                start: piece.start,
                from: *from,
                to: *to,
                moves: *moves,
            }),
        });
        let tail = Stretch {
            game,
            start: self.tail.0,
            from: self.tail.1,
            to: to_u64(game.happened()),
            moves: (self.tail_moves, to_u64(game.moves().len())),
        };
        pieces.chain([Ok(tail)])
    }

    /// The last moment at which the table waited for somebody and an audience had been told of no more events than these;
    /// the first moment of all, if there is none so early.
    pub(super) fn moment<'a>(
        &'a self,
        game: &'a Match,
        audience: Audience,
        number: u64,
    ) -> Moment<'a> {
        let mut told = 0;
        let mut last: Option<Moment<'a>> = None;
        // Another game goes on from here.
        let mut turned = false;
        for stretch in self.stretches(game) {
            let stretch = match stretch {
                Ok(stretch) => stretch,
                Err((start, other)) => {
                    if told == number && last.is_some() {
                        break;
                    }
                    told += 1;
                    turned |= other;
                    if let Some(last) = &mut last {
                        last.cursor = Cursor {
                            happened: start + 1,
                            number: told,
                        };
                    }
                    continue;
                }
            };
            let (game, start, from) = (stretch.game, stretch.start, stretch.from);
            if std::mem::take(&mut turned) {
                last = Some(Moment {
                    game,
                    moves: index(stretch.moves.0),
                    cursor: Cursor {
                        happened: start,
                        number: told,
                    },
                });
            }
            let all = stretch.count(audience, index(stretch.to));
            if told + all <= number {
                told += all;
                last = Some(Moment {
                    game,
                    moves: index(stretch.moves.1),
                    cursor: Cursor {
                        happened: start + (stretch.to - from),
                        number: told,
                    },
                });
                continue;
            }
            // The first event that it had not been told of.
            let mut seen = game.seen(audience, index(from));
            let beyond = seen.nth(index(number - told));
            let beyond = beyond.map_or(stretch.to, |(at, _)| to_u64(at));
            let asked = |at: &u64| {
                let made = game.moves().from(index(*at)).next();
                made.is_some_and(|made| made.origin == Origin::Player)
            };
            let made = to_u64(game.moves().before(index(beyond).saturating_add(1)));
            let behind = (stretch.moves.0..made).rev().find(asked);
            if let Some(moves) = behind {
                let place = place_of_move(game, moves);
                last = Some(Moment {
                    game,
                    moves: index(moves),
                    cursor: Cursor {
                        happened: start + place.saturating_sub(from),
                        number: told + stretch.count(audience, index(place)),
                    },
                });
            }
            break;
        }
        last.unwrap_or_else(|| self.first_moment(game, audience))
    }

    /// The moment behind the set-up.
    fn first_moment<'a>(&'a self, game: &'a Match, audience: Audience) -> Moment<'a> {
        let first = self.stretches(game).find_map(Result::ok);
        let first = first.map(|first| {
            let place = place_of_move(first.game, 0);
            Moment {
                game: first.game,
                moves: 0,
                cursor: Cursor {
                    happened: first.start + place,
                    number: first.count(audience, index(place)),
                },
            }
        });
        first.unwrap_or(Moment {
            game,
            moves: 0,
            cursor: Cursor::default(),
        })
    }
}

/// Where a move stands in a game, or the end if it was not made.
fn place_of_move(game: &Match, number: u64) -> u64 {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    to_u64(game.place_of_move(number).unwrap_or(game.happened()))
}

impl History {
    /// Adds how many events [`read`](Self::read) gives each audience from a place on.
    fn count(&self, game: &Match, happened: u64, counts: &mut [u64]) {
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let in_game = |game: &Match, start: u64, from: u64, to: u64, counts: &mut [u64]| {
            let first = from + happened.saturating_sub(start);
            game.count_seen(index(first)..index(to), counts);
        };
        let first = self.pieces.partition_point(|piece| piece.end() <= happened);
        for piece in &self.pieces[first..] {
            match &piece.what {
                What::Table(_) => counts.iter_mut().for_each(|count| *count += 1),
                What::Game { gone, from, to, .. } => {
                    let game = gone.as_deref().unwrap_or(game);
                    in_game(game, piece.start, *from, *to, counts);
                }
            }
        }
        let end = to_u64(game.happened());
        in_game(game, self.tail.0, self.tail.1, end, counts);
    }
}

struct Reading<'a, F> {
    tell: F,
    at: Cursor,
    /// How many may still be told.
    left: usize,
    makers: &'a BTreeMap<u64, Maker>,
    /// What was told before it.
    told: Place,
}

impl<F: FnMut(u64, Seen<'_>)> Reading<'_, F> {
    /// Tells one, unless there were enough.
    fn tell(&mut self, place: u64, seen: Seen<'_>) -> bool {
        let Some(left) = self.left.checked_sub(1) else {
            return false;
        };
        self.left = left;
        (self.tell)(self.at.number, seen);
        self.at = Cursor {
            happened: place + 1,
            number: self.at.number + 1,
        };
        true
    }

    /// Reads the events `from..to` of a game, the first of which stands at `start` in the history.
    fn game(&mut self, game: &Match, audience: Audience, start: u64, from: u64, to: u64) -> bool {
        let first = from + self.at.happened.saturating_sub(start);
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        for Happening { at, event, cause } in game.happenings(audience, first) {
            let happened = to_u64(at);
            if happened >= to {
                break;
            }
            let place = start + (happened - from);
            let mut maker = Maker::Unspecified;
            if let Event::Moved { .. } = event {
                maker = self.makers.get(&place).copied().unwrap_or_default();
                self.told.moves += 1;
            }
            let told = Told {
                event: &event,
                cause,
                maker,
                moves: self.told.moves,
            };
            if !self.tell(place, Seen::Game(told)) {
                return false;
            }
        }
        true
    }
}

/// The audiences of a match: its seats, then the spectators.
fn place(audience: Audience, seats: usize) -> usize {
    match audience {
        Audience::Seat(Seat(seat)) => usize::from(seat),
        Audience::Spectator | Audience::Referee => seats,
    }
}

/// How much each audience has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    happened: u64,
    /// By [`place`].
    seen: Vec<u64>,
}

impl Ends {
    /// Counts on from earlier ends to where the match is now.
    pub fn advance(&self, history: &History, game: &Match, seats: u8) -> Ends {
        let mut ends = self.clone();
        ends.seen.resize(usize::from(seats) + 1, 0);
        history.count(game, self.happened, &mut ends.seen);
        ends.happened = history.length(game);
        ends
    }

    /// An audience's place among all of them.
    pub fn place(&self, audience: Audience) -> usize {
        place(audience, self.seen.len().saturating_sub(1))
    }

    /// The cursor of an audience where so much was told.
    pub fn at(&self, history: &History, game: &Match, audience: Audience, place: Place) -> Cursor {
        let happened = history.happened_at(game, place);
        let mut later = vec![0; self.seen.len()];
        history.count(game, happened, &mut later);
        let end = self.cursor(audience);
        let later = later.get(self.place(audience)).copied().unwrap_or(0);
        Cursor {
            happened,
            number: end.number.saturating_sub(later),
        }
    }

    /// Where this audience's history ends.
    pub fn cursor(&self, audience: Audience) -> Cursor {
        let at = self.place(audience);
        Cursor {
            happened: self.happened,
            number: self.seen.get(at).copied().unwrap_or(0),
        }
    }
}
