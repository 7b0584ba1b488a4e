// Pointing at the table: at what moves would change, and at what they speak of; against small tables.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Narrowing,
  placeRef,
  row,
  rowRef,
  seat,
  spread,
  thingKey,
  thingsOf,
  valueKey,
  type Thing,
} from "../src/index.js";
import { ViewSchema, type Offer, type PlaceRef, type RowRef, type Target } from "../src/v1.js";
import { OfferSchema, TargetSchema } from "../src/gen/referee/v1/decision_pb.js";
import { below, offer } from "./support.js";

const card = (id: string): RowRef => rowRef("card", id);
const hand = placeRef("hand", seat(1));
const city = placeRef("city", seat(1));
const discards = placeRef("discards");
const coins = placeRef("coins", seat(1));
const to = (source: PlaceRef, destination: PlaceRef, piece?: RowRef): Target =>
  create(TargetSchema, { kind: { case: "pieces", value: { source, destination, ...(piece && { row: piece }) } } });
const changes = (place: PlaceRef): Target => create(TargetSchema, { kind: { case: "changed", value: place } });
const pointing = (one: Offer, ...targets: Target[]): Offer => Object.assign(one, { targets });
const paying = (...ids: string[]): MessageInitShape<typeof OfferSchema>["open"] => [
  {
    name: "payment",
    domain: {
      case: "bag",
      value: { table: "card", available: ids.map((id) => ({ row: id, count: 1 })), least: 1, most: 1 },
    },
  },
];

const mill = pointing(
  offer("build", { what: row("card", "mill") }, paying("crane", "tower")),
  to(hand, city),
  to(hand, discards),
  changes(coins),
);
const crane = pointing(
  offer("build", { what: row("card", "crane") }, paying("mill", "tower")),
  to(hand, city, card("crane")),
  to(hand, discards),
);
const draw = pointing(offer("draw", {}), to(placeRef("deck"), hand), changes(placeRef("turn")));
const role = offer("choose", { r: row("role", "mayor") });
const give = offer("give", { to: seat(2) });
const pass = offer("pass", {});
const offers = [mill, crane, draw, role, give, pass];
const table = create(ViewSchema, {
  places: [
    {
      place: hand,
      table: "card",
      contents: { counts: ["mill", "crane", "tower", "mill"].map((id) => ({ row: id, count: 1 })) },
    },
    { place: city, table: "card", contents: { counts: [{ row: "crane", count: 1 }] } },
    { place: placeRef("city", seat(2)), table: "card", contents: {} },
    { place: placeRef("deck"), table: "card", size: 9 },
    { place: placeRef("roles"), table: "role", contents: { counts: [{ row: "mayor", count: 1 }] } },
    { place: discards, table: "card", contents: {} },
  ],
  counters: [{ counter: coins, value: 2n }],
  markers: [{ marker: placeRef("turn") }],
});
const all = Narrowing.of(offers);
const left = (at: Thing): readonly Offer[] => (all.canPoint(at) ? all.point(at).offers : []);

test("a place, a counter, a marker means the moves that would change it", () => {
  assert.deepEqual(left({ place: hand }), [mill, crane, draw]);
  assert.deepEqual(left({ place: city }), [mill, crane]);
  assert.deepEqual(left({ place: placeRef("deck") }), [draw]);
  assert.deepEqual(left({ place: coins }), [mill]);
  assert.deepEqual(left({ place: placeRef("turn") }), [draw]);
  assert.deepEqual(left({ place: placeRef("hand", seat(2)) }), [give], "otherwise those that speak of its index");
  assert.deepEqual(left({ place: placeRef("roles") }), []);
  // A place as in messages is the same thing.
  assert.equal(all.point(coins).single, mill);
});

test("a piece means the moves that take it from there, in the most precise sense", () => {
  assert.deepEqual(left({ place: hand, row: card("crane") }), [crane], "and not those that it could pay for");
  assert.deepEqual(left({ place: hand, row: card("mill") }), [mill], "although the target leaves out what is known");
  assert.deepEqual(left({ place: hand, row: card("tower") }), [mill, crane], "it could pay for both");
  assert.deepEqual(left({ place: hand, row: card("wharf") }), []);
  const take = pointing(offer("take", {}), to(hand, city, card("tower")));
  const narrowing = Narrowing.of([mill, crane, take]);
  assert.equal(narrowing.point({ place: hand, row: card("tower") }).single, take, "known is before to be chosen");
});

test("pieces that lie elsewhere are meant only if it is not known from where a move takes them", () => {
  assert.deepEqual(left({ place: placeRef("roles"), row: rowRef("role", "mayor") }), [role]);
  // The crane is taken from the hand: that one is built already.
  const built = Narrowing.of([crane]);
  assert.equal(built.canPoint({ place: city, row: card("crane") }), false);
  const unknown = Narrowing.of([offer("build", { what: row("card", "crane") })]);
  assert.equal(unknown.canPoint({ place: city, row: card("crane") }), true);
});

test("places that are changed if other rows are chosen are meant, too, and no others", () => {
  const stock = (number: number, id: string) => placeRef("stock", seat(number), row("card", id));
  const produce = pointing(offer("produce", {}, paying("mill", "crane")), to(placeRef("deck"), stock(1, "crane")));
  const sell = pointing(offer("sell", {}, paying("mill", "crane")), to(stock(1, "crane"), discards));
  const narrowing = Narrowing.of([produce, sell, pass]);
  for (const id of ["mill", "crane"]) {
    assert.deepEqual(narrowing.point(stock(1, id)).offers, [produce, sell], id);
    assert.equal(narrowing.point({ place: stock(1, id), row: card(id) }).single, sell, "from there it could be taken");
    assert.ok(narrowing.targets().some(({ thing }) => thingKey(thing) === thingKey({ place: stock(1, id) })));
  }
  assert.equal(narrowing.canPoint(stock(1, "tower")), false, "it cannot be chosen");
  const listed = narrowing.targets().map(({ thing }) => thingKey(thing));
  assert.ok(!listed.some((key) => key.includes("seat 2")), "others' stocks are not touched");
  assert.equal(new Set(listed).size, listed.length);
});

test("a row by itself means the moves that speak of it, otherwise those that move it", () => {
  assert.deepEqual(all.point(card("crane")).offers, [mill, crane], "as it did without targets");
  const worker = rowRef("worker", "worker");
  const hire = pointing(offer("hire", {}), to(placeRef("workers"), placeRef("idle"), worker));
  assert.equal(Narrowing.of([hire, pass]).point(worker).single, hire);
});

test("a place that an argument names is meant, too", () => {
  const [here, there] = [placeRef("field", seat(1)), placeRef("field", seat(2))];
  const plan = (place: PlaceRef) => spread([{ place, row: rowRef("worker", "worker"), count: 1 }]);
  const named = offer("place", { plan: plan(here) });
  const touching = pointing(offer("clear", {}), to(here, discards));
  const narrowing = Narrowing.of([named, touching, offer("place", { plan: plan(there) })]);
  assert.deepEqual(narrowing.point(here).offers, [named, touching]);
});

const told = (narrowing: Narrowing, view = true) =>
  narrowing
    .targets(view ? table : undefined)
    .map(({ thing, offers, narrows, by }) => [thingKey(thing), offers.map(({ name }) => name).join(" "), narrows, by]);

test("what would change can be pointed at, each thing once, with what it leaves", () => {
  assert.deepEqual(told(all, false), [
    ["hand(seat 1)", "build build draw", true, "targets"],
    ["city(seat 1)", "build build", true, "targets"],
    ["discards()", "build build", true, "targets"],
    ["coins(seat 1)", "build", true, "targets"],
    ["hand(seat 1) row card.crane", "build", true, "targets"],
    ["deck()", "draw", true, "targets"],
    ["turn()", "draw", true, "targets"],
  ]);
  assert.deepEqual(all.aside(), [role, give, pass]);
});

test("with a view, so can what moves choose from or speak of", () => {
  const added = told(all).slice(7);
  assert.deepEqual(added, [
    ["hand(seat 1) row card.mill", "build", true, "targets"],
    ["hand(seat 1) row card.tower", "build build", true, "targets"],
    ["city(seat 2)", "give", true, "arguments"],
    ["roles() row role.mayor", "choose", true, "arguments"],
  ]);
  assert.deepEqual(all.aside(table), [pass]);
});

test("what tells nothing apart is told, and so is the one that is left", () => {
  const built = all.choose("build");
  assert.deepEqual(
    told(built)
      .filter(([, , narrows]) => !narrows)
      .map(([key]) => key),
    ["hand(seat 1)", "city(seat 1)", "discards()", "hand(seat 1) row card.tower"],
  );
  const one = built.point(coins);
  assert.equal(one.single, mill);
  assert.deepEqual(
    told(one, false),
    ["hand(seat 1)", "city(seat 1)", "discards()", "coins(seat 1)"].map((key) => [key, "build", false, "targets"]),
  );
  assert.deepEqual(one.undo().offers, built.offers);
});

test("things on a table are listed once: places, what can be seen in them, counters, markers", () => {
  assert.deepEqual(thingsOf(table).map(thingKey), [
    "hand(seat 1)",
    "hand(seat 1) row card.mill",
    "hand(seat 1) row card.crane",
    "hand(seat 1) row card.tower",
    "city(seat 1)",
    "city(seat 1) row card.crane",
    "city(seat 2)",
    "deck()",
    "roles()",
    "roles() row role.mayor",
    "discards()",
    "coins(seat 1)",
    "turn()",
  ]);
});

test("targets leave what they say, every offer is in one of them or aside, and nothing is left of what is not listed", () => {
  const random = below(12);
  const ids = ["mill", "crane", "tower", "wharf"];
  const places = [hand, city, discards, coins, placeRef("deck")];
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  for (let round = 0; round < 200; round += 1) {
    const made = Array.from({ length: 1 + random(8) }, (_, i) => {
      const fixed =
        random(2) === 0 ? { what: row("card", pick(ids)), n: row("number", `n${i}`) } : { n: row("number", `n${i}`) };
      const one = offer(pick(["a", "b"]), fixed, random(3) === 0 ? paying(pick(ids), pick(ids)) : []);
      const some = Array.from({ length: random(4) }, () =>
        random(3) === 0
          ? changes(pick(places))
          : to(pick(places), pick(places), random(2) === 0 ? card(pick(ids)) : undefined),
      );
      return pointing(one, ...some);
    });
    const narrowing = Narrowing.of(made);
    for (const view of [undefined, table]) {
      const targets = narrowing.targets(view);
      assert.equal(new Set(targets.map(({ thing }) => thingKey(thing))).size, targets.length);
      for (const { thing, offers, narrows } of targets) {
        assert.deepEqual(narrowing.point(thing).offers, offers);
        assert.equal(narrows, offers.length < made.length);
      }
      const reached = new Set([...targets.flatMap(({ offers }) => offers), ...narrowing.aside(view)]);
      assert.equal(reached.size, made.length);
      for (const one of made) if (one.targets.length > 0) assert.ok(!narrowing.aside(view).includes(one));
    }
    const listed = new Set(narrowing.targets(table).map(({ thing }) => thingKey(thing)));
    for (const thing of thingsOf(table)) assert.equal(narrowing.canPoint(thing), listed.has(thingKey(thing)));
    // What pointing cannot tell apart, arguments can.
    for (const one of made) {
      let rest = narrowing.choose(one.name);
      for (const { name, value } of one.fixed) rest = rest.fix(name, value!);
      assert.equal(rest.single, one, valueKey(one.fixed[0]!.value!));
    }
  }
});
