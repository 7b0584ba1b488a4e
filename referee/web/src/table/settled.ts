/**
 * Areas that stay where they are.
 *
 * In: the common table in the document, once something lies on it. Out: each area of it keeps the line, the place in it and the
 * width that it has then, for as long as the table is as wide as it is: what comes to lie in one has room below, and nothing jumps
 * to another line and back. One that comes later keeps what it has when it comes.
 *
 * @module
 */

/** So much narrower than it is drawn an area is kept, for widths of a line that add up to more than the line by rounding. */
const ROUNDING = 0.25;

/** Begins; gives what ends it. */
export function settle(root: HTMLElement): () => void {
  const common = root.querySelector(".area-common") ?? root;
  const settled = new Set<HTMLElement>();
  let room = root.clientWidth;
  const free = (area: HTMLElement): void => {
    area.style.inlineSize = "";
    area.style.flex = "";
    settled.delete(area);
  };
  const look = (): void => {
    const areas = ([...common.children] as HTMLElement[]).filter((area) => !settled.has(area));
    const widths = areas.map((area) => area.getBoundingClientRect().width);
    areas.forEach((area, at) => {
      // What nothing lies in is not there yet.
      if (widths[at] === 0) return;
      area.style.inlineSize = `${widths[at]! - ROUNDING}px`;
      area.style.flex = "none";
      settled.add(area);
    });
  };
  const sizes = new ResizeObserver(() => {
    if (root.clientWidth !== room) {
      room = root.clientWidth;
      for (const area of settled) free(area);
    }
    look();
  });
  const parts = new MutationObserver(() => {
    for (const area of settled) if (area.parentElement !== common) settled.delete(area);
    for (const area of common.children) sizes.observe(area);
  });
  parts.observe(common, { childList: true });
  sizes.observe(root);
  for (const area of common.children) sizes.observe(area);
  return () => {
    parts.disconnect();
    sizes.disconnect();
  };
}
