//! Decides acts, which are all that changes a match and is no move: joining, proposing, resigning, resuming.
//!
//! An act is decided here, from what the match is now, and becomes entries of the log; what those mean is
//! said in [`info`](crate::state::info).

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::play::{Match, Origin, Seat, Seed};

use super::change::{Change, Made, Notes, closing};
use super::requests::{Act, Holder};
use super::{migration, undo};
use crate::replay::restore;
use crate::scheduling::workers;
use crate::{Difference, MatchInfo, Parts, Play, Queue, SeatInfo, Snapshot, TableError};
use referee_library::Edition;
use referee_store::log::v1::{
    self, BotKind, Conclusion, DoneReceipt, Maker, ProposalEnd, ProposalKind, SeatEntropy,
    entry::Body, table_changed::Kind,
};
use referee_store::log::{self, names, seat_number};
use referee_store::{Erase, Grant, Hash, MatchState, TokenRow};

/// What an act comes to.
#[derive(Default)]
pub(super) struct Decided {
    pub change: Change,
    pub receipt: DoneReceipt,
    pub difference: Option<Difference>,
    /// Nothing is done: somebody only wanted to know.
    pub only_looked: bool,
}

impl From<Change> for Decided {
    fn from(change: Change) -> Decided {
        Decided {
            change,
            ..Decided::default()
        }
    }
}

/// Something is erased. What is in memory has it still, and closes.
fn erasing(what: Erase) -> Change {
    Change {
        erase: Some(what),
        reopens: true,
        ..Change::default()
    }
}

fn concluded(conclusion: Conclusion, winners: &[Seat]) -> Kind {
    Kind::MatchConcluded(v1::MatchConcluded {
        conclusion: conclusion.into(),
        winners: winners.iter().copied().map(seat_number).collect(),
    })
}

/// That the referee plays a seat.
pub(crate) fn bot_seated(seat: Seat, bot: BotKind, called: String) -> Kind {
    Kind::BotSeated(v1::BotSeated {
        seat: seat_number(seat),
        bot: bot.into(),
        display_name: called,
    })
}

/// What acts are decided from.
pub(super) struct Decider<'a> {
    pub parts: &'a Arc<Parts>,
    pub live: &'a Arc<Snapshot>,
    /// None of a match whose record is damaged.
    pub seed: Option<Seed>,
    /// How often each seat proposed to take back what cannot be, since the match was opened: finding that out is work.
    pub refused: &'a mut BTreeMap<Seat, u32>,
}

impl Decider<'_> {
    /// What an act comes to now; nothing is changed by it.
    pub(super) async fn decide(&mut self, act: Act) -> Result<Decided, TableError> {
        match act {
            Act::Claim {
                seat,
                player,
                token,
                holder,
            } => self
                .claim(seat, player, token, holder)
                .await
                .map(Decided::from),
            Act::Leave { seat } => self.leave(seat).map(Decided::from),
            Act::Start => self.start().await.map(Decided::from),
            Act::Contribute {
                seat,
                commitment,
                entropy,
            } => self
                .contribute(seat, commitment, entropy)
                .map(Decided::from),
            Act::Propose { seat, kind, moves } => self.propose(seat, kind, moves).await,
            Act::Respond {
                seat,
                proposal,
                agree,
            } => self.respond(seat, &proposal, agree).await,
            Act::Withdraw { seat, proposal } => self.withdraw(seat, &proposal).map(Decided::from),
            Act::Resign { seat } => self.resign(seat).map(Decided::from),
            Act::SeatBot { seat, bot, called } => {
                self.seat_bot(seat, bot, called).map(Decided::from)
            }
            Act::TakeBack { seat } => self.take_back(seat).await,
            Act::Release { seat } => self.release(seat).map(Decided::from),
            Act::Resume => {
                self.in_state(&[MatchState::Running])?;
                match self.info().paused {
                    true => Ok(self
                        .notes()
                        .note(Kind::MatchResumed(v1::MatchResumed {}))
                        .change()
                        .into()),
                    false => Err(TableError::State(MatchState::Running)),
                }
            }
            Act::Cancel => {
                self.in_state(&[
                    MatchState::Lobby,
                    MatchState::Running,
                    MatchState::Suspended,
                ])?;
                let ended = concluded(Conclusion::Cancelled, &[]);
                Ok(self.notes().note(ended).change().into())
            }
            Act::Move {
                edition,
                accept,
                only_look,
            } => self.move_to(edition, accept, only_look).await,
            Act::Invite { token } => {
                let id = self.info().id.clone();
                let row = TokenRow {
                    created_ms: self.parts.clock.now_ms(),
                    ..TokenRow::new(token, Grant::Spectator { id })
                };
                let change = Change {
                    tokens: vec![row],
                    ..Change::default()
                };
                Ok(change.into())
            }
            Act::EraseNames { called } => self.erase_names(called).await,
            Act::Delete => {
                self.in_state(&[MatchState::Finished, MatchState::Suspended])?;
                let (store, id) = (self.parts.store.clone(), self.info().id.clone());
                let first =
                    workers::blocking(&self.parts.threads, move || store.read(&id, 0, 1)).await??;
                let archive = first.first().and_then(|entry| log::archive(&entry.body));
                Ok(erasing(Erase::Match { archive }).into())
            }
        }
    }

    async fn erase_names(&self, called: Option<String>) -> Result<Decided, TableError> {
        let (store, id) = (self.parts.store.clone(), self.info().id.clone());
        let names = workers::blocking(&self.parts.threads, move || store.names(&id)).await??;
        let gone = names
            .into_iter()
            .filter(|row| called.as_ref().is_none_or(|called| row.name == *called))
            .map(|row| row.digest);
        let gone: Vec<Hash> = gone.collect();
        let receipt = DoneReceipt {
            names_erased: u32::try_from(gone.len()).unwrap_or(u32::MAX),
            ..DoneReceipt::default()
        };
        Ok(Decided {
            change: erasing(Erase::Names(gone)),
            receipt,
            ..Decided::default()
        })
    }

    fn info(&self) -> &MatchInfo {
        &self.live.info
    }

    fn notes(&self) -> Notes {
        Notes::of(self.live.play.as_ref())
    }

    fn in_state(&self, states: &[MatchState]) -> Result<(), TableError> {
        match self.info().state {
            state if states.contains(&state) => Ok(()),
            MatchState::Suspended => Err(self.live.suspension()),
            state => Err(TableError::State(state)),
        }
    }

    fn seat_info(&self, seat: Seat) -> Result<&SeatInfo, TableError> {
        self.info().seat(seat).ok_or(TableError::NoSeat)
    }

    async fn claim(
        &self,
        seat: Seat,
        player: String,
        token: Hash,
        holder: Option<Holder>,
    ) -> Result<Change, TableError> {
        if let Some(Holder { label, .. }) = holder.clone() {
            let (store, id) = (self.parts.store.clone(), self.info().id.clone());
            let look = move || store.held_in(&label, &id);
            if workers::blocking(&self.parts.threads, look)
                .await??
                .is_some()
            {
                return Err(TableError::SeatHeld);
            }
        }
        let known = self.seat_info(seat)?;
        let free = known.player.is_none() && known.bot.is_none();
        let grant = Grant::Seat {
            id: self.info().id.clone(),
            seat: seat.0,
        };
        let called = names::salted(player)?;
        let mut change = match self.info().state {
            MatchState::Lobby if free => Change {
                entries: vec![Body::SeatClaimed(v1::SeatClaimed {
                    seat: u32::from(seat.0),
                    display_name: called.name.clone(),
                    name: called.digest.to_vec(),
                })],
                ..Change::default()
            },
            MatchState::Running if free => self
                .notes()
                .note(Kind::SeatTaken(v1::SeatTaken {
                    seat: seat_number(seat),
                    display_name: called.name.clone(),
                    name: called.digest.to_vec(),
                }))
                .change(),
            MatchState::Finished => return Err(TableError::Over),
            _ => return Err(TableError::SeatTaken),
        };
        change.names = vec![called];
        let made = TokenRow {
            created_ms: self.parts.clock.now_ms(),
            ..TokenRow::new(token, grant)
        };
        let held = holder.map(|holder| TokenRow {
            hash: holder.token,
            label: holder.label,
            ..made.clone()
        });
        change.tokens = [made].into_iter().chain(held).collect();
        Ok(change)
    }

    /// That the match has not started.
    fn in_lobby(&self) -> Result<(), TableError> {
        match self.info().state {
            MatchState::Lobby => Ok(()),
            MatchState::Suspended => Err(self.live.suspension()),
            MatchState::Running => Err(TableError::AlreadyStarted),
            MatchState::Finished => Err(TableError::Over),
        }
    }

    fn leave(&self, seat: Seat) -> Result<Change, TableError> {
        self.in_lobby()?;
        if self.seat_info(seat)?.player.is_none() {
            return Err(TableError::State(MatchState::Lobby));
        }
        let kind = Kind::SeatLeft(v1::SeatLeft {
            seat: seat_number(seat),
        });
        Ok(Change {
            revoke_seat: Some(seat.0),
            ..self.notes().note(kind).change()
        })
    }

    /// Takes what a player adds to the chance of the match, while nobody can know what comes of it.
    fn contribute(
        &self,
        seat: Seat,
        commitment: Option<Hash>,
        entropy: Option<Hash>,
    ) -> Result<Change, TableError> {
        self.in_lobby()?;
        let info = self.info();
        let known = info.contributions.get(&seat).copied().unwrap_or_default();
        let committed = info.entropy == SeatEntropy::Committed;
        match (commitment, entropy) {
            (Some(_), None) if !committed => {
                let why = "is not wanted: in this match players contribute at once";
                return Err(TableError::Entropy("commitment", why));
            }
            (Some(_), None) if known.commitment.is_some() => return Err(TableError::EntropyGiven),
            (None, Some(_)) if known.entropy.is_some() => return Err(TableError::EntropyGiven),
            (None, Some(entropy)) if committed => {
                let Some(promised) = known.commitment else {
                    let why = "comes too early: in this match players send a `commitment` first";
                    return Err(TableError::Entropy("entropy", why));
                };
                if crate::entropy_commitment(&info.id, seat, &entropy) != promised {
                    let why = "is not what this seat has committed to";
                    return Err(TableError::Entropy("entropy", why));
                }
                let missing = info.uncommitted();
                if !missing.is_empty() {
                    return Err(TableError::EntropyMissing(missing));
                }
            }
            (Some(_), None) | (None, Some(_)) => {}
            (Some(_), Some(_)) | (None, None) => {
                let why = "or `commitment` is sent, one of them";
                return Err(TableError::Entropy("entropy", why));
            }
        }
        let bytes = |hash: Option<Hash>| hash.map(|hash| hash.to_vec()).unwrap_or_default();
        Ok(Change {
            entries: vec![Body::EntropyContributed(v1::EntropyContributed {
                seat: u32::from(seat.0),
                commitment: bytes(commitment),
                entropy: bytes(entropy),
            })],
            ..Change::default()
        })
    }

    async fn start(&self) -> Result<Change, TableError> {
        match self.in_lobby() {
            Err(TableError::Over) if self.live.play.is_some() => {
                return Err(TableError::AlreadyStarted);
            }
            lobby => lobby?,
        }
        let seats = self.info().seats.iter().zip(0..);
        let open: Vec<Seat> = seats
            .filter(|(seat, _)| seat.player.is_none() && seat.bot.is_none())
            .map(|(_, number)| Seat(number))
            .collect();
        if !open.is_empty() {
            return Err(TableError::SeatsOpen(open));
        }
        let missing = self.info().entropy_missing();
        if !missing.is_empty() {
            return Err(TableError::EntropyMissing(missing));
        }
        let Some(seed) = self.seed else {
            return Err(TableError::Damaged("the seed is lost".into()));
        };
        let seed = self.info().game_seed(seed);
        let (parts, live) = (self.parts.clone(), self.live.clone());
        let played = self
            .parts
            .workers
            .run(Queue::Opening, move || {
                let ruleset = restore::ruleset(&parts, &live.info)?;
                let game = Match::new(ruleset, seed, live.info.ask_forced);
                game.map(Made::begun).map_err(TableError::Fault)
            })
            .await;
        let made = played.flatten()?;
        Ok(made.change(
            |moves, state_hash| Body::Started(v1::Started { state_hash, moves }),
            Maker::Unspecified,
        ))
    }

    async fn propose(
        &mut self,
        seat: Seat,
        kind: ProposalKind,
        moves: u32,
    ) -> Result<Decided, TableError> {
        let play = self.live.playing()?.clone();
        if let Some(open) = &self.info().proposal {
            return Err(TableError::ProposalOpen(open.id.clone()));
        }
        let made = self.info().seat(seat).map_or(0, |seat| seat.proposals);
        let refused = self.refused.get(&seat).copied().unwrap_or(0);
        if made + refused >= self.parts.limits.proposals_per_seat {
            return Err(TableError::Limit("proposals_per_seat"));
        }
        // What is so already need not be agreed on.
        let pointless = match kind {
            ProposalKind::Pause => self.info().paused,
            ProposalKind::Resume => !self.info().paused,
            ProposalKind::ShowHands => self.info().hands_shown,
            _ => false,
        };
        if pointless {
            return Err(TableError::State(MatchState::Running));
        }
        let moves = match kind {
            ProposalKind::Undo => moves.max(1),
            _ => 0,
        };
        if kind == ProposalKind::Undo
            && let Err(why) = self.undone(play, moves).await
        {
            *self.refused.entry(seat).or_default() += 1;
            return Err(why);
        }
        let id = format!("p{}", self.info().proposals + 1);
        let made = Kind::ProposalMade(v1::ProposalMade {
            proposal_id: id.clone(),
            kind: kind.into(),
            seat: seat_number(seat),
            moves,
        });
        let mut notes = self.notes().note(made);
        let accepted = self.info().people().all(|other| other == seat);
        if accepted {
            notes = self.agreed(notes, &id, kind, moves).await?;
        }
        Ok(Decided {
            receipt: DoneReceipt {
                id,
                accepted,
                ..DoneReceipt::default()
            },
            ..notes.change().into()
        })
    }

    async fn respond(&self, seat: Seat, id: &str, agree: bool) -> Result<Decided, TableError> {
        self.live.playing()?;
        let info = self.info();
        let open = info.proposal.as_ref().filter(|open| open.id == id);
        let open = open.ok_or(TableError::ProposalClosed)?;
        let awaited = open.awaited(info);
        if !awaited.contains(&seat) {
            return Err(TableError::ProposalClosed);
        }
        let answered = Kind::ProposalAnswered(v1::ProposalAnswered {
            proposal_id: id.to_owned(),
            seat: seat_number(seat),
            agree,
        });
        let mut notes = self.notes().note(answered);
        let accepted = agree && awaited == [seat];
        if accepted {
            notes = self.agreed(notes, id, open.kind, open.moves).await?;
        } else if !agree {
            notes = notes.note(closing(id, ProposalEnd::Declined));
        }
        Ok(Decided {
            receipt: DoneReceipt {
                id: id.to_owned(),
                accepted,
                ..DoneReceipt::default()
            },
            ..notes.change().into()
        })
    }

    fn withdraw(&self, seat: Seat, id: &str) -> Result<Change, TableError> {
        self.live.playing()?;
        let open = self.info().proposal.as_ref();
        match open.filter(|open| open.id == id && open.seat == seat) {
            Some(_) => Ok(self
                .notes()
                .note(closing(id, ProposalEnd::Withdrawn))
                .change()),
            None => Err(TableError::ProposalClosed),
        }
    }

    /// Does what everybody has agreed on.
    async fn agreed(
        &self,
        notes: Notes,
        id: &str,
        kind: ProposalKind,
        moves: u32,
    ) -> Result<Notes, TableError> {
        let notes = notes.note(closing(id, ProposalEnd::Done));
        Ok(match kind {
            ProposalKind::Pause => notes.note(Kind::MatchPaused(v1::MatchPaused {})),
            ProposalKind::Resume => notes.note(Kind::MatchResumed(v1::MatchResumed {})),
            ProposalKind::Draw => notes.note(concluded(Conclusion::Draw, &[])),
            ProposalKind::Abandon => notes.note(concluded(Conclusion::Abandoned, &[])),
            ProposalKind::ShowHands => notes.note(Kind::HandsShown(v1::HandsShown {})),
            ProposalKind::Undo => self.undo(notes, moves).await?,
            ProposalKind::Unspecified => notes,
        })
    }

    /// Takes moves of players back.
    async fn undo(&self, notes: Notes, moves: u32) -> Result<Notes, TableError> {
        let play = notes.play.clone().ok_or(TableError::NotStarted)?;
        let (earlier, left) = self.undone(play, moves).await?;
        let rest = v1::Noted {
            moves_left: left,
            state_hash: earlier.state_hash().0.to_vec(),
            ..v1::Noted::default()
        };
        let mut notes = notes.add(Kind::MovesUndone(v1::MovesUndone { moves }), rest);
        notes.play = notes.play.map(|play| Arc::new(play.changed(earlier)));
        Ok(notes)
    }

    /// Takes the last move back, which nobody but its player is asked about.
    async fn take_back(&mut self, seat: Seat) -> Result<Decided, TableError> {
        let play = self.live.playing()?.clone();
        let cannot = |why: &str| TableError::CannotUndo(why.into());
        if !self.info().terms.take_back {
            return Err(cannot("in this match moves are taken back by consent"));
        }
        let last = play.game().moves().backwards();
        let mut chosen = last.filter(|(_, mv)| mv.origin == Origin::Player);
        match chosen.next() {
            Some((_, last)) if last.seat == seat => {}
            Some(_) => return Err(cannot("the last move is another player's")),
            None => return Err(cannot("nobody has moved yet")),
        }
        // Finding out that it cannot be is work, which is counted as that of proposals is.
        let refused = self.refused.get(&seat).copied().unwrap_or(0);
        if refused >= self.parts.limits.proposals_per_seat {
            return Err(TableError::Limit("proposals_per_seat"));
        }
        let mut notes = self.notes();
        if let Some(open) = &self.info().proposal {
            notes = notes.note(closing(&open.id, ProposalEnd::Lapsed));
        }
        match self.undo(notes, 1).await {
            Ok(notes) => Ok(notes.change().into()),
            Err(why) => {
                *self.refused.entry(seat).or_default() += 1;
                Err(why)
            }
        }
    }

    async fn undone(&self, play: Arc<Play>, moves: u32) -> Result<(Match, u32), TableError> {
        let ask_forced = self.info().ask_forced;
        // As long as to open the match: it is played again.
        let work = move || undo::before(play.game(), ask_forced, moves);
        self.parts.workers.run(Queue::Opening, work).await?
    }

    fn resign(&self, seat: Seat) -> Result<Change, TableError> {
        self.live.playing()?;
        if self.seat_info(seat)?.resigned {
            return Err(TableError::State(MatchState::Running));
        }
        let number = seat_number(seat);
        let mut notes = self.notes();
        if let Some(open) = &self.info().proposal {
            notes = notes.note(closing(&open.id, ProposalEnd::Lapsed));
        }
        notes = notes.note(Kind::SeatResigned(v1::SeatResigned { seat: number }));
        // Bots play on; a match is won when one player of any kind is left.
        let seats = self.info().seats.iter().zip(0..);
        let left: Vec<Seat> = seats
            .filter(|(other, number)| !other.resigned && *number != seat.0)
            .map(|(_, number)| Seat(number))
            .collect();
        if left.len() == 1 {
            notes = notes.note(concluded(Conclusion::Resignation, &left));
        }
        Ok(notes.change())
    }

    fn seat_bot(&self, seat: Seat, bot: BotKind, called: String) -> Result<Change, TableError> {
        self.in_state(&[MatchState::Lobby, MatchState::Running])?;
        let known = self.seat_info(seat)?;
        // A player who is there is not thrown out: the host releases the seat first.
        if known.player.is_some() && !known.resigned {
            return Err(TableError::SeatTaken);
        }
        Ok(self.notes().note(bot_seated(seat, bot, called)).change())
    }

    fn release(&self, seat: Seat) -> Result<Change, TableError> {
        self.in_state(&[MatchState::Lobby, MatchState::Running])?;
        self.seat_info(seat)?;
        let mut notes = self.notes();
        if let Some(open) = &self.info().proposal {
            notes = notes.note(closing(&open.id, ProposalEnd::Lapsed));
        }
        let kind = Kind::SeatReleased(v1::SeatReleased {
            seat: seat_number(seat),
        });
        Ok(Change {
            revoke_seat: Some(seat.0),
            ..notes.note(kind).change()
        })
    }

    async fn move_to(
        &self,
        edition: Arc<Edition>,
        accept: bool,
        only_look: bool,
    ) -> Result<Decided, TableError> {
        let info = self.info();
        if info.state != MatchState::Suspended || info.damaged {
            return Err(match info.damaged {
                true => self.live.suspension(),
                false => TableError::State(info.state),
            });
        }
        let (parts, live) = (self.parts.clone(), self.live.clone());
        let (texts, name) = (edition.digest, edition.id.clone());
        let moved = self
            .parts
            .workers
            .run(Queue::Opening, move || {
                migration::play_again(&parts, &live, &edition)
            })
            .await??;
        if let Some(difference) = moved.difference.clone().filter(|_| !accept && !only_look) {
            return Err(TableError::Differs(Box::new(difference)));
        }
        let kind = Kind::RulesetChanged(v1::RulesetChanged {
            revision: referee_library::revision_name(&name, &texts),
        });
        let state_hash = moved.game.as_ref().map(|game| game.state_hash().0.to_vec());
        let rest = v1::Noted {
            content: texts.to_vec(),
            digest: moved.digest.0.to_vec(),
            state_hash: state_hash.unwrap_or_default(),
            ..v1::Noted::default()
        };
        let mut notes = self.notes().add(kind, rest);
        // A game that could not be played by the old rules is not in memory.
        let reopens = notes.play.is_none() && moved.game.is_some();
        if let Some(game) = moved.game {
            notes.play = notes.play.map(|play| Arc::new(play.changed(game)));
        }
        let change = Change {
            reopens,
            ..notes.change()
        };
        Ok(Decided {
            difference: moved.difference,
            only_looked: only_look,
            ..change.into()
        })
    }
}
