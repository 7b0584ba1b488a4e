//! How players who need nobody are asked for on the command line.

use interpreter::play::Search;

use super::outcome::Failure;
use referee_library::players::{PlayedBy, Policy};

/// How players play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Player {
    /// Uniformly among the legal moves, then uniformly among the ways to complete them
    #[default]
    Random,
    /// Of some moves drawn at random, the one after which score and the ruleset's hints say most
    Greedy,
    /// What Monte Carlo tree search finds best
    Search,
}

/// Games that a player who searches imagines for each decision, if nobody says how many.
const ITERATIONS: u32 = 200;

/// How a player who searches does it.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct SearchArgs {
    /// How many games a player who searches imagines for each decision [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: Option<u32>,
    /// After how many decisions at random an imagined game is judged by score and the ruleset's hints
    /// [default: 2000]
    #[arg(long, value_name = "D")]
    pub horizon: Option<u32>,
}

impl Player {
    /// Its name, as it is written.
    pub(super) fn name(self) -> &'static str {
        match self {
            Player::Random => "random",
            Player::Greedy => "greedy",
            Player::Search => "search",
        }
    }

    /// The policy; `option` is how the player was asked for.
    ///
    /// # Errors
    ///
    /// When a player who does not search is told how.
    pub(super) fn policy(self, option: &str, how: SearchArgs) -> Result<Policy, Failure> {
        let told = match (how.iterations, how.horizon) {
            (Some(_), _) => Some("--iterations"),
            (None, Some(_)) => Some("--horizon"),
            (None, None) => None,
        };
        match (self, told) {
            (Player::Search, _) => {
                let mut search = Search::new(how.iterations.unwrap_or(ITERATIONS));
                search.horizon = how.horizon.unwrap_or(search.horizon);
                Ok(Policy::Search(search))
            }
            (_, Some(told)) => Err(Failure::Usage(format!(
                "`{told}` belongs to a player who searches: add `{option} search`"
            ))),
            (Player::Random, None) => Ok(Policy::Random),
            (Player::Greedy, None) => Ok(Policy::Greedy),
        }
    }
}

/// Who plays games that are kept.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct PlayerArgs {
    /// How the players play [default: random]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub policy: Option<Player>,
    /// How long a player who searches thinks about each move that is not the only one, in place of counting games
    #[arg(long, value_name = "S", conflicts_with = "iterations", value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,
    /// How it searches
    #[command(flatten)]
    pub search: SearchArgs,
}

impl PlayerArgs {
    /// Who is asked for; none if nobody is.
    ///
    /// # Errors
    ///
    /// When a player who does not search is told how.
    pub(super) fn asked(self) -> Result<Option<PlayedBy>, Failure> {
        let player = self.policy.unwrap_or_default();
        if let Some(seconds) = self.seconds {
            return match player {
                Player::Search => Ok(Some(PlayedBy::clock(seconds, self.search.horizon))),
                Player::Random | Player::Greedy => Err(Failure::Usage(
                    "`--seconds` belongs to a player who searches: add `--policy search`"
                        .to_owned(),
                )),
            };
        }
        let policy = player.policy("--policy", self.search)?;
        Ok(self.policy.map(|_| PlayedBy::policy(policy)))
    }
}
