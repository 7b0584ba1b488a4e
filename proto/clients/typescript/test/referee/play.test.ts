// Whole matches through the package, against a referee that is killed while they are played. Needs REFEREE.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Choice,
  Narrowing,
  Names,
  NameBook,
  Reason,
  Referee,
  RefereeError,
  bagState,
  bagValue,
  exportRecord,
  fillBag,
  fillSpread,
  isSuperseded,
  openDecisions,
  playSeat,
  readRecord,
  spreadState,
  spreadValue,
  watch,
  watchPublic,
  type Counts,
  type Decide,
  type OpenDecision,
  type SharePart,
  type Watched,
} from "../../src/index.js";
import { connect } from "../../src/node.js";
import { connect as connectWeb } from "../../src/web.js";
import { Conclusion, NameKind, type Match, type Move, type Offer } from "../../src/v1.js";
import { below } from "../support.js";
import { Server } from "./server.js";
import { begin, type Table, type TableAsked } from "./table.js";

let server: Server;
let referee: Referee;
let host: Referee;
const table = (...asked: TableAsked): Promise<Table> => begin(host, ...asked);
before(async () => {
  server = await Server.start();
  referee = connect(server.address);
  host = referee.withToken(server.token("host"));
});
after(async () => {
  referee.close();
  await server.stop();
});

/** Reads a stream and makes sure that nothing in it is lost or repeated. */
class Reader {
  readonly kinds = new Map<Watched["kind"], number>();
  #next: bigint | undefined;

  readonly observe = (told: Watched): void => {
    this.kinds.set(told.kind, (this.kinds.get(told.kind) ?? 0) + 1);
    if (told.kind === "snapshot") this.#next = told.view.eventCount;
    if (told.kind !== "events") return;
    for (const { number } of told.events) {
      assert.equal(number, this.#next, "events follow each other without gap and without repetition");
      this.#next = number + 1n;
    }
  };
}

/** Points at one thing after the other, by chance, until one offer is left that nothing tells from others. */
function pointed(offers: readonly Offer[], random: (n: number) => number): Offer {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const active = Narrowing.of(offers)
    .moves()
    .filter((name) => name !== "pass");
  let narrowing = Narrowing.of(offers);
  if (active.length > 0) narrowing = narrowing.choose(pick(active));
  for (let choosable; (choosable = narrowing.choosable()).length > 0; ) {
    const { parameter, value, left } = pick(choosable);
    narrowing = narrowing.fix(parameter, value);
    assert.equal(narrowing.offers.length, left);
  }
  return narrowing.single ?? pick(narrowing.offers);
}

/** Decides by pointing and choosing. */
const byPointing =
  (random: (n: number) => number): Decide =>
  ({ offers }, refused) => {
    const alternative = refused?.error.refusal?.alternatives[0];
    if (alternative) return alternative;
    const choice = Choice.of(pointed(offers, random)).filled();
    assert.ok(choice.ready, JSON.stringify([...choice.chosen.keys()].map((name) => [name, choice.verdict(name)])));
    return choice.move();
  };

for (const [ruleset, players] of [
  ["rulesets/san-juan", 3],
  ["rulesets/genoa", 2],
  ["rulesets/puerto-rico", 3],
] as const) {
  test(`two seats play ${ruleset} to its end, one by gRPC and one by gRPC-Web, with a referee that is killed twice`, async () => {
    const random = below(players);
    const web = connectWeb(server.address);
    const { match, seats } = await table(ruleset, players, [referee, web]);
    const deaths = server.deaths;
    const readers = [new Reader(), new Reader(), new Reader()];
    const restarts: Promise<void>[] = [];
    let asked = 0;
    const decide = byPointing(random);
    const killing: Decide = (question, refused) => {
      asked += 1;
      // While answers and streams are under way; the second time it stays away for a while.
      if (asked === 12 || asked === 30) restarts.push(server.restart(asked === 30 ? 1500 : 0));
      return decide(question, refused);
    };
    const { spectatorToken } = await host.matches.inviteSpectator({ name: match.name });
    const spectating = (async () => {
      for await (const told of watchPublic(referee.withToken(spectatorToken), match.name)) readers[2]!.observe(told);
    })();
    const played = await Promise.all(
      seats.map((seat, i) => playSeat(seat, match.name, killing, { observe: readers[i]!.observe })),
    );
    await Promise.all([...restarts, spectating]);
    assert.equal(server.deaths - deaths, 2);
    const { match: over } = await host.matches.getMatch({ name: match.name });
    assert.equal(over?.conclusion, Conclusion.RULES);
    for (const { closed, moves } of played) {
      assert.equal(closed.outcome?.ending, over?.outcome?.ending);
      assert.ok(moves > 10, `${moves}`);
    }
    for (const { kinds } of readers) {
      assert.ok((kinds.get("interrupted") ?? 0) >= 1, "a stream was interrupted");
      assert.deepEqual([kinds.get("snapshot"), kinds.get("reset"), kinds.get("closed")], [1, undefined, 1]);
    }
    // Moves that were made although their answers were lost are not counted, and no move was made twice.
    const record = await readRecord(exportRecord(host, match.name));
    const mine = record.events.filter(({ kind }) => kind.case === "moveMade" && kind.value.origin === 1).length;
    assert.ok(mine >= played.reduce((sum, { moves }) => sum + moves, 0));
    assert.equal(record.header.match, match.name.replace("matches/", ""));
    assert.equal(record.events.at(-1)?.kind.case, "matchOver");
    assert.deepEqual(record.names.map(({ name }) => name).sort(), ["Seat 1", "Seat 2"]);
    await namesAreThere(
      match,
      record.events.map((event) => event),
    );
  });
}

/** Every event can be told in words, and names are those of the glossary. */
async function namesAreThere(match: Match, events: readonly Parameters<Names["event"]>[0][]): Promise<void> {
  const book = new NameBook(referee);
  const [names, pl] = [await book.of(match), await book.of(match, { language: "pl" })];
  const { view } = await host.spectators.getPublicView({ name: match.name, includeNames: true });
  let translated = 0;
  for (const { kind, within, id, text } of view!.glossary!.entries) {
    if (kind === NameKind.CLAUSE) assert.equal(names.clause(id), text?.byLanguage["en"]);
    else assert.equal(names.of(kind, id, within), text?.byLanguage["en"], `${NameKind[kind]} ${within} ${id}`);
    translated += Number(pl.of(kind, id, within) !== names.of(kind, id, within));
  }
  assert.ok(translated > 20, "Polish is another language");
  const said = events.map((event) => names.event(event));
  assert.ok(said.every((words) => words.length > 1 && !words.includes("undefined") && !words.includes("[object")));
  assert.ok(new Set(said).size > 100);
}

/** Asks the referee whether a move would be accepted. */
async function legal(seat: Referee, name: string, { decision }: OpenDecision, move: Move): Promise<boolean> {
  return seat.play.checkMove({ name, decisionId: decision.decisionId, move }).then(
    () => true,
    (error: RefereeError) => {
      assert.ok(error.reason === Reason.MOVE_REFUSED || error.reason === Reason.MALFORMED_REQUEST, error.message);
      return false;
    },
  );
}

test("what the choosers say of bags and spreads, the referee says, too", async () => {
  const random = below(3);
  const counted = { bag: [0, 0], spread: [0, 0] };
  // Bots play by chance: where they left few spreads to judge, another match is played.
  const enough = (): boolean => [...counted.bag, ...counted.spread].every((n) => n >= 5);
  const puertoRico = "rulesets/puerto-rico";
  for (const ruleset of ["rulesets/san-juan", puertoRico, puertoRico, puertoRico, puertoRico]) {
    if (enough()) break;
    const { match, seats } = await table(ruleset, 2, [referee], 11);
    const [seat] = seats as [Referee];
    let judged = 0;
    await playSeat(seat, match.name, async (question, refused) => {
      for (const offer of question.offers.slice(0, 8)) {
        const [open] = offer.open;
        if (judged > 250 || open === undefined || offer.open.length > 1 || open.depends) continue;
        const { domain, name } = open;
        for (let tries = 0; tries < 4; tries += 1) {
          let verdict: boolean;
          let value;
          if (domain.case === "bag") {
            let counts: Counts = Object.fromEntries(
              domain.value.available.map(({ row, count }) => [row, random(count + 2)]),
            );
            if (tries === 0) counts = fillBag(domain.value);
            verdict = bagState(domain.value, counts).complete;
            value = bagValue(domain.value, counts);
          } else if (domain.case === "spread") {
            let shares: readonly SharePart[] = domain.value.rooms.flatMap(({ place, room }) =>
              domain.value.pieces.map(({ row, count }) => ({
                place: place!,
                row: row!,
                count: random(Math.min(room, count) + 1),
              })),
            );
            if (tries === 0) shares = fillSpread(domain.value);
            verdict = spreadState(domain.value, shares).complete;
            value = spreadValue(shares);
          } else continue;
          judged += 1;
          counted[domain.case][Number(verdict)]! += 1;
          const move = Choice.of(offer).set(name, value).move();
          assert.equal(
            await legal(seat, match.name, question, move),
            verdict,
            `${ruleset} ${JSON.stringify({ offer, move }, (_, v) => (typeof v === "bigint" ? `${v}` : v))}`,
          );
        }
      }
      return byPointing(random)(question, refused);
    });
  }
  // Of both kinds, and both verdicts, or it says little.
  assert.ok(enough(), JSON.stringify(counted));
});

test("refusals, superseded decisions and repetitions are what they are called", async () => {
  const { match, seats } = await table("rulesets/puerto-rico", 3, [referee, referee]);
  const [seat, other] = seats.map((one) => one.inLanguage("pl")) as [Referee, Referee];
  const { name } = match;
  let question: OpenDecision | undefined;
  while ((question = (await openDecisions(seat, name))[0]) === undefined)
    await new Promise((done) => setTimeout(done, 50));
  const asked = question;
  const { decisionId } = asked.decision;
  const thrown = (call: Promise<unknown>): Promise<RefereeError> =>
    call.then(
      () => assert.fail("it was accepted"),
      (error: unknown) => error as RefereeError,
    );

  const unknown = await thrown(seat.play.submitMove({ name, decisionId, move: { name: "fly" } }));
  assert.equal(unknown.reason, Reason.MALFORMED_REQUEST);
  assert.match(unknown.fieldViolations[0]!.field, /^move/);
  const move = Choice.of(asked.offers[0]!).filled().move();
  const made = { name, decisionId, move, withEvents: true, requestId: crypto.randomUUID() };
  const first = await seat.play.submitMove(made);
  assert.equal(first.replayed, false);
  // It is on disk: a referee that is killed after it answered answers the same.
  await server.restart();
  const again = await seat.play.submitMove(made);
  assert.equal(again.replayed, true);
  assert.ok(first.events.length > 0);
  assert.deepEqual(again.events, first.events);
  const old = await thrown(seat.play.submitMove({ name, decisionId, move }));
  assert.ok(isSuperseded(old), old.message);
  assert.ok("decision_id" in old.metadata);
  const reused = await thrown(seat.play.submitMove({ ...made, move: { name: "fly" } }));
  assert.equal(reused.reason, Reason.REQUEST_ID_REUSED);

  // The first seat took a card that the second one wants, too: what the rules forbid has legal moves nearby, and a sentence
  // in
  // the caller's language.
  const done = new AbortController();
  let refused: RefereeError | undefined;
  const firstLegal: Decide = ({ offers }, before) =>
    before?.error.refusal?.alternatives[0] ?? Choice.of(offers[0]!).filled().move();
  const envious: Decide = (question, before) => {
    refused ??= before?.error;
    if (refused) done.abort();
    return question.decision.step === asked.decision.step && !before ? move : firstLegal(question, before);
  };
  const playing = [
    playSeat(seat, name, firstLegal, { signal: done.signal }),
    playSeat(other, name, envious, { signal: done.signal }),
  ];
  for (const result of await Promise.allSettled(playing))
    assert.ok(result.status === "rejected" && result.reason === done.signal.reason);
  assert.equal(refused?.reason, Reason.MOVE_REFUSED);
  assert.ok(refused.refusal!.alternatives.length > 0);
  assert.ok(refused.refusal!.condition !== "" || refused.refusal!.clause !== undefined);
  assert.deepEqual([refused.locale, refused.text === refused.cause.rawMessage], ["pl", false]);
  await host.matches.cancelMatch({ name });
  const over = await thrown(seat.play.submitMove({ name, decisionId, move }));
  assert.equal(over.reason, Reason.MATCH_OVER);
  assert.equal((await thrown(referee.withToken("rfs_nobody").play.getView({ name }))).reason, Reason.TOKEN_INVALID);
  assert.equal((await thrown(host.play.getView({ name }))).reason, Reason.TOKEN_KIND_WRONG);
  assert.equal((await thrown(seat.play.getView({ name: `matches/${"0".repeat(32)}` }))).reason, Reason.NOT_FOUND);
});

test("a stream goes on from a token in another program, and from the table when the token is none", async () => {
  const { match, seats } = await table("rulesets/san-juan", 2, [referee]);
  const [seat] = seats as [Referee];
  const { events } = await seat.play.listEvents({ name: match.name, pageSize: 1000 });
  assert.ok(events.length > 10, `${events.length}`);
  let resumeToken = "";
  let next = 0n;
  for await (const told of watch(seat, match.name, { start: "beginning", maxBatch: 3 })) {
    if (told.kind !== "events") continue;
    assert.equal(told.events[0]!.number, next);
    next += BigInt(told.events.length);
    resumeToken = told.resumeToken;
    if (next * 2n >= events.length) break;
  }
  await server.restart();
  for await (const told of watch(seat, match.name, { start: { resumeToken } })) {
    if (told.kind !== "events") continue;
    assert.equal(told.events[0]!.number, next);
    break;
  }
  const told: string[] = [];
  for await (const { kind } of watch(seat, match.name, { start: { resumeToken: "rt_none" } })) {
    told.push(kind);
    if (kind === "snapshot") break;
  }
  assert.deepEqual(told, ["reset", "snapshot"]);
  // Another seat's token opens nothing here, and that is told.
  await assert.rejects(
    async () => {
      for await (const _ of watch(referee.withToken("rfs_nobody"), match.name)) assert.fail("it is told something");
    },
    (error: RefereeError) => error.reason === Reason.TOKEN_INVALID,
  );
});

test("a stream may begin in the lobby, and ends when its match is cancelled", async () => {
  const { match, claimCodes } = await host.matches.createMatch({
    ruleset: "rulesets/san-juan",
    configuration: { players: 2 },
  });
  const { seatToken } = await referee.matches.claimSeat({
    name: claimCodes[0]!.name,
    claimCode: claimCodes[0]!.code,
    displayName: "Ada",
  });
  const ended = playSeat(referee.withToken(seatToken), match!.name, () => assert.fail("nothing is asked in the lobby"));
  await host.matches.cancelMatch({ name: match!.name });
  const { closed, moves } = await ended;
  assert.deepEqual([closed.conclusion, moves], [Conclusion.CANCELLED, 0]);
});

test("a wrong address is told after a few tries", async () => {
  const nobody = connect("http://127.0.0.1:9");
  await assert.rejects(nobody.info(), (error: RefereeError) => /ECONNREFUSED/.test(error.message));
  nobody.close();
});
