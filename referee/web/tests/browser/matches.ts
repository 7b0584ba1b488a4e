/**
 * Whole matches, played by clicking what the page marks.
 *
 * In: REFEREE, and names of titles as arguments (all if there are none); with `--picture` no list of moves is opened, and a button
 * of the panel is used only where the picture marks nothing. Out: one line for each match, with `--picture` also which kinds of
 * moves were not begun on the picture, and why; fails at a mistake in a console, at a broken policy, at a dead end, at a
 * record that is not sound, at a match for which there was no time, and with `--picture` at too many clicks and at a kind of moves that
 * is marked again and again and never begun.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { Narrowing, openDecisions, thingsOf } from "referee-client";
import { connect } from "referee-client/node";
import { Pointing, thingKey, type Thing } from "../../src/model/pointing.ts";
import { play, type Guide, type Played } from "./driver.ts";
import { hostMatch, openPage, startWorld } from "./harness.ts";

interface Plan {
  readonly ruleset: string;
  readonly players: number;
  readonly modules?: readonly string[];
}

/** What is played: every title, with expansions and with house rules. */
export const PLANS: readonly Plan[] = [
  { ruleset: "puerto-rico", players: 3 },
  { ruleset: "san-juan", players: 3 },
  { ruleset: "catan-rivals", players: 2 },
  { ruleset: "puerto-rico", players: 2, modules: ["corsair"] },
  { ruleset: "catan-rivals", players: 2, modules: ["era-of-gold"] },
  { ruleset: "catan-rivals", players: 2, modules: ["era-of-gold", "era-of-turmoil", "era-of-progress", "duel"] },
  { ruleset: "genoa", players: 2 },
  { ruleset: "puerto-rico", players: 3, modules: ["swapped-prices", "smuggler"] },
  { ruleset: "puerto-rico", players: 4, modules: ["new-buildings", "nobles"] },
  { ruleset: "san-juan", players: 2, modules: ["new-buildings"] },
  { ruleset: "puerto-rico", players: 3, modules: ["festival", "distillery"] },
  { ruleset: "genoa", players: 3 },
  // House rules that no plan above has: each has its turn.
  { ruleset: "puerto-rico", players: 3, modules: ["cacao"] },
  { ruleset: "puerto-rico", players: 3, modules: ["chosen-start"] },
  { ruleset: "puerto-rico", players: 3, modules: ["fixed-rounds"] },
  { ruleset: "puerto-rico", players: 4, modules: ["needy-governor"] },
  { ruleset: "puerto-rico", players: 3, modules: ["open-accounts"] },
  { ruleset: "puerto-rico", players: 3, modules: ["strong-player"] },
  { ruleset: "puerto-rico", players: 6, modules: ["six-players"] },
  { ruleset: "san-juan", players: 3, modules: ["market-forecast"] },
  { ruleset: "san-juan", players: 2, modules: ["second-hand"] },
  { ruleset: "catan-rivals", players: 2, modules: ["princely-victory"] },
  { ruleset: "catan-rivals", players: 2, modules: ["watchtower"] },
  // Without a layout of their own.
  { ruleset: "tea-house", players: 3 },
  { ruleset: "night-market", players: 2, modules: ["rainy"] },
  { ruleset: "honeycomb", players: 2 },
];

/** A kind that is marked so often, and never begun on the picture, cannot be begun there. */
const MOST_MISSED = 5;
/** At most so many clicks for a move by the picture alone: at the median, and at 99 in 100. */
const MOST_CLICKS = { median: 3, late: 8 };

/** Kinds of moves of a title, over all its matches, and what the picture had for them. As a guide it wants those that were not reached yet. */
class Kinds implements Guide {
  readonly reached = new Map<string, number>();
  /** Questions in which something is marked that leads to a move of the kind, and in which nothing is. */
  readonly #marked = new Map<string, number>();
  readonly #plain = new Map<string, number>();
  readonly #byItself = new Map<string, number>();
  /** What is not drawn of that which would be marked, by name of a move. */
  readonly #undrawn = new Map<string, string>();
  /** Where things lead in the question that was looked at last. */
  #leads = new Map<string, ReadonlySet<string>>();

  leads(thing: string): ReadonlySet<string> {
    return this.#leads.get(thing) ?? new Set();
  }

  wants(move: string): boolean {
    return !this.reached.has(move);
  }

  begun(move: string): void {
    add(this.reached, move);
  }

  /** Asks what a page is asked, as a client of its own, and what the page should mark for it. */
  async look(page: Page, referee: string): Promise<void> {
    const kept = await page.evaluate(() => localStorage.getItem("referee.keys"));
    const [key] = JSON.parse(kept ?? "[]") as readonly { readonly match: string; readonly seat: number; readonly token: string }[];
    const client = connect(referee).withToken(key!.token);
    try {
      const { view } = await client.play.getView({ name: key!.match });
      this.#leads = new Map();
      const drawn = new Set(await page.locator(".table [data-marked][data-thing]").evaluateAll((elements) => elements.filter((element) => element.checkVisibility()).map((element) => element.getAttribute("data-thing"))));
      for (const { offers } of await openDecisions(client, key!.match, { targets: true })) {
        const pointing = new Pointing(Narrowing.of(offers), key!.seat);
        const rows = offers.flatMap(({ fixed }) => fixed.flatMap(({ value }) => (value?.kind.case === "row" ? [value.kind.value] : [])));
        const things: readonly Thing[] = [
          ...thingsOf(view!).flatMap((thing): Thing[] => ("row" in thing && thing.row ? [{ kind: "piece", place: thing.place, row: thing.row }] : "place" in thing ? [{ kind: "place", place: thing.place }] : [])),
          ...rows.map((row): Thing => ({ kind: "row", row })),
          ...Array.from({ length: 7 }, (_, at): Thing => ({ kind: "seat", seat: at + 1 })),
        ];
        for (const thing of things.filter((thing) => pointing.marks(thing))) {
          const [key, left] = [thingKey(thing), pointing.left(thing).map(({ name }) => name)];
          if (drawn.has(key)) this.#leads.set(key, new Set([...this.leads(key), ...left]));
          else for (const name of left) this.#undrawn.set(name, key);
        }
        const marked = new Set([...this.#leads.values()].flatMap((names) => [...names]));
        for (const name of new Set(offers.map(({ name }) => name))) add(marked.has(name) ? this.#marked : this.#plain, name);
      }
    } finally {
      client.close();
    }
  }

  add({ byItself }: Played): void {
    for (const [name, times] of byItself) add(this.#byItself, name, times);
  }

  /** Kinds that are marked again and again, and never begun. */
  missed(): readonly string[] {
    return [...this.#marked].flatMap(([name, times]) => (times >= MOST_MISSED && !this.reached.has(name) && !this.#byItself.has(name) ? [name] : []));
  }

  /** Which kinds were begun on the picture, and why the others were not. */
  told(): string {
    const all = [...new Set([...this.#marked.keys(), ...this.#plain.keys()])].toSorted();
    const why = (name: string): string => {
      const marked = this.#marked.get(name) ?? 0;
      if ((this.#byItself.get(name) ?? 0) > 0) return "the only move, which nobody begins";
      const undrawn = this.#undrawn.get(name);
      if (marked === 0 && undrawn !== undefined) return `stands at nothing that is drawn: ${undrawn}`;
      if (marked === 0) return "neither names nor moves anything that is its own";
      return `marked ${marked} times, and another one was begun`;
    };
    const others = all.filter((name) => !this.reached.has(name)).map((name) => `${name} (${why(name)})`);
    return `${this.reached.size} of ${all.length} kinds of moves were begun on the picture; the others: ${others.join(", ") || "none"}`;
  }
}

const add = (map: Map<string, number>, name: string, times = 1): void => void map.set(name, (map.get(name) ?? 0) + times);

const percentile = (numbers: readonly number[], part: number): number => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? 0;

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    options: { seed: { type: "string", default: "1" }, plan: { type: "string" }, minutes: { type: "string", default: "60" }, rulesets: { type: "string", multiple: true, default: [] }, most: { type: "string", default: "2000" }, within: { type: "string" }, picture: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const world = await startWorld(values.rulesets);
  const until = Date.now() + Number(values.minutes) * 60_000;
  // A match that is not wanted to its end is left after so many moves, or seconds.
  const mostMoves = Number(values.most);
  const leave = values.within === undefined ? Infinity : Date.now() + Number(values.within) * 1000;
  const isWhole = mostMoves >= 2000 && leave === Infinity;
  let failed = 0;
  const titles = new Map<string, Kinds>();
  const title = (ruleset: string): Kinds => titles.get(ruleset) ?? titles.set(ruleset, new Kinds()).get(ruleset)!;
  const chosen = PLANS.filter(({ ruleset }, at) => (values.plan === undefined ? positionals.length === 0 || positionals.includes(ruleset) : at === Number(values.plan) % PLANS.length));
  try {
    for (const [at, { ruleset, players, modules = [] }] of chosen.entries()) {
      if (Date.now() > until) {
        failed += 1;
        console.log(`${ruleset} ${players} ${modules.join("+")}: NOT PLAYED, the time is up`);
        continue;
      }
      const began = Date.now();
      const seed = Number(values.seed) + at;
      const { page, context, mistakes } = await openPage(world, { motion: "none", language: seed % 2 === 0 ? "pl" : "en" });
      const called = `${ruleset} for ${players}${modules.length > 0 ? ` with ${modules.join(", ")}` : ""}`;
      try {
        const address = await hostMatch(page, ruleset, { players, modules, seed: seed.toString(16).padStart(64, "0") });
        const kinds = title(ruleset);
        const some = { seed, mostMoves, until: async () => Date.now() > leave };
        const played = await play(page, values.picture ? { ...some, picture: 1, guide: kinds, question: (page) => kinds.look(page, world.referee) } : some);
        const over = (await page.locator(".result").count()) > 0;
        const name = `matches/${/match\/([^/]+)/.exec(address)![1]}`;
        let sound = false;
        if (over) {
          const host = connect(world.referee).withToken(world.hostToken);
          for await (const { item } of host.records.verifyRecord({ name })) if (item.case === "result") sound = item.value.sound;
          host.close();
        }
        kinds.add(played);
        const names = new Set([...played.byPicture.keys(), ...played.byPanel.keys(), ...played.byItself.keys()]);
        const panel = [...played.byPanel.keys()].filter((name) => !played.byPicture.has(name)).join(", ") || "none";
        const pictured = [...played.byPicture.values()].reduce((sum, n) => sum + n, 0);
        console.log(
          `${called}: ${played.moves} moves in ${Math.round((Date.now() - began) / 1000)} s, ${over ? `over, record ${sound ? "sound" : "NOT SOUND"}` : isWhole ? "NOT OVER" : "left before its end"}; ` +
            `${pictured} begun on the picture; clicks a move: median ${percentile(played.gestures, 0.5)}, 99 in 100 ${percentile(played.gestures, 0.99)}; ${played.refused} refused; ` +
            `${names.size} kinds of moves, only by the panel: ${panel}`,
        );
        if (values.picture && (percentile(played.gestures, 0.5) > MOST_CLICKS.median || percentile(played.gestures, 0.99) > MOST_CLICKS.late)) {
          failed += 1;
          console.log(`${called}: TOO MANY CLICKS: at most ${MOST_CLICKS.median} at the median and ${MOST_CLICKS.late} at 99 in 100`);
        }
        if ((over && !sound) || (!over && isWhole) || played.moves === 0) failed += 1;
      } catch (thrown) {
        failed += 1;
        console.log(`${called}: FAILED: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        await page.screenshot({ path: `tests/shots/failed-${ruleset}-${at}.png` }).catch(() => undefined);
      }
      if (mistakes.length > 0) {
        failed += 1;
        console.log(`${called}: MISTAKES: ${[...new Set(mistakes)].slice(0, 5).join(" | ")}`);
      }
      await context.close();
    }
    if (values.picture) {
      for (const [ruleset, kinds] of titles) {
        console.log(`${ruleset}: ${kinds.told()}`);
        if (kinds.missed().length === 0) continue;
        failed += 1;
        console.log(`${ruleset}: NEVER BEGUN ON THE PICTURE though marked there: ${kinds.missed().join(", ")}`);
      }
    }
  } finally {
    await world.close();
  }
  console.log(failed === 0 ? "all is well" : `${failed} failures`);
  process.exit(failed === 0 ? 0 : 1);
}
