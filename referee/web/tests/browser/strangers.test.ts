/**
 * A ruleset that was made a minute ago, with names by somebody who means harm.
 *
 * In: REFEREE, which makes a ruleset to begin with. Out: a match of it to the end; where a name was read as anything but a text.
 *
 * @module
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld } from "./harness.ts";

const quoted = JSON.stringify;

function rulesetOfStranger(bent: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), "stranger-"));
  execFileSync(process.env["REFEREE"] ?? "", ["new", "ruleset", "my-game"], { cwd: folder, stdio: "ignore" });
  if (!bent) return join(folder, "my-game");
  const change = (file: string, from: string, to: string): void => {
    const path = join(folder, "my-game", file);
    const text = readFileSync(path, "utf8");
    assert.ok(text.includes(from), `${file} has ${from}`);
    writeFileSync(path, text.replace(from, to));
  };
  change("ruleset.yaml", 'en: "My game"', `en: ${quoted("<script>alert(1)</script><b>My game</b>")}`);
  change("names.yaml", "en: bag", `en: ${quoted("<img src=x onerror=alert(1)>")}`);
  change("names.yaml", "en: hoard", `en: ${quoted(`\u05e9\u05dc\u05d5\u05dd ${"very long ".repeat(400)}`)}`);
  change("names.yaml", "en: mine,", `en: ${quoted("x".repeat(4000))},`);
  change("names.yaml", "en: take a gem", `en: ${quoted("javascript:alert(1)")}`);
  change("components/gems.yaml", "en: Amber", `en: ${quoted("url(https://example.org/x.png)")}`);
  change("components/gems.yaml", "en: points", `en: ${quoted("<svg onload=alert(1)>")}`);
  return join(folder, "my-game");
}

for (const bent of [false, true]) {
  test(bent ? "names of strangers are texts and nothing else" : "a ruleset that was made a minute ago is played to its end", { timeout: 200_000 }, async () => {
    const world = await startWorld([rulesetOfStranger(bent)]);
    try {
      const { page, mistakes } = await openPage(world);
      await page.waitForSelector('[data-ruleset="rulesets/my-game"]');
      await hostMatch(page, "my-game", { players: 3 });
      await page.waitForSelector(".question");
      await page.locator(".table .face").first().click({ button: "right" });
      await page.waitForSelector(".popup.pinned");
      await page.keyboard.press("Escape");
      await play(page, { seed: 9 });
      await page.waitForSelector(".result");
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `nothing is wider than ${width} pixels`);
      }
      assert.equal(await page.locator("img, script:not([src]), [onerror], [onload], .table a").count(), 0);
      if (bent) assert.match(await page.locator(".table").innerText(), /<img src=x/);
      assert.deepEqual(mistakes, []);
    } finally {
      await world.close();
    }
  });
}
