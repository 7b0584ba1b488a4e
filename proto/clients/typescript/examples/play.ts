// Plays one seat of a match to its end, by any legal moves. Set-up, in the folder above:
//
//   npm install && npm run build
//
// Then take a seat that somebody gave you a claim code for, or host a match of your own against two bots:
//
//   npx tsx examples/play.ts http://127.0.0.1:7435 --match matches/… --seat 1 --code rfc_…
//   npx tsx examples/play.ts http://127.0.0.1:7435 --host rfh_…

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { completeMove, playSeat, retryPolicy, type Decide } from "referee-client";
import { connect } from "referee-client/node";
import { BotKind, Conclusion } from "referee-client/v1";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    match: { type: "string", default: "" },
    seat: { type: "string", default: "1" },
    code: { type: "string", default: "" },
    host: { type: "string" },
    ruleset: { type: "string", default: "rulesets/puerto-rico" },
    "service-config": { type: "string" },
  },
});
const config = values["service-config"];
const retry = retryPolicy(config ? JSON.parse(readFileSync(config, "utf8")) : undefined);
const referee = connect(positionals[0] ?? "http://127.0.0.1:7435", { retry });

/** Creates a match with bots on all seats but the first; gives its name and the first seat's code. */
async function host(token: string): Promise<[string, string]> {
  const { matches } = referee.withToken(token);
  const { match, claimCodes } = await matches.createMatch({ ruleset: values.ruleset, configuration: { players: 3 } });
  for (const seat of [2, 3]) await matches.seatBot({ name: `${match!.name}/seats/${seat}`, bot: BotKind.RANDOM });
  return [match!.name, claimCodes[0]!.code];
}

/** Any legal move. Open parameters of a move may limit each other: a refusal names moves that are legal. */
const decide: Decide = ({ offers }, refused) => {
  // Passing seldom makes games end; any other offer is as good as the next.
  const others = offers.filter(({ name }) => name !== "pass");
  const among = others.length > 0 ? others : offers;
  return refused?.error.refusal?.alternatives[0] ?? completeMove(among[Math.floor(Math.random() * among.length)]!);
};

const [name, claimCode] = values.host ? await host(values.host) : [values.match, values.code];
const { seatToken } = await referee.matches.claimSeat({
  name: `${name}/seats/${values.seat}`,
  claimCode,
  displayName: "TypeScript",
});
if (values.host) await referee.withToken(values.host).matches.startMatch({ name });
const { closed, moves } = await playSeat(referee.withToken(seatToken), name, decide);
const ending = closed.outcome?.ending ?? Conclusion[closed.conclusion];
const scores = closed.outcome?.scores.map(({ seat, total }) => `seat ${seat}: ${total}`).join(", ") ?? "";
console.log(`${name} ended by ${ending} after ${moves} moves of mine; ${scores}`);
referee.close();
