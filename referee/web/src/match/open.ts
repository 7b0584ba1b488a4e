/**
 * The match that is open.
 *
 * In: what its screen sets. Out: the same for the bar of the page, which is there before the screen is.
 *
 * @module
 */
import { signal } from "@preact/signals";
import type { LiveMatch } from "./live.ts";

export const openMatch = signal<LiveMatch | undefined>(undefined);
