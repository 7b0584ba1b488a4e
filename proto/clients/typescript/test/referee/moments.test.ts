// The table as it was, step by step through whole matches, of a referee. Needs REFEREE.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { equals } from "@bufbuild/protobuf";
import {
  Reason,
  RefereeError,
  Timeline,
  completeMove,
  playSeat,
  viewAt,
  watch,
  type Decide,
  type Moment,
  type Referee,
} from "../../src/index.js";
import { connect } from "../../src/node.js";
import { EventSchema, ViewSchema, type View } from "../../src/v1.js";
import { below } from "../support.js";
import { Server } from "./server.js";
import { begin } from "./table.js";

let server: Server;
let referee: Referee;
let host: Referee;
before(async () => {
  server = await Server.start();
  referee = connect(server.address);
  host = referee.withToken(server.token("host"));
});
after(async () => {
  referee.close();
  await server.stop();
});

const anyMove = (random: (n: number) => number): Decide => {
  return ({ offers }, refused) =>
    refused?.error.refusal?.alternatives[0] ?? completeMove(offers[random(offers.length)]!);
};

/** Every moment from the first to the last. */
async function forwards(timeline: Timeline): Promise<Moment[]> {
  const moments: Moment[] = [];
  for (let moment: Moment | undefined = await timeline.first(); moment; moment = await timeline.next(moment))
    moments.push(moment);
  return moments;
}

test("a match that is over is leafed through by a seat and by a spectator, forwards and back", async () => {
  const { match, seats } = await begin(host, "rulesets/san-juan", 2, [referee], 5);
  const [seat] = seats as [Referee];
  const { name } = match;
  const { spectatorToken } = await host.matches.inviteSpectator({ name });
  // What the seat saw when it was asked.
  const seen: View[] = [];
  const decide = anyMove(below(9));
  await playSeat(seat, name, async (question, refused) => {
    const { view } = await seat.play.getView({ name });
    if (seen.at(-1)?.eventCount !== view!.eventCount) seen.push(view!);
    return decide(question, refused);
  });
  for (const caller of [seat, referee.withToken(spectatorToken)]) {
    const timeline = await Timeline.open(caller, name);
    const now = await viewAt(caller, name);
    assert.equal(timeline.length, now.event);
    const moments = await forwards(timeline);
    assert.ok(moments.length > 50, `${moments.length}`);
    assert.ok(equals(ViewSchema, moments.at(-1)!.view, now.view), "the last moment is how the match ended");
    let at = timeline.length;
    for (const moment of moments.slice().reverse()) {
      // Without exception: each place of the slider is asked for, and is the moment that stepping came to.
      for (; at >= moment.event; at -= 1 + Math.floor(timeline.length / 60))
        assert.equal((await viewAt(caller, name, at)).event, moment.event);
      const before = await timeline.previous(moment);
      assert.equal(before?.event, moments[moments.indexOf(moment) - 1]?.event);
    }
    if (caller !== seat) continue;
    for (const view of seen) {
      const then = moments.find(({ event }) => BigInt(event) === view.eventCount);
      assert.ok(then && equals(ViewSchema, then.view, view), "the table is as the seat saw it when it was asked");
    }
    assert.ok(seen.length > 20, `${seen.length}`);
    // From a moment, events go on.
    const middle = moments[Math.floor(moments.length / 2)]!;
    for await (const told of watch(seat, name, { start: { resumeToken: middle.resumeToken } })) {
      if (told.kind !== "events") continue;
      const here = timeline.events.slice(middle.event, middle.event + told.events.length);
      assert.ok(told.events.every((event, i) => equals(EventSchema, event, here[i]!)));
      break;
    }
  }
});

test("a match under way grows, by what a stream tells and by reading on, also after a restart", async () => {
  const { match, seats } = await begin(host, "rulesets/puerto-rico", 3, [referee], 6);
  const [seat] = seats as [Referee];
  const { name } = match;
  const timeline = await Timeline.open(seat, name);
  const early = await forwards(timeline);
  const decide = anyMove(below(3));
  const stop = new AbortController();
  let questions = 0;
  const playing = playSeat(
    seat,
    name,
    async (question, refused) => {
      questions += 1;
      if (questions === 25) stop.abort();
      if (questions === 12) await server.restart();
      // Reading on and being told overlap: what is here already is passed over.
      if (questions % 6 === 0) await timeline.extend();
      return decide(question, refused);
    },
    { signal: stop.signal, observe: (told) => told.kind === "events" && timeline.add(told.events) },
  );
  await assert.rejects(playing, (thrown: unknown) => thrown === stop.signal.reason);
  await timeline.extend();
  const { event } = await viewAt(seat, name);
  assert.ok(timeline.length >= event && event > 100, `${event}`);
  const late = await forwards(timeline);
  assert.deepEqual(
    late.slice(0, early.length).map((moment) => moment.event),
    early.map((moment) => moment.event),
  );
  assert.ok(late.length > early.length + 25, `${early.length} ${late.length}`);
  await assert.rejects(
    viewAt(seat, name, timeline.length + 1),
    (error: RefereeError) =>
      error.reason === Reason.MALFORMED_REQUEST && error.fieldViolations[0]?.field === "at_event",
  );
});
