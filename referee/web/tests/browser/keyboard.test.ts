/**
 * A whole match by the keyboard alone: choosers are reached, changed and confirmed by Tab, Enter and arrows.
 *
 * In: REFEREE. Out: what has the focus never, or does nothing when it is pressed.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld(["../../tests/rulesets"]);
});
after(() => world.close());

/** Presses Tab until something of this kind has the focus. */
async function tabTo(page: Page, selector: string, most = 250): Promise<boolean> {
  for (let presses = 0; presses < most; presses += 1) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return true;
    await page.keyboard.press("Tab");
  }
  return false;
}

/** What changes a chooser, by the kind of what is chosen. */
const CHANGES: Readonly<Record<string, string>> = {
  bag: ".step:not(:disabled)",
  spread: ".step:not(:disabled)",
  amount: "input[type=range]",
  values: "[role=radio][aria-checked=false]",
};

/** Plays to the end; gives how many moves were made, and which kinds of choosers were changed. */
async function playByKeys(page: Page): Promise<{ readonly moves: number; readonly changed: ReadonlySet<string> }> {
  const changed = new Set<string>();
  let moves = 0;
  let touched = new Set<string>();
  for (let steps = 0; steps < 60; steps += 1) {
    await page.waitForSelector(".question, .result", { timeout: 60_000 });
    if (await page.locator(".result").count()) return { moves, changed };
    // Focus may be lost with what was pressed: from the beginning of the page a link leads to the moves.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.locator("body").press("Tab");
    assert.ok(await tabTo(page, '.skip[href="#moves"]'), "there is a link that skips to the moves");
    await page.keyboard.press("Enter");
    const kinds = await page.locator(".chooser").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["domain"] ?? ""));
    const untouched = kinds.find((kind) => !touched.has(kind));
    if (untouched !== undefined) {
      touched.add(untouched);
      const control = `.chooser[data-domain="${untouched}"] ${CHANGES[untouched]}`;
      if ((await page.locator(control).count()) > 0) {
        const before = await page.locator(`.chooser[data-domain="${untouched}"]`).first().innerHTML();
        assert.ok(await tabTo(page, control), `${untouched} is reached`);
        await page.keyboard.press(untouched === "amount" ? "ArrowRight" : "Enter");
        await page.waitForFunction(({ kind, before }) => document.querySelector(`.chooser[data-domain="${kind}"]`)?.innerHTML !== before, { kind: untouched, before });
        changed.add(untouched);
      }
    } else if (await page.locator("[data-confirm]:not(:disabled)").count()) {
      const start = await page.locator(".log").getAttribute("start");
      assert.ok(await tabTo(page, "[data-confirm]"));
      await page.keyboard.press("Enter");
      await page.waitForFunction((start) => document.querySelector(".log")?.getAttribute("start") !== start || document.querySelector(".trouble, .result"), start);
      if ((await page.locator(".trouble").count()) === 0) moves += 1;
      else if (await tabTo(page, "[data-alternative]", 40)) await page.keyboard.press("Enter");
      touched = new Set();
    } else if (kinds.length > 0) {
      assert.ok(await tabTo(page, ".chooser .small-buttons button, .chooser .step:not(:disabled)"), "what is not complete can be completed");
      await page.keyboard.press("Enter");
    } else {
      assert.ok(await tabTo(page, ".move-name, .narrow .options button, [data-offer]"), "a move can be begun");
      await page.keyboard.press("Enter");
      touched = new Set();
    }
  }
  throw new Error(`the match does not end: ${(await page.locator(".moves").innerText()).slice(0, 400)}`);
}

for (const [ruleset, players, kinds] of [["sealed-letters", 2, ["bag"]]] as const) {
  test(`a whole match of ${ruleset} is played by the keyboard alone`, { timeout: 300_000 }, async () => {
    const { page, context, mistakes } = await openPage(world);
    await hostMatch(page, ruleset, { players, seats: ["me", "random"], seed: "6".repeat(64) });
    const { moves, changed } = await playByKeys(page);
    assert.ok(moves >= 3, `${moves} moves`);
    assert.deepEqual(kinds.filter((kind) => !changed.has(kind)), [], `${[...changed].join(", ")} were changed in ${moves} moves`);
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}
