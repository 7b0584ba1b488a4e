/**
 * What a seat is asked, whole.
 *
 * In: a {@link Referee} with a seat's token. Out: every open decision with all its offers, however many pages they fill.
 *
 * @module
 */
import type { Decision, Offer } from "./gen/referee/v1/decision_pb.js";
import { Reason } from "./gen/referee/v1/error_pb.js";
import { hasReason } from "./errors.js";
import type { Referee } from "./referee.js";

/** A question that waits for the seat, with all its legal moves. */
export interface OpenDecision {
  /** The question. Its own `offers` are the first page alone. */
  readonly decision: Decision;
  /** All legal moves, grouped by their fixed arguments; at least one. */
  readonly offers: readonly Offer[];
}

/** How decisions are asked for. */
export interface DecisionOptions {
  /** Stops asking when it is aborted. */
  readonly signal?: AbortSignal;
  /** A resume token of this seat: nothing older than what it stands for is answered. */
  readonly atLeast?: string;
  /** Adds to every offer what it would change, for {@link Narrowing.targets}. */
  readonly targets?: boolean;
}

/** The most offers that fit in a page. */
const PAGE = 1000;
/** How often a question may change while its pages are read. */
const CHANGES = 20;

/**
 * What the seat is asked now, with all offers; empty while it waits for others. If a question changes while its pages are
 * read, it is read anew.
 *
 * @param match - `matches/…`
 * @throws RefereeError if the referee refuses or stays away.
 */
export async function openDecisions(
  { play }: Referee,
  match: string,
  { signal, atLeast = "", targets: withTargets = false }: DecisionOptions = {},
): Promise<OpenDecision[]> {
  const call = signal ? { signal } : {};
  const asked = { name: match, pageSize: PAGE, atLeast, withTargets };
  const whole = async (decision: Decision): Promise<OpenDecision> => {
    const offers = [...decision.offers];
    for (let pageToken = decision.nextPageToken; pageToken !== ""; ) {
      const { decisionId } = decision;
      const page = await play.listMoves({ ...asked, decisionId, pageToken }, call);
      offers.push(...page.offers);
      pageToken = page.nextPageToken;
    }
    return { decision, offers };
  };
  for (let changes = 0; ; changes += 1) {
    const { decisions } = await play.listDecisions(asked, call);
    try {
      return await Promise.all(decisions.map(whole));
    } catch (thrown) {
      const changed = hasReason(thrown, Reason.DECISION_SUPERSEDED, Reason.PAGE_TOKEN_INVALID);
      if (!changed || changes >= CHANGES) throw thrown;
    }
  }
}
