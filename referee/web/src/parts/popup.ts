/**
 * Pop-ups beside what they speak of.
 *
 * In: an anchor and a floating element. Out: a position that stays within the window and follows while either moves.
 *
 * @module
 */
import { autoUpdate, computePosition, flip, offset, shift, size } from "@floating-ui/dom";
import type { Placement } from "@floating-ui/dom";

/** Keeps a floating element beside its anchor; gives what ends that. */
export function anchored(anchor: Element, floating: HTMLElement, placement: Placement = "right-start"): () => void {
  const place = async (): Promise<void> => {
    const { x, y } = await computePosition(anchor, floating, {
      placement,
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
    floating.style.left = `${x}px`;
    floating.style.top = `${y}px`;
  };
  return autoUpdate(anchor, floating, () => void place());
}
