/**
 * Tokens of this browser.
 *
 * In: tokens that were claimed, typed or brought by a link. Out: the host's token, the player's and the seats of matches, kept in
 * the storage of this origin. No token is ever put into an address that is sent: links carry them in the fragment, and the page takes them
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
/** Whether this can be a player's: of the referee, or signed by an identity provider; what that is worth the referee says. */
export const isPlayers = (token: string): boolean => callerOf(token) === "player" || /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
export const playerToken = stored<string>("player", "", (value): value is string => typeof value === "string" && (value === "" || isPlayers(value)));
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

/** Claims that were sent and not answered yet: whoever repeats one in the same words gets the seat, if it had been given. */
interface Claim {
  /** All that the claim says. */
  readonly says: string;
  readonly requestId: string;
}
const isClaim = (value: unknown): value is Claim =>
  typeof value === "object" && value !== null && typeof (value as Claim).says === "string" && typeof (value as Claim).requestId === "string";
const claims = stored<readonly Claim[]>("claims", [], (value): value is readonly Claim[] => Array.isArray(value) && value.every(isClaim));
const MOST_CLAIMS = 8;

/** The id of a claim, the same one until it is answered, whatever becomes of the tab meanwhile. */
export function claimId(says: string, fresh: () => string): string {
  const found = claims.value.find((one) => one.says === says)?.requestId;
  if (found !== undefined) return found;
  const requestId = fresh();
  claims.value = [{ says, requestId }, ...claims.value].slice(0, MOST_CLAIMS);
  return requestId;
}

export function forgetClaim(says: string): void {
  claims.value = claims.value.filter((one) => one.says !== says);
}

export const isHost = computed(() => hostToken.value !== "");

/** What seats of this browser have promised to add to the chance of their matches, until it is shown. */
interface Chance {
  readonly match: string;
  readonly seat: number;
  /** 32 bytes. */
  readonly entropy: readonly number[];
}
const isChance = (value: unknown): value is Chance => {
  const chance = value as Partial<Chance> | null;
  return (
    typeof chance === "object" && chance !== null && typeof chance.match === "string" && typeof chance.seat === "number" &&
    Array.isArray(chance.entropy) && chance.entropy.length === 32 && chance.entropy.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256)
  );
};
const chances = stored<readonly Chance[]>("chances", [], (value): value is readonly Chance[] => Array.isArray(value) && value.every(isChance));

export function keepChance(match: string, seat: number, entropy: Uint8Array): void {
  const others = chances.value.filter((one) => one.match !== match || one.seat !== seat);
  chances.value = [{ match, seat, entropy: [...entropy] }, ...others].slice(0, MOST_KEYS);
}

export function chanceOf(match: string, seat: number): Uint8Array<ArrayBuffer> | undefined {
  const found = chances.value.find((one) => one.match === match && one.seat === seat);
  return found && Uint8Array.from(found.entropy);
}

/** What is promised of it: SHA-256 of the contribution with what it is bound to, as the guide of the contract says. */
export async function commitmentTo(match: string, seat: number, entropy: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const id = match.slice(match.indexOf("/") + 1);
  const bound = [...new TextEncoder().encode(`referee/entropy/v1\n${id}\n`), seat, ...entropy];
  return new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bound)));
}
