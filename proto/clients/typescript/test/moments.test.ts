// Moments and timelines, against a referee that lives in this process and at which somebody was asked now and then.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, createRouterTransport } from "@connectrpc/connect";
import { Reason, Referee, RefereeError, Timeline, viewAt, type Moment } from "../src/index.js";
import { EventSchema, PlayService, SpectatorService, type Event } from "../src/v1.js";
import { QUICK, below, failure } from "./support.js";

interface Played {
  /** At these numbers of events somebody was asked. */
  readonly moments: number[];
  /** How many events there are. */
  length: number;
  /** Events of these numbers are moves of players; the others are what follows from them. */
  readonly moves: readonly number[];
}

/** A referee of one match; what it was asked. */
function remembering(played: Played, { page = 7, forgets = false, token = "rfs_a" } = {}) {
  const views: (number | undefined)[] = [];
  const pages: string[] = [];
  const event = (number: number) => ({
    number: BigInt(number),
    kind: played.moves.includes(number)
      ? ({ case: "moveMade", value: { origin: number % 2 === 0 ? 1 : 4 } } as const)
      : ({ case: "raised", value: { event: "something" } } as const),
  });
  const between = (from: number, until: number) =>
    Array.from({ length: Math.max(0, until - from) }, (_, i) => event(from + i));
  const view = (asked: bigint | undefined) => {
    const at = asked === undefined ? played.length : Number(asked);
    views.push(asked === undefined ? undefined : at);
    if (at > played.length) throw failure(Code.InvalidArgument, "MALFORMED_REQUEST");
    const eventCount = played.moments.filter((moment) => moment <= at).at(-1) ?? played.moments[0]!;
    return { view: { eventCount: BigInt(eventCount) }, resumeToken: `after ${eventCount}` };
  };
  const list = ({ pageToken }: { readonly pageToken: string }) => {
    pages.push(pageToken);
    if (forgets && pageToken !== "" && pages.filter((one) => one === "").length < 2)
      throw failure(Code.InvalidArgument, "RESUME_TOKEN_INVALID");
    const from = pageToken === "" ? 0 : Number(pageToken.slice("after ".length));
    const until = Math.min(from + page, played.length);
    const [more, resumeToken] = [until < played.length, `after ${until}`];
    return { events: between(from, until), nextPageToken: more ? resumeToken : "", resumeToken };
  };
  const transport = createRouterTransport(({ service }) => {
    service(PlayService, { getView: ({ atEvent }) => view(atEvent), listEvents: list });
    service(SpectatorService, { getPublicView: ({ atEvent }) => view(atEvent), listPublicEvents: list });
  });
  return { views, pages, referee: new Referee(transport, { retry: QUICK, token }) };
}
const game = (): Played => ({ moments: [3, 5, 9, 10, 17, 20], length: 20, moves: [3, 5, 9, 17] });
const eventOf = (moment: Moment | undefined) => moment?.event;

test("the table at a moment is the caller's own: a seat's, or everybody's", async () => {
  for (const [token, at, expected] of [
    ["rfs_a", 8, 5],
    ["rfh_a", 9n, 9],
    ["rfw_a", 0, 3],
    ["rfs_a", undefined, 20],
  ] as const) {
    const { views, referee } = remembering(game(), { token });
    const { event, view, resumeToken } = await viewAt(referee, "matches/1", at);
    assert.deepEqual([event, view.eventCount, resumeToken], [expected, BigInt(expected), `after ${expected}`]);
    assert.deepEqual(views, [at === undefined ? undefined : Number(at)]);
  }
  const { referee } = remembering(game());
  await assert.rejects(
    viewAt(referee, "matches/1", 21),
    (error: RefereeError) => error.reason === Reason.MALFORMED_REQUEST,
  );
});

test("all pages of events are read, and then only what has happened since", async () => {
  const played = game();
  const { pages, referee } = remembering(played);
  const timeline = await Timeline.open(referee, "matches/1");
  assert.deepEqual(pages, ["", "after 7", "after 14"]);
  assert.equal(timeline.length, 20);
  assert.deepEqual(
    timeline.events.map(({ number }) => Number(number)),
    Array.from({ length: 20 }, (_, i) => i),
  );
  assert.deepEqual(await timeline.extend(), []);
  played.length = 23;
  assert.deepEqual(
    (await timeline.extend()).map(({ number }) => Number(number)),
    [20, 21, 22],
  );
  assert.deepEqual(pages.slice(3), ["after 20", "after 20"]);
});

test("a seat and a spectator whose place was forgotten read from the beginning, and have everything once", async () => {
  for (const token of ["rfs_a", "rfw_a"]) {
    const played = game();
    const { pages, referee } = remembering(played, { forgets: true, token });
    const timeline = await Timeline.open(referee, "matches/1");
    played.length = 25;
    played.moments.push(25);
    await timeline.extend();
    assert.deepEqual(
      timeline.events.map(({ number }) => Number(number)),
      Array.from({ length: 25 }, (_, i) => i),
    );
    assert.deepEqual(pages, ["", "after 7", "", "after 7", "after 14", "after 20"]);
  }
});

test("forwards and back, every moment comes once, wherever it lies", async () => {
  const random = below(4);
  for (let round = 0; round < 60; round += 1) {
    const length = 1 + random(40);
    const some = (n: number, of: number) => [...new Set(Array.from({ length: n }, () => random(of)))];
    const moments = some(1 + random(12), length + 1).sort((a, b) => a - b);
    const { referee } = remembering({ moments, length, moves: some(random(12), length) });
    // Few views are kept, so that some are asked for again.
    const timeline = await Timeline.open(referee, "matches/1", { views: 1 + random(4) });
    const forwards: number[] = [];
    let last: Moment | undefined;
    for (let moment: Moment | undefined = await timeline.first(); moment; moment = await timeline.next(moment))
      forwards.push((last = moment).event);
    assert.deepEqual(forwards, moments);
    const back: number[] = [];
    for (let moment = last; moment; moment = await timeline.previous(moment)) back.unshift(moment.event);
    assert.deepEqual(back, moments);
    for (let at = 0; at <= length; at += 1) {
      const expected = moments.filter((moment) => moment <= at).at(-1) ?? moments[0]!;
      assert.equal((await timeline.at(at)).event, expected);
      assert.equal(
        eventOf(await timeline.next(at)),
        moments.find((moment) => moment > expected),
      );
      assert.equal(eventOf(await timeline.previous(at)), moments.filter((moment) => moment < expected).at(-1));
    }
  }
});

test("no moment is asked for twice, nor what lies between two of them", async () => {
  const { views, referee } = remembering(game());
  const timeline = await Timeline.open(referee, "matches/1");
  const [one, two] = await Promise.all([timeline.at(8), timeline.at(8)]);
  assert.equal(one, two);
  assert.deepEqual(views, [8]);
  assert.equal((await timeline.at(7)).event, 5);
  assert.equal((await timeline.at(5)).event, 5);
  assert.deepEqual(views, [8]);
  for (let moment: Moment | undefined = await timeline.first(); moment; moment = await timeline.next(moment));
  const asked = views.length;
  // A way back and every place of the slider cost nothing any more.
  for (let at = 0; at <= 20; at += 1) {
    await timeline.at(at);
    await timeline.previous(at);
  }
  assert.equal(views.length, asked);
  assert.ok(asked <= 14, `${asked} for six moments`);
  for (const at of [-1, 21, 1.5]) await assert.rejects(timeline.at(at), RangeError);
});

test("a match that goes on has new moments, also where the end was until now", async () => {
  const played: Played = { moments: [3, 5], length: 8, moves: [3] };
  const { referee } = remembering(played);
  const timeline = await Timeline.open(referee, "matches/1");
  assert.equal((await timeline.last()).event, 5);
  assert.equal(await timeline.next(5), undefined);
  // While the match was paused nobody was asked, although it had gone as far.
  played.moments.push(8, 11);
  played.length = 11;
  const told = (...numbers: number[]): Event[] =>
    numbers.map((number) => create(EventSchema, { number: BigInt(number) }));
  timeline.add(told(6, 7, 8, 9));
  assert.throws(() => timeline.add(told(11)), /^RangeError: event 10 comes next, and not 11/);
  timeline.add(told(10));
  assert.equal(timeline.length, 11);
  assert.equal((await timeline.last()).event, 11);
  assert.equal((await timeline.next(5))?.event, 8);
  assert.equal((await timeline.previous(11))?.event, 8);
});

test("what fails is asked for again the next time", async () => {
  let fails = true;
  const transport = createRouterTransport(({ service }) =>
    service(PlayService, {
      listEvents: () => ({ events: [{ number: 0n }], nextPageToken: "", resumeToken: "t" }),
      getView() {
        if (fails) throw failure(Code.NotFound, "NOT_FOUND");
        return { view: { eventCount: 1n } };
      },
    }),
  );
  const timeline = await Timeline.open(new Referee(transport, { retry: QUICK, token: "rfs_a" }), "matches/1");
  await assert.rejects(timeline.last(), (error: RefereeError) => error.reason === Reason.NOT_FOUND);
  fails = false;
  assert.equal((await timeline.last()).event, 1);
});
