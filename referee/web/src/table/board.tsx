/**
 * Boards: cells beside each other, with what lies on them.
 *
 * In: a board of the layout; the seat whose mat it is on, or 0. Out: its picture as a list, a grid, hexes or a map.
 *
 * @module
 */
import type { JSX } from "preact";
import { placeKey } from "referee-client";
import { NameKind, type RowRef, type Value } from "referee-client/v1";
import type { Cell } from "../model/boards.ts";
import type { BoardItem } from "../model/layout.ts";
import { iconOf } from "../model/looks.ts";
import type { PlaceState } from "../model/table.ts";
import { Icon } from "../parts/icon.tsx";
import { Said, clipped } from "../parts/text.tsx";
import { stateOf, thingProps, useStage } from "./context.ts";
import { Amount, MarkerValue, Piece, colourStyle } from "./piece.tsx";
import { Deck, PlacePieces, PlaceTag } from "./place.tsx";
import type { Stage } from "../match/stage.ts";

/** As many cells of a list as are drawn: those first on which anything is. */
const MOST_LISTED = 240;

const rowKey = ({ table, row }: { readonly table: string; readonly row: string }): string => `row ${table}.${row}`;

/** What lies on the cells of a board, by cell. */
interface OnCells {
  readonly places: ReadonlyMap<string, readonly PlaceState[]>;
  readonly laid: ReadonlyMap<string, readonly { readonly place: PlaceState; readonly row: string }[]>;
  readonly pawns: ReadonlyMap<string, readonly string[]>;
}

const isOfSeat = (index: readonly Value[], seat: number): boolean => {
  const seats = index.filter(({ kind }) => kind.case === "seat");
  return seat === 0 ? seats.length === 0 : seats.some(({ kind }) => kind.value === seat);
};

function onCells(stage: Stage, item: BoardItem, seat: number): OnCells {
  const table = stage.table.value;
  const add = <T,>(map: Map<string, T[]>, key: string, one: T): void => {
    map.set(key, [...(map.get(key) ?? []), one]);
  };
  const places = new Map<string, PlaceState[]>();
  const laid = new Map<string, { place: PlaceState; row: string }[]>();
  const pawns = new Map<string, string[]>();
  for (const place of table.places.values()) {
    if (item.places.includes(place.ref.name) && isOfSeat(place.ref.index, seat)) {
      const row = place.ref.index.find(({ kind }) => kind.case === "row")?.kind;
      if (row?.case === "row") add(places, rowKey(row.value), place);
    }
    const by = item.laid.find(({ place: id }) => id === place.ref.name)?.by;
    if (by !== undefined && isOfSeat(place.ref.index, seat)) {
      for (const { row } of place.contents ?? []) {
        const where = table.markers.get(`${by}(row ${place.table}.${row})`)?.value?.kind;
        add(laid, where?.case === "row" ? rowKey(where.value) : "", { place, row });
      }
    }
  }
  for (const id of item.pawns) {
    const where = table.markers.get(`${id}()`)?.value?.kind;
    if (where?.case === "row") add(pawns, rowKey(where.value), id);
  }
  return { places, laid, pawns };
}

/** What is on one cell. */
function CellBody({ item, cell, on, seat, tight }: { readonly item: BoardItem; readonly cell: Cell; readonly on: OnCells; readonly seat: number; readonly tight: boolean }): JSX.Element {
  const stage = useStage();
  const table = stage.table.value;
  const key = rowKey(cell);
  const names = stage.names.value;
  const seatKey = seat === 0 ? "" : `seat ${seat},`;
  const places = on.places.get(key) ?? [];
  return (
    <>
      {(on.laid.get(key) ?? []).map(({ place, row }) => (
        <div data-place={placeKey(place.ref)} class="laid" key={row}>
          <Piece table={place.table} row={row} count={1} place={place.ref} form="tile" />
        </div>
      ))}
      {places.map((place) => {
        const many = item.places.length > 1 && !tight;
        if (place.size === 0 && (many || tight) && !stage.marks({ kind: "place", place: place.ref })) return <div key={placeKey(place.ref)} data-place={placeKey(place.ref)} />;
        return (
          <div class="cell-place" key={placeKey(place.ref)} data-aimed={stage.aimed.has(placeKey(place.ref)) || undefined} data-touched={stage.touched.value.has(placeKey(place.ref)) || undefined}>
            {tight ? null : <PlaceTag place={place} name={names.of(NameKind.PLACE, place.ref.name)} bare={!many} />}
            {place.pile ? <Deck place={place} /> : <PlacePieces place={place} {...(tight ? { form: "tile" as const } : {})} />}
          </div>
        );
      })}
      <span class="cell-signs">
        {item.counters.map((id) => {
          const counter = table.counters.get(`${id}(${seatKey}${key})`);
          return counter?.value === undefined || counter.value === 0n ? null : <Amount key={id} id={id} of={counter.ref} value={String(counter.value)} />;
        })}
        {item.markers.map((id) => {
          const marker = table.markers.get(`${id}(${seatKey}${key})`);
          const { kind } = marker?.value ?? { kind: undefined };
          return !marker?.value || kind?.case === "none" || (kind?.case === "boolean" && !kind.value) ? null : <MarkerValue key={id} id={id} of={marker.ref} value={marker.value} />;
        })}
        {(on.pawns.get(key) ?? []).map((id) => (
          <span class="pawn" key={id} data-place={`${id}()`} data-touched={stage.touched.value.has(`${id}()`) || undefined} title={clipped(names.of(NameKind.MARKER, id), 80)}>
            <Icon name={iconOf(id)} label={names.of(NameKind.MARKER, id).slice(0, 2)} />
            <span class="sr">{clipped(names.of(NameKind.MARKER, id), 80)}</span>
          </span>
        ))}
      </span>
    </>
  );
}

function CellTag({ cell, bare, seat, figures }: { readonly cell: Cell; readonly bare: boolean; readonly seat: number; readonly figures?: boolean }): JSX.Element {
  const stage = useStage();
  const foreign = seat !== 0 && seat !== stage.seat;
  const ref: RowRef = { $typeName: "referee.v1.RowRef", table: cell.table, row: cell.row };
  const thing = { kind: "row", row: ref } as const;
  const name = stage.names.value.row(ref);
  const look = stage.layout.looks.row(cell.table, cell.row);
  return (
    <button class={bare ? "cell-tag bare" : "cell-tag"} {...thingProps(stage, thing, foreign)} tabIndex={stage.marks(thing) && !foreign ? 0 : -1}>
      <Icon name={look.icon} label="" />
      <span class={bare ? "sr" : "name"}>
        <Said text={name} most={60} />
      </span>
      <span class="sr">{stateOf(stage, thing, foreign)}</span>
      {figures ? <CellFigures cell={cell} /> : null}
    </button>
  );
}

/** The figures of a cell of a list, such as the room of a ship. */
function CellFigures({ cell }: { readonly cell: Cell }): JSX.Element | null {
  const stage = useStage();
  const columns = stage.layout.looks.table(cell.table).printed;
  const numbers = stage.catalogue.cells(cell.table, cell.row).filter(({ column, value }) => columns.includes(column.id) && value.kind.case === "integer" && value.kind.value !== 0n);
  if (numbers.length === 0 || numbers.length > 2) return null;
  return (
    <span class="figures">
      {numbers.map(({ column, value }) => (
        <span key={column.id} title={clipped(stage.names.value.of(NameKind.COLUMN, column.id, cell.table), 80)}>
          {stage.names.value.value(value)}
        </span>
      ))}
    </span>
  );
}

/** A board. */
export function BoardView({ item, seat }: { readonly item: BoardItem; readonly seat: number }): JSX.Element | null {
  const stage = useStage();
  const { board } = item;
  const on = onCells(stage, item, seat);
  // On the mat of somebody else a cell stands for itself, not for the row that is meant.
  const marked = (cell: Cell): boolean => (seat === 0 || seat === stage.seat) && stage.marks({ kind: "row", row: { $typeName: "referee.v1.RowRef", table: cell.table, row: cell.row } });
  if (board.shape === "list") {
    const cells = seat === 0 || board.cells.length <= 8 ? board.cells : board.cells.filter((cell) => !isBare(stage, item, cell, on, seat) || marked(cell));
    // Counters alone that say nothing are left out.
    if (item.places.length === 0 && cells.every((cell) => isBare(stage, item, cell, on, seat))) return null;
    const told = cells.length <= MOST_LISTED ? cells : cells.toSorted((a, b) => Number(isBare(stage, item, a, on, seat)) - Number(isBare(stage, item, b, on, seat))).slice(0, MOST_LISTED);
    return (
      <div class="board list">
        {told.map((cell) => (
          <section class="cell" key={rowKey(cell)} data-cell={rowKey(cell)} data-marked={marked(cell) || undefined} style={colourStyle(stage.layout.looks.row(cell.table, cell.row).colour)}>
            <CellTag cell={cell} bare={false} seat={seat} figures />
            <CellBody item={item} cell={cell} on={on} seat={seat} tight={false} />
          </section>
        ))}
      </div>
    );
  }
  const shown = board.shape === "map" ? cropped(board.cells, (cell) => !isBare(stage, item, cell, on, seat) || marked(cell)) : board.cells;
  const left = Math.min(...shown.map(({ x }) => x));
  const top = Math.min(...shown.map(({ y }) => y));
  const width = Math.max(...shown.flatMap(({ x, covers }) => [x, ...covers.map(([x]) => x)])) - left + 1;
  const height = Math.max(...shown.flatMap(({ y, covers }) => [y, ...covers.map(([, y]) => y)])) - top + 1;
  const style = { "--columns": String(width), "--rows": String(height) };
  const loose = on.laid.get("") ?? [];
  return (
    <div class="board-scroll" tabIndex={0} role="group" aria-label={clipped(board.tables.map((table) => stage.names.value.of(NameKind.TABLE, table)).join(", "), 120)}>
      <div class={`board ${board.shape}`} style={style}>
        {shown.flatMap((cell) => {
          const { area, squares } = areaOf(cell, left, top, board.shape === "hex");
          const bare = isBare(stage, item, cell, on, seat);
          const isMarked = marked(cell) || (on.places.get(rowKey(cell)) ?? []).some(({ ref }) => stage.marks({ kind: "place", place: ref }));
          const slim = board.shape !== "map" && cell.covers.length <= 1;
          const colour = colourStyle(stage.layout.looks.row(cell.table, cell.row).colour);
          return [
            ...squares.map((square) => <span class="square" key={`${rowKey(cell)} ${square}`} aria-hidden="true" style={{ gridArea: square, ...colour }} />),
            <section class="cell" key={rowKey(cell)} data-cell={rowKey(cell)} data-slim={slim || undefined} data-bare={bare || undefined} data-marked={isMarked || undefined} style={{ gridArea: area, ...colour }}>
              {board.shape === "map" && !bare ? (isMarked ? <CellTag cell={cell} bare seat={seat} /> : null) : <CellTag cell={cell} bare={slim || board.shape === "map"} seat={seat} />}
              <CellBody item={item} cell={cell} on={on} seat={seat} tight={board.shape === "map"} />
            </section>,
          ];
        })}
      </div>
      {loose.length > 0 ? (
        <div class="pieces" data-place={placeKey(loose[0]!.place.ref)}>
          {loose.map(({ place, row }) => (
            <Piece key={row} table={place.table} row={row} count={1} place={place.ref} form="tile" />
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Whether nothing is on a cell. */
function isBare(stage: Stage, item: BoardItem, cell: Cell, on: OnCells, seat: number): boolean {
  const key = rowKey(cell);
  const { counters, markers } = stage.table.value;
  const seatKey = seat === 0 ? "" : `seat ${seat},`;
  return (
    (on.places.get(key) ?? []).every(({ size, contents, ref }) => (size === 0 || contents?.length === 0) && !stage.marks({ kind: "place", place: ref })) &&
    !on.laid.has(key) &&
    !on.pawns.has(key) &&
    item.counters.every((id) => (counters.get(`${id}(${seatKey}${key})`)?.value ?? 0n) === 0n) &&
    item.markers.every((id) => {
      const kind = markers.get(`${id}(${seatKey}${key})`)?.value?.kind;
      return kind === undefined || kind.case === "none" || (kind.case === "boolean" && !kind.value);
    })
  );
}

/** Of a wide map the part that something is on, and what lies beside it. */
function cropped(cells: readonly Cell[], used: (cell: Cell) => boolean): readonly Cell[] {
  const inUse = cells.filter(used);
  if (inUse.length === 0) return cells.slice(0, 1);
  const from = Math.min(...inUse.map(({ x }) => x)) - 1;
  const until = Math.max(...inUse.map(({ x }) => x)) + 1;
  const above = Math.min(...inUse.map(({ y }) => y));
  const below = Math.max(...inUse.map(({ y }) => y));
  return cells.filter(({ x, y }) => x >= from && x <= until && y >= above && y <= below);
}

/** The part of a grid that a cell takes: its rectangle, or its first square if it is none. */
function areaOf(cell: Cell, left: number, top: number, hex: boolean): { readonly area: string; readonly squares: readonly string[] } {
  const at = (x: number, y: number, w = 1, h = 1): string => {
    const column = hex ? 2 * (x - left) + (y - top) + 1 : x - left + 1;
    return `${y - top + 1} / ${column} / span ${h} / span ${hex ? 2 : w}`;
  };
  if (cell.covers.length <= 1) return { area: at(cell.x, cell.y), squares: [] };
  const xs = cell.covers.map(([x]) => x);
  const ys = cell.covers.map(([, y]) => y);
  const [w, h] = [Math.max(...xs) - cell.x + 1, Math.max(...ys) - cell.y + 1];
  if (w * h === cell.covers.length) return { area: at(cell.x, cell.y, w, h), squares: [] };
  const [first] = [...cell.covers].sort(([ax, ay], [bx, by]) => ay - by || ax - bx);
  return { area: at(first![0], first![1]), squares: cell.covers.map(([x, y]) => at(x, y)) };
}
