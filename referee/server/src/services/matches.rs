//! `MatchService`: creating matches, claiming seats, starting. For hosts, and for players on their
//! way to a seat.

use std::sync::Arc;

use interpreter::play::{Seat, Seed};
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::clocks::presence_out;
use super::described::{describe, labels, seat_name, state_out};
use super::{lobbies, revisions};
use crate::Referee;
use crate::calls::auth::{CLAIM_PREFIX, SEAT_PREFIX, presented};
use crate::calls::{
    Caller, Failure, answer, display_name, match_id, once, place_tokens, request, seat_of, serves,
    status,
};
use referee_contract::catalog;
use referee_contract::convert::{self, seat_number, timestamp};
use referee_contract::v1::{
    self, Reason, SeatEntropy, match_service_server::MatchService, spectator_delay::Delay as ByWhat,
};
use referee_store::log;
use referee_store::log::v1::BotKind;
use referee_store::numbers::to_usize;
use referee_store::secrets::{Purpose, token_hash};
use referee_store::{Hash, MatchId, MatchRow, MatchState, Principal, Store, StoreError, Wanted};
use referee_table::outside::notices;
use referee_table::{Act, CreateError, Creation, Delay, Snapshot, TableError, Terms, match_id_of};

/// Answers hosts and players on their way.
pub struct Matches(pub Arc<Referee>);

serves! {
    MatchService for Matches {
        create_match(CreateMatchRequest) -> v1::CreateMatchResponse = create;
        list_matches(ListMatchesRequest) -> v1::ListMatchesResponse = list;
        leave_seat(LeaveSeatRequest) -> v1::LeaveSeatResponse = leave;
        start_match(StartMatchRequest) -> v1::StartMatchResponse = start;
        seat_bot(SeatBotRequest) -> v1::SeatBotResponse = put_bot;
        release_seat(ReleaseSeatRequest) -> v1::ReleaseSeatResponse = release;
        resume_match(ResumeMatchRequest) -> v1::ResumeMatchResponse = resume;
        cancel_match(CancelMatchRequest) -> v1::CancelMatchResponse = cancel;
        move_match(MoveMatchRequest) -> v1::MoveMatchResponse = correct;
        claim_seat(ClaimSeatRequest) -> v1::ClaimSeatResponse = claim;
        get_match(GetMatchRequest) -> v1::GetMatchResponse = get;
        list_lobbies(ListLobbiesRequest) -> v1::ListLobbiesResponse = lobbies;
        invite_spectator(InviteSpectatorRequest) -> v1::InviteSpectatorResponse = invite;
    }
    whole {
        watch_lobbies(WatchLobbiesRequest) -> Lobbies = watch_lobbies;
    }
    type WatchLobbiesStream = Lobbies;
}

/// Messages of `WatchLobbies`.
type Lobbies = ReceiverStream<Result<v1::WatchLobbiesResponse, Status>>;

impl Matches {
    async fn watch_lobbies(
        &self,
        request: Request<v1::WatchLobbiesRequest>,
    ) -> Result<Response<Lobbies>, Status> {
        let (metadata, extensions, asked) = request.into_parts();
        let (language, arrived) = (status::language(&metadata), extensions.get().copied());
        answer(language, lobbies::watch(&self.0, asked, arrived, language))
    }

    async fn lobbies(
        &self,
        _: &MetadataMap,
        asked: v1::ListLobbiesRequest,
    ) -> Result<v1::ListLobbiesResponse, Failure> {
        lobbies::list(&self.0, &asked).await
    }

    async fn create(
        &self,
        metadata: &MetadataMap,
        asked: v1::CreateMatchRequest,
    ) -> Result<v1::CreateMatchResponse, Failure> {
        let host = self.0.auth.creator(metadata).await?;
        let rest = v1::CreateMatchRequest {
            request_id: String::new(),
            ..asked.clone()
        };
        let request = request(host, "CreateMatch", &asked.request_id, &rest)?;
        let seed = match &asked.test_seed[..] {
            [] => None,
            _ if !self.0.testing => {
                return Err(Failure::field(
                    "test_seed",
                    "is accepted only by a referee that runs with `--testing`",
                ));
            }
            bytes => {
                Some(Seed(bytes.try_into().map_err(|_| {
                    Failure::field("test_seed", "is not 32 bytes")
                })?))
            }
        };
        let edition = revisions::edition(&self.0, &asked.ruleset, "ruleset").await?;
        let id = match_id_of(self.0.keys(), &request);
        self.0.unless_yanked(&edition, Some(&id), &request).await?;
        let configuration = asked.configuration.unwrap_or_default();
        let configuration = revisions::configuration(&edition, &configuration)?;
        let ask_forced = match v1::ForcedMoves::try_from(asked.forced_moves) {
            Ok(v1::ForcedMoves::Unspecified | v1::ForcedMoves::Played) => false,
            Ok(v1::ForcedMoves::Asked) => true,
            Err(_) => return Err(Failure::field("forced_moves", "is no value of the enum")),
        };
        let longest = self.0.limits().question_time;
        let question_seconds = match &asked.question_time {
            Some(time) => convert::whole_seconds(time, longest, "question_time")?,
            None => 0,
        };
        let extra = |time: &Option<prost_types::Duration>, field: &str| match time {
            Some(_) if question_seconds == 0 => {
                Err(Failure::field(field, "needs a `question_time`"))
            }
            Some(time) => {
                let seconds = convert::whole_seconds(time, longest, field)?;
                Ok(u64::from(seconds) * 1000)
            }
            None => Ok(0),
        };
        let terms = Terms {
            bank_ms: extra(&asked.time_bank, "time_bank")?,
            increment_ms: extra(&asked.time_increment, "time_increment")?,
            take_back: asked.take_back,
            starts_when_full: asked.start_when_full,
            hides_presence: asked.hide_presence,
            turn_webhook: self.turn_webhook(&asked.turn_webhook)?,
            public: asked.public,
            labels: labels(&asked.labels)?,
        };
        let mut open_seats = Vec::new();
        for (i, number) in asked.open_seats.iter().enumerate() {
            let field = format!("open_seats[{i}]");
            let seat = convert::seat_from(*number, &field)?;
            if seat.0 >= configuration.players || open_seats.contains(&seat) {
                return Err(Failure::field(
                    field,
                    "is no seat of this match, or stands twice",
                ));
            }
            open_seats.push(seat);
        }
        let bots = self.bots(&asked.bots, configuration.players)?;
        let delay = self.delay(asked.spectator_delay)?;
        let entropy = match SeatEntropy::try_from(asked.seat_entropy) {
            Ok(SeatEntropy::Unspecified) => SeatEntropy::Welcome.into(),
            Ok(entropy) => entropy.into(),
            Err(_) => return Err(Failure::field("seat_entropy", "is no value of the enum")),
        };
        let webhook_secret = match terms.turn_webhook.is_empty() {
            true => String::new(),
            false => notices::secret(self.0.keys(), host),
        };
        let creation = Creation {
            delay,
            entropy,
            host,
            edition,
            configuration,
            ask_forced,
            question_ms: u64::from(question_seconds) * 1000,
            terms,
            open_seats,
            bots,
            seed,
            request,
        };
        let created = self
            .0
            .registry
            .create(creation)
            .await
            .map_err(|error| match error {
                CreateError::Rejected(why) => Failure::rejected(&why),
                CreateError::Deleted => Failure::not_found(),
                CreateError::Table(error) => error.into(),
            })?;
        let snapshot = created.table.snapshot();
        let seats = 0..u8::try_from(snapshot.info.seats.len()).unwrap_or(u8::MAX);
        let claim_codes = seats
            .map(Seat)
            .map(|seat| code_out(&self.0, &created.id, seat, 0));
        Ok(v1::CreateMatchResponse {
            claim_codes: claim_codes.collect(),
            r#match: Some(self.describe(snapshot).await?),
            replayed: created.replayed,
            webhook_secret,
        })
    }

    /// Where a host is told whose turn it is, if anywhere.
    fn turn_webhook(&self, asked: &str) -> Result<String, Failure> {
        if !asked.is_empty() {
            let allowed = self.0.webhooks.url(asked);
            allowed.map_err(|why| Failure::field("turn_webhook", why))?;
        }
        Ok(asked.to_owned())
    }

    /// Seats that the referee shall play, of so many.
    fn bots(
        &self,
        asked: &[v1::SeatedBot],
        players: u8,
    ) -> Result<Vec<(Seat, BotKind, String)>, Failure> {
        let mut bots: Vec<(Seat, BotKind, String)> = Vec::new();
        for (i, bot) in asked.iter().enumerate() {
            let seat = convert::seat_from(bot.seat, format!("bots[{i}].seat"))?;
            if seat.0 >= players || bots.iter().any(|(known, ..)| *known == seat) {
                let why = "is no seat of this match, or stands twice";
                return Err(Failure::field(format!("bots[{i}].seat"), why));
            }
            let (kind, called) = self.bot(bot.bot, &bot.display_name, &format!("bots[{i}]."))?;
            bots.push((seat, kind, called));
        }
        Ok(bots)
    }

    /// How far spectators shall be behind.
    fn delay(&self, asked: Option<v1::SpectatorDelay>) -> Result<Option<Delay>, Failure> {
        let limits = self.0.limits();
        let Some(asked) = asked.and_then(|asked| asked.delay) else {
            return Ok(None);
        };
        Ok(Some(match asked {
            ByWhat::Moves(moves) => {
                let field = "spectator_delay.moves";
                let most = limits.spectator_delay_moves;
                match moves {
                    0 => {
                        let problem = "is 0: leave `spectator_delay` out if spectators see the table as it is";
                        return Err(Failure::field(field, problem));
                    }
                    moves if moves > most => {
                        return Err(Failure::field(field, format!("is more than {most} moves")));
                    }
                    moves => Delay::Moves(moves),
                }
            }
            ByWhat::Time(time) => {
                let most = limits.spectator_delay_time;
                let seconds = convert::whole_seconds(&time, most, "spectator_delay.time")?;
                Delay::Milliseconds(u64::from(seconds) * 1000)
            }
        }))
    }

    async fn get(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetMatchRequest,
    ) -> Result<v1::GetMatchResponse, Failure> {
        let name = &asked.name;
        if let Some(table) = self.0.watched_by_anybody(metadata, name).await? {
            return Ok(v1::GetMatchResponse {
                r#match: Some(self.describe(table.snapshot()).await?),
            });
        }
        let (table, is_there) = match self.0.auth.caller_of(metadata, name).await? {
            Caller::Host(host) => (self.0.hosted(&match_id(name)?, host).await?, true),
            Caller::Seat { id, .. } if match_id(name)? == id => (self.0.table(&id).await?, true),
            Caller::Spectator(id) if match_id(name)? == id => (self.0.table(&id).await?, false),
            Caller::Player(_) => {
                let table = self.0.public(name).await?;
                (table.ok_or_else(Failure::not_found)?, false)
            }
            Caller::Seat { .. } | Caller::Spectator(_) => return Err(Failure::not_found()),
            other @ (Caller::Publisher(_) | Caller::Admin(_) | Caller::Creator(_)) => {
                return Err(other.wrong_kind("a host's, a seat's or a spectator's"));
            }
        };
        let mut described = self.describe(table.snapshot()).await?;
        // Spectators are told nothing of what they do not see yet.
        if is_there {
            described.presence = presence_out(&table.presence(self.0.now_ms()));
        }
        Ok(v1::GetMatchResponse {
            r#match: Some(described),
        })
    }

    async fn list(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListMatchesRequest,
    ) -> Result<v1::ListMatchesResponse, Failure> {
        let host = self.0.auth.host(metadata).await?;
        let state = match_state(asked.state)?;
        let which = [state.map_or(0, MatchState::tag)];
        let list: [&[u8]; 3] = [b"matches", &host.0, &which];
        let page = (asked.page_size, &asked.page_token[..]);
        let Listed {
            matches,
            next_page_token,
        } = listed(&self.0, &list, page, move |store, before, limit| {
            let wanted = Wanted {
                host: Some(host),
                state,
                ..Wanted::default()
            };
            store.list(wanted, before, limit)
        })
        .await?;
        let matches = matches.into_iter().map(|(_, summary)| summary);
        Ok(v1::ListMatchesResponse {
            matches: matches.collect(),
            next_page_token,
        })
    }

    async fn claim(
        &self,
        metadata: &MetadataMap,
        asked: v1::ClaimSeatRequest,
    ) -> Result<v1::ClaimSeatResponse, Failure> {
        let (name, seat) = seat_of(&asked.name)?;
        // The code is what opens the seat. Whoever brings a player's token, too, holds it by that as well.
        let player_calls = match presented(metadata) {
            None => None,
            Some(_) => match self.0.auth.caller(metadata).await? {
                Caller::Player(player) => Some(player),
                _ => None,
            },
        };
        let id = match_id(name)?;
        let longest = to_usize(self.0.limits().display_name_chars);
        let player = display_name(&asked.display_name, longest, "display_name")?;
        let invalid = || {
            self.0.auth.failed(Failure::new(
                Reason::ClaimCodeInvalid,
                "this claim code does not open this seat",
            ))
        };
        let laps = asked
            .claim_code
            .rsplit_once('.')
            .map_or(Ok(0), |(_, laps)| laps.parse());
        let laps: u32 = laps.map_err(|_| invalid())?;
        // The code is a keyed hash of what it opens: no match is looked up before it is right, and
        // hashes are compared, so the time of the comparison tells nothing.
        let opens = asked.claim_code.is_empty();
        let code_hash = token_hash(&asked.claim_code);
        if !opens && code_hash != token_hash(&claim_code(&self.0, &id, seat, laps)) {
            return Err(invalid());
        }
        let table = match self.0.registry.open(&id).await? {
            Some(table) => table,
            None if opens => return Err(invalid()),
            None => return Err(Failure::not_found()),
        };
        let known = table
            .snapshot()
            .info
            .seat(seat)
            .cloned()
            .unwrap_or_default();
        if (opens && !known.open) || (!opens && known.laps != laps) {
            return Err(invalid());
        }
        // The claim of an open seat is known by its request alone.
        let principal = Principal(match opens {
            false => code_hash,
            true => token_hash(&format!("{id} {} {}", seat.0, asked.request_id)),
        });
        let claimed = Claimed {
            name: name.to_owned(),
            seat: seat_number(seat),
            claim_code: asked.claim_code,
            display_name: asked.display_name,
            holder: player_calls.map_or_else(String::new, |player| player.holder()),
        };
        let request = request(principal, "ClaimSeat", &asked.request_id, &claimed)?;
        let parts: [&[u8]; 3] = [id.as_str().as_bytes(), &[seat.0], request.id.as_bytes()];
        let keys = self.0.keys();
        let seat_token = keys.token_of(Purpose::SeatToken, SEAT_PREFIX, id.bytes(), &parts);
        let token = token_hash(&seat_token);
        let act = Act::Claim {
            seat,
            player,
            token,
            holder: player_calls.map(|player| player.holds(&token)),
        };
        let replayed = table.act(act, request.clone()).await?.replayed;
        let described = self.describe(table.snapshot()).await?;
        let earlier = || keys.token(Purpose::SeatToken, SEAT_PREFIX, &parts);
        Ok(v1::ClaimSeatResponse {
            seat_token: self.0.as_given(&id, seat_token, replayed, earlier).await?,
            r#match: Some(described),
            replayed,
        })
    }

    async fn leave(
        &self,
        metadata: &MetadataMap,
        asked: v1::LeaveSeatRequest,
    ) -> Result<v1::LeaveSeatResponse, Failure> {
        let (principal, id, seat) = match self.0.auth.seat(metadata, &asked.name).await {
            Ok(seat) => seat,
            // The answer may have been lost: the same request again is answered, though its token is no
            // more, or the player holds the seat no longer.
            Err(failure)
                if [Reason::TokenInvalid, Reason::NotFound].contains(&failure.reason()) =>
            {
                let within = match_id(&asked.name)?;
                let caller = match failure.reason() {
                    Reason::NotFound => self.0.auth.player(metadata).await.ok(),
                    _ => None,
                };
                let principal = caller.map(|player| player.at(&within));
                let Some(principal) = principal.or_else(|| presented(metadata).map(Principal))
                else {
                    return Err(failure);
                };
                let request = once!(principal, "LeaveSeat", asked)?;
                return match self.0.has_answered(Some(within), &request).await? {
                    true => Ok(v1::LeaveSeatResponse { replayed: true }),
                    false => Err(failure),
                };
            }
            Err(failure) => return Err(failure),
        };
        let table = self.0.table(&id).await?;
        let request = once!(principal, "LeaveSeat", asked)?;
        let acted = table.act(Act::Leave { seat }, request).await?;
        self.0.auth.forget_seat(&id, seat);
        Ok(v1::LeaveSeatResponse {
            replayed: acted.replayed,
        })
    }

    async fn start(
        &self,
        metadata: &MetadataMap,
        asked: v1::StartMatchRequest,
    ) -> Result<v1::StartMatchResponse, Failure> {
        let host = self.0.auth.host(metadata).await?;
        let table = self.0.hosted(&match_id(&asked.name)?, host).await?;
        let rest = v1::StartMatchRequest {
            request_id: String::new(),
            ..asked.clone()
        };
        let request = request(host, "StartMatch", &asked.request_id, &rest)?;
        let replayed = table.act(Act::Start, request).await?.replayed;
        Ok(v1::StartMatchResponse {
            r#match: Some(self.describe(table.snapshot()).await?),
            replayed,
        })
    }

    /// A match as everybody who may know of it sees it.
    pub(super) async fn describe(&self, snapshot: Arc<Snapshot>) -> Result<v1::Match, Failure> {
        let info = &snapshot.info;
        let published = self.0.is_published(&info.ruleset, info.content).await?;
        let outages = &self.0.registry.parts().outages;
        Ok(describe(&snapshot, published, outages))
    }
}

/// The code that claims a seat. One that was released has another, which says how often it was.
pub(super) fn claim_code(referee: &Referee, id: &MatchId, seat: Seat, laps: u32) -> String {
    let (seat, released) = ([seat.0], laps.to_le_bytes());
    let mut parts: Vec<&[u8]> = vec![id.as_str().as_bytes(), &seat];
    if laps > 0 {
        parts.push(&released);
    }
    let code = referee
        .keys()
        .token(Purpose::ClaimCode, CLAIM_PREFIX, &parts);
    match laps {
        0 => code,
        _ => format!("{code}.{laps}"),
    }
}

/// How far listed matches shall be; none is anything.
///
/// # Errors
///
/// `MALFORMED_REQUEST` for no value of the enum.
pub(super) fn match_state(asked: i32) -> Result<Option<MatchState>, Failure> {
    match v1::MatchState::try_from(asked) {
        Ok(v1::MatchState::Unspecified) => Ok(None),
        Ok(v1::MatchState::Lobby) => Ok(Some(MatchState::Lobby)),
        Ok(v1::MatchState::Running) => Ok(Some(MatchState::Running)),
        Ok(v1::MatchState::Finished) => Ok(Some(MatchState::Finished)),
        Ok(v1::MatchState::Suspended) => Ok(Some(MatchState::Suspended)),
        Err(_) => Err(Failure::field("state", "is no value of the enum")),
    }
}

/// A page of a list of matches.
pub(super) struct Listed {
    /// What it says of each, with its host.
    pub matches: Vec<(Principal, v1::MatchSummary)>,
    /// For the next page; empty at the end.
    pub next_page_token: String,
}

/// A page of matches, as a query gives them that is told behind which place and how many: of this size, behind this token
/// of this list.
///
/// # Errors
///
/// When the size or the token is none, or the store fails.
pub(super) async fn listed(
    referee: &Referee,
    list: &[&[u8]],
    (size, token): (i32, &str),
    query: impl FnOnce(&dyn Store, Option<u64>, usize) -> Result<Vec<MatchRow>, StoreError>
    + Send
    + 'static,
) -> Result<Listed, Failure> {
    let size = referee.page_size(size)?;
    let before = place_tokens::paged(referee.keys(), list, token)?;
    let store = referee.registry.parts().store.clone();
    let mut rows = referee
        .read(move || query(&*store, before, size + 1))
        .await?;
    let more = rows.len() > size;
    rows.truncate(size);
    let next_page_token = match rows.last().filter(|_| more) {
        Some(last) => place_tokens::page(referee.keys(), list, last.order)?,
        None => String::new(),
    };
    Ok(Listed {
        matches: summaries(referee, rows).await?,
        next_page_token,
    })
}

/// What a list says of matches, each with its host.
///
/// # Errors
///
/// When the store fails.
pub(super) async fn summaries(
    referee: &Referee,
    rows: Vec<MatchRow>,
) -> Result<Vec<(Principal, v1::MatchSummary)>, Failure> {
    let store = referee.registry.parts().store.clone();
    let work = move || {
        let played = rows.iter().map(|row| played_by(&*store, row));
        let played = played.collect::<Result<Vec<_>, _>>()?;
        Ok::<_, TableError>((rows, played))
    };
    let found = referee.threads().run(work).await;
    let found = found.map_err(|error| Failure::internal(&error.to_string()))?;
    let (rows, played) = found?;
    let matches = rows.into_iter().zip(played);
    let matches = matches.map(|(row, (content, published))| {
        let summary = v1::MatchSummary {
            name: format!("matches/{}", row.id),
            state: state_out(row.state).into(),
            ruleset: catalog::ruleset_name(&row.ruleset),
            revision: content.map_or_else(String::new, |content| {
                catalog::revision_name(&row.ruleset, &content)
            }),
            unpublished: !published,
            create_time: Some(timestamp(row.created_ms)),
        };
        (row.host, summary)
    });
    Ok(matches.collect())
}

/// The texts that a match is played by, if they are known, and whether they were published here.
fn played_by(store: &dyn Store, row: &MatchRow) -> Result<(Option<Hash>, bool), TableError> {
    let content = match row.content {
        Some(content) => Some(content),
        // Written before they were kept beside the log.
        None => log::begun_with(store, &row.id)?,
    };
    let published = match &content {
        Some(content) => store.offered(&row.ruleset, content)?,
        None => false,
    };
    Ok((content, published))
}

/// The code that claims a seat, as its host gets it.
pub(super) fn code_out(referee: &Referee, id: &MatchId, seat: Seat, laps: u32) -> v1::ClaimCode {
    v1::ClaimCode {
        name: seat_name(id, seat),
        seat: seat_number(seat),
        code: claim_code(referee, id, seat, laps),
    }
}

/// What the claim of a seat is known by when it is repeated: these bytes are kept, so that they stay.
#[derive(Clone, PartialEq, prost::Message)]
struct Claimed {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(uint32, tag = "2")]
    seat: u32,
    #[prost(string, tag = "3")]
    claim_code: String,
    #[prost(string, tag = "4")]
    display_name: String,
    /// Empty if no player with a token claims it.
    #[prost(string, tag = "5")]
    holder: String,
}
