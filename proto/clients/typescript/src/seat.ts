/**
 * A seat that is played.
 *
 * In: a {@link Referee} with a seat's token, and a function that decides. Out: how the match ended. Survives lost connections
 * and a referee that restarts.
 *
 * @module
 */
import { openDecisions, type OpenDecision } from "./decisions.js";
import { RefereeError, hasReason, isRetryable } from "./errors.js";
import type { Move } from "./gen/referee/v1/common_pb.js";
import { Reason } from "./gen/referee/v1/error_pb.js";
import type { MatchClosed } from "./gen/referee/v1/play_service_pb.js";
import type { Referee } from "./referee.js";
import { backoffMs, pause } from "./retry.js";
import { watch, type WatchOptions, type Watched } from "./watch.js";

/** A move that was refused: why, and in `error.refusal` by which clause and what would be legal. */
export interface Refused {
  /** The move. */
  readonly move: Move;
  /** Why it was refused. */
  readonly error: RefereeError;
}

/**
 * Answers a question.
 *
 * @param question - what is asked, with all legal moves.
 * @param refused - the answer before, if the rules forbid it: nothing has changed, choose another one.
 */
export type Decide = (question: OpenDecision, refused?: Refused) => Move | Promise<Move>;

/** How a seat is played. */
export interface PlayOptions {
  /** Stops playing when it is aborted; the seat stays taken. */
  readonly signal?: AbortSignal;
  /** Is told everything that the seat's stream tells, in order: what led to a question before that is decided. */
  readonly observe?: (told: Watched) => void;
  /**
   * How many answers to one question may be refused, one after the other, before playing fails with the last refusal; 20 if
   * left out.
   */
  readonly refusals?: number;
  /** Adds to every offer what it would change, for {@link Narrowing.targets}. */
  readonly targets?: boolean;
}

/** How a seat was played. */
export interface Played {
  /** How the match ended. */
  readonly closed: MatchClosed;
  /** How many moves were made here. */
  readonly moves: number;
}

/** The question has changed, or the match takes no move now: the stream tells what is asked then. */
const NOT_NOW = [
  Reason.DECISION_SUPERSEDED,
  Reason.MATCH_PAUSED,
  Reason.MATCH_SUSPENDED,
  Reason.RULESET_FAULT,
  Reason.MATCH_OVER,
  Reason.MATCH_NOT_STARTED,
];

/**
 * Plays a seat until the match is over.
 *
 * ```ts
 * const { closed } = await playSeat(referee, "matches/…", ({ offers }) => completeMove(offers[0]!));
 * ```
 *
 * @param match - `matches/…`
 * @throws RefereeError if the referee refuses what it is asked, could not be reached even once, or refused one answer too
 * many.
 * @throws what `decide` throws, and what the signal says when it is aborted.
 */
export async function playSeat(
  referee: Referee,
  match: string,
  decide: Decide,
  options: PlayOptions = {},
): Promise<Played> {
  const { signal, observe } = options;
  let start: NonNullable<WatchOptions["start"]> = "now";
  let moves = 0;
  let waits = false;
  for (let failures = 0; ; ) {
    try {
      for await (const told of watch(referee, match, { start, ...(signal && { signal }) })) {
        observe?.(told);
        if (told.kind === "closed") return { closed: told.closed, moves };
        if (told.kind === "interrupted" || told.kind === "reset") continue;
        start = { resumeToken: told.resumeToken };
        failures = 0;
        // A move that leaves its question open changes nothing that the stream would tell: look until it says that nothing waits.
        if (told.asked) waits = told.asked.length > 0;
        if (waits) moves += await answer(referee, match, decide, options);
      }
    } catch (thrown) {
      signal?.throwIfAborted();
      if (start === "now" || !isRetryable(thrown)) throw thrown;
      // A call stayed unanswered. The first message of the next connection says what waits then.
      failures += 1;
      await pause(backoffMs(referee.retry, failures), signal);
    }
  }
}

/** Answers what is asked now; gives how many moves that took, one or none. Of what is asked then the stream tells, in order. */
async function answer(
  referee: Referee,
  match: string,
  decide: Decide,
  { signal, refusals = 20, targets = false }: PlayOptions,
): Promise<number> {
  const call = signal ? { signal } : {};
  const [question] = await openDecisions(referee, match, { ...call, targets });
  if (question === undefined) return 0;
  const { decisionId } = question.decision;
  let refused: Refused | undefined;
  for (let times = 0; ; times += 1) {
    const move = await decide(question, refused);
    try {
      // The stream tells what follows from it.
      await referee.play.submitMove({ name: match, decisionId, move }, call);
      return 1;
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = RefereeError.from(thrown);
      if (error.refusal !== undefined && times < refusals) refused = { move, error };
      else if (hasReason(error, ...NOT_NOW)) return 0;
      else throw error;
    }
  }
}
