/**
 * Small controls.
 *
 * In: labels and what to do. Out: buttons that copy, dialogs, messages of errors.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { RefereeError, isRetryable } from "referee-client";
import { texts } from "../texts.ts";
import { Sign } from "./icon.tsx";
import { returns } from "./online.ts";
import { Said, SaidInEnglish, clipped, fieldName, textOf } from "./text.tsx";

/** Copies a text. Where a page may not, the text is shown for copying by hand. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const state = useSignal<"" | "copied" | "shown">("");
  const copy = (): void => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    done.then(
      () => (state.value = "copied"),
      () => (state.value = "shown"),
    );
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        <Sign name="link" /> {label}
        {state.value === "copied" ? <span role="status"> · {texts.value.copied}</span> : null}
      </button>
      {state.value === "shown" ? <input readOnly value={text} aria-label={label} onFocus={({ currentTarget }) => currentTarget.select()} /> : null}
    </span>
  );
}

/** A button that does something only when its question has been answered; what stands in it before its label. */
export function Sure({ what, label, question, act, children }: { readonly what: string; readonly label: string; readonly question: string; readonly act: () => void; readonly children?: ComponentChildren }): JSX.Element {
  const asked = useSignal(false);
  const element = useRef<HTMLSpanElement>(null);
  // The focus stays where the question stands.
  useEffect(() => element.current?.querySelector("button")?.focus(), [asked.value]);
  if (!asked.value) return <button type="button" data-sure={what} onClick={() => (asked.value = true)}>{children} {label}</button>;
  const done = (): void => {
    asked.value = false;
    act();
  };
  return (
    <span class="sure" role="group" ref={element} aria-label={label}>
      <Said text={question} most={200} />
      <button type="button" class="danger" onClick={done}>{label}</button>
      <button type="button" onClick={() => (asked.value = false)}>{texts.value.cancel}</button>
    </span>
  );
}

/** A time in hours, minutes and seconds. */
export function duration(seconds: number): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return seconds >= 3600 ? `${Math.floor(minutes / 60)}:${two(minutes % 60)} h` : `${minutes}:${two(seconds % 60)}`;
}

/** How much time is left until then, second by second. */
export function Countdown({ until }: { readonly until: Timestamp }): JSX.Element {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  const left = Math.max(0, Math.round(Number(until.seconds) - now.value / 1000));
  return (
    <span class="clock" data-short={left < 20 || undefined}>
      <Sign name="clock" /> {texts.value.timeLeft(duration(left))}
    </span>
  );
}

/** What went wrong, and the way to try again. */
export function Failure({ error, again }: { readonly error: unknown; readonly again?: () => void }): JSX.Element {
  return (
    <section class="trouble" role="alert">
      <p class="trouble-title">
        <Sign name="triangle-alert" /> {texts.value.failedTitle}
      </p>
      <p>
        <Said text={textOf(error)} />
      </p>
      {error instanceof RefereeError && error.fieldViolations.length > 0 ? (
        <ul>
          {error.fieldViolations.slice(0, 8).map(({ field, description }) => (
            <li key={field}>
              {fieldName(field) ?? <code>{clipped(field, 80)}</code>}: <SaidInEnglish text={description} most={300} />
            </li>
          ))}
        </ul>
      ) : null}
      {again ? (
        <button type="button" onClick={again}>
          {texts.value.retry}
        </button>
      ) : null}
    </section>
  );
}

/** A dialog over the page; closing it by any way calls `close`. */
export function Dialog({ title, close, children }: { readonly title: string; readonly close: () => void; readonly children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={close}>
      <div class="popup-head">
        <h2>{title}</h2>
        <button type="button" class="bare-button" onClick={close} aria-label={texts.value.close}>
          <Sign name="x" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** What is being loaded, shown or failed. */
export type Loading<T> = { readonly state: "loading" } | { readonly state: "done"; readonly value: T } | { readonly state: "failed"; readonly error: unknown };

/** Loads something whenever what it hangs on changes. */
export function useLoading<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): { readonly loading: Loading<T>; readonly again: () => void } {
  const result = useSignal<Loading<T>>({ state: "loading" });
  const times = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    if (result.value.state !== "done") result.value = { state: "loading" };
    load(abort.signal).then(
      (value) => abort.signal.aborted || (result.value = { state: "done", value }),
      (error: unknown) => abort.signal.aborted || (result.value = { state: "failed", error }),
    );
    return () => abort.abort();
  }, [...on, times.value]);
  // Whoever could not be reached may be there again.
  useEffect(
    () =>
      returns.subscribe(() => {
        const now = result.peek();
        if (now.state === "failed" && isRetryable(now.error)) times.value = times.peek() + 1;
      }),
    [],
  );
  return { loading: result.value, again: () => (times.value += 1) };
}
