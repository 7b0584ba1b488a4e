/**
 * What lies where on the screen.
 *
 * In: a catalogue. Out: areas with places, counters, markers and boards, one for the common table and one that stands for the
 * mat of every seat. The default is made of declarations alone, so that every ruleset has one; `authored` lays over it what an
 * author says. Both have the same form.
 *
 * - What has a seat among its index types lies on that seat's mat, everything else on the common table.
 * - A place that is indexed by rows of a table whose pieces lie in one place of the same mat lies on those pieces: workers in
 *   buildings.
 * - Counters and markers that are indexed by rows whose pieces lie anywhere are shown on these pieces.
 * - Tables by whose rows anything else is indexed are boards; see `boards.ts`.
 * - A marker from a table of pieces to rows of a board says where each piece lies on that board.
 * - Piles are decks; places that belong to one phase's work and are empty are left out while they are.
 *
 * What an author names stands where the author says, and nowhere else; what the author sets aside stands nowhere; the rest
 * stands as by default, in an area of its own after everything else. Names that the ruleset does not have are passed over.
 *
 * @module
 */
import { LayoutDraw, LayoutFlow, LayoutFold, type LayoutArea, type LayoutBoard, type LayoutTrack, type Place, type Text, type Type } from "referee-client/v1";
import { boardsOf, type Board } from "./boards.ts";
import { isRow, isSeat, type Catalogue } from "./catalogue.ts";
import { Looks } from "./looks.ts";

/** How the items of an area follow each other. */
export type Flow = "row" | "column" | "tabs";

/** Whether something can be folded away, and how it is at first. */
export type Fold = "never" | "open" | "closed";

/** Something in an area. */
export type Item = Area | PlaceItem | CounterItem | MarkerItem | BoardItem | TrackItem;

/** A part of the screen. */
export interface Area {
  readonly kind: "area";
  readonly id: string;
  readonly flow: Flow;
  readonly items: readonly Item[];
  /** Whether it can be folded away, and how it is at first. */
  readonly fold: Fold;
  /** What stands above it, if the author says it. */
  readonly titles?: Text;
}

/** A place, or all of a family of places but for the seat. */
export interface PlaceItem {
  readonly kind: "place";
  readonly place: string;
  /** `deck` shows a pile as one card, `pieces` all that lies there. */
  readonly shows: "deck" | "pieces";
  /** Whether it is left out while nothing lies there. */
  readonly hideEmpty: boolean;
  /** The columns by which its pieces are ordered, and stand in groups. */
  readonly order?: string;
  readonly group?: string;
}

/** A counter, or a family of counters. */
export interface CounterItem {
  readonly kind: "counter";
  readonly counter: string;
  /** Whether it is left out while it says nothing. */
  readonly hideEmpty?: boolean;
}

/** A marker, or a family of markers. */
export interface MarkerItem {
  readonly kind: "marker";
  readonly marker: string;
  /** Whether it is left out while it says nothing. */
  readonly hideEmpty?: boolean;
}

/** A board with what lies on its cells. */
export interface BoardItem {
  readonly kind: "board";
  readonly board: Board;
  /** Places, counters and markers that are indexed by its cells. */
  readonly places: readonly string[];
  readonly counters: readonly string[];
  readonly markers: readonly string[];
  /** Markers that stand on one of its cells: nobody's, and on a board that all share those of every seat. */
  readonly pawns: readonly string[];
  /** Places whose pieces lie on its cells, each where a marker says. */
  readonly laid: readonly { readonly place: string; readonly by: string }[];
}

/** Numbered steps that all share, with the counters that stand on them: nobody's, or those of every seat. */
export interface TrackItem {
  readonly kind: "track";
  readonly counters: readonly string[];
  /** The numbers of its steps, in order. */
  readonly steps: readonly bigint[];
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
  /** Whether its author has said how it lies. */
  readonly authored: boolean;
}

/** Whether what is above is found by the index of what is below and then the piece, which is how riders are drawn. */
const isRider = ({ index, pile }: Place, piece: number, below: readonly number[]): boolean =>
  !pile && piece === index.length - 1 && below.length === index.length - 1 && below.every((from, at) => from === at);

const rest = (index: readonly Type[]): readonly Type[] => index.filter((type) => !isSeat(type));
const hasSeat = (index: readonly Type[]): boolean => index.some(isSeat);
/** The table of the only index value beside the seat, if there is one. */
const onlyTable = (index: readonly Type[]): string | undefined => {
  const left = rest(index);
  return left.length === 1 && isRow(left[0]!) ? left[0]!.of : undefined;
};

/** The layout of a ruleset: its author's, or the default. */
export function layoutOf(catalogue: Catalogue): Layout {
  const plain = defaultLayout(catalogue);
  return catalogue.ruleset.layout ? authored(catalogue, plain) : plain;
}

/** The default layout. */
export function defaultLayout(catalogue: Catalogue): Layout {
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
    const said = place.liesOn;
    if (said && isRider(place, said.piece, said.index)) {
      riders.push({ place: place.id, on: said.place });
      continue;
    }
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

  const area = (id: string, flow: Flow, items: readonly Item[]): Area => ({ kind: "area", id, flow, items, fold: "never" });

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
  return { common: items(false), mat: items(true), looks: layoutLooks, riders, onPieces, seatMarkers, authored: false };
}

/** As deep as areas are drawn within each other, and as much as is drawn; the checker allows less. */
const DEEPEST = 12;
const MOST_PARTS = 4_000;
/** As many steps of a track; the checker allows fewer. */
const MOST_STEPS = 400n;

const FLOWS: ReadonlyMap<LayoutFlow, Flow> = new Map([
  [LayoutFlow.ROW, "row"],
  [LayoutFlow.TABS, "tabs"],
]);
const FOLDS: ReadonlyMap<LayoutFold, Fold> = new Map([
  [LayoutFold.OPEN, "open"],
  [LayoutFold.CLOSED, "closed"],
]);

/** Every place, counter and marker that an area names. */
function named(area: LayoutArea | undefined, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  return (area?.parts ?? []).flatMap(({ part }) => {
    if (part.case === "area") return named(part.value, depth + 1);
    if (part.case === "thing") return [part.value.id];
    if (part.case === "track") return part.value.counters;
    return part.case === "board" ? part.value.things : [];
  });
}

/** The tables of the boards on which an area shows all that lies there. */
function wholeBoards(area: LayoutArea | undefined, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  return (area?.parts ?? []).flatMap(({ part }) => {
    if (part.case === "area") return wholeBoards(part.value, depth + 1);
    return part.case === "board" && part.value.things.length === 0 ? [part.value.table] : [];
  });
}

/** What an author says, laid over the default. */
function authored(catalogue: Catalogue, plain: Layout): Layout {
  const said = catalogue.ruleset.layout!;
  const taken = new Set([...named(said.table), ...named(said.mat), ...said.aside]);
  const boards = [...boardItems(plain.common), ...boardItems(plain.mat)].map(({ board }) => board);
  let parts = 0;

  const boardOf = (table: string): Board | undefined => boards.find(({ tables }) => tables.includes(table)) ?? (catalogue.tables.has(table) ? boardsOf(catalogue, [table])[0] : undefined);
  const boardItem = ({ table, things }: LayoutBoard, onMat: boolean): Item[] => {
    const board = boardOf(table);
    if (!board) return [];
    const byDefault = boardItems(onMat ? plain.mat : plain.common).find((item) => item.board.tables.includes(table));
    if (things.length === 0) {
      const item = byDefault && without(byDefault, taken);
      return [item ?? { kind: "board", board, places: [], counters: [], markers: [], pawns: [], laid: [] }];
    }
    const wanted = (id: string): boolean => things.includes(id);
    const isOn = (index: readonly Type[]): boolean => rest(index).some((type) => isRow(type) && board.tables.includes(type.of));
    const { places, counters, markers } = catalogue.ruleset;
    return [
      {
        kind: "board",
        board,
        places: places.filter(({ id }) => wanted(id)).map(({ id }) => id),
        counters: counters.filter(({ id }) => wanted(id)).map(({ id }) => id),
        markers: markers.filter(({ id, index }) => wanted(id) && isOn(index)).map(({ id }) => id),
        pawns: markers.filter(({ id, index }) => wanted(id) && rest(index).length === 0 && (!onMat || index.length === 0)).map(({ id }) => id),
        laid: (byDefault?.laid ?? []).filter(({ by }) => wanted(by)),
      },
    ];
  };
  const track = ({ counters, first, last }: LayoutTrack): Item[] => {
    const known = counters.filter((id) => catalogue.counters.has(id));
    const length = (last < first ? first - last : last - first) + 1n;
    if (known.length === 0 || length > MOST_STEPS) return [];
    return [{ kind: "track", counters: known, steps: Array.from({ length: Number(length) }, (_, at) => (last < first ? first - BigInt(at) : first + BigInt(at))) }];
  };
  const thing = (id: string, hideEmpty: boolean, draw: LayoutDraw, order: string, group: string): Item[] => {
    const place = catalogue.places.get(id);
    if (place) {
      const shows = draw === LayoutDraw.DECK || (draw !== LayoutDraw.PIECES && place.pile) ? "deck" : "pieces";
      return [{ kind: "place", place: id, shows, hideEmpty, ...(order ? { order } : {}), ...(group ? { group } : {}) }];
    }
    if (catalogue.counters.has(id)) return [{ kind: "counter", counter: id, hideEmpty }];
    return catalogue.markers.has(id) ? [{ kind: "marker", marker: id, hideEmpty }] : [];
  };
  const area = (of: LayoutArea | undefined, onMat: boolean, id: string, depth: number): Area => {
    const items = (depth > DEEPEST ? [] : (of?.parts ?? [])).flatMap(({ part }): readonly Item[] => {
      parts += 1;
      if (parts > MOST_PARTS) return [];
      switch (part.case) {
        case "area":
          return [area(part.value, onMat, `own-${part.value.id}`, depth + 1)];
        case "board":
          return boardItem(part.value, onMat);
        case "track":
          return onMat ? [] : track(part.value);
        case "thing":
          return thing(part.value.id, part.value.hideEmpty, part.value.draw, part.value.order, part.value.group);
        default:
          return [];
      }
    });
    const flow = FLOWS.get(of?.flow ?? LayoutFlow.UNSPECIFIED) ?? "column";
    const fold = FOLDS.get(of?.fold ?? LayoutFold.UNSPECIFIED) ?? "never";
    return { kind: "area", id, flow, fold, items, ...(of?.titles ? { titles: of.titles } : {}) };
  };
  const whole = (of: LayoutArea | undefined, onMat: boolean): Area => {
    const made = area(of, onMat, onMat ? "mat" : "common", 0);
    const shown = new Set(wholeBoards(of).flatMap((table) => boardOf(table)?.tables ?? []));
    const left = leftOver(onMat ? plain.mat : plain.common, taken, shown);
    return left.length === 0 ? made : { ...made, items: [...made.items, { kind: "area", id: "rest", flow: "row", fold: "open", items: left }] };
  };
  const left = (ids: readonly string[]): readonly string[] => ids.filter((id) => !taken.has(id));
  return {
    common: whole(said.table, false),
    mat: whole(said.mat, true),
    looks: plain.looks,
    riders: plain.riders.filter(({ place }) => !taken.has(place)),
    onPieces: new Map([...plain.onPieces].map(([table, { counters, markers }]) => [table, { counters: left(counters), markers: left(markers) }])),
    seatMarkers: left(plain.seatMarkers),
    authored: true,
  };
}

const boardItems = (area: Area): readonly BoardItem[] =>
  area.items.flatMap((item) => (item.kind === "area" ? boardItems(item) : item.kind === "board" ? [item] : []));

/** A board without what stands elsewhere; nothing if nothing is left. */
function without(item: BoardItem, taken: ReadonlySet<string>): BoardItem | undefined {
  const left = (ids: readonly string[]): readonly string[] => ids.filter((id) => !taken.has(id));
  const made = {
    ...item,
    places: left(item.places),
    counters: left(item.counters),
    markers: left(item.markers),
    pawns: left(item.pawns),
    laid: item.laid.filter(({ place, by }) => !taken.has(place) && !taken.has(by)),
  };
  return made.places.length + made.counters.length + made.markers.length + made.pawns.length + made.laid.length > 0 ? made : undefined;
}

/** What of the default the author says nothing of. */
function leftOver(area: Area, taken: ReadonlySet<string>, boards: ReadonlySet<string>): readonly Item[] {
  return area.items.flatMap((item): readonly Item[] => {
    switch (item.kind) {
      case "area":
        return leftOver(item, taken, boards);
      case "place":
        return taken.has(item.place) ? [] : [item];
      case "counter":
        return taken.has(item.counter) ? [] : [item];
      case "marker":
        return taken.has(item.marker) ? [] : [item];
      case "track":
        // Only an author makes one.
        return [];
      case "board": {
        // A board that the author shows whole leaves nothing over.
        if (item.board.tables.some((table) => boards.has(table))) return [];
        const left = without(item, taken);
        return left ? [left] : [];
      }
    }
  });
}

/** Pieces in the order of a column, and in the groups of another. */
export function arranged<P extends { readonly row: string }>(
  catalogue: Catalogue,
  table: string,
  pieces: readonly P[],
  { order, group }: { readonly order?: string | undefined; readonly group?: string | undefined },
): readonly (readonly P[])[] {
  if (order === undefined && group === undefined) return [pieces];
  const value = (row: string, column: string | undefined): number => {
    const kind = column === undefined ? undefined : catalogue.cells(table, row).find((cell) => cell.column.id === column)?.value.kind;
    switch (kind?.case) {
      case "integer":
        return Number(kind.value);
      case "boolean":
        return Number(kind.value);
      case "row":
        return catalogue.order(kind.value.table, kind.value.row);
      default:
        return -1;
    }
  };
  const sorted = [...pieces].sort((a, b) => value(a.row, group) - value(b.row, group) || value(a.row, order) - value(b.row, order));
  const groups: P[][] = [];
  for (const piece of sorted) {
    const last = groups.at(-1);
    if (last && value(last[0]!.row, group) === value(piece.row, group)) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}
