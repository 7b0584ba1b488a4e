import assert from "node:assert/strict";
import { test } from "node:test";
import { bag, boolean, integer, none, record, row, argument } from "referee-client";
import { terse, terseMove } from "../../src/match/terse.ts";

test("what is nothing is left out of terms, at any depth", () => {
  const deal = record("deal", { paid: integer(0), given: bag("good", {}), acts: boolean(true), inner: record("inner", { to: none(), at: row("field", "inn") }) });
  const told = terse(deal);
  assert.ok(told.kind.case === "record");
  assert.deepEqual(told.kind.value.parts.map(({ name }) => name), ["acts", "inner"]);
  const inner = told.kind.value.parts[1]!.value!.kind;
  assert.ok(inner.case === "record");
  assert.deepEqual(inner.value.parts.map(({ name }) => name), ["at"]);
});

test("the only argument of a move is told whatever it is", () => {
  const move = (...names: string[]) => ({ $typeName: "referee.v1.Move" as const, name: "keep", arguments: names.map((name) => argument(name, integer(0))) });
  assert.equal(terseMove(move("left")).arguments.length, 1);
  assert.equal(terseMove(move("left", "right")).arguments.length, 0);
});
