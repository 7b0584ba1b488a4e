/**
 * Whole matches, played by clicking what the page marks.
 *
 * In: REFEREE, and names of titles as arguments (all if there are none); `--times 3` plays each so often. Out: one line for each
 * match; fails at the first mistake in a console, at a broken policy, at a dead end, at a record that is not sound.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { connect } from "referee-client/node";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld } from "./harness.ts";

interface Plan {
  readonly ruleset: string;
  readonly players: number;
  readonly modules?: readonly string[];
}

/** What is played: every title, with expansions and with house rules. */
export const PLANS: readonly Plan[] = [
  { ruleset: "puerto-rico", players: 3 },
  { ruleset: "genoa", players: 3 },
  { ruleset: "san-juan", players: 3 },
  { ruleset: "catan-rivals", players: 2 },
  { ruleset: "puerto-rico", players: 3, modules: ["swapped-prices", "smuggler"] },
  { ruleset: "puerto-rico", players: 4, modules: ["new-buildings", "nobles"] },
  { ruleset: "san-juan", players: 2, modules: ["new-buildings"] },
  { ruleset: "puerto-rico", players: 2, modules: ["corsair"] },
  { ruleset: "puerto-rico", players: 3, modules: ["festival", "distillery"] },
  { ruleset: "catan-rivals", players: 2, modules: ["era-of-gold"] },
  { ruleset: "genoa", players: 2 },
  { ruleset: "catan-rivals", players: 2, modules: ["duel"] },
];

const percentile = (numbers: readonly number[], part: number): number => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? 0;

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    options: { seed: { type: "string", default: "1" }, plan: { type: "string" }, minutes: { type: "string", default: "60" }, rulesets: { type: "string", multiple: true, default: [] }, most: { type: "string", default: "2000" } },
    allowPositionals: true,
  });
  const world = await startWorld(values.rulesets);
  const until = Date.now() + Number(values.minutes) * 60_000;
  let failed = 0;
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
        const played = await play(page, { seed, mostMoves: Number(values.most) });
        const over = (await page.locator(".result").count()) > 0;
        const name = `matches/${/match\/([^/]+)/.exec(address)![1]}`;
        let sound = false;
        if (over) {
          const host = connect(world.referee).withToken(world.hostToken);
          for await (const { item } of host.records.verifyRecord({ name })) if (item.case === "result") sound = item.value.sound;
          host.close();
        }
        const kinds = new Set([...played.byPicture.keys(), ...played.byPanel.keys()]);
        const pictured = [...played.byPicture.values()].reduce((sum, n) => sum + n, 0);
        console.log(
          `${called}: ${played.moves} moves in ${Math.round((Date.now() - began) / 1000)} s, ${over ? `over, record ${sound ? "sound" : "NOT SOUND"}` : "NOT OVER"}; ` +
            `${pictured} begun on the picture; clicks a move: median ${percentile(played.gestures, 0.5)}, 99 in 100 ${percentile(played.gestures, 0.99)}; ` +
            `${kinds.size} kinds of moves, only by the panel: ${[...played.byPanel.keys()].filter((name) => !played.byPicture.has(name)).join(", ") || "none"}`,
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
  } finally {
    await world.close();
  }
  console.log(failed === 0 ? "all is well" : `${failed} failures`);
  process.exit(failed === 0 ? 0 : 1);
}
