/**
 * Whether there is a network, and when a page comes back to it.
 *
 * In: what the browser says when a network goes or comes and a page is seen again; its clock, which leaps where a machine slept. Out:
 * whether the referee can be reached, as soon as that is known; moments at which connections of before may be dead
 * without saying so. A referee on the same machine is reached without a network.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { renewConnections } from "../server.ts";

export const reachable = signal(true);
/** How often the page came back: whoever failed before tries again. */
export const returns = signal(0);

/** A page that was out of sight for so long, or whose clock leapt so far, may have slept. */
const SLEPT_MS = 10_000;
const TICK_MS = 2000;
/** One return is told by several events. */
const ONCE_MS = 1000;

let returned = -Infinity;
function back(): void {
  const now = performance.now();
  if (now - returned < ONCE_MS) return;
  returned = now;
  renewConnections();
  returns.value += 1;
}

/** Listens to what the browser says of that. */
export function startListening(): void {
  addEventListener("offline", () => {
    fetch(location.pathname, { method: "HEAD", cache: "no-store" }).catch(() => (reachable.value = navigator.onLine));
  });
  addEventListener("online", () => {
    reachable.value = true;
    back();
  });

  let unseen: number | undefined;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) unseen = Date.now();
    else if (unseen !== undefined && Date.now() - unseen >= SLEPT_MS) back();
  });
  document.addEventListener("resume", back);
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) back();
  });

  // A page that nobody sees is called as seldom as browsers like, whatever the machine does.
  let ticked = Date.now();
  setInterval(() => {
    const before = ticked;
    ticked = Date.now();
    if (!document.hidden && ticked - before >= TICK_MS + SLEPT_MS) back();
  }, TICK_MS);
}
