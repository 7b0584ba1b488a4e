/**
 * Events that are seen to happen.
 *
 * In: an event, and the picture in the document. Out: pieces that fly from place to place and counters that flash, for as long
 * as the settings say. What flies shows what the event tells and nothing else: a card that nobody may see flies as a back.
 *
 * @module
 */
import { placeKey } from "referee-client";
import type { Event, PlaceRef } from "referee-client/v1";
import type { Layout } from "../model/layout.ts";
import { colourStyle } from "../model/looks.ts";
import { language, motion } from "../settings.ts";

const MS = { full: 520, quick: 220, none: 0 } as const;

/** Of several elements for a place the first that can be seen. */
function seen(selector: string): Element | undefined {
  for (const element of document.querySelectorAll(selector)) {
    const { width, height } = element.getBoundingClientRect();
    if (width > 0 && height > 0) return element;
  }
  return undefined;
}

const quoted = (text: string): string => `"${CSS.escape(text)}"`;

/** Where a place is drawn; a row of it, if that is drawn by itself. */
export function elementOf(place: PlaceRef, row?: string): Element | undefined {
  const key = placeKey(place);
  const inside = row === undefined ? undefined : seen(`[data-place=${quoted(key)}] [data-row=${quoted(row)}]`);
  // A place that is empty is drawn by its name alone; one that is left out, by the mat that it belongs to.
  const seat = place.index.find(({ kind }) => kind.case === "seat")?.kind.value;
  return inside ?? seen(`[data-place=${quoted(key)}]`) ?? seen(`[data-box=${quoted(key)}]`) ?? (seat === undefined ? seen(".common") : seen(`[data-mat=${quoted(String(seat))}] .mat-head`));
}

const middle = (element: Element): { readonly x: number; readonly y: number } => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

const SVG = "http://www.w3.org/2000/svg";

function flier(layout: Layout, row: { readonly table: string; readonly row: string } | undefined, count: number, icons: Readonly<Record<string, string>>): HTMLElement {
  const element = document.createElement("div");
  element.className = row ? "flier" : "flier back";
  element.setAttribute("aria-hidden", "true");
  if (row) {
    const look = layout.looks.row(row.table, row.row);
    for (const [name, value] of Object.entries(colourStyle(look.colour))) element.style.setProperty(name, value);
    const path = look.icon === undefined ? undefined : icons[look.icon];
    if (path !== undefined) {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 512 512");
      const drawn = document.createElementNS(SVG, "path");
      drawn.setAttribute("d", path);
      svg.append(drawn);
      element.append(svg);
    } else element.append(layout.looks.label(row.table, row.row, language.value));
  }
  if (count > 1) {
    const badge = document.createElement("span");
    badge.className = "count";
    badge.textContent = String(Math.min(count, 999));
    element.append(badge);
  }
  return element;
}

/** What is on its way. */
const FLIGHTS = new Set<Promise<unknown>>();

/** When everything that flies has landed. */
export const landed = (): Promise<unknown> => Promise.all(FLIGHTS);

/** Shows an event; the promise ends when the next one may begin. */
export async function showEvent(event: Event, layout: Layout, icons: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
  const ms = MS[motion.value];
  if (ms === 0 || document.hidden || signal.aborted) return;
  const { kind } = event;
  if (kind.case === "piecesMoved") {
    const { source, destination, row, count } = kind.value;
    const from = source && elementOf(source, row?.row);
    const target = destination && (elementOf(destination, row?.row) ?? undefined);
    if (!from || !target || from === target) return;
    const [a, b] = [middle(from), middle(target)];
    const element = flier(layout, row, count ?? 1, icons);
    document.body.append(element);
    const at = (x: number, y: number, scale: number): string => `translate(${x}px, ${y}px) translate(-50%, -50%) scale(${scale})`;
    const flight = element.animate(
      [
        { transform: at(a.x, a.y, 0.8), opacity: 0.4 },
        { transform: at((a.x + b.x) / 2, (a.y + b.y) / 2 - 24, 1.15), opacity: 1, offset: 0.5 },
        { transform: at(b.x, b.y, 0.9), opacity: 0.9 },
      ],
      { duration: ms, easing: "cubic-bezier(.3,.1,.3,1)" },
    );
    const ended = flight.finished.catch(() => undefined).finally(() => {
      element.remove();
      FLIGHTS.delete(ended);
    });
    FLIGHTS.add(ended);
    signal.addEventListener("abort", () => flight.finish(), { once: true });
    // Pieces of one move follow each other closely.
    await Promise.race([ended, pause(ms * 0.45, signal)]);
  } else if (kind.case === "moveMade") {
    await pause(ms * 0.9, signal);
  } else if (kind.case === "counterChanged" && kind.value.counter) {
    const element = elementOf(kind.value.counter);
    element?.animate([{ transform: "scale(1)" }, { transform: "scale(1.25)" }, { transform: "scale(1)" }], { duration: ms });
    await pause(ms * 0.15, signal);
  } else if (kind.case === "markerSet" || kind.case === "phaseBegan") await pause(ms * 0.1, signal);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
