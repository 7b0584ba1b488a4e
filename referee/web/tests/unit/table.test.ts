import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { integer, placeRef, row, rowRef, seat } from "referee-client";
import { EventSchema, ViewSchema, type Event } from "referee-client/v1";
import { after, hiddenIn, piecesOf, tableOf } from "../../src/model/table.ts";

const view = create(ViewSchema, {
  seat: 1,
  eventCount: 5n,
  waitingSeats: [1, 2],
  places: [
    { place: placeRef("stock", seat(1)), table: "good", size: 3, contents: { counts: [{ row: "corn", count: 2 }, { row: "wine", count: 1 }] } },
    { place: placeRef("hand", seat(2)), table: "card", size: 4 },
    { place: placeRef("pile"), table: "card", pile: true, size: 3, contents: { counts: [{ row: "a", count: 1 }, { row: "b", count: 2 }] } },
    { place: placeRef("supply"), table: "good", endless: true },
  ],
  counters: [{ counter: placeRef("coins", seat(1)), value: 4n }],
  markers: [{ marker: placeRef("first"), value: seat(1) }],
  kept: [{ marker: placeRef("turn.done"), value: integer(0) }],
});
const event = (kind: Event["kind"], number = 5n): Event => create(EventSchema, { number, kind } as never);
const moved = (source: string, destination: string, of: string | undefined, count: number | undefined): Event => {
  const ref = (name: string) => (name === "pile" || name === "supply" ? placeRef(name) : placeRef(name, seat(name === "hand" ? 2 : 1)));
  return create(EventSchema, { number: 5n, kind: { case: "piecesMoved", value: { source: ref(source), destination: ref(destination), ...(of ? { row: rowRef("good", of) } : {}), ...(count === undefined ? {} : { count }) } } });
};
const contents = (table: ReturnType<typeof tableOf>, key: string) => table.places.get(key)!.contents;

test("of a new view everything that has not changed is the very same as before", () => {
  const before = tableOf(view);
  const next = create(ViewSchema, { ...view, eventCount: 9n, counters: [{ counter: placeRef("coins", seat(1)), value: 5n }], places: [{ ...view.places[0]!, size: 2, contents: { counts: [{ row: "corn", count: 1 }, { row: "wine", count: 1 }] } }, ...view.places.slice(1)] } as never);
  const now = tableOf(next, before);
  assert.deepEqual(now, tableOf(next), "it is what the view shows");
  const [stock, hand, pile, supply] = [...now.places].map(([key, place]) => place === before.places.get(key));
  assert.deepEqual([stock, hand, pile, supply], [false, true, true, true]);
  assert.equal(now.markers.get("first()"), before.markers.get("first()"));
  assert.notEqual(now.counters.get("coins(seat 1)"), before.counters.get("coins(seat 1)"));
});

test("pieces that move are counted where they were and where they are", () => {
  const table = after(tableOf(view), moved("supply", "stock", "corn", 2));
  assert.deepEqual(contents(table, "stock(seat 1)"), [{ row: "corn", count: 4 }, { row: "wine", count: 1 }]);
  assert.equal(table.places.get("stock(seat 1)")!.size, 5);
  assert.equal(table.places.get("supply()")!.endless, true);
  assert.equal(table.eventCount, 6);
  assert.deepEqual(contents(after(table, moved("stock", "supply", "wine", 1)), "stock(seat 1)"), [{ row: "corn", count: 4 }]);
});

test("what is not told is not known afterwards", () => {
  const table = after(tableOf(view), moved("hand", "stock", undefined, 1));
  assert.equal(contents(table, "stock(seat 1)"), undefined);
  assert.equal(table.places.get("stock(seat 1)")!.size, 4);
  assert.equal(table.places.get("hand(seat 2)")!.size, 3);
  assert.equal(after(tableOf(view), moved("hand", "stock", undefined, undefined)).places.get("hand(seat 2)")!.size, undefined);
});

test("a pile gives and takes at its top", () => {
  const table = tableOf(view);
  assert.deepEqual(contents(after(table, moved("pile", "stock", "a", 1)), "pile()"), [{ row: "b", count: 2 }]);
  assert.deepEqual(contents(after(table, moved("stock", "pile", "corn", 1)), "pile()"), [{ row: "corn", count: 1 }, { row: "a", count: 1 }, { row: "b", count: 2 }]);
  assert.equal(contents(after(table, moved("pile", "stock", "unknown", 1)), "pile()"), undefined);
  const shuffled = after(table, event({ case: "pileShuffled", value: { pile: placeRef("pile"), size: 9 } } as never));
  assert.deepEqual([contents(shuffled, "pile()"), shuffled.places.get("pile()")!.size], [undefined, 9]);
});

test("counters, markers and what phases keep are set, also to what is secret", () => {
  const table = tableOf(view);
  const coins = after(table, create(EventSchema, { number: 5n, kind: { case: "counterChanged", value: { counter: placeRef("coins", seat(1)), before: 4n } } }));
  assert.equal(coins.counters.get("coins(seat 1)")!.value, undefined);
  const first = after(table, create(EventSchema, { number: 5n, kind: { case: "markerSet", value: { marker: placeRef("first"), value: seat(2) } } }));
  assert.deepEqual(first.markers.get("first()")!.value, seat(2));
  const kept = after(table, create(EventSchema, { number: 5n, kind: { case: "keptSet", value: { kept: placeRef("turn.done"), value: integer(1) } } }));
  assert.deepEqual(kept.kept[0]!.value, integer(1));
  assert.equal(table.kept[0]!.value!.kind.value, 0n, "the table before stays as it was");
});

test("what a phase keeps is shown while that phase is under way, and no longer", () => {
  const table = tableOf(create(ViewSchema, {
    phases: [{ phase: "round" }, { phase: "turn" }],
    askingStep: "turn.choosing",
    kept: [{ marker: placeRef("turn.done"), value: integer(1) }, { marker: placeRef("round.number"), value: integer(3) }],
  }));
  const names = ({ kept, phases }: typeof table): readonly string[] => [...phases.map(({ phase }) => phase), ...kept.map(({ ref }) => ref.name)];
  const ended = after(table, create(EventSchema, { kind: { case: "phaseEnded", value: { phase: "turn" } } }));
  assert.deepEqual(names(ended), ["round", "round.number"]);
  const again = after(table, create(EventSchema, { kind: { case: "phaseBegan", value: { phase: "turn" } } }));
  assert.ok(!names(again).includes("turn.done"), "a turn that begins has nothing of the turn before");
  const begun = after(ended, create(EventSchema, { kind: { case: "phaseBegan", value: { phase: "turn", arguments: [{ name: "p", value: seat(2) }] } } }));
  const asked = after(begun, create(EventSchema, { kind: { case: "seatsAsked", value: { step: "turn.choosing", seats: [2] } } }));
  assert.deepEqual(names(asked), ["round", "turn", "round.number"]);
  assert.deepEqual([asked.waiting, asked.asking, table.asking], [[2], "turn.choosing", "turn.choosing"]);
  const set = after(asked, create(EventSchema, { kind: { case: "keptSet", value: { kept: placeRef("turn.done"), value: integer(1) } } }));
  assert.deepEqual(names(set), ["round", "turn", "round.number", "turn.done"]);
});

test("pieces lie in the order of their table, those of a pile from its top; the rest is face down", () => {
  const table = tableOf(view);
  const order = (_: string, row: string): number => ["wine", "corn", "b", "a"].indexOf(row);
  assert.deepEqual(piecesOf(table.places.get("stock(seat 1)")!, order).map(({ row }) => row), ["wine", "corn"]);
  assert.deepEqual(piecesOf(table.places.get("pile()")!, order).map(({ row }) => row), ["a", "b"]);
  assert.equal(hiddenIn(table.places.get("hand(seat 2)")!), 4);
  assert.equal(hiddenIn(table.places.get("stock(seat 1)")!), 0);
  assert.equal(hiddenIn(table.places.get("supply()")!), 0);
  void row;
});
