/**
 * What is hidden leaves no trace on the page.
 *
 * In: REFEREE; MOVES, if fewer than whole games are wanted; TITLE, if not all are. Out: where a page can tell two matches from each other
 * that differ in hidden things alone: by its document after any move, by what is changed in it and in which order, by what
 * flies over it, by what it asks for. The pages are those of whoever watches and of the opponent; things fly, or not.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "referee-client/node";
import type { Referee } from "referee-client";
import { startWorld, type World } from "./harness.ts";
import { HIDING, LOOKING, Twins, TITLES, type Answer, type Match, type Title } from "./twins.ts";
import { Witness, type Bent } from "./witness.ts";

const MOST = Number(process.env["MOVES"] ?? Infinity);
const ATTEMPTS = 30;
/** A whole Duel of animations takes its time. */
const timeout = 3_600_000;

let world: World;
let host: Referee;
before(async () => {
  world = await startWorld();
  host = connect(world.referee).withToken(world.hostToken);
});
after(async () => {
  host.close();
  await world.close();
});

interface Plan {
  readonly title: Title;
  readonly seed: number;
  readonly answers: readonly Answer[];
  /** Answers before which nobody looks: before that nothing is hidden, if no whole games are wanted. */
  readonly from: number;
}

const plans = new Map<string, Promise<Plan>>();
const planned = (title: Title, most: number): Promise<Plan> => {
  const key = `${title.ruleset} ${most}`;
  return plans.get(key) ?? plans.set(key, search(title, most)).get(key)!;
};

/** Answers to the end of a game in which nobody but the seat that hides something can tell the two matches from each other. */
async function search(title: Title, most: number): Promise<Plan> {
  const why: string[] = [];
  for (let { seed } = title, tries = 0; tries < ATTEMPTS; seed += 1, tries += 1) {
    const twins = await Twins.start(host, title, seed);
    for (let apart = ""; apart === ""; ) {
      const { answers, firstUnlike } = twins;
      if (twins.isOver || answers.length >= firstUnlike + most) {
        assert.ok(twins.unlike > 0, "something is hidden");
        return { title, seed, answers, from: most < Infinity ? firstUnlike : 0 };
      }
      apart = await twins.step();
      if (apart !== "") why.push(`seed ${seed}, after ${twins.answers.length} answers: ${apart.slice(0, 300)}`);
    }
  }
  throw new Error(`in no game of ${title.ruleset} everything can be hidden to the end: tell more of what is hidden, or begin with another seed\n${why.join("\n")}`);
}

type Two<T> = readonly [T, T];

/** What the hiding seat holds in one of two matches and not in the other: a card, and how many there are of one of which there are not as many. */
interface Hidden {
  readonly row: string;
  readonly count: number;
}

async function hiddenIn({ matches }: Twins): Promise<Two<Hidden>> {
  const held = async ({ name, seats }: Match): Promise<Map<string, number>> => {
    const { view } = await seats[HIDING - 1]!.play.getView({ name });
    return new Map(view!.places.flatMap(({ place, contents }) => (contents?.counts ?? []).map(({ row, count }) => [`${place!.name} ${row}`, count] as const)));
  };
  const [one, other] = (await Promise.all(matches.map(held))) as [Map<string, number>, Map<string, number>];
  const unlike = [...new Set([...one.keys(), ...other.keys()])].sort().filter((key) => one.get(key) !== other.get(key));
  const of = (mine: Map<string, number>, theirs: Map<string, number>): Hidden => ({ row: unlike.find((key) => (mine.get(key) ?? 0) > (theirs.get(key) ?? 0))?.split(" ")[1] ?? "", count: mine.get(unlike[0] ?? "") ?? 0 });
  return [of(one, other), of(other, one)];
}

interface Watching {
  readonly motion: "full" | "none";
  /** Who looks; 0 for whoever only watches. */
  readonly seats: readonly number[];
  readonly bent?: Bent;
}

interface Found {
  readonly after: number;
  readonly where: string;
  /** Whether the documents differ, or only what was done to them. */
  readonly inTree: boolean;
}

const firstOf = (one: readonly string[], other: readonly string[]): string => {
  const at = Array.from({ length: Math.max(one.length, other.length) }, (_, at) => at).find((at) => one[at] !== other[at]) ?? 0;
  return `${one[at]?.slice(0, 400)}\nand\n${other[at]?.slice(0, 400)}`;
};

/** Follows two matches by pages. Gives by what a page can tell them from each other. */
async function watched({ title, seed, answers, from }: Plan, { motion, seats, bent }: Watching): Promise<Found | undefined> {
  const twins = await Twins.start(host, title, seed);
  for (const answer of answers.slice(0, from)) await twins.answer(answer);
  const tokenOf = async ({ name, tokens }: Match, seat: number): Promise<string> => (seat > 0 ? tokens[seat - 1]! : (await host.matches.inviteSpectator({ name })).spectatorToken);
  const eventsOf = async ({ name, seats }: Match, seat: number): Promise<number> => Number((seat > 0 ? await seats[seat - 1]!.play.getView({ name }) : await host.spectators.getPublicView({ name })).view!.eventCount);
  const pairs: Two<Witness>[] = [];
  for (const seat of seats) {
    const opened = async (match: Match): Promise<Witness> => Witness.open(world, { match: match.name, seat, token: await tokenOf(match, seat), motion, ...(bent ? { bent } : {}) });
    pairs.push(await Promise.all([opened(twins.matches[0]), opened(twins.matches[1])]));
  }
  let [noted, asked, unlike] = [0, 0, 0];
  try {
    for (let moves = from; moves <= answers.length; moves += 1) {
      if (moves > from) await twins.answer(answers[moves - 1]!);
      const hidden = await hiddenIn(twins);
      if (hidden[0].row !== hidden[1].row) unlike += 1;
      const done = await Promise.all(
        pairs.flatMap((pair) =>
          pair.map(async (page, at) => {
            if (bent) await page.tells(hidden[at]!);
            await page.settle(await eventsOf(twins.matches[at]!, page.opened.seat));
            return { notes: await page.notes(), tree: await page.tree() };
          }),
        ),
      );
      for (const [at, seat] of seats.entries()) {
        const [one, other] = [done[2 * at]!, done[2 * at + 1]!];
        noted += one.notes.length;
        asked += one.notes.filter((note) => note.startsWith("request ")).length;
        const inTree = one.tree !== other.tree;
        const who = seat > 0 ? `seat ${seat}` : "whoever watches";
        if (inTree || one.notes.join("\n") !== other.notes.join("\n")) return { after: moves, inTree, where: `${who}, after ${moves} moves:\n${firstOf(one.notes, other.notes)}\n${inTree ? firstOf(one.tree.split("<"), other.tree.split("<")) : ""}` };
      }
    }
    assert.deepEqual(pairs.flat().flatMap(({ mistakes }) => mistakes), []);
  } finally {
    for (const page of pairs.flat()) await page.close();
  }
  const moves = answers.length - from;
  assert.ok(unlike * 2 > moves, `something differs after most moves, and not after ${unlike} of ${moves}`);
  console.log(`${title.ruleset}, motion ${motion}: ${moves} moves, with other cards after ${unlike}; ${noted} changes, of them ${asked} requests, the same for whoever watches and for the opponent`);
  return undefined;
}

const wanted = process.env["TITLE"];
for (const title of TITLES.filter(({ ruleset }) => wanted === undefined || ruleset === wanted)) {
  test(`two matches of ${title.ruleset} that differ in hidden things alone look and act alike, to their end`, { timeout }, async () => {
    const plan = await planned(title, MOST);
    for (const motion of ["none", "full"] as const) {
      const found = await watched(plan, { motion, seats: [0, LOOKING] });
      assert.equal(found?.where, undefined);
    }
  });
}

/** A page that is made to tell what it cannot know. */
const bentAt =
  (what: RegExp, by: string): Bent =>
  (script) => ({ script: script.replace(what, by), times: [...script.matchAll(new RegExp(what, "g"))].length });

const LEAKS: readonly { readonly called: string; readonly motion: "full" | "none"; readonly inTree: boolean; readonly bent: Bent }[] = [
  { called: "a card's id in the class of a back", motion: "none", inTree: true, bent: bentAt(/class:`back`/, "class:`back `+globalThis.hidden?.row") },
  { called: "a real count in an animation", motion: "full", inTree: false, bent: bentAt(/(\w+)\.className=\w+\?`flier`:`flier back`/, "$&,$1.append(String(globalThis.hidden?.count))") },
];
for (const { called, motion, inTree, bent } of LEAKS) {
  test(`${called} is found`, { timeout }, async () => {
    const plan = await planned(TITLES[0]!, Math.min(MOST, 40));
    const found = await watched(plan, { motion, seats: [0], bent });
    assert.ok(found, "it is found");
    assert.equal(found.inTree, inTree, found.where);
    console.log(`${called}: found after ${found.after} moves`);
  });
}

test("and to whoever holds the cards they look otherwise", { timeout }, async () => {
  const found = await watched(await planned(TITLES[0]!, Math.min(MOST, 40)), { motion: "none", seats: [HIDING] });
  assert.equal(found?.inTree, true);
});
