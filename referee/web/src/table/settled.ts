/**
 * Areas that stay where they are.
 *
 * In: the common table in the document. Out: each area of it, also one that comes later, stays as wide as it has been, for as long
 * as the table is as wide as it is: what lies in one comes and goes, and what stands beside it does not jump to another line and
 * back.
 *
 * @module
 */

/** Begins; gives what ends it. */
export function settle(root: HTMLElement): () => void {
  const common = root.querySelector(".area-common") ?? root;
  const widest = new Map<Element, number>();
  let room = root.clientWidth;
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect, borderBoxSize } of entries) {
      if (target === root) {
        if (Math.round(contentRect.width) === room) continue;
        room = Math.round(contentRect.width);
        for (const area of widest.keys()) (area as HTMLElement).style.minInlineSize = "";
        for (const area of widest.keys()) widest.set(area, 0);
        continue;
      }
      const width = Math.ceil(borderBoxSize[0]?.inlineSize ?? 0);
      if (width <= (widest.get(target) ?? 0) || width > room) continue;
      widest.set(target, width);
      (target as HTMLElement).style.minInlineSize = `${width}px`;
    }
  });
  const look = (): void => {
    for (const area of widest.keys()) if (area.parentElement !== common) (widest.delete(area), sizes.unobserve(area));
    for (const area of common.children) if (!widest.has(area)) (widest.set(area, 0), sizes.observe(area));
  };
  const parts = new MutationObserver(look);
  parts.observe(common, { childList: true });
  sizes.observe(root);
  look();
  return () => {
    parts.disconnect();
    sizes.disconnect();
  };
}
