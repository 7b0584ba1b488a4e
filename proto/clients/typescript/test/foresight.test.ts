// Previews and reasons, against a referee that lives in this process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createRouterTransport, type ConnectError } from "@connectrpc/connect";
import {
  Referee,
  RefereeError,
  isRefused,
  isSuperseded,
  preview,
  refusals,
  row,
  sameValue,
  type OpenDecision,
} from "../src/index.js";
import { CheckMoveResponseSchema, ListRefusalsResponseSchema } from "../src/gen/referee/v1/play_service_pb.js";
import {
  Certainty,
  DecisionSchema,
  MoveSchema,
  PlayService,
  type CheckMoveRequest,
  type ListRefusalsRequest,
} from "../src/v1.js";
import { QUICK, all, failure } from "./support.js";

type Checked = MessageInitShape<typeof CheckMoveResponseSchema>;
type Page = MessageInitShape<typeof ListRefusalsResponseSchema>;

/** A referee that answers with these; a failure is thrown. */
function answering(checked: Checked | ConnectError, pages: readonly (Page | ConnectError)[] = []) {
  const checks: CheckMoveRequest[] = [];
  const lists: ListRefusalsRequest[] = [];
  const answer = <T>(one: T | ConnectError): T => {
    if (one instanceof Error) throw one;
    return one;
  };
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      checkMove(request) {
        checks.push(request);
        return answer(checked);
      },
      listRefusals(request) {
        lists.push(request);
        return answer(pages[lists.length - 1]!);
      },
    }),
  );
  return { checks, lists, referee: new Referee(transport, { retry: QUICK }) };
}
const move = (name: string) => create(MoveSchema, { name });

test("a preview asks for what a move would bring, and tells it in plain words", async () => {
  const told = { events: [{ number: 7n }], complete: true, view: { seat: 2 }, tables: 4 };
  const { checks, referee } = answering({ preview: { ...told, certainty: Certainty.CERTAIN } });
  const { events, complete, view, certainty, tables } = await preview(referee, "matches/1", "d_1", move("build"), {
    atLeast: "t1",
  });
  assert.deepEqual(
    [events.map(({ number }) => number), complete, view?.seat, certainty, tables],
    [[7n], true, 2, "certain", 4],
  );
  const [{ name, decisionId, move: sent, furtherMoves, atLeast, withPreview }] = checks as [CheckMoveRequest];
  assert.deepEqual(
    [name, decisionId, sent?.name, furtherMoves.length, atLeast, withPreview],
    ["matches/1", "d_1", "build", 0, "t1", true],
  );
});

test("a chain goes as one, and a question is known by its id wherever that stands", async () => {
  const { checks, referee } = answering({ preview: { certainty: Certainty.LIKELY } });
  const decision = create(DecisionSchema, { decisionId: "d_2" });
  const chain = [move("take"), move("build"), move("pass")];
  await preview(referee, "matches/1", decision, chain);
  const open: OpenDecision = { decision, offers: [] };
  const foreseen = await preview(referee, "matches/1", open, chain.slice(1));
  assert.deepEqual(
    checks.map(({ decisionId, move: first, furtherMoves }) => [
      decisionId,
      first?.name,
      ...furtherMoves.map(({ name }) => name),
    ]),
    [
      ["d_2", "take", "build", "pass"],
      ["d_2", "build", "pass"],
    ],
  );
  assert.deepEqual(foreseen, { events: [], view: undefined, complete: false, certainty: "likely", tables: 0 });
  await assert.rejects(preview(referee, "matches/1", decision, []), RangeError);
});

test("a certainty that is not known is no certainty", async () => {
  const { referee } = answering({ preview: { certainty: 9 as Certainty } });
  assert.equal((await preview(referee, "matches/1", "d_1", move("build"))).certainty, "likely");
});

test("a move that the rules forbid is refused as submitting it would be", async () => {
  const { referee } = answering(
    failure(Code.FailedPrecondition, "MOVE_REFUSED", { refusal: { condition: "coins(p) > 0" } }),
  );
  await assert.rejects(
    preview(referee, "matches/1", "d_1", move("build")),
    (error: RefereeError) => isRefused(error) && error.refusal?.condition === "coins(p) > 0",
  );
});

const refused = (condition: string) => ({ condition });
const pages: Page[] = [
  { moves: [refused("a"), refused("b")], nextPageToken: "1" },
  { moves: [], nextPageToken: "2" },
  { moves: [], nextPageToken: "3" },
  { moves: [refused("c")], nextPageToken: "" },
];

test("reasons come from all pages, and an empty one is not the last", async () => {
  const { lists, referee } = answering({}, pages);
  const fixed = { what: row("building", "wharf") };
  const told = await all(refusals(referee, "matches/1", "d_1", "build", { fixed, pageSize: 2, atLeast: "t1" }));
  assert.deepEqual(
    told.map(({ condition }) => condition),
    ["a", "b", "c"],
  );
  assert.deepEqual(
    lists.map(({ decisionId, moveName, pageToken, pageSize, atLeast }) => [
      decisionId,
      moveName,
      pageToken,
      pageSize,
      atLeast,
    ]),
    ["", "1", "2", "3"].map((token) => ["d_1", "build", token, 2, "t1"]),
  );
  for (const { fixed } of lists) {
    assert.deepEqual(
      fixed.map(({ name }) => name),
      ["what"],
    );
    assert.ok(sameValue(fixed[0]!.value!, row("building", "wharf")));
  }
});

test("no more pages are asked for than are read", async () => {
  const { lists, referee } = answering({}, pages);
  for await (const { condition } of refusals(referee, "matches/1", "d_1", "build")) if (condition === "b") break;
  assert.equal(lists.length, 1);
});

test("a question that changes between two pages is told, and not read on", async () => {
  const { lists, referee } = answering({}, [pages[0]!, failure(Code.Aborted, "DECISION_SUPERSEDED")]);
  const told: string[] = [];
  await assert.rejects(async () => {
    for await (const { condition } of refusals(referee, "matches/1", "d_1", "build")) told.push(condition);
  }, isSuperseded);
  assert.deepEqual([told, lists.length], [["a", "b"], 2]);
});
