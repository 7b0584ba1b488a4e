/**
 * Two matches that differ only in what is hidden.
 *
 * In: a title, a seed, and which of its moves' arguments nobody else sees. Out: two matches from that seed, of which one seat answers
 * with other hidden pieces wherever it can; everybody else sees the same happen in both, move after move, which is looked at.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import { bagState, bagValue, fill, openDecisions, valueKey, type Counts, type Referee } from "referee-client";
import { EventSchema, ForcedMoves, type Argument, type BagDomain, type Event, type Move, type Offer } from "referee-client/v1";
import { chance } from "./driver.ts";

/** What is played, and what of it is hidden. */
export interface Title {
  readonly ruleset: string;
  /** The first seed that is tried. */
  readonly seed: number;
  readonly modules?: readonly string[];
  /** Arguments that only the mover sees, by move: of bags everybody sees how many pieces are in them. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  /** How much a move is liked, by what it says: those that bring the end nearer are, and those after which neither seat meets what the other has hidden. */
  readonly wanted: (said: string, seat: number) => number;
}

/** The seat that plays otherwise, and one that must not see that. */
export const HIDING = 1;
export const LOOKING = 2;

export interface Match {
  readonly name: string;
  readonly seats: readonly Referee[];
  readonly tokens: readonly string[];
}

async function start(host: Referee, { ruleset, modules = [] }: Title, seed: number): Promise<Match> {
  const { match, claimCodes } = await host.matches.createMatch({
    ruleset: `rulesets/${ruleset}`,
    configuration: { players: 2, modules: [...modules] },
    testSeed: new Uint8Array(32).fill(seed),
    // Whether somebody had a choice hangs on what they hold: here everybody is asked.
    forcedMoves: ForcedMoves.ASKED,
    // Who is at the table is told every ten seconds, whatever happens.
    hidePresence: true,
    requestId: randomUUID(),
  });
  const tokens: string[] = [];
  for (const { name, code } of claimCodes) tokens.push((await host.matches.claimSeat({ name, claimCode: code, displayName: `player ${tokens.length + 1}` })).seatToken);
  await host.matches.startMatch({ name: match!.name });
  return { name: match!.name, tokens, seats: tokens.map((token) => host.withToken(token)) };
}

/** A bag that is chosen by chance. */
function someOf(domain: BagDomain, random: () => number): Counts {
  let counts: Counts = {};
  const wanted = domain.least + Math.floor(random() * random() * (domain.most - domain.least + 1));
  for (;;) {
    const { size, complete, canAdd } = bagState(domain, counts);
    const rows = Object.keys(canAdd);
    if (rows.length === 0 || (complete && size >= wanted)) return counts;
    const row = rows[Math.floor(random() * rows.length)]!;
    counts = { ...counts, [row]: (counts[row] ?? 0) + 1 };
  }
}

function someMove({ name, fixed, open }: Offer, random: () => number): Move {
  const chosen = open.map((parameter): Argument => {
    const { domain } = parameter;
    const value = domain.case === "bag" ? bagValue(domain.value, someOf(domain.value, random)) : domain.case === "values" ? domain.value.values[Math.floor(random() * domain.value.values.length)]! : fill(parameter);
    return { $typeName: "referee.v1.Argument", name: parameter.name, value };
  });
  return { $typeName: "referee.v1.Move", name, arguments: [...fixed, ...chosen] };
}

const sizeOf = ({ value }: Argument): number => (value?.kind.case === "bag" ? value.kind.value.counts.reduce((sum, { count }) => sum + count, 0) : 1);
const told = (argument: Argument): string => `${argument.name} ${argument.value ? valueKey(argument.value) : ""}`;
const whole = (move: Move): string => [move.name, ...move.arguments.map(told).sort()].join("; ");

/** What everybody sees of a move. */
const seenOf = ({ hidden }: Title, { name, arguments: all }: Move): string =>
  [name, ...all.map((argument) => (hidden[name]?.includes(argument.name) ? `${argument.name} ${sizeOf(argument)}` : told(argument))).sort()].join("; ");

/** Moves that look alike, one for each of two matches, the most wanted first: with other hidden pieces in the second one, if there are any. */
function pairsOf(title: Title, seat: number, [one, other]: readonly [readonly Offer[], readonly Offer[]], random: () => number): readonly (readonly [Move, Move])[] {
  const some = (offers: readonly Offer[]): Move[] => Array.from({ length: 4 }, () => offers.map((offer) => someMove(offer, random))).flat();
  const mine = some(one);
  // Whoever sees the same in both is asked the same, and answers the same.
  if (seat !== HIDING) return ranked(title, seat, mine.map((move) => [move, move] as const), random);
  const theirs = new Map<string, Move[]>();
  for (const move of [...some(other), ...mine]) theirs.set(seenOf(title, move), [...(theirs.get(seenOf(title, move)) ?? []), move]);
  return ranked(title, seat, mine.flatMap((move) => (theirs.get(seenOf(title, move)) ?? []).map((their) => [move, their] as const)), random);
}

function ranked(title: Title, seat: number, pairs: readonly (readonly [Move, Move])[], random: () => number): readonly (readonly [Move, Move])[] {
  const weighed = pairs.map((pair) => ({ pair, weight: title.wanted(whole(pair[0]), seat) + (whole(pair[0]) === whole(pair[1]) ? 0 : 0.5) + random() / 4 }));
  return weighed.sort((a, b) => b.weight - a.weight).map(({ pair }) => pair);
}

/** What of events hangs on the clock alone is left out. */
const timeless = (event: Event): string => JSON.stringify(toJson(EventSchema, event), (key, value: unknown) => (key === "time" ? undefined : value));

/** Answers in both matches; each for a seat. */
export interface Answer {
  readonly seat: number;
  readonly moves: readonly [Move, Move];
}

export class Twins {
  /** Answers that were given so far. */
  readonly answers: Answer[] = [];
  /** Answers that were not the same in both. */
  unlike = 0;
  /** Answers before the first of those. */
  firstUnlike = Infinity;
  isOver = false;
  readonly #random: () => number;
  /** Up to where events of both were looked at, by audience. */
  readonly #heard = new Map<string, readonly string[]>();

  private constructor(readonly title: Title, readonly host: Referee, readonly matches: readonly [Match, Match], seed: number) {
    this.#random = chance(seed * 7919);
  }

  static async start(host: Referee, title: Title, seed: number): Promise<Twins> {
    return new Twins(title, host, [await start(host, title, seed), await start(host, title, seed)], seed);
  }

  /** Answers the next question in both. Gives in what they can be told from each other by now; nothing as long as they cannot. */
  async step(): Promise<string> {
    const [a, b] = this.matches;
    for (let seat = 1; seat <= a.seats.length; seat += 1) {
      const [[one], [other]] = await Promise.all([openDecisions(a.seats[seat - 1]!, a.name), openDecisions(b.seats[seat - 1]!, b.name)]);
      if (!one !== !other) return `seat ${seat} is asked in one of them alone`;
      if (!one || !other) continue;
      const decisions = [one.decision.decisionId, other.decision.decisionId] as const;
      const moves = await this.#legal(seat, decisions, pairsOf(this.title, seat, [one.offers, other.offers], this.#random));
      if (!moves) return `seat ${seat} cannot answer alike`;
      await this.answer({ seat, moves }, decisions);
      return this.#differ();
    }
    this.isOver = true;
    return "";
  }

  /** Gives an answer that was found before. */
  async answer(answer: Answer, decisions?: readonly [string, string]): Promise<void> {
    const { seat, moves } = answer;
    await Promise.all(
      this.matches.map(async ({ name, seats }, at) => {
        const referee = seats[seat - 1]!;
        const decisionId = decisions?.[at] ?? (await openDecisions(referee, name))[0]!.decision.decisionId;
        await referee.play.submitMove({ name, decisionId, move: moves[at]!, requestId: randomUUID() });
      }),
    );
    if (whole(moves[0]) !== whole(moves[1])) {
      this.unlike += 1;
      this.firstUnlike = Math.min(this.firstUnlike, this.answers.length);
    }
    this.answers.push(answer);
  }

  /** The first of some moves that is legal in both. */
  async #legal(seat: number, decisions: readonly [string, string], pairs: readonly (readonly [Move, Move])[]): Promise<readonly [Move, Move] | undefined> {
    for (const pair of pairs.slice(0, 200)) {
      const checked = await Promise.allSettled(this.matches.map(({ name, seats }, at) => seats[seat - 1]!.play.checkMove({ name, decisionId: decisions[at]!, move: pair[at]! })));
      if (checked.every(({ status }) => status === "fulfilled")) return pair;
    }
    return undefined;
  }

  async #differ(): Promise<string> {
    const told = async <T extends { readonly events: readonly Event[]; readonly resumeToken: string }>(who: string, asked: (match: Match, pageToken: string) => Promise<T>): Promise<string> => {
      const heard = this.#heard.get(who) ?? ["", ""];
      const both = await Promise.all(this.matches.map((match, at) => asked(match, heard[at]!)));
      this.#heard.set(who, both.map(({ resumeToken }) => resumeToken));
      const [one, other] = both.map(({ events }) => events.map(timeless));
      const at = Array.from({ length: Math.max(one!.length, other!.length) }, (_, at) => at).find((at) => one![at] !== other![at]);
      return at === undefined ? "" : `${who}: ${one![at]} and ${other![at]}`;
    };
    const everybody = await told("everybody", ({ name }, pageToken) => this.host.spectators.listPublicEvents({ name, pageToken, pageSize: 1000 }));
    return everybody || told(`seat ${LOOKING}`, ({ name, seats }, pageToken) => seats[LOOKING - 1]!.play.listEvents({ name, pageToken, pageSize: 1000 }));
  }
}

export const TITLES: readonly Title[] = [
  {
    ruleset: "san-juan",
    seed: 2,
    hidden: { discard: ["some"], build: ["payment"] },
    wanted: (said) => (/^build/.test(said) ? 3 : /^pass/.test(said) ? 0 : /role.builder/.test(said) ? 2 : 1),
  },
  {
    ruleset: "catan-rivals",
    seed: 1,
    hidden: { choose: ["c"], put_under: ["c"], take_card: ["c"] },
    // Each keeps to stacks of their own.
    wanted: (said, seat) => (/^build/.test(said) ? 3 : /^(pass|finish|nothing|trade)/.test(said) ? 0 : /basic_[12]/.test(said) ? (seat === HIDING ? 2 : -1) : /basic_[34]/.test(said) ? (seat === HIDING ? -1 : 2) : 1),
  },
];
