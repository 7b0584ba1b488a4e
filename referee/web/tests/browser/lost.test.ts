/**
 * Connections that are dead without saying so: a page notices, says so, and is back as soon as it can be.
 *
 * In: REFEREE. Out: a page that waits for ever after a network that stalls, a connection that was lost on the way, a referee that was
 * killed, a machine that slept; a move that was made twice, or told as made and was not.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Page } from "playwright-core";
import { openDecisions, Choice, type Referee } from "referee-client";
import { connect } from "referee-client/node";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";
import { lineTo, type LineToPage } from "./line.ts";
import { test } from "./share.ts";

const SEED = "4".repeat(64);
const LOST = "[data-lost]";
const BACK = "[data-back]";

interface Table {
  readonly page: Page;
  readonly line: LineToPage;
  /** The seat of the page, from elsewhere. */
  readonly seat: Referee;
  readonly match: string;
  close(): Promise<void>;
}

/** A match whose page is reached over a line of its own. */
async function opened(world: World, ruleset = "san-juan", slept = false): Promise<Table> {
  const line = await lineTo(world.address);
  const { page, context } = await openPage({ ...world, address: line.address }, { lossy: true });
  if (slept) await context.clock.install();
  if (slept) await page.reload();
  const address = await hostMatch(page, ruleset, { players: 2, seats: ["me", "greedy"], seed: SEED });
  const match = `matches/${/match\/([^/]+)/.exec(address)![1]}`;
  const kept = JSON.parse((await page.evaluate(() => localStorage.getItem("referee.keys")))!) as readonly { match: string; token: string }[];
  const elsewhere = connect(world.referee);
  await page.waitForSelector(".question");
  return {
    page,
    line,
    match,
    seat: elsewhere.withToken(kept.find((key) => key.match === match)!.token),
    async close() {
      await context.close();
      line.close();
      elsewhere.close();
    },
  };
}

/** Plays for the page's seat from elsewhere, so that what the page shows is behind. */
async function moveElsewhere({ seat, match }: Table): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const [question] = await openDecisions(seat, match);
    if (question) {
      const choice = question.offers.map((offer) => Choice.of(offer).filled()).find(({ ready }) => ready)!;
      await seat.play.submitMove({ name: match, decisionId: question.decision.decisionId, move: choice.move() });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing is asked");
}

/** Moves that the seat of the page has made. */
async function movesMade({ seat, match }: Table): Promise<number> {
  const { events } = await seat.play.listEvents({ name: match, pageSize: 1000 });
  return events.filter(({ kind }) => kind.case === "moveMade" && kind.value.seat === 1).length;
}

const logAt = (page: Page): Promise<string | null> => page.locator(".log").getAttribute("start");
/** What happened elsewhere is shown, and asked. */
async function caughtUp({ page, seat, match }: Table, timeout: number): Promise<void> {
  const stands = async (): Promise<boolean> => {
    const [question] = await openDecisions(seat, match);
    return question !== undefined && (await page.locator(`[data-question="${question.decision.decisionId}"]`).count()) === 1;
  };
  for (const until = Date.now() + timeout; !(await stands()); await page.waitForTimeout(50)) if (Date.now() > until) assert.fail(`the page does not stand where the match stands after ${timeout} ms: ${(await page.locator(".side").innerText()).slice(0, 300)}`);
  assert.equal(await page.locator(LOST).count(), 0);
}
/** The page hears nothing: what happens elsewhere it does not show. */
async function isDeaf(table: Table): Promise<void> {
  const before = await logAt(table.page);
  await moveElsewhere(table);
  await table.page.waitForTimeout(1200);
  assert.equal(await logAt(table.page), before, "the connection is dead");
}

describe("where a stream says something every second", () => {
  let world: World;
  before(async () => {
    world = await startWorld([], ["heartbeat=1s", "call_time=2s"]);
  });
  after(() => world.close());

  test("a network that stalls is noticed and said, and the page is back when it passes again", { timeout: 120_000 }, async () => {
    const table = await opened(world);
    const { page, line } = table;
    line.stall();
    const since = Date.now();
    await page.waitForSelector(LOST, { timeout: 30_000 });
    assert.ok(Date.now() - since > 2000, "two heartbeats that are late are no loss");
    await moveElsewhere(table);
    await page.waitForTimeout(8000);
    assert.equal(await page.locator(LOST).count(), 1, "it is said for as long as it lasts");
    line.letThrough();
    await page.waitForSelector(BACK, { timeout: 30_000 });
    await caughtUp(table, 10_000);
    await page.waitForSelector(BACK, { state: "detached", timeout: 10_000 });
    assert.equal((await play(page, { seed: 3, mostMoves: 2 })).moves, 2);
    await table.close();
  });

  test("connections that were lost on the way are given up by their silence, and the page follows on new ones", { timeout: 120_000 }, async () => {
    const table = await opened(world);
    table.line.bury();
    await isDeaf(table);
    await caughtUp(table, 20_000);
    assert.equal((await play(table.page, { seed: 3, mostMoves: 2 })).moves, 2);
    await table.close();
  });

  test("a move whose answer was lost on the way is asked for again, and made once", { timeout: 120_000 }, async () => {
    for (const what of ["in", "both"] as const) {
      const table = await opened(world);
      const { page, line } = table;
      const before = await movesMade(table);
      await page.locator("[data-marked][data-thing]").first().click();
      await page.waitForSelector("[data-confirm]:not(:disabled)");
      const asked = await page.locator(".question").getAttribute("data-question");
      line.bury(what);
      await page.locator("[data-confirm]").click();
      await page.waitForFunction((asked) => document.querySelector(".question")?.getAttribute("data-question") !== asked, asked, { timeout: 30_000 });
      await caughtUp(table, 20_000);
      assert.equal(await page.locator(".trouble").count(), 0, "it was made, and is not told to have failed");
      assert.ok((await movesMade(table)) > before);
      // Whatever the seat was asked between: the one move of the page is there once.
      assert.equal((await movesMade(table)) - before, 1 + (await forcedSince(table, before)));
      await table.close();
    }
  });

  test("a move that could not be sent for long is made once when it is made again", { timeout: 180_000 }, async () => {
    const table = await opened(world);
    const { page, line } = table;
    const before = await movesMade(table);
    await page.locator("[data-marked][data-thing]").first().click();
    await page.waitForSelector("[data-confirm]:not(:disabled)");
    line.bury("in");
    // All that is told from now on is held up: the move is made, and nobody hears of it.
    await page.locator("[data-confirm]").click();
    await page.waitForTimeout(300);
    line.stall();
    await page.waitForSelector(".trouble", { timeout: 120_000 });
    assert.match(await page.locator(".trouble").innerText(), /cannot be reached/);
    line.letThrough();
    await caughtUp(table, 40_000);
    assert.equal((await movesMade(table)) - before, 1 + (await forcedSince(table, before)));
    assert.equal((await play(page, { seed: 3, mostMoves: 1 })).moves, 1);
    await table.close();
  });

  test("the list of tables is followed on after its connection was lost", { timeout: 120_000 }, async () => {
    const line = await lineTo(world.address);
    const { page, context } = await openPage({ ...world, address: line.address }, { host: false, lossy: true });
    await page.waitForSelector("[data-ruleset]");
    const open = page.locator(".card-box:has(input)");
    const before = await open.count();
    line.bury();
    const host = await openPage(world);
    await hostMatch(host.page, "san-juan", { players: 2, seats: ["greedy", "open"] });
    await page.waitForFunction((many) => document.querySelectorAll(".card-box input").length > many, before, { timeout: 20_000 });
    await host.context.close();
    await context.close();
    line.close();
  });
});

/** Of the moves of the seat after so many those that it had no choice in. */
async function forcedSince({ seat, match }: Table, before: number): Promise<number> {
  const { events } = await seat.play.listEvents({ name: match, pageSize: 1000 });
  const mine = events.flatMap(({ kind }) => (kind.case === "moveMade" && kind.value.seat === 1 ? [kind.value.origin] : []));
  return mine.slice(before).filter((origin) => origin === 2).length;
}

describe("where silence is noticed after half a minute", () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const WAYS: readonly { readonly called: string; readonly wake: (table: Table) => Promise<void> }[] = [
    {
      called: "a machine that slept with its page in front",
      // Timers that were due meanwhile go off once, as they do on a machine that wakes.
      wake: ({ page }) => page.clock.fastForward(20_000),
    },
    {
      called: "a page that comes to the front again",
      async wake({ page }) {
        const show = (hidden: boolean): Promise<void> =>
          page.evaluate((hidden) => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
            document.dispatchEvent(new Event("visibilitychange"));
          }, hidden);
        await show(true);
        await page.clock.fastForward(12_000);
        await show(false);
      },
    },
    {
      called: "a page that was frozen",
      // A headless browser freezes no page; of one that was frozen it says this.
      wake: ({ page }) => page.evaluate(() => void document.dispatchEvent(new Event("resume"))),
    },
    {
      called: "a network that went and came",
      async wake({ page, line }) {
        await page.context().setOffline(true);
        await page.waitForSelector(LOST, { timeout: 10_000 });
        // What the browser keeps open it may lose for another one.
        line.bury();
        await page.context().setOffline(false);
      },
    },
  ];
  for (const { called, wake } of WAYS) {
    test(`${called} asks anew at once`, { timeout: 120_000 }, async () => {
      const table = await opened(world, "san-juan", true);
      table.line.bury();
      await isDeaf(table);
      const since = Date.now();
      await wake(table);
      await caughtUp(table, 15_000);
      console.log(`${called}: shows the match as it stands ${Date.now() - since} ms later`);
      assert.equal((await play(table.page, { seed: 3, mostMoves: 2 })).moves, 2);
      await table.close();
    });
  }

  test("a referee that is killed and started again is said to be away and to be back, and the match goes on", { timeout: 120_000 }, async () => {
    const table = await opened(world);
    const { page } = table;
    const restarting = world.restart(1500, "SIGKILL");
    await page.waitForSelector(LOST, { timeout: 10_000 });
    await restarting;
    await page.waitForSelector(BACK, { timeout: 30_000 });
    await caughtUp(table, 10_000);
    assert.equal((await play(page, { seed: 3, mostMoves: 2 })).moves, 2);
    await table.close();
  });

  test("a page that is opened while the referee is away comes when it does", { timeout: 120_000 }, async () => {
    const table = await opened(world);
    const { page } = table;
    table.line.stall();
    await page.reload({ timeout: 2000 }).catch(() => undefined);
    table.line.letThrough();
    await caughtUp(table, 30_000);
    await table.close();
  });
});
