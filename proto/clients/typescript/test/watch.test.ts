// Streams that resume, against a referee that lives in this process and breaks them in every way that the contract names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import {
  Reason,
  Referee,
  RefereeError,
  playSeat,
  watch,
  watchAll,
  watchPublic,
  type Watched,
  type WatchOptions,
} from "../src/index.js";
import {
  PlayService,
  PlayerService,
  ServerService,
  SpectatorService,
  type Decision,
  type WatchMatchRequest,
  type WatchMatchResponse,
} from "../src/v1.js";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DecisionSchema } from "../src/gen/referee/v1/decision_pb.js";
import type { WatchMatchResponseSchema } from "../src/gen/referee/v1/play_service_pb.js";
import { QUICK, failure } from "./support.js";

type Told = MessageInitShape<typeof WatchMatchResponseSchema>;
/** What one connection says, and how it ends: by itself, by a failure, or never. */
type Connection = { says?: Told[]; then?: ConnectError | "silence" };

const asks = (...ids: string[]) => ({ questions: ids.map((decisionId) => ({ decisionId, step: "turn.choosing" })) });
const snapshot = (resumeToken: string): Told => ({
  item: { case: "snapshot", value: { seat: 1 } },
  resumeToken,
  asked: asks(),
});
const events = (resumeToken: string, ...numbers: number[]): Told => ({
  item: { case: "events", value: { events: numbers.map((number) => ({ number: BigInt(number) })) } },
  resumeToken,
});
const closed: Told = { item: { case: "closed", value: { conclusion: 1 } }, resumeToken: "end" };

/** A referee whose connections say these things, one after the other; how each was asked for. */
function saying(...connections: Connection[]) {
  const info = { heartbeatMs: 10_000 };
  const asked: WatchMatchRequest["start"][] = [];
  const open = new Set<AbortSignal>();
  async function* stream(
    { start }: Pick<WatchMatchRequest, "start">,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<Told> {
    asked.push(start);
    open.add(signal);
    signal.addEventListener("abort", () => open.delete(signal));
    try {
      const connection = connections[asked.length - 1] ?? { then: failure(Code.NotFound, "NOT_FOUND") };
      yield* connection.says ?? [];
      if (connection.then === "silence")
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new ConnectError("gone", Code.Canceled))),
        );
      if (connection.then instanceof ConnectError) throw connection.then;
    } finally {
      open.delete(signal);
    }
  }
  const transport = createRouterTransport(({ service }) => {
    service(PlayService, { watchMatch: stream });
    service(ServerService, {
      getServerInfo: () => ({ limits: { heartbeat: durationFromMs(info.heartbeatMs) } }),
    });
    service(SpectatorService, {
      async *watchPublicMatch(request, context) {
        for await (const { item, resumeToken } of stream(request as unknown as WatchMatchRequest, context))
          yield { item, resumeToken } as never;
      },
    });
  });
  const referee = new Referee(transport, { retry: QUICK });
  return { asked, referee, transport, info, open: () => open.size };
}

/** Long enough for a connection that was given up to be gone. */
const settled = () => new Promise((done) => setTimeout(done, 50));

const short = (told: Watched): string => {
  if (told.kind === "events") return `events ${told.events.map(({ number }) => number).join()}`;
  if (told.kind === "interrupted") return `interrupted ${told.failures}`;
  return told.kind;
};
async function read(referee: Referee, options: WatchOptions = {}): Promise<string[]> {
  const told: string[] = [];
  for await (const item of watch(referee, "matches/1", options)) told.push(short(item));
  return told;
}
const starts = (asked: WatchMatchRequest["start"][]): string[] =>
  asked.map(({ case: kind, value }) => (kind === "resumeToken" ? `${value}` : `${kind}`));

test("a stream goes on where it stopped, however it stopped", async () => {
  const ways: (ConnectError | undefined)[] = [
    undefined,
    failure(Code.Unavailable, "CONNECTION_AGED", { metadata: { resume_token: "not this one" } }),
    failure(Code.Unavailable, "SHUTTING_DOWN", { retryMs: 1 }),
    failure(Code.ResourceExhausted, "READER_TOO_SLOW", { metadata: { resume_token: "nor this" } }),
    new ConnectError("reset", Code.Aborted),
    new ConnectError("protocol error", Code.Internal),
    new ConnectError("closed", Code.Canceled),
  ];
  for (const way of ways) {
    const { asked, referee } = saying(
      { says: [snapshot("t1"), events("t2", 0, 1)], ...(way && { then: way }) },
      { says: [events("t3", 2)], ...(way && { then: way }) },
      { says: [events("t4", 3), closed] },
    );
    assert.deepEqual(
      await read(referee),
      ["snapshot", "events 0,1", "interrupted 1", "events 2", "interrupted 1", "events 3", "closed"],
      way?.message,
    );
    assert.deepEqual(starts(asked), ["fromNow", "t2", "t3"], way?.message);
  }
});

test("it begins where it is told to", async () => {
  for (const [start, seen] of [
    ["beginning", "undefined"],
    ["now", "fromNow"],
    [{ resumeToken: "t7" }, "t7"],
  ] as const) {
    const { asked, referee } = saying({ says: [closed] });
    await read(referee, { start });
    assert.deepEqual(starts(asked), [seen]);
  }
});

test("a resume token that is good no longer is told, and the table is shown anew", async () => {
  const invalid = failure(Code.InvalidArgument, "RESUME_TOKEN_INVALID");
  const { asked, referee } = saying(
    { says: [snapshot("t1")], then: failure(Code.Unavailable, "SHUTTING_DOWN") },
    { then: invalid },
    { says: [snapshot("t2"), closed] },
  );
  assert.deepEqual(await read(referee), ["snapshot", "interrupted 1", "reset", "snapshot", "closed"]);
  assert.deepEqual(starts(asked), ["fromNow", "t1", "fromNow"]);
  const first = saying({ then: invalid }, { says: [snapshot("t2"), closed] });
  assert.deepEqual(await read(first.referee, { start: { resumeToken: "old" } }), ["reset", "snapshot", "closed"]);
});

test("failures in a row are counted, and what is asked is told with the first message of each connection", async () => {
  const away = new ConnectError("refused", Code.Unavailable);
  // The transport tries five times before the stream says that it was interrupted once more.
  const { referee } = saying(
    { says: [snapshot("t1")], then: away },
    ...Array.from({ length: 10 }, () => ({ then: away })),
    {
      says: [{ ...events("t2", 0), asked: asks("d_1") } as Told, events("t3", 1), closed],
    },
  );
  const told: unknown[] = [];
  for await (const item of watch(referee, "matches/1")) {
    told.push("asked" in item ? [short(item), item.asked?.map(({ decisionId }) => decisionId)] : short(item));
  }
  assert.deepEqual(told, [
    ["snapshot", []],
    "interrupted 1",
    "interrupted 2",
    "interrupted 3",
    ["events 0", ["d_1"]],
    ["events 1", undefined],
    ["closed", undefined],
  ]);
});

test("a connection that falls silent is given up and made anew", async () => {
  const { asked, referee, open } = saying(
    { says: [snapshot("t1")], then: "silence" },
    { says: [events("t2", 0), closed] },
  );
  assert.deepEqual(await read(referee, { silenceMs: 50 }), ["snapshot", "interrupted 1", "events 0", "closed"]);
  assert.deepEqual(starts(asked), ["fromNow", "t1"]);
  await settled();
  assert.equal(open(), 0, "the silent one is closed");
});

test("a line that is renewed makes every stream anew at once, and nothing is told of that", async () => {
  const { asked, referee, open } = saying(
    { says: [snapshot("t1")], then: "silence" },
    { says: [events("t2", 0)], then: "silence" },
    { says: [events("t3", 1), closed] },
  );
  const told: string[] = [];
  for await (const item of watch(referee.withToken("rfs_a"), "matches/1")) {
    told.push(short(item));
    // Whoever calls over the same transport shares the line.
    if (told.length < 3) setTimeout(() => referee.inLanguage("pl").renew(), 5);
  }
  assert.deepEqual(told, ["snapshot", "events 0", "events 1", "closed"]);
  assert.deepEqual(starts(asked), ["fromNow", "t1", "t2"]);
  await settled();
  assert.equal(open(), 0, "what was given up is closed");
});

test("a line that is renewed ends the pause of a stream that was interrupted", async () => {
  const away = new ConnectError("refused", Code.Unavailable);
  const slow = { ...QUICK, maxAttempts: 1, initialBackoffMs: 60_000, maxBackoffMs: 60_000, backoffMultiplier: 1 };
  const again = saying({ says: [snapshot("t1")], then: away }, { then: away }, { says: [closed] });
  const referee = new Referee(again.transport, { retry: slow });
  const began = Date.now();
  const told: string[] = [];
  for await (const item of watch(referee, "matches/1")) {
    told.push(short(item));
    if (item.kind === "interrupted") setTimeout(() => referee.renew(), 20);
  }
  assert.deepEqual(told, ["snapshot", "interrupted 1", "interrupted 2", "closed"]);
  assert.ok(Date.now() - began < 5000);
});

test("how long silence may last follows from the heartbeat of the referee", async () => {
  const { referee, info } = saying({ says: [snapshot("t1")], then: "silence" }, { says: [closed] });
  info.heartbeatMs = 20;
  await referee.info();
  const began = Date.now();
  assert.deepEqual(await read(referee), ["snapshot", "interrupted 1", "closed"]);
  const took = Date.now() - began;
  assert.ok(took >= 60 && took < 5000, `${took} ms`);
});

test("a reader that takes its time is not taken for silence", async () => {
  const { referee } = saying({ says: [snapshot("t1"), events("t2", 0), closed] });
  const told: string[] = [];
  for await (const item of watch(referee, "matches/1", { silenceMs: 30 })) {
    told.push(short(item));
    await new Promise((done) => setTimeout(done, 80));
  }
  assert.deepEqual(told, ["snapshot", "events 0", "closed"]);
});

test("what the referee refuses is thrown, and so is that it could not be reached even once", async () => {
  const refused = saying({ then: failure(Code.NotFound, "NOT_FOUND") });
  await assert.rejects(read(refused.referee), (error: RefereeError) => error.reason === Reason.NOT_FOUND);
  const away = saying(...Array.from({ length: 9 }, () => ({ then: new ConnectError("refused", Code.Unavailable) })));
  await assert.rejects(read(away.referee), (error: RefereeError) => error.code === Code.Unavailable);
  assert.equal(away.asked.length, 5);
});

test("a signal ends it with what it says, and whoever leaves closes the connection", async () => {
  const { referee, open } = saying(
    { says: [snapshot("t1")], then: "silence" },
    { says: [snapshot("t1"), snapshot("t2")], then: "silence" },
  );
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("enough")), 50);
  await assert.rejects(read(referee, { signal: abort.signal }), { message: "enough" });
  await settled();
  assert.equal(open(), 0);
  await assert.rejects(read(referee, { signal: abort.signal }), { message: "enough" });
  for await (const item of watch(referee, "matches/1")) {
    assert.equal(item.kind, "snapshot");
    break;
  }
  await settled();
  assert.equal(open(), 0);
});

test("spectators read alike, and are asked nothing", async () => {
  const { referee, asked } = saying(
    { says: [snapshot("t1")], then: new ConnectError("reset", Code.Aborted) },
    { says: [closed] },
  );
  const told: string[] = [];
  for await (const item of watchPublic(referee, "matches/1")) {
    if ("asked" in item) assert.equal(item.asked, undefined);
    told.push(short(item));
  }
  assert.deepEqual(told, ["snapshot", "interrupted 1", "closed"]);
  assert.deepEqual(starts(asked), ["fromNow", "t1"]);
});

/** A seat that is asked these questions, one after the other; every submitted move is judged by `judge`. */
function table(
  questions: MessageInitShape<typeof DecisionSchema>[],
  judge: (move: string, decisionId: string) => void,
) {
  const moves: string[] = [];
  let at = 0;
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      async *watchMatch() {
        for (let told = -1; at < questions.length; await settled()) {
          if (told === at) continue;
          told = at;
          yield { ...snapshot("t1"), asked: asks(questions[at]!.decisionId!) } as WatchMatchResponse;
        }
        yield closed as WatchMatchResponse;
      },
      listDecisions: () => ({ decisions: questions.slice(at, at + 1) as Decision[] }),
      submitMove({ move, decisionId }) {
        judge(move!.name, decisionId);
        moves.push(move!.name);
        at += 1;
        return {};
      },
    }),
  );
  return { referee: new Referee(transport, { retry: QUICK }), moves, next: () => (at += 1) };
}
const question = (decisionId: string, ...moves: string[]) => ({ decisionId, offers: moves.map((name) => ({ name })) });

test("a seat answers until nothing more is asked, hears of refusals, and looks again when a question has changed", async () => {
  let superseded = 0;
  const heard: unknown[] = [];
  const seat = table([question("d_0", "bad", "good"), question("d_1", "old"), question("d_2", "new")], (move) => {
    if (move === "bad")
      throw failure(Code.FailedPrecondition, "MOVE_REFUSED", { refusal: { alternatives: [{ name: "good" }] } });
    if (move === "old") {
      superseded += 1;
      seat.next();
      throw failure(Code.Aborted, "DECISION_SUPERSEDED", { metadata: { decision_id: "d_2" } });
    }
  });
  const { closed: ending, moves } = await playSeat(seat.referee, "matches/1", ({ offers }, refused) => {
    heard.push(refused?.error.reason);
    return refused?.error.refusal?.alternatives[0] ?? (offers[0] as never);
  });
  assert.deepEqual([ending.conclusion, moves, superseded], [1, 2, 1]);
  assert.deepEqual(seat.moves, ["good", "new"]);
  assert.deepEqual(heard, [undefined, Reason.MOVE_REFUSED, undefined, undefined]);
});

test("a move that leaves its question open is followed by another one", async () => {
  let made = 0;
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      async *watchMatch() {
        yield { ...snapshot("t1"), asked: asks("d_0") } as WatchMatchResponse;
        // What the seat is asked has not changed, so that nothing is said of it.
        while (made < 3) {
          await settled();
          yield { item: { case: "checkpoint", value: {} }, resumeToken: "t2" } as WatchMatchResponse;
        }
        yield closed as WatchMatchResponse;
      },
      listDecisions: () => ({ decisions: [question("d_0", "more")] as Decision[] }),
      submitMove: () => ((made += 1), {}),
    }),
  );
  const referee = new Referee(transport, { retry: QUICK });
  assert.equal((await playSeat(referee, "matches/1", ({ offers }) => offers[0] as never)).moves, 3);
});

test("a seat that is refused again and again fails with the last refusal", async () => {
  let asked = 0;
  const seat = table([question("d_0", "bad")], () => {
    asked += 1;
    throw failure(Code.FailedPrecondition, "MOVE_REFUSED", { refusal: {} });
  });
  const playing = playSeat(seat.referee, "matches/1", ({ offers }) => offers[0] as never, { refusals: 3 });
  await assert.rejects(playing, (error: RefereeError) => error.reason === Reason.MOVE_REFUSED);
  assert.equal(asked, 4);
});

test("all matches are told over one connection, which goes on where it stopped", async () => {
  const asked: string[] = [];
  const connections = [
    [
      { name: "matches/1", seat: 2, told: { case: "message", value: snapshot("m1") }, resumeToken: "t1" },
      { name: "", resumeToken: "t2" },
    ],
    [
      {
        name: "matches/1",
        seat: 2,
        told: { case: "ended", value: { reason: Reason.TOKEN_INVALID, message: "released" } },
        resumeToken: "t3",
      },
      { name: "matches/2", seat: 0, told: { case: "message", value: closed }, resumeToken: "t4" },
    ],
  ];
  const transport = createRouterTransport(({ service }) => {
    service(ServerService, { getServerInfo: () => ({}) });
    service(PlayerService, {
      async *watchMyMatches({ start, names }) {
        asked.push(`${start.case} ${start.case === "resumeToken" ? start.value : ""} ${names.join()}`);
        yield* (connections.shift() ?? []) as never[];
        throw new ConnectError("aged", Code.Unavailable);
      },
    });
  });
  const referee = new Referee(transport, { retry: QUICK });
  const told: string[] = [];
  for await (const item of watchAll(referee, { matches: ["matches/1", "matches/2"] })) {
    if (item.kind === "match") told.push(`${item.match} ${item.seat} ${item.told.kind}`);
    else if (item.kind === "ended") told.push(`${item.match} ended ${item.reason} ${item.text}`);
    else told.push(item.kind);
    if (told.length === 5) break;
  }
  assert.deepEqual(told, [
    "matches/1 2 snapshot",
    "checkpoint",
    "interrupted",
    `matches/1 ended ${Reason.TOKEN_INVALID} released`,
    "matches/2 0 closed",
  ]);
  assert.deepEqual(asked, ["fromNow  matches/1,matches/2", "resumeToken t2 matches/1,matches/2"]);
});
