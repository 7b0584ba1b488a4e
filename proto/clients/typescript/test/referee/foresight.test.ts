// What is asked before a move, of a referee. Needs REFEREE.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { toJsonString } from "@bufbuild/protobuf";
import {
  Choice,
  RefereeError,
  isRefused,
  isSuperseded,
  playSeat,
  preview,
  refusals,
  valueKey,
  type OpenDecision,
  type Referee,
} from "../../src/index.js";
import { connect } from "../../src/node.js";
import { EventSchema, ViewSchema, type Argument, type Event, type Move, type RefusedMove } from "../../src/v1.js";
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

/** What an event tells, whatever its number, when it was, and what brought it: a preview says nothing of these. */
const unnumbered = ({ kind, ...event }: Event): string =>
  toJsonString(EventSchema, {
    ...event,
    kind: kind.case === "moveMade" ? { case: kind.case, value: { ...kind.value, time: undefined } } : kind,
    number: 0n,
    moveNumber: 0n,
    rule: "",
    clause: "",
  } as Event);
const fixedKey = (fixed: readonly Argument[]): string =>
  fixed.map(({ name, value }) => `${name}=${value && valueKey(value)}`).join("; ");

test("what a preview tells for certain happens, and what it leaves out is no more than unknown", async () => {
  const random = below(5);
  const { match, seats } = await begin(host, "rulesets/puerto-rico", 2, [referee, referee], 8);
  const { name } = match;
  const counted = { complete: 0, events: 0, refused: 0, superseded: 0 };
  let [made, old]: [number, OpenDecision | undefined] = [0, undefined];
  const stop = new AbortController();
  /** Moves are made here, so that what they bring can be compared; what is decided then is what is asked next. */
  const compare = async (seat: Referee, question: OpenDecision): Promise<Move> => {
    const move = Choice.of(question.offers[random(question.offers.length)]!).filled().move();
    if (made >= 40) stop.abort();
    stop.signal.throwIfAborted();
    const foreseen = await preview(seat, name, question, move).catch((error: unknown) => {
      // Open parameters that depend on each other.
      assert.ok(
        isRefused(error) && error instanceof RefereeError && error.refusal!.alternatives.length > 0,
        `${error}`,
      );
      counted.refused += 1;
      return undefined;
    });
    if (foreseen === undefined) return Choice.of(question.offers[0]!).filled().move();
    assert.ok(foreseen.view !== undefined && foreseen.tables > 0);
    if (old) {
      await assert.rejects(preview(seat, name, old, move), isSuperseded);
      counted.superseded += 1;
    }
    const { decisionId } = question.decision;
    const { events, view } = await seat.play.submitMove({ name, decisionId, move, withEvents: true, withView: true });
    [made, old] = [made + 1, question];
    if (!foreseen.complete) return move;
    assert.deepEqual(foreseen.events.map(unnumbered), events.map(unnumbered));
    counted.complete += 1;
    counted.events += events.length;
    if (foreseen.certainty === "certain") {
      const [before, now] = [foreseen.view, view!].map((one) => toJsonString(ViewSchema, { ...one, eventCount: 0n }));
      assert.equal(before, now);
    }
    return move;
  };
  const playing = seats.map((seat) =>
    playSeat(seat, name, (question) => compare(seat, question), { signal: stop.signal, refusals: 0 }).catch(
      // Nobody waits for a seat that has failed.
      (thrown: unknown) => (stop.abort(thrown), Promise.reject(thrown)),
    ),
  );
  const results = await Promise.allSettled(playing);
  assert.equal(stop.signal.reason?.name, "AbortError", `${stop.signal.reason?.stack}`);
  for (const result of results)
    assert.ok(
      result.status === "rejected" && result.reason === stop.signal.reason,
      `${result.status === "rejected" && result.reason.stack}`,
    );
  assert.ok(counted.complete > 15 && counted.events > 50 && counted.superseded > 15, JSON.stringify(counted));
});

test("reasons are those of moves that are not offered, all of them, in pages of any size", async () => {
  const { match, seats } = await begin(host, "rulesets/puerto-rico", 3, [referee], 3);
  const [seat] = seats as [Referee];
  const { name } = match;
  const random = below(2);
  let [told, narrowed, questions] = [0, 0, 0];
  const stop = new AbortController();
  const playing = playSeat(
    seat,
    name,
    async (question) => {
      const { offers } = question;
      questions += 1;
      if (questions > 40) stop.abort();
      if (questions === 1) {
        await assert.rejects(async () => {
          for await (const _ of refusals(seat, name, question, "fly")) assert.fail("it is told something");
        }, /move_name|fly/);
      }
      for (const move of new Set(offers.map((offer) => offer.name))) {
        const offered = new Set(offers.filter((offer) => offer.name === move).map(({ fixed }) => fixedKey(fixed)));
        const whole: RefusedMove[] = [];
        for await (const refused of refusals(seat, name, question, move)) {
          assert.ok(!offered.has(fixedKey(refused.fixed)), "what is offered is not refused");
          whole.push(refused);
        }
        told += whole.length;
        const keys = whole.map(({ fixed }) => fixedKey(fixed));
        assert.equal(new Set(keys).size, keys.length, "each once");
        if (questions % 5 === 1) {
          const small: string[] = [];
          for await (const { fixed } of refusals(seat, name, question, move, { pageSize: 3 }))
            small.push(fixedKey(fixed));
          assert.deepEqual(small, keys);
        }
        const argument = whole[0]?.fixed[0];
        if (argument === undefined) continue;
        const fixed = { [argument.name]: argument.value! };
        const some: string[] = [];
        for await (const one of refusals(seat, name, question, move, { fixed })) some.push(fixedKey(one.fixed));
        assert.deepEqual(
          some,
          keys.filter((key) => key.split("; ").includes(fixedKey([argument]))),
        );
        narrowed += some.length;
      }
      return Choice.of(offers[random(offers.length)]!).filled().move();
    },
    { signal: stop.signal },
  );
  await assert.rejects(playing, (thrown: unknown) => thrown === stop.signal.reason);
  assert.ok(told > 100 && narrowed > 20, `${told} ${narrowed}`);
});
