import assert from "node:assert/strict";
import { test } from "node:test";
import { effect, signal } from "@preact/signals";
import { grouped, keyed, sameList } from "../../src/match/keyed.ts";

test("whoever reads a part is told when it changes, and not when another one does", () => {
  const whole = signal<Readonly<Record<string, readonly number[]>>>({ a: [1], b: [2] });
  const part = keyed((key) => whole.value[key] ?? [], sameList);
  const told: (readonly number[])[] = [];
  const end = effect(() => void told.push(part("a")));
  const first = part("a");
  whole.value = { a: [1], b: [3] };
  assert.equal(told.length, 1);
  assert.equal(part("a"), first, "what is alike is the very same");
  assert.deepEqual(part("b"), [3]);
  whole.value = { a: [1, 4], b: [3] };
  assert.deepEqual(told, [[1], [1, 4]]);
  end();
});

test("things are grouped in their order", () => {
  assert.deepEqual([...grouped([3, 1, 5, 2], (n) => (n % 2 === 0 ? "even" : "odd"))], [["odd", [3, 1, 5]], ["even", [2]]]);
});
