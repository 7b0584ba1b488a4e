/**
 * Values of moves: how they are built and compared.
 *
 * In: rows, places, seats, numbers. Out: the `Value` and `Argument` messages that a move, an index or a filter wants, and
 * keys that are equal exactly if two values are.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import {
  ArgumentSchema,
  BagSchema,
  PlaceRefSchema,
  RowRefSchema,
  ValueSchema,
  type Argument,
  type PlaceRef,
  type RowRef,
  type Value,
} from "./gen/referee/v1/common_pb.js";

/** Counts by row id: `{ corn: 2, indigo: 1 }`. Rows of count 0 may stand in it or be left out. */
export type Counts = Readonly<Record<string, number>>;

const value = (kind: Exclude<Value["kind"], { case: undefined }>): Value => create(ValueSchema, { kind });

/** A reference to a row of a table: `rowRef("good", "corn")`. */
export const rowRef = (table: string, row: string): RowRef => create(RowRefSchema, { table, row });

/** A reference to a place, counter or marker: its name, and its index values in their order. */
export const placeRef = (name: string, ...index: Value[]): PlaceRef => create(PlaceRefSchema, { name, index });

/** A number. */
export const integer = (n: number | bigint): Value => value({ case: "integer", value: BigInt(n) });

/** Yes or no. */
export const boolean = (yes: boolean): Value => value({ case: "boolean", value: yes });

/** A row of a table. */
export const row = (table: string, id: string): Value => value({ case: "row", value: rowRef(table, id) });

/** A player, by seat number from 1. */
export const seat = (number: number): Value => value({ case: "seat", value: number });

/** Nothing, of an option. */
export const none = (): Value => create(ValueSchema, { kind: { case: "none", value: {} } });

/** Counts per row of one table. Rows of count 0 are left out. */
export function bag(table: string, counts: Counts): Value {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  return value({
    case: "bag",
    value: create(BagSchema, { table, counts: rows.map(([row, count]) => ({ row, count })) }),
  });
}

/** Some pieces of a spread: so many of a row in a place. */
export interface SharePart {
  /** The place. */
  readonly place: PlaceRef;
  /** What lies there. */
  readonly row: RowRef;
  /** How many. */
  readonly count: number;
}

/** Pieces over places. Shares of count 0 are left out. */
export function spread(shares: readonly SharePart[]): Value {
  return create(ValueSchema, {
    kind: { case: "spread", value: { shares: shares.filter((share) => share.count > 0) } },
  });
}

/** A bundle of values that the ruleset declares: `record("deal", { paid: integer(5) })`. */
export function record(name: string, parts: Readonly<Record<string, Value>>): Value {
  const named = Object.entries(parts).map(([part, value]) => argument(part, value));
  return create(ValueSchema, { kind: { case: "record", value: { name, parts: named } } });
}

/** A value with a name: an argument of a move, or a filter of `ListMoves`. */
export const argument = (name: string, value: Value): Argument => create(ArgumentSchema, { name, value });

/** A text that is the same for two places exactly if they are the same place. */
export const placeKey = (place: PlaceRef): string => `${place.name}(${place.index.map(valueKey).join(",")})`;

const sorted = (parts: string[]): string => parts.sort().join(",");

/**
 * A text that is the same for two values exactly if they are equal. In which order the rows of a bag, the shares of a spread
 * and the parts of a record stand makes no difference, nor do counts of 0.
 */
export function valueKey({ kind }: Value): string {
  switch (kind.case) {
    case "row":
      return `row ${kind.value.table}.${kind.value.row}`;
    case "bag": {
      const counts = kind.value.counts.filter(({ count }) => count > 0);
      return `bag ${kind.value.table}{${sorted(counts.map(({ row, count }) => `${row}:${count}`))}}`;
    }
    case "spread": {
      const shares = kind.value.shares.filter(({ count }) => count > 0);
      const keys = shares.map(
        ({ place, row, count }) => `${place && placeKey(place)} ${row?.table}.${row?.row}:${count}`,
      );
      return `spread {${sorted(keys)}}`;
    }
    case "record": {
      const parts = kind.value.parts.map(({ name, value }) => `${name}=${value && valueKey(value)}`);
      return `record ${kind.value.name}{${sorted(parts)}}`;
    }
    case "none":
      return "none";
    case "hidden":
      return `hidden ${kind.value.count ?? ""}`;
    default:
      return `${kind.case} ${kind.value}`;
  }
}

/** Whether two values are equal; see {@link valueKey}. */
export const sameValue = (a: Value, b: Value): boolean => valueKey(a) === valueKey(b);
