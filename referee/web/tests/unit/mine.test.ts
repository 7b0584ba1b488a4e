import "./globals.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { EventSchema, MatchClosedSchema, MatchState, SeatClockSchema, ViewSchema, WaitingQuestionSchema } from "referee-client/v1";

const { told } = await import("../../src/lobby/mine.ts");

const mine = { name: "matches/ab", ruleset: "rulesets/x", seat: 2, state: MatchState.LOBBY, asked: false, deadline: undefined, waiting: [] };
const said = { resumeToken: "", asked: undefined, clocks: undefined, presence: undefined };

test("whose turn it is follows from what is told of a match", () => {
  const begun = told(mine, { kind: "snapshot", view: create(ViewSchema, { waitingSeats: [1] }), ...said });
  assert.deepEqual([begun.state, begun.waiting, begun.asked], [MatchState.RUNNING, [1], false]);
  const events = [
    create(EventSchema, { number: 1n, kind: { case: "moveMade", value: { seat: 1, step: "s" } } }),
    create(EventSchema, { number: 2n, kind: { case: "seatsAsked", value: { step: "s", seats: [2, 3] } } }),
  ];
  const deadline = { $typeName: "google.protobuf.Timestamp" as const, seconds: 60n, nanos: 0 };
  const asked = told(begun, { kind: "events", events, ...said, asked: [create(WaitingQuestionSchema, { step: "s" })], clocks: [create(SeatClockSchema, { seat: 2, deadline })] });
  assert.deepEqual([asked.waiting, asked.asked, asked.deadline?.seconds], [[2, 3], true, 60n]);
  assert.deepEqual(told(asked, { kind: "checkpoint", ...said }), asked, "nothing happened");
  assert.equal(told(asked, { kind: "checkpoint", ...said, asked: [] }).asked, false);
  const over = told(asked, { kind: "closed", closed: create(MatchClosedSchema), ...said });
  assert.deepEqual([over.state, over.waiting, over.asked], [MatchState.FINISHED, [], false]);
});
