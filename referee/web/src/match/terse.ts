/**
 * Moves without what is nothing.
 *
 * In: a move, or an event. Out: the same without arguments that are 0, no, none or empty, which the contract lets a client leave
 * out: what is left is what somebody reads.
 *
 * @module
 */
import type { Event, Move, Value } from "referee-client/v1";

/** Whether a value is nothing at all. */
export function isNothing(value: Value | undefined): boolean {
  const kind = value?.kind;
  switch (kind?.case) {
    case undefined:
    case "none":
      return true;
    case "integer":
      return kind.value === 0n;
    case "boolean":
      return !kind.value;
    case "bag":
      return kind.value.counts.every(({ count }) => count === 0);
    case "spread":
      return kind.value.shares.every(({ count }) => count === 0);
    case "record":
      return kind.value.parts.every(({ value }) => isNothing(value));
    default:
      return false;
  }
}

/** A move whose arguments all say something; the only argument is kept whatever it says. */
export function terseMove(move: Move): Move {
  return move.arguments.length < 2 ? move : { ...move, arguments: move.arguments.filter(({ value }) => !isNothing(value)) };
}

/** An event whose move is terse. */
export function terseEvent(event: Event): Event {
  const { kind } = event;
  if (kind.case === "moveMade" && kind.value.move) return { ...event, kind: { case: "moveMade", value: { ...kind.value, move: terseMove(kind.value.move) } } };
  return event;
}
