/**
 * Where a pop-up stands.
 *
 * In: what it explains, its size, the window, what can be chosen there, and what else stands around. Out: the corner at which it
 * covers nothing that can be chosen, as near as possible to what it explains; none if there is no such room. Pure functions.
 *
 * @module
 */

/** A rectangle of the window. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How far it stays from what it explains and from the edges. */
const GAP = 8;
/** Where nothing beside it is free, room is looked for in steps of this. */
const STEP = 32;

/** The area that two rectangles share. */
export function shared(a: Box, b: Box): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** How far two rectangles are from each other. */
function distance(a: Box, b: Box): number {
  const along = (from: number, length: number, to: number, other: number): number => Math.max(0, to - (from + length), from - (to + other));
  return Math.hypot(along(a.left, a.width, b.left, b.width), along(a.top, a.height, b.top, b.height));
}

/**
 * The corner of a pop-up.
 *
 * @param taken - what can be chosen: none of it is covered.
 * @param around - what stands around: rather not covered.
 */
export function beside(anchor: Box, size: { readonly width: number; readonly height: number }, window: { readonly width: number; readonly height: number }, taken: readonly Box[], around: readonly Box[]): { readonly x: number; readonly y: number } | undefined {
  const [most, deepest] = [window.width - size.width - GAP, window.height - size.height - GAP];
  if (most < GAP || deepest < GAP) return undefined;
  const within = (value: number, end: number): number => Math.max(GAP, Math.min(end, value));
  const right = anchor.left + anchor.width + GAP;
  const below = anchor.top + anchor.height + GAP;
  const near: (readonly [number, number])[] = [
    [right, within(anchor.top, deepest)],
    [anchor.left - size.width - GAP, within(anchor.top, deepest)],
    [within(anchor.left, most), below],
    [within(anchor.left, most), anchor.top - size.height - GAP],
  ];
  const grid: (readonly [number, number])[] = [];
  for (let y = GAP; y <= deepest; y += STEP) for (let x = GAP; x <= most; x += STEP) grid.push([x, y]);
  let best: { readonly x: number; readonly y: number; readonly cost: number } | undefined;
  for (const [x, y] of [...near, ...grid]) {
    const box = { left: x, top: y, ...size };
    if (x < GAP || x > most || y < GAP || y > deepest || shared(box, anchor) > 0) continue;
    // A neighbour that is covered weighs as much as a little way.
    const cost = distance(anchor, box) + around.reduce((sum, one) => sum + shared(box, one), 0) / 100;
    if (best && best.cost <= cost) continue;
    if (taken.some((one) => shared(box, one) > 0)) continue;
    best = { x, y, cost };
  }
  return best && { x: best.x, y: best.y };
}
