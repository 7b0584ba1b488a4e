/**
 * Coming back to a seat: a tab that was closed, a browser that was, a link that was used before, a browser that is lost.
 *
 * In: REFEREE. Out: whoever does not find their seat again, or whose seat somebody else can take.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { TokenKind } from "referee-client/v1";
import { connect } from "referee-client/node";
import { clean } from "./axe.ts";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld, type Watched, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface Invited {
  readonly host: Watched;
  /** The invitation to the second seat. */
  readonly link: string;
  readonly match: string;
}

/** A table for two, of which the second seat has a link. */
async function invited(): Promise<Invited> {
  const host = await openPage(world);
  await host.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const address = await hostMatch(host.page, "san-juan", { players: 2, seats: ["me", "link"], seed: "3".repeat(64) });
  return { host, link: await copied(host.page, ".seat-line .copy button"), match: /match\/([^/]+)/.exec(address)![1]! };
}

async function copied(page: Page, button: string): Promise<string> {
  await page.locator(button).click();
  return page.evaluate(() => navigator.clipboard.readText());
}

async function sitDown(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await page.fill('[name="player"]', name);
  await page.click("main .primary");
  await page.waitForSelector(".table");
}

/** The second seat is open in this page, and its hand is seen. */
const seated = (page: Page): Promise<unknown> => page.waitForSelector('.mat.mine[data-mat="2"] [data-place="hand(seat 2)"] [data-row]');

/** Answers what each of them is asked until the guest has moved. */
async function playOn(host: Page, guest: Page): Promise<void> {
  let made = 0;
  for (let turns = 0; turns < 40 && made === 0; turns += 1) {
    if (await guest.locator(".question").count()) made += (await play(guest, { seed: turns + 2, mostMoves: 1 })).moves;
    else if (await host.locator(".question").count()) await play(host, { seed: turns + 2, mostMoves: 1 });
    else await host.waitForTimeout(100);
  }
  assert.equal(made, 1, "the guest makes a move");
}

/** The same browser, after it was closed and opened again. */
async function reopened(context: BrowserContext): Promise<BrowserContext> {
  const storageState = await context.storageState();
  await context.close();
  const again = await world.browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
  await again.addInitScript("globalThis.__name ??= (named) => named");
  return again;
}

test("whoever closes the tab, or the browser, goes on from the link, the address, or the list", { timeout: 120_000 }, async () => {
  const { host, link, match } = await invited();
  const guest = await openPage(world, { host: false, name: "" });
  await sitDown(guest.page, link, "Bo");
  await seated(guest.page);
  await guest.page.close();

  const tab = await guest.context.newPage();
  await tab.goto(link);
  await seated(tab);
  assert.ok(!tab.url().includes("rfc_"));
  await playOn(host.page, tab);
  await tab.close();

  const browser = await reopened(guest.context);
  const byAddress = await browser.newPage();
  await byAddress.goto(`${world.address}/#/match/${match}/seat/2`);
  await seated(byAddress);
  const byLink = await browser.newPage();
  await byLink.goto(link);
  await seated(byLink);
  const byList = await browser.newPage();
  await byList.goto(world.address);
  await byList.locator(`a[href="#/match/${match}/seat/2"]`).click();
  await seated(byList);
  await playOn(host.page, byList);
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await browser.close();
});

test("a player with a token of their own goes back to their seat by the link that was used", { timeout: 120_000 }, async () => {
  const { host, link, match } = await invited();
  const admin = connect(world.referee).withToken(world.adminToken);
  const { token } = await admin.admin.createToken({ kind: TokenKind.PLAYER, label: "bo" });
  admin.close();
  const guest = await openPage(world, { host: false, name: "Bo" });
  await guest.page.fill('[name="player-token"]', token);
  await guest.page.click(".player-box button");
  await guest.page.waitForSelector("[data-mine]");
  await sitDown(guest.page, link, "Bo");
  await guest.page.close();
  const tab = await guest.context.newPage();
  await tab.goto(link);
  await seated(tab);
  assert.match(tab.url(), new RegExp(`#/match/${match}/seat/2$`));
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});

test("a link that was used opens nothing elsewhere, and the host's new one does, which shuts the old browser out", { timeout: 120_000 }, async () => {
  const { host, link } = await invited();
  const lost = await openPage(world, { host: false, name: "Bo", lossy: true });
  await sitDown(lost.page, link, "Bo");
  const guest = await openPage(world, { host: false, name: "Bo", lossy: true });
  await guest.page.goto(link);
  // What one is invited to is said.
  await guest.page.waitForFunction(() => /San Juan.*Rules/.test(document.querySelector("main")!.innerText.replaceAll(/[\u2068\u2069]/g, "")));
  await guest.page.click("main .primary");
  await guest.page.waitForSelector(".trouble");
  assert.match(await guest.page.locator("main").innerText(), /new link/);
  await clean(guest.page, "a link that was used");

  await host.page.waitForSelector(".table");
  await host.page.locator("summary", { hasText: "Host" }).click();
  // A question is asked first, and one may think better of it.
  await host.page.click('[data-sure="release-2"]');
  await clean(host.page, "a question before a link is made anew");
  await host.page.locator(".sure button", { hasText: "Cancel" }).click();
  await host.page.click('[data-sure="release-2"]');
  await host.page.locator(".sure .danger").click();
  const other = await copied(host.page, ".talk-menu .copy button:has-text('(2)')");
  assert.notEqual(other, link);
  await sitDown(guest.page, other, "Bo");
  await seated(guest.page);
  await playOn(host.page, guest.page);
  // The browser that is lost sees no more of the hand, and is told so.
  await lost.page.waitForSelector(".trouble, .banner");
  await lost.page.reload();
  await lost.page.waitForSelector(".trouble");
  assert.deepEqual([...host.mistakes, ...guest.mistakes, ...lost.mistakes], []);
  for (const { context } of [host, guest, lost]) await context.close();
});

test("a seat that was given while the tab was closed is had by asking again", { timeout: 120_000 }, async () => {
  const { host, link } = await invited();
  const guest = await openPage(world, { host: false, name: "Bo" });
  // The referee gives the seat, and the answer never comes.
  let given: () => void = () => undefined;
  const seatGiven = new Promise<void>((resolve) => (given = resolve));
  await guest.page.route(/\/ClaimSeat$/, async (route) => {
    assert.equal((await route.fetch()).status(), 200);
    given();
  });
  await guest.page.goto(link);
  await guest.page.click("main .primary");
  await seatGiven;
  await guest.page.close();
  const tab = await guest.context.newPage();
  await sitDown(tab, link, "Bo");
  await seated(tab);
  assert.deepEqual(guest.mistakes, []);
  await host.context.close();
  await guest.context.close();
});

test("a seat that was taken in one tab is not forgotten by another one", { timeout: 120_000 }, async () => {
  const { host, link, match } = await invited();
  const guest = await openPage(world, { name: "Bo" });
  const tab = await guest.context.newPage();
  await sitDown(tab, link, "Bo");
  // What the first tab keeps now, it keeps beside what the other one did.
  await hostMatch(guest.page, "puerto-rico", { players: 3 });
  await guest.page.evaluate(() => (location.hash = "#/"));
  await guest.page.waitForSelector(`a[href="#/match/${match}/seat/2"]`);
  await guest.page.reload();
  await guest.page.locator(`a[href="#/match/${match}/seat/2"]`).click();
  await seated(guest.page);
  assert.deepEqual([...host.mistakes, ...guest.mistakes], []);
  await host.context.close();
  await guest.context.close();
});
