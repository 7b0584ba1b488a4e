/**
 * Whether a table is tidy.
 *
 * In: a page with a table. Out: things that lie over each other, what sticks out of what it lies in, texts that are cut without saying so.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Runs in the page. */
export function untidy(): readonly string[] {
  const found: string[] = [];
  /** A rounded edge, a shadow. */
  const HAIR = 2;
  const said = (element: Element): string => `${element.className} ${element.closest("[data-place], [data-box], [data-cell], [data-mat]")?.outerHTML.slice(0, 90) ?? ""} «${element.textContent!.replaceAll(/[\u2068\u2069]/g, "").slice(0, 40)}»`;
  const table = document.querySelector(".table")!;
  // What is out of sight is laid out when it comes into it: here all of it is in sight.
  const late = [...table.querySelectorAll<HTMLElement>(".mat")];
  for (const mat of late) mat.style.contentVisibility = "visible";
  // Whoever cannot see has texts that nobody sees.
  const seen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0 && element.closest(".sr") === null;
  const things = [...table.querySelectorAll(".face, .back:only-of-type, .tag:not(.cell .bare), .stat, .player, .amount, .chip, .titled > h3, .titled > summary, .step-number, .pawn")].filter(seen);
  const boxes = things.map((thing) => ({ thing, box: thing.getBoundingClientRect() })).sort((a, b) => a.box.top - b.box.top);
  boxes.forEach(({ thing, box }, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.box.top >= box.bottom - HAIR) break;
      const [wide, high] = [Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left), Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)];
      if (wide > HAIR && high > HAIR && !thing.contains(other.thing) && !other.thing.contains(thing)) found.push(`${said(thing)} and ${said(other.thing)} lie over each other: ${Math.round(wide)} by ${Math.round(high)} pixels`);
    }
  });
  for (const holder of table.querySelectorAll(".common, .mat, .place, .board.list > .cell, .titled, .area, .tab-panel")) {
    if (!seen(holder)) continue;
    const around = holder.getBoundingClientRect();
    for (const thing of holder.querySelectorAll(".face, .tag, .stat, .back, .amount")) {
      if (!seen(thing) || thing.closest(".board-scroll") !== holder.closest(".board-scroll")) continue;
      const box = thing.getBoundingClientRect();
      if (box.left < around.left - HAIR || box.right > around.right + HAIR || box.top < around.top - HAIR || box.bottom > around.bottom + HAIR) found.push(`${said(thing)} sticks out of ${holder.className} ${said(holder)}`);
    }
  }
  for (const element of table.querySelectorAll("*")) {
    if (!seen(element)) continue;
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element);
    const cuts = (how: string): boolean => how === "hidden" || how === "clip";
    const says = textOverflow === "ellipsis" || webkitLineClamp !== "none";
    if (says || (!cuts(overflowX) && !cuts(overflowY))) continue;
    if (element.scrollWidth > element.clientWidth + HAIR || element.scrollHeight > element.clientHeight + HAIR) found.push(`${said(element)} is cut`);
  }
  for (const mat of late) mat.style.contentVisibility = "";
  return found;
}

export const tidy = async (page: Page, where: string): Promise<void> => assert.deepEqual(await page.evaluate(untidy), [], where);
