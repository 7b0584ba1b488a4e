/**
 * How long a click takes to change the table, and what a page holds in memory.
 *
 * In: REFEREE; words of scenes as arguments (all if there are none). Out: from the click that makes a move to the changed table,
 * over the moves of a match for four beside eight who watch, and of a whole Duel beside fifty; two of them are pages, and the
 * streams of the others are counted. The heap of the page at the end. Fails at what is slower, or larger, than it may be.
 *
 * @module
 */
import { setMaxListeners } from "node:events";
import { watchPublic } from "referee-client";
import { connect } from "referee-client/node";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld, type World } from "./harness.ts";

interface Scene {
  readonly called: string;
  readonly ruleset: string;
  readonly players: number;
  readonly modules?: readonly string[];
  /** Those who watch, beside two pages. */
  readonly watchers: number;
  /** The part of the moves that may take no longer. */
  readonly bar: { readonly part: number; readonly called: string; readonly ms: number };
}

const MOST_HEAP_MB = 150;

const SCENES: readonly Scene[] = [
  { called: "Puerto Rico for four", ruleset: "puerto-rico", players: 4, watchers: 6, bar: { part: 0.5, called: "the median", ms: 100 } },
  { called: "the Duel of the Rivals", ruleset: "catan-rivals", players: 2, modules: ["duel", "era-of-gold", "era-of-turmoil", "era-of-progress"], watchers: 48, bar: { part: 0.99, called: "99 in 100", ms: 500 } },
];

async function measure(world: World, { called, ruleset, players, modules = [], watchers, bar }: Scene): Promise<boolean> {
  const { page, mistakes, context } = await openPage(world, { motion: "none" });
  const address = await hostMatch(page, ruleset, { players, modules, seed: "8".repeat(64) });
  const name = `matches/${/match\/([^/]+)/.exec(address)![1]}`;
  const host = connect(world.referee).withToken(world.hostToken);
  const stop = new AbortController();
  setMaxListeners(watchers, stop.signal);
  let interrupted = 0;
  let closed = 0;
  for (let watcher = 0; watcher < watchers; watcher += 1) {
    void (async () => {
      for await (const { kind } of watchPublic(host, name, { signal: stop.signal })) {
        if (kind === "interrupted" || kind === "reset") interrupted += 1;
        if (kind === "closed") closed += 1;
      }
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  }
  for (let watcher = 0; watcher < 2; watcher += 1) {
    const { spectatorToken } = await host.matches.inviteSpectator({ name });
    const beside = await openPage(world, { host: false });
    await beside.page.goto(`${world.address}/#/watch/${name.slice(8)}/${spectatorToken}`);
    await beside.page.waitForSelector(".table");
  }
  await page.evaluate(() => {
    performance.setResourceTimingBufferSize(20_000);
    const times: number[] = [];
    let began = 0;
    Object.assign(window, { times });
    addEventListener("pointerup", (event) => (began = event.target instanceof Element && event.target.closest("[data-confirm]") ? performance.now() : 0), true);
    const watched = (): string => document.querySelector(".log")?.getAttribute("start") ?? "";
    let before = watched();
    new MutationObserver(() => {
      const now = watched();
      if (now === before || now === "") return;
      before = now;
      if (began === 0) return;
      const from = began;
      began = 0;
      // What was changed is seen with the next picture.
      requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - from)));
    }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["start"] });
  });
  const { moves } = await play(page, { seed: 21, picture: 0.5 });
  const times = (await page.evaluate(() => (window as unknown as { times: number[] }).times)).sort((a, b) => a - b);
  const ms = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Infinity;
  const at = (part: number): string => ms(part).toFixed(0);
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/SubmitMove")).map(({ duration }) => duration).sort((a, b) => a - b));
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const heap = usedSize / 1e6;
  await new Promise((resolve) => setTimeout(resolve, 2000));
  console.log(`${called}, ${watchers + 2} watchers, two of them pages: ${moves} moves; from click to changed table: median ${at(0.5)} ms, 95 in 100 ${at(0.95)} ms, 99 in 100 ${at(0.99)} ms, slowest ${at(1)} ms; of that the answer to the move: median ${(asked[Math.floor(asked.length / 2)] ?? 0).toFixed(0)} ms`);
  console.log(`heap of the page after it: ${heap.toFixed(1)} MB; nodes of the document: ${await page.evaluate(() => document.querySelectorAll("*").length)}; streams interrupted: ${interrupted}, heard to the end: ${closed} of ${watchers}`);
  const beyond = [...(ms(bar.part) > bar.ms ? [`TOO SLOW: ${at(bar.part)} ms at ${bar.called}, at most ${bar.ms} ms`] : []), ...(heap > MOST_HEAP_MB ? [`TOO LARGE: a heap of ${heap.toFixed(0)} MB, at most ${MOST_HEAP_MB} MB`] : [])];
  for (const line of beyond) console.log(`${called}: ${line}`);
  if (mistakes.length > 0) console.log(`MISTAKES: ${mistakes.slice(0, 3).join(" | ")}`);
  stop.abort();
  host.close();
  await context.close();
  return beyond.length === 0 && mistakes.length === 0 && interrupted === 0 && closed === watchers;
}

const words = process.argv.slice(2);
const world = await startWorld();
let well = true;
try {
  for (const scene of SCENES.filter(({ called }) => words.length === 0 || words.some((word) => called.includes(word)))) well = (await measure(world, scene)) && well;
} finally {
  await world.close();
}
process.exit(well ? 0 : 1);
