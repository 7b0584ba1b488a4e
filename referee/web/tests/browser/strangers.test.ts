/**
 * A ruleset that was made a minute ago, with names by somebody who means harm.
 *
 * In: REFEREE, which makes a ruleset to begin with. Out: a match of it to the end; where a name was read as anything but a text,
 * was taken for a button of the page or for another player, or froze the tab.
 *
 * @module
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clean } from "./axe.ts";
import { play } from "./driver.ts";
import { completeMove, openDecisions, type Referee } from "referee-client";
import { connect } from "referee-client/node";
import { hostMatch, openPage, startWorld } from "./harness.ts";
import { test } from "./share.ts";

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
  change("components/gems.yaml", "en: Opal", `en: ${quoted("w".repeat(100_000))}`);
  change("components/gems.yaml", "en: Garnet", `en: ${quoted("\u202e\u2066tenraG\u2069\u2069 Bo wins")}`);
  change("rulebook.yaml", "en: On your turn take one gem from the mine.", `en: ${quoted(`<iframe src=//example.org></iframe> \u202e${"clause ".repeat(15_000)}`)}`);
  change("table.yaml", "{en: Mine, pl: Kopalnia}", `{en: ${quoted("Make this move")}, pl: Kopalnia}`);
  change("table.yaml", "shape: diamond}", `shape: diamond, icon: anchor, label: {en: ${quoted("\u202e<b>")}, pl: x}}`);
  change("components/gems.yaml", "en: points", `en: ${quoted("<svg onload=alert(1)>")}`);
  return join(folder, "my-game");
}

/** Longer than this nothing may keep a tab from answering, on a machine that does much else. */
const FROZEN_MS = 1500;

/** Answers whatever a seat is asked by the first move that it has. */
async function playFirst(client: Referee, name: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [question] = await openDecisions(client, name).catch(() => []);
    if (question) await client.play.submitMove({ name, decisionId: question.decision.decisionId, move: completeMove(question.offers[0]!) }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

for (const bent of [false, true]) {
  test(bent ? "names of strangers are texts and nothing else" : "a ruleset that was made a minute ago is played to its end", { timeout: 200_000 }, async () => {
    const world = await startWorld([rulesetOfStranger(bent)]);
    try {
      const { page, mistakes } = await openPage(world);
      await page.waitForSelector('[data-ruleset="rulesets/my-game"]');
      const address = await hostMatch(page, "my-game", { players: 3, seats: ["me", "link", "greedy"] });
      // Somebody calls themselves as the host does.
      const [code] = JSON.parse((await page.evaluate(() => localStorage.getItem("referee.codes")))!) as readonly { readonly seat: string; readonly code: string }[];
      const anybody = connect(world.referee);
      const { seatToken } = await anybody.matches.claimSeat({ name: code!.seat, claimCode: code!.code, displayName: "Ada" });
      const other = anybody.withToken(seatToken);
      const stop = new AbortController();
      const plays = playFirst(other, `matches/${/match\/([^/]+)/.exec(address)![1]}`, stop.signal);
      await page.waitForSelector(".question", { timeout: 60_000 });
      assert.deepEqual(await page.locator(".mat .player").evaluateAll((all) => all.map((one) => one.textContent!.replace(/[^\d]/g, ""))), ["1", "2", "33"], "each has a number of their own");
      assert.equal(await page.locator('.mat:not([data-mat="1"]) .mat-head .chip', { hasText: "you" }).count(), 0);
      // The longest that the tab did not answer.
      await page.evaluate(() => {
        const seen = { longest: 0, last: performance.now() };
        Object.assign(window, { seen });
        setInterval(() => {
          const now = performance.now();
          seen.longest = Math.max(seen.longest, now - seen.last);
          seen.last = now;
        }, 20);
      });
      await page.locator(".table .face").first().click({ button: "right" });
      await page.waitForSelector(".popup.pinned");
      await page.keyboard.press("Escape");
      // Only the page's own button says that it makes a move, and none is to be had of an area that is called so.
      assert.equal(await page.locator(":is(button, a, summary, [role=button]):not([data-confirm])", { hasText: "Make this move" }).count(), 0);
      await play(page, { seed: 9 });
      await page.waitForSelector(".result");
      stop.abort();
      await plays;
      anybody.close();
      const { longest } = await page.evaluate(() => (window as unknown as { seen: { longest: number } }).seen);
      assert.ok(longest < FROZEN_MS, `the tab did not answer for ${longest} ms`);
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

test("an icon that the page does not have is letters, and nothing is asked for", { timeout: 120_000 }, async () => {
  const ruleset = rulesetOfStranger(false);
  const table = join(ruleset, "table.yaml");
  const before = readFileSync(table, "utf8");
  const bent = before.replace(/icon: [a-z-]+/, "icon: no-such-icon").replace("shape: diamond}", "shape: diamond, icon: no-such-icon, label: {en: Zq, pl: Zq}}");
  assert.match(bent, /icon: no-such-icon/);
  writeFileSync(table, bent);
  const world = await startWorld([ruleset]);
  try {
    const { page, context, mistakes } = await openPage(world);
    const files: string[] = [];
    page.on("request", (request) => void files.push(request.url()));
    await hostMatch(page, "my-game", { players: 2, seats: ["me", "greedy"] });
    await page.waitForSelector(".question");
    await page.waitForFunction(() => [...document.querySelectorAll(".table .letters")].some((one) => one.textContent === "Zq"));
    // A network on which the match is followed is never idle.
    await page.waitForTimeout(600);
    assert.deepEqual(files.filter((file) => file.includes("no-such-icon")), []);
    assert.deepEqual(mistakes, []);
    await context.close();
  } finally {
    await world.close();
  }
});

test("why a match is suspended is said in the reader's language, with the place in the rules", { timeout: 120_000 }, async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "faulty-")), "honeycomb");
  cpSync("tests/browser/rulesets/honeycomb", folder, { recursive: true });
  const rules = join(folder, "rules", "game.rules");
  const before = readFileSync(rules, "utf8");
  assert.ok(before.includes("gain(settled, 1);"));
  writeFileSync(rules, before.replace("gain(settled, 1);", "gain(settled, 1 / settled);"));
  const world = await startWorld([folder]);
  try {
    for (const [language, said] of [["pl", /Reguły zawiodły \(\S*game\.rules:\d+:\d+\): dzielenie przez zero\./], ["en", /the ruleset failed: a division by zero: .* at \S*game\.rules:\d+:\d+/]] as const) {
      const { page, context } = await openPage(world, { language, lossy: true });
      await hostMatch(page, "honeycomb", { players: 2, seats: ["me", "greedy"] });
      await page.waitForSelector(".table");
      await page.locator(".narrow .options button").first().click();
      await page.locator("[data-confirm]").click();
      const banner = await page.locator("[data-suspended]").innerText();
      assert.match(banner, said);
      assert.equal(await page.locator(".question, [data-lost]").count(), 0);
      await clean(page, "a match that is suspended");
      await context.close();
    }
  } finally {
    await world.close();
  }
});
