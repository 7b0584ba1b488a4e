/**
 * What every picture of a table needs, whoever looks and whatever is played.
 *
 * In: a match or a record, its catalogue, the table as it is shown. Out: signals that the picture reads, and what to do when
 * somebody points at a thing.
 *
 * @module
 */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { Names, placeKey, valueKey } from "referee-client";
import { MoveOrigin, type Event, type Outcome, type PlaceRef, type Ruleset, type SeatClock } from "referee-client/v1";
import { Catalogue } from "../model/catalogue.ts";
import { layoutOf, type Layout } from "../model/layout.ts";
import { EMPTY, type CounterState, type MarkerState, type PlaceState, type TableState } from "../model/table.ts";
import { thingKey, type Thing } from "../model/pointing.ts";
import { language } from "../settings.ts";
import { isolated } from "../parts/text.tsx";
import { texts } from "../texts.ts";
import { grouped, keyed, sameList } from "./keyed.ts";

/** A player. */
export interface Player {
  readonly seat: number;
  readonly name: string;
  readonly bot: boolean;
  readonly resigned: boolean;
  readonly claimed: boolean;
}

/** A table that is shown. */
export abstract class Stage {
  readonly catalogue: Catalogue;
  readonly layout: Layout;
  readonly players: Signal<readonly Player[]> = signal([]);
  /** Seats of people at which nobody is, as far as that is told. */
  readonly away: Signal<ReadonlySet<number>> = signal(new Set());
  /** How each seat's time stands, by seat. */
  readonly clocks: Signal<ReadonlyMap<number, SeatClock>> = signal(new Map());
  /** Names in the language of the page. */
  readonly names: ReadonlySignal<Names>;
  /** Everything that has happened, from number 0. */
  readonly events: Signal<readonly Event[]> = signal([]);
  /** The table as it is now, or while its events are shown one by one. */
  readonly shown: Signal<TableState> = signal(EMPTY);
  /** The table at an earlier moment, if that is looked at. */
  readonly past: Signal<TableState | undefined> = signal(undefined);
  readonly outcome: Signal<Outcome | undefined> = signal(undefined);
  /** What is being shown just now: of the last move. */
  readonly lastMove: Signal<number | undefined> = signal(undefined);
  /** What the last move has moved or changed: keys of places, counters and markers. */
  readonly touched: ReadonlySignal<ReadonlySet<string>>;
  /** The table to draw. */
  readonly table: ReadonlySignal<TableState>;
  /** Places, counters and markers of the table by their keys. */
  readonly place = keyed((key) => this.table.value.places.get(key));
  readonly counter = keyed((key) => this.table.value.counters.get(key));
  readonly marker = keyed((key) => this.table.value.markers.get(key));
  /** Those of one name, and of the seats that they are indexed by first; by {@link familyKey}. */
  readonly places: (family: string) => readonly PlaceState[];
  readonly counters: (family: string) => readonly CounterState[];
  readonly markers: (family: string) => readonly MarkerState[];
  /** Whether the last move has touched a place, a counter, a marker or a piece there; whether the next one would. */
  readonly isTouched = keyed((key) => this.touched.value.has(key));
  readonly isAimed = keyed((key) => this.aimed.has(key));
  /** Things by key, as far as they were drawn. They are what this seat sees. */
  readonly #drawn = new Map<string, Thing>();
  readonly #marked = keyed((key) => this.marks(this.#drawn.get(key)!));
  readonly #chosen = keyed((key) => this.chosen(this.#drawn.get(key)!));
  /** Which seat looks; 0 for everybody. */
  abstract readonly seat: number;
  /** Whether more may happen. */
  abstract readonly live: boolean;

  constructor(readonly ruleset: Ruleset) {
    this.catalogue = new Catalogue(ruleset);
    this.layout = layoutOf(this.catalogue);
    this.names = computed(() =>
      Names.ofRuleset(ruleset, { language: language.value, player: (seat) => isolated(this.nameOf(seat)) }),
    );
    this.table = computed(() => this.past.value ?? this.shown.value);
    this.touched = computed(() => touchedBy(this.events.value, this.table.value.eventCount));
    const families = <T extends { readonly ref: PlaceRef }>(read: (table: TableState) => ReadonlyMap<string, T>): ((family: string) => readonly T[]) => {
      const all = computed(() => grouped(read(this.table.value).values(), ({ ref }) => familyKey(ref.name, seatOf(ref))));
      return keyed((family) => all.value.get(family) ?? [], sameList);
    };
    this.places = families(({ places }) => places);
    this.counters = families(({ counters }) => counters);
    this.markers = families(({ markers }) => markers);
  }

  /** Notes what is drawn, so that what is pointed at is found by its key. */
  draws(thing: Thing): string {
    const key = thingKey(thing);
    if (!this.#drawn.has(key)) this.#drawn.set(key, thing);
    return key;
  }

  /** What was drawn with this key. */
  drawn(key: string): Thing | undefined {
    return this.#drawn.get(key);
  }

  /** As {@link marks}; whoever draws by it is told only when that changes. */
  isMarked(thing: Thing): boolean {
    return this.#marked(this.draws(thing));
  }

  /** As {@link chosen}; whoever draws by it is told only when that changes. */
  isChosen(thing: Thing): boolean {
    return this.#chosen(this.draws(thing));
  }

  /** What a player is called. */
  nameOf(seat: number): string {
    const player = this.players.value.find((player) => player.seat === seat);
    return player?.name || `${player?.bot ? texts.value.botMark : texts.value.seat} ${seat}`;
  }

  /** What the move that is being chosen would touch: keys of places, counters and markers. */
  get aimed(): ReadonlySet<string> {
    return NOTHING;
  }

  /** Whether a thing can be pointed at now. */
  abstract marks(thing: Thing): boolean;
  /** Whether a thing is part of the move that is being chosen. */
  abstract chosen(thing: Thing): boolean;
  /** Somebody points at a thing; false if that means nothing here. */
  abstract point(thing: Thing): boolean;
  /** Shows the table when so many events had happened; `undefined` is now. */
  abstract lookAt(event: number | undefined): Promise<void>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** What is of one name before one seat; before nobody with 0. */
export const familyKey = (name: string, seat: number): string => `${seat} ${name}`;

/** The seat that something belongs to: the first that it is indexed by; 0 if that is none. */
export function seatOf({ index }: PlaceRef): number {
  for (const { kind } of index) if (kind.case === "seat") return kind.value;
  return 0;
}

/** Numbers of events at which somebody was asked, from the first one: just before each move that nobody was spared, and the end. */
export function momentsOf(events: readonly Event[]): readonly number[] {
  const moves = events.flatMap(({ kind, number }) => (kind.case === "moveMade" && kind.value.origin !== MoveOrigin.FORCED ? [Number(number)] : []));
  const last = events.at(-1);
  return last === undefined ? [] : [...moves, Number(last.number) + 1];
}

/** What the last move before a moment has moved or changed; nothing before the first one, since all has just been set up. */
export function touchedBy(events: readonly Event[], until: number): ReadonlySet<string> {
  const keys = new Set<string>();
  for (let at = Math.min(until, events.length) - 1; at >= 0; at -= 1) {
    const { kind } = events[at]!;
    if (kind.case === "piecesMoved") {
      const { destination, row } = kind.value;
      if (destination) {
        keys.add(placeKey(destination));
        if (row) keys.add(`${placeKey(destination)} ${row.row}`);
      }
    } else if (kind.case === "counterChanged" && kind.value.counter) keys.add(placeKey(kind.value.counter));
    else if (kind.case === "markerSet") {
      if (kind.value.marker) keys.add(placeKey(kind.value.marker));
      if (kind.value.value) keys.add(valueKey(kind.value.value));
    } else if (kind.case === "moveMade") return keys;
  }
  return NOTHING;
}
