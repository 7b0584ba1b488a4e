//! Everything about a match but the game itself, as the entries of its log tell it.
//!
//! [`MatchInfo::tell`] is the only place that says what an entry means: the arbiter of a match uses it when
//! it writes an entry, and a restart when it reads one, so that both arrive at the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::package::Configuration;
use interpreter::play::{Digest, Seat, Seed};

use crate::Otherwise;
use crate::outages::Outages;
use crate::state::times::Times;
use referee_store::log::v1::{
    self, BotKind, Conclusion, ProposalKind, SeatEntropy, entry::Body, table_changed::Kind,
};
use referee_store::numbers::to_usize;
use referee_store::{Hash, MatchId, MatchState, Principal};

/// Everything about a match but the game itself. Every entry makes a new one, mostly with another time and nothing else:
/// what is large is shared with the one before.
#[derive(Clone)]
pub struct MatchInfo {
    /// Its id.
    pub id: MatchId,
    /// Its host.
    pub host: Principal,
    /// Its ruleset's id.
    pub ruleset: Arc<str>,
    /// Digest of the ruleset's texts.
    pub content: Hash,
    /// Digest of texts, configuration and engine version.
    pub digest: Digest,
    /// The digest that the seed's commitment is bound to.
    pub committed: Digest,
    /// Its configuration.
    pub configuration: Arc<Configuration>,
    /// Whether forced moves are asked.
    pub ask_forced: bool,
    /// Its seats.
    pub seats: Arc<Vec<SeatInfo>>,
    /// How far it is.
    pub state: MatchState,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: i64,
    /// The time of the latest entry.
    pub latest_ms: i64,
    /// When it was started.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// What was published of the seed.
    pub commitment: Arc<[u8]>,
    /// The seed, once the match is over.
    pub revealed: Option<Seed>,
    /// Why it cannot go on, for the host.
    pub suspended: Option<String>,
    /// Whether it cannot go on because its record is damaged.
    pub damaged: bool,
    /// Where it goes otherwise than it did, by the rules as this referee understands them.
    pub otherwise: Option<Otherwise>,
    /// Milliseconds that a player has for a question; zero is no limit.
    pub question_ms: u64,
    /// What else it was created with.
    pub terms: Arc<Terms>,
    /// Milliseconds that each seat has beside the time for a question, in their order; empty where there is no clock.
    pub banks: Vec<u64>,
    /// Since when the clock of the open questions runs.
    pub asked_ms: i64,
    /// Since when it runs for seats that were asked earlier, and have not answered since.
    pub asked_earlier: BTreeMap<Seat, i64>,
    /// Whether nobody moves.
    pub paused: bool,
    /// What is proposed.
    pub proposal: Option<Proposal>,
    /// How many proposals there were.
    pub proposals: u32,
    /// How often the past was changed: ids of decisions of before mean nothing after.
    pub laps: u64,
    /// How it ended.
    pub conclusion: Conclusion,
    /// Who won, if it ended otherwise than by its rules.
    pub winners: Vec<Seat>,
    /// How far spectators are behind the table.
    pub delay: Option<Delay>,
    /// What players add to the chance.
    pub entropy: SeatEntropy,
    /// What they have added.
    pub contributions: BTreeMap<Seat, Contribution>,
    /// Whether every player has agreed that spectators see all hands.
    pub hands_shown: bool,
    /// When moves were made, and what else happened at the table.
    pub times: Times,
}

/// What a match was created with that nobody changes, beside what is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Milliseconds that a seat has beside the time for a question, once.
    pub bank_ms: u64,
    /// Milliseconds that are added to a seat's bank whenever it has answered.
    pub increment_ms: u64,
    /// Whether a player may take back the last move alone.
    pub take_back: bool,
    /// Whether it starts by itself as soon as nothing is missing.
    pub starts_when_full: bool,
    /// Whether it is told to nobody who is there.
    pub hides_presence: bool,
    /// Where its host is told whose turn it is; empty if nowhere.
    pub turn_webhook: String,
    /// Whether anybody may watch it.
    pub public: bool,
    /// What whoever created it keeps with it.
    pub labels: BTreeMap<String, String>,
}

/// How a seat's time stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatClock {
    /// Whose.
    pub seat: Seat,
    /// When the referee moves in its place, in milliseconds of Unix time; none while it is not asked.
    pub deadline_ms: Option<i64>,
    /// What it has beside the time for a question, in milliseconds.
    pub bank_ms: u64,
}

/// What a player adds to the chance of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contribution {
    /// What it committed to.
    pub commitment: Option<Hash>,
    /// What it is.
    pub entropy: Option<Hash>,
}

/// How far spectators are behind the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// So many moves.
    Moves(u32),
    /// So many milliseconds.
    Milliseconds(u64),
}

/// A seat of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatInfo {
    /// What its player is called; none until it is claimed.
    pub player: Option<String>,
    /// Whether anybody may claim it without a code.
    pub open: bool,
    /// How the referee plays it, if it does.
    pub bot: Option<BotKind>,
    /// What its host calls the bot; may be empty.
    pub bot_name: String,
    /// Whether its player has resigned.
    pub resigned: bool,
    /// How often it was released: earlier claim codes claim nothing.
    pub laps: u32,
    /// How much its player has proposed.
    pub proposals: u32,
}

/// What somebody proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// What.
    pub kind: ProposalKind,
    /// Who.
    pub seat: Seat,
    /// How many moves; only of an undo.
    pub moves: u32,
    /// Who has agreed.
    pub agreed: Vec<Seat>,
}

/// When the referee acts by itself, where, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When, in milliseconds of Unix time.
    pub at_ms: i64,
    /// In whose place.
    pub seat: Seat,
    /// Why.
    pub maker: v1::Maker,
}

impl MatchInfo {
    /// A match of which nothing but its first entry is known; none if that makes no sense.
    pub fn begun(
        id: &MatchId,
        host: Principal,
        at: i64,
        created: &v1::Created,
    ) -> Option<MatchInfo> {
        let hash = |bytes: &[u8]| Hash::try_from(bytes).ok();
        let open = |seat| created.open_seats.contains(&seat);
        let seats = (0..created.players).map(|seat| SeatInfo {
            open: open(seat),
            ..SeatInfo::default()
        });
        Some(MatchInfo {
            id: id.clone(),
            host,
            ruleset: created.ruleset.as_str().into(),
            content: hash(&created.content)?,
            digest: Digest(hash(&created.digest)?),
            committed: Digest(hash(&created.digest)?),
            configuration: Arc::new(Configuration {
                players: u8::try_from(created.players).ok()?,
                modules: created.modules.clone(),
                options: created.options.clone(),
            }),
            ask_forced: created.ask_forced,
            seats: Arc::new(seats.collect()),
            state: MatchState::Lobby,
            created_ms: at,
            latest_ms: at,
            started_ms: None,
            ended_ms: None,
            commitment: created.seed_commitment.as_slice().into(),
            revealed: None,
            suspended: None,
            damaged: false,
            otherwise: None,
            question_ms: created.question_ms,
            banks: match created.question_ms {
                0 => Vec::new(),
                _ => (0..created.players).map(|_| created.bank_ms).collect(),
            },
            terms: Arc::new(Terms {
                bank_ms: created.bank_ms,
                increment_ms: created.increment_ms,
                take_back: created.take_back,
                starts_when_full: created.start_when_full,
                hides_presence: created.hide_presence,
                turn_webhook: created.turn_webhook.clone(),
                public: created.public,
                labels: created.labels.clone(),
            }),
            asked_ms: at,
            asked_earlier: BTreeMap::new(),
            paused: false,
            proposal: None,
            proposals: 0,
            laps: 0,
            conclusion: Conclusion::Unspecified,
            winners: Vec::new(),
            delay: match (created.spectator_delay_moves, created.spectator_delay_ms) {
                (0, 0) => None,
                (0, ms) => Some(Delay::Milliseconds(ms)),
                (moves, _) => Some(Delay::Moves(moves)),
            },
            entropy: match created.seat_entropy() {
                SeatEntropy::Unspecified => SeatEntropy::Welcome,
                said => said,
            },
            contributions: BTreeMap::new(),
            hands_shown: false,
            times: Times::default(),
        })
    }

    /// Takes in an entry after the first.
    pub fn tell(&mut self, at: i64, body: &Body) {
        self.latest_ms = self.latest_ms.max(at);
        match body {
            Body::Created(_) | Body::Migrated(_) => {}
            Body::SeatClaimed(claimed) => {
                if let Some(seat) = Arc::make_mut(&mut self.seats).get_mut(to_usize(claimed.seat)) {
                    seat.player = Some(claimed.display_name.clone());
                }
            }
            Body::Started(started) => {
                self.times.moved(at, started.moves.len());
                self.state = MatchState::Running;
                self.started_ms = Some(at);
                self.ask_anew(at);
            }
            Body::Moved(moved) => {
                self.times.moved(at, moved.moves.len());
                self.use_bank(moved);
                let still = moved.still_asked.iter().filter_map(|seat| {
                    let seat = Seat(u8::try_from(*seat).ok()?);
                    Some((seat, self.asked_since(seat)))
                });
                self.asked_earlier = still.collect();
                self.asked_ms = at;
            }
            Body::Finished(_) => self.end(at, Conclusion::Rules),
            Body::Suspended(suspended) => {
                self.state = MatchState::Suspended;
                self.suspended = Some(suspended.reason.clone());
            }
            Body::Noted(noted) => {
                if self.started_ms.is_some() {
                    self.times.changed(at);
                }
                self.note(at, noted);
            }
            Body::EntropyContributed(given) => {
                let seat = Seat(u8::try_from(given.seat).unwrap_or(u8::MAX));
                let known = self.contributions.entry(seat).or_default();
                let hash = |bytes: &[u8]| Hash::try_from(bytes).ok();
                known.commitment = hash(&given.commitment).or(known.commitment);
                known.entropy = hash(&given.entropy).or(known.entropy);
            }
        }
    }

    fn note(&mut self, at: i64, noted: &v1::Noted) {
        let Some(kind) = noted
            .change
            .as_ref()
            .and_then(|change| change.kind.as_ref())
        else {
            return;
        };
        match kind {
            Kind::ProposalMade(made) => {
                self.proposals += 1;
                if let Some(seat) = self.seat_mut(made.seat) {
                    seat.proposals += 1;
                }
                self.proposal = Some(Proposal {
                    id: made.proposal_id.clone(),
                    kind: made.kind(),
                    seat: inner(made.seat),
                    moves: made.moves,
                    agreed: vec![inner(made.seat)],
                });
            }
            Kind::ProposalAnswered(answered) => {
                if let Some(proposal) = self.proposal.as_mut().filter(|_| answered.agree) {
                    proposal.agreed.push(inner(answered.seat));
                    proposal.agreed.sort();
                }
            }
            Kind::ProposalClosed(_) => self.proposal = None,
            Kind::MatchPaused(_) => self.paused = true,
            Kind::MatchResumed(_) => {
                self.paused = false;
                self.ask_anew(at);
            }
            Kind::MovesUndone(_) => {
                self.laps += 1;
                self.ask_anew(at);
            }
            Kind::SeatResigned(resigned) => {
                if let Some(seat) = self.seat_mut(resigned.seat) {
                    seat.resigned = true;
                }
                self.ask_anew(at);
            }
            Kind::BotSeated(seated) => {
                self.forget_contribution(inner(seated.seat));
                let bot = seated.bot();
                if let Some(seat) = self.seat_mut(seated.seat) {
                    seat.bot = Some(bot);
                    seat.bot_name.clone_from(&seated.display_name);
                    seat.open = false;
                }
                self.ask_anew(at);
            }
            Kind::MatchConcluded(concluded) => {
                self.winners = concluded.winners.iter().copied().map(inner).collect();
                self.end(at, concluded.conclusion());
            }
            Kind::RulesetChanged(_) => {
                if let (Ok(content), Ok(digest)) =
                    (noted.content[..].try_into(), noted.digest[..].try_into())
                {
                    self.content = content;
                    self.digest = Digest(digest);
                }
                self.suspended = None;
                self.otherwise = None;
                self.laps += 1;
                self.ask_anew(at);
                self.state = match self.started_ms {
                    Some(_) => MatchState::Running,
                    None => MatchState::Lobby,
                };
            }
            Kind::SeatReleased(released) => {
                self.forget_contribution(inner(released.seat));
                if let Some(seat) = self.seat_mut(released.seat) {
                    *seat = SeatInfo {
                        laps: seat.laps + 1,
                        ..SeatInfo::default()
                    };
                }
            }
            Kind::SeatTaken(taken) => {
                if let Some(seat) = self.seat_mut(taken.seat) {
                    seat.player = Some(taken.display_name.clone());
                }
                // The new player has not agreed.
                self.hands_shown = false;
                self.ask_anew(at);
            }
            Kind::SeatLeft(left) => {
                self.forget_contribution(inner(left.seat));
                if let Some(seat) = self.seat_mut(left.seat) {
                    *seat = SeatInfo {
                        laps: seat.laps + 1,
                        open: seat.open,
                        ..SeatInfo::default()
                    };
                }
            }
            Kind::HandsShown(_) => self.hands_shown = true,
        }
    }

    /// Another sits down in the lobby. Where all commit first, all do so again: nobody commits who knows what
    /// the others contribute.
    fn forget_contribution(&mut self, seat: Seat) {
        if self.started_ms.is_some() {
            return;
        }
        match self.entropy {
            SeatEntropy::Committed => self.contributions.clear(),
            _ => drop(self.contributions.remove(&seat)),
        }
    }

    /// Seats without which the match does not start: their players have to contribute.
    pub fn entropy_missing(&self) -> Vec<Seat> {
        let has = |seat: &Seat| {
            let known = self.contributions.get(seat);
            known.is_some_and(|known| known.entropy.is_some())
        };
        match self.entropy {
            SeatEntropy::Unspecified | SeatEntropy::Welcome => Vec::new(),
            SeatEntropy::Required | SeatEntropy::Committed => {
                self.people().filter(|seat| !has(seat)).collect()
            }
        }
    }

    /// Seats that have yet to commit before anybody shows what it contributes; one that nobody has claimed may.
    pub fn uncommitted(&self) -> Vec<Seat> {
        let seats = self.seats.iter().zip(0..).map(|(seat, i)| (seat, Seat(i)));
        seats
            .filter(|(known, seat)| known.bot.is_none() && !self.contributions.contains_key(seat))
            .map(|(_, seat)| seat)
            .collect()
    }

    /// The seed that all chance is drawn from, if this is the referee's.
    pub fn game_seed(&self, seed: Seed) -> Seed {
        let given = self.contributions.iter();
        let given = given.filter_map(|(seat, known)| Some((*seat, known.entropy?)));
        crate::seed::of_the_game(&self.id, seed, given)
    }

    fn end(&mut self, at: i64, conclusion: Conclusion) {
        self.state = MatchState::Finished;
        self.ended_ms = Some(at);
        self.conclusion = conclusion;
        self.proposal = None;
        self.paused = false;
    }

    fn seat_mut(&mut self, number: u32) -> Option<&mut SeatInfo> {
        Arc::make_mut(&mut self.seats).get_mut(usize::from(inner(number).0))
    }

    /// A seat, if there is one of this number.
    pub fn seat(&self, seat: Seat) -> Option<&SeatInfo> {
        self.seats.get(usize::from(seat.0))
    }

    /// Seats that a person plays: whose word counts when something is agreed on.
    pub fn people(&self) -> impl Iterator<Item = Seat> {
        let seats = self.seats.iter().zip(0..);
        seats
            .filter(|(seat, _)| seat.player.is_some() && seat.bot.is_none() && !seat.resigned)
            .map(|(_, number)| Seat(number))
    }

    /// Whether it is listed among those that anybody may join.
    pub fn is_open(&self) -> bool {
        let open = |seat: &SeatInfo| seat.open && seat.player.is_none();
        self.state == MatchState::Lobby && self.seats.iter().any(open)
    }

    /// Whether it starts now, because nothing is missing and its host wanted that.
    pub fn starts_by_itself(&self) -> bool {
        let taken = |seat: &SeatInfo| seat.player.is_some() || seat.bot.is_some();
        self.terms.starts_when_full
            && self.state == MatchState::Lobby
            && self.seats.iter().all(taken)
            && self.entropy_missing().is_empty()
    }

    /// Whether it is listed for everybody: to be joined, or to be watched.
    pub fn is_listed(&self) -> bool {
        self.is_open() || self.terms.public && self.state == MatchState::Running
    }

    /// Takes from a seat's bank what its answer took beyond the time for a question, and adds to it. A free move that leaves
    /// the question what it was is no answer: the time of that question goes on.
    fn use_bank(&mut self, moved: &v1::Moved) {
        let answered = |made: &&v1::RecordedMove| !moved.still_asked.contains(&made.seat);
        let Some(first) = moved.moves.first().filter(answered) else {
            return;
        };
        if let Some(bank) = self.banks.get_mut(to_usize(first.seat)) {
            let beyond = moved.thought_ms.saturating_sub(self.question_ms);
            *bank = bank.saturating_sub(beyond);
            *bank = bank.saturating_add(self.terms.increment_ms);
        }
    }

    /// How long a seat has for what it is asked, in milliseconds; none if there is no limit.
    fn time_of(&self, seat: Seat) -> Option<i64> {
        let bank = self.banks.get(usize::from(seat.0)).copied().unwrap_or(0);
        let limit = (self.question_ms > 0).then(|| self.question_ms.saturating_add(bank));
        limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX))
    }

    /// How long a seat has been asked what it is asked, while there was a referee, in milliseconds.
    pub fn thought_ms(&self, seat: Seat, now: i64, outages: &Outages) -> u64 {
        outages.elapsed(self.asked_since(seat), now)
    }

    /// How each seat's time stands, if these are asked; empty where there is no limit, and while nobody plays.
    pub fn clocks(&self, waiting: &[Seat], outages: &Outages) -> Vec<SeatClock> {
        if self.question_ms == 0 || self.state != MatchState::Running {
            return Vec::new();
        }
        let seats = (0..).map(Seat).zip(&self.banks);
        let clock = |(seat, bank): (Seat, &u64)| {
            let runs = !self.paused && waiting.contains(&seat);
            let limit = self.time_of(seat).filter(|_| runs);
            SeatClock {
                seat,
                deadline_ms: limit.map(|limit| outages.deadline(self.asked_since(seat), limit)),
                bank_ms: *bank,
            }
        };
        seats.map(clock).collect()
    }

    /// Whoever is asked something has all of the time for it from now on.
    fn ask_anew(&mut self, at: i64) {
        self.asked_ms = at;
        self.asked_earlier.clear();
    }

    /// Since when a seat is asked what it is asked, if it is asked something.
    fn asked_since(&self, seat: Seat) -> i64 {
        let earlier = self.asked_earlier.get(&seat);
        earlier.copied().unwrap_or(self.asked_ms)
    }

    /// When the referee acts by itself, if these seats are asked.
    pub fn due(&self, waiting: &[Seat], outages: &Outages) -> Option<Due> {
        if self.state != MatchState::Running || self.paused {
            return None;
        }
        let by_itself = waiting.iter().find_map(|seat| {
            let known = self.seat(*seat)?;
            let maker = match known {
                SeatInfo { bot: Some(_), .. } => v1::Maker::Bot,
                SeatInfo { resigned: true, .. } => v1::Maker::Resigned,
                _ => return None,
            };
            Some(Due {
                at_ms: self.asked_since(*seat),
                seat: *seat,
                maker,
            })
        });
        let timed = || {
            let due = waiting.iter().filter_map(|seat| {
                let limit = self.time_of(*seat)?;
                Some(Due {
                    at_ms: outages.deadline(self.asked_since(*seat), limit),
                    seat: *seat,
                    maker: v1::Maker::Timeout,
                })
            });
            due.min_by_key(|due| due.at_ms)
        };
        by_itself.or_else(timed)
    }
}

impl Proposal {
    /// Who has not answered yet.
    pub fn awaited(&self, info: &MatchInfo) -> Vec<Seat> {
        info.people()
            .filter(|seat| !self.agreed.contains(seat))
            .collect()
    }
}

/// The seat of a number that clients see.
fn inner(number: u32) -> Seat {
    Seat(u8::try_from(number.saturating_sub(1)).unwrap_or(u8::MAX))
}
