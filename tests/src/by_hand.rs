//! A phase written by hand: what the compiled rules are measured against.
//!
//! The captain's loading in the base game of Puerto Rico, as somebody would write it who knows only this
//! game: arrays, loops, no names. A test holds it to the ruleset; a benchmark compares what the two cost.

use interpreter::play::{Audience, Match, Seat, Value, View};

/// Kinds of goods.
const GOODS: usize = 5;
/// Cargo ships in a game.
const SHIPS: usize = 3;

/// What loading depends on.
#[derive(Clone, Debug)]
pub struct Loading {
    stock: [u8; GOODS],
    hold: [[u8; GOODS]; SHIPS],
    capacity: [u8; SHIPS],
}

impl Loading {
    /// The table as a seat sees it.
    ///
    /// # Panics
    /// If it is no table of Puerto Rico.
    pub fn of(played: &Match, seat: Seat) -> Loading {
        let model = played.ruleset().model();
        let rows = |table: &str| {
            let table = model.tables.iter().find(|t| &*t.name == table);
            table.expect("Puerto Rico has it").rows.clone()
        };
        let (goods, ships) = (rows("good"), rows("ship"));
        let view = played.view(Audience::Seat(seat));
        let counts = |name: &str, of: &Value| count(&view, name, of, &goods);
        let ship = |i: usize| Value::Row {
            table: "ship".into(),
            row: ships[i].clone(),
        };
        let capacity = model.columns.iter().find(|c| &*c.name == "capacity");
        let capacity = &capacity.expect("ships have one").values;
        Loading {
            stock: counts("stock", &Value::Player(seat)),
            hold: std::array::from_fn(|i| counts("hold", &ship(i))),
            capacity: std::array::from_fn(|i| capacity[i] as u8),
        }
    }

    /// Goods that this ship takes of this kind.
    fn takes(&self, ship: usize, good: usize) -> u8 {
        let elsewhere = (0..SHIPS).any(|other| other != ship && self.hold[other][good] > 0);
        let other_kind = (0..GOODS).any(|kind| kind != good && self.hold[ship][kind] > 0);
        if elsewhere || other_kind {
            return 0;
        }
        self.capacity[ship] - self.hold[ship].iter().sum::<u8>()
    }

    /// The kinds and ships that may be chosen, in order.
    pub fn legal(&self) -> Vec<(usize, usize)> {
        let mut legal = Vec::new();
        for good in 0..GOODS {
            if self.stock[good] == 0 {
                continue;
            }
            let fits: [u8; SHIPS] =
                std::array::from_fn(|ship| self.stock[good].min(self.takes(ship, good)));
            let most = fits.into_iter().max().unwrap_or(0);
            let ships = (0..SHIPS).filter(|ship| fits[*ship] > 0 && fits[*ship] == most);
            legal.extend(ships.map(|ship| (good, ship)));
        }
        legal
    }

    /// The names of what may be chosen.
    pub fn named(&self, played: &Match) -> Vec<(String, String)> {
        let model = played.ruleset().model();
        let row = |table: &str, i: usize| {
            let table = model.tables.iter().find(|t| &*t.name == table);
            table.map_or_else(String::new, |table| table.rows[i].to_string())
        };
        let legal = self.legal().into_iter();
        legal
            .map(|(good, ship)| (row("good", good), row("ship", ship)))
            .collect()
    }
}

/// How many pieces of each row lie in a place that belongs to something.
fn count(view: &View, name: &str, of: &Value, rows: &[interpreter::play::Id]) -> [u8; GOODS] {
    let place = view.places.iter().find(|p| {
        let place = &p.place;
        &*place.name == name && place.index.first() == Some(of)
    });
    let contents = place.and_then(|p| p.contents.as_ref());
    let contents = contents.expect("everybody sees it");
    std::array::from_fn(|i| {
        let found = contents.iter().find(|(row, _)| *row == rows[i]);
        found.map_or(0, |(_, n)| *n as u8)
    })
}

/// What the ruleset offers: kinds and ships by their names.
pub fn offered(played: &Match, seat: Seat) -> Vec<(String, String)> {
    let Some(question) = played.question(seat) else {
        return Vec::new();
    };
    let loads = question
        .offers
        .iter()
        .filter(|offer| &*offer.name == "load");
    let named = |value: &Value| match value {
        Value::Row { row, .. } => row.to_string(),
        _ => String::new(),
    };
    loads
        .map(|offer| (named(&offer.fixed[0].1), named(&offer.fixed[1].1)))
        .collect()
}
