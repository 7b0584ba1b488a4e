//! Limits how many watch a match, and how many for each seat.

use interpreter::play::Audience;

use crate::TableError;
use crate::at_once::{AtOnce, Entered, Full};
use referee_sandbox::limits::Limits;

/// Those who watch one match.
pub(super) struct Watchers {
    most: u32,
    most_of_seat: u32,
    there: AtOnce<Audience>,
}

/// Somebody who watches, until this is dropped.
pub type Watcher = Entered<Audience>;

impl Watchers {
    /// Nobody watches yet.
    pub(super) fn of(limits: &Limits) -> Watchers {
        Watchers {
            most: limits.watchers_per_match,
            most_of_seat: limits.watchers_per_seat,
            there: AtOnce::default(),
        }
    }

    /// Whether somebody watches as this audience.
    pub(super) fn has(&self, audience: Audience) -> bool {
        self.there.has(&audience)
    }

    /// Somebody begins to watch.
    ///
    /// # Errors
    ///
    /// When too many watch already.
    pub(super) fn enter(&self, audience: Audience) -> Result<Watcher, TableError> {
        let (most, limit) = match audience {
            Audience::Seat(_) => (self.most_of_seat, "watchers_per_seat"),
            Audience::Spectator | Audience::Referee => {
                (self.most.div_ceil(2), "watchers_per_match")
            }
        };
        let entered = self.there.enter_among(audience, most, Some(self.most));
        entered.map_err(|full| match full {
            Full::Own => TableError::Limit(limit),
            Full::All => TableError::Limit("watchers_per_match"),
        })
    }
}
