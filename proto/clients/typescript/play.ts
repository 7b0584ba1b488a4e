// Plays one seat of a match to its end, by any legal moves. Set-up, in this folder:
//
//   npm install
//   npx buf generate ../..
//
// Then take a seat that somebody gave you a claim code for, or host a match of your own against two bots:
//
//   npx tsx play.ts http://127.0.0.1:7435 --match matches/… --seat 1 --code rfc_…
//   npx tsx play.ts http://127.0.0.1:7435 --host rfh_…

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type CallOptions, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { MoveSchema, ValueSchema, type Move, type Value } from "./gen/referee/v1/common_pb.js";
import type { AmountDomain, BagDomain, Offer, OpenParameter, SpreadDomain } from "./gen/referee/v1/decision_pb.js";
import { RefusalSchema } from "./gen/referee/v1/error_pb.js";
import { MatchService } from "./gen/referee/v1/match_service_pb.js";
import { PlayService, type MatchClosed } from "./gen/referee/v1/play_service_pb.js";
import { BotKind, Conclusion } from "./gen/referee/v1/table_event_pb.js";

const bearer = (token: string): CallOptions => ({
  headers: { authorization: `Bearer ${token}`, "accept-language": "en" },
});
const serviceConfig = new URL("../../service_config.json", import.meta.url);
/** Whether the referee could not be reached: what it says itself has details, a connection that breaks has none. */
const isAway = (failure: ConnectError) =>
  failure.code === Code.Unavailable ||
  (failure.details.length === 0 && [Code.Aborted, Code.Canceled, Code.Internal, Code.Unknown].includes(failure.code));
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** As many pieces as may be: the fullest kinds whole, then single pieces. */
function chooseBag(domain: BagDomain): Value {
  let left = domain.most;
  let kinds = domain.kinds ?? Infinity;
  let whole = domain.loose?.kinds ?? Infinity;
  let loose = domain.loose?.pieces ?? 0;
  const counts = [];
  for (const row of [...domain.available].sort((a, b) => b.count - a.count)) {
    let count = Math.min(row.count, left);
    if (whole > 0) whole -= 1;
    else {
      count = Math.min(count, loose);
      loose -= count;
    }
    if (count > 0 && kinds > 0) {
      kinds -= 1;
      left -= count;
      counts.push({ row: row.row, count });
    }
  }
  return create(ValueSchema, { kind: { case: "bag", value: { table: domain.table, counts } } });
}

/** Every piece where there is room; what does not fit goes to the overflow by itself. */
function chooseSpread(domain: SpreadDomain): Value {
  const free = domain.rooms.map((room) => room.room);
  const shares = [];
  for (const pieces of domain.pieces) {
    let left = pieces.count;
    for (const [i, room] of domain.rooms.entries()) {
      const count = Math.min(left, free[i]);
      if (count > 0) {
        free[i] -= count;
        left -= count;
        shares.push({ place: room.place, row: pieces.row, count });
      }
    }
  }
  return create(ValueSchema, { kind: { case: "spread", value: { shares } } });
}

/** One step above the least: an offer of nothing at all is often refused. */
function chooseAmount({ least, most, step }: AmountDomain): Value {
  const more = least + step;
  return create(ValueSchema, { kind: { case: "integer", value: more <= most ? more : least } });
}

/** A value within a parameter's domain. */
function choose({ name, domain }: OpenParameter): Value {
  switch (domain.case) {
    case "bag":
      return chooseBag(domain.value);
    case "spread":
      return chooseSpread(domain.value);
    case "amount":
      return chooseAmount(domain.value);
    case "values":
      return domain.value.values[0];
    default:
      throw new Error(`the parameter ${name} is open in a way that this client does not know`);
  }
}

/** A complete move: the fixed arguments of an offer, and a choice for each open parameter. */
function complete(offer: Offer): Move {
  const open = offer.open.map((parameter) => ({ name: parameter.name, value: choose(parameter) }));
  return create(MoveSchema, { name: offer.name, arguments: [...offer.fixed, ...open] });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    match: { type: "string", default: "" },
    seat: { type: "string", default: "1" },
    code: { type: "string", default: "" },
    host: { type: "string" },
    ruleset: { type: "string", default: "rulesets/puerto-rico" },
    "service-config": { type: "string", default: "" },
  },
});
const { methodConfig } = JSON.parse(readFileSync(values["service-config"] || serviceConfig, "utf8"));
const { maxAttempts, initialBackoff, maxBackoff, backoffMultiplier } = methodConfig[0].retryPolicy;

/** Repeats what could not reach the referee, as the service config says: by its request id it is done once. */
const retrying: Interceptor = (next) => async (request) => {
  let seconds = parseFloat(initialBackoff);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next(request);
    } catch (error) {
      if (!isAway(ConnectError.from(error)) || request.stream || attempt >= maxAttempts) throw error;
      await pause(1000 * seconds * Math.random());
      seconds = Math.min(seconds * backoffMultiplier, parseFloat(maxBackoff));
    }
  }
};
const baseUrl = positionals[0] ?? "http://127.0.0.1:7435";
const transport = createGrpcTransport({ baseUrl, interceptors: [retrying] });
const matches = createClient(MatchService, transport);
const play = createClient(PlayService, transport);

/** Creates a match with bots on all seats but the first; gives its name and the first seat's code. */
async function host(token: string, ruleset: string): Promise<[string, string]> {
  const created = await matches.createMatch(
    { ruleset, configuration: { players: 3 }, requestId: randomUUID() },
    bearer(token),
  );
  const name = created.match!.name;
  for (const seat of [2, 3]) {
    await matches.seatBot({ name: `${name}/seats/${seat}`, bot: BotKind.RANDOM, requestId: randomUUID() }, bearer(token));
  }
  return [name, created.claimCodes[0].code];
}

/** Answers until nothing more is asked; gives how many moves that took. */
async function answer(name: string, seat: CallOptions): Promise<number> {
  for (let made = 0; ; ) {
    const { decisions } = await play.listDecisions({ name, pageSize: 1000 }, seat);
    if (decisions.length === 0) return made;
    const { decisionId, offers } = decisions[0];
    // Passing seldom makes games end; any other offer is as good as the next.
    const others = offers.filter((offer) => offer.name !== "pass");
    const among = others.length > 0 ? others : offers;
    const move = complete(among[Math.floor(Math.random() * among.length)]);
    const submit = { name, decisionId, move, requestId: randomUUID() };
    for (;;) {
      try {
        await play.submitMove(submit, seat);
        made += 1;
        break;
      } catch (error) {
        const failure = ConnectError.from(error);
        const [legal] = failure.findDetails(RefusalSchema).flatMap((refusal) => refusal.alternatives);
        if (failure.code === Code.Aborted) break; // the question has changed: look again
        // Open parameters of a move may limit each other: the refusal names moves that are legal.
        else if (legal !== undefined) Object.assign(submit, { move: legal, requestId: randomUUID() });
        else if (failure.code === Code.FailedPrecondition) break; // the match is over
        else throw error;
      }
    }
  }
}

/** Plays a seat until the match is over; gives how it ended and how many moves were made. */
async function playOut(name: string, seat: CallOptions): Promise<[MatchClosed, number]> {
  let resumeToken = "";
  let made = 0;
  for (;;) {
    try {
      const start = resumeToken
        ? { case: "resumeToken" as const, value: resumeToken }
        : { case: "fromNow" as const, value: {} };
      for await (const message of play.watchMatch({ name, start }, seat)) {
        resumeToken = message.resumeToken;
        if (message.item.case === "closed") return [message.item.value, made];
        if (message.asked?.questions.length) made += await answer(name, seat);
      }
    } catch (error) {
      const failure = ConnectError.from(error);
      if (!isAway(failure) && failure.code !== Code.ResourceExhausted) throw error;
      await pause(500); // the stream goes on where it stopped
    }
  }
}

const [name, claimCode] = values.host ? await host(values.host, values.ruleset) : [values.match, values.code];
const seat = `${name}/seats/${values.seat}`;
const claim = { name: seat, claimCode, displayName: "TypeScript", requestId: randomUUID() };
const { seatToken } = await matches.claimSeat(claim);
if (values.host) await matches.startMatch({ name, requestId: randomUUID() }, bearer(values.host));
const [closed, made] = await playOut(name, bearer(seatToken));
const ending = closed.outcome?.ending ?? Conclusion[closed.conclusion];
const scores = closed.outcome?.scores.map((sheet) => `seat ${sheet.seat}: ${sheet.total}`).join(", ") ?? "";
console.log(`${name} ended by ${ending} after ${made} moves of mine; ${scores}`);
process.exit(0);
