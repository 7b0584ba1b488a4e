import assert from "node:assert/strict";
import { test } from "node:test";
import { BoardShape, LayoutDraw, LayoutFlow, LayoutFold, PieceForm, PieceShape, Sight } from "referee-client/v1";
import { boardsOf } from "../../src/model/boards.ts";
import { Catalogue } from "../../src/model/catalogue.ts";
import { arranged, layoutOf, type Area, type BoardItem, type Item } from "../../src/model/layout.ts";
import { colourOfHex, colourStyle, iconOf, labelOf, luminance } from "../../src/model/looks.ts";
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

// What an author says

const thing = (id: string, more = {}) => ({ part: { case: "thing" as const, value: { id, ...more } } });
const within = (id: string, parts: readonly object[], more = {}) => ({ part: { case: "area" as const, value: { id, parts: [...parts], ...more } } });
const board = (table: string, ...things: readonly string[]) => ({ part: { case: "board" as const, value: { table, things: [...things] } } });
/** Areas and things, in a few letters. */
const drawn = (item: Item): string => {
  switch (item.kind) {
    case "area":
      return `${item.id}[${item.items.map(drawn).join(" ")}]`;
    case "board":
      return `board(${[...item.places, ...item.counters, ...item.markers, ...item.pawns].join(" ")})`;
    case "track":
      return `track(${item.counters.join(" ")})`;
    default:
      return item.kind === "place" ? item.place : item.kind === "counter" ? item.counter : item.marker;
  }
};

const town: Little = {
  tables: {
    field: { rows: { hall: [], road: [] } },
    house: { columns: { cost: "int" }, rows: { mill: [3], inn: [1] } },
    person: { rows: { worker: [] } },
  },
  places: { market: { of: "house" }, bag: { of: "person", pile: true }, city: { index: ["seat"], of: "house" }, staff: { index: ["seat", "house"], of: "person" } },
  counters: { discs: ["field"], coins: ["seat"], round: [], bonus: ["house"] },
  markers: { tower: { is: "field" }, first: { is: "seat" }, secret: { is: "house" } },
};

test("what an author names stands where the author says, the rest after it, and what is set aside nowhere", () => {
  const layout = laidOut({
    ...town,
    layout: {
      table: { parts: [within("centre", [thing("market", { order: "cost", hideEmpty: true }), board("field", "discs", "tower")], { flow: LayoutFlow.ROW, fold: LayoutFold.CLOSED, titles: { byLanguage: { en: "Centre" } } })] },
      mat: { parts: [thing("city")] },
      aside: ["secret"],
    },
  });
  assert.equal(drawn(layout.common), "common[own-centre[market board(discs tower)] rest[round bag]]");
  assert.equal(drawn(layout.mat), "mat[city rest[coins]]");
  const [centre] = layout.common.items as readonly Area[];
  assert.deepEqual([centre!.flow, centre!.fold, centre!.titles?.byLanguage["en"]], ["row", "closed", "Centre"]);
  assert.deepEqual(centre!.items[0], { kind: "place", place: "market", shows: "pieces", hideEmpty: true, order: "cost" });
  // What rides on pieces, and who comes first, is shown there all the same.
  assert.deepEqual(layout.riders, [{ place: "staff", on: "city" }]);
  assert.deepEqual(layout.onPieces.get("house"), { counters: ["bonus"], markers: [] });
  assert.deepEqual(layout.seatMarkers, ["first"]);
});

test("a board of which an author says no more shows everything that lies on it and stands nowhere else", () => {
  const layout = laidOut({ ...town, layout: { table: { parts: [board("field")] } } });
  assert.match(drawn(layout.common), /^common\[board\(discs tower\) rest\[/);
  const moved = laidOut({ ...town, layout: { table: { parts: [board("field"), thing("discs")] } } });
  assert.match(drawn(moved.common), /^common\[board\(tower\) discs rest\[/);
});

test("a pile is a deck unless its author wants to see every piece, and the other way round", () => {
  const shows = (id: string, draw: LayoutDraw): string => {
    const { items } = laidOut({ ...town, layout: { table: { parts: [thing(id, { draw })] } } }).common;
    return items[0]!.kind === "place" ? items[0]!.shows : "";
  };
  assert.deepEqual([shows("bag", LayoutDraw.UNSPECIFIED), shows("bag", LayoutDraw.PIECES)], ["deck", "pieces"]);
  assert.deepEqual([shows("market", LayoutDraw.UNSPECIFIED), shows("market", LayoutDraw.DECK)], ["pieces", "deck"]);
});

test("looks of an author hold, field by field", () => {
  const { looks } = laidOut({
    ...town,
    layout: {
      looks: [{ table: "house", form: PieceForm.TILE, printed: { columns: ["cost"] }, look: { colour: "#ff0000", shape: PieceShape.SQUARE }, rows: [{ row: "mill", look: { icon: "windmill", label: { byLanguage: { en: "Mi", pl: "Mł" } } } }] }],
    },
  });
  assert.deepEqual(looks.table("house"), { form: "tile", printed: ["cost"], prints: true });
  assert.deepEqual(looks.row("house", "mill"), { outline: "square", colour: [0, 100, 50], icon: "windmill" });
  assert.deepEqual(["en", "pl"].map((language) => looks.label("house", "mill", language)), ["Mi", "Mł"]);
  assert.equal(looks.label("house", "inn", "pl"), "in", "what its author says nothing of begins with its name");
  assert.deepEqual(looks.row("house", "inn").colour, [0, 100, 50]);
});

test("a table brings the icons that its rows, figures, counters and markers name, and no other", () => {
  const { looks } = laidOut({ tables: { good: { columns: { cost: "int" }, rows: { corn: [1], sugar: [2], zzz: [3] } } }, counters: { doubloons: ["seat"], qqq: [] }, markers: { governor: { is: "seat" } } });
  assert.deepEqual([...looks.icons()].toSorted(), ["corn", "crown", "sugar-cane", "two-coins"]);
});

test("what is drawn on a light colour is dark", () => {
  assert.notEqual(colourStyle([0, 0, 93])["--on"], colourStyle([240, 50, 40])["--on"]);
  assert.deepEqual([[0, 0, 100], [0, 0, 0], [120, 100, 50]].map((colour) => Number(luminance(colour as [number, number, number]).toFixed(4))), [1, 0, 0.7152]);
  // Letters have the contrast that is asked of small ones, whatever colour an author chose.
  for (let h = 0; h < 360; h += 15)
    for (let l = 0; l <= 100; l += 5) {
      const own = luminance([h, 80, l]);
      assert.ok((colourStyle([h, 80, l])["--letters"] === "#fff" ? 1.05 / (own + 0.05) : (own + 0.05) / 0.05) >= 4.5, `${h} ${l}`);
    }
});

test("whatever is no colour and no icon is not drawn", () => {
  for (const colour of ["", "red", "#12345", "#1234567", "url(http://example.com)", "#ff0000; background: url(x)"]) assert.equal(colourOfHex(colour), undefined, colour);
  assert.deepEqual(colourOfHex("#336699"), [210, 50, 40]);
  const { looks } = laidOut({ ...town, layout: { looks: [{ table: "house", rows: [{ row: "mill", look: { colour: "url(x)", icon: "../x", label: { byLanguage: { en: "a".repeat(100_000) } } } }] }] } });
  const look = looks.row("house", "mill");
  assert.notEqual(look.icon, "../x");
  assert.ok(looks.label("house", "mill", "en").length <= 4 && look.colour.every(Number.isFinite));
});

test("a layout of very many areas, and of areas within each other, is laid out in time", () => {
  const began = performance.now();
  const wide = laidOut({ ...town, layout: { table: { parts: Array.from({ length: 100_000 }, (_, at) => within(`a${at}`, [])) } } });
  assert.ok(wide.common.items.length < 5_000);
  let deep = within("end", [thing("market")]);
  for (let at = 0; at < 500; at += 1) deep = within(`a${at}`, [deep]);
  assert.doesNotThrow(() => laidOut({ ...town, layout: { table: { parts: [deep] } } }));
  assert.ok(performance.now() - began < 3000, `${performance.now() - began} ms`);
});

test("a layout that names what is not there draws what is", () => {
  const layout = laidOut({ ...town, layout: { table: { parts: [thing("nothing"), board("nothing"), thing("market")] } } });
  assert.match(drawn(layout.common), /^common\[market rest/);
});

test("a track has the steps that its author says, in their order, and shows what stands on it nowhere else", () => {
  const track = (counters: readonly string[], first: number, last: number) => ({ part: { case: "track" as const, value: { counters: [...counters], first: BigInt(first), last: BigInt(last) } } });
  const race = { tables: { space: { rows: { start: [], goal: [] } } }, counters: { points: ["seat"], rounds: [], on: ["space"] }, markers: { stands: { index: ["seat"], is: "space" } } };
  const said = laidOut({ ...race, layout: { table: { parts: [track(["points", "nothing"], 0, 3), track(["rounds"], 2, -1), track(["nothing"], 0, 3), track(["points"], 0, 1e15)] }, mat: { parts: [] } } });
  const tracks = itemsOf(said.common).flatMap((item) => (item.kind === "track" ? [item] : []));
  assert.deepEqual(tracks, [
    { kind: "track", counters: ["points"], steps: [0n, 1n, 2n, 3n] },
    { kind: "track", counters: ["rounds"], steps: [2n, 1n, 0n, -1n] },
  ]);
  assert.deepEqual(itemsOf(said.mat).filter(({ kind }) => kind === "counter"), []);
});

test("on a board that all share, markers of every seat that point at its cells stand; on one of a seat's own they do not", () => {
  const race = { tables: { space: { rows: { start: [], goal: [] } } }, counters: { on: ["space"], own: ["seat", "space"] }, markers: { stands: { index: ["seat"], is: "space" } } };
  const shown = (things: string[]) => [{ part: { case: "board" as const, value: { table: "space", things } } }];
  assert.deepEqual(boardIn(laidOut({ ...race, layout: { table: { parts: shown(["stands", "on"]) } } }).common)?.pawns, ["stands"]);
  assert.deepEqual(boardIn(laidOut({ ...race, layout: { mat: { parts: shown(["stands", "own"]) } } }).mat)?.pawns, []);
});

test("pieces stand in the order and in the groups of columns", () => {
  const catalogue = new Catalogue(rulesetOf({ tables: { house: { columns: { cost: "int", group: "int" }, rows: { a: [3, 2], b: [1, 1], c: [2, 1] } } } }));
  const pieces = ["a", "b", "c"].map((row) => ({ row }));
  const rows = (by: object): readonly (readonly string[])[] => arranged(catalogue, "house", pieces, by).map((group) => group.map(({ row }) => row));
  assert.deepEqual(rows({}), [["a", "b", "c"]]);
  assert.deepEqual(rows({ group: "group", order: "cost" }), [["b", "c"], ["a"]]);
});

test("where cells lie, a table says itself before anything is guessed", () => {
  const tables = (shape: BoardShape) => ({ cell: { board: { shape, x: "left", y: "down" }, columns: { left: "int", down: "int" }, rows: { a: [40, 10], b: [10, 10], c: [40, 90] } } });
  const at = (shape: BoardShape) => {
    const { board } = boardIn(laidOut({ tables: tables(shape), counters: { on: ["cell"] } }).common)!;
    return [board.shape, ...board.cells.map(({ row, x, y }) => `${row}${x},${y}`)];
  };
  assert.deepEqual(at(BoardShape.MAP), ["grid", "b0,0", "a1,0", "c1,1"]);
  assert.deepEqual(at(BoardShape.GRID), ["grid", "b0,0", "a30,0", "c30,80"]);
});

test("what pieces lie on, a place says itself", () => {
  const layout = laidOut({
    tables: { house: { rows: { mill: [] } }, person: { rows: { worker: [] } } },
    places: { city: { index: ["seat"], of: "house" }, second: { index: ["seat"], of: "house" }, staff: { index: ["seat", "house"], of: "person", on: { place: "second", piece: 1, index: [0] } } },
  });
  assert.deepEqual(layout.riders, [{ place: "staff", on: "second" }]);
});
