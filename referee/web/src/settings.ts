/**
 * What a person prefers.
 *
 * In: what was kept in this browser, and what the browser says of its user. Out: signals that keep themselves.
 *
 * @module
 */
import { effect, signal, type Signal } from "@preact/signals";

/** What reads anew what other tabs have kept. */
const others: (() => void)[] = [];

/**
 * Follows what other tabs of this browser keep: a tab that wrote what it had read when it was opened would forget a seat that was
 * taken in another one since. What browsers did not tell a tab while it slept is read when it is seen again.
 */
export function followOthers(): void {
  const again = (): void => others.forEach((read) => read());
  addEventListener("storage", again);
  addEventListener("pageshow", again);
  document.addEventListener("visibilitychange", () => document.hidden || again());
}

/** A page in a frame, or without storage, works all the same and forgets. */
export function stored<T>(key: string, otherwise: T, isGood: (value: unknown) => value is T): Signal<T> {
  const name = `referee.${key}`;
  const kept = (): T | undefined => {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(name) ?? "null");
      return isGood(value) ? value : undefined;
    } catch {
      // What cannot be read is forgotten.
      return undefined;
    }
  };
  const one = signal(kept() ?? otherwise);
  others.push(() => {
    const value = kept();
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(one.peek())) one.value = value;
  });
  let begun = false;
  effect(() => {
    const value = JSON.stringify(one.value);
    if (begun) {
      try {
        localStorage.setItem(name, value);
      } catch {
        // Nothing can be kept: it holds until the page is left.
      }
    }
    begun = true;
  });
  return one;
}

const oneOf =
  <T extends string>(...all: readonly T[]) =>
  (value: unknown): value is T =>
    all.includes(value as T);

/** The languages that the page has. */
export const LANGUAGES = ["en", "pl"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Theme = "system" | "light" | "dark";
export type Motion = "full" | "quick" | "none";

/** The first language of a reader that the page has. */
export const preferredOf = (wanted: readonly string[]): Language => wanted.map((one) => one.toLowerCase().split("-")[0]).find(oneOf(...LANGUAGES)) ?? LANGUAGES[0];

const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

export const language = stored<Language>("language", preferredOf(navigator.languages), oneOf(...LANGUAGES));
export const theme = stored<Theme>("theme", "system", oneOf("system", "light", "dark"));
export const motion = stored<Motion>("motion", still ? "none" : "full", oneOf("full", "quick", "none"));
/** Whether a move is shown before it is made. */
export const confirming = stored<boolean>("confirm", true, (value) => typeof value === "boolean");
export const playerName = stored<string>("name", "", (value): value is string => typeof value === "string" && value.length <= 64);

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset["theme"];
  else dataset["theme"] = theme.value;
});
effect(() => {
  document.documentElement.dataset["motion"] = motion.value;
});
