/**
 * The table at one moment, and what events do to it.
 *
 * In: a `View`, and events of the same audience. Out: places, counters and markers by key, and the table after each event as
 * far as it tells. What an event does not tell (which card comes to lie on top, what a phase begins with) stays unknown until the next
 * view, which always wins. Pure functions; a table never changes.
 *
 * @module
 */
import { placeKey, valueKey } from "referee-client";
import type { Event, MarkerView, PhaseFrame, PlaceRef, PlaceView, RowCount, Value, View } from "referee-client/v1";

/** What lies in a place. */
export interface PlaceState {
  readonly ref: PlaceRef;
  readonly table: string;
  readonly pile: boolean;
  readonly endless: boolean;
  /** How many pieces; `undefined` if that is not known, or endless. */
  readonly size: number | undefined;
  /** Counts by row, or runs from the top of a pile; `undefined` if that is not known. */
  readonly contents: readonly { readonly row: string; readonly count: number }[] | undefined;
}

/** A counter. */
export interface CounterState {
  readonly ref: PlaceRef;
  readonly value: bigint | undefined;
}

/** A marker, or something that a phase keeps. */
export interface MarkerState {
  readonly ref: PlaceRef;
  readonly value: Value | undefined;
}

/** The whole table. */
export interface TableState {
  readonly seat: number;
  readonly eventCount: number;
  readonly phases: readonly PhaseFrame[];
  readonly waiting: readonly number[];
  /** The step that asks those. */
  readonly asking: string;
  readonly places: ReadonlyMap<string, PlaceState>;
  readonly counters: ReadonlyMap<string, CounterState>;
  readonly markers: ReadonlyMap<string, MarkerState>;
  readonly kept: readonly MarkerState[];
}

/** A table of nothing. */
export const EMPTY: TableState = {
  seat: 0,
  eventCount: 0,
  phases: [],
  waiting: [],
  asking: "",
  places: new Map(),
  counters: new Map(),
  markers: new Map(),
  kept: [],
};

const plain = (counts: readonly RowCount[]): PlaceState["contents"] => counts.map(({ row, count }) => ({ row, count }));

const placeOf = ({ place, table, pile, size, contents, endless }: PlaceView): readonly [string, PlaceState] => [
  placeKey(place!),
  { ref: place!, table, pile, endless, size, contents: contents && plain(contents.counts) },
];

const markerOf = ({ marker, value }: MarkerView): MarkerState => ({ ref: marker!, value });

const isSame = (a: PlaceState, b: PlaceState): boolean =>
  a.size === b.size &&
  a.endless === b.endless &&
  a.pile === b.pile &&
  a.table === b.table &&
  (a.contents === b.contents ||
    (a.contents !== undefined && b.contents !== undefined && a.contents.length === b.contents.length && a.contents.every(({ row, count }, at) => row === b.contents![at]!.row && count === b.contents![at]!.count)));

const isSameMarker = (a: MarkerState, b: MarkerState): boolean => (a.value === undefined ? b.value === undefined : b.value !== undefined && valueKey(a.value) === valueKey(b.value));

/** What is as it was before is the very same thing as before: nobody needs to draw it anew. */
function shared<T>(now: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>, same: (a: T, b: T) => boolean): ReadonlyMap<string, T> {
  const kept = new Map(now);
  for (const [key, one] of now) {
    const known = before.get(key);
    if (known !== undefined && same(known, one)) kept.set(key, known);
  }
  return kept;
}

/** The table that a view shows, with what has not changed since another one taken from that. */
export function tableOf(view: View, before: TableState = EMPTY): TableState {
  const table = tableIn(view);
  return {
    ...table,
    places: shared(table.places, before.places, isSame),
    counters: shared(table.counters, before.counters, (a, b) => a.value === b.value),
    markers: shared(table.markers, before.markers, isSameMarker),
  };
}

function tableIn(view: View): TableState {
  return {
    seat: view.seat,
    eventCount: Number(view.eventCount),
    phases: view.phases,
    waiting: view.waitingSeats,
    asking: view.askingStep,
    places: new Map(view.places.filter(({ place }) => place).map(placeOf)),
    counters: new Map(
      view.counters.flatMap(({ counter, value }) => (counter ? [[placeKey(counter), { ref: counter, value }]] : [])),
    ),
    markers: new Map(view.markers.filter(({ marker }) => marker).map((one) => [placeKey(one.marker!), markerOf(one)])),
    kept: view.kept.filter(({ marker }) => marker).map(markerOf),
  };
}

/** A place with so many pieces more, or fewer. */
function changed(place: PlaceState, row: string | undefined, by: number | undefined): PlaceState {
  if (place.endless) return place;
  const size = place.size === undefined || by === undefined ? undefined : Math.max(0, place.size + by);
  if (place.contents === undefined) return { ...place, size };
  if (by === undefined || row === undefined) return { ...place, size, contents: size === 0 ? [] : undefined };
  if (place.pile) return { ...place, size, contents: pileChanged(place.contents, row, by) };
  const counts = new Map(place.contents.map(({ row, count }) => [row, count]));
  counts.set(row, (counts.get(row) ?? 0) + by);
  const contents = [...counts].map(([row, count]) => ({ row, count })).filter(({ count }) => count > 0);
  return { ...place, size, contents };
}

function pileChanged(runs: NonNullable<PlaceState["contents"]>, row: string, by: number): PlaceState["contents"] {
  const [top, ...below] = runs;
  if (by > 0) return top?.row === row ? [{ row, count: top.count + by }, ...below] : [{ row, count: by }, ...runs];
  let left = -by;
  const rest: { row: string; count: number }[] = [];
  for (const run of runs) {
    const taken = Math.min(left, run.row === row ? run.count : 0);
    left -= taken;
    if (run.count > taken) rest.push({ row: run.row, count: run.count - taken });
  }
  // What was taken was not known to lie there: neither is the rest.
  return left > 0 ? undefined : rest;
}

const replaced = <T>(map: ReadonlyMap<string, T>, key: string, to: (known: T) => T): ReadonlyMap<string, T> => {
  const known = map.get(key);
  return known === undefined ? map : new Map(map).set(key, to(known));
};

/** What phases keep without what this one does. */
const without = ({ kept }: TableState, phase: string): readonly MarkerState[] => kept.filter(({ ref }) => !ref.name.startsWith(`${phase}.`));

/** The table after an event, as far as the event tells. */
export function after(table: TableState, event: Event): TableState {
  const next = { ...table, eventCount: Math.max(table.eventCount, Number(event.number) + 1) };
  const { kind } = event;
  switch (kind.case) {
    case "piecesMoved": {
      const { source, destination, row, count } = kind.value;
      const left = source
        ? replaced(table.places, placeKey(source), (place) => changed(place, row?.row, count === undefined ? undefined : -count))
        : table.places;
      const places = destination
        ? replaced(left, placeKey(destination), (place) => changed(place, row?.row, count))
        : left;
      return { ...next, places };
    }
    case "counterChanged": {
      const { counter, after } = kind.value;
      if (!counter) return next;
      return { ...next, counters: replaced(table.counters, placeKey(counter), (known) => ({ ...known, value: after })) };
    }
    case "keptSet": {
      const { kept: ref, value } = kind.value;
      if (!ref) return next;
      const known = table.kept.some((one) => placeKey(one.ref) === placeKey(ref));
      const kept = known ? table.kept.map((one) => (placeKey(one.ref) === placeKey(ref) ? { ...one, value } : one)) : [...table.kept, { ref, value }];
      return { ...next, kept };
    }
    // What a phase keeps is forgotten when it is over, and nothing has been set when it begins.
    case "phaseBegan": {
      const { phase, arguments: all } = kind.value;
      const frame: PhaseFrame = { $typeName: "referee.v1.PhaseFrame", phase, arguments: all };
      return { ...next, phases: [...table.phases, frame], kept: without(table, phase) };
    }
    case "phaseEnded": {
      const { phase } = kind.value;
      const at = table.phases.findLastIndex((frame) => frame.phase === phase);
      return { ...next, phases: at < 0 ? table.phases : table.phases.slice(0, at), kept: without(table, phase) };
    }
    case "seatsAsked": {
      const { step, seats } = kind.value;
      return { ...next, waiting: seats, asking: step };
    }
    case "markerSet": {
      const { marker, value } = kind.value;
      if (!marker) return next;
      return { ...next, markers: replaced(table.markers, placeKey(marker), (known) => ({ ...known, value })) };
    }
    case "pileShuffled": {
      const { pile, size } = kind.value;
      if (!pile) return next;
      const shuffled = (place: PlaceState): PlaceState => ({ ...place, size, contents: undefined });
      return { ...next, places: replaced(table.places, placeKey(pile), shuffled) };
    }
    case "moveMade":
      return { ...next, waiting: table.waiting.filter((seat) => seat !== kind.value.seat) };
    default:
      return next;
  }
}

/** The pieces of a place, in the order of their table; those of a pile from its top. */
export function piecesOf(
  place: PlaceState,
  order: (table: string, row: string) => number,
): readonly { readonly row: string; readonly count: number }[] {
  const known = place.contents ?? [];
  return place.pile ? known : [...known].sort((a, b) => order(place.table, a.row) - order(place.table, b.row));
}

/** How many pieces lie in a place whose faces are hidden. */
export function hiddenIn(place: PlaceState): number {
  if (place.size === undefined) return 0;
  return Math.max(0, place.size - (place.contents ?? []).reduce((sum, { count }) => sum + count, 0));
}
