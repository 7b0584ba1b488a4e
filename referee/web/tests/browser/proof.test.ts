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
  world = await startWorld();
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
  await page.evaluate(() => (location.hash = "#/proof/san-juan"));
  const touched = page.locator('.coverage [data-standing="touched"]');
  await touched.locator("summary").click();
  const [said, listed] = [await touched.locator("summary").innerText(), await touched.locator("li").count()];
  assert.match(said, new RegExp(`touched: ${listed}$`));
  const all = await page.locator(".coverage li").count();
  assert.ok(all > 50, `${all} clauses`);
  // Whoever has planted mistakes since has proven some of it.
  assert.equal(await touched.locator("li .chip").count() > 0, listed > 0);
  const clause = page.locator(".coverage li a").first();
  const id = await clause.innerText();
  await page.evaluate((address) => (location.hash = address), await clause.getAttribute("href").then((href) => href!.slice(1)));
  await page.waitForSelector(`[id="clause-${id}"]`);
  assert.deepEqual(mistakes, []);
  await context.close();
});
