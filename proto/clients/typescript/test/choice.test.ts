// Amounts against all numbers nearby; offers that are made moves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { AmountDomainSchema } from "../src/gen/referee/v1/decision_pb.js";
import {
  Choice,
  amountCount,
  amountState,
  bag,
  boolean,
  completeMove,
  integer,
  judge,
  row,
  seat,
  valueKey,
} from "../src/index.js";
import { offer } from "./support.js";

test("what is said of every number is true of the list of all numbers", () => {
  for (let least = -3n; least <= 2n; least += 1n) {
    for (let most = -4n; most <= 9n; most += 1n) {
      for (let step = 0n; step <= 4n; step += 1n) {
        const domain = create(AmountDomainSchema, { least, most, step });
        const numbers: bigint[] = [];
        for (let n = least; n <= most; n += step || 1n) numbers.push(n);
        assert.equal(amountCount(domain), BigInt(numbers.length));
        for (let n = -8n; n <= 14n; n += 1n) {
          const state = amountState(domain, n);
          const said = `${least} to ${most} by ${step}, ${n}`;
          const off = (m: bigint): bigint => (m > n ? m - n : n - m);
          assert.equal(state.complete, numbers.includes(n), said);
          assert.equal(
            state.more,
            numbers.find((m) => m > n),
            said,
          );
          assert.equal(state.less, numbers.filter((m) => m < n).at(-1), said);
          assert.equal(state.nearest, [...numbers].sort((a, b) => Number(off(a) - off(b) || a - b))[0], said);
        }
      }
    }
  }
});

const trade = offer("trade", { with: seat(2) }, [
  { name: "price", domain: { case: "amount", value: { least: 0n, most: 20n, step: 5n } } },
  {
    name: "given",
    domain: { case: "bag", value: { table: "good", available: [{ row: "corn", count: 2 }], least: 1, most: 2 } },
  },
  { name: "first", domain: { case: "values", value: { values: [boolean(false), boolean(true)] } }, depends: true },
]);

test("nothing at all may be right where it depends on what else is chosen", () => {
  // Two goods pay for all of it: of the cards that would be the least, none is needed.
  const build = offer("build", {}, [
    { name: "goods", domain: { case: "bag", value: { table: "good", available: [{ row: "corn", count: 2 }], least: 0, most: 2 } } },
    { name: "paid", domain: { case: "bag", value: { table: "card", available: [], least: 2, most: 0 } }, depends: true },
  ]);
  const begun = Choice.of(build);
  assert.deepEqual([begun.verdict("paid"), begun.ready], ["outside", false]);
  const done = begun.set("goods", bag("good", { corn: 2 }));
  assert.deepEqual([done.verdict("paid"), done.ready, done.certain], ["unsure", true, false]);
});

test("an offer is made a move, step by step, and back", () => {
  const begun = Choice.of(trade);
  assert.deepEqual(
    ["price", "given", "first"].map((name) => begun.verdict(name)),
    ["complete", "missing", "missing"],
  );
  assert.equal(begun.ready, false);
  const bad = begun.set("given", bag("good", { corn: 3 }));
  assert.equal(bad.verdict("given"), "outside");
  assert.equal(bad.set("given", bag("card", { corn: 1 })).verdict("given"), "outside", "of another table");
  assert.equal(bad.set("price", integer(7)).verdict("price"), "outside");
  assert.equal(bad.set("price", boolean(true)).verdict("price"), "outside", "of another kind");
  const done = bad.set("given", bag("good", { corn: 1 })).set("first", boolean(true));
  assert.equal(done.verdict("first"), "unsure", "it depends on what else is chosen");
  assert.equal(done.ready, true);
  assert.equal(done.certain, false);
  assert.deepEqual(
    done.move().arguments.map(({ name, value }) => `${name} ${valueKey(value!)}`),
    ["with seat 2", "given bag good{corn:1}", "first boolean true"],
  );
  assert.equal(done.set("first", undefined).ready, false);
  assert.equal(begun.chosen.size, 0, "nothing changes");
  assert.throws(() => done.set("pirce", integer(5)), {
    name: "RangeError",
    message: "pirce is not open in trade; open are: price, given, first",
  });
});

test("any offer can be completed", () => {
  const move = completeMove(trade);
  assert.deepEqual(
    move.arguments.map(({ value }) => valueKey(value!)),
    ["seat 2", "integer 5", "bag good{corn:2}", "boolean false"],
  );
  assert.equal(Choice.of(trade).filled().ready, true);
  assert.equal(completeMove(offer("pass", {})).arguments.length, 0);
});

test("what is open in a way that is not known is said, not guessed", () => {
  const [open] = offer("trade", {}, [{ name: "more" }]).open;
  assert.throws(
    () => judge(open!, row("good", "corn")),
    /more is open in a way that this version .* install a newer one/,
  );
});
