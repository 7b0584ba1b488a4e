/**
 * What is asked before a move: what it would bring, and why others are not offered.
 *
 * In: a {@link Referee} with a seat's token, a question, moves. Out: a {@link Preview} of what they would bring, and the
 * reasons of moves that the rules forbid now. Changes nothing.
 *
 * @module
 */
import type { Move, Value } from "./gen/referee/v1/common_pb.js";
import type { Event } from "./gen/referee/v1/event_pb.js";
import { Certainty, type RefusedMove } from "./gen/referee/v1/play_service_pb.js";
import type { View } from "./gen/referee/v1/table_pb.js";
import type { Referee } from "./referee.js";
import { argument } from "./values.js";

/** A question: its id, or anything that has it, such as what {@link openDecisions} gives. */
export type Question =
  string | { readonly decisionId: string } | { readonly decision: { readonly decisionId: string } };

const idOf = (question: Question): string =>
  typeof question === "string" ? question : "decision" in question ? question.decision.decisionId : question.decisionId;

/** What moves would bring, as far as the seat can know. What is unknown is absent, as something secret is. */
export interface Foreseen {
  /** What would happen, in order, as the seat would see it; up to the first event of which it is not known what comes then. */
  readonly events: readonly Event[];
  /** The table after the moves; `undefined` if nothing is known of it. */
  readonly view: View | undefined;
  /** Whether these are all events, with nothing unknown in them. */
  readonly complete: boolean;
  /** `certain`: it will be so. `likely`: it may be otherwise where that hangs on what the seat does not see, or on chance. */
  readonly certainty: "certain" | "likely";
  /** On how many imagined tables the moves could be made. */
  readonly tables: number;
}

/** How the referee is asked before a move. */
export interface ForesightOptions {
  /** Stops asking when it is aborted. */
  readonly signal?: AbortSignal;
  /** A resume token of this seat: nothing older than what it stands for is answered. */
  readonly atLeast?: string;
}

/**
 * What a move would bring, or several one after the other.
 *
 * ```ts
 * const { events, view, certainty } = await preview(referee, name, question, Choice.of(offer).filled().move());
 * ```
 *
 * @param match - `matches/…`
 * @param question - the question that the move answers.
 * @param moves - a complete move, or a chain of them as one `submitMove` takes it.
 * @throws RefereeError exactly as `submitMove` would: {@link isRefused} if the rules forbid it, {@link isSuperseded} if the
 * question has changed.
 */
export async function preview(
  referee: Referee,
  match: string,
  question: Question,
  moves: Move | readonly Move[],
  { signal, atLeast = "" }: ForesightOptions = {},
): Promise<Foreseen> {
  const [move, ...furtherMoves] = "$typeName" in moves ? [moves] : moves;
  if (move === undefined) throw new RangeError("there is no move to preview: give one, or several in a list");
  const asked = { name: match, decisionId: idOf(question), move, furtherMoves, atLeast, withPreview: true };
  const { preview: told } = await referee.play.checkMove(asked, signal ? { signal } : {});
  return {
    events: told?.events ?? [],
    view: told?.view,
    complete: told?.complete ?? false,
    certainty: told?.certainty === Certainty.CERTAIN ? "certain" : "likely",
    tables: told?.tables ?? 0,
  };
}

/** Which moves are explained, and how they are asked for. */
export interface RefusalOptions extends ForesightOptions {
  /** Only moves that fix these arguments to these values, such as the piece or place that was pointed at. */
  readonly fixed?: Readonly<Record<string, Value>>;
  /** At most so many with each call; the referee's default if it is left out. */
  readonly pageSize?: number;
}

/**
 * Why moves of one name are not offered: each that the rules forbid now, with the clause, the condition that failed and what it
 * compared. There may be very many; leave the loop when there are enough, and no more are asked for.
 *
 * ```ts
 * for await (const { fixed, clause, condition } of refusals(referee, name, question, "build")) {
 *   console.log(fixed.map(({ value }) => names.value(value!)), names.clause(clause) ?? condition);
 * }
 * ```
 *
 * @param match - `matches/…`
 * @param question - the question.
 * @param move - the name of a move of that question's step.
 * @throws RefereeError if the referee refuses or stays away: {@link isSuperseded} if the question changed between two pages.
 */
export async function* refusals(
  referee: Referee,
  match: string,
  question: Question,
  move: string,
  { signal, atLeast = "", fixed = {}, pageSize = 0 }: RefusalOptions = {},
): AsyncGenerator<RefusedMove, void, undefined> {
  const asked = {
    name: match,
    decisionId: idOf(question),
    moveName: move,
    fixed: Object.entries(fixed).map(([parameter, value]) => argument(parameter, value)),
    pageSize,
    atLeast,
  };
  let pageToken = "";
  do {
    // A page may be empty although others follow: only its token says that it was the last.
    const page = await referee.play.listRefusals({ ...asked, pageToken }, signal ? { signal } : {});
    yield* page.moves;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}
