/**
 * What lies where on the screen.
 *
 * In: a catalogue. Out: areas with places, counters, markers and boards, one for the common table and one that stands for the
 * mat of every seat. It is made of declarations alone, so that every ruleset has one; a layout that a ruleset brings itself has
 * the same form.
 *
 * - What has a seat among its index types lies on that seat's mat, everything else on the common table.
 * - A place that is indexed by rows of a table whose pieces lie in one place of the same mat lies on those pieces: workers in
 *   buildings.
 * - Counters and markers that are indexed by rows whose pieces lie anywhere are shown on these pieces.
 * - Tables by whose rows anything else is indexed are boards; see `boards.ts`.
 * - A marker from a table of pieces to rows of a board says where each piece lies on that board.
 * - Piles are decks; places that belong to one phase's work and are empty are left out while they are.
 *
 * @module
 */
import type { Place, Type } from "referee-client/v1";
import { boardsOf, type Board } from "./boards.ts";
import { isRow, isSeat, type Catalogue } from "./catalogue.ts";
import { Looks } from "./looks.ts";

/** How the items of an area follow each other. */
export type Flow = "row" | "column" | "tabs";

/** Something in an area. */
export type Item = Area | PlaceItem | CounterItem | MarkerItem | BoardItem;

/** A part of the screen. */
export interface Area {
  readonly kind: "area";
  readonly id: string;
  readonly flow: Flow;
  readonly items: readonly Item[];
  /** Whether it can be folded away, and is at first. */
  readonly folded: boolean;
}

/** A place, or all of a family of places but for the seat. */
export interface PlaceItem {
  readonly kind: "place";
  readonly place: string;
  /** `deck` shows a pile as one card, `pieces` all that lies there. */
  readonly shows: "deck" | "pieces";
  /** Whether it is left out while nothing lies there. */
  readonly hideEmpty: boolean;
}

/** A counter, or a family of counters. */
export interface CounterItem {
  readonly kind: "counter";
  readonly counter: string;
}

/** A marker, or a family of markers. */
export interface MarkerItem {
  readonly kind: "marker";
  readonly marker: string;
}

/** A board with what lies on its cells. */
export interface BoardItem {
  readonly kind: "board";
  readonly board: Board;
  /** Places, counters and markers that are indexed by its cells. */
  readonly places: readonly string[];
  readonly counters: readonly string[];
  readonly markers: readonly string[];
  /** Markers that stand on one of its cells. */
  readonly pawns: readonly string[];
  /** Places whose pieces lie on its cells, each where a marker says. */
  readonly laid: readonly { readonly place: string; readonly by: string }[];
}

/** A place whose pieces lie on the pieces of another place. */
export interface Rider {
  readonly place: string;
  /** The place below. */
  readonly on: string;
}

/** The picture of a ruleset. */
export interface Layout {
  readonly common: Area;
  /** What each seat has before it. */
  readonly mat: Area;
  readonly looks: Looks;
  /** Places that are shown on pieces. */
  readonly riders: readonly Rider[];
  /** Counters and markers that are shown on pieces, by the table of these. */
  readonly onPieces: ReadonlyMap<string, { readonly counters: readonly string[]; readonly markers: readonly string[] }>;
  /** Markers that say one seat, and are shown at its name. */
  readonly seatMarkers: readonly string[];
}

const rest = (index: readonly Type[]): readonly Type[] => index.filter((type) => !isSeat(type));
const hasSeat = (index: readonly Type[]): boolean => index.some(isSeat);
/** The table of the only index value beside the seat, if there is one. */
const onlyTable = (index: readonly Type[]): string | undefined => {
  const left = rest(index);
  return left.length === 1 && isRow(left[0]!) ? left[0]!.of : undefined;
};

/** The default layout. */
export function layoutOf(catalogue: Catalogue): Layout {
  const { ruleset } = catalogue;
  const places = ruleset.places;
  const mine = (place: Place): boolean => hasSeat(place.index);
  /** The one place of a mat, or of the common table, where the pieces of a table lie open. */
  const homeOf = (table: string, onMat: boolean): Place | undefined => {
    const homes = places.filter(
      (place) => place.table === table && mine(place) === onMat && rest(place.index).length === 0 && place.faces === 1 && !place.pile,
    );
    return homes.length === 1 || (onMat && homes.length > 0) ? homes[0] : undefined;
  };
  const riders: Rider[] = [];
  for (const place of places) {
    const table = onlyTable(place.index);
    const home = table === undefined ? undefined : homeOf(table, mine(place));
    // A pile face down on a piece would not be seen.
    if (home && home.id !== place.id && !place.pile) riders.push({ place: place.id, on: home.id });
  }
  const riding = new Set(riders.map(({ place }) => place));

  const havePieces = new Set(places.map(({ table }) => table));
  const isPiece = (table: string | undefined): table is string => table !== undefined && havePieces.has(table);
  const onPieces = new Map<string, { counters: string[]; markers: string[] }>();
  const of = (table: string): { counters: string[]; markers: string[] } => {
    const found = onPieces.get(table) ?? { counters: [], markers: [] };
    onPieces.set(table, found);
    return found;
  };
  const counters = ruleset.counters.filter(({ id, index }) => {
    const table = index.length === 1 ? onlyTable(index) : undefined;
    if (isPiece(table)) of(table).counters.push(id);
    return !isPiece(table);
  });
  const indexedBy = (index: readonly Type[]): readonly string[] => rest(index).filter(isRow).map(({ of }) => of);
  const candidates = new Set([
    ...places.filter(({ id }) => !riding.has(id)).flatMap(({ index }) => indexedBy(index)),
    ...counters.flatMap(({ index }) => indexedBy(index)),
    ...ruleset.markers.flatMap(({ index }) => indexedBy(index)),
  ]);
  for (const { type, index } of ruleset.markers) {
    // Where pieces lie, by a marker: its rows are cells.
    if (type && isRow(type) && isPiece(onlyTable(index)) && !havePieces.has(type.of)) candidates.add(type.of);
    if (type && isRow(type) && index.length === 0 && candidates.has(type.of)) candidates.add(type.of);
  }
  for (const table of [...candidates]) if (havePieces.has(table) && !places.some(({ id, index }) => !riding.has(id) && indexedBy(index).includes(table))) candidates.delete(table);
  const boards = boardsOf(catalogue, [...candidates]);

  const laid: { place: string; by: string; to: string }[] = [];
  const markers = ruleset.markers.filter(({ id, index, type }) => {
    const table = index.length === 1 ? onlyTable(index) : undefined;
    if (!isPiece(table)) return true;
    const board = type && isRow(type) ? boards.find(({ tables }) => tables.includes(type.of)) : undefined;
    const lying = places.filter((place) => place.table === table && rest(place.index).length === 0 && mine(place) && place.faces === 1);
    if (board && lying.length === 1) laid.push({ place: lying[0]!.id, by: id, to: type!.of });
    else of(table).markers.push(id);
    return false;
  });
  const laidPlaces = new Set(laid.map(({ place }) => place));
  const seatMarkers = markers.filter(({ index, type }) => index.length === 0 && type && isSeat(type)).map(({ id }) => id);

  const area = (id: string, flow: Flow, items: readonly Item[], folded = false): Area => ({ kind: "area", id, flow, items, folded });

  const items = (onMat: boolean): Area => {
    const here = (index: readonly Type[]): boolean => hasSeat(index) === onMat;
    const [pictures, lists]: [Item[], Item[]] = [[], []];
    const onBoards = { places: new Set<string>(), counters: new Set<string>(), markers: new Set<string>() };
    for (const board of boards) {
      const isOn = (index: readonly Type[]): boolean => here(index) && rest(index).length === 1 && board.tables.includes(onlyTable(index) ?? "");
      const on = {
        places: places.filter(({ id, index }) => !riding.has(id) && isOn(index)).map(({ id }) => id),
        counters: counters.filter(({ index }) => isOn(index)).map(({ id }) => id),
        markers: markers.filter(({ index }) => isOn(index)).map(({ id }) => id),
        laid: onMat ? laid.filter(({ to }) => board.tables.includes(to)) : [],
      };
      const pawns = onMat
        ? []
        : markers.filter(({ index, type }) => index.length === 0 && type && isRow(type) && board.tables.includes(type.of)).map(({ id }) => id);
      if (on.places.length + on.counters.length + on.markers.length + on.laid.length === 0) continue;
      for (const id of on.places) onBoards.places.add(id);
      for (const id of on.counters) onBoards.counters.add(id);
      for (const id of [...on.markers, ...pawns]) onBoards.markers.add(id);
      (board.shape === "list" ? lists : pictures).push({ kind: "board", board, ...on, pawns });
    }
    const loose = places.filter(({ id, index }) => here(index) && !riding.has(id) && !onBoards.places.has(id) && !laidPlaces.has(id));
    const place = (one: Place): PlaceItem => ({
      kind: "place",
      place: one.id,
      shows: one.pile ? "deck" : "pieces",
      // A pile keeps its slot; other places that nothing lies in say nothing.
      hideEmpty: !one.pile && !onMat,
    });
    const form = (one: Place): string => layoutLooks.table(one.table).form;
    const isHidden = (one: Place): boolean => one.faces !== 1;
    const hands = loose.filter((one) => onMat && isHidden(one));
    const decks = loose.filter((one) => !hands.includes(one) && one.pile);
    const open = loose.filter((one) => !hands.includes(one) && !decks.includes(one));
    const much = open.filter((one) => form(one) === "tile");
    const cards = open.filter((one) => form(one) === "card");
    const small = open.filter((one) => form(one) === "token");
    const shownMarkers = markers.filter(({ id, index }) => here(index) && !onBoards.markers.has(id) && !seatMarkers.includes(id));
    const shownCounters = counters.filter(({ id, index }) => here(index) && !onBoards.counters.has(id));
    const stats: Item[] = [
      ...shownCounters.map(({ id }): Item => ({ kind: "counter", counter: id })),
      ...shownMarkers.map(({ id }): Item => ({ kind: "marker", marker: id })),
    ];
    return area(onMat ? "mat" : "common", "column", [
      area("stats", "row", stats),
      area("boards", "column", pictures),
      area("open", "row", [...(onMat ? [] : lists), ...much.map(place)]),
      area("counted", "row", [...small.map(place), ...(onMat ? lists : []), ...decks.map(place)]),
      area("cards", "row", cards.map(place)),
      area("hands", "row", hands.map(place)),
    ].filter(({ items }) => items.length > 0));
  };
  const layoutLooks = new Looks(catalogue);
  return { common: items(false), mat: items(true), looks: layoutLooks, riders, onPieces, seatMarkers };
}
