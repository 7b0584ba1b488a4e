/**
 * Whether there is a network at all.
 *
 * In: what the browser says when a network goes or comes. Out: whether the referee can be reached, as soon as that is known; a
 * stream that falls silent is noticed much later. A referee on the same machine is reached without a network.
 *
 * @module
 */
import { signal } from "@preact/signals";

export const reachable = signal(true);

addEventListener("offline", () => {
  fetch(location.pathname, { method: "HEAD", cache: "no-store" }).catch(() => (reachable.value = navigator.onLine));
});
addEventListener("online", () => (reachable.value = true));
