//! Tests of the module `table::turns::presence`.

use interpreter::play::Seat;
use referee::table::turns::presence::Presence;

#[test]
fn who_has_just_called_or_watches_is_there_and_others_were() {
    let presence = Presence::of(3);
    presence.note(Seat(0), 123_456);
    presence.note(Seat(0), 100_000);
    let told = |now, watched| {
        let told = presence.told(now, |seat| Some(seat) == watched);
        told.into_iter()
            .map(|seat| (seat.connected, seat.last_seen_ms))
            .collect::<Vec<_>>()
    };
    let never = (false, None);
    assert_eq!(told(133_455, None), [(true, None), never, never]);
    assert_eq!(told(133_456, None), [(false, Some(120_000)), never, never]);
    assert_eq!(
        told(999_999, Some(Seat(1))),
        [(false, Some(120_000)), (true, None), never]
    );
}
