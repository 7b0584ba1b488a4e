// Plays one seat of a match by hand, at the terminal: what happens is told in words, a question is narrowed by pointing at
// numbers of a list, and what is open is chosen within its limits. Set-up and flags as in play.ts, and `--language pl`:
//
//   npx tsx examples/by-hand.ts http://127.0.0.1:7435 --host rfh_… --language pl

import { createInterface } from "node:readline";
import {
  Choice,
  NameBook,
  Narrowing,
  bag,
  bagState,
  integer,
  playSeat,
  type Counts,
  type Decide,
} from "referee-client";
import { NameKind, type OpenParameter } from "referee-client/v1";
import { takeSeat } from "./seat.js";

const { referee, name, language } = await takeSeat("by hand");
const { match } = await referee.matches.getMatch({ name });
const player = (seat: number): string => match!.seats[seat - 1]?.displayName || `bot ${seat}`;
const names = await new NameBook(referee).of(match!, { language, player });

const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const enough = new AbortController();

/** What is typed; playing ends with the input. */
async function ask(prompt: string): Promise<string> {
  process.stdout.write(`${prompt} > `);
  const { done, value } = await lines.next();
  if (done === true) enough.abort(new Error("the input ended: the seat waits"));
  enough.signal.throwIfAborted();
  return String(value).trim();
}

/** One of a list, by its number; `undefined` if anything else is typed, which takes the last step back. */
async function pick<T>(title: string, all: readonly T[], inWords: (one: T) => string): Promise<T | undefined> {
  console.log(all.map((one, i) => `  ${i + 1}  ${inWords(one)}`).join("\n"));
  return all[Number(await ask(title)) - 1];
}

/** What is open, chosen at the terminal: counts such as `2 1 0`, a number, one of a list. An empty line takes what there is. */
async function open(choice: Choice, { name: parameter, domain }: OpenParameter): Promise<Choice> {
  const called = names.of(NameKind.PARAMETER, parameter);
  if (domain.case === "amount") {
    const typed = await ask(`${called} (${domain.value.least}–${domain.value.most})`);
    return /^-?\d+$/.test(typed) ? choice.set(parameter, integer(BigInt(typed))) : choice;
  }
  if (domain.case === "bag") {
    const { table, available, least, most } = domain.value;
    const rows = available.map(({ row, count }) => `${names.row({ table, row })} 0–${count}`).join(", ");
    const typed = (await ask(`${called}, ${least}–${most}: ${rows}`)).split(/\s+/).map(Number);
    const counts: Counts = Object.fromEntries(available.map(({ row }, i) => [row, typed[i] ?? 0]));
    const { problems } = bagState(domain.value, counts);
    if (problems.length === 0) return choice.set(parameter, bag(table, counts));
    console.log(`  not within the limits: ${problems.map(({ limit }) => limit).join(", ")}; as much as fits is taken`);
  }
  if (domain.case === "values") {
    const one = await pick(called, domain.value.values, (value) => names.value(value));
    return one ? choice.set(parameter, one) : choice;
  }
  return choice;
}

const decide: Decide = async ({ decision, offers }, refused) => {
  if (refused) console.log(`! ${refused.error.text}`);
  console.log(`\n${names.phase(decision.step)}: ${names.clause(decision.clause) ?? ""}`);
  let narrowing = Narrowing.of(offers);
  while (narrowing.single === undefined) {
    const moves = narrowing.moves();
    const inWords = (move: string): string => names.of(NameKind.MOVE, move, decision.step);
    if (moves.length > 1) {
      const move = await pick("?", moves, inWords);
      narrowing = move ? narrowing.choose(move) : narrowing.undo();
      continue;
    }
    const [first] = narrowing.choosable();
    if (first === undefined) break;
    const among = narrowing.choosable().filter(({ parameter }) => parameter === first.parameter);
    const one = await pick(names.of(NameKind.PARAMETER, first.parameter), among, ({ value }) => names.value(value));
    narrowing = one ? narrowing.fix(one.parameter, one.value) : narrowing.undo();
  }
  const offer = narrowing.offers[0]!;
  let choice = Choice.of(offer);
  for (const parameter of offer.open) choice = await open(choice, parameter);
  const move = choice.filled().move();
  console.log(`= ${names.move(decision.step, move)}`);
  return move;
};

try {
  const { closed } = await playSeat(referee, name, decide, {
    signal: enough.signal,
    observe: (told) => {
      if (told.kind === "events") for (const event of told.events) console.log(names.event(event));
    },
  });
  console.log(closed.outcome ? names.outcome(closed.outcome) : "the match has ended");
} catch (thrown) {
  if (!enough.signal.aborted) throw thrown;
  console.log(`\n${enough.signal.reason.message}`);
}
input.close();
referee.close();
