/**
 * Decisions narrowed by pointing.
 *
 * In: the offers of a decision, and what a player points at: a move's name, a row, a seat, a number; a place, a piece in it, a
 * counter, a marker. Out: the offers that are left, what can still be pointed at, and the one offer in the end. Nothing here
 * calls the referee, and nothing changes: every step gives a new {@link Narrowing}, and the one before is still there.
 *
 * @module
 */
import type { Argument, PlaceRef, RowRef, Value } from "./gen/referee/v1/common_pb.js";
import type { Offer } from "./gen/referee/v1/decision_pb.js";
import type { View } from "./gen/referee/v1/table_pb.js";
import { rowKey, thingKey, thingsOf, touchedBy, type Thing } from "./targets.js";
import { boolean, integer, placeKey, valueKey } from "./values.js";

/**
 * What a player points at. A row, a place, a value as in messages; a number or yes and no as they are; a thing on the table.
 */
export type Pointed = Value | RowRef | PlaceRef | number | bigint | boolean | Thing;

/** A thing on the table that can be pointed at. */
export interface Pointable {
  /** The thing. */
  readonly thing: Thing;
  /** The offers that are left if somebody points at it; at least one. */
  readonly offers: readonly Offer[];
  /** Whether these are fewer than there are now. */
  readonly narrows: boolean;
  /** Whether these moves would change the thing, or only speak of it in their arguments. */
  readonly by: "targets" | "arguments";
}

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
  if (kind.case === "bag") for (const { row } of kind.value.counts) yield rowKey({ table: kind.value.table, row });
  if (kind.case === "record") for (const part of kind.value.parts) if (part.value) yield* keysIn(part.value);
  if (kind.case === "spread") {
    for (const { place, row } of kind.value.shares) {
      if (place) yield placeKey(place);
      if (row) yield rowKey(row);
    }
  }
}

/** What an offer speaks of. */
interface Spoken {
  /** In its fixed arguments. */
  readonly fixed: ReadonlySet<string>;
  /** There, or where it can be chosen in what is open. */
  readonly all: ReadonlySet<string>;
}

/** What offers speak of, so that it is looked up once while a player points. */
const SPOKEN = new WeakMap<Offer, Spoken>();

function spokenOf(offer: Offer): Spoken {
  const known = SPOKEN.get(offer);
  if (known) return known;
  const fixed = new Set(offer.fixed.flatMap(({ value }) => (value ? [...keysIn(value)] : [])));
  const all = new Set(fixed);
  for (const { domain } of offer.open) {
    if (domain.case === "values")
      for (const value of domain.value.values) for (const key of keysIn(value)) all.add(key);
    if (domain.case === "bag")
      for (const { row } of domain.value.available) all.add(rowKey({ table: domain.value.table, row }));
    if (domain.case === "spread") {
      for (const { place } of domain.value.rooms) if (place) all.add(placeKey(place));
      for (const { row } of domain.value.pieces) if (row) all.add(rowKey(row));
    }
  }
  const spoken = { fixed, all };
  SPOKEN.set(offer, spoken);
  return spoken;
}

const argumentOf = (offer: Offer, parameter: string): Argument | undefined =>
  offer.fixed.find(({ name }) => name === parameter);

/** What is no thing on the table, but a value: a row, a player, a number, yes or no. */
type PointedValue = Exclude<Pointed, PlaceRef | Thing>;

/** A place or a thing as the thing that it is; `undefined` for a value. */
function asThing(pointed: Pointed): Thing | undefined {
  if (typeof pointed !== "object") return undefined;
  if (!("$typeName" in pointed)) return pointed;
  return pointed.$typeName === "referee.v1.PlaceRef" ? { place: pointed } : undefined;
}

/** A row, a number, yes or no as the value that it is. */
function asValueKey(pointed: PointedValue): string {
  if (typeof pointed === "boolean") return valueKey(boolean(pointed));
  if (typeof pointed === "number" || typeof pointed === "bigint") return valueKey(integer(pointed));
  return pointed.$typeName === "referee.v1.RowRef" ? rowKey(pointed) : valueKey(pointed);
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
  fix(parameter: string, to: PointedValue): Narrowing {
    const key = asValueKey(to);
    const values = this.offers.map((offer) => argumentOf(offer, parameter)?.value);
    const left = this.offers.filter((_, i) => values[i] && valueKey(values[i]) === key);
    const others = values.flatMap((value) => (value ? [valueKey(value)] : []));
    return this.step(left, `no offer that is left has ${parameter} = ${key}`, [...new Set(others)]);
  }

  /** Whether {@link point} would leave anything. */
  canPoint(at: Pointed): boolean {
    return this.pointed(at).offers.length > 0;
  }

  /**
   * Only the offers that this means, in the most precise sense in which any is left:
   *
   * - a row, a player, a number: those that speak of it, in whichever argument, and also where it can be chosen in what is open;
   *   otherwise those that would move such a piece.
   * - a place, a counter, a marker: those that would change it, or name it in an argument; otherwise those that speak of all
   *   of its index values that any of them speaks of, at least one: who points at the warehouse of a building means the
   *   building.
   * - a piece in a place: those that would take it from there, first of all if they speak of it, last if it can be chosen
   *   in what is open; otherwise those that speak of it, and of the index values of its place as above.
   *
   * Whether offers would change something is known if they came with targets: {@link openDecisions} has the option `targets`.
   *
   * @throws RangeError if there is none; {@link canPoint} tells before.
   */
  point(at: Pointed): Narrowing {
    const thing = asThing(at);
    const what = thing ? thingKey(thing) : asValueKey(at as PointedValue);
    const others = this.choosable().map(({ parameter, value }) => `${parameter} = ${valueKey(value)}`);
    return this.step(this.pointed(at).offers, `no offer that is left speaks of ${what}`, others);
  }

  /**
   * What can be pointed at on the table now, each with the offers that it would leave: what the moves would change, in order.
   * With a view, also what else is on that table and means an offer: the pieces that could be chosen, and things that moves
   * only speak of. A client marks these, and whoever clicks at one is left with its offers.
   *
   * Those that narrow tell the offers that are left from each other. {@link aside} has the offers that none of these leaves.
   */
  targets(view?: View): readonly Pointable[] {
    const things = new Map<string, Thing>();
    for (const offer of this.offers) {
      const { places, pieces } = touchedBy(offer);
      for (const [key, thing] of pieces) things.set(key, thing);
      for (const [key, thing] of places) things.set(key, thing);
    }
    if (view) for (const thing of thingsOf(view)) things.set(thingKey(thing), thing);
    return [...things.values()].flatMap((thing) => {
      const { offers, by } = this.pointed(thing);
      return offers.length > 0 ? [{ thing, offers, narrows: offers.length < this.offers.length, by }] : [];
    });
  }

  /**
   * The offers that pointing at the table cannot reach, for a client to show as buttons: none of {@link targets} leaves them.
   */
  aside(view?: View): readonly Offer[] {
    const reached = new Set(this.targets(view).flatMap(({ offers }) => offers));
    return this.offers.filter((offer) => !reached.has(offer));
  }

  /** Without the last step; the same if there was none. */
  undo(): Narrowing {
    return this.before ?? this;
  }

  private pointed(at: Pointed): { readonly offers: readonly Offer[]; readonly by: "targets" | "arguments" } {
    const spoken = this.offers.map(spokenOf);
    const touched = this.offers.map(touchedBy);
    const speakOf = (keys: readonly string[], within: "fixed" | "all", i: number): boolean =>
      keys.length > 0 && keys.every((key) => spoken[i]![within].has(key));
    type Sense = readonly ["targets" | "arguments", (i: number) => boolean];
    const senses: Sense[] = [];
    const thing = asThing(at);
    if (thing === undefined) {
      const key = asValueKey(at as PointedValue);
      senses.push(["arguments", (i) => speakOf([key], "all", i)], ["targets", (i) => touched[i]!.rows.has(key)]);
    } else {
      const place = placeKey(thing.place);
      const index = thing.place.index.map(valueKey).filter((key) => spoken.some(({ all }) => all.has(key)));
      if (thing.row) {
        const [piece, row] = [thingKey(thing), rowKey(thing.row)];
        const taken = (i: number): boolean => touched[i]!.pieces.has(piece);
        const open = (i: number): boolean => touched[i]!.open.has(place);
        // If it is known from where a move takes such a piece, those that lie elsewhere are not meant.
        const elsewhere = (i: number): boolean => touched[i]!.rows.has(row);
        senses.push(
          ["targets", (i) => (taken(i) || open(i)) && speakOf([row], "fixed", i)],
          ["targets", taken],
          ["targets", (i) => open(i) && speakOf([row], "all", i)],
          ["arguments", (i) => speakOf([row, ...index], "fixed", i) && !elsewhere(i)],
          ["arguments", (i) => speakOf([row, ...index], "all", i) && !elsewhere(i) && touched[i]!.open.size === 0],
        );
      } else {
        senses.push(
          ["targets", (i) => touched[i]!.places.has(place) || speakOf([place], "all", i)],
          ["arguments", (i) => speakOf(index, "all", i)],
        );
      }
    }
    for (const [by, meant] of senses) {
      const offers = this.offers.filter((_, i) => meant(i));
      if (offers.length > 0) return { offers, by };
    }
    return { offers: [], by: "arguments" };
  }

  private step(left: readonly Offer[], why: string, instead: readonly string[]): Narrowing {
    if (left.length === 0) throw new RangeError(`${why}; there are: ${list(instead)}`);
    return new Narrowing(left, this);
  }
}
