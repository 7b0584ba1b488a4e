//! What is said of a match, its seats and its terms, as messages.

use std::collections::BTreeMap;

use interpreter::play::Seat;

use super::clocks::clocks_out;
use crate::calls::Failure;
use referee_contract::catalog;
use referee_contract::convert::{self, Outward, seat_number, timestamp};
use referee_contract::v1::{self, SeatEntropy, spectator_delay::Delay as ByWhat};
use referee_store::{Hash, MatchId, MatchState};
use referee_table::{Delay, MatchInfo, Outages, SeatInfo, Snapshot};

/// A match; whether what it is played by was published here is known already.
pub(super) fn describe(snapshot: &Snapshot, published: bool, outages: &Outages) -> v1::Match {
    let info = &snapshot.info;
    v1::Match {
        name: format!("matches/{}", info.id),
        state: state_out(info.state).into(),
        ruleset: catalog::ruleset_name(&info.ruleset),
        revision: catalog::revision_name(&info.ruleset, &info.content),
        digest: info.digest.0.to_vec(),
        configuration: Some(catalog::configuration(&info.configuration)),
        forced_moves: if info.ask_forced {
            v1::ForcedMoves::Asked
        } else {
            v1::ForcedMoves::Played
        }
        .into(),
        seats: seats_out(info),
        create_time: Some(timestamp(info.created_ms)),
        start_time: info.started_ms.map(timestamp),
        end_time: info.ended_ms.map(timestamp),
        seed_commitment: info.commitment.to_vec(),
        seed: info
            .revealed
            .map(|seed| seed.0.to_vec())
            .unwrap_or_default(),
        outcome: snapshot.play.as_ref().and_then(|play| {
            Some(Outward::new(play.ruleset().package()).outcome(&play.outcome()?))
        }),
        conclusion: v1::Conclusion::from(info.conclusion).into(),
        paused: info.paused,
        question_time: time_out(info.question_ms),
        suspension: info.suspended.clone().unwrap_or_default(),
        committed_digest: info.committed.0.to_vec(),
        spectator_delay: info.delay.map(delay_out),
        seat_entropy: SeatEntropy::from(info.entropy).into(),
        contributions: contributions_out(info),
        game_seed: info
            .revealed
            .map(|seed| info.game_seed(seed).0.to_vec())
            .unwrap_or_default(),
        hands_shown: info.hands_shown,
        unpublished: !published,
        time_bank: time_out(info.terms.bank_ms),
        time_increment: time_out(info.terms.increment_ms),
        take_back: info.terms.take_back,
        public: info.terms.public,
        labels: info.terms.labels.clone(),
        clocks: clocks_out(&info.clocks(&snapshot.waiting(), outages)),
        start_when_full: info.terms.starts_when_full,
        presence: Vec::new(),
    }
}

/// Labels of a match at most, and bytes of their keys and values.
const LABELS: (usize, usize, usize) = (16, 63, 255);

/// Labels as they were sent, if they are some.
pub(super) fn labels(sent: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Failure> {
    let (most, key_bytes, value_bytes) = LABELS;
    if sent.len() > most {
        return Err(Failure::field("labels", format!("are more than {most}")));
    }
    for (key, value) in sent {
        let field = format!("labels[{key:?}]");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
        if key.is_empty() || key.len() > key_bytes || !key.chars().all(plain) {
            let why =
                format!("has a key that is not 1 to {key_bytes} letters a to z, digits and `._-/`");
            return Err(Failure::field(field, why));
        }
        if value.len() > value_bytes || value.chars().any(char::is_control) {
            let why = format!("is longer than {value_bytes} bytes, or no plain line");
            return Err(Failure::field(field, why));
        }
    }
    Ok(sent.clone())
}

fn contributions_out(info: &MatchInfo) -> Vec<v1::EntropyContribution> {
    let bytes = |hash: Option<Hash>| hash.map(|hash| hash.to_vec()).unwrap_or_default();
    let given = info.contributions.iter();
    given
        .map(|(seat, given)| v1::EntropyContribution {
            seat: seat_number(*seat),
            commitment: bytes(given.commitment),
            entropy: bytes(given.entropy),
        })
        .collect()
}

pub(super) fn delay_out(delay: Delay) -> v1::SpectatorDelay {
    let delay = match delay {
        Delay::Moves(moves) => ByWhat::Moves(moves),
        Delay::Milliseconds(ms) => ByWhat::Time(convert::of_seconds(seconds(ms))),
    };
    v1::SpectatorDelay { delay: Some(delay) }
}

/// A time that is measured; none if there is no limit.
pub(super) fn time_out(ms: u64) -> Option<prost_types::Duration> {
    (ms > 0).then(|| convert::of_seconds(seconds(ms)))
}

fn seconds(ms: u64) -> u32 {
    u32::try_from(ms / 1000).unwrap_or(u32::MAX)
}

pub(super) fn seats_out(info: &MatchInfo) -> Vec<v1::Seat> {
    let seats = (0..).map(Seat).zip(info.seats.iter());
    seats
        .map(|(seat, known)| seat_out(&info.id, seat, known))
        .collect()
}

/// The resource name of a seat.
pub(super) fn seat_name(id: &MatchId, seat: Seat) -> String {
    format!("matches/{id}/seats/{}", seat_number(seat))
}

fn seat_out(id: &MatchId, at: Seat, seat: &SeatInfo) -> v1::Seat {
    v1::Seat {
        name: seat_name(id, at),
        number: seat_number(at),
        claimed: seat.player.is_some(),
        display_name: seat.player.as_ref().unwrap_or(&seat.bot_name).clone(),
        open: seat.open && seat.player.is_none(),
        bot: v1::BotKind::from(seat.bot.unwrap_or_default()).into(),
        resigned: seat.resigned,
    }
}

pub(super) fn state_out(state: MatchState) -> v1::MatchState {
    match state {
        MatchState::Lobby => v1::MatchState::Lobby,
        MatchState::Running => v1::MatchState::Running,
        MatchState::Finished => v1::MatchState::Finished,
        MatchState::Suspended => v1::MatchState::Suspended,
    }
}
