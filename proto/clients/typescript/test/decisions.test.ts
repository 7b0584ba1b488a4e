// Decisions whose offers fill many pages, and change while they are read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, createRouterTransport, type ConnectError } from "@connectrpc/connect";
import { Reason, Referee, RefereeError, openDecisions } from "../src/index.js";
import { PlayService, type ListDecisionsRequest, type ListMovesRequest } from "../src/v1.js";
import { QUICK, failure } from "./support.js";

/** A referee whose decision has three pages; before each page but the first, one of these failures is taken off and thrown. */
function paged(...failures: (ConnectError | undefined)[]) {
  const asked: ListMovesRequest[] = [];
  const first: ListDecisionsRequest[] = [];
  const page = (token: string) => ({
    offers: [{ name: `move ${token}` }],
    nextPageToken: ["", "1", "2", ""][Number(token) + 1]!,
  });
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      listDecisions(request) {
        first.push(request);
        return { decisions: [{ decisionId: `d_${first.length}`, ...page("0") }] };
      },
      listMoves(request) {
        asked.push(request);
        const thrown = failures.shift();
        if (thrown) throw thrown;
        return page(request.pageToken);
      },
    }),
  );
  return { asked, first, referee: new Referee(transport, { retry: QUICK }) };
}
const superseded = (): ConnectError => failure(Code.Aborted, "DECISION_SUPERSEDED");

test("all pages are read, of the decision that is asked", async () => {
  const { asked, referee } = paged();
  const [question] = await openDecisions(referee, "matches/1", { atLeast: "t1" });
  assert.deepEqual(
    question?.offers.map(({ name }) => name),
    ["move 0", "move 1", "move 2"],
  );
  assert.deepEqual(
    asked.map(({ name, decisionId, pageToken, atLeast }) => [name, decisionId, pageToken, atLeast]),
    [
      ["matches/1", "d_1", "1", "t1"],
      ["matches/1", "d_1", "2", "t1"],
    ],
  );
});

test("targets are asked for with every page, or with none", async () => {
  for (const targets of [false, true]) {
    const { asked, first, referee } = paged();
    await openDecisions(referee, "matches/1", { targets });
    assert.deepEqual(
      [...first, ...asked].map(({ withTargets }) => withTargets),
      [targets, targets, targets],
    );
  }
});

test("a decision that changes meanwhile is read anew, from its first page", async () => {
  const { asked, referee } = paged(undefined, superseded(), failure(Code.InvalidArgument, "PAGE_TOKEN_INVALID"));
  const [question] = await openDecisions(referee, "matches/1");
  assert.equal(question?.decision.decisionId, "d_3");
  assert.equal(question?.offers.length, 3);
  assert.deepEqual(
    asked.map(({ decisionId }) => decisionId),
    ["d_1", "d_1", "d_2", "d_3", "d_3"],
  );
});

test("one that never stops changing, and any other failure, is thrown", async () => {
  const restless = paged(...Array.from({ length: 99 }, superseded));
  await assert.rejects(
    openDecisions(restless.referee, "matches/1"),
    (error: RefereeError) => error.reason === Reason.DECISION_SUPERSEDED,
  );
  assert.equal(restless.asked.length, 21);
  const other = paged(failure(Code.NotFound, "NOT_FOUND"));
  await assert.rejects(
    openDecisions(other.referee, "matches/1"),
    (error: RefereeError) => error.reason === Reason.NOT_FOUND,
  );
});
