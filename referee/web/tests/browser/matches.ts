/**
 * Whole matches, played by clicking what the page marks.
 *
 * In: REFEREE, and names of titles as arguments (all if there are none); with `--picture` no list of moves is opened, and a button
 * of the panel is used only where the picture marks nothing. Out: one line for each match, with `--picture` also which kinds of
 * moves were not begun on the picture, and why; fails at the first mistake in a console, at a broken policy, at a dead end, at a
 * record that is not sound.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { Narrowing, openDecisions, thingsOf } from "referee-client";
import { connect } from "referee-client/node";
import { Pointing, type Thing } from "../../src/model/pointing.ts";
import { play, type Played } from "./driver.ts";
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
  // House rules that no plan above has: each has its turn. The form of a new table cannot be set to the six of `six-players` yet.
  { ruleset: "puerto-rico", players: 3, modules: ["cacao"] },
  { ruleset: "puerto-rico", players: 3, modules: ["chosen-start"] },
  { ruleset: "puerto-rico", players: 3, modules: ["fixed-rounds"] },
  { ruleset: "puerto-rico", players: 4, modules: ["needy-governor"] },
  { ruleset: "puerto-rico", players: 3, modules: ["open-accounts"] },
  { ruleset: "puerto-rico", players: 3, modules: ["strong-player"] },
  { ruleset: "san-juan", players: 3, modules: ["market-forecast"] },
  { ruleset: "san-juan", players: 2, modules: ["second-hand"] },
  { ruleset: "catan-rivals", players: 2, modules: ["princely-victory"] },
  { ruleset: "catan-rivals", players: 2, modules: ["watchtower"] },
  // Without a layout of their own.
  { ruleset: "tea-house", players: 3 },
  { ruleset: "night-market", players: 2, modules: ["rainy"] },
  { ruleset: "honeycomb", players: 2 },
];

/** Kinds of moves of a title, over all its matches, and what the picture had for them. */
class Kinds {
  readonly reached = new Map<string, number>();
  /** Questions in which something is marked that leads to a move of the kind, and in which nothing is. */
  readonly #marked = new Map<string, number>();
  readonly #plain = new Map<string, number>();
  readonly #byItself = new Map<string, number>();

  /** Asks what a page is asked, as a client of its own, and what the page should mark for it. */
  async look(page: Page, referee: string): Promise<void> {
    const kept = await page.evaluate(() => localStorage.getItem("referee.keys"));
    const [key] = JSON.parse(kept ?? "[]") as readonly { readonly match: string; readonly seat: number; readonly token: string }[];
    const client = connect(referee).withToken(key!.token);
    try {
      const { view } = await client.play.getView({ name: key!.match });
      for (const { offers } of await openDecisions(client, key!.match, { targets: true })) {
        const pointing = new Pointing(Narrowing.of(offers), key!.seat);
        const rows = offers.flatMap(({ fixed }) => fixed.flatMap(({ value }) => (value?.kind.case === "row" ? [value.kind.value] : [])));
        const things: readonly Thing[] = [
          ...thingsOf(view!).flatMap((thing): Thing[] => ("row" in thing && thing.row ? [{ kind: "piece", place: thing.place, row: thing.row }] : "place" in thing ? [{ kind: "place", place: thing.place }] : [])),
          ...rows.map((row): Thing => ({ kind: "row", row })),
          ...Array.from({ length: 7 }, (_, at): Thing => ({ kind: "seat", seat: at + 1 })),
        ];
        const marked = new Set(things.filter((thing) => pointing.marks(thing)).flatMap((thing) => pointing.left(thing).map(({ name }) => name)));
        for (const name of new Set(offers.map(({ name }) => name))) add(marked.has(name) ? this.#marked : this.#plain, name);
      }
    } finally {
      client.close();
    }
  }

  add({ byPicture, byItself }: Played): void {
    for (const [name, times] of byPicture) add(this.reached, name, times);
    for (const [name, times] of byItself) add(this.#byItself, name, times);
  }

  /** Which kinds were begun on the picture, and why the others were not. */
  told(): string {
    const all = [...new Set([...this.#marked.keys(), ...this.#plain.keys()])].toSorted();
    const why = (name: string): string => {
      const marked = this.#marked.get(name) ?? 0;
      if ((this.#byItself.get(name) ?? 0) > 0) return "the only move, which nobody begins";
      if (marked === 0) return "neither names nor moves anything that is its own";
      return `marked ${marked} times, when something else was clicked`;
    };
    const others = all.filter((name) => !this.reached.has(name)).map((name) => `${name} (${why(name)})`);
    return `${this.reached.size} of ${all.length} kinds of moves were begun on the picture; the others: ${others.join(", ") || "none"}`;
  }
}

const add = (map: Map<string, number>, name: string, times = 1): void => void map.set(name, (map.get(name) ?? 0) + times);

const percentile = (numbers: readonly number[], part: number): number => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? 0;

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    options: { seed: { type: "string", default: "1" }, plan: { type: "string" }, minutes: { type: "string", default: "60" }, rulesets: { type: "string", multiple: true, default: [] }, most: { type: "string", default: "2000" }, picture: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const world = await startWorld(values.rulesets);
  const until = Date.now() + Number(values.minutes) * 60_000;
  let failed = 0;
  const titles = new Map<string, Kinds>();
  const title = (ruleset: string): Kinds => titles.get(ruleset) ?? titles.set(ruleset, new Kinds()).get(ruleset)!;
  const chosen = PLANS.filter(({ ruleset }, at) => (values.plan === undefined ? positionals.length === 0 || positionals.includes(ruleset) : at === Number(values.plan) % PLANS.length));
  try {
    for (const [at, { ruleset, players, modules = [] }] of chosen.entries()) {
      if (Date.now() > until) {
        console.log(`${ruleset} ${players} ${modules.join("+")}: not played, the time is up`);
        continue;
      }
      const began = Date.now();
      const seed = Number(values.seed) + at;
      const { page, context, mistakes } = await openPage(world, { motion: "none", language: seed % 2 === 0 ? "pl" : "en" });
      const called = `${ruleset} for ${players}${modules.length > 0 ? ` with ${modules.join(", ")}` : ""}`;
      try {
        const address = await hostMatch(page, ruleset, { players, modules, seed: seed.toString(16).padStart(64, "0") });
        const kinds = title(ruleset);
        const mostMoves = Number(values.most);
        const played = await play(page, values.picture ? { seed, mostMoves, picture: 1, question: (page) => kinds.look(page, world.referee) } : { seed, mostMoves });
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
          `${called}: ${played.moves} moves in ${Math.round((Date.now() - began) / 1000)} s, ${over ? `over, record ${sound ? "sound" : "NOT SOUND"}` : "NOT OVER"}; ` +
            `${pictured} begun on the picture; clicks a move: median ${percentile(played.gestures, 0.5)}, 99 in 100 ${percentile(played.gestures, 0.99)}; ${played.refused} refused; ` +
            `${names.size} kinds of moves, only by the panel: ${panel}`,
        );
        if ((over && !sound) || (!over && Number(values.most) >= 2000)) failed += 1;
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
    if (values.picture) for (const [ruleset, kinds] of titles) console.log(`${ruleset}: ${kinds.told()}`);
  } finally {
    await world.close();
  }
  console.log(failed === 0 ? "all is well" : `${failed} failures`);
  process.exit(failed === 0 ? 0 : 1);
}
