/**
 * Boards: cells beside each other, with what lies on them.
 *
 * In: a board of the layout; the seat whose mat it is on, or 0. Out: its picture as a list, a grid, hexes or a map.
 *
 * @module
 */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { placeKey } from "referee-client";
import { NameKind, type RowRef } from "referee-client/v1";
import type { Cell } from "../model/boards.ts";
import type { BoardItem } from "../model/layout.ts";
import { colourStyle, iconOf } from "../model/looks.ts";
import type { PlaceState } from "../model/table.ts";
import { Icon } from "../parts/icon.tsx";
import { Aside, Said, clipped } from "../parts/text.tsx";
import { stateOf, thingProps, useStage } from "./context.ts";
import { Amount, MarkerValue, Piece } from "./piece.tsx";
import { Deck, PlacePieces, PlaceTag } from "./place.tsx";
import { SeatBadge } from "./seat.tsx";
import { sameList } from "../match/keyed.ts";
import { familyKey, seatOf, type Stage } from "../match/stage.ts";

/** As many cells of a list as are drawn: those first on which anything is. */
const MOST_LISTED = 240;

const rowKey = ({ table, row }: { readonly table: string; readonly row: string }): string => `row ${table}.${row}`;

/** A piece that lies on a cell, and the place that it is in. */
interface Laid {
  readonly place: PlaceState;
  readonly row: string;
}

/** What lies on a cell. */
interface OnCell {
  readonly places: readonly PlaceState[];
  readonly laid: readonly Laid[];
  /** Keys of markers. */
  readonly pawns: readonly string[];
}

/** What lies on the cells of a board, by cell; what lies on none of them has an empty key. */
type OnCells = ReadonlyMap<string, OnCell>;

const NOTHING: OnCell = { places: [], laid: [], pawns: [] };

const isSame = (a: OnCell, b: OnCell): boolean =>
  sameList(a.places, b.places) && sameList(a.pawns, b.pawns) && a.laid.length === b.laid.length && a.laid.every(({ place, row }, at) => place === b.laid[at]!.place && row === b.laid[at]!.row);

/** What lies where; on a cell on which nothing has changed it is what it was before. */
function onCells(stage: Stage, item: BoardItem, seat: number, before: OnCells): OnCells {
  const cells = new Map<string, { places: PlaceState[]; laid: Laid[]; pawns: string[] }>();
  const at = (key: string): { places: PlaceState[]; laid: Laid[]; pawns: string[] } => {
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { places: [], laid: [], pawns: [] }));
    return cell;
  };
  for (const id of item.places) {
    for (const place of stage.places(familyKey(id, seat))) {
      const row = place.ref.index.find(({ kind }) => kind.case === "row")?.kind;
      if (row?.case === "row") at(rowKey(row.value)).places.push(place);
    }
  }
  for (const { place: id, by } of item.laid) {
    for (const place of stage.places(familyKey(id, seat))) {
      for (const { row } of place.contents ?? []) {
        const where = stage.marker(`${by}(row ${place.table}.${row})`)?.value?.kind;
        at(where?.case === "row" ? rowKey(where.value) : "").laid.push({ place, row });
      }
    }
  }
  for (const id of item.pawns) {
    for (const whose of [0, ...stage.players.value.map(({ seat }) => seat)]) {
      for (const { ref, value } of stage.markers(familyKey(id, whose))) {
        if (value?.kind.case === "row") at(rowKey(value.kind.value)).pawns.push(placeKey(ref));
      }
    }
  }
  return new Map(
    [...cells].map(([key, cell]): readonly [string, OnCell] => {
      const known = before.get(key);
      return [key, known && isSame(known, cell) ? known : cell];
    }),
  );
}

/** What is on one cell. */
function CellBody({ item, cell, on, seat, tight }: { readonly item: BoardItem; readonly cell: Cell; readonly on: OnCell; readonly seat: number; readonly tight: boolean }): JSX.Element {
  const stage = useStage();
  const key = rowKey(cell);
  const names = stage.names.value;
  const seatKey = seat === 0 ? "" : `seat ${seat},`;
  return (
    <>
      {on.laid.map(({ place, row }) => (
        <div data-place={placeKey(place.ref)} class="laid" key={row}>
          <Piece table={place.table} row={row} count={1} place={place.ref} form="tile" />
        </div>
      ))}
      {on.places.map((place) => {
        const many = item.places.length > 1 && !tight;
        const key = placeKey(place.ref);
        if (place.size === 0 && (many || tight) && !stage.isMarked({ kind: "place", place: place.ref })) return <div key={key} data-place={key} />;
        return (
          <div class="cell-place" key={key} data-aimed={stage.isAimed(key) || undefined} data-touched={stage.isTouched(key) || undefined}>
            {tight ? null : <PlaceTag place={place} name={names.of(NameKind.PLACE, place.ref.name)} bare={!many} />}
            {place.pile ? <Deck place={place} /> : <PlacePieces place={place} {...(tight ? { form: "tile" as const } : {})} />}
          </div>
        );
      })}
      <span class="cell-signs">
        {item.counters.map((id) => {
          const counter = stage.counter(`${id}(${seatKey}${key})`);
          return counter?.value === undefined || counter.value === 0n ? null : <Amount key={id} id={id} of={counter.ref} value={String(counter.value)} />;
        })}
        {item.markers.map((id) => {
          const marker = stage.marker(`${id}(${seatKey}${key})`);
          const { kind } = marker?.value ?? { kind: undefined };
          return !marker?.value || kind?.case === "none" || (kind?.case === "boolean" && !kind.value) ? null : <MarkerValue key={id} id={id} of={marker.ref} value={marker.value} />;
        })}
        {on.pawns.map((key) => (
          <Pawn key={key} of={key} />
        ))}
      </span>
    </>
  );
}

/** A marker on the cell that it says, or the badge of the seat that stands there. */
function Pawn({ of: key }: { readonly of: string }): JSX.Element | null {
  const stage = useStage();
  const ref = stage.marker(key)?.ref;
  if (!ref) return null;
  const seat = seatOf(ref);
  const name = clipped(stage.names.value.of(NameKind.MARKER, ref.name), 80);
  return (
    <span class={seat === 0 ? "pawn" : "pawn of-seat"} data-place={key} data-touched={stage.isTouched(key) || undefined} title={name}>
      {seat === 0 ? <Icon name={iconOf(ref.name)} label={name.slice(0, 2)} /> : <SeatBadge seat={seat} />}
      <span class="sr">{name}</span>
    </span>
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
    <button class={bare ? "cell-tag bare" : "cell-tag"} {...thingProps(stage, thing, foreign)} tabIndex={stage.isMarked(thing) && !foreign ? 0 : -1}>
      <Icon name={look.icon} label="" />
      <span class={bare ? "sr" : "name"}>
        <Said text={name} most={60} />
      </span>
      <Aside text={stateOf(stage, thing, foreign)} />
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
  const before = useRef<OnCells>(new Map());
  const on = (before.current = onCells(stage, item, seat, before.current));
  const onCell = (cell: Cell): OnCell => on.get(rowKey(cell)) ?? NOTHING;
  const bare = (cell: Cell): boolean => isBare(stage, item, cell, onCell(cell), seat);
  // On the mat of somebody else a cell stands for itself, not for the row that is meant.
  const marked = (cell: Cell): boolean => (seat === 0 || seat === stage.seat) && stage.isMarked({ kind: "row", row: { $typeName: "referee.v1.RowRef", table: cell.table, row: cell.row } });
  if (board.shape === "list") {
    const cells = seat === 0 || board.cells.length <= 8 ? board.cells : board.cells.filter((cell) => !bare(cell) || marked(cell));
    // Counters alone that say nothing are left out.
    if (item.places.length === 0 && cells.every(bare)) return null;
    const told = cells.length <= MOST_LISTED ? cells : cells.toSorted((a, b) => Number(bare(a)) - Number(bare(b))).slice(0, MOST_LISTED);
    return (
      <div class="board list">
        {told.map((cell) => (
          <section class="cell" key={rowKey(cell)} data-cell={rowKey(cell)} data-marked={marked(cell) || undefined} style={colourStyle(stage.layout.looks.row(cell.table, cell.row).colour)}>
            <CellTag cell={cell} bare={false} seat={seat} figures />
            <CellBody item={item} cell={cell} on={onCell(cell)} seat={seat} tight={false} />
          </section>
        ))}
      </div>
    );
  }
  const shown = board.shape === "map" ? cropped(board.cells, (cell) => !bare(cell) || marked(cell)) : board.cells;
  const left = Math.min(...shown.map(({ x }) => x));
  const top = Math.min(...shown.map(({ y }) => y));
  const width = Math.max(...shown.flatMap(({ x, covers }) => [x, ...covers.map(([x]) => x)])) - left + 1;
  const height = Math.max(...shown.flatMap(({ y, covers }) => [y, ...covers.map(([, y]) => y)])) - top + 1;
  const style = { "--columns": String(width), "--rows": String(height) };
  const loose = on.get("")?.laid ?? [];
  return (
    <div class="board-scroll" tabIndex={0} role="group" aria-label={clipped(board.tables.map((table) => stage.names.value.of(NameKind.TABLE, table)).join(", "), 120)}>
      <div class={`board ${board.shape}`} style={style}>
        {shown.flatMap((cell) => {
          const { area, squares } = areaOf(cell, left, top, board.shape === "hex");
          const isMarked = marked(cell) || onCell(cell).places.some(({ ref }) => stage.isMarked({ kind: "place", place: ref }));
          const slim = board.shape !== "map" && cell.covers.length <= 1;
          const colour = colourStyle(stage.layout.looks.row(cell.table, cell.row).colour);
          return [
            ...squares.map((square) => <span class="square" key={`${rowKey(cell)} ${square}`} aria-hidden="true" style={{ gridArea: square, ...colour }} />),
            <section class="cell" key={rowKey(cell)} data-cell={rowKey(cell)} data-slim={slim || undefined} data-bare={bare(cell) || undefined} data-marked={isMarked || undefined} style={{ gridArea: area, ...colour }}>
              {board.shape === "map" && !bare(cell) ? (isMarked ? <CellTag cell={cell} bare seat={seat} /> : null) : <CellTag cell={cell} bare={slim || board.shape === "map"} seat={seat} />}
              <CellBody item={item} cell={cell} on={onCell(cell)} seat={seat} tight={board.shape === "map"} />
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
function isBare(stage: Stage, item: BoardItem, cell: Cell, on: OnCell, seat: number): boolean {
  const key = rowKey(cell);
  const seatKey = seat === 0 ? "" : `seat ${seat},`;
  return (
    on.places.every(({ size, contents, ref }) => (size === 0 || contents?.length === 0) && !stage.isMarked({ kind: "place", place: ref })) &&
    on.laid.length === 0 &&
    on.pawns.length === 0 &&
    item.counters.every((id) => (stage.counter(`${id}(${seatKey}${key})`)?.value ?? 0n) === 0n) &&
    item.markers.every((id) => {
      const kind = stage.marker(`${id}(${seatKey}${key})`)?.value?.kind;
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
