/**
 * Areas that stay where they are.
 *
 * In: the common table in the document. Out: each area of it stays as wide as it has been, for as long as the table is as wide as
 * it is: what lies in one comes and goes, and what stands beside it does not jump to another line and back.
 *
 * @module
 */

/** Begins; gives what ends it. */
export function settle(root: HTMLElement): () => void {
  const areas = [...root.querySelectorAll<HTMLElement>(".area-common > .titled")];
  const widest = new Map<Element, number>();
  let room = root.clientWidth;
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect, borderBoxSize } of entries) {
      if (target === root) {
        if (Math.round(contentRect.width) === room) continue;
        room = Math.round(contentRect.width);
        widest.clear();
        for (const area of areas) area.style.minInlineSize = "";
        continue;
      }
      const width = Math.ceil(borderBoxSize[0]?.inlineSize ?? 0);
      if (width <= (widest.get(target) ?? 0) || width > room) continue;
      widest.set(target, width);
      (target as HTMLElement).style.minInlineSize = `${width}px`;
    }
  });
  observer.observe(root);
  for (const area of areas) observer.observe(area);
  return () => observer.disconnect();
}
