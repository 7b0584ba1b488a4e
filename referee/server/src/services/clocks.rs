//! How seats' times stand and who is at them, as messages.

use referee_contract::convert::{seat_number, timestamp};
use referee_contract::v1;
use referee_table::{SeatClock, SeatPresence};

/// How seats' times stand.
pub(super) fn clocks_out(clocks: &[SeatClock]) -> Vec<v1::SeatClock> {
    let bank = |ms: u64| prost_types::Duration {
        seconds: i64::try_from(ms / 1000).unwrap_or(i64::MAX),
        nanos: i32::try_from(ms % 1000).unwrap_or(0) * 1_000_000,
    };
    let out = clocks.iter().map(|clock| v1::SeatClock {
        seat: seat_number(clock.seat),
        deadline: clock.deadline_ms.map(timestamp),
        bank: (clock.bank_ms > 0).then(|| bank(clock.bank_ms)),
    });
    out.collect()
}

/// Who is at the table.
pub(super) fn presence_out(presence: &[SeatPresence]) -> Vec<v1::SeatPresence> {
    let out = presence.iter().map(|told| v1::SeatPresence {
        seat: seat_number(told.seat),
        connected: told.connected,
        last_seen_time: told.last_seen_ms.map(timestamp),
    });
    out.collect()
}
