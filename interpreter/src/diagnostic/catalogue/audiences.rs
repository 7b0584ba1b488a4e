//! 06xx: audiences.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        601,
        "the flow would tell a secret",
        "Who is asked, which steps happen and when the match ends can be seen by everybody. If it is decided \
         by something that not everybody sees, everybody learns it.",
    ),
    entry(
        602,
        "a move would tell a secret",
        "Which moves are legal can be seen by the mover. A condition that reads what the mover does not see \
         would tell it.",
    ),
    entry(
        603,
        "an event would tell a secret",
        "An event is told to everybody with all that it carries. What it carries must therefore not be read from \
         what only some see, be it directly, by a variable or in an effect that is called. Move what becomes \
         known to an open place first and read it there.",
    ),
];
