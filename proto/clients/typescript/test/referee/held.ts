// A client that is held at each question, for ../../../restarts.py, whose description says what it says and reads:
//
//   npx tsx test/referee/held.ts http://127.0.0.1:7435 matches/…/seats/1 rfc_… [--deaf]

import { createInterface } from "node:readline";
import { RefereeError, completeMove, isSuperseded, openDecisions, requestId, watch } from "../../src/index.js";
import { connect } from "../../src/node.js";
import type { Move } from "../../src/v1.js";

const [address, seat, claimCode, ...flags] = process.argv.slice(2);
// The fault that must be noticed: what the first message of a new connection asks is ignored.
const deaf = flags.includes("--deaf");
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const anyone = connect(address!);
const { seatToken } = await anyone.matches.claimSeat({ name: seat!, claimCode: claimCode!, displayName: "Held" });
const referee = anyone.withToken(seatToken);
const name = seat!.split("/seats/")[0]!;

let connection = 1;
let message = -1;
for await (const told of watch(referee, name)) {
  if (told.kind === "interrupted" || told.kind === "reset") {
    connection += 1;
    message = -1;
    continue;
  }
  message += 1;
  const asked = deaf && connection > 1 && message === 0 ? [] : (told.asked ?? []);
  // As long as anything waits: a move that leaves its question open changes nothing that the stream would tell.
  for (let alternative: Move | undefined, waits = asked.length > 0; waits;) {
    const [question] = await openDecisions(referee, name);
    if (question === undefined) break;
    const { decisionId } = question.decision;
    const named = asked.some((one) => one.decisionId === decisionId);
    console.log(`asked ${decisionId} ${connection} ${message} ${Number(named)}`);
    waits = (await lines.next()).value === "answer";
    if (!waits) break;
    const { offers } = question;
    const move = alternative ?? completeMove(offers[Math.floor(Math.random() * offers.length)]!);
    alternative = undefined;
    const submit = { name, decisionId, move, requestId: requestId() };
    try {
      const { movesMade } = await referee.play.submitMove(submit);
      const { replayed } = await referee.play.submitMove(submit);
      console.log(`answered ${decisionId} ${movesMade} ${Number(replayed)}`);
    } catch (thrown) {
      // Open parameters of a move may limit each other: a refusal names moves that are legal.
      if (!(thrown instanceof RefereeError) || (!thrown.refusal && !isSuperseded(thrown))) throw thrown;
      alternative = thrown.refusal?.alternatives[0];
    }
  }
}
input.close();
referee.close();
