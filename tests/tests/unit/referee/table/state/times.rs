//! Tests of the module `table::state::times`.

use referee::table::Times;

#[test]
fn each_move_and_change_is_found_however_many_there_are() {
    let mut times = Times::default();
    let mut known = Vec::new();
    let mut earlier = Vec::new();
    for entry in 0..200_i64 {
        assert_eq!(times.of_change(known.len().try_into().unwrap()), None);
        // Entries of one, two and no moves.
        let moves = [1, 2, 0][usize::try_from(entry % 3).unwrap_or(0)];
        times.moved(entry, moves);
        times.changed(-entry);
        known.extend(std::iter::repeat_n(entry, moves));
        earlier.push((times.clone(), known.len()));
    }
    for (times, moves) in earlier {
        assert_eq!(times.of_move(0), None);
        for (number, at) in (1..).zip(&known[..moves]) {
            assert_eq!(times.of_move(number), Some(*at), "{number} of {moves}");
        }
    }
    for before in 0..200_u8 {
        assert_eq!(times.of_change(before.into()), Some(-i64::from(before)));
    }
    assert_eq!(times.of_change(200), None);
}
