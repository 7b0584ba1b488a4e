/**
 * Players.
 *
 * In: a seat number. Out: a badge in a colour and a shape of its own, so that nobody needs to tell colours apart.
 *
 * @module
 */
import type { JSX } from "preact";
import { clipped } from "../parts/text.tsx";
import { useStage } from "./context.ts";

/** Hues and shapes of seats, in their order; more seats begin anew with another shape. */
const HUES = [210, 28, 145, 340, 275, 52] as const;
const SHAPES = ["circle", "square", "triangle", "diamond", "hexagon", "pentagon", "octagon"] as const;

export const seatStyle = (seat: number): Record<string, string> => ({ "--seat": String(HUES[(seat - 1) % HUES.length] ?? 0) });

export function SeatBadge({ seat }: { readonly seat: number }): JSX.Element {
  const stage = useStage();
  const name = stage.nameOf(seat);
  return (
    <span class={`seat-badge ${SHAPES[(seat - 1) % SHAPES.length] ?? "circle"}`} style={seatStyle(seat)} title={clipped(name, 80)} role="img" aria-label={clipped(name, 80)}>
      <span aria-hidden="true">{seat}</span>
    </span>
  );
}
