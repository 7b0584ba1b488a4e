// The arithmetic of spreads against all spreads of small domains, listed one by one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { SpreadDomainSchema, type SpreadDomain } from "../src/gen/referee/v1/decision_pb.js";
import {
  fillSpread,
  placeKey,
  placeRef,
  row,
  rowRef,
  seat,
  spreadState,
  spreadValue,
  type SharePart,
} from "../src/index.js";
import { below } from "./support.js";

const place = (name: string) => placeRef("circle", seat(1), row("building", name));
const domainOf = (pieces: readonly number[], rooms: readonly number[]): SpreadDomain =>
  create(SpreadDomainSchema, {
    pieces: pieces.map((count, i) => ({ row: rowRef("worker", `w${i}`), count })),
    rooms: rooms.map((room, i) => ({ place: place(`b${i}`), room })),
    overflow: placeRef("idle", seat(1)),
  });

const sharesOf = (plan: readonly number[], rows: number): SharePart[] =>
  plan.map((count, i) => ({ place: place(`b${Math.floor(i / rows)}`), row: rowRef("worker", `w${i % rows}`), count }));

/** All plans of at most so many in each cell. */
const listed = (cells: number, most: number): number[][] =>
  Array.from({ length: cells }).reduce<number[][]>(
    (all) => all.flatMap((plan) => Array.from({ length: most + 1 }, (_, n) => [...plan, n])),
    [[]],
  );

const sum = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** The limits, as `decision.proto` words them: every piece is placed, the overflow takes what fits nowhere else. */
function legal(pieces: readonly number[], rooms: readonly number[], plan: readonly number[]): boolean {
  const placed = pieces.map((_, r) => sum(plan.filter((_, i) => i % pieces.length === r)));
  const used = rooms.map((_, p) => sum(plan.slice(p * pieces.length, (p + 1) * pieces.length)));
  return (
    placed.every((n, r) => n <= pieces[r]!) &&
    used.every((n, p) => n <= rooms[p]!) &&
    sum(placed) === Math.min(sum(pieces), sum(rooms))
  );
}

test("what is said of every choice is true of the list of all choices", () => {
  const random = below(11);
  let complete = 0;
  for (let round = 0; round < 60; round += 1) {
    const pieces = Array.from({ length: 1 + random(2) }, () => random(4));
    const rooms = Array.from({ length: 1 + random(2) }, () => random(4));
    const domain = domainOf(pieces, rooms);
    const plans = listed(pieces.length * rooms.length, 3);
    const choices = plans.filter((plan) => legal(pieces, rooms, plan));
    for (const plan of plans) {
      const state = spreadState(domain, sharesOf(plan, pieces.length));
      const said = JSON.stringify({ pieces, rooms, plan, problems: state.problems });
      const reachable = choices.filter((choice) => choice.every((n, i) => n >= plan[i]!));
      assert.equal(state.complete, legal(pieces, rooms, plan), said);
      assert.equal(state.valid, reachable.length > 0, said);
      assert.equal(state.overflow, Math.max(0, sum(pieces) - sum(rooms)), said);
      if (state.valid) assert.equal(state.remaining, sum(reachable[0]!) - sum(plan), said);
      plan.forEach((count, i) => {
        const share = sharesOf(plan, pieces.length)[i]!;
        const most = Math.max(0, ...reachable.map((choice) => choice[i]! - count));
        assert.equal(state.canAdd.find((more) => sameCell(more, share))?.count ?? 0, most, said);
      });
      complete += Number(state.complete);
    }
    assert.ok(spreadState(domain, fillSpread(domain)).complete, JSON.stringify({ pieces, rooms }));
  }
  assert.ok(complete > 50, `${complete}`);
});

const cell = ({ place, row }: SharePart): string => `${placeKey(place)} ${row.row}`;
const sameCell = (a: SharePart, b: SharePart): boolean => cell(a) === cell(b);

test("problems say which limit is broken and by how much", () => {
  const domain = domainOf([2], [1, 3]);
  const worker = rowRef("worker", "w0");
  const problems = (...shares: SharePart[]) =>
    spreadState(domain, shares).problems.map(({ limit, ...rest }) => [limit, "by" in rest ? rest.by : 0]);
  assert.deepEqual(problems({ place: place("b1"), row: worker, count: 2 }), []);
  assert.deepEqual(problems({ place: place("b1"), row: worker, count: 1 }), [["unplaced", 1]]);
  assert.deepEqual(problems({ place: place("b0"), row: worker, count: 2 }), [["room", 1]]);
  assert.deepEqual(problems({ place: place("b1"), row: worker, count: 3 }), [["pieces", 1]]);
  assert.deepEqual(problems({ place: placeRef("idle", seat(1)), row: worker, count: 1 }), [["room", 1]]);
  assert.deepEqual(problems({ place: place("b1"), row: rowRef("worker", "other"), count: 1 }), [["pieces", 1]]);
  assert.deepEqual(problems({ place: place("b1"), row: worker, count: -1 }), [["count", 0]]);
});

test("the answer has one share for each place and row", () => {
  const worker = rowRef("worker", "w0");
  const { kind } = spreadValue([
    { place: place("b1"), row: worker, count: 1 },
    { place: place("b1"), row: worker, count: 2 },
    { place: place("b0"), row: worker, count: 0 },
  ]);
  assert.equal(kind.case, "spread");
  assert.deepEqual(kind.case === "spread" && kind.value.shares.map(({ count }) => count), [3]);
});
