/**
 * An offer that is made a move.
 *
 * In: an offer, and values for what is open in it. Out: what is still missing, and the complete `Move`. Nothing here calls
 * the
 * referee: where parameters depend on each other, only `CheckMove` knows, and {@link Choice.certain} says so.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import { amountState, isAmong } from "./amount.js";
import { bagState, bagValue, fillBag } from "./bag.js";
import { MoveSchema, type Bag, type Move, type Spread, type Value } from "./gen/referee/v1/common_pb.js";
import type { Offer, OpenParameter } from "./gen/referee/v1/decision_pb.js";
import { fillSpread, spreadState, spreadValue } from "./spread.js";
import { argument, integer, type Counts, type SharePart } from "./values.js";

/**
 * What a value is like within what is open. `missing`: it has to be chosen yet. `partial`: valid, but not complete.
 * `outside`:
 * not within the domain. `complete`: it can be answered. `unsure`: the domain changes with what is chosen for other
 * parameters.
 */
export type Verdict = "missing" | "partial" | "outside" | "complete" | "unsure";

/** The counts of a bag, for {@link bagState}. */
export const countsOf = (bag: Bag): Counts => {
  const counts: Record<string, number> = {};
  for (const { row, count } of bag.counts) counts[row] = (counts[row] ?? 0) + count;
  return counts;
};

/** The shares of a spread, for {@link spreadState}. */
export const sharesOf = (spread: Spread): readonly SharePart[] =>
  spread.shares.flatMap(({ place, row, count }) => (place && row ? [{ place, row, count }] : []));

const unknown = ({ name }: OpenParameter): Error =>
  new Error(
    `the parameter ${name} is open in a way that this version of referee-client does not know: install a newer one`,
  );

/**
 * What a value is like within an open parameter, by itself. Nothing at all stands for 0, an empty bag and an empty spread,
 * which may be left out of a move.
 *
 * @throws Error if the parameter is open in a way that this package does not know.
 */
export function judge(parameter: OpenParameter, value: Value | undefined): Verdict {
  const { domain } = parameter;
  const kind = value?.kind;
  const stateOf = ({ valid, complete }: { valid: boolean; complete: boolean }): Verdict =>
    complete ? "complete" : !valid ? "outside" : value === undefined ? "missing" : "partial";
  switch (domain.case) {
    case "bag": {
      if (kind === undefined) return stateOf(bagState(domain.value, {}));
      return kind.case === "bag" && kind.value.table === domain.value.table
        ? stateOf(bagState(domain.value, countsOf(kind.value)))
        : "outside";
    }
    case "spread": {
      if (kind === undefined) return stateOf(spreadState(domain.value, []));
      return kind.case === "spread" ? stateOf(spreadState(domain.value, sharesOf(kind.value))) : "outside";
    }
    case "amount": {
      if (kind === undefined) return amountState(domain.value, 0).complete ? "complete" : "missing";
      return kind.case === "integer" && amountState(domain.value, kind.value).complete ? "complete" : "outside";
    }
    case "values":
      if (value === undefined) return "missing";
      return isAmong(domain.value, value) ? "complete" : "outside";
    default:
      throw unknown(parameter);
  }
}

/**
 * A value within an open parameter: as much as may be of pieces, one step above the least of a number, the first of a list.
 */
export function fill(parameter: OpenParameter): Value {
  const { domain } = parameter;
  switch (domain.case) {
    case "bag":
      return bagValue(domain.value, fillBag(domain.value));
    case "spread":
      return spreadValue(fillSpread(domain.value));
    case "amount": {
      // Nothing at all is often refused.
      const { least } = domain.value;
      return integer(amountState(domain.value, least).more ?? least);
    }
    case "values": {
      const [first] = domain.value.values;
      if (first) return first;
      throw new RangeError(`the parameter ${parameter.name} has no value to choose`);
    }
    default:
      throw unknown(parameter);
  }
}

/** An offer and what was chosen of what is open in it so far. Never changes: every step gives a new one. */
export class Choice {
  private constructor(
    /** The offer. */
    readonly offer: Offer,
    /** What was chosen, by parameter. */
    readonly chosen: ReadonlyMap<string, Value>,
  ) {}

  /** An offer of which nothing was chosen yet. */
  static of(offer: Offer): Choice {
    return new Choice(offer, new Map());
  }

  /** With this value for an open parameter; `undefined` takes it back. @throws RangeError if no such parameter is open. */
  set(parameter: string, value: Value | undefined): Choice {
    this.#open(parameter);
    const chosen = new Map(this.chosen);
    if (value === undefined) chosen.delete(parameter);
    else chosen.set(parameter, value);
    return new Choice(this.offer, chosen);
  }

  /** With {@link fill} for everything that has yet to be chosen. */
  filled(): Choice {
    const missing = this.offer.open.filter(({ name }) => !this.chosen.has(name));
    return missing.reduce((choice, parameter) => choice.set(parameter.name, fill(parameter)), this as Choice);
  }

  /** What was chosen for a parameter is like. @throws RangeError if no such parameter is open. */
  verdict(parameter: string): Verdict {
    const open = this.#open(parameter);
    const others = this.offer.open.some(({ name }) => name !== parameter && this.chosen.has(name));
    const value = this.chosen.get(parameter);
    const alone = judge(open, value);
    // Nothing at all may be just right then, but for one of some values.
    const said = value !== undefined || open.domain.case !== "values";
    return open.depends && others && said ? "unsure" : alone;
  }

  /** Whether {@link move} can be submitted: everything is chosen, and nothing is surely wrong. */
  get ready(): boolean {
    return this.offer.open.every(({ name }) => ["complete", "unsure"].includes(this.verdict(name)));
  }

  /** Whether it is known without asking that a move that is ready is legal: no open parameter depends on another. */
  get certain(): boolean {
    return this.offer.open.every(({ depends }) => !depends);
  }

  /** The move, with the fixed arguments of the offer and all that was chosen, whether or not that is {@link ready}. */
  move(): Move {
    const chosen = [...this.chosen].map(([name, value]) => argument(name, value));
    return create(MoveSchema, { name: this.offer.name, arguments: [...this.offer.fixed, ...chosen] });
  }

  #open(parameter: string): OpenParameter {
    const open = this.offer.open.find(({ name }) => name === parameter);
    if (open) return open;
    const names = this.offer.open.map(({ name }) => name).join(", ") || "none";
    throw new RangeError(`${parameter} is not open in ${this.offer.name}; open are: ${names}`);
  }
}

/** A complete move of an offer, by {@link fill}. */
export const completeMove = (offer: Offer): Move => Choice.of(offer).filled().move();
