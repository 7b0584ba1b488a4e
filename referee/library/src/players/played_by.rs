//! Who plays the games that are kept to be compared, as the list of games says it.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use interpreter::play::{Match, Move, Search, Seat};
use serde::{Deserialize, Serialize};

use super::{Policy, Random};

/// Who plays a game, and how long they think: `random`, `greedy`, `search, 1 s a move`,
/// `search, 200 games a move, judged after 60`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PlayedBy {
    policy: Policy,
    /// Seconds for each move that is not the only one; a search by the clock counts no games.
    seconds: Option<u32>,
}

impl PlayedBy {
    /// Players of a policy, whose work is counted.
    pub fn policy(policy: Policy) -> PlayedBy {
        PlayedBy {
            policy,
            seconds: None,
        }
    }

    /// Players who search for so many seconds, and judge an imagined game after so many decisions at random.
    pub fn clock(seconds: u32, horizon: Option<u32>) -> PlayedBy {
        let mut search = Search::new(u32::MAX);
        search.horizon = horizon.unwrap_or(search.horizon);
        PlayedBy {
            policy: Policy::Search(search),
            seconds: Some(seconds),
        }
    }

    /// Whether they search, so that machine code is worth its making.
    pub fn searches(self) -> bool {
        matches!(self.policy, Policy::Search(_))
    }

    /// Whether they play at random.
    pub fn is_random(&self) -> bool {
        self.policy == Policy::Random
    }

    /// The move of a seat that is asked; `None` if it is not.
    pub fn choose(self, played: &Match, seat: Seat, random: &mut Random) -> Option<Move> {
        let (Policy::Search(search), Some(seconds)) = (self.policy, self.seconds) else {
            return self.policy.choose(played, seat, random);
        };
        let (began, most) = (Instant::now(), Duration::from_secs(seconds.into()));
        let mut on = || began.elapsed() < most;
        played.searched_while(seat, search, &mut on, &mut || random.word())
    }

    /// In words that stand behind "played": `by search, 1 s a move`.
    pub fn told(self, polish: bool) -> String {
        match (self.policy, polish) {
            (Policy::Random, false) => "at random".to_owned(),
            (Policy::Random, true) => "losowo".to_owned(),
            (Policy::Greedy, false) => "by players who look one move ahead".to_owned(),
            (Policy::Greedy, true) => "przez graczy patrzących o jeden ruch naprzód".to_owned(),
            (Policy::Search(_), false) => format!("by {self}"),
            (Policy::Search(search), true) => {
                let (much, unit) = self.much(search);
                let unit = if unit == "s" { "s" } else { "partii" };
                format!("przez przeszukiwanie, {much} {unit} na ruch")
            }
        }
    }

    /// How much is thought about a move, and in what that is counted.
    fn much(self, search: Search) -> (u32, &'static str) {
        match self.seconds {
            Some(seconds) => (seconds, "s"),
            None => (search.iterations, "games"),
        }
    }
}

impl fmt::Display for PlayedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.policy {
            Policy::Random => f.write_str("random"),
            Policy::Greedy => f.write_str("greedy"),
            Policy::Search(search) => {
                let (much, unit) = self.much(search);
                write!(f, "search, {much} {unit} a move")?;
                match search.horizon == Search::new(1).horizon {
                    true => Ok(()),
                    false => write!(f, ", judged after {}", search.horizon),
                }
            }
        }
    }
}

impl From<PlayedBy> for String {
    fn from(by: PlayedBy) -> String {
        by.to_string()
    }
}

impl TryFrom<String> for PlayedBy {
    type Error = String;

    fn try_from(text: String) -> Result<PlayedBy, String> {
        text.parse()
    }
}

impl FromStr for PlayedBy {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayedBy, String> {
        let wrong = || {
            format!(
                "`{text}` plays no games: it is `random`, `greedy`, `search, 1 s a move` or `search, 200 games a move`"
            )
        };
        let parts: Vec<&str> = text.split(", ").collect();
        let (much, judged) = match parts[..] {
            ["random"] => return Ok(PlayedBy::policy(Policy::Random)),
            ["greedy"] => return Ok(PlayedBy::policy(Policy::Greedy)),
            ["search", much] => (much, None),
            ["search", much, judged] => (much, Some(judged)),
            _ => return Err(wrong()),
        };
        let horizon = match judged.map(|judged| judged.strip_prefix("judged after ")) {
            None => None,
            Some(number) => Some(number.and_then(|n| n.parse().ok()).ok_or_else(wrong)?),
        };
        let much = much
            .strip_suffix(" a move")
            .and_then(|much| much.split_once(' '));
        let (number, unit) = much.ok_or_else(wrong)?;
        let number: u32 = number.parse().map_err(|_| wrong())?;
        match unit {
            _ if number == 0 => Err(wrong()),
            "s" => Ok(PlayedBy::clock(number, horizon)),
            "games" => {
                let mut search = Search::new(number);
                search.horizon = horizon.unwrap_or(search.horizon);
                Ok(PlayedBy::policy(Policy::Search(search)))
            }
            _ => Err(wrong()),
        }
    }
}
