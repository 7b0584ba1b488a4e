/**
 * Where the rows of a table lie beside each other.
 *
 * In: a catalogue and the tables that things are indexed by. Out: boards, which are cells at coordinates. Coordinates are facts of
 * the ruleset and never guessed from names of games. There are three rules, in this order:
 *
 * 1. **Coordinates.** A table that says itself that its rows are a board, by which columns and of which shape; else one with two
 *    columns of numbers that are called `column` and `row`, `col` and `row`, `x` and `y` or
 *    `file` and `rank` is a grid; `q` and `r` make it one of hexes.
 * 2. **A plan.** If such a table has exactly one column with rows of another table, it is the plan of that one: each row of
 *    the other table covers the squares that belong to it.
 * 3. **Neighbours.** Tables whose rows name each other's, one of them by two columns (what lies before, what lies behind),
 *    follow from each other: a row lies between the two that it names; rows that name one row by a single column lie above and
 *    below it, in their order.
 *
 * Everything else is a list in the order of its rows.
 *
 * @module
 */
import { BoardShape } from "referee-client/v1";
import type { Catalogue } from "./catalogue.ts";
import { isInteger, isRow } from "./catalogue.ts";

/** How the cells of a board lie. */
export type Shape = "list" | "grid" | "hex" | "map";

/** A cell: a row of a table, and where it lies. Coordinates of a list count its rows. */
export interface Cell {
  readonly table: string;
  readonly row: string;
  readonly x: number;
  readonly y: number;
  /** All squares that it covers, if those are several. */
  readonly covers: readonly (readonly [number, number])[];
}

/** Cells that lie beside each other. */
export interface Board {
  readonly shape: Shape;
  /** The tables whose rows are cells. */
  readonly tables: readonly string[];
  readonly cells: readonly Cell[];
  /** How many columns and rows it has. */
  readonly width: number;
  readonly height: number;
}

const PAIRS: readonly (readonly [string, string, Shape])[] = [
  ["column", "row", "grid"],
  ["col", "row", "grid"],
  ["x", "y", "grid"],
  ["file", "rank", "grid"],
  ["q", "r", "hex"],
];

/** More cells than this are no picture but a list that is looked through. */
const MOST_CELLS = 2_000;

/** The boards of the tables that things are indexed by; each table is in one of them. */
export function boardsOf(catalogue: Catalogue, indexed: readonly string[]): readonly Board[] {
  const boards: Board[] = [];
  const left = new Set(indexed);
  const take = (board: Board | undefined): void => {
    if (!board) return;
    boards.push(board);
    for (const table of board.tables) left.delete(table);
  };
  for (const table of catalogue.tables.keys()) {
    const found = byCoordinates(catalogue, table);
    if (!found) continue;
    const plan = planOf(catalogue, table, found, left);
    if (plan) take(plan);
    else if (left.has(table)) take(found);
  }
  for (const table of [...left]) if (left.has(table)) take(byNeighbours(catalogue, table, left));
  for (const table of [...left]) take(asList(catalogue, table));
  return boards;
}

const rowsInPlay = (catalogue: Catalogue, table: string): readonly string[] =>
  (catalogue.tables.get(table)?.rows ?? []).filter(({ inPlay }) => inPlay).map(({ id }) => id);

/** A board of cells, moved so that it begins at 0. */
function board(shape: Shape, tables: readonly string[], cells: readonly Cell[]): Board {
  const all = cells.flatMap(({ x, y, covers }) => [[x, y] as const, ...covers]);
  const left = Math.min(...all.map(([x]) => x));
  const top = Math.min(...all.map(([, y]) => y));
  return {
    shape,
    tables,
    cells: cells.map((cell) => ({
      ...cell,
      x: cell.x - left,
      y: cell.y - top,
      covers: cell.covers.map(([x, y]) => [x - left, y - top] as const),
    })),
    width: Math.max(...all.map(([x]) => x)) - left + 1,
    height: Math.max(...all.map(([, y]) => y)) - top + 1,
  };
}

function numbersOf(catalogue: Catalogue, table: string, column: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const row of rowsInPlay(catalogue, table)) {
    const cell = catalogue.cells(table, row).find((cell) => cell.column.id === column);
    if (cell?.value.kind.case === "integer") found.set(row, Number(cell.value.kind.value));
  }
  return found;
}

/** The board that a table says itself. */
function asSaid(catalogue: Catalogue, table: string): Board | undefined {
  const said = catalogue.tables.get(table)?.board;
  if (!said) return undefined;
  const xs = numbersOf(catalogue, table, said.x);
  const ys = numbersOf(catalogue, table, said.y);
  // Of a map and a track only the order counts: its unit is the author's own.
  const ranks = (values: Iterable<number>): ReadonlyMap<number, number> => new Map([...new Set(values)].toSorted((a, b) => a - b).map((value, rank) => [value, rank]));
  const isRanked = said.shape === BoardShape.MAP || said.shape === BoardShape.TRACK;
  const [left, top] = [ranks(xs.values()), ranks(ys.values())];
  const cells: Cell[] = [];
  for (const row of rowsInPlay(catalogue, table)) {
    const x = xs.get(row);
    const y = said.shape === BoardShape.TRACK ? 0 : ys.get(row);
    if (x !== undefined && y !== undefined) cells.push({ table, row, x: isRanked ? left.get(x)! : x, y: isRanked ? (top.get(y) ?? 0) : y, covers: [] });
  }
  if (cells.length === 0 || cells.length > MOST_CELLS) return undefined;
  const made = board(said.shape === BoardShape.HEX ? "hex" : said.shape === BoardShape.TRACK ? "list" : "grid", [table], cells.toSorted((a, b) => a.y - b.y || a.x - b.x));
  return made.width * made.height <= 16 * MOST_CELLS ? made : undefined;
}

function byCoordinates(catalogue: Catalogue, table: string): Board | undefined {
  const said = asSaid(catalogue, table);
  if (said) return said;
  const columns = catalogue.tables.get(table)?.columns ?? [];
  const isNumber = (id: string): boolean => columns.some((c) => c.id === id && c.type !== undefined && isInteger(c.type));
  const pair = PAIRS.find(([x, y]) => isNumber(x) && isNumber(y));
  if (!pair) return undefined;
  const [xs, ys] = [numbersOf(catalogue, table, pair[0]), numbersOf(catalogue, table, pair[1])];
  const cells: Cell[] = [];
  for (const row of rowsInPlay(catalogue, table)) {
    const [x, y] = [xs.get(row), ys.get(row)];
    if (x !== undefined && y !== undefined) cells.push({ table, row, x, y, covers: [] });
  }
  if (cells.length === 0 || cells.length > MOST_CELLS) return undefined;
  const made = board(pair[2], [table], cells);
  // Coordinates far apart would be a picture of nothing.
  return made.width * made.height <= 16 * MOST_CELLS ? made : undefined;
}

function planOf(
  catalogue: Catalogue,
  table: string,
  squares: Board,
  wanted: ReadonlySet<string>,
): Board | undefined {
  const rows = (catalogue.tables.get(table)?.columns ?? []).filter(({ type }) => type && isRow(type));
  const [column] = rows;
  const of = column?.type?.of ?? "";
  if (rows.length !== 1 || column === undefined || wanted.has(table) || !wanted.has(of)) return undefined;
  const covers = new Map<string, (readonly [number, number])[]>();
  for (const square of squares.cells) {
    const cell = catalogue.cells(table, square.row).find((cell) => cell.column.id === column.id);
    if (cell?.value.kind.case !== "row") continue;
    const { row } = cell.value.kind.value;
    covers.set(row, [...(covers.get(row) ?? []), [square.x, square.y]]);
  }
  const cells = rowsInPlay(catalogue, of).flatMap((row): Cell[] => {
    const squares = covers.get(row);
    if (!squares) return [];
    const x = Math.min(...squares.map(([x]) => x));
    const y = Math.min(...squares.map(([, y]) => y));
    return [{ table: of, row, x, y, covers: squares }];
  });
  return cells.length > 0 ? board("grid", [of], cells) : undefined;
}

interface Link {
  readonly from: string;
  readonly to: string;
  readonly dx: number;
  /** How far below it lies; `undefined` if that follows from the order of those that name the same row. */
  readonly dy: number | undefined;
}

/** Cells of tables that name each other; nothing unless one of them does so by two columns and all fits together. */
function byNeighbours(catalogue: Catalogue, first: string, among: ReadonlySet<string>): Board | undefined {
  const links: Link[] = [];
  const joined = new Map<string, Set<string>>();
  let paired = false;
  for (const table of among) {
    const columns = (catalogue.tables.get(table)?.columns ?? []).filter(
      ({ type }) => type && isRow(type) && among.has(type.of),
    );
    for (const to of new Set(columns.map(({ type }) => type!.of))) {
      const naming = columns.filter(({ type }) => type!.of === to);
      if (naming.length > 2) return undefined;
      if (naming.length === 2) paired = true;
      joined.set(table, (joined.get(table) ?? new Set()).add(to));
      joined.set(to, (joined.get(to) ?? new Set()).add(table));
      const named = new Map<string, number>();
      for (const row of rowsInPlay(catalogue, table)) {
        for (const { column, value } of catalogue.cells(table, row)) {
          const at = naming.indexOf(column);
          if (at < 0 || value.kind.case !== "row") continue;
          const other = `${to} ${value.kind.value.row}`;
          if (naming.length === 2) links.push({ from: `${table} ${row}`, to: other, dx: at === 0 ? -1 : 1, dy: 0 });
          else {
            const before = named.get(other) ?? 0;
            named.set(other, before + 1);
            // Above, below, further above, further below.
            const dy = (before % 2 === 0 ? 1 : -1) * (Math.floor(before / 2) + 1);
            links.push({ from: `${table} ${row}`, to: other, dx: 0, dy });
          }
        }
      }
    }
  }
  if (!paired) return undefined;
  // Which tables belong together with the first.
  const tables = new Set([first]);
  for (const table of tables) for (const other of joined.get(table) ?? []) tables.add(other);
  const rows = [...tables].flatMap((table) => rowsInPlay(catalogue, table).map((row) => `${table} ${row}`));
  const [start] = rows;
  if (start === undefined || rows.length > MOST_CELLS || tables.size < 2) return undefined;
  const near = new Map<string, (readonly [string, number, number])[]>();
  const join = (a: string, b: string, dx: number, dy: number): void => {
    near.set(a, [...(near.get(a) ?? []), [b, dx, dy]]);
  };
  for (const { from, to, dx, dy } of links) {
    join(from, to, dx, dy ?? 0);
    join(to, from, -dx, -(dy ?? 0));
  }
  const at = new Map<string, readonly [number, number]>([[start, [0, 0]]]);
  for (const [row, [x, y]] of at) {
    for (const [other, dx, dy] of near.get(row) ?? []) {
      const known = at.get(other);
      const here = [x + dx, y + dy] as const;
      if (known === undefined) at.set(other, here);
      else if (known[0] !== here[0] || known[1] !== here[1]) return undefined;
    }
  }
  const taken = new Set([...at.values()].map(([x, y]) => `${x} ${y}`));
  if (at.size !== rows.length || taken.size !== rows.length) return undefined;
  const cells = rows.map((key): Cell => {
    const [table = "", row = ""] = key.split(" ");
    const [x, y] = at.get(key)!;
    return { table, row, x, y, covers: [] };
  });
  return board("map", [...tables], cells);
}

function asList(catalogue: Catalogue, table: string): Board {
  const cells = rowsInPlay(catalogue, table).map((row, at): Cell => ({ table, row, x: at, y: 0, covers: [] }));
  return { shape: "list", tables: [table], cells, width: Math.max(1, cells.length), height: 1 };
}
