/**
 * A player who only clicks what the page marks.
 *
 * In: a page with a table. Out: the match, played to its end by real clicks: on things of the picture that are marked, on what a
 * chooser offers, on buttons of the panel now and then, or only where the picture marks nothing. Nothing is forced and nothing of
 * the page is called.
 *
 * @module
 */
import type { Locator, Page } from "playwright-core";

/** Numbers from a seed, so that a match can be played again. */
export function chance(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export interface Played {
  /** Moves that were made. */
  readonly moves: number;
  /** Attempts that were refused: what is chosen by chance may not go together. */
  readonly refused: number;
  /** Clicks from move to move: whatever was refused or came to nothing before a move counts with it. */
  readonly gestures: readonly number[];
  /** Moves that were begun on the picture, and on the panel, by name. */
  readonly byPicture: ReadonlyMap<string, number>;
  readonly byPanel: ReadonlyMap<string, number>;
  /** The only moves that there were, which nobody had to begin. */
  readonly byItself: ReadonlyMap<string, number>;
}

const MARKED = ".table [data-marked][data-thing]";
/** That a move was refused; what is said of one before it is confirmed stands with what was chosen. */
const REFUSED = ".trouble:not(.chosen *)";

/** Where things of the picture lead, and where somebody wants to get. */
export interface Guide {
  /** Names of moves that pointing at a thing may begin. */
  leads(thing: string): ReadonlySet<string>;
  wants(move: string): boolean;
  /** A move was made that was begun on the picture. */
  begun(move: string): void;
}

/** One of several, if there is any that can be seen. */
async function anyOf(all: Locator, random: () => number): Promise<Locator | undefined> {
  const visible = [];
  for (const one of (await all.all()).slice(0, 80)) if (await one.isVisible()) visible.push(one);
  return visible[Math.floor(random() * visible.length)];
}

/** Something on the picture that is marked, of those that lead to what is wanted, if any do. */
async function markedOf(page: Page, random: () => number, guide: Guide | undefined, aim: string | undefined): Promise<{ readonly one: Locator; readonly aim: string | undefined } | undefined> {
  const all = await page.locator(MARKED).evaluateAll((elements) => elements.map((element) => ({ thing: element.getAttribute("data-thing")!, seen: element.checkVisibility() && element.getClientRects().length > 0 })));
  const seen = all.flatMap(({ thing, seen }, at) => (seen ? [{ at, leads: guide?.leads(thing) }] : []));
  const to = (move: string | undefined): typeof seen => (move === undefined ? [] : seen.filter(({ leads }) => leads?.has(move)));
  // Whoever has begun something goes on with that. Every kind of move is as likely as another, however many things lead to it.
  const kinds = [...new Set(seen.flatMap(({ leads }) => [...(leads ?? [])]))];
  const wanted = kinds.filter((move) => guide?.wants(move));
  const among = wanted.length > 0 ? wanted : kinds;
  const next = aim ?? among[Math.floor(random() * among.length)];
  const liked = to(next).length > 0 ? to(next) : seen;
  const chosen = liked[Math.floor(random() * liked.length)];
  return chosen && { one: page.locator(MARKED).nth(chosen.at), aim: next };
}

export interface Options {
  readonly seed?: number;
  /** How often the picture is clicked where it marks anything; the panel otherwise. With 1 no list of moves is ever opened. */
  readonly picture?: number;
  /** Looks at each question before it is answered. */
  readonly question?: (page: Page) => Promise<void>;
  /** Looks at a refusal before anything else is tried. */
  readonly refusal?: (page: Page) => Promise<void>;
  /** What is clicked rather than other things. */
  readonly guide?: Guide;
  readonly mostMoves?: number;
  readonly each?: (page: Page, moves: number) => Promise<void>;
  /** Ends before the match does. */
  readonly until?: (page: Page, moves: number) => Promise<boolean>;
}

/** Plays until the match is over. @throws Error if nothing can be clicked while the page says that a move is due. */
export async function play(page: Page, { seed = 1, picture = 0.8, mostMoves = 2000, question, refusal, guide, each, until }: Options = {}): Promise<Played> {
  const random = chance(seed);
  const gestures: number[] = [];
  const [byPicture, byPanel, byItself] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const played = (moves: number): Played => ({ moves, refused, gestures, byPicture, byPanel, byItself });
  let clicks = 0;
  let refused = 0;
  let stuck = 0;
  let waits = 0;
  let begun: Map<string, number> = byItself;
  const steps: string[] = [];
  let looked: string | null = null;
  let aim: string | undefined;
  for (let moves = 0; moves < mostMoves; ) {
    if (until && (await until(page, moves))) return played(moves);
    const asked = await page.waitForSelector(".question, .result", { timeout: 60_000 }).catch(() => undefined);
    waits = asked ? 0 : waits + 1;
    // Bots need their time, but not that much.
    if (waits > 2) throw new Error(`nothing is asked for three minutes, and the match is not over: ${(await page.locator(".moves").innerText()).slice(0, 400)}`);
    if (!asked) continue;
    if (await page.locator(".result").count()) return played(moves);
    if (question) {
      const asks = await page.locator(".question").getAttribute("data-question", { timeout: 2000 }).catch(() => null);
      if (asks !== null && asks !== looked) await question(page);
      looked = asks;
    }
    const confirm = page.locator("[data-confirm]:not(:disabled)");
    const click = async (one: Locator): Promise<boolean> => {
      try {
        await one.click({ timeout: 4000 });
        clicks += 1;
        return true;
      } catch (thrown) {
        if (process.env["DRIVER_LOG"]) console.error(String(thrown).slice(0, 900));
        // It went away while the pointer was on its way: the table has changed.
        stuck += 1;
        return false;
      }
    };
    if (stuck > 25) throw new Error(`nothing can be clicked: ${(await page.locator(".moves").innerText()).slice(0, 800)}\n${steps.slice(-20).join("\n")}`);
    if (await confirm.count()) {
      const open = page.locator(".chooser");
      // What may be chosen freely is chosen now and then.
      if (picture < 1 && (await open.count()) > 0 && random() < 0.4 && steps.at(-1) !== "chooser") {
        const step = await anyOf(page.locator(".chooser .step:not(:disabled), .chooser [role=radio]"), random);
        if (step) {
          await click(step);
          steps.push("chooser");
          continue;
        }
      }
      const name = (await page.locator(".chosen").first().getAttribute("data-move").catch(() => null)) ?? "?";
      // By the picture alone somebody plays who reads first what a move would bring: one that would be refused is not confirmed.
      const told = page.locator(".chosen .preview, .chosen .trouble").first();
      if (picture === 1) await told.waitFor({ timeout: 1500 }).catch(() => undefined);
      const isTold = picture === 1 && (await page.locator(".chosen .trouble").count()) > 0;
      const better = page.locator(".chosen [data-alternative]");
      if (isTold && (await better.count()) === 0) {
        steps.push(`back from ${name}`);
        stuck += 0.5;
        aim = undefined;
        await click(page.locator(".trail button").first());
        continue;
      }
      const before = await page.locator(".log").getAttribute("start");
      steps.push(`${isTold ? "instead of" : "confirm"} ${name}`);
      if (!(await click(isTold ? better.first() : confirm.first()))) continue;
      // The move is made, or refused.
      await page
        .waitForFunction(([before, refused]) => document.querySelector(".log")?.getAttribute("start") !== before || document.querySelector(refused!) || document.querySelector(".result"), [before, REFUSED] as const, { timeout: 20_000 })
        .catch(() => undefined);
      await page.waitForFunction((refused) => !document.querySelector("[data-confirm]:disabled") || document.querySelector(`${refused}, .result, .idle, .choosers`), REFUSED, { timeout: 20_000 }).catch(() => undefined);
      const alternative = page.locator("[data-alternative]");
      aim = undefined;
      if (await page.locator(REFUSED).count()) {
        refused += 1;
        stuck += 1;
        await refusal?.(page);
        if (await alternative.count()) await click(alternative.first());
        else {
          const back = page.locator(".trail button");
          if (await back.count()) await click(back.first());
        }
        continue;
      }
      stuck = 0;
      moves += 1;
      gestures.push(clicks);
      clicks = 0;
      begun.set(name, (begun.get(name) ?? 0) + 1);
      if (begun === byPicture) guide?.begun(name);
      begun = byItself;
      await each?.(page, moves);
      continue;
    }
    // A chooser that is not complete.
    if (await page.locator(".chooser").count()) {
      const more = random() < 0.5 ? await anyOf(page.locator(MARKED), random) : undefined;
      const step = more ?? (await anyOf(page.locator(".chooser .step:not(:disabled)"), random));
      const whole = page.locator(".chooser .small-buttons button");
      steps.push("chooser, incomplete");
      stuck += 0.25;
      if (random() < (picture < 1 ? 0.3 : 0.6) && (await whole.count())) await click(whole.first());
      else if (step) await click(step);
      else if (await page.locator(".trail button").count()) await click(page.locator(".trail button").first());
      continue;
    }
    const named = aim === undefined ? undefined : page.locator(`.moves .move-name[data-move=${JSON.stringify(aim)}]`);
    // Where what was pointed at may mean several moves, the one that is wanted is named.
    if (named && begun === byPicture && (await named.count()) > 0) {
      steps.push(`named ${aim}`);
      await click(named.first());
      stuck += 0.1;
      continue;
    }
    const marked = random() < picture ? await markedOf(page, random, guide, aim) : undefined;
    if (marked) {
      steps.push(`picture ${await marked.one.getAttribute("data-thing", { timeout: 2000 }).catch(() => "")}`);
      if (await click(marked.one)) {
        if (begun === byItself) begun = byPicture;
        aim = marked.aim;
      }
      stuck += 0.1;
      continue;
    }
    const panel = await anyOf(page.locator(".moves .move-name, .moves .narrow .options button, .moves [data-offer]"), random);
    if (panel) {
      steps.push(`panel ${(await panel.innerText().catch(() => "")).slice(0, 60)}`);
      if ((await click(panel)) && begun === byItself) begun = byPanel;
      stuck += 0.1;
      continue;
    }
    const list = page.locator(".all-moves:not([open]) summary");
    if (picture < 1 && (await list.count())) await click(list.first());
    else {
      stuck += 1;
      await page.waitForTimeout(150);
    }
  }
  return played(mostMoves);
}
