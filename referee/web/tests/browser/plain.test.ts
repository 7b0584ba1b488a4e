/**
 * Tables without a layout of their own: what the page makes of declarations alone, on a board of hexes as well.
 *
 * In: REFEREE. Out: what of the default layout cannot be read or reached by pointing. Whole matches of them are in matches.ts.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { clean } from "./axe.ts";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld(["../../tests/rulesets", "tests/browser/rulesets"]);
});
after(() => world.close());

for (const [ruleset, players, modules] of [["tea-house", 3, []], ["night-market", 2, ["rainy"]], ["honeycomb", 3, []]] as const) {
  test(`${ruleset} is laid out, and played by pointing`, { timeout: 120_000 }, async () => {
    const { page, context, mistakes } = await openPage(world, { theme: players === 2 ? "dark" : "light", language: players === 2 ? "pl" : "en" });
    await hostMatch(page, ruleset, { players, modules, seed: "6".repeat(64) });
    await play(page, { seed: 7, picture: 1, mostMoves: 5 });
    await page.waitForSelector(".question, .result");
    await clean(page, "the table");
    await page.setViewportSize({ width: 360, height: 740 });
    await clean(page, "on a small screen");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "nothing is wider than a small screen");
    await page.setViewportSize({ width: 1440, height: 900 });
    const { byPicture } = await play(page, { seed: 8, picture: 1, mostMoves: 8 });
    assert.ok(byPicture.size > 0, "moves are begun on the picture");
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}

test("a board of hexes lies as its coordinates say, and what is kept is seen on it", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "honeycomb", { players: 2, seats: ["me", "greedy"], seed: "3".repeat(64) });
  await page.waitForSelector(".question");
  const at = async (cell: string): Promise<{ readonly x: number; readonly y: number }> => {
    const box = await page.locator(`[data-cell="row cell.${cell}"]`).boundingBox();
    assert.ok(box, `${cell} is drawn`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  // In axial coordinates the middle is the tenth; its neighbours are as far from it as from each other.
  const middle = await at("cell10");
  const around = await Promise.all(["cell05", "cell06", "cell11", "cell15", "cell14", "cell09"].map(at));
  const far = (a: typeof middle, b: typeof middle): number => Math.hypot(a.x - b.x, a.y - b.y);
  const sides = around.map((one, next) => far(one, around[(next + 1) % around.length]!));
  for (const length of [...around.map((one) => far(one, middle)), ...sides]) assert.ok(Math.abs(length - far(around[0]!, middle)) < far(around[0]!, middle) * 0.15, `${length} from cell to cell, and ${far(around[0]!, middle)}`);
  // Anywhere within it, a cell is what is pointed at.
  await page.mouse.click(middle.x, middle.y + 24);
  await page.locator("[data-confirm]").click();
  await page.waitForFunction(() => /kept by/.test(document.querySelector('[data-cell="row cell.cell10"]')?.textContent ?? ""));
  assert.equal(await page.locator('[data-cell="row cell.cell10"] [data-marked]').count(), 0);
  assert.deepEqual(mistakes, []);
  await context.close();
});
