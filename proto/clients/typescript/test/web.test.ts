// The way of browsers: a request on a connection that is dead hears nothing, not even that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { GetServerInfoResponseSchema } from "../src/gen/referee/v1/server_service_pb.js";
import { SubmitMoveResponseSchema } from "../src/gen/referee/v1/play_service_pb.js";
import { RefereeError } from "../src/index.js";
import { connect } from "../src/web.js";
import { QUICK } from "./support.js";

const framed = (flags: number, bytes: Uint8Array): Uint8Array => {
  const frame = new Uint8Array(bytes.length + 5);
  frame[0] = flags;
  new DataView(frame.buffer).setUint32(1, bytes.length);
  frame.set(bytes, 5);
  return frame;
};
const trailer = framed(128, new TextEncoder().encode("grpc-status: 0\r\n"));
const head = { status: 200, headers: { "content-type": "application/grpc-web+proto" } };
const moved = framed(0, toBinary(SubmitMoveResponseSchema, create(SubmitMoveResponseSchema, { resumeToken: "t1" })));

/** A browser whose requests to a method are answered so, one after the other; which were made and given up. */
function browser(...answers: (readonly (Uint8Array | number)[] | "nothing")[]) {
  let infos = 0;
  const made: { path: string; aborted: () => boolean }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { pathname: path } = new URL(String(input));
    if (path.endsWith("GetServerInfo")) {
      infos += 1;
      const limits = { heartbeat: durationFromMs(30), callTime: durationFromMs(50) };
      const told = toBinary(GetServerInfoResponseSchema, create(GetServerInfoResponseSchema, { limits }));
      return Promise.resolve(new Response(Buffer.concat([framed(0, told), trailer]), head));
    }
    const signal = init!.signal!;
    made.push({ path, aborted: () => signal.aborted });
    const answer = answers[made.length - 1] ?? "nothing";
    const gone = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    if (answer === "nothing") return gone;
    const body = new ReadableStream<Uint8Array>({
      async start(stream) {
        gone.catch((why: unknown) => stream.error(why));
        for (const piece of answer) {
          if (typeof piece === "number") await new Promise((done) => setTimeout(done, piece));
          else if (!signal.aborted) stream.enqueue(piece);
        }
        // Of an answer that does not end, the rest never comes.
        if (answer.at(-1) === trailer) stream.close();
      },
    });
    return Promise.resolve(new Response(body, head));
  };
  return { fetch, made, infos: () => infos };
}

test("a call that hears nothing is given up and made anew, before its answer and within it", async () => {
  for (const silent of ["nothing", [moved.slice(0, 4)]] as const) {
    const { fetch, made } = browser(silent, silent, [moved, trailer]);
    const referee = connect("http://referee", { fetch, silenceMs: 40, retry: QUICK });
    assert.equal((await referee.play.submitMove({ name: "matches/1" })).resumeToken, "t1");
    assert.deepEqual(
      made.map(({ aborted }) => aborted()),
      [true, true, false],
    );
  }
});

test("it fails as a referee that is away does, once it was tried often enough", async () => {
  const { fetch, made } = browser();
  const referee = connect("http://referee", { fetch, silenceMs: 15, retry: QUICK });
  await assert.rejects(
    referee.play.submitMove({}),
    (error: RefereeError) => error.code === Code.Unavailable && /said nothing for 0.015 s/.test(error.message),
  );
  assert.equal(made.length, QUICK.maxAttempts);
});

test("an answer that comes slowly is no silence", async () => {
  const slowly = [...moved].flatMap((_, at) => [25, moved.slice(at, at + 1)]);
  const { fetch, made } = browser([...slowly, trailer]);
  const referee = connect("http://referee", { fetch, silenceMs: 120, retry: QUICK });
  const began = Date.now();
  assert.equal((await referee.play.submitMove({})).resumeToken, "t1");
  assert.ok(Date.now() - began > 120, "all of it takes longer than a silence may");
  assert.equal(made.length, 1);
});

test("how long silence may last follows from the limits of the referee", async () => {
  const { fetch, made } = browser([moved, trailer], "nothing", [moved, trailer]);
  const referee = connect("http://referee", { fetch, retry: QUICK });
  await referee.play.submitMove({});
  await referee.info();
  const began = Date.now();
  await referee.play.submitMove({});
  const took = Date.now() - began;
  assert.equal(made.length, 3);
  assert.ok(took >= 89 && took < 5000, `three heartbeats are 90 ms, and it took ${took} ms`);
});

test("on a line that was just renewed a first word is not waited for as long, but longer each time", { timeout: 60_000 }, async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { fetch, made } = browser("nothing", "nothing", "nothing", [moved, trailer], "nothing", [moved, trailer]);
  const referee = connect("http://referee", { fetch, silenceMs: 30_000, retry: QUICK });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
  };
  const after = async (ms: number): Promise<number> => {
    await turns();
    t.mock.timers.tick(ms);
    await turns();
    // The pause between two tries.
    t.mock.timers.tick(QUICK.maxBackoffMs);
    await turns();
    return made.length;
  };
  const first = referee.play.submitMove({});
  assert.equal(await after(20_000), 1, "nobody doubts it");
  referee.renew();
  assert.equal(await after(2900), 2);
  assert.equal(await after(100), 3);
  assert.equal(await after(5900), 3);
  assert.equal(await after(100), 4);
  assert.equal((await first).resumeToken, "t1");
  // It was heard, and is trusted again.
  const second = referee.play.submitMove({});
  assert.equal(await after(20_000), 5);
  assert.equal(await after(10_000), 6);
  assert.equal((await second).resumeToken, "t1");
});

test("when one connection is dead, all that a browser keeps are tried at once", async () => {
  const { fetch, made, infos } = browser("nothing", "nothing", [moved, trailer]);
  const referee = connect("http://referee", { fetch, silenceMs: 30, retry: QUICK });
  await referee.play.submitMove({});
  assert.deepEqual([made.length, infos()], [3, 6], "six, and not again for each silence");
});

test("whoever aborts a call ends its request", async () => {
  const { fetch, made } = browser();
  const referee = connect("http://referee", { fetch, silenceMs: 60_000, retry: QUICK });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("enough")), 20);
  await assert.rejects(referee.play.submitMove({}, { signal: abort.signal }), { message: "enough" });
  assert.deepEqual(
    made.map(({ aborted }) => aborted()),
    [true],
  );
});
