/**
 * Pictures of the tables of all titles, for README.md.
 *
 * In: REFEREE; names of pictures, if not all are wanted. Out: docs/<title>.jpg, each some moves into a match; one of a small screen, one in the dark, one
 * of a table whose author says nothing of how it looks.
 *
 * @module
 */
import { mkdirSync } from "node:fs";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld } from "./harness.ts";
import { plainCopies } from "./plain.ts";

const PICTURES = [
  { ruleset: "puerto-rico", players: 4, moves: 26, width: 1800, height: 1000, theme: "light", language: "en" },
  { ruleset: "san-juan", players: 3, moves: 40, width: 1440, height: 900, theme: "dark", language: "en" },
  { ruleset: "catan-rivals", players: 2, moves: 40, width: 1440, height: 900, theme: "light", language: "en" },
  { ruleset: "genoa", players: 3, moves: 14, width: 1440, height: 900, theme: "light", language: "en" },
  { ruleset: "puerto-rico", players: 3, moves: 10, width: 390, height: 844, theme: "dark", language: "pl" },
  { ruleset: "puerto-rico", players: 4, moves: 26, width: 1800, height: 1000, theme: "light", language: "en", plain: true },
] as const;

mkdirSync("docs", { recursive: true });
const wanted = process.argv.slice(2);
for (const plain of [false, true]) {
  const world = await startWorld(plain ? [plainCopies()] : []);
  try {
    for (const picture of PICTURES) {
      const { ruleset, players, moves, width, height, theme, language } = picture;
      const called = `${ruleset}${width < 500 ? "-small" : plain ? "-plain" : ""}`;
      if (plain !== "plain" in picture || (wanted.length > 0 && !wanted.includes(called))) continue;
      const { page, context } = await openPage(world, { width, height, theme, language });
      // A picture may take its time.
      page.setDefaultTimeout(300_000);
      await hostMatch(page, ruleset, { players, seed: "7".repeat(64) });
      await play(page, { seed: 5, mostMoves: moves });
      // Whatever bots do meanwhile, it is the player who is asked.
      await page.waitForSelector(".question", { timeout: 300_000 });
      await page.evaluate(() => {
        scrollTo(0, 0);
        document.querySelector(".side")?.scrollTo(0, 0);
      });
      await page.waitForTimeout(800);
      await page.screenshot({ path: `docs/${called}.jpg`, type: "jpeg", quality: 80 });
      await context.close();
    }
  } finally {
    await world.close();
  }
}
