//! What becomes of a match in one turn: entries of its log, and the game after them.

use std::sync::Arc;

use interpreter::play::{Match, RecordedMove};

use crate::Play;
use referee_store::log;
use referee_store::log::v1::{
    self, Maker, ProposalEnd, TableChanged, entry::Body, table_changed::Kind,
};
use referee_store::{Erase, NameRow, TokenRow};

/// What becomes of a match in one turn.
#[derive(Default)]
pub(super) struct Change {
    /// What is written.
    pub entries: Vec<Body>,
    /// The game after it, if it is another.
    pub play: Option<Arc<Play>>,
    /// Tokens that become valid.
    pub tokens: Vec<TokenRow>,
    /// What players are called whose digests stand in the entries.
    pub names: Vec<NameRow>,
    /// A seat whose earlier tokens open nothing any more.
    pub revoke_seat: Option<u8>,
    /// What the match is after it, only the store can tell: it is opened again from there.
    pub reopens: bool,
    /// What is erased of what was kept before.
    pub erase: Option<Erase>,
}

/// A move that was made, with those that followed from it.
pub(super) struct Made {
    play: Play,
    /// The moves that are new, the seat's own and those that followed from it.
    moves: Vec<RecordedMove>,
    state_hash: [u8; 32],
    ending: Option<String>,
}

impl Made {
    /// A game that begins.
    pub(super) fn begun(game: Match) -> Made {
        Made::of(game, 0, Play::begun)
    }

    /// A game in which a move was made, as what comes after `play`.
    pub(super) fn after(play: &Play, game: Match, maker: Maker) -> Made {
        let known = play.game().moves().len();
        Made::of(game, known, |game| play.moved(game, maker))
    }

    fn of(mut game: Match, known_moves: usize, play: impl FnOnce(Match) -> Play) -> Made {
        let moves = game.moves().from(known_moves).collect();
        let state_hash = game.next_state_hash().0;
        let ending = game.outcome().map(|outcome| outcome.ending.to_string());
        Made {
            play: play(game),
            moves,
            state_hash,
            ending,
        }
    }

    /// What is written of it: `entry` says how it came about.
    pub(super) fn change(
        self,
        entry: impl FnOnce(Vec<v1::RecordedMove>, Vec<u8>) -> Body,
        maker: Maker,
    ) -> Change {
        let play = Some(Arc::new(self.play));
        let mut moves = log::moves_out(&self.moves);
        if let Some(first) = moves.first_mut() {
            first.maker = maker.into();
        }
        let mut entries = vec![entry(moves, self.state_hash.to_vec())];
        if let Some(ending) = self.ending {
            entries.push(Body::Finished(v1::Finished { ending }));
        }
        Change {
            entries,
            play,
            ..Change::default()
        }
    }

    /// What is written of a move: an entry of its own.
    pub(super) fn moved(self, maker: Maker) -> Change {
        let entry = |moves, state_hash| {
            Body::Moved(v1::Moved {
                moves,
                state_hash,
                still_asked: Vec::new(),
                thought_ms: 0,
            })
        };
        self.change(entry, maker)
    }
}

/// Entries in the making, and the game as it is after them.
pub(crate) struct Notes {
    pub entries: Vec<Body>,
    pub play: Option<Arc<Play>>,
}

impl Notes {
    pub(crate) fn of(play: Option<&Arc<Play>>) -> Notes {
        Notes {
            entries: Vec::new(),
            play: play.cloned(),
        }
    }

    /// Adds something that happened at the table.
    pub(crate) fn note(self, kind: Kind) -> Notes {
        self.add(kind, v1::Noted::default())
    }

    /// Adds something that happened at the table, with what else is to be remembered of it.
    pub(super) fn add(mut self, kind: Kind, rest: v1::Noted) -> Notes {
        let change = TableChanged { kind: Some(kind) };
        self.play = self.play.map(|play| Arc::new(play.noted(change.clone())));
        self.entries.push(Body::Noted(v1::Noted {
            change: Some(change),
            ..rest
        }));
        self
    }

    pub(super) fn change(self) -> Change {
        Change {
            entries: self.entries,
            play: self.play,
            ..Change::default()
        }
    }
}

/// The entry that a proposal is no longer open, and the game after it.
pub(super) fn closed(play: &Arc<Play>, id: &str, end: ProposalEnd) -> (Body, Arc<Play>) {
    let mut notes = Notes::of(Some(play)).note(closing(id, end));
    let entry = notes.entries.remove(0);
    (entry, notes.play.unwrap_or_else(|| play.clone()))
}

/// That a proposal is no longer open.
pub(super) fn closing(id: &str, end: ProposalEnd) -> Kind {
    Kind::ProposalClosed(v1::ProposalClosed {
        proposal_id: id.to_owned(),
        end: end.into(),
    })
}
