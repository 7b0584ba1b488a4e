/**
 * Addresses of the page's screens.
 *
 * In: the fragment of the address, which no browser sends. Out: the screen that it names. Fragments with codes and tokens are
 * taken out of the address and out of the history at once.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { callerOf } from "referee-client";
import { isPlayers } from "./keys.ts";

/** A screen. */
export type Route =
  | { readonly screen: "home" }
  | { readonly screen: "host"; readonly ruleset: string }
  | { readonly screen: "match"; readonly match: string; readonly seat: number | undefined; readonly at: number | undefined }
  | { readonly screen: "claim"; readonly seat: string; readonly code: string; /** Whoever invites says what is played. */ readonly ruleset: string }
  | { readonly screen: "open"; readonly code: string }
  | { readonly screen: "token"; readonly match: string; readonly token: string }
  | { readonly screen: "rules"; readonly ruleset: string; readonly query: URLSearchParams }
  | { readonly screen: "proof"; readonly ruleset: string; readonly query: URLSearchParams }
  | { readonly screen: "replay" }
  | { readonly screen: "about" }
  | { readonly screen: "lost" };

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** What a fragment names: `#/match/1f…/seat/2/at/310`. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?");
  let parts: string[];
  try {
    parts = path.split("/").map(decodeURIComponent);
  } catch {
    return { screen: "lost" };
  }
  const [screen = "", id = "", ...more] = parts;
  const after = (word: string): string | undefined => {
    const at = more.indexOf(word);
    return at < 0 ? undefined : more[at + 1];
  };
  const parameters = new URLSearchParams(query);
  switch (screen) {
    case "":
      return { screen: "home" };
    case "host":
      return { screen: "host", ruleset: id };
    case "match":
      return id === "" ? { screen: "lost" } : { screen: "match", match: `matches/${id}`, seat: number(after("seat")), at: number(after("at")) };
    case "claim": {
      const [seat, code = "", game = ""] = more;
      return number(seat) === undefined ? { screen: "lost" } : { screen: "claim", seat: `matches/${id}/seats/${seat}`, code, ruleset: /^[\w-]+$/.test(game) ? `rulesets/${game}` : "" };
    }
    case "watch": {
      const [token] = more;
      return token === undefined || callerOf(token) === undefined ? { screen: "lost" } : { screen: "token", match: `matches/${id}`, token };
    }
    case "key":
      return callerOf(id) === undefined && !isPlayers(id) ? { screen: "lost" } : { screen: "token", match: "", token: id };
    case "open":
      return id === "" ? { screen: "lost" } : { screen: "open", code: id };
    case "rules":
      return { screen: "rules", ruleset: id, query: parameters };
    case "proof":
      return { screen: "proof", ruleset: id, query: parameters };
    case "replay":
      return { screen: "replay" };
    case "about":
      return { screen: "about" };
    default:
      return { screen: "lost" };
  }
}

const id = (name: string): string => encodeURIComponent(name.slice(name.indexOf("/") + 1));

/** Addresses, each a fragment. */
export const to = {
  home: "#/",
  replay: "#/replay",
  about: "#/about",
  host: (ruleset: string): string => `#/host/${id(ruleset)}`,
  match: (match: string, seat?: number, at?: number): string =>
    `#/match/${id(match)}${seat === undefined ? "" : `/seat/${seat}`}${at === undefined ? "" : `/at/${at}`}`,
  /** Without its code an invitation is worth something only in the tab that has read it. */
  claim: (seat: string, code = "", ruleset = ""): string => {
    const [, match = "", , number = ""] = seat.split("/");
    return `#/claim/${[match, number, code, id(ruleset)].filter((part) => part !== "").map(encodeURIComponent).join("/")}`;
  },
  watch: (match: string, token: string): string => `#/watch/${id(match)}/${encodeURIComponent(token)}`,
  rules: (ruleset: string, query: Record<string, string> = {}): string => `#/rules/${id(ruleset)}${asked(query)}`,
  proof: (ruleset: string, query: Record<string, string> = {}): string => `#/proof/${id(ruleset)}${asked(query)}`,
};

function asked(query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

/** The screen that is shown. */
export const route = signal<Route>({ screen: "home" });

/** Goes to a screen; `instead` of the one that is shown, which then is not in the history. */
export function go(fragment: string, instead = false): void {
  if (instead) {
    history.replaceState(null, "", fragment);
    read();
  } else if (location.hash === fragment) read();
  else location.hash = fragment;
}

function read(): void {
  const next = routeOf(location.hash);
  // A secret leaves the address, and the history with it, before anything else happens.
  if (next.screen === "claim") {
    if (next.code !== "") invitation.keep(next);
    history.replaceState(null, "", to.claim(next.seat));
    const kept = invitation.of(next.seat);
    route.value = kept ? { ...next, ...kept } : { screen: "lost" };
    return;
  }
  if (next.screen === "open" || next.screen === "token") history.replaceState(null, "", to.home);
  route.value = next;
}

/** The invitation that this tab has read, until somebody sits down: whoever loads the page anew has it still. */
const INVITATION = "referee.invitation";
let inMemory = "";
export const invitation = {
  keep({ seat, code, ruleset }: { readonly seat: string; readonly code: string; readonly ruleset: string }): void {
    inMemory = `${seat} ${code} ${ruleset}`;
    try {
      sessionStorage.setItem(INVITATION, inMemory);
    } catch {
      // Nothing can be kept: it holds until the page is left.
    }
  },
  of(seat: string): { readonly code: string; readonly ruleset: string } | undefined {
    let kept: string | null = null;
    try {
      kept = sessionStorage.getItem(INVITATION);
    } catch {
      // As above.
    }
    const [of, code = "", ruleset = ""] = (kept ?? inMemory).split(" ");
    return of === seat ? { code, ruleset } : undefined;
  },
  forget(): void {
    inMemory = "";
    try {
      sessionStorage.removeItem(INVITATION);
    } catch {
      // As above.
    }
  },
};

export function startRouting(): void {
  addEventListener("hashchange", read);
  read();
}

/** A whole address for sending to somebody. */
export const wholeAddress = (fragment: string): string => location.href.replace(/#.*$/, "") + fragment;
