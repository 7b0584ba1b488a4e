/**
 * Values and moves without what is nothing.
 *
 * In: a move, an event or a value, such as the terms of an offer. Out: the same without parts that are 0, no, none or empty,
 * which the contract lets a client leave out: what is left is what somebody reads.
 *
 * @module
 */
import type { Argument, Event, Move, Value } from "referee-client/v1";

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
    default:
      return false;
  }
}

const parts = (all: readonly Argument[]): Argument[] =>
  all.filter(({ value }) => !isNothing(value)).map((one) => (one.value ? { ...one, value: terse(one.value) } : one));

/** A value whose parts all say something. */
export function terse(value: Value): Value {
  const { kind } = value;
  return kind.case === "record" ? { ...value, kind: { case: "record", value: { ...kind.value, parts: parts(kind.value.parts) } } } : value;
}

/** A move whose arguments all say something; the only argument is kept whatever it says. */
export function terseMove(move: Move): Move {
  return move.arguments.length < 2 ? move : { ...move, arguments: parts(move.arguments) };
}

/** An event whose move and values are terse. */
export function terseEvent(event: Event): Event {
  const { kind } = event;
  if (kind.case === "markerSet" && kind.value.value) return { ...event, kind: { case: "markerSet", value: { ...kind.value, value: terse(kind.value.value) } } };
  if (kind.case === "moveMade" && kind.value.move) return { ...event, kind: { case: "moveMade", value: { ...kind.value, move: terseMove(kind.value.move) } } };
  return event;
}
