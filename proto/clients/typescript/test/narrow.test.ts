// Narrowing: by names, by arguments, by pointing; against lists of offers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "../src/v1.js";
import {
  Narrowing,
  bag,
  integer,
  none,
  placeRef,
  record,
  row,
  rowRef,
  sameValue,
  seat,
  spread,
  valueKey,
} from "../src/index.js";
import { offer } from "./support.js";

const good = (id: string) => row("good", id);
const ship = (n: number) => row("ship", `ship_${n}`);
const offers = [
  offer("load", { g: good("corn"), s: ship(1) }),
  offer("load", { g: good("corn"), s: ship(2) }),
  offer("load", { g: good("sugar"), s: ship(2) }),
  offer("store", { g: good("sugar") }, [
    {
      name: "some",
      domain: { case: "bag", value: { table: "good", available: [{ row: "coffee", count: 2 }], most: 1 } },
    },
  ]),
  offer("give", { to: seat(2), n: integer(3) }),
  offer("give", { to: seat(3), n: integer(3) }),
  offer("pass", {}),
];
const names = (narrowing: Narrowing) =>
  narrowing.offers.map((one) => [one.name, ...one.fixed.map(({ value }) => valueKey(value!))].join(" "));

test("step by step to one offer, and back", () => {
  const all = Narrowing.of(offers);
  assert.deepEqual(all.moves(), ["load", "store", "give", "pass"]);
  const load = all.choose("load");
  assert.deepEqual(
    load.choosable().map(({ parameter, value, left }) => [parameter, valueKey(value), left]),
    [
      ["g", "row good.corn", 2],
      ["s", "row ship.ship_1", 1],
      ["s", "row ship.ship_2", 2],
      ["g", "row good.sugar", 1],
    ],
  );
  assert.equal(load.single, undefined);
  const one = load.fix("g", rowRef("good", "corn")).fix("s", ship(2));
  assert.equal(one.single, offers[1]);
  assert.deepEqual(one.choosable(), []);
  assert.equal(one.steps, 3);
  assert.equal(one.undo().undo(), load);
  assert.equal(all.undo(), all);
  assert.equal(all.choose("give").fix("to", seat(3)).single, offers[5]);
  assert.equal(all.choose("give").fix("n", 3).offers.length, 2);
});

test("every argument that can be chosen leaves as many offers as it says", () => {
  let seen = 0;
  const walk = (narrowing: Narrowing): void => {
    for (const { parameter, value, left } of narrowing.choosable()) {
      seen += 1;
      const next = narrowing.fix(parameter, value);
      assert.equal(next.offers.length, left);
      assert.ok(left > 0 && left < narrowing.offers.length);
      walk(next);
    }
  };
  walk(Narrowing.of(offers));
  assert.ok(seen > 10, `${seen}`);
});

test("pointing finds a thing in whichever argument it is", () => {
  const all = Narrowing.of(offers);
  assert.deepEqual(names(all.point(rowRef("good", "sugar"))), [
    "load row good.sugar row ship.ship_2",
    "store row good.sugar",
  ]);
  assert.deepEqual(names(all.point(rowRef("good", "coffee"))), ["store row good.sugar"], "also in what is open");
  assert.deepEqual(names(all.point(seat(3))), ["give seat 3 integer 3"]);
  // The hold of a ship speaks of the ship; whose it is says nothing here.
  assert.deepEqual(names(all.point(placeRef("hold", ship(1)))), ["load row good.corn row ship.ship_1"]);
  assert.deepEqual(names(all.point(placeRef("hold", seat(1), ship(1)))), ["load row good.corn row ship.ship_1"]);
  assert.equal(all.canPoint(placeRef("supply")), false);
  assert.equal(all.canPoint(rowRef("good", "tobacco")), false);
  assert.equal(all.canPoint(rowRef("card", "corn")), false, "a row of another table");
});

test("places that are named are meant, and records and spreads are looked into", () => {
  const here = placeRef("field", seat(1));
  const there = placeRef("field", seat(2));
  const worker = rowRef("worker", "worker");
  const all = Narrowing.of([
    offer("place", { plan: spread([{ place: here, row: worker, count: 1 }]) }),
    offer("place", { plan: spread([{ place: there, row: worker, count: 1 }]) }),
    offer("deal", { terms: record("deal", { paid: integer(5), from: seat(2) }) }),
  ]);
  assert.equal(all.point(here).single, all.offers[0]);
  assert.equal(all.point(5).single, all.offers[2]);
});

test("what leaves nothing is refused with what there is, and nothing is lost", () => {
  const all = Narrowing.of(offers);
  const refused = (message: RegExp) => ({ name: "RangeError", message });
  assert.throws(() => all.choose("sell"), refused(/^no move sell is left; there are: load; store; give; pass$/));
  assert.throws(
    () => all.choose("load").fix("g", good("coffee")),
    refused(/has g = row good\.coffee; there are: row good\.corn; row good\.sugar$/),
  );
  assert.throws(
    () => all.point(rowRef("good", "tobacco")),
    refused(/speaks of row good\.tobacco; there are: g = row good\.corn; /),
  );
  assert.equal(all.offers.length, offers.length);
  assert.deepEqual(Narrowing.of([]).moves(), []);
});

test("values are equal whatever order they are written in", () => {
  assert.ok(sameValue(bag("good", { corn: 1, sugar: 2 }), bag("good", { sugar: 2, corn: 1, indigo: 0 })));
  const empty = {
    table: "good",
    counts: [
      { row: "corn", count: 1 },
      { row: "rye", count: 0 },
    ],
  };
  assert.ok(sameValue(create(ValueSchema, { kind: { case: "bag", value: empty } }), bag("good", { corn: 1 })));
  assert.ok(!sameValue(bag("good", { corn: 1 }), bag("card", { corn: 1 })));
  assert.ok(sameValue(record("deal", { a: integer(1), b: none() }), record("deal", { b: none(), a: integer(1) })));
  assert.ok(!sameValue(integer(1), seat(1)));
  assert.ok(!sameValue(integer(0), none()));
});
