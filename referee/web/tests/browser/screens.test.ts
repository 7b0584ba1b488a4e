/**
 * Every screen of the page in a real browser: accessibility, keyboard, links, spectators, history, replay, restarts.
 *
 * In: REFEREE, the program to test with. Out: what does not work.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { watch } from "referee-client";
import { connect } from "referee-client/node";
import { TokenKind } from "referee-client/v1";
import { clean } from "./axe.ts";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const at = (page: Page, fragment: string): Promise<void> => page.evaluate((to) => void (location.hash = to), fragment);

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on any screen, ${theme === "dark" ? "dark and in Polish" : "light"}`, async () => {
    const { page, context, mistakes } = await openPage(world, { theme, host: false, language: theme === "dark" ? "pl" : "en" });
    await page.waitForSelector(".game");
    await clean(page, "home of a guest");
    await page.fill('[name="host-token"]', "rfs_wrong");
    await page.click(".host-box button");
    await page.waitForSelector(".host-box .bad");
    await clean(page, "a token that is none");
    await page.fill('[name="host-token"]', world.hostToken);
    await page.click(".host-box button");
    await page.waitForSelector(".game .primary");
    await clean(page, "home of a host");
    await at(page, "#/host/puerto-rico");
    await page.waitForSelector("[data-create]");
    for (const summary of await page.locator("form summary").all()) await summary.click();
    await clean(page, "a new table");
    await at(page, "#/rules/puerto-rico?clause=captain.must-load");
    await page.waitForSelector("[data-open]");
    await clean(page, "the rulebook");
    await page.fill(".book-side input", theme === "dark" ? "statek" : "ship");
    await page.waitForSelector(".book mark");
    await clean(page, "a search that finds something");
    await page.fill(".book-side input", "zzzz");
    await clean(page, "a search that finds nothing");
    await at(page, "#/proof/puerto-rico?with=new-buildings");
    await page.waitForSelector(".diff-one");
    await page.waitForSelector(".graph img");
    await clean(page, "proofreading");
    await at(page, "#/replay");
    await page.waitForSelector('input[type="file"]');
    await clean(page, "replay");
    await at(page, "#/about");
    await page.waitForFunction(() => document.querySelector("h1") !== null);
    await clean(page, "about");
    await at(page, "#/claim/none/1/rfc_none");
    await page.waitForSelector('[name="player"]');
    await clean(page, "a claim");
    await page.fill('[name="player"]', "Ada");
    await page.click(".primary");
    await page.waitForSelector(".trouble");
    await clean(page, "a claim that fails");
    await page.click(".bar button");
    await page.waitForSelector("dialog[open]");
    await clean(page, "settings");
    await page.keyboard.press("Escape");
    await hostMatch(page, "puerto-rico", { players: 3, seats: ["me", "link", "greedy"] });
    await page.waitForSelector(".seat-line");
    await clean(page, "before the match");
    assert.deepEqual(mistakes.filter((one) => !one.includes("Failed to load resource")), []);
    await context.close();
  });
}

for (const [ruleset, players] of [["puerto-rico", 3], ["san-juan", 2], ["catan-rivals", 2], ["genoa", 3]] as const) {
  test(`axe finds nothing on the table of ${ruleset}`, async () => {
    const { page, context, mistakes } = await openPage(world, { theme: ruleset.length % 2 === 0 ? "light" : "dark" });
    await hostMatch(page, ruleset, { players, seed: "5".repeat(64) });
    await play(page, { seed: 3, mostMoves: 8 });
    await page.waitForSelector(".question, .idle");
    await clean(page, "the table");
    await page.locator(".table .face").first().click({ button: "right" });
    await page.waitForSelector(".popup.pinned");
    await clean(page, "the pop-up");
    await page.keyboard.press("Escape");
    await page.locator(".history button").nth(1).click();
    await page.waitForSelector(".banner.past");
    await clean(page, "an earlier moment");
    await page.setViewportSize({ width: 360, height: 740 });
    await clean(page, "on a small screen");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "nothing is wider than a small screen");
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}

test("axe finds nothing where something is put together, and where that is refused", async () => {
  const { page, context, mistakes } = await openPage(world, { language: "pl" });
  await hostMatch(page, "genoa", { players: 3, seed: "5".repeat(64) });
  const seen = new Set<string>();
  const look = async (what: string): Promise<void> => {
    if (!seen.has(what)) await clean(page, what);
    seen.add(what);
  };
  await play(page, {
    seed: 3,
    mostMoves: 60,
    refusal: () => look("a refusal"),
    until: async () => {
      if (await page.locator(".chooser").count()) await look("a chooser");
      return seen.size === 2;
    },
  });
  assert.deepEqual([...seen].toSorted(), ["a chooser", "a refusal"]);
  assert.deepEqual(mistakes, []);
  await context.close();
});

/** Presses Tab until something of this kind has the focus. */
async function tabTo(page: Page, selector: string, most = 250): Promise<boolean> {
  for (let presses = 0; presses < most; presses += 1) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return true;
    await page.keyboard.press("Tab");
  }
  return false;
}

test("a match is opened and played by the keyboard alone", async () => {
  const { page, context, mistakes } = await openPage(world);
  await page.waitForSelector(".game .primary");
  assert.ok(await tabTo(page, '.game[data-ruleset="rulesets/san-juan"] .primary'));
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-create]");
  assert.ok(await tabTo(page, "[data-create]"));
  await page.keyboard.press("Enter");
  await page.waitForSelector(".question");
  let moves = 0;
  for (let steps = 0; moves < 12 && steps < 200; steps += 1) {
    await page.waitForSelector(".question, .result", { timeout: 30_000 });
    if (await page.locator(".result").count()) break;
    // Focus may be lost with what was pressed: from the beginning of the page the second link leads to the moves.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.locator("body").press("Tab");
    assert.ok(await tabTo(page, ".skip"), "there is a link that skips to the moves");
    await page.keyboard.press("Enter");
    const confirm = await page.locator("[data-confirm]:not(:disabled)").count();
    if (confirm > 0) {
      const start = await page.locator(".log").getAttribute("start");
      assert.ok(await tabTo(page, "[data-confirm]"));
      await page.keyboard.press("Enter");
      await page.waitForFunction((start) => document.querySelector(".log")?.getAttribute("start") !== start || document.querySelector(".trouble"), start);
      if ((await page.locator(".trouble").count()) === 0) moves += 1;
      else if (await tabTo(page, "[data-alternative]", 40)) await page.keyboard.press("Enter");
    } else if (await page.locator(".chooser").count()) {
      assert.ok(await tabTo(page, ".chooser .small-buttons button"));
      await page.keyboard.press("Enter");
    } else {
      assert.ok(await tabTo(page, ".move-name, .narrow .options button, [data-offer]"));
      await page.keyboard.press("Enter");
    }
  }
  assert.ok(moves >= 12, `${moves} moves`);
  // The table, too: a marked piece is reached and chosen, any piece is asked about.
  await page.waitForSelector(".question");
  await page.evaluate(() => document.getElementById("table")!.focus());
  await page.keyboard.press("Tab");
  assert.ok(await tabTo(page, ".table [data-thing]"));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("?");
  // It listens as soon as it has the focus.
  await page.waitForFunction(() => document.activeElement?.matches(".popup.pinned"));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".popup") === null);
  assert.ok(await page.evaluate(() => document.activeElement?.matches("[data-thing]")), "the focus is where it was");
  assert.deepEqual(mistakes, []);
  await context.close();
});

/** Where the focus is, if it is within the question. */
const focused = (page: Page): Promise<string> => page.evaluate(() => (document.activeElement?.closest(".question") ? document.activeElement.outerHTML : `outside, ${document.activeElement?.tagName ?? "nowhere"}`));

test("after a move the focus goes to what is asked next, and a question comes when what led to it has been shown", async () => {
  const { page, context, mistakes } = await openPage(world, { motion: "full" });
  await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "4".repeat(64) });
  // Whether a question ever stands beside something that is still on its way.
  await page.evaluate(() => {
    const seen = { early: 0, flown: 0 };
    (globalThis as unknown as { seen: typeof seen }).seen = seen;
    const look = (): void => {
      if (document.querySelector(".flier")) {
        seen.flown += 1;
        if (document.querySelector(".question")) seen.early += 1;
      }
      requestAnimationFrame(look);
    };
    look();
  });
  let [pressed, asked] = [0, false];
  for (let moves = 0; moves < 3; ) {
    assert.ok(pressed < 40, "three moves are made");
    await page.waitForSelector(".question", { timeout: 60_000 });
    const at = await focused(page);
    if (pressed > 0) assert.doesNotMatch(at, /^outside/, `${pressed} answers were given, and the focus is ${at}`);
    if (asked) assert.match(at, /data-ask/, "a new question is read from its beginning");
    const confirm = page.locator("[data-confirm]:not(:disabled)");
    const confirms = (await confirm.count()) > 0;
    const button = confirms ? confirm.first() : page.locator(".chooser .small-buttons button, .move-name, .narrow .options button, [data-offer]").first();
    const before = await page.locator(".log").getAttribute("start");
    await button.focus();
    await page.keyboard.press("Enter");
    pressed += 1;
    asked = confirms;
    if (confirms) {
      await page.waitForFunction((before) => document.querySelector(".log")?.getAttribute("start") !== before || document.querySelector(".trouble"), before);
      await page.waitForFunction(() => !document.querySelector("[data-confirm]"));
      moves += 1;
    }
    await page.waitForFunction(() => document.activeElement !== document.body);
  }
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: { early: number; flown: number } }).seen);
  assert.ok(seen.flown > 0, "pieces fly");
  assert.equal(seen.early, 0, "no question stands beside a piece that flies");
  await page.waitForSelector(".question", { timeout: 60_000 });
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("the card that tells of a thing covers nothing that can be chosen, and escape closes it", async () => {
  for (const [ruleset, width, height] of [["puerto-rico", 1440, 900], ["san-juan", 1100, 700]] as const) {
    const { page, context, mistakes } = await openPage(world, { width, height });
    await hostMatch(page, ruleset, { players: 2, seats: ["me", "greedy"], seed: "6".repeat(64) });
    await play(page, { seed: 5, mostMoves: 3 });
    await page.waitForSelector(".question");
    let seen = 0;
    for (const thing of await page.locator(".table [data-thing]").all()) {
      if (seen >= 5) break;
      if (!(await thing.isVisible())) continue;
      await thing.hover({ force: true });
      const shown = await page.waitForSelector(".popup", { timeout: 2000 }).catch(() => undefined);
      if (!shown) continue;
      await page.waitForFunction(() => document.querySelector<HTMLElement>(".popup")?.style.visibility !== "");
      const covered = await page.evaluate(() => {
        const popup = document.querySelector<HTMLElement>(".popup")!;
        if (popup.style.visibility === "hidden") return [];
        const a = popup.getBoundingClientRect();
        const over = (b: DOMRect): boolean => b.width > 0 && Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
        return [...document.querySelectorAll("[data-marked], .question button:not(:disabled)")].filter((one) => over(one.getBoundingClientRect())).map((one) => one.outerHTML.slice(0, 90));
      });
      assert.deepEqual(covered, [], ruleset);
      seen += 1;
      await page.keyboard.press("Escape");
      await page.waitForSelector(".popup", { state: "detached" });
      await page.mouse.move(2, 2);
    }
    assert.ok(seen >= 4, `${seen} cards were told about`);
    assert.deepEqual(mistakes, []);
    await context.close();
  }
});

test("why something is not allowed is said in words", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "4".repeat(64) });
  await page.waitForSelector(".question");
  await page.locator(".forbidden > summary").click();
  await page.waitForSelector(".forbidden .refused");
  await clean(page, "what is not allowed now");
  const told = await page.locator(".forbidden").innerText();
  // What a condition compared stands there with names of people and things, and nothing as the rules write it.
  assert.equal(await page.locator(".refused .condition code").count(), 0);
  assert.doesNotMatch(told, /[a-z]_[a-z]|\b[a-z]\([a-z]|==|>=|<=|\bp\d\b/);
  assert.match(told, /\(\u2068Ada\u2069, Library\) = 0/);
  assert.ok(await page.locator('.refused .clause-link[data-clause="library"]').count(), "the library is the reason, and not how often it serves");
  assert.equal(await page.locator('.refused .clause-link[data-clause="library.once"]').count(), 0);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("the link of the terminal makes a host, leaves the address, and opens once", async () => {
  const fragment = world.link.slice(world.link.indexOf("#"));
  const host = await openPage(world, { host: false });
  await host.page.evaluate((hash) => (location.hash = hash), fragment);
  await host.page.waitForFunction(() => localStorage.getItem("referee.host")?.includes("rfh_"));
  assert.ok(!host.page.url().includes("rfo_"), "the code has left the address");
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "greedy"] });
  assert.deepEqual(host.mistakes, []);
  await host.context.close();
  const late = await openPage(world, { host: false, lossy: true });
  await late.page.evaluate((hash) => (location.hash = hash), fragment);
  await late.page.waitForSelector('[role="alert"]');
  assert.equal(await late.page.evaluate(() => localStorage.getItem("referee.host")?.includes("rfh_") ?? false), false);
  await late.context.close();
});

test("a link claims a seat, leaves the address, and two people play; what one holds is a back for the other", async () => {
  const host = await openPage(world);
  await host.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "link"], seed: "3".repeat(64) });
  await host.page.locator(".seat-line .copy button").click();
  const link = await host.page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#\/claim\/.+\/2\/rfc_/);
  const guest = await openPage(world, { host: false, name: "", language: "pl" });
  await guest.page.goto(link);
  await guest.page.waitForSelector('[name="player"]');
  assert.ok(!guest.page.url().includes("rfc_"), "the code has left the address");
  // Whoever loads the page anew before sitting down has the invitation still; nobody else has it by that address.
  await guest.page.reload();
  await guest.page.waitForSelector('[name="player"]');
  assert.ok(!guest.page.url().includes("rfc_"));
  const elsewhere = await guest.context.newPage();
  await elsewhere.goto(guest.page.url());
  await elsewhere.waitForFunction(() => document.querySelector("main")?.textContent?.includes("ucięty"));
  assert.equal(await elsewhere.locator('[name="player"]').count(), 0);
  await elsewhere.close();
  // A name of somebody who tries it: markup, and letters that are written from right to left.
  await guest.page.fill('[name="player"]', "<img src=x onerror=alert(1)> \u05e2\u05d3\u05d4");
  await guest.page.click("main .primary");
  await guest.page.waitForSelector(".seats, .table");
  await host.page.waitForSelector(".table");
  await guest.page.waitForSelector(".table");
  await host.page.waitForSelector(".mat .player-name");
  assert.equal(await host.page.locator("img[src=x]").count(), 0);
  assert.ok((await host.page.locator('[data-mat="2"]').innerText()).includes("<img"), "a name is a text");
  const others = host.page.locator('[data-mat="2"] [data-place="hand(seat 2)"]');
  assert.equal(await others.locator("[data-row]").count(), 0);
  assert.ok((await others.locator(".back").count()) > 0);
  // Cards are dealt one after the other.
  await guest.page.waitForSelector('[data-mat="2"] [data-place="hand(seat 2)"] [data-row]');
  // Both answer what they are asked.
  for (let turns = 0; turns < 8; turns += 1) {
    for (const { page } of [host, guest]) if (await page.locator(".question").count()) await play(page, { seed: turns + 2, mostMoves: 1 });
    await host.page.waitForTimeout(200);
  }
  // One proposes to take a move back, the other one agrees.
  const before = Number(await host.page.locator(".log").getAttribute("start"));
  await host.page.click(".talk-menu summary");
  await host.page.click('[data-propose="pause"]');
  await guest.page.waitForSelector(".proposal .primary");
  await clean(guest.page, "a proposal");
  await guest.page.click(".proposal .primary");
  await host.page.waitForSelector(".banner.warn");
  await clean(host.page, "a pause");
  await host.page.click(".talk .primary");
  await guest.page.waitForSelector(".proposal .primary");
  await guest.page.click(".proposal .primary");
  await host.page.waitForFunction(() => document.querySelector(".banner.warn") === null);
  assert.ok(Number(await host.page.locator(".log").getAttribute("start")) > before);
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});

test("somebody joins an open table from the list", async () => {
  const host = await openPage(world);
  await hostMatch(host.page, "puerto-rico", { players: 2, seats: ["me", "open"], starting: false });
  const guest = await openPage(world, { host: false, name: "Ola" });
  await guest.page.waitForSelector(".card-box input");
  await guest.page.click(".card-box:has(input) .primary");
  await guest.page.waitForSelector(".seats");
  await host.page.waitForFunction(() => document.querySelector<HTMLButtonElement>("[data-start]")?.disabled === false);
  await host.page.click("[data-start]");
  await guest.page.waitForSelector(".table");
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});

test("an open table is in the list as soon as it is opened, and no longer than it is open", async () => {
  const guest = await openPage(world, { host: false, name: "Ola" });
  await guest.page.waitForSelector("[data-ruleset]");
  const before = await guest.page.locator(".card-box:has(input)").count();
  const host = await openPage(world);
  await hostMatch(host.page, "san-juan", { players: 2, modules: ["new-buildings"], seats: ["greedy", "open"] });
  await guest.page.waitForFunction((many) => document.querySelectorAll(".card-box input").length > many, before);
  const titles = await guest.page.waitForSelector(".card-box:has(input) .quiet bdi").then((one) => one.innerText());
  assert.match(titles, /^\p{Lu}[^-]*$/u, "a module is called what its ruleset calls it");
  await guest.page.locator(".card-box:has(input) .primary").first().click();
  // The last seat is taken: the match begins, and is listed no more.
  await guest.page.waitForSelector(".table");
  await guest.page.evaluate(() => (location.hash = "#/"));
  await guest.page.waitForFunction((many) => document.querySelectorAll(".card-box input").length <= many, before);
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});

test("players who promise a part of the chance show it once all have, and then the match begins", async () => {
  const host = await openPage(world);
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "open"], chance: 3 });
  const guest = await openPage(world, { host: false, name: "Ola" });
  await guest.page.waitForSelector(".card-box input");
  await guest.page.locator(".card-box:has(input) .primary").first().click();
  for (const { page } of [host, guest]) await page.click("[data-promise]");
  for (const { page } of [host, guest]) await page.waitForSelector(".table");
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});

test("a spectator follows by a link, and sees no hand", async () => {
  const host = await openPage(world);
  await host.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "link"] });
  await host.page.click(".buttons button:nth-child(2)");
  await host.page.locator(".buttons .copy button").click();
  const link = await host.page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#\/watch\/.+\/rfw_/);
  await host.page.click(".seat-line .small-buttons > button:last-child");
  await host.page.waitForSelector(".table");
  const watcher = await openPage(world, { host: false });
  await watcher.page.goto(link);
  await watcher.page.waitForSelector(".table");
  assert.ok(!watcher.page.url().includes("rfw_"));
  assert.equal(await watcher.page.locator('[data-place^="hand("] [data-row]').count(), 0);
  const before = await watcher.page.locator(".log").getAttribute("start");
  await play(host.page, { seed: 4, mostMoves: 2 });
  await watcher.page.waitForFunction((before) => document.querySelector(".log")?.getAttribute("start") !== before, before);
  assert.equal(await watcher.page.locator("[data-marked]").count(), 0);
  assert.deepEqual([...host.mistakes, ...watcher.mistakes], []);
  await host.context.close();
  await watcher.context.close();
});

test("anybody watches a match from the list; who is away is said, and how much time is left", async () => {
  const host = await openPage(world);
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "link"], clock: 300, anybody: true });
  const match = /match\/([^/]+)/.exec(host.page.url())![1]!;
  const [code] = JSON.parse((await host.page.evaluate(() => localStorage.getItem("referee.codes")))!) as readonly { readonly seat: string; readonly code: string }[];
  const other = connect(world.referee);
  const { seatToken } = await other.matches.claimSeat({ name: code!.seat, claimCode: code!.code, displayName: "Bo" });
  await host.page.waitForSelector(".table");
  assert.match(await host.page.locator(".clock").first().innerText(), /\d:\d\d/);
  // Whoever never came is not there.
  await host.page.waitForSelector('[data-mat="2"] .away', { timeout: 25_000 });
  const leaving = new AbortController();
  void (async () => {
    for await (const told of watch(other.withToken(seatToken), `matches/${match}`, { signal: leaving.signal })) void told;
  })().catch(() => undefined);
  await host.page.waitForSelector('[data-mat="2"] .away', { state: "detached", timeout: 25_000 });
  leaving.abort();

  const watcher = await openPage(world, { host: false });
  await watcher.page.click(`[data-public="matches/${match}"] a`);
  await watcher.page.waitForSelector(".table");
  assert.equal(await watcher.page.locator('[data-place^="hand("] [data-row]').count(), 0);
  await clean(watcher.page, "a public match");
  const before = await watcher.page.locator(".log").getAttribute("start");
  await play(host.page, { seed: 4, mostMoves: 1 });
  await watcher.page.waitForFunction((before) => document.querySelector(".log")?.getAttribute("start") !== before, before);

  // A match that is not public tells nobody that it is there.
  await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "random"] });
  await at(watcher.page, host.page.url().replace(/.*#/, "#").replace("seat/1", "seat/0"));
  await watcher.page.getByText("This browser has no seat at this table").waitFor();
  assert.deepEqual(host.mistakes, []);
  assert.deepEqual(watcher.mistakes.filter((said) => !/40[13]|Failed to load/.test(said)), []);
  other.close();
  await host.context.close();
  await watcher.context.close();
});

test("any moment is returned to, shared by a link, and left for now", async () => {
  const { page, context, mistakes } = await openPage(world);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await hostMatch(page, "puerto-rico", { players: 3, seed: "9".repeat(64) });
  const texts: string[] = [];
  await play(page, { seed: 8, mostMoves: 6 });
  await page.waitForSelector(".question");
  const table = (): Promise<string> => page.locator(".table").innerText();
  texts.push(await table());
  await page.locator(".history button").nth(0).click();
  await page.waitForSelector(".banner.past");
  const first = await table();
  assert.notEqual(first, texts[0]);
  assert.equal(await page.locator(".table [data-marked]").count(), 0, "nothing can be chosen in the past");
  await page.locator('.history button[aria-label="One move on"]').click();
  await page.waitForFunction(() => document.querySelector(".moment")?.textContent?.includes("Moment 2"));
  const second = await table();
  // Every step leads on, whatever moves were the only ones.
  for (let steps = 0; steps < 10; steps += 1) {
    const before = await page.locator(".moment").innerText();
    const onward = page.locator('.history button[aria-label="One move on"]:not(:disabled)');
    if ((await onward.count()) === 0) break;
    await onward.click();
    await page.waitForFunction((before) => document.querySelector(".moment")?.textContent !== before, before);
  }
  await page.locator(".history button").nth(0).click();
  await page.locator('.history button[aria-label="One move on"]').click();
  await page.waitForFunction(() => document.querySelector(".moment")?.textContent?.includes("Moment 2"));
  await page.locator(".history .copy button").click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /\/at\/\d+$/);
  await page.locator(".history .primary").click();
  await page.waitForFunction(() => document.querySelector(".banner.past") === null);
  assert.equal(await table(), texts[0]);
  await page.goto(link);
  await page.waitForSelector(".banner.past");
  await page.waitForTimeout(300);
  assert.equal(await table(), second);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("whoever asks why a piece cannot be chosen is told the clause and the values", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "puerto-rico", { players: 3, seed: "2".repeat(64) });
  await page.waitForSelector('.table [data-thing="piece offered() row role.builder"][data-marked]');
  await page.locator('[data-thing="piece offered() row role.builder"]').click();
  await page.locator("[data-confirm]").click();
  await page.waitForSelector('[data-thing="piece market() row building.wharf"]');
  await page.waitForFunction(() => document.querySelector(".step-name")?.textContent?.includes("building"));
  await page.locator('[data-thing="piece market() row building.wharf"]').click();
  await page.waitForSelector(".why-not .refused .clause");
  await clean(page, "why a piece cannot be chosen");
  const why = await page.locator(".why-not").innerText();
  assert.match(why, /Builder, \d/, why);
  assert.ok((await page.locator(".why-not .compared li").count()) > 0, why);
  const [book] = await Promise.all([context.waitForEvent("page"), page.locator(".why-not .clause-link").first().click()]);
  await book.waitForSelector(".book-clause[data-open]");
  assert.ok(await book.locator(".book-clause[data-open]").isVisible());
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("a move is shown before it is made, and taken back after it", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "puerto-rico", { players: 3, seed: "2".repeat(64) });
  await page.locator('[data-thing="piece offered() row role.settler"][data-marked]').click();
  await page.waitForSelector(".preview li");
  assert.match(await page.locator(".preview").innerText(), /settler/);
  const sign = page.locator('[data-thing="piece offered() row role.settler"][data-chosen]').evaluate((face) => getComputedStyle(face, "::before").position);
  assert.equal(await sign, "absolute", "the sign of what is chosen pushes nothing aside");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".preview").count(), 0);
  await page.locator('[data-thing="piece offered() row role.builder"]').click();
  await page.locator("[data-confirm]").click();
  await page.waitForFunction(() => document.querySelector(".step-name")?.textContent?.includes("building"));
  await page.click(".talk-menu summary");
  await page.click('[data-propose="undoOne"]');
  await page.waitForFunction(() => document.querySelector(".step-name")?.textContent?.includes("role"));
  await page.waitForSelector('[data-place="offered()"] [data-row="builder"]');
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("what a move brings several times is said once", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "3".repeat(64) });
  await page.locator('[data-row="councillor"] [data-marked]').click();
  await page.waitForSelector(".preview li");
  const lines = await page.locator(".preview li").allInnerTexts();
  assert.ok(lines.some((line) => / ×[2-9]$/.test(line)), lines.join("\n"));
  assert.deepEqual(lines, [...new Set(lines)]);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("a player's token is kept, lists its matches with whose turn it is, and opens them in any browser", async () => {
  const admin = connect(world.referee).withToken(world.adminToken);
  const { token } = await admin.admin.createToken({ kind: TokenKind.PLAYER, label: "bo" });
  admin.close();
  const host = await openPage(world);
  const address = await hostMatch(host.page, "puerto-rico", { players: 3, seats: ["me", "link", "greedy"], seed: "4".repeat(64) });
  const [code] = JSON.parse((await host.page.evaluate(() => localStorage.getItem("referee.codes")))!) as readonly { readonly seat: string; readonly code: string }[];

  const { page, context, mistakes } = await openPage(world, { host: false, name: "Bo", lossy: true });
  await page.fill('[name="player-token"]', "rfs_wrong");
  await page.click(".player-box button");
  await page.waitForSelector(".player-box .bad");
  await page.fill('[name="player-token"]', token);
  await page.click(".player-box button");
  await page.waitForSelector("[data-mine]");
  assert.equal(await page.locator("[data-match]").count(), 0);
  await clean(page, "the home of a player without a match");

  // Whoever has the token takes the seat for good, without one of its own.
  await at(page, `#/claim/${code!.seat.replace("matches/", "").replace("/seats/", "/")}/${code!.code}`);
  await page.click(".primary");
  await page.waitForSelector(".table");
  assert.match(page.url(), /\/seat\/2$/);
  assert.equal(await page.evaluate(() => localStorage.getItem("referee.keys")), null);
  await at(page, "#/");
  const card = page.locator(`[data-match="matches/${/match\/([^/]+)/.exec(address)![1]}"]`);
  await card.waitFor();
  await page.waitForFunction(() => /Waiting for .*Ada/.test(document.querySelector("[data-match]")!.textContent!.replaceAll(/[\u2068\u2069]/g, "")));
  await clean(page, "the home of a player");

  // What others do is seen without asking, also after the referee was away.
  const asked = page.locator("[data-match][data-asked]");
  const restarting = world.restart(1500);
  await page.waitForSelector("[data-mine] .banner", { timeout: 20_000 });
  await restarting;
  await page.waitForFunction(() => document.querySelector("[data-mine] .banner") === null, undefined, { timeout: 40_000 });
  await host.page.reload();
  await play(host.page, { seed: 2, mostMoves: 40, until: async () => (await asked.count()) > 0 });
  assert.equal(await asked.count(), 1);
  assert.match(await page.title(), /^●/);
  await asked.locator("a").click();
  await page.waitForSelector(".question");
  await play(page, { seed: 5, mostMoves: 1 });

  // Elsewhere the token alone is enough, and a link of it leaves the address.
  const other = await openPage(world, { host: false, name: "Bo" });
  await other.page.evaluate((token) => (location.hash = `#/key/${token}`), token);
  await other.page.waitForSelector("[data-match]");
  assert.doesNotMatch(other.page.url(), /rfu_/);
  await at(other.page, /#.*\/match\/[^/]+/.exec(address)![0]);
  await other.page.waitForSelector(".mat.mine[data-mat='2']");
  await at(other.page, "#/");
  await other.page.click(".player-box button");
  await other.page.waitForSelector('[name="player-token"]');
  assert.equal(await other.page.locator("[data-mine]").count(), 0);

  // A token that opens nothing any more is said to be so, and the rest is there all the same.
  await other.page.fill('[name="player-token"]', "rfu_none");
  await other.page.click(".player-box button");
  await other.page.waitForSelector(".player-box .bad");
  assert.ok((await other.page.locator(".game").count()) > 0);
  assert.deepEqual(mistakes, []);
  assert.deepEqual(other.mistakes.filter((one) => !one.includes("Failed to load resource")), []);
  for (const one of [host.context, context, other.context]) await one.close();
});

test("a referee that restarts is waited for, and said to be away", async () => {
  const { page, context } = await openPage(world, { lossy: true });
  await hostMatch(page, "puerto-rico", { players: 3, seed: "4".repeat(64) });
  await play(page, { seed: 2, mostMoves: 2 });
  await page.waitForSelector(".question");
  const restarting = world.restart(1500);
  await page.waitForSelector(".banner.warn", { timeout: 20_000 });
  await restarting;
  await page.waitForFunction(() => document.querySelector(".banner.warn") === null, undefined, { timeout: 40_000 });
  await play(page, { seed: 3, mostMoves: 2 });
  await context.close();
});

test("whoever loses the network is told so, is not told a move that nobody heard of, and plays on where the match stands", { timeout: 180_000 }, async () => {
  const { page, context } = await openPage(world, { lossy: true });
  await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "4".repeat(64) });
  await play(page, { seed: 2, mostMoves: 2 });
  await page.waitForSelector(".question");
  await context.setOffline(true);
  const since = Date.now();
  await page.waitForSelector(".banner.warn", { timeout: 60_000 });
  // What is tried meanwhile has not happened, and is said to have not.
  const before = await page.locator(".log").getAttribute("start");
  const trouble = page.locator(".trouble");
  await play(page, { seed: 3, mostMoves: 1, until: async () => (await trouble.count()) > 0, refusal: async () => assert.match(await trouble.innerText(), /cannot be reached/) });
  assert.equal(await page.locator(".log").getAttribute("start"), before);
  await page.waitForTimeout(Math.max(0, 20_000 - (Date.now() - since)));
  await context.setOffline(false);
  await page.waitForFunction(() => document.querySelector(".banner.warn") === null, undefined, { timeout: 60_000 });
  await play(page, { seed: 3, mostMoves: 3 });
  await page.waitForFunction((before) => document.querySelector(".log")?.getAttribute("start") !== before, before);
  await context.close();
});

test("a page that slept, and the referee was away meanwhile, shows the match as it stands when it wakes", { timeout: 180_000 }, async () => {
  const { page, context } = await openPage(world, { lossy: true });
  const address = await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "4".repeat(64) });
  await play(page, { seed: 2, mostMoves: 2 });
  await page.waitForSelector(".question");
  const kept = await page.evaluate(() => localStorage.getItem("referee.keys"));
  const session = await context.newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await world.restart(1500);
  // Meanwhile the same seat is played from elsewhere.
  const other = await openPage(world, { lossy: true });
  await other.page.evaluate((kept) => localStorage.setItem("referee.keys", kept!), kept);
  await other.page.goto(address);
  await other.page.reload();
  await play(other.page, { seed: 3, mostMoves: 2 });
  await other.page.waitForSelector(".question");
  const stands = await other.page.locator(".log").getAttribute("start");
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await page.waitForFunction((stands) => document.querySelector(".log")?.getAttribute("start") === stands && document.querySelector(".banner.warn") === null, stands, { timeout: 60_000 });
  await play(page, { seed: 4, mostMoves: 1 });
  await context.close();
  await other.context.close();
});

test("a record is saved and replayed from its file", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "puerto-rico", { players: 2, seed: "6".repeat(64) });
  await play(page, { seed: 12, picture: 0.2 });
  await page.waitForSelector(".result");
  const scores = await page.locator(".result .sheet").innerText();
  await clean(page, "the result");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("section.talk > button").click()]);
  const file = await download.path();
  await at(page, "#/replay");
  await page.setInputFiles('input[type="file"]', file);
  await page.waitForSelector(".table");
  await page.locator('.history button[aria-label="One move on"]').click();
  await page.locator(".history input").evaluate((slider: HTMLInputElement) => {
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForSelector(".result");
  const replayed = await page.locator(".result .sheet").innerText();
  assert.equal(replayed, scores);
  await clean(page, "a record that is replayed");
  await page.goto(`${world.address}/#/replay`);
  await page.reload();
  await page.setInputFiles('input[type="file"]', { name: "no.jsonl", mimeType: "text/plain", buffer: Buffer.from("nothing\n") });
  await page.waitForSelector(".bad");
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("icons that a ruleset names come with its table, and nothing comes for them while it is played", async () => {
  const { page, context, mistakes } = await openPage(world);
  const icons: string[] = [];
  page.on("request", (request) => void (/\/icons\//.test(request.url()) && icons.push(/([a-z0-9-]+?)-[\w-]{8}\.svg$/.exec(request.url())![1]!)));
  await page.waitForSelector(".game");
  await hostMatch(page, "san-juan", { players: 2, seats: ["me", "greedy"], seed: "4".repeat(64) });
  await page.waitForSelector(".question");
  await page.waitForSelector(".table .icon");
  const named = [...icons];
  assert.equal(new Set(named).size, named.length, "each comes once");
  assert.ok(named.includes("chili-pepper") === false && named.includes("sugar-cane") && named.length < 90, named.join(" "));
  await play(page, { seed: 4, mostMoves: 10 });
  assert.deepEqual(icons, named, "what is shown later tells nobody on the line what it is");
  await page.reload();
  await page.waitForSelector(".table .icon");
  assert.deepEqual(new Set(icons), new Set(named));
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("events are shown one by one, and at once for whoever wants that", async () => {
  const { page, context, mistakes } = await openPage(world, { motion: "full" });
  await hostMatch(page, "puerto-rico", { players: 3, seed: "2".repeat(64) });
  await page.waitForSelector(".question", { timeout: 30_000 });
  await page.evaluate(() => {
    const seen = { fliers: 0 };
    Object.assign(window, { seen });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element && node.classList.contains("flier")) seen.fliers += 1;
    }).observe(document.body, { childList: true });
  });
  await page.locator('[data-thing="piece offered() row role.prospector"], [data-thing="piece offered() row role.craftsman"]').first().click();
  await page.locator("[data-confirm]").click();
  await page.waitForFunction(() => (window as unknown as { seen: { fliers: number } }).seen.fliers > 2, undefined, { timeout: 15_000 });
  await page.waitForSelector(".question", { timeout: 30_000 });
  await page.waitForFunction(() => document.querySelector(".flier") === null, undefined, { timeout: 15_000 });
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("a track shows where its marker stands, and clauses are called in the reader's language", async () => {
  const { page, context, mistakes } = await openPage(world, { language: "pl" });
  await hostMatch(page, "genoa", { players: 3, seed: "7".repeat(64) });
  await page.waitForSelector(".track");
  const rounds = page.locator('.track li:has([data-place="rounds_left()"]) .step-number');
  assert.equal(await page.locator(".track .step-number").count(), 12);
  assert.match(await rounds.innerText(), /^(10|9)$/, "three players begin at 10, and the Market takes one");
  await play(page, { seed: 5, mostMoves: 3 });
  const labels = await page.locator(".clause-link bdi").allTextContents();
  assert.ok(labels.length > 0);
  for (const label of labels) assert.match(label, /^\p{Lu}[\p{L} ,]*, \d+$/u, label);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("areas of the common table keep their place and their width while a match goes on", async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "san-juan", { players: 3, seed: "2".repeat(64) });
  await page.waitForSelector(".area-common > .titled");
  const areas = (): Promise<readonly { left: number; width: number }[]> =>
    page.locator(".area-common > .titled").evaluateAll((all) => all.map((area) => area.getBoundingClientRect()).map(({ left, width }) => ({ left, width })));
  const cards = (): Promise<number> => page.locator('[data-place="offered()"] .piece').count();
  let before = await areas();
  let fewest = await cards();
  const each = async (): Promise<void> => {
    const now = await areas();
    now.forEach(({ left, width }, at) => {
      assert.ok(Math.abs(width - before[at]!.width) < 1, `area ${at} was ${before[at]!.width} wide and is ${width}`);
      assert.ok(Math.abs(left - before[at]!.left) < 2, `area ${at} stood at ${before[at]!.left} and stands at ${left}`);
    });
    before = now;
    fewest = Math.min(fewest, await cards());
  };
  await play(page, { seed: 3, mostMoves: 14, each });
  assert.ok(fewest < 5, "what lies there has changed");
  assert.deepEqual(mistakes, []);
  await context.close();
});
