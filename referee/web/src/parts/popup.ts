/**
 * Pop-ups beside what they speak of.
 *
 * In: an anchor and a floating element. Out: a position that stays within the window and follows while either moves, and that
 * covers nothing that can be chosen next; where there is no such position, a pop-up that nobody asked for is not seen.
 *
 * @module
 */
import { autoUpdate, computePosition, flip, offset, shift, size } from "@floating-ui/dom";
import { beside, type Box } from "./beside.ts";

/** What can be chosen next, on the picture and beside it. */
const CHOOSABLE = "[data-marked], [data-chosen], .question button:not(:disabled), .question input, .question summary";

/** The rectangles of elements that are seen; those that hold the anchor only if `also` these are meant. */
function boxes(selector: string, anchor: Element, floating: Element, also = false): readonly Box[] {
  const seen: Box[] = [];
  for (const element of document.querySelectorAll(selector)) {
    if ((!also && element.contains(anchor)) || anchor.contains(element) || floating.contains(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth) seen.push(box);
  }
  return seen;
}

/** Keeps a floating element beside its anchor; gives what ends that. `asked` is one that somebody has asked for. */
export function anchored(anchor: Element, floating: HTMLElement, asked: boolean): () => void {
  const place = async (): Promise<void> => {
    floating.style.maxHeight = `${innerHeight - 16}px`;
    const { width, height } = floating.getBoundingClientRect();
    const [at, room, around] = [anchor.getBoundingClientRect(), { width: innerWidth, height: innerHeight }, boxes("[data-thing]", anchor, floating)];
    // Rather beside the whole place that the anchor is a part of.
    const found = beside(at, { width, height }, room, boxes(CHOOSABLE, anchor, floating, true), around) ?? beside(at, { width, height }, room, boxes(CHOOSABLE, anchor, floating), around);
    floating.style.visibility = found || asked ? "visible" : "hidden";
    const { x, y } = found ?? (await nearest(anchor, floating));
    floating.style.left = `${x}px`;
    floating.style.top = `${y}px`;
  };
  return autoUpdate(anchor, floating, () => void place());
}

/** The position beside an anchor for a pop-up that is wanted, whatever it covers. */
function nearest(anchor: Element, floating: HTMLElement): Promise<{ readonly x: number; readonly y: number }> {
  return computePosition(anchor, floating, {
    placement: "right-start",
    strategy: "fixed",
    middleware: [
      offset(8),
      flip({ fallbackPlacements: ["left-start", "bottom", "top"] }),
      shift({ padding: 8, crossAxis: true }),
      size({
        padding: 8,
        apply: ({ availableHeight }) => {
          floating.style.maxHeight = `${Math.max(160, availableHeight)}px`;
        },
      }),
    ],
  });
}
