import assert from "node:assert/strict";
import { test } from "node:test";
import { Sight } from "referee-client/v1";
import { boardsOf } from "../../src/model/boards.ts";
import { Catalogue } from "../../src/model/catalogue.ts";
import { layoutOf, type Area, type BoardItem, type Item } from "../../src/model/layout.ts";
import { iconOf, labelOf } from "../../src/model/looks.ts";
import { rulesetOf, type Little } from "./ruleset.ts";

const itemsOf = (area: Area): readonly Item[] => area.items.flatMap((item) => (item.kind === "area" ? itemsOf(item) : [item]));
const boardIn = (area: Area): BoardItem | undefined => itemsOf(area).find((item) => item.kind === "board") as BoardItem | undefined;
const placesIn = (area: Area): readonly string[] => itemsOf(area).flatMap((item) => (item.kind === "place" ? [item.place] : []));
const laidOut = (little: Little) => layoutOf(new Catalogue(rulesetOf(little)));

test("what has a seat in its index lies on the mat, everything else on the common table", () => {
  const layout = laidOut({
    tables: { stone: { rows: { white: [], black: [] } } },
    places: { bag: { of: "stone" }, hand: { index: ["seat"], of: "stone", faces: Sight.OWNER } },
    counters: { coins: ["seat"], round: [] },
    markers: { first: { is: "seat" } },
  });
  assert.deepEqual(placesIn(layout.common), ["bag"]);
  assert.deepEqual(placesIn(layout.mat), ["hand"]);
  assert.deepEqual(itemsOf(layout.mat).filter(({ kind }) => kind === "counter"), [{ kind: "counter", counter: "coins" }]);
  assert.deepEqual(layout.seatMarkers, ["first"]);
});

test("a place that is indexed by rows whose pieces lie in one place of the mat lies on those pieces", () => {
  const layout = laidOut({
    tables: { house: { rows: { mill: [], inn: [] } }, person: { rows: { worker: [] } } },
    places: { city: { index: ["seat"], of: "house" }, staff: { index: ["seat", "house"], of: "person" } },
  });
  assert.deepEqual(layout.riders, [{ place: "staff", on: "city" }]);
  assert.deepEqual(placesIn(layout.mat), ["city"]);
});

test("counters that are indexed by pieces are shown on them", () => {
  const layout = laidOut({ tables: { card: { rows: { a: [] } } }, places: { open: { of: "card" } }, counters: { bonus: ["card"] } });
  assert.deepEqual(layout.onPieces.get("card"), { counters: ["bonus"], markers: [] });
  assert.equal(boardIn(layout.common), undefined);
});

test("a table with columns of coordinates is a grid", () => {
  const layout = laidOut({
    tables: { square: { columns: { file: "int", rank: "int" }, rows: { a1: [1, 1], b1: [2, 1], a2: [1, 2] } }, man: { rows: { pawn: [] } } },
    places: { on: { index: ["square"], of: "man" } },
  });
  const { board } = boardIn(layout.common)!;
  assert.equal(board.shape, "grid");
  assert.deepEqual(board.cells.map(({ row, x, y }) => [row, x, y]), [["a1", 0, 0], ["b1", 1, 0], ["a2", 0, 1]]);
  assert.deepEqual([board.width, board.height], [2, 2]);
});

test("coordinates of hexes make hexes, and numbers that are called otherwise make nothing", () => {
  const hex = laidOut({ tables: { tile: { columns: { q: "int", r: "int" }, rows: { a: [0, 0], b: [1, 0] } } }, counters: { on: ["tile"] } });
  assert.equal(boardIn(hex.common)!.board.shape, "hex");
  const list = laidOut({ tables: { ship: { columns: { cost: "int", room: "int" }, rows: { a: [4, 4], b: [5, 5] } } }, counters: { on: ["ship"] } });
  assert.equal(boardIn(list.common)!.board.shape, "list");
});

test("squares that belong to rows of one other table are the plan of that table", () => {
  const layout = laidOut({
    tables: {
      field: { rows: { hall: [], road: [] } },
      square: { columns: { column: "int", row: "int", part_of: "field" }, rows: { s1: [1, 1, "hall"], s2: [2, 1, "hall"], s3: [1, 2, "road"] } },
    },
    counters: { discs: ["field"] },
    markers: { tower: { is: "field" } },
  });
  const item = boardIn(layout.common)!;
  assert.deepEqual(item.board.tables, ["field"]);
  assert.deepEqual(item.board.cells.find(({ row }) => row === "hall")!.covers, [[0, 0], [1, 0]]);
  assert.deepEqual([item.counters, item.pawns], [["discs"], ["tower"]]);
});

const chain: Little = {
  tables: {
    spot: { rows: { west: [], east: [] } },
    way: { columns: { before: "spot", behind: "spot" }, rows: { road: ["west", "east"] } },
    plot: { columns: { of: "spot" }, rows: { above_west: ["west"], below_west: ["west"] } },
    piece: { rows: { p: [] } },
  },
  places: { towns: { index: ["seat", "spot"], of: "piece" }, roads: { index: ["seat", "way"], of: "piece" }, built: { index: ["seat", "plot"], of: "piece" } },
};

test("rows that name what lies before and behind them lie between, and those that name one lie above and below it", () => {
  const { board } = boardIn(laidOut(chain).mat)!;
  assert.equal(board.shape, "map");
  const at = Object.fromEntries(board.cells.map(({ row, x, y }) => [row, [x, y]]));
  assert.deepEqual(at, { west: [0, 1], road: [1, 1], east: [2, 1], above_west: [0, 0], below_west: [0, 2] });
});

test("neighbours that contradict each other are a list", () => {
  const tables = { ...chain.tables, way: { columns: { before: "spot", behind: "spot" }, rows: { road: ["west", "east"], back: ["east", "west"] } } };
  const boards = boardsOf(new Catalogue(rulesetOf({ ...chain, tables })), ["spot", "way", "plot"]);
  assert.deepEqual(boards.map(({ shape }) => shape), ["list", "list", "list"]);
});

test("a marker from pieces to cells says where the pieces of a mat lie", () => {
  const layout = laidOut({
    ...chain,
    tables: { ...chain.tables, region: { rows: { hill: [] } } },
    places: { ...chain.places, realm: { index: ["seat"], of: "region" } },
    markers: { lies: { index: ["region"], is: "plot" } },
  });
  assert.deepEqual(boardIn(layout.mat)!.laid.map(({ place, by }) => [place, by]), [["realm", "lies"]]);
});

test("a row looks like what it names, if its own id says nothing", () => {
  const { looks } = laidOut({ tables: { good: { rows: { corn: [], nonsense: [] } }, tile: { columns: { grows: "good" }, rows: { xyz: ["corn"] } } }, places: { open: { of: "tile" }, stock: { of: "good" } } });
  assert.equal(looks.row("tile", "xyz").icon, looks.row("good", "corn").icon);
  assert.equal(looks.row("good", "nonsense").icon, undefined);
  assert.notEqual(looks.row("good", "corn").outline, looks.row("good", "nonsense").outline);
});

test("rows that name themselves end somewhere", () => {
  const { looks } = laidOut({ tables: { card: { columns: { needs: "card" }, rows: { aa: ["bb"], bb: ["aa"] } } }, places: { open: { of: "card" } } });
  assert.equal(looks.row("card", "aa").icon, undefined);
});

test("the last word that says something decides the icon; labels are at most three letters", () => {
  assert.equal(iconOf("corn_plantation"), "corn");
  assert.equal(iconOf("constructor"), undefined);
  assert.equal(iconOf("__proto__"), undefined);
  assert.equal(labelOf("Large market hall of old"), "Lmh");
  assert.equal(labelOf("żaglowiec"), "ża");
  assert.equal(labelOf(""), "?");
});

test("a ruleset of very many rows and places is laid out in time", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`row_${at}`, []]));
  const places = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`place_${at}`, { of: "thing" }]));
  const began = performance.now();
  const layout = laidOut({ tables: { cell: { rows: many }, thing: { rows: { a: [], b: [] } } }, places: { ...places, on: { index: ["cell"], of: "thing" } } });
  assert.equal(boardIn(layout.common)!.board.cells.length, 100_000);
  assert.ok(performance.now() - began < 3000, `${performance.now() - began} ms`);
});

test("coordinates far apart are no picture", () => {
  const layout = laidOut({ tables: { spot: { columns: { x: "int", y: "int" }, rows: { a: [0, 0], b: [1_000_000, 1_000_000] } } }, counters: { on: ["spot"] } });
  assert.equal(boardIn(layout.common)!.board.shape, "list");
});
