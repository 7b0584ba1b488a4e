// A seat, as the examples' flags say.
//
// In: an address; a match with a seat and its claim code, or a host's token to create a match against two bots. Out: the seat,
// claimed, in a match that is started if it is one's own.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { retryPolicy, type Referee } from "referee-client";
import { connect } from "referee-client/node";
import { BotKind } from "referee-client/v1";

/** A claimed seat: the referee with its token, the match's name, and the player's language. */
export interface TakenSeat {
  readonly referee: Referee;
  readonly name: string;
  readonly language: string;
}

/** Takes the seat that the command line names, for a player who is called so. */
export async function takeSeat(displayName: string): Promise<TakenSeat> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      match: { type: "string", default: "" },
      seat: { type: "string", default: "1" },
      code: { type: "string", default: "" },
      host: { type: "string" },
      ruleset: { type: "string", default: "rulesets/puerto-rico" },
      language: { type: "string", default: "en" },
      "service-config": { type: "string" },
    },
  });
  const config = values["service-config"];
  const retry = retryPolicy(config ? JSON.parse(readFileSync(config, "utf8")) : undefined);
  const { language } = values;
  const referee = connect(positionals[0] ?? "http://127.0.0.1:7435", { retry, language });
  let [name, claimCode] = [values.match, values.code];
  const host = values.host ? referee.withToken(values.host) : undefined;
  if (host) {
    const configuration = { players: 3 };
    const { match, claimCodes } = await host.matches.createMatch({ ruleset: values.ruleset, configuration });
    [name, claimCode] = [match!.name, claimCodes[0]!.code];
    for (const seat of [2, 3]) await host.matches.seatBot({ name: `${name}/seats/${seat}`, bot: BotKind.RANDOM });
  }
  const { seatToken } = await referee.matches.claimSeat({
    name: `${name}/seats/${values.seat}`,
    claimCode,
    displayName,
  });
  await host?.matches.startMatch({ name });
  return { referee: referee.withToken(seatToken), name, language };
}
