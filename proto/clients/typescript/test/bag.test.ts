// The arithmetic of bags against all bags of small domains, listed one by one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { BagDomainSchema, type BagDomain } from "../src/gen/referee/v1/decision_pb.js";
import { bagState, bagValue, fillBag, valueKey, bag, type Counts } from "../src/index.js";
import { below } from "./support.js";

type Limits = {
  available: Counts;
  least: number;
  most: number;
  loose?: { pieces: number; kinds: number };
  kinds?: number;
};

const domainOf = ({ available, ...limits }: Limits): BagDomain =>
  create(BagDomainSchema, {
    table: "good",
    available: Object.entries(available).map(([row, count]) => ({ row, count })),
    ...limits,
  });

/** Every choice of at most so many pieces of each row, within limits or not. */
function listed(rows: readonly string[], most: (row: string) => number): Counts[] {
  return rows.reduce<Counts[]>(
    (all, row) =>
      all.flatMap((counts) => Array.from({ length: most(row) + 1 }, (_, count) => ({ ...counts, [row]: count }))),
    [{}],
  );
}

/** The limits, as `decision.proto` words them. */
function legal({ available, least, most, loose, kinds }: Limits, counts: Counts): boolean {
  const chosen = Object.values(counts)
    .filter((count) => count > 0)
    .sort((a, b) => b - a);
  const size = chosen.reduce((sum, count) => sum + count, 0);
  const outside = loose ? chosen.slice(loose.kinds).reduce((sum, count) => sum + count, 0) : 0;
  return (
    Object.entries(counts).every(([row, count]) => count <= (available[row] ?? 0)) &&
    size >= least &&
    size <= most &&
    chosen.length <= (kinds ?? Infinity) &&
    outside <= (loose?.pieces ?? Infinity)
  );
}

const atLeast = (more: Counts, counts: Counts): boolean =>
  Object.entries(counts).every(([row, count]) => (more[row] ?? 0) >= count);

test("what is said of every choice is true of the list of all choices", () => {
  const random = below(7);
  let [complete, deadlocks] = [0, 0];
  for (let round = 0; round < 150; round += 1) {
    const rows = ["a", "b", "c", "d"].slice(0, 1 + random(4));
    const available = Object.fromEntries(rows.map((row) => [row, random(4)]));
    const all = Object.values(available).reduce((sum, n) => sum + n, 0);
    const limits: Limits = {
      available,
      least: random(Math.min(all, 5) + 1),
      most: random(all + 2),
      ...(random(2) === 0 && { loose: { pieces: random(3), kinds: random(4) } }),
      ...(random(2) === 0 && { kinds: random(4) }),
    };
    const domain = domainOf(limits);
    const choices = listed(rows, (row) => available[row]!).filter((counts) => legal(limits, counts));
    for (const counts of listed(rows, (row) => available[row]! + 1)) {
      const state = bagState(domain, counts);
      const said = JSON.stringify({ limits, counts, state });
      const reachable = choices.filter((choice) => atLeast(choice, counts));
      assert.equal(state.complete, legal(limits, counts), said);
      assert.equal(state.valid, reachable.length > 0, said);
      const sizes = reachable.map((choice) => Object.values(choice).reduce((sum, n) => sum + n, 0));
      assert.equal(state.remaining.most, state.valid ? Math.max(...sizes) - state.size : 0, said);
      for (const row of rows) {
        const can = Math.max(
          0,
          ...reachable
            .map((choice) => choice[row]! - counts[row]!)
            .filter((more) => {
              const with_more = { ...counts, [row]: counts[row]! + more };
              return choices.some((choice) => atLeast(choice, with_more));
            }),
        );
        assert.equal(state.canAdd[row] ?? 0, can, `${row} of ${said}`);
        assert.equal(state.canRemove[row] ?? 0, counts[row], said);
      }
      complete += Number(state.complete);
      deadlocks += Number(state.problems.some(({ limit }) => limit === "deadlock"));
    }
    if (choices.length > 0)
      assert.ok(legal(limits, fillBag(domain)), JSON.stringify({ limits, filled: fillBag(domain) }));
  }
  // Both kinds were met, or the comparison says nothing.
  assert.ok(complete > 300 && deadlocks > 30, `${complete} ${deadlocks}`);
});

test("problems say which limit is broken and by how much", () => {
  const domain = domainOf({
    available: { corn: 3, indigo: 2, sugar: 1 },
    least: 2,
    most: 4,
    loose: { pieces: 1, kinds: 1 },
    kinds: 2,
  });
  const problems = (counts: Counts) => bagState(domain, counts).problems;
  assert.deepEqual(problems({ corn: 3, indigo: 1 }), []);
  assert.deepEqual(problems({}), [{ limit: "least", by: 2 }]);
  assert.deepEqual(problems({ corn: 3, indigo: 2 }), [
    { limit: "most", by: 1 },
    { limit: "loose", by: 1 },
  ]);
  assert.deepEqual(problems({ corn: 5 }), [
    { limit: "available", row: "corn", by: 2 },
    { limit: "most", by: 1 },
  ]);
  assert.deepEqual(problems({ coffee: 1 }), [{ limit: "available", row: "coffee", by: 1 }]);
  assert.deepEqual(problems({ corn: 1, indigo: 1, sugar: 1 }), [
    { limit: "kinds", by: 1 },
    { limit: "loose", by: 1 },
  ]);
  assert.deepEqual(problems({ corn: -1 }), [{ limit: "count", row: "corn" }]);
  assert.deepEqual(problems({ corn: 0.5 }), [{ limit: "count", row: "corn" }]);
});

test("a row without end takes no time", () => {
  const endless = 2 ** 32 - 1;
  const domain = domainOf({ available: { corn: endless, indigo: endless }, least: 0, most: endless });
  assert.deepEqual(bagState(domain, { corn: 5 }).canAdd, { corn: endless - 5, indigo: endless - 5 });
});

test("many kinds with loose pieces are judged in no time", () => {
  const available = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`r${i}`, 1 + (i % 5)]));
  const domain = domainOf({ available, least: 20, most: 40, loose: { pieces: 6, kinds: 4 }, kinds: 12 });
  const began = Date.now();
  assert.ok(bagState(domain, { r1: 1, r2: 2 }).valid);
  assert.ok(bagState(domain, fillBag(domain)).complete);
  assert.ok(Date.now() - began < 5000, `${Date.now() - began} ms`);
});

test("a bag leaves out what is not chosen", () => {
  const domain = domainOf({ available: { corn: 3, indigo: 2 }, least: 0, most: 4 });
  assert.equal(valueKey(bagValue(domain, { corn: 2, indigo: 0 })), valueKey(bag("good", { corn: 2 })));
});
