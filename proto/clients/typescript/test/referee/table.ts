// A match to test with.
//
// In: a host. Out: a started match whose first seats are claimed and whose others are played by bots.

import type { Referee } from "../../src/index.js";
import { BotKind, type Match } from "../../src/v1.js";

export interface Table {
  readonly match: Match;
  /** The referee with the token of each seat that is played by hand, from seat 1. */
  readonly seats: readonly Referee[];
}

/** What is played, by how many, on which connections the first seats are claimed, and the seed of its chance. */
export type TableAsked = [ruleset: string, players: number, connections: readonly Referee[], seed?: number];

/** Begins a match: the first seats are claimed, on each of these connections one, the others are played by bots. */
export async function begin(host: Referee, ...[ruleset, players, connections, seed = 7]: TableAsked): Promise<Table> {
  const { match, claimCodes } = await host.matches.createMatch({
    ruleset,
    configuration: { players },
    testSeed: new Uint8Array(32).fill(seed),
  });
  const seats: Referee[] = [];
  for (const { name, seat, code } of claimCodes) {
    const connection = connections[seat - 1];
    if (connection === undefined) await host.matches.seatBot({ name, bot: BotKind.RANDOM });
    else {
      const claimed = await connection.matches.claimSeat({ name, claimCode: code, displayName: `Seat ${seat}` });
      seats.push(connection.withToken(claimed.seatToken));
    }
  }
  const started = await host.matches.startMatch({ name: match!.name });
  return { match: started.match!, seats };
}
