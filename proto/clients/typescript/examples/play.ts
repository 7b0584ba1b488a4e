// Plays one seat of a match to its end, by any legal moves. Set-up, in the folder above:
//
//   npm install && npm run build
//
// Then take a seat that somebody gave you a claim code for, or host a match of your own against two bots:
//
//   npx tsx examples/play.ts http://127.0.0.1:7435 --match matches/… --seat 1 --code rfc_…
//   npx tsx examples/play.ts http://127.0.0.1:7435 --host rfh_…

import { completeMove, playSeat, type Decide } from "referee-client";
import { Conclusion } from "referee-client/v1";
import { takeSeat } from "./seat.js";

/** Any legal move. Open parameters of a move may limit each other: a refusal names moves that are legal. */
const decide: Decide = ({ offers }, refused) => {
  // Passing seldom makes games end; any other offer is as good as the next.
  const others = offers.filter(({ name }) => name !== "pass");
  const among = others.length > 0 ? others : offers;
  return refused?.error.refusal?.alternatives[0] ?? completeMove(among[Math.floor(Math.random() * among.length)]!);
};

const { referee, name } = await takeSeat("TypeScript");
const { closed, moves } = await playSeat(referee, name, decide);
const ending = closed.outcome?.ending ?? Conclusion[closed.conclusion];
const scores = closed.outcome?.scores.map(({ seat, total }) => `seat ${seat}: ${total}`).join(", ") ?? "";
console.log(`${name} ended by ${ending} after ${moves} moves of mine; ${scores}`);
referee.close();
