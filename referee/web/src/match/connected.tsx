/**
 * How a match stands apart from the table.
 *
 * In: a match. Out: whether the referee is heard, and for a moment that it is again; whether the match is paused or suspended, and why;
 * that an earlier moment is looked at.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Sign } from "../parts/icon.tsx";
import { reachable } from "../parts/online.ts";
import { Said, SaidInEnglish, textOf } from "../parts/text.tsx";
import { texts } from "../texts.ts";
import type { LiveMatch } from "./live.ts";

/** How long it is said that the connection is back. */
const BACK_MS = 5000;

export function Connected({ live }: { readonly live: LiveMatch }): JSX.Element | null {
  const t = texts.value;
  const { value: connection } = live.connection;
  const suspended = live.match.value.suspension !== "";
  const lost = connection === "lost" || (connection === "live" && !reachable.value);
  const was = useRef(false);
  const back = useSignal(false);
  useEffect(() => {
    const returned = was.current && !lost && connection !== "failed";
    was.current = lost;
    back.value = returned;
    if (!returned) return undefined;
    const timer = setTimeout(() => (back.value = false), BACK_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return (
    <div class="banners" aria-live="polite">
      {lost ? <p class="banner warn" data-lost><Sign name="wifi-off" /> {t.lost}</p> : null}
      {back.value && !lost ? <p class="banner" data-back><Sign name="check" /> {t.back}</p> : null}
      {connection === "failed" ? <p class="banner bad"><Sign name="triangle-alert" /> {t.failed}: <Said text={live.failure.value ? textOf(live.failure.value) : ""} /></p> : null}
      {live.paused.value ? <p class="banner warn"><Sign name="pause" /> {t.pausedNow}</p> : null}
      {suspended ? <p class="banner bad" data-suspended><Sign name="triangle-alert" /> {t.suspended} <SaidInEnglish text={live.match.value.suspension} most={300} /></p> : null}
      {live.past.value !== undefined ? <p class="banner past"><Sign name="clock" /> {t.pastShown}</p> : null}
    </div>
  );
}
