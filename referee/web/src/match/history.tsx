/**
 * A slider through what happened.
 *
 * In: a stage. Out: controls that show the table at earlier moments, step by step or by themselves, and links to them.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Sign } from "../parts/icon.tsx";
import { CopyButton } from "../parts/controls.tsx";
import { texts } from "../texts.ts";
import { momentsOf, type Stage } from "./stage.ts";

/** How long each moment is shown while history plays. */
const STEP_MS = 900;

export function History({ stage, address }: { readonly stage: Stage; readonly address: ((at: number) => string) | undefined }): JSX.Element | null {
  const t = texts.value;
  const playing = useSignal(false);
  const moments = momentsOf(stage.events.value);
  const last = moments.length - 1;
  const past = stage.past.value;
  const at = past === undefined ? last : Math.max(0, moments.findLastIndex((moment) => moment <= past.eventCount));
  const show = (index: number): void => {
    const moment = moments[Math.max(0, Math.min(last, index))];
    void stage.lookAt(index >= last && stage.live ? undefined : moment);
  };
  useEffect(() => {
    if (!playing.value) return undefined;
    if (at >= last) {
      playing.value = false;
      return undefined;
    }
    const timer = setTimeout(() => show(at + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [playing.value, at, last]);
  if (moments.length < 2) return null;
  return (
    <section class="history" aria-label={t.history} data-past={past !== undefined || undefined}>
      <button type="button" class="icon-button" disabled={at <= 0} onClick={() => show(0)} aria-label={t.first} title={t.first}>
        <Sign name="skip-back" />
      </button>
      <button type="button" class="icon-button" disabled={at <= 0} onClick={() => show(at - 1)} aria-label={t.earlier} title={t.earlier}>
        <Sign name="chevron-left" />
      </button>
      <button type="button" class="icon-button" onClick={() => (playing.value ? (playing.value = false) : at >= last ? (show(0), (playing.value = true)) : (playing.value = true))} aria-label={playing.value ? t.stopHistory : t.playHistory} title={playing.value ? t.stopHistory : t.playHistory}>
        <Sign name={playing.value ? "pause" : "play"} />
      </button>
      <button type="button" class="icon-button" disabled={at >= last} onClick={() => show(at + 1)} aria-label={t.later} title={t.later}>
        <Sign name="chevron-right" />
      </button>
      <input type="range" min={0} max={last} value={at} aria-label={t.history} aria-valuetext={t.moment(at + 1, last + 1)} onInput={({ currentTarget }) => show(Number(currentTarget.value))} />
      <output class="moment">{t.moment(at + 1, last + 1)}</output>
      {past !== undefined ? (
        <>
          {address ? <CopyButton text={address(moments[at] ?? 0)} label={t.shareMoment} /> : null}
          {stage.live ? (
            <button type="button" class="primary" onClick={() => void stage.lookAt(undefined)}>
              {t.toNow}
            </button>
          ) : null}
        </>
      ) : null}
    </section>
  );
}
