/**
 * A ruleset is proofread.
 *
 * In: REFEREE. Out: where the screen does not show what is proved, what differs with a module, or the phases.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { openPage, startWorld, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld(["../../tests/rulesets"]);
});
after(() => world.close());

test("what a module changes is shown when it is ticked, and no longer than it is", { timeout: 120_000 }, async () => {
  const { page, mistakes, context } = await openPage(world, { host: false });
  await page.evaluate(() => (location.hash = "#/proof/puerto-rico"));
  const box = page.locator('[name="with-new-buildings"]');
  await box.waitFor();
  await page.waitForSelector(".diff");
  // One revision is compared with itself.
  assert.equal(await page.locator(".diff-one").count(), 0);
  await box.check();
  await page.waitForSelector(".diff-one");
  await box.uncheck();
  await page.waitForFunction(() => document.querySelector(".diff") && !document.querySelector(".diff-one"));
  assert.equal(await page.locator(".graph img").count(), 1);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("how far each clause is proven is shown, with what is missing", { timeout: 120_000 }, async () => {
  const { page, mistakes, context } = await openPage(world, { host: false });
  // Of the one the proof is kept with its rules; nobody has planted mistakes in the other.
  for (const [ruleset, standing, least] of [["san-juan", "proven", 50], ["tea-house", "touched", 5]] as const) {
    await page.evaluate((ruleset) => (location.hash = `#/proof/${ruleset}`), ruleset);
    const group = page.locator(`.coverage [data-standing="${standing}"]`);
    await group.locator("li").first().waitFor({ state: "attached" });
    await group.locator("summary").click();
    const [said, listed] = [await group.locator("summary").innerText(), await group.locator("li").count()];
    assert.match(said, new RegExp(`${standing}: ${listed}$`));
    assert.ok(listed > least, `${ruleset}: ${listed} clauses`);
    assert.equal(await group.locator("li .chip").count() > 0, standing === "touched", `what is missing in ${ruleset}`);
  }
  const clause = page.locator('.coverage [data-standing="touched"] li a').first();
  const id = await clause.innerText();
  await page.evaluate((address) => (location.hash = address), await clause.getAttribute("href").then((href) => href!.slice(1)));
  await page.waitForSelector(`[id="clause-${id}"]`);
  assert.deepEqual(mistakes, []);
  await context.close();
});
