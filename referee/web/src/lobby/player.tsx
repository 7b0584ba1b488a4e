/**
 * A player with a token of their own.
 *
 * In: the token of this browser. Out: all matches of the player with whose turn it is, each a way to its table; the box in which
 * the token is kept and forgotten.
 *
 * @module
 */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { MatchState } from "referee-client/v1";
import { isPlayers, playerToken } from "../keys.ts";
import { Countdown, useLoading } from "../parts/controls.tsx";
import { Sign } from "../parts/icon.tsx";
import { Said } from "../parts/text.tsx";
import { to } from "../route.ts";
import { player } from "../server.ts";
import { texts } from "../texts.ts";
import { followMine, myMatches, type Mine } from "./mine.ts";
import { TokenBox } from "./token.tsx";

/** As many matches as are shown. */
const MOST = 48;

/** The matches of the player, those first that wait for the player, those last that are over. */
export function MyMatches({ called }: { readonly called: (ruleset: string) => string }): JSX.Element | null {
  const t = texts.value;
  useEffect(() => {
    if (!player.value) return undefined;
    const abort = new AbortController();
    void followMine(player.value, abort.signal);
    return () => abort.abort();
  }, [player.value]);
  const { all, lost } = myMatches.value;
  if (!player.value || all === undefined) return null;
  const rank = ({ asked, state }: Mine): number => (asked ? 0 : state === MatchState.FINISHED ? 2 : 1);
  return (
    <section aria-label={t.myMatches} data-mine>
      <h2>{t.myMatches}</h2>
      {lost ? <p class="banner warn" role="status"><Sign name="wifi-off" /> {t.lost}</p> : null}
      {all.length === 0 ? <p class="quiet">{t.noMatches}</p> : null}
      <ul class="cards">
        {all.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST).map((mine) => (
          <MineCard key={mine.name} mine={mine} title={called(mine.ruleset)} />
        ))}
      </ul>
    </section>
  );
}

function MineCard({ mine, title }: { readonly mine: Mine; readonly title: string }): JSX.Element {
  const t = texts.value;
  const { name, seat, state, asked, deadline, waiting } = mine;
  // What the others are called; until that is known, where they sit.
  const { loading } = useLoading(async (signal) => (await player.value!.matches.getMatch({ name }, { signal })).match?.seats ?? [], [name, state]);
  const seats = loading.state === "done" ? loading.value : [];
  const nameOf = (number: number): string => {
    const one = seats.find((one) => one.number === number);
    return one?.displayName || `${one?.bot ? t.botMark : t.seat} ${number}`;
  };
  const others = waiting.filter((one) => one !== seat);
  return (
    <li class="card-box" data-match={name} data-asked={asked || undefined}>
      <h3>
        <Said text={title} most={80} />
      </h3>
      <p class="quiet">
        {t.asSeat(seat)}
        {seats.length > 0 ? " · " : ""}
        <Said text={seats.filter(({ number }) => number !== seat).map(({ number }) => nameOf(number)).join(", ")} most={120} />
      </p>
      <p>
        {state !== MatchState.RUNNING ? (
          <span class="chip">{t.states[state] ?? MatchState[state]}</span>
        ) : asked ? (
          <span class="chip moving"><Sign name="hourglass" />{t.yourTurn}</span>
        ) : others.length > 0 ? (
          <span class="chip"><Said text={t.waitingOn(others.map(nameOf).join(", "))} most={120} /></span>
        ) : (
          <span class="chip">{t.waitingSome}</span>
        )}{" "}
        {asked && deadline ? <Countdown until={deadline} /> : null}
      </p>
      <span class="small-buttons">
        <a class={asked ? "button primary" : "button"} href={to.match(name, seat)}>{t.goOn}</a>
      </span>
    </li>
  );
}

/** Where a player's token is kept. */
export function PlayerBox(): JSX.Element {
  const t = texts.value;
  const said = { title: t.playerTitle, why: t.playerWhy, label: t.playerToken, known: t.playerKnown, gone: t.playerGone, wrong: t.playerWrong, forget: t.playerForget };
  return <TokenBox name="player" token={playerToken} isGood={isPlayers} unknown={myMatches.value.unknown} said={said} />;
}
