/**
 * Decisions narrowed by pointing.
 *
 * In: the offers of a decision, and what a player points at: a move's name, a row, a place, a seat, a number. Out: the offers
 * that are left, what can still be pointed at, and the one offer in the end. Nothing here calls the referee, and nothing
 * changes: every step gives a new {@link Narrowing}, and the one before is still there.
 *
 * @module
 */
import type { Argument, PlaceRef, RowRef, Value } from "./gen/referee/v1/common_pb.js";
import type { Offer } from "./gen/referee/v1/decision_pb.js";
import { boolean, integer, placeKey, valueKey } from "./values.js";

/** What a player points at. A row, a place, a value as in messages; a number or yes and no as they are. */
export type Pointed = Value | RowRef | PlaceRef | number | bigint | boolean;

/** An argument that can still be chosen. */
export interface Choosable {
  /** The parameter. */
  readonly parameter: string;
  /** The value. */
  readonly value: Value;
  /** How many offers are left if it is chosen. */
  readonly left: number;
}

/** How many things a message of an error names at most. */
const NAMED = 12;
const list = (things: readonly string[]): string =>
  things.length > NAMED ? `${things.slice(0, NAMED).join("; ")}; …` : things.join("; ") || "nothing";

/** Everything that a value speaks of: itself, and what is in it. */
function* keysIn(value: Value): Generator<string> {
  yield valueKey(value);
  const { kind } = value;
  if (kind.case === "bag") for (const { row } of kind.value.counts) yield `row ${kind.value.table}.${row}`;
  if (kind.case === "record") for (const part of kind.value.parts) if (part.value) yield* keysIn(part.value);
  if (kind.case === "spread") {
    for (const { place, row } of kind.value.shares) {
      if (place) yield placeKey(place);
      if (row) yield `row ${row.table}.${row.row}`;
    }
  }
}

/** What offers speak of, so that it is looked up once while a player points. */
const SPOKEN = new WeakMap<Offer, ReadonlySet<string>>();

/** Everything that an offer speaks of, in its fixed arguments and in what is open. */
function spokenOf(offer: Offer): ReadonlySet<string> {
  const known = SPOKEN.get(offer);
  if (known) return known;
  const keys = new Set(offer.fixed.flatMap(({ value }) => (value ? [...keysIn(value)] : [])));
  for (const { domain } of offer.open) {
    if (domain.case === "values")
      for (const value of domain.value.values) for (const key of keysIn(value)) keys.add(key);
    if (domain.case === "bag")
      for (const { row } of domain.value.available) keys.add(`row ${domain.value.table}.${row}`);
    if (domain.case === "spread") {
      for (const { place } of domain.value.rooms) if (place) keys.add(placeKey(place));
      for (const { row } of domain.value.pieces) if (row) keys.add(`row ${row.table}.${row.row}`);
    }
  }
  SPOKEN.set(offer, keys);
  return keys;
}

const argumentOf = (offer: Offer, parameter: string): Argument | undefined =>
  offer.fixed.find(({ name }) => name === parameter);

function isMessage<T extends Value | RowRef | PlaceRef>(pointed: Pointed, type: T["$typeName"]): pointed is T {
  return typeof pointed === "object" && pointed.$typeName === type;
}

/** A row, a number, yes or no as the value that it is; a place has none. */
function asValueKey(pointed: Exclude<Pointed, PlaceRef>): string {
  if (typeof pointed === "boolean") return valueKey(boolean(pointed));
  if (typeof pointed === "number" || typeof pointed === "bigint") return valueKey(integer(pointed));
  if (isMessage<RowRef>(pointed, "referee.v1.RowRef")) return `row ${pointed.table}.${pointed.row}`;
  return valueKey(pointed);
}

/**
 * The offers of a decision that are left after some steps.
 *
 * ```ts
 * const narrowing = Narrowing.of(offers).choose("build").fix("site", row("field", "north"));
 * narrowing.single; // the offer, if one is left
 * narrowing.choosable(); // what can still be pointed at
 * narrowing.undo(); // without the last step
 * ```
 */
export class Narrowing {
  private constructor(
    /** The offers that are left; at least one, unless there were none to begin with. */
    readonly offers: readonly Offer[],
    /** The narrowing before the last step; `undefined` before the first. */
    readonly before: Narrowing | undefined,
  ) {}

  /** All offers of a decision. */
  static of(offers: readonly Offer[]): Narrowing {
    return new Narrowing(offers, undefined);
  }

  /** How many steps were taken. */
  get steps(): number {
    return this.before === undefined ? 0 : this.before.steps + 1;
  }

  /** The offer, when exactly one is left. */
  get single(): Offer | undefined {
    return this.offers.length === 1 ? this.offers[0] : undefined;
  }

  /** The names of the moves that are left, each once, in their order. */
  moves(): readonly string[] {
    return [...new Set(this.offers.map(({ name }) => name))];
  }

  /**
   * The arguments that tell the offers that are left from each other: each leaves fewer than there are, and at least one.
   * Empty when one is left, and when they differ in nothing but their names or what is open in them.
   */
  choosable(): readonly Choosable[] {
    const found = new Map<string, { parameter: string; value: Value; left: number }>();
    for (const { fixed } of this.offers) {
      for (const { name: parameter, value } of fixed) {
        if (value === undefined) continue;
        const key = `${parameter} ${valueKey(value)}`;
        const known = found.get(key);
        if (known) known.left += 1;
        else found.set(key, { parameter, value, left: 1 });
      }
    }
    return [...found.values()].filter(({ left }) => left < this.offers.length);
  }

  /**
   * Only the moves of this name.
   *
   * @throws RangeError if none is left; the message says which are.
   */
  choose(move: string): Narrowing {
    const left = this.offers.filter(({ name }) => name === move);
    return this.step(left, `no move ${move} is left`, this.moves());
  }

  /**
   * Only the offers that fix this argument to this value.
   *
   * @throws RangeError if there is none; the message says which values there are.
   */
  fix(parameter: string, to: Exclude<Pointed, PlaceRef>): Narrowing {
    const key = asValueKey(to);
    const values = this.offers.map((offer) => argumentOf(offer, parameter)?.value);
    const left = this.offers.filter((_, i) => values[i] && valueKey(values[i]) === key);
    const others = values.flatMap((value) => (value ? [valueKey(value)] : []));
    return this.step(left, `no offer that is left has ${parameter} = ${key}`, [...new Set(others)]);
  }

  /** Whether {@link point} would leave anything. */
  canPoint(at: Pointed): boolean {
    return this.pointed(at).length > 0;
  }

  /**
   * Only the offers that speak of this, in whichever argument, and also where it can be chosen in what is open. Of a place
   * they speak if they name it, or all of its index values that any of them speaks of, at least one: who points at the
   * warehouse of a building means the building.
   *
   * @throws RangeError if there is none; {@link canPoint} tells before.
   */
  point(at: Pointed): Narrowing {
    const place = isMessage<PlaceRef>(at, "referee.v1.PlaceRef");
    const what = place ? placeKey(at) : asValueKey(at);
    const others = this.choosable().map(({ parameter, value }) => `${parameter} = ${valueKey(value)}`);
    return this.step(this.pointed(at), `no offer that is left speaks of ${what}`, others);
  }

  /** Without the last step; the same if there was none. */
  undo(): Narrowing {
    return this.before ?? this;
  }

  private pointed(at: Pointed): readonly Offer[] {
    const spoken = this.offers.map(spokenOf);
    const speakOf = (keys: readonly string[]): readonly Offer[] =>
      this.offers.filter((_, i) => keys.length > 0 && keys.every((key) => spoken[i]?.has(key)));
    if (!isMessage<PlaceRef>(at, "referee.v1.PlaceRef")) return speakOf([asValueKey(at)]);
    const named = speakOf([placeKey(at)]);
    if (named.length > 0) return named;
    return speakOf(at.index.map(valueKey).filter((key) => spoken.some((keys) => keys.has(key))));
  }

  private step(left: readonly Offer[], why: string, instead: readonly string[]): Narrowing {
    if (left.length === 0) throw new RangeError(`${why}; there are: ${list(instead)}`);
    return new Narrowing(left, this);
  }
}
