/**
 * The matches of a player who has a token of their own.
 *
 * In: a {@link Referee} with the player's token. Out: every match in which the player holds a seat, with whose turn it is, for as
 * long as somebody looks; the seat that the player holds in one of them.
 *
 * @module
 */
import { signal, type Signal } from "@preact/signals";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Reason, hasReason, pause, watchAll, type Referee, type WatchedMatch } from "referee-client";
import { MatchState, type PlayerMatch } from "referee-client/v1";
import { EMPTY, after } from "../model/table.ts";
import { player } from "../server.ts";

/** A match in which the player holds a seat. */
export interface Mine {
  /** `matches/…` */
  readonly name: string;
  readonly ruleset: string;
  readonly seat: number;
  readonly state: MatchState;
  /** Whether the player is asked something, and until when there is time for that. */
  readonly asked: boolean;
  readonly deadline: Timestamp | undefined;
  /** Who is asked something, as far as that was told. */
  readonly waiting: readonly number[];
}

/** What is known of them. */
export interface MyMatches {
  /** The latest seat first; `undefined` until they are known. */
  readonly all: readonly Mine[] | undefined;
  /** Whether the referee is away just now. */
  readonly lost: boolean;
  /** Whether the referee does not know the token. */
  readonly unknown: boolean;
}

const NOTHING: MyMatches = { all: undefined, lost: false, unknown: false };
/** What the screen of tables shows, and the title of the page tells. */
export const myMatches: Signal<MyMatches> = signal(NOTHING);

/** How long to wait before a referee that is away is asked again. */
const AGAIN_MS = 2000;

const mineOf = ({ match, seat, asked, deadline }: PlayerMatch): Mine => ({
  name: match!.name,
  ruleset: match!.ruleset,
  seat,
  state: match!.state,
  asked,
  deadline,
  waiting: asked ? [seat] : [],
});

async function listed(referee: Referee, signal?: AbortSignal): Promise<readonly Mine[]> {
  const all: Mine[] = [];
  for (let pageToken = ""; ; ) {
    const page = await referee.players.listMyMatches({ pageSize: 1000, pageToken, withQuestions: true }, signal ? { signal } : {});
    all.push(...page.matches.filter(({ match }) => match).map(mineOf));
    if (page.nextPageToken === "") return all;
    pageToken = page.nextPageToken;
  }
}

/** A match after what was told of it. */
export function told(mine: Mine, what: WatchedMatch): Mine {
  const asked = what.asked === undefined ? mine.asked : what.asked.length > 0;
  const deadline = what.clocks === undefined ? mine.deadline : what.clocks.find(({ seat }) => seat === mine.seat)?.deadline;
  const next = { ...mine, asked, deadline };
  switch (what.kind) {
    case "snapshot":
      return { ...next, state: MatchState.RUNNING, waiting: what.view.waitingSeats };
    case "events": {
      const { waiting } = what.events.reduce(after, { ...EMPTY, waiting: mine.waiting });
      return { ...next, state: MatchState.RUNNING, waiting };
    }
    case "closed":
      return { ...next, state: MatchState.FINISHED, asked: false, deadline: undefined, waiting: [] };
    case "checkpoint":
      return next;
  }
}

/** Follows the matches until it is told to end. Matches that come later are found by what is told of them. */
export async function followMine(referee: Referee, signal: AbortSignal): Promise<void> {
  myMatches.value = NOTHING;
  while (!signal.aborted) {
    try {
      let all = await listed(referee, signal);
      const show = (): void => void (myMatches.value = { all, lost: false, unknown: false });
      show();
      for await (const one of watchAll(referee, { signal })) {
        if (one.kind === "interrupted") myMatches.value = { ...myMatches.value, lost: true };
        if (one.kind === "match") {
          if (!all.some(({ name }) => name === one.match)) all = await listed(referee, signal);
          all = all.map((mine) => (mine.name === one.match ? told(mine, one.told) : mine));
        }
        // A seat that is no longer the player's, or a match that stands still.
        if (one.kind === "ended") all = await listed(referee, signal);
        if (one.kind !== "interrupted") show();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const unknown = hasReason(thrown, Reason.TOKEN_INVALID, Reason.TOKEN_KIND_WRONG);
      myMatches.value = { ...myMatches.value, lost: !unknown, unknown };
      if (unknown) return;
    }
    await pause(AGAIN_MS, signal, referee.line).catch(() => undefined);
  }
}

/** The seat that the player of this browser holds in a match: this one, if one is meant; `undefined` if there is none. */
export async function seatOfPlayer(match: string, seat: number | undefined): Promise<number | undefined> {
  if (player.value === undefined || seat === 0) return undefined;
  const mine = await listed(player.value).catch(() => []);
  return mine.find(({ name, seat: held }) => name === match && (seat === undefined || seat === held))?.seat;
}
