import assert from "node:assert/strict";
import { test } from "node:test";
import { argument, bag, boolean, integer, none, record, row } from "referee-client";
import { isNothing, terseMove } from "../../src/match/terse.ts";

test("the only argument of a move is told whatever it is", () => {
  const move = (...names: string[]) => ({ $typeName: "referee.v1.Move" as const, name: "keep", arguments: names.map((name) => argument(name, integer(0))) });
  assert.equal(terseMove(move("left")).arguments.length, 1);
  assert.equal(terseMove(move("left", "right")).arguments.length, 0);
});

test("terms of which no part says anything are nothing", () => {
  const nothing = { paid: integer(0), given: bag("good", {}), acts: boolean(false), inner: record("inner", { to: none() }) };
  assert.ok(isNothing(record("deal", nothing)));
  assert.ok(!isNothing(record("deal", { ...nothing, inner: record("inner", { to: row("field", "inn") }) })));
});
