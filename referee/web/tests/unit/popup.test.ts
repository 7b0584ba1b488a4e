import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, shared, type Box } from "../../src/parts/beside.ts";

const box = (left: number, top: number, width: number, height: number): Box => ({ left, top, width, height });
const SCREEN = { width: 1400, height: 900 };
const SIZE = { width: 360, height: 220 };
/** A hand: six cards in a row, of which one is explained. */
const hand = [0, 1, 2, 3, 4, 5].map((at) => box(200 + at * 110, 600, 100, 140));
const covered = (at: { readonly x: number; readonly y: number }, all: readonly Box[]): number => all.filter((one) => shared(box(at.x, at.y, SIZE.width, SIZE.height), one) > 0).length;

test("a card is told about beside it, and none that can be chosen next is covered", () => {
  for (const anchor of hand) {
    const others = hand.filter((one) => one !== anchor);
    const at = beside(anchor, SIZE, SCREEN, others, others)!;
    assert.equal(covered(at, hand), 0);
    const grown = box(anchor.left - 12, anchor.top - 12, anchor.width + 24, anchor.height + 24);
    assert.equal(covered(at, [grown]), 1, "it is beside the card");
    assert.ok(at.x >= 0 && at.x + SIZE.width <= SCREEN.width);
  }
});

test("neighbours that cannot be chosen are rather not covered either", () => {
  const others = hand.slice(1);
  assert.equal(covered(beside(hand[0]!, SIZE, SCREEN, [], others)!, others), 0);
});

test("where all is taken there is no room, and on a small screen neither", () => {
  const wall = [box(0, 0, 1400, 380), box(0, 500, 1400, 400)];
  assert.equal(beside(box(600, 400, 80, 80), SIZE, SCREEN, wall, []), undefined);
  assert.equal(beside(box(10, 10, 80, 80), SIZE, { width: 320, height: 200 }, [], []), undefined);
});
