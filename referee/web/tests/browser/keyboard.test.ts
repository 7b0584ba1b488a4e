/**
 * Matches by the keyboard alone, whole or until everything was chosen that can be: bags, spreads, amounts, values, whole offers to
 * others are reached, changed and confirmed by Tab, Enter and arrows.
 *
 * In: REFEREE. Out: what has the focus never, or does nothing when it is pressed.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { chance } from "./driver.ts";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";
import { test } from "./share.ts";

let world: World;
before(async () => {
  world = await startWorld(["../../tests/rulesets"]);
});
after(() => world.close());

/** What Tab stops at, as far as that can be told from outside; whether it does is what is tested. */
const STOPS = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]';

/** Presses Tab until the element that is wanted has the focus; gives up after a round of the page. */
async function tabToWanted(page: Page): Promise<boolean> {
  const far = await page.evaluate((stops) => {
    const { wanted } = globalThis as unknown as { wanted: Element };
    const all = [...document.querySelectorAll(stops)].filter((one) => one.checkVisibility());
    return all.indexOf(wanted) - all.indexOf(document.activeElement ?? document.body);
  }, STOPS);
  // Each look takes as long as many presses: what surely lies between is passed without.
  for (let presses = 0; presses < far - 1; presses += 1) {
    await page.keyboard.press("Tab");
    if (presses % 8 === 7 && (await isWanted(page))) return true;
  }
  for (let presses = 0; presses < 400; presses += 1) {
    if (await isWanted(page)) return true;
    await page.keyboard.press("Tab");
  }
  return false;
}

const isWanted = (page: Page): Promise<boolean> => page.evaluate(() => document.activeElement === (globalThis as unknown as { wanted: Element }).wanted);

/** Presses Tab until one of several things has the focus. */
async function tabToOne(page: Page, selector: string, random: () => number): Promise<boolean> {
  const found = await page.evaluate(({ selector, part }) => {
    const all = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    (globalThis as unknown as { wanted: Element | undefined }).wanted = all[Math.floor(part * all.length)];
    return all.length > 0;
  }, { selector, part: random() });
  return found && tabToWanted(page);
}

/** Presses Tab until the first thing of this kind has the focus. */
const tabTo = (page: Page, selector: string): Promise<boolean> => tabToOne(page, selector, () => 0);

/** What changes a chooser, by the kind of what is chosen; a list of many values is changed by an arrow, as numbers are. */
const CHANGES: Readonly<Record<string, string>> = {
  bag: ".step:not(:disabled)",
  spread: ".step:not(:disabled)",
  amount: "input[type=range]",
  values: "[role=radio][aria-checked=false], select",
};

interface Played {
  readonly moves: number;
  /** Kinds of choosers that were changed in moves that were made. */
  readonly changed: ReadonlySet<string>;
  /** Names of the moves. */
  readonly names: ReadonlySet<string>;
}

/** Plays to the end, or until it is enough. */
async function playByKeys(page: Page, seed: number, enough: (played: Played) => boolean = () => false, most = 60): Promise<Played> {
  const random = chance(seed);
  const [changed, names] = [new Set<string>(), new Set<string>()];
  let [moves, refusals] = [0, 0];
  let touched = new Set<string>();
  for (let steps = 0; steps < most; steps += 1) {
    await page.waitForSelector(".question, .result", { timeout: 60_000 });
    const played = { moves, changed, names };
    if ((await page.locator(".result").count()) || enough(played)) return played;
    // Focus may be lost with what was pressed: from the beginning of the page a link leads to the moves.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.locator("body").press("Tab");
    assert.ok(await tabTo(page, '.skip[href="#moves"]'), "there is a link that skips to the moves");
    await page.keyboard.press("Enter");
    const choosers = await page.locator(".chooser").evaluateAll((all) => all.map((one) => ({ kind: (one as HTMLElement).dataset["domain"] ?? "", parameter: (one as HTMLElement).dataset["parameter"] ?? "" })));
    const untouched = choosers.find(({ parameter }) => !touched.has(parameter));
    if (untouched !== undefined) {
      const { kind, parameter } = untouched;
      touched.add(parameter);
      const chooser = `.chooser[data-parameter="${parameter}"]`;
      const control = CHANGES[kind]!.split(", ").map((one) => `${chooser} ${one}`).join(", ");
      if (await tabToOne(page, control, random)) {
        const stands = (): Promise<string> => page.locator(chooser).evaluate((one) => one.innerHTML + [...one.querySelectorAll("input, select")].map((input) => (input as HTMLInputElement).value).join());
        const before = await stands();
        const turned = await page.evaluate(() => ["INPUT", "SELECT"].includes(document.activeElement?.tagName ?? ""));
        await page.keyboard.press(turned ? "ArrowDown" : "Enter");
        if ((await stands()) === before && turned) await page.keyboard.press("ArrowUp");
        for (let tries = 0; (await stands()) === before; tries += 1) {
          assert.ok(tries < 40, `${kind} ${parameter} is changed by the key`);
          await page.waitForTimeout(25);
        }
        touched.add(`changed ${kind}`);
      }
    } else if (await page.locator("[data-confirm]:not(:disabled)").count()) {
      const start = await page.locator(".log").getAttribute("start");
      const name = await page.locator(".chosen").getAttribute("data-move");
      assert.ok(await tabTo(page, "[data-confirm]"));
      await page.keyboard.press("Enter");
      await page.waitForFunction((start) => document.querySelector(".log")?.getAttribute("start") !== start || document.querySelector(".trouble, .result"), start);
      if ((await page.locator(".trouble").count()) === 0) {
        moves += 1;
        refusals = 0;
        if (name !== null) names.add(name);
        for (const one of touched) if (one.startsWith("changed ")) changed.add(one.slice(8));
      } else {
        refusals += 1;
        if (await tabTo(page, "[data-alternative]")) await page.keyboard.press("Enter");
        // What goes together only as it was is left for something else.
        else if (refusals > 1 && (await tabToOne(page, ".trail button", random))) await page.keyboard.press("Enter");
      }
      touched = new Set();
    } else if (choosers.length > 0) {
      // What fills it as far as it goes, of a chooser that is not complete.
      const fills = ".chooser:has(.remains:not([data-complete])) .small-buttons button:first-child";
      assert.ok((await tabTo(page, fills)) || (await tabTo(page, ".chooser .small-buttons button, .chooser .step:not(:disabled)")), "what is not complete can be completed");
      await page.keyboard.press("Enter");
    } else {
      assert.ok(await tabToOne(page, ".move-name, .narrow .options button", random) || (await tabToOne(page, "[data-offer]", random)), "a move can be begun");
      await page.keyboard.press("Enter");
      touched = new Set();
    }
  }
  throw new Error(`${moves} moves are not enough: ${[...changed].join()} of ${[...names].join()}; ${(await page.locator(".moves").innerText()).slice(0, 400)}`);
}

test("a whole match of sealed-letters is played by the keyboard alone", { timeout: 600_000 }, async () => {
  const { page, context, mistakes } = await openPage(world);
  await hostMatch(page, "sealed-letters", { players: 2, seats: ["me", "random"], seed: "6".repeat(64) });
  const { moves, changed } = await playByKeys(page, 1);
  assert.ok(moves >= 3 && changed.has("bag"), `${[...changed].join()} in ${moves} moves`);
  assert.deepEqual(mistakes, []);
  await context.close();
});

/** Where each kind of what is open comes up, and moves that are to be made besides. */
const OPEN: readonly { readonly ruleset: string; readonly players: number; readonly kinds: readonly string[]; readonly names: RegExp; readonly what: string }[] = [
  { ruleset: "puerto-rico", players: 3, kinds: ["spread"], names: /./, what: "people are spread over their places" },
  { ruleset: "san-juan", players: 2, kinds: ["bag"], names: /./, what: "cards are paid with" },
  { ruleset: "genoa", players: 3, kinds: ["amount", "values"], names: /^(offer|wish|counter|propose)/, what: "offers with what they bring and cost are made to others" },
];
for (const { ruleset, players, kinds, names, what } of OPEN) {
  test(`${what} by the keyboard alone`, { timeout: 600_000 }, async () => {
    const { page, context, mistakes } = await openPage(world, { width: 1280 });
    await hostMatch(page, ruleset, { players, seats: ["me", ...Array.from({ length: players - 1 }, () => "greedy")], seed: "5".repeat(64) });
    const { changed, names: made } = await playByKeys(page, 7, (played) => kinds.every((kind) => played.changed.has(kind)) && [...played.names].some((name) => names.test(name)), 400);
    console.log(`${ruleset}: ${[...changed].join(", ")} by the keyboard, in moves ${[...made].join(", ")}`);
    assert.deepEqual(kinds.filter((kind) => !changed.has(kind)), []);
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}
