/**
 * Tokens of this browser.
 *
 * In: tokens that were claimed, typed or brought by a link. Out: the host's token and the seats of matches, kept in the storage
 * of this origin. No token is ever put into an address that is sent: links carry them in the fragment, and the page takes them
 * out of it as soon as it has read them.
 *
 * @module
 */
import { computed } from "@preact/signals";
import { callerOf } from "referee-client";
import { stored } from "./settings.ts";

/** A seat that is played from here, or a match that is watched from here. */
export interface Key {
  /** `matches/…` */
  readonly match: string;
  /** A seat number, or 0 for a spectator. */
  readonly seat: number;
  readonly token: string;
  /** The title of the game when the key was kept. */
  readonly title: string;
  /** When it was kept, in milliseconds since 1970. */
  readonly since: number;
}

const isKey = (value: unknown): value is Key => {
  const key = value as Partial<Key> | null;
  return (
    typeof key === "object" && key !== null && typeof key.match === "string" && typeof key.seat === "number" &&
    typeof key.token === "string" && callerOf(key.token) !== undefined && typeof key.title === "string" && typeof key.since === "number"
  );
};

/** Old keys are forgotten beyond this number. */
const MOST_KEYS = 200;

export const hostToken = stored<string>("host", "", (value): value is string => typeof value === "string" && (value === "" || callerOf(value) === "host"));
export const keys = stored<readonly Key[]>("keys", [], (value): value is readonly Key[] => Array.isArray(value) && value.every(isKey));

/** Claim codes of matches that were created here, so that the host can send them later. */
export interface Code {
  readonly seat: string;
  readonly code: string;
}
const isCode = (value: unknown): value is Code =>
  typeof value === "object" && value !== null && typeof (value as Code).seat === "string" && typeof (value as Code).code === "string";
export const codes = stored<readonly Code[]>("codes", [], (value): value is readonly Code[] => Array.isArray(value) && value.every(isCode));

export function keepKey(key: Omit<Key, "since">): void {
  const others = keys.value.filter(({ match, seat }) => match !== key.match || seat !== key.seat);
  keys.value = [{ ...key, since: Date.now() }, ...others].slice(0, MOST_KEYS);
}

export function forgetKey(match: string, seat: number): void {
  keys.value = keys.value.filter((key) => key.match !== match || key.seat !== seat);
}

export function keepCodes(all: readonly Code[]): void {
  const names = new Set(all.map(({ seat }) => seat));
  codes.value = [...all, ...codes.value.filter(({ seat }) => !names.has(seat))].slice(0, 4 * MOST_KEYS);
}

/** The keys of a match, seats first. */
export const keysOf = (match: string): readonly Key[] =>
  keys.value.filter((key) => key.match === match).toSorted((a, b) => (a.seat || 99) - (b.seat || 99));

export const isHost = computed(() => hostToken.value !== "");
