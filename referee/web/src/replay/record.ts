/**
 * A record that is replayed in the browser.
 *
 * In: the text of a record and the catalogue of its ruleset. Out: a {@link Stage} whose tables follow from the events of the
 * record, as the referee saw them: every hand is open. Nothing is asked of a referee but the catalogue.
 *
 * @module
 */
import { placeKey, seat as seatValue, row as rowValue, type MatchRecord } from "referee-client";
import type { Event, PlaceRef, Ruleset, Type, Value } from "referee-client/v1";
import type { Catalogue } from "../model/catalogue.ts";
import { isRow, isSeat } from "../model/catalogue.ts";
import { EMPTY, after, type PlaceState, type TableState } from "../model/table.ts";
import { Stage } from "../match/stage.ts";

/** After so many events a table is kept, from which later ones follow. */
const KEEP = 100;
/** A family of places with more members than this is followed as its members are met. */
const MOST_PLACES = 5_000;

/** All index values of a family. */
function indexes(catalogue: Catalogue, index: readonly Type[], players: number): readonly Value[][] {
  let all: Value[][] = [[]];
  for (const type of index) {
    const values = isSeat(type)
      ? Array.from({ length: players }, (_, at) => seatValue(at + 1))
      : isRow(type)
        ? (catalogue.tables.get(type.of)?.rows ?? []).filter(({ inPlay }) => inPlay).map(({ id }) => rowValue(type.of, id))
        : [];
    all = all.flatMap((before) => values.map((value) => [...before, value]));
    if (all.length > MOST_PLACES) return [];
  }
  return all;
}

/** A table on which nothing lies. */
export function emptyTable(catalogue: Catalogue, players: number): TableState {
  const ref = (name: string, index: Value[]) => ({ $typeName: "referee.v1.PlaceRef" as const, name, index });
  const all = <T extends { readonly id: string; readonly index: readonly Type[] }>(family: readonly T[]) =>
    family.flatMap((one) => indexes(catalogue, one.index, players).map((index) => ({ one, ref: ref(one.id, index) })));
  const { places, counters, markers } = catalogue.ruleset;
  return {
    ...EMPTY,
    places: new Map(all(places).map(({ one, ref }) => [placeKey(ref), { ref, table: one.table, pile: one.pile, endless: false, size: 0, contents: [] }])),
    counters: new Map(all(counters).map(({ ref }) => [placeKey(ref), { ref, value: 0n }])),
    markers: new Map(all(markers).map(({ ref }) => [placeKey(ref), { ref, value: undefined }])),
  };
}

/** How the state of a record writes a place, a counter or a marker: `staff(1,wharf)`. */
const addressOf = ({ name, index }: PlaceRef): string =>
  index.length === 0 ? name : `${name}(${index.map(({ kind }) => (kind.case === "row" ? kind.value.row : String(kind.value))).join(",")})`;

const objectOf = (json: unknown): Readonly<Record<string, unknown>> => (typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {});

/**
 * The table with which a record begins. No event tells what the box held, but the state at the end does: what lay somewhere at
 * first is what lies there at the end, without what came and with what went. Orders of piles are not known.
 */
export function firstTable(catalogue: Catalogue, { header, events, state }: Pick<MatchRecord, "header" | "events" | "state">): TableState {
  const empty = emptyTable(catalogue, header.players);
  if (!state) return empty;
  const [lying, counted] = [objectOf(state["places"]), objectOf(state["counters"])];
  const came = new Map<string, Map<string, number>>();
  const firstValue = new Map<string, bigint>();
  const move = (place: PlaceRef | undefined, row: string, by: number): void => {
    if (!place) return;
    const rows = came.get(placeKey(place)) ?? new Map<string, number>();
    rows.set(row, (rows.get(row) ?? 0) + by);
    came.set(placeKey(place), rows);
  };
  for (const { kind } of events) {
    if (kind.case === "piecesMoved") {
      const { source, destination, row, count = 0 } = kind.value;
      move(source, row?.row ?? "", -count);
      move(destination, row?.row ?? "", count);
    } else if (kind.case === "counterChanged" && kind.value.counter) {
      const key = placeKey(kind.value.counter);
      if (!firstValue.has(key) && kind.value.before !== undefined) firstValue.set(key, kind.value.before);
    }
  }
  const places = new Map<string, PlaceState>(
    [...empty.places].map(([key, place]): [string, PlaceState] => {
      const last = lying[addressOf(place.ref)];
      const counts = new Map<string, number>();
      const add = (row: string, count: number): void => void counts.set(row, (counts.get(row) ?? 0) + count);
      if (Array.isArray(last)) for (const row of last) add(String(row), 1);
      else for (const [row, count] of Object.entries(objectOf(last))) add(row, Number(count));
      for (const [row, count] of came.get(key) ?? []) add(row, -count);
      const contents = [...counts].filter(([, count]) => count !== 0).map(([row, count]) => ({ row, count }));
      // More was taken than ever lay there: it never runs dry.
      if (contents.some(({ count }) => count < 0)) return [key, { ...place, endless: true, size: undefined, contents: undefined }];
      const size = contents.reduce((sum, { count }) => sum + count, 0);
      return [key, { ...place, size, contents: place.pile && size > 0 ? undefined : contents }];
    }),
  );
  const counters = new Map(
    [...empty.counters].map(([key, counter]) => {
      const last = counted[addressOf(counter.ref)];
      return [key, { ...counter, value: firstValue.get(key) ?? BigInt(typeof last === "number" ? last : 0) }];
    }),
  );
  return { ...empty, places, counters };
}

/** The table after so many events. */
export class Replay {
  readonly #kept = new Map<number, TableState>();

  constructor(
    readonly events: readonly Event[],
    readonly first: TableState,
  ) {
    this.#kept.set(0, first);
  }

  at(event: number): TableState {
    const until = Math.max(0, Math.min(event, this.events.length));
    let from = until - (until % KEEP);
    while (!this.#kept.has(from)) from -= KEEP;
    let table = this.#kept.get(from)!;
    for (let number = from; number < until; number += 1) {
      table = followed(table, this.events[number]!);
      if ((number + 1) % KEEP === 0) this.#kept.set(number + 1, table);
    }
    return table;
  }
}

/** A record has no views: phases under way are told by their beginnings alone. */
function followed(table: TableState, event: Event): TableState {
  const next = after(table, event);
  if (event.kind.case !== "phaseBegan") return next;
  const { phase, arguments: all } = event.kind.value;
  return { ...next, phases: [{ $typeName: "referee.v1.PhaseFrame", phase, arguments: all }] };
}

export class RecordStage extends Stage {
  readonly seat = 0;
  readonly live = false;
  readonly #replay: Replay;

  constructor(record: MatchRecord, ruleset: Ruleset) {
    super(ruleset);
    const { players } = record.header;
    this.players.value = Array.from({ length: players }, (_, at) => ({ seat: at + 1, name: "", bot: false, resigned: false, claimed: true }));
    // A record numbers its events for the referee itself, from 0.
    this.events.value = record.events;
    this.#replay = new Replay(record.events, firstTable(this.catalogue, record));
    const over = record.events.findLast(({ kind }) => kind.case === "matchOver");
    if (over?.kind.case === "matchOver") this.outcome.value = over.kind.value.outcome;
    this.shown.value = this.#replay.at(record.events.length);
    void this.lookAt(record.header.setUpEvents);
  }

  marks(): boolean {
    return false;
  }

  chosen(): boolean {
    return false;
  }

  point(): boolean {
    return false;
  }

  async lookAt(event: number | undefined): Promise<void> {
    this.past.value = this.#replay.at(event ?? this.events.value.length);
  }
}
