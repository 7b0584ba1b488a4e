//! `MatchService`, what a host does with a match beside creating and starting it.

use tonic::metadata::MetadataMap;

use super::matches::{Matches, code_out};
use super::revisions;
use crate::calls::auth::SPECTATOR_PREFIX;
use crate::calls::{Failure, display_name, match_id, once, seat_of};
use referee_contract::v1;
use referee_store::MatchId;
use referee_store::log::v1::BotKind;
use referee_store::numbers::to_usize;
use referee_store::secrets::{Purpose, token_hash};
use referee_table::{Act, Acted, Difference, Request};

impl Matches {
    /// Does something with a match of the host who calls.
    async fn host_act(
        &self,
        metadata: &MetadataMap,
        name: &str,
        act: Act,
        request: impl FnOnce(referee_store::Principal) -> Result<Request, Failure>,
    ) -> Result<(MatchId, Acted), Failure> {
        let host = self.0.auth.host(metadata).await?;
        let id = match_id(name)?;
        let table = self.0.hosted(&id, host).await?;
        let acted = table.act(act, request(host)?).await?;
        Ok((id, acted))
    }

    pub(super) async fn put_bot(
        &self,
        metadata: &MetadataMap,
        asked: v1::SeatBotRequest,
    ) -> Result<v1::SeatBotResponse, Failure> {
        let (name, seat) = seat_of(&asked.name)?;
        let (bot, called) = self.bot(asked.bot, &asked.display_name, "")?;
        let act = Act::SeatBot { seat, bot, called };
        let request = |host| once!(host, "SeatBot", asked);
        let (_, acted) = self.host_act(metadata, name, act, request).await?;
        Ok(v1::SeatBotResponse {
            r#match: Some(self.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    /// How a seat shall be played, and what the bot is called; these fields lie within another.
    pub(super) fn bot(
        &self,
        kind: i32,
        called: &str,
        within: &str,
    ) -> Result<(BotKind, String), Failure> {
        let bot = match v1::BotKind::try_from(kind) {
            Ok(v1::BotKind::Unspecified) | Err(_) => {
                let why = "is missing, or no value of the enum";
                return Err(Failure::field(format!("{within}bot"), why));
            }
            Ok(bot) => bot,
        };
        let longest = to_usize(self.0.limits().display_name_chars);
        let called = match called.is_empty() {
            true => String::new(),
            false => display_name(called, longest, &format!("{within}display_name"))?,
        };
        Ok((bot.into(), called))
    }

    pub(super) async fn release(
        &self,
        metadata: &MetadataMap,
        asked: v1::ReleaseSeatRequest,
    ) -> Result<v1::ReleaseSeatResponse, Failure> {
        let (name, seat) = seat_of(&asked.name)?;
        let request = |host| once!(host, "ReleaseSeat", asked);
        let act = Act::Release { seat };
        let (id, acted) = self.host_act(metadata, name, act, request).await?;
        self.0.auth.forget_seat(&id, seat);
        let info = &acted.snapshot.info;
        let laps = info.seat(seat).map_or(0, |seat| seat.laps);
        let code = code_out(&self.0, &id, seat, laps);
        Ok(v1::ReleaseSeatResponse {
            claim_code: Some(code),
            r#match: Some(self.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    pub(super) async fn resume(
        &self,
        metadata: &MetadataMap,
        asked: v1::ResumeMatchRequest,
    ) -> Result<v1::ResumeMatchResponse, Failure> {
        let request = |host| once!(host, "ResumeMatch", asked);
        let acted = self.host_act(metadata, &asked.name, Act::Resume, request);
        let (_, acted) = acted.await?;
        Ok(v1::ResumeMatchResponse {
            r#match: Some(self.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    pub(super) async fn cancel(
        &self,
        metadata: &MetadataMap,
        asked: v1::CancelMatchRequest,
    ) -> Result<v1::CancelMatchResponse, Failure> {
        let request = |host| once!(host, "CancelMatch", asked);
        let acted = self.host_act(metadata, &asked.name, Act::Cancel, request);
        let (_, acted) = acted.await?;
        Ok(v1::CancelMatchResponse {
            r#match: Some(self.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    pub(super) async fn correct(
        &self,
        metadata: &MetadataMap,
        asked: v1::MoveMatchRequest,
    ) -> Result<v1::MoveMatchResponse, Failure> {
        let host = self.0.auth.host(metadata).await?;
        let id = match_id(&asked.name)?;
        let table = self.0.hosted(&id, host).await?;
        let edition = revisions::edition(&self.0, &asked.ruleset, "ruleset").await?;
        if *edition.id != *table.snapshot().info.ruleset {
            return Err(Failure::field("ruleset", "is another game than the match"));
        }
        let request = once!(host, "MoveMatch", asked)?;
        self.0.unless_yanked(&edition, Some(&id), &request).await?;
        let act = Act::Move {
            edition,
            accept: asked.accept_difference,
            only_look: asked.validate_only,
        };
        let acted = table.act(act, request).await?;
        Ok(v1::MoveMatchResponse {
            difference: acted.difference.map(difference),
            r#match: Some(self.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    pub(super) async fn invite(
        &self,
        metadata: &MetadataMap,
        asked: v1::InviteSpectatorRequest,
    ) -> Result<v1::InviteSpectatorResponse, Failure> {
        let host = self.0.auth.host(metadata).await?;
        let request = once!(host, "InviteSpectator", asked)?;
        let parts: [&[u8]; 3] = [asked.name.as_bytes(), &host.0, request.id.as_bytes()];
        let (keys, of) = (self.0.keys(), match_id(&asked.name)?.bytes());
        let token = keys.token_of(Purpose::SpectatorToken, SPECTATOR_PREFIX, of, &parts);
        let act = Act::Invite {
            token: token_hash(&token),
        };
        let acted = self.host_act(metadata, &asked.name, act, |_| Ok(request.clone()));
        let (id, acted) = acted.await?;
        let earlier = || keys.token(Purpose::SpectatorToken, SPECTATOR_PREFIX, &parts);
        let given = self.0.as_given(&id, token, acted.replayed, earlier).await?;
        Ok(v1::InviteSpectatorResponse {
            spectator_token: given,
            replayed: acted.replayed,
        })
    }
}

/// Where a match goes otherwise by other rules, as its host is told.
fn difference(found: Difference) -> v1::Difference {
    v1::Difference {
        move_number: found.move_number,
        before: found.before,
        after: found.after,
    }
}
