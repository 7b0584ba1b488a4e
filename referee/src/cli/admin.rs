//! `referee admin`: what an administrator does at a referee that serves, with the matches of every host.

use super::environment::runtime;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::remote::{ServerArgs, refused_for};
use referee_contract::client::{Client, request_id};
use referee_contract::v1::{self, MatchState};
use tonic::Status;

/// Items of a page.
const PAGE: i32 = 200;

/// Arguments of `admin`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A match is named by its id, as `matches` lists it.

Examples:
  export REFEREE_ADMIN_TOKEN=$(cat admin.token)
  referee admin matches --state running
  referee admin matches --player \"Ada Example\"
  referee admin erase-names 7d4e… --player \"Ada Example\"
  referee admin end 7d4e…
  referee admin delete 7d4e…
  referee admin give my-game \"its publisher\"

Exit codes: 0 done, 2 it could not be done.")]
pub struct Args {
    #[command(subcommand)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub act: Act,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub server: ServerArgs,
    /// The token of an administrator, `rfa_…`: `referee token new admin` makes one
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "REFEREE_ADMIN_TOKEN",
        hide_env_values = true,
        default_value = ""
    )]
    pub token: String,
}

/// What is done.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Act {
    /// List matches, newest first: id, how far, since when, the host's token, ruleset
    Matches {
        /// Only those that are so far
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Only those of this host, by the id of its token, or enough of its beginning
        #[arg(long, value_name = "ID", default_value = "")]
        host: String,
        /// Only those in which a player is called so
        #[arg(long, value_name = "NAME", default_value = "")]
        player: String,
    },
    /// End a match without a result
    End {
        /// The match
        #[arg(value_name = "MATCH")]
        id: String,
    },
    /// Delete a match that is over or suspended: export it first if anybody may want it again
    Delete {
        /// The match
        #[arg(value_name = "MATCH")]
        id: String,
    },
    /// Erase what players of a match are called; its log verifies as before
    EraseNames {
        /// The match
        #[arg(value_name = "MATCH")]
        id: String,
        /// Only of players who are called so
        #[arg(long, value_name = "NAME", default_value = "")]
        player: String,
    },
    /// Give a ruleset to a publisher, who alone publishes it from then on
    Give {
        /// The ruleset, by its id
        #[arg(value_name = "RULESET")]
        ruleset: String,
        /// The label of the publisher's tokens
        #[arg(value_name = "LABEL")]
        owner: String,
    },
}

/// How far a match is.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
#[allow(missing_docs, reason = "as the service calls them")]
pub enum State {
    Lobby,
    Running,
    Finished,
    Suspended,
}

impl From<State> for MatchState {
    fn from(state: State) -> MatchState {
        match state {
            State::Lobby => MatchState::Lobby,
            State::Running => MatchState::Running,
            State::Finished => MatchState::Finished,
            State::Suspended => MatchState::Suspended,
        }
    }
}

/// Runs the command.
///
/// # Errors
///
/// When nobody answers, there is no such match, or the token is not an administrator's.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    runtime()?.block_on(act(args, out))
}

async fn act(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let client = args.server.connect().await?.with_token(&args.token);
    let request_id = request_id();
    match &args.act {
        Act::Matches {
            state,
            host,
            player,
        } => {
            let asked = v1::ListAllMatchesRequest {
                state: state.map_or(0, |state| MatchState::from(state).into()),
                host: host_token(&client, host).await?,
                display_name: player.clone(),
                page_size: PAGE,
                ..Default::default()
            };
            return list(&client, asked, out).await;
        }
        Act::End { id } => {
            let name = named(id);
            let asked = v1::EndMatchRequest { name, request_id };
            client.call(asked).await.map_err(refused)?;
            said(out, id, "is over, without a result")?;
        }
        Act::Delete { id } => {
            let name = named(id);
            let asked = v1::DeleteMatchRequest { name, request_id };
            client.call(asked).await.map_err(refused)?;
            said(out, id, "is deleted")?;
        }
        Act::EraseNames { id, player } => {
            let asked = v1::EraseNamesRequest {
                name: named(id),
                display_name: player.clone(),
                request_id,
            };
            let erased = client.call(asked).await.map_err(refused)?;
            let v1::EraseNamesResponse {
                erased,
                seats_named_in_log,
                ..
            } = erased;
            said(out, id, &format!("names erased: {erased}"))?;
            if !seats_named_in_log.is_empty() {
                let seats: Vec<String> = seats_named_in_log.iter().map(u32::to_string).collect();
                out.note(format_args!(
                    "the names of seats {} stand in the log itself, as an earlier build wrote it: they go with the match alone",
                    seats.join(", ")
                ));
            }
        }
        Act::Give { ruleset, owner } => {
            let asked = v1::SetRulesetOwnerRequest {
                name: format!("rulesets/{ruleset}"),
                owner: owner.clone(),
                request_id,
            };
            client.call(asked).await.map_err(refused)?;
            said(out, ruleset, &format!("belongs to `{owner}`"))?;
        }
    }
    Ok(Exit::Clean)
}

/// The resource name of a host's token whose id begins so; empty for any.
async fn host_token(client: &Client, begins: &str) -> Result<String, Failure> {
    if begins.is_empty() {
        return Ok(String::new());
    }
    let mut asked = v1::ListTokensRequest {
        page_size: PAGE,
        ..Default::default()
    };
    let mut found = Vec::new();
    loop {
        let page = client.call(asked.clone()).await;
        let page = page.map_err(refused)?;
        let names = page.tokens.into_iter().map(|token| token.name);
        found.extend(names.filter(|name| token_id(name).starts_with(begins)));
        asked.page_token = page.next_page_token;
        if asked.page_token.is_empty() {
            break;
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::Usage(format!(
            "no token has an id that begins with `{begins}`; `referee token list` tells them"
        ))),
        number => Err(Failure::Usage(format!(
            "the ids of {number} tokens begin with `{begins}`: say more of the one that is meant"
        ))),
    }
}

/// The id of a token, of its resource name.
fn token_id(name: &str) -> &str {
    name.trim_start_matches("tokens/")
}

async fn list(
    client: &Client,
    mut asked: v1::ListAllMatchesRequest,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    loop {
        let page = client.call(asked.clone()).await;
        let page = page.map_err(refused)?;
        for hosted in page.matches {
            let summary = hosted.summary.unwrap_or_default();
            let created = summary.create_time.map(|at| at.to_string());
            let state = summary.state();
            let state = state.as_str_name().trim_start_matches("MATCH_STATE_");
            let id = out.paint(Ink::Heading, summary.name.trim_start_matches("matches/"));
            writeln!(
                out.data,
                "{id}  {:9}  {}  host {:.12}  {}",
                state.to_ascii_lowercase(),
                created.unwrap_or_default(),
                token_id(&hosted.host),
                summary.ruleset
            )?;
        }
        asked.page_token = page.next_page_token;
        if asked.page_token.is_empty() {
            return Ok(Exit::Clean);
        }
    }
}

fn named(id: &str) -> String {
    format!("matches/{}", id.trim_start_matches("matches/"))
}

fn said(out: &mut Out<'_>, what: &str, done: &str) -> Result<(), Failure> {
    let what = out.paint(Ink::Heading, what);
    writeln!(out.data, "{what} {done}")?;
    Ok(())
}

fn refused(status: Status) -> Failure {
    refused_for(
        "an administrator, `rfa_…`, comes from `referee token new admin`",
        status,
    )
}
