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
import { plainCopies } from "./plain.ts";
import { tidy, untidy } from "./tidy.ts";

let world: World;
before(async () => {
  world = await startWorld(["../../tests/rulesets", "tests/browser/rulesets", plainCopies()]);
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
  // Anywhere within it, a cell or what lies on it is what is pointed at.
  for (const [x, y] of [[0, 0], [0, 24], [0, -24], [18, 0], [-18, 0]] as const) {
    const pointed = await page.evaluate(([x, y]) => document.elementFromPoint(x!, y!)?.closest("[data-marked][data-thing]")?.closest("[data-cell]")?.getAttribute("data-cell"), [middle.x + x, middle.y + y]);
    assert.equal(pointed, "row cell.cell10", `${x}, ${y} from the middle`);
  }
  await page.mouse.click(middle.x, middle.y);
  await page.locator("[data-confirm]").click();
  await page.waitForFunction(() => /kept by/.test(document.querySelector('[data-cell="row cell.cell10"]')?.textContent ?? ""));
  assert.equal(await page.locator('[data-cell="row cell.cell10"] [data-marked]').count(), 0);
  assert.deepEqual(mistakes, []);
  await context.close();
});

for (const [ruleset, players, language] of [["genoa", 3, "en"], ["puerto-rico", 4, "pl"], ["san-juan", 3, "pl"], ["catan-rivals", 2, "en"]] as const) {
  test(`without what its author says of the table, nothing of ${ruleset} lies over something else or is cut`, { timeout: 180_000 }, async () => {
    const { page, context, mistakes } = await openPage(world, { language });
    await hostMatch(page, ruleset, { players, seed: "7".repeat(64) });
    assert.equal(await page.locator("[data-authored]").count(), 0, "the table is laid out by default");
    await play(page, { seed: 5, mostMoves: 20 });
    await page.waitForSelector(".question, .result");
    for (const width of [1920, 1440, 1024, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await tidy(page, `${width} pixels wide`);
    }
    // What is not tidy is found.
    await page.setViewportSize({ width: 1440, height: 900 });
    const planted = ["over", "out", "cut"] as const;
    for (const what of planted) {
      await page.evaluate((what) => {
        const [one, other] = [...document.querySelectorAll<HTMLElement>(".mat.mine .place:not([data-empty]) .face, .mat.mine .cell .face, .mat.mine .stat, .mat.mine .player")].filter((face) => face.checkVisibility());
        if (what === "over") other!.style.translate = `${one!.getBoundingClientRect().left - other!.getBoundingClientRect().left}px ${one!.getBoundingClientRect().top - other!.getBoundingClientRect().top}px`;
        if (what === "out") document.querySelector<HTMLElement>(".mat.mine")!.style.width = "40px";
        if (what === "cut") Object.assign(document.querySelector<HTMLElement>(".mat.mine .mat-head")!.style, { height: "8px", overflow: "hidden" });
      }, what);
      assert.ok((await page.evaluate(untidy)).length > 0, `${what}: it is found`);
      await page.evaluate(() => document.querySelectorAll<HTMLElement>(".mat.mine, .mat.mine .mat-head, .mat.mine .face, .mat.mine .stat, .mat.mine .player").forEach(({ style }) => ["translate", "width", "height", "overflow"].forEach((name) => style.removeProperty(name))));
      await tidy(page, "as before");
    }
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}
