// How calls are made, against a referee that lives in this process: tokens, request ids, repetitions, errors in types.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import {
  Reason,
  Referee,
  RefereeError,
  backoffMs,
  callerOf,
  isRefused,
  isRetryable,
  isSuperseded,
  requestId,
  retryPolicy,
} from "../src/index.js";
import {
  MatchService,
  PlayService,
  RecordService,
  ServerService,
  SubmitMoveRequestSchema,
  type SubmitMoveRequest,
} from "../src/v1.js";
import { QUICK, failure } from "./support.js";

type Answer = (request: SubmitMoveRequest, context: HandlerContext) => void;

/** A referee that answers each submitted move with the next of these; what it was sent. */
function answering(...answers: Answer[]) {
  const sent: { request: SubmitMoveRequest; headers: Headers }[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(PlayService, {
      submitMove(request, context) {
        sent.push({ request, headers: context.requestHeader });
        answers[sent.length - 1]?.(request, context);
        return {};
      },
    });
    service(ServerService, { getServerInfo: () => ({ serverVersion: "7" }) });
  });
  return { sent, referee: new Referee(transport, { retry: QUICK }) };
}
const fails =
  (error: ConnectError): Answer =>
  () => {
    throw error;
  };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("a call about a match says which, for whoever stands between", async () => {
  const { sent, referee } = answering();
  await referee.play.submitMove({ name: "matches/5f2c" });
  await referee.play.submitMove({ name: "matches/5f2c/seats/3" });
  await referee.play.submitMove({ name: "rulesets/5f2c" });
  await referee.play.submitMove({ name: "matches/5f2c" }, { headers: { "referee-match": "mine" } });
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("referee-match")),
    ["5f2c", "5f2c", null, "mine"],
  );
});

test("every call has token, language and a fresh request id", async () => {
  const { sent, referee } = answering();
  await referee.withToken("rfs_a").inLanguage("pl").play.submitMove({ name: "matches/1" });
  await referee.withToken("rfs_b").play.submitMove({ name: "matches/1" });
  await referee.play.submitMove({ name: "matches/1", requestId: "mine" });
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("authorization")),
    ["Bearer rfs_a", "Bearer rfs_b", null],
  );
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("accept-language")),
    ["pl", "en", "en"],
  );
  const [a, b, c] = sent.map(({ request }) => request.requestId);
  assert.match(a!, UUID);
  assert.match(b!, UUID);
  assert.notEqual(a, b);
  assert.equal(c, "mine");
});

test("a caller's own message stays as it is", async () => {
  const { sent, referee } = answering();
  const message = create(SubmitMoveRequestSchema, { name: "matches/1" });
  await referee.play.submitMove(message);
  await referee.play.submitMove(message);
  assert.equal(message.requestId, "");
  assert.notEqual(sent[0]!.request.requestId, sent[1]!.request.requestId);
});

test("what may be repeated is repeated with the same request id, and no more often than the contract says", async () => {
  const broken = [
    failure(Code.Unavailable, "STORE_UNAVAILABLE"),
    failure(Code.DeadlineExceeded, "CALL_TOO_LONG"),
    new ConnectError("reset", Code.Aborted),
  ];
  const { sent, referee } = answering(...broken.map(fails));
  await referee.play.submitMove({ name: "matches/1" });
  assert.equal(sent.length, 4);
  assert.equal(new Set(sent.map(({ request }) => request.requestId)).size, 1);

  const dead = answering(...Array.from({ length: 9 }, () => fails(failure(Code.Unavailable, "SHUTTING_DOWN"))));
  await assert.rejects(
    dead.referee.play.submitMove({}),
    (error: RefereeError) => error.reason === Reason.SHUTTING_DOWN && isRetryable(error),
  );
  assert.equal(dead.sent.length, 5);
});

test("what hangs when its line is renewed is asked again at once, with the same request id, and as often as that happens", async () => {
  const hangs = 7;
  const sent: string[] = [];
  const given: AbortSignal[] = [];
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      async submitMove({ requestId }, { signal }) {
        sent.push(requestId);
        given.push(signal);
        if (sent.length <= hangs) await new Promise(() => undefined);
        return {};
      },
      async resign() {
        return {};
      },
    }),
  );
  const referee = new Referee(transport, { retry: { ...QUICK, initialBackoffMs: 60_000, maxBackoffMs: 60_000 } });
  const renewing = setInterval(() => referee.renew(), 10);
  await referee.play.submitMove({ name: "matches/1" });
  clearInterval(renewing);
  assert.equal(sent.length, hangs + 1);
  assert.equal(new Set(sent).size, 1);
  assert.deepEqual(
    given.slice(0, hangs).map(({ aborted }) => aborted),
    given.slice(0, hangs).map(() => true),
    "what was given up is ended",
  );
  // A line on which nothing is under way is as good as before.
  referee.renew();
  await referee.play.resign({ name: "matches/1" });
});

test("what may not be repeated, or cannot be continued, is not given up with its line", async () => {
  let sent = 0;
  const slow = () => new Promise((done) => setTimeout(done, 60));
  const transport = createRouterTransport(({ service }) => {
    service(ServerService, {
      async claimHost() {
        sent += 1;
        await slow();
        return { hostToken: "rfh_a" };
      },
    });
    service(RecordService, {
      async *exportRecord() {
        sent += 1;
        yield { chunk: new Uint8Array([1]) } as never;
        await slow();
        yield { chunk: new Uint8Array([2]) } as never;
      },
    });
  });
  const referee = new Referee(transport, { retry: QUICK });
  const renewing = setInterval(() => referee.renew(), 15);
  const pieces: unknown[] = [];
  assert.equal((await referee.server.claimHost({ code: "rfo_a" })).hostToken, "rfh_a");
  for await (const piece of referee.records.exportRecord({ name: "matches/1" })) pieces.push(piece);
  clearInterval(renewing);
  assert.deepEqual([sent, pieces.length], [2, 2]);
});

test("nothing else is repeated", async () => {
  const refusals = [
    failure(Code.FailedPrecondition, "MOVE_REFUSED"),
    failure(Code.Aborted, "DECISION_SUPERSEDED"),
    failure(Code.ResourceExhausted, "LIMIT_REACHED", { retryMs: 1 }),
    failure(Code.Internal, "INTERNAL"),
    new ConnectError("too late", Code.DeadlineExceeded),
  ];
  for (const refusal of refusals) {
    const { sent, referee } = answering(fails(refusal));
    await assert.rejects(
      referee.play.submitMove({}),
      (error: RefereeError) => error instanceof RefereeError && !isRetryable(error),
    );
    assert.equal(sent.length, 1, refusal.message);
  }
});

test("a message that cannot be written down is told at once, and nothing is sent", async () => {
  const { sent, referee } = answering();
  const move = { name: "load", arguments: [{ name: "p", value: { kind: { case: "seat" as const, value: -1 } } }] };
  await assert.rejects(
    referee.play.submitMove({ move }),
    (error: RefereeError) => error.code === Code.InvalidArgument && /seat/.test(error.message),
  );
  assert.equal(sent.length, 0);
});

test("a method that the service config does not name is not repeated", async () => {
  const { sent, referee } = answering(fails(failure(Code.Unavailable, "SHUTTING_DOWN")));
  const careful = new Referee(referee.transport, { retry: { ...QUICK, methods: new Set() } });
  const once = new Referee(careful.transport, { retry: { ...QUICK, maxAttempts: 1 } });
  await once.play.submitMove({});
  assert.equal(sent.length, 2, "the innermost repeats");
  let calls = 0;
  const never = new Referee(
    createRouterTransport(({ service }) =>
      service(PlayService, {
        submitMove() {
          calls += 1;
          throw failure(Code.Unavailable, "SHUTTING_DOWN");
        },
      }),
    ),
    { retry: { ...QUICK, methods: new Set(["referee.v1.PlayService/GetView"]) } },
  );
  await assert.rejects(never.play.submitMove({}), RefereeError);
  assert.equal(calls, 1);
});

test("a stream is repeated until it says something, and then no more", async () => {
  let calls = 0;
  const transport = createRouterTransport(({ service }) =>
    service(RecordService, {
      async *exportRecord() {
        calls += 1;
        if (calls < 3) throw failure(Code.Unavailable, "SHUTTING_DOWN");
        yield { data: new Uint8Array([calls]) };
        throw failure(Code.Unavailable, "SHUTTING_DOWN");
      },
    }),
  );
  const { records } = new Referee(transport, { retry: QUICK });
  const got: number[] = [];
  await assert.rejects(
    async () => {
      for await (const { data } of records.exportRecord({ name: "matches/1" })) got.push(...data);
    },
    (error: RefereeError) => error.reason === Reason.SHUTTING_DOWN,
  );
  assert.deepEqual(got, [3]);
  assert.equal(calls, 3);
});

test("errors have their details in types", async () => {
  const { referee } = answering(
    fails(
      failure(Code.FailedPrecondition, "MOVE_REFUSED", {
        metadata: { move_index: "0" },
        refusal: { clause: { id: "load.must" }, alternatives: [{ name: "pass" }] },
        localized: { locale: "pl", message: "nie wolno" },
      }),
    ),
    fails(
      failure(Code.InvalidArgument, "MALFORMED_REQUEST", { fields: [{ field: "move.name", description: "is empty" }] }),
    ),
    fails(failure(Code.Aborted, "DECISION_SUPERSEDED", { metadata: { decision_id: "d_2" }, retryMs: 1500 })),
    fails(failure(Code.NotFound, "A_REASON_OF_TOMORROW")),
  );
  const thrown = async (): Promise<RefereeError> =>
    RefereeError.from(await referee.play.submitMove({}).catch((error: unknown) => error));
  const refused = await thrown();
  assert.equal(refused.reason, Reason.MOVE_REFUSED);
  assert.equal(refused.refusal?.clause?.id, "load.must");
  assert.deepEqual(
    refused.refusal?.alternatives.map(({ name }) => name),
    ["pass"],
  );
  assert.deepEqual([refused.text, refused.locale, refused.metadata["move_index"]], ["nie wolno", "pl", "0"]);
  assert.ok(isRefused(refused) && !isSuperseded(refused));
  const malformed = await thrown();
  assert.deepEqual(
    malformed.fieldViolations.map(({ field, description }) => [field, description]),
    [["move.name", "is empty"]],
  );
  assert.equal(malformed.text, "MALFORMED_REQUEST in English");
  const superseded = await thrown();
  assert.ok(isSuperseded(superseded));
  assert.deepEqual([superseded.metadata["decision_id"], superseded.retryAfterMs], ["d_2", 1500]);
  const later = await thrown();
  assert.deepEqual([later.reason, later.code], [Reason.UNSPECIFIED, Code.NotFound]);
});

test("whoever aborts a call is told what the signal says, at once, also between two tries", async () => {
  const { referee, sent } = answering(
    ...Array.from({ length: 9 }, () => fails(failure(Code.Unavailable, "SHUTTING_DOWN"))),
  );
  const slow = new Referee(referee.transport, { retry: { ...QUICK, initialBackoffMs: 1e7, maxBackoffMs: 1e7 } });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("enough")), 100);
  await assert.rejects(slow.play.submitMove({}, { signal: abort.signal }), { message: "enough" });
  const before = sent.length;
  await assert.rejects(slow.play.submitMove({}, { signal: abort.signal }), { message: "enough" });
  assert.equal(sent.length, before);
});

test("pauses are those of the service config, and as long as the referee asks for", () => {
  const policy = retryPolicy();
  assert.deepEqual(
    [policy.maxAttempts, policy.initialBackoffMs, policy.maxBackoffMs, policy.backoffMultiplier],
    [5, 500, 4000, 2],
  );
  assert.ok(policy.methods.has("referee.v1.PlayService/SubmitMove"));
  for (const [failures, longest] of [
    [1, 500],
    [2, 1000],
    [3, 2000],
    [4, 4000],
    [9, 4000],
  ] as const) {
    const pauses = Array.from({ length: 200 }, () => backoffMs(policy, failures));
    assert.ok(Math.max(...pauses) <= longest && Math.max(...pauses) > longest / 2 && Math.min(...pauses) < longest / 2);
  }
  const asked = (retryMs: number) => RefereeError.from(failure(Code.Unavailable, "SHUTTING_DOWN", { retryMs }));
  assert.ok(backoffMs(policy, 1, asked(3000)) >= 3000);
  assert.ok(backoffMs(policy, 1, asked(1e9)) <= 4000);
  assert.throws(() => retryPolicy({ methodConfig: [] }), /take the contract's service_config.json/);
});

test("tokens are told apart, and what is none is refused without being shown", () => {
  const { referee } = answering();
  assert.deepEqual(["rfh_x", "rfs_x", "rfw_x", "rfp_x", "rfa_x", "xyz"].map(callerOf), [
    "host",
    "seat",
    "spectator",
    "publisher",
    "admin",
    undefined,
  ]);
  assert.equal(referee.withToken("rfs_x").caller, "seat");
  assert.equal(referee.caller, undefined);
  for (const [token, message] of [
    ["rfc_secret", /a claim code is no token: give it to matches\.claimSeat/],
    ["rfh_secret\n", /take it as the referee gave it/],
  ] as const) {
    assert.throws(
      () => referee.withToken(token),
      (error: Error) => error instanceof TypeError && message.test(error.message) && !error.message.includes("secret"),
    );
  }
});

test("ids are UUIDs also where pages are not served by TLS", (context) => {
  context.mock.method(crypto, "randomUUID");
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  try {
    const ids = Array.from({ length: 100 }, requestId);
    for (const id of ids) assert.match(id, UUID);
    assert.equal(new Set(ids).size, 100);
  } finally {
    Reflect.deleteProperty(crypto, "randomUUID");
  }
});

test("versions and limits are asked for once, whoever asks", async () => {
  let calls = 0;
  const transport = createRouterTransport(({ service }) => {
    service(ServerService, {
      getServerInfo() {
        calls += 1;
        if (calls === 1) throw failure(Code.Internal, "INTERNAL");
        return { serverVersion: "7" };
      },
    });
    service(MatchService, {});
  });
  const referee = new Referee(transport, { retry: QUICK });
  await assert.rejects(referee.info(), RefereeError);
  assert.equal((await referee.info()).serverVersion, "7");
  assert.equal((await referee.withToken("rfh_x").info()).serverVersion, "7");
  assert.equal(calls, 2);
});
