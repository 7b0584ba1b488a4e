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
import { MoveOrigin, type Event, type Outcome, type Ruleset, type SeatClock } from "referee-client/v1";
import { Catalogue } from "../model/catalogue.ts";
import { layoutOf, type Layout } from "../model/layout.ts";
import { EMPTY, type TableState } from "../model/table.ts";
import type { Thing } from "../model/pointing.ts";
import { language } from "../settings.ts";
import { isolated } from "../parts/text.tsx";
import { texts } from "../texts.ts";

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

/** Numbers of events at which somebody was asked, from the first one: just before each move that nobody was spared, and the end. */
export function momentsOf(events: readonly Event[]): readonly number[] {
  const moves = events.flatMap(({ kind, number }) => (kind.case === "moveMade" && kind.value.origin !== MoveOrigin.FORCED ? [Number(number)] : []));
  const last = events.at(-1);
  return last === undefined ? [] : [...moves, Number(last.number) + 1];
}

/** What the last move before a moment has moved or changed. */
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
    } else if (kind.case === "moveMade") break;
  }
  return keys;
}
