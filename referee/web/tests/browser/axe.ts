/**
 * Whether a screen can be used by everybody.
 *
 * In: a page as it is now. Out: what axe finds on it, which is a mistake.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Findings of axe, in a line each. The policy of the page would not let it in; the protocol of the debugger does. */
async function findings(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: `${AXE};0` });
  const { result } = await session.send("Runtime.evaluate", {
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ target, failureSummary }) => target.join(" ") + " " + failureSummary.slice(0, 240)).join(" || ") + " (" + nodes.length + ")"))`,
  });
  await session.detach();
  return result.value as readonly string[];
}

/** Nothing is found. */
export const clean = async (page: Page, where: string): Promise<void> => assert.deepEqual(await findings(page), [], where);
