/**
 * A seat is taken.
 *
 * In: a seat with the code of its invitation, or one of the list of open tables. Out: the token that opens it, and its table.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Reason, callerOf, hasReason, isRetryable, requestId } from "referee-client";
import { claimId, forgetClaim, keepKey, keys, playerToken } from "../keys.ts";
import { Failure, useLoading } from "../parts/controls.tsx";
import { Said } from "../parts/text.tsx";
import { go, invitation, to } from "../route.ts";
import { player, referee } from "../server.ts";
import { playerName } from "../settings.ts";
import { texts } from "../texts.ts";
import { seatOfPlayer } from "./mine.ts";
import { titleOf } from "./title.ts";

/** A seat that is claimed by a link or from the list of open tables. */
export function ClaimScreen({ seat, code, ruleset }: { readonly seat: string; readonly code: string; readonly ruleset: string }): JSX.Element {
  const t = texts.value;
  const failed = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  // Whoever sits there already and opens the invitation again goes to their seat.
  useEffect(() => {
    const [match, number] = seat.split("/seats/");
    const sit = (): void => go(to.match(match!, Number(number)), true);
    let left = false;
    if (keys.value.some((key) => key.match === match && key.seat === Number(number))) sit();
    else void seatOfPlayer(match!, Number(number)).then((held) => void (left || held === undefined || sit()));
    return () => void (left = true);
  }, [seat]);
  // What it is called is the referee's word: the link says only which of its rulesets it is.
  const { loading } = useLoading(async () => (await referee.value.rulesets.listRulesets({ pageSize: 1000 })).rulesets, [referee.value]);
  const game = loading.state === "done" ? loading.value.find(({ name }) => name === ruleset) : undefined;
  const claim = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    failed.value = undefined;
    try {
      await takeSeat(seat, code, playerName.value.trim());
    } catch (thrown) {
      failed.value = thrown;
    }
    busy.value = false;
  };
  return (
    <main class="narrow-page">
      <h1>{t.claimTitle}</h1>
      {game ? (
        <p>
          <strong><Said text={titleOf(game)} most={80} /></strong> · {t.players(game.minPlayers, game.maxPlayers)} · <a href={to.rules(game.name)} target="_blank" rel="noopener">{t.readRules}</a>
        </p>
      ) : null}
      <form class="form" onSubmit={(event) => void claim(event)}>
        <label>
          {t.yourName}
          <input name="player" required maxLength={64} autoComplete="nickname" value={playerName.value} onInput={({ currentTarget }) => (playerName.value = currentTarget.value)} />
        </label>
        <div class="buttons">
          <button class="primary" type="submit" disabled={busy.value || playerName.value.trim() === ""}>
            {t.claim}
          </button>
        </div>
      </form>
      {failed.value !== undefined ? <Failure error={failed.value} /> : null}
      {hasReason(failed.value, Reason.SEAT_TAKEN, Reason.CLAIM_CODE_INVALID) ? <p>{t.claimAgain}</p> : null}
    </main>
  );
}

/** Claims a seat and goes there. */
export async function takeSeat(seat: string, code: string, name: string): Promise<void> {
  const mine = player.value ?? referee.value;
  const says = [seat, code, name, callerOf(playerToken.value) ?? ""].join(" ");
  const claimed = mine.matches.claimSeat({ name: seat, claimCode: code, displayName: name, requestId: claimId(says, requestId) });
  const { match, seatToken } = await claimed.catch((thrown: unknown) => {
    // What was refused was not done: the next attempt is another one.
    if (!isRetryable(thrown)) forgetClaim(says);
    throw thrown;
  });
  const number = Number(seat.split("/").at(-1));
  // What a player holds is opened by the player's own token, from any browser.
  if (!player.value) keepKey({ match: match!.name, seat: number, token: seatToken, title: match!.ruleset });
  forgetClaim(says);
  invitation.forget();
  go(to.match(match!.name, number), true);
}
