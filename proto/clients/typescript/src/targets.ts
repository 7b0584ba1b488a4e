/**
 * Things on the table, and which of them a move would change.
 *
 * In: offers with their `targets`, a view. Out: places, pieces, counters and markers that can be pointed at, and keys that are
 * equal exactly if they are the same. Pure functions; {@link Narrowing} does the pointing.
 *
 * @module
 */
import type { PlaceRef, RowRef, Value } from "./gen/referee/v1/common_pb.js";
import type { Offer } from "./gen/referee/v1/decision_pb.js";
import type { View } from "./gen/referee/v1/table_pb.js";
import { placeKey, placeRef, row as rowValue, valueKey } from "./values.js";

/** Something on the table: a place, a counter or a marker; with a row, the pieces of that row in the place. */
export interface Thing {
  /** The place, counter or marker: their names are never the same. */
  readonly place: PlaceRef;
  /** What lies there. */
  readonly row?: RowRef | undefined;
}

/** A text that is the same for two rows exactly if they are the same row, as {@link valueKey} of a value that is a row. */
export const rowKey = ({ table, row }: Pick<RowRef, "table" | "row">): string => `row ${table}.${row}`;

/** A text that is the same for two things exactly if they are the same: for maps from things to what is drawn. */
export const thingKey = ({ place, row }: Thing): string =>
  row ? `${placeKey(place)} ${rowKey(row)}` : placeKey(place);

/** Everything on a table that can be pointed at, each once: places, the pieces that can be seen in them, counters, markers. */
export function thingsOf({ places, counters, markers }: View): readonly Thing[] {
  const things = new Map<string, Thing>();
  const add = (place: PlaceRef | undefined, row?: RowRef): void => {
    if (place === undefined) return;
    const thing = row ? { place, row } : { place };
    const key = thingKey(thing);
    if (!things.has(key)) things.set(key, thing);
  };
  for (const { place, table, contents } of places) {
    add(place);
    for (const { row } of contents?.counts ?? []) add(place, { $typeName: "referee.v1.RowRef", table, row });
  }
  for (const { counter } of counters) add(counter);
  for (const { marker } of markers) add(marker);
  return [...things.values()];
}

/** What an offer would change, by the keys of things, places and rows. */
export interface Touched {
  /** Places that pieces leave or come to, counters, markers. */
  readonly places: ReadonlyMap<string, Thing>;
  /** Pieces that leave a place. */
  readonly pieces: ReadonlyMap<string, Thing>;
  /** The rows of these pieces. */
  readonly rows: ReadonlySet<string>;
  /** Places that pieces leave of which it is not known, or still to be chosen, what they are. */
  readonly open: ReadonlySet<string>;
}

/** What offers touch, so that it is looked up once while a player points. */
const TOUCHED = new WeakMap<Offer, Touched>();

/** The rows that can be chosen in what is open in an offer, by their keys. */
function choosableRows({ open }: Offer): ReadonlyMap<string, Value> {
  const rows = new Map<string, Value>();
  const add = (value: Value): void => void rows.set(valueKey(value), value);
  for (const { domain } of open) {
    if (domain.case === "bag") for (const { row } of domain.value.available) add(rowValue(domain.value.table, row));
    if (domain.case === "values") for (const value of domain.value.values) if (value.kind.case === "row") add(value);
  }
  return rows;
}

/** A place, and those that would be touched in its stead if other rows were chosen: the stock of each good that can be. */
function* insteadOf(place: PlaceRef, rows: ReadonlyMap<string, Value>): Generator<PlaceRef> {
  yield place;
  for (const [at, value] of place.index.entries()) {
    if (!rows.has(valueKey(value))) continue;
    for (const other of rows.values())
      if (sameTable(other, value)) yield placeRef(place.name, ...place.index.map((one, i) => (i === at ? other : one)));
  }
}

const sameTable = (a: Value, b: Value): boolean =>
  a.kind.case === "row" && b.kind.case === "row" && a.kind.value.table === b.kind.value.table;

/**
 * What an offer would change, by its targets; nothing if it came without them. Of an offer in which something is open they are
 * those of one way to choose: others are worked out from the rows that can be chosen.
 */
export function touchedBy(offer: Offer): Touched {
  const known = TOUCHED.get(offer);
  if (known) return known;
  const places = new Map<string, Thing>();
  const pieces = new Map<string, Thing>();
  const rows = new Set<string>();
  const open = new Set<string>();
  const choosable = choosableRows(offer);
  const touch = (place: PlaceRef | undefined): void => {
    if (place) for (const one of insteadOf(place, choosable)) places.set(placeKey(one), { place: one });
  };
  for (const { kind } of offer.targets) {
    if (kind.case === "changed") touch(kind.value);
    if (kind.case !== "pieces") continue;
    const { source, destination, row } = kind.value;
    touch(source);
    touch(destination);
    if (row) rows.add(rowKey(row));
    if (source && row) pieces.set(thingKey({ place: source, row }), { place: source, row });
    if (source && !row) for (const one of insteadOf(source, choosable)) open.add(placeKey(one));
  }
  const touched = { places, pieces, rows, open };
  TOUCHED.set(offer, touched);
  return touched;
}
