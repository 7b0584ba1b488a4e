/**
 * How long a click takes to change the table, and what a page holds in memory.
 *
 * In: REFEREE. Out: from the click that makes a move to the changed table, over the moves of a match for four, beside eight who
 * watch, two of them pages; the heap of the page at the end.
 *
 * @module
 */
import { connect } from "referee-client/node";
import { watchPublic } from "referee-client";
import { play } from "./driver.ts";
import { hostMatch, openPage, startWorld } from "./harness.ts";

const world = await startWorld();
try {
  const { page, mistakes } = await openPage(world, { motion: "none" });
  const address = await hostMatch(page, "puerto-rico", { players: 4, seed: "8".repeat(64) });
  const name = `matches/${/match\/([^/]+)/.exec(address)![1]}`;
  const host = connect(world.referee).withToken(world.hostToken);
  const stop = new AbortController();
  for (let watcher = 0; watcher < 6; watcher += 1) {
    void (async () => {
      for await (const told of watchPublic(host, name, { signal: stop.signal })) void told;
    })().catch(() => undefined);
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
  await play(page, { seed: 21, picture: 0.5 });
  const times = (await page.evaluate(() => (window as unknown as { times: number[] }).times)).sort((a, b) => a - b);
  const at = (part: number): string => (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(0);
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/SubmitMove")).map(({ duration }) => duration).sort((a, b) => a - b));
  console.log(`of that the referee's answer to the move: median ${(asked[Math.floor(asked.length / 2)] ?? 0).toFixed(0)} ms`);
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  console.log(`from click to changed table, four players, eight watchers, two of them pages: ${times.length} moves, median ${at(0.5)} ms, 95 in 100 ${at(0.95)} ms, slowest ${at(1)} ms`);
  console.log(`heap of the page after the match: ${(usedSize / 1e6).toFixed(1)} MB; nodes of the document: ${await page.evaluate(() => document.querySelectorAll("*").length)}`);
  if (mistakes.length > 0) console.log(`MISTAKES: ${mistakes.slice(0, 3).join(" | ")}`);
  stop.abort();
  host.close();
} finally {
  await world.close();
}
