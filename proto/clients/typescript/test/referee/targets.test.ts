// Every legal move of whole matches is reached by pointing at the table, of a referee. Needs REFEREE.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Narrowing,
  completeMove,
  openDecisions,
  placeKey,
  playSeat,
  thingKey,
  thingsOf,
  valueKey,
  type Referee,
} from "../../src/index.js";
import { connect } from "../../src/node.js";
import type { Event, Offer, View } from "../../src/v1.js";
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

/** Points at whatever narrows and leaves this offer, as long as there is anything; then names its move and its arguments. */
function reach(offer: Offer, offers: readonly Offer[], view: View): { pointed: number; rest: number } {
  let narrowing = Narrowing.of(offers);
  let pointed = 0;
  for (;;) {
    const things = narrowing.targets(view).filter((target) => target.narrows && target.offers.includes(offer));
    const [best] = things.sort((a, b) => a.offers.length - b.offers.length);
    if (best === undefined) break;
    narrowing = narrowing.point(best.thing);
    assert.deepEqual(narrowing.offers, best.offers, "a target leaves what it says");
    pointed += 1;
  }
  const rest = narrowing.offers.length;
  narrowing = narrowing.choose(offer.name);
  for (const { name, value } of offer.fixed) narrowing = narrowing.fix(name, value!);
  assert.equal(narrowing.single, offer);
  return { pointed, rest };
}

/** What events changed, as the keys of things. */
function changed(events: readonly Event[]): Set<string> {
  const keys = new Set<string>();
  for (const { kind } of events) {
    if (kind.case === "counterChanged") keys.add(placeKey(kind.value.counter!));
    if (kind.case === "markerSet") keys.add(placeKey(kind.value.marker!));
    if (kind.case !== "piecesMoved") continue;
    keys.add(placeKey(kind.value.source!)).add(placeKey(kind.value.destination!));
  }
  return keys;
}

for (const [ruleset, players] of [
  ["rulesets/puerto-rico", 3],
  ["rulesets/san-juan", 3],
  ["rulesets/catan-rivals", 2],
  ["rulesets/genoa", 2],
] as const) {
  test(`${ruleset}: every offer is reached, and what is pointed at is what changes`, async () => {
    const { match, seats } = await begin(host, ruleset, players, [referee], 12);
    const [seat] = seats as [Referee];
    const { name } = match;
    const random = below(8);
    const counted = { questions: 0, offers: 0, alone: 0, aside: 0, changed: 0, slowest: 0 };
    const stop = new AbortController();
    let questions = 0;
    const playing = playSeat(
      seat,
      name,
      async ({ decision, offers }, refused) => {
        const alternative = refused?.error.refusal?.alternatives[0];
        if (alternative) return alternative;
        if ((questions += 1) > 60) stop.abort();
        stop.signal.throwIfAborted();
        const { view } = await seat.play.getView({ name });
        const all = Narrowing.of(offers);
        const began = performance.now();
        const targets = all.targets(view!);
        counted.slowest = Math.max(counted.slowest, performance.now() - began);
        const aside = new Set(all.aside(view!));
        const onTable = new Set(thingsOf(view!).map(thingKey));
        for (const { thing } of targets) if (!thing.row) assert.ok(onTable.has(thingKey(thing)), thingKey(thing));
        const tried = offers.slice(0, 40);
        // Each question counts the same, however many offers it has.
        counted.questions += 1;
        for (const offer of tried) {
          const { rest } = reach(offer, offers, view!);
          counted.offers += 1;
          // What pointing leaves alone, or is shown as a button; of the rest, names and arguments tell.
          counted.alone += Number(rest === 1 || aside.has(offer)) / tried.length;
          counted.aside += Number(aside.has(offer));
          const [first] = offer.fixed;
          if (first?.value?.kind.case === "row") assert.ok(all.canPoint(first.value), valueKey(first.value));
        }
        const offer = offers[random(offers.length)]!;
        const move = completeMove(offer);
        const { decisionId } = decision;
        const done = await seat.play.submitMove({ name, decisionId, move, withEvents: true }).catch(() => undefined);
        // Of an offer without anything open it is known what it changes: nothing but that may, up to where others move.
        if (done && offer.open.length === 0) {
          const keys = changed(done.events);
          for (const target of Narrowing.of([offer]).targets())
            if (!target.thing.row && keys.has(placeKey(target.thing.place))) counted.changed += 1;
        }
        return move;
      },
      { signal: stop.signal, targets: true },
    );
    await playing.catch((thrown: unknown) => assert.equal(thrown, stop.signal.reason));
    const all = JSON.stringify(counted);
    assert.ok(counted.offers > 80 && counted.changed > 20, all);
    assert.ok(counted.alone / counted.questions > 0.7, all);
  });
}

test("targets come only if they are asked for", async () => {
  const { match, seats } = await begin(host, "rulesets/puerto-rico", 3, [referee], 12);
  const [seat] = seats as [Referee];
  const [without] = await openDecisions(seat, match.name);
  const [withTargets] = await openDecisions(seat, match.name, { targets: true });
  assert.ok(without!.offers.every(({ targets }) => targets.length === 0));
  assert.ok(withTargets!.offers.every(({ targets }) => targets.length > 0));
});
