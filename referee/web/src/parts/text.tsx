/**
 * Texts that others wrote.
 *
 * In: names and clauses of rulesets, names of players, what went wrong. Out: the same, isolated from the text around them and of a
 * length that a screen can bear. Nothing is ever read as markup.
 *
 * @module
 */
import type { JSX } from "preact";
import { RefereeError, isRetryable } from "referee-client";
import { language } from "../settings.ts";
import { REASONS_PL, texts } from "../texts.ts";

/** As many characters of one text as are shown; the rest is told by an ellipsis. */
const MOST = 600;

export const clipped = (text: string, most = MOST): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Within another text: its direction changes nothing around it. */
export const isolated = (text: string): string => `\u2068${clipped(text, 80).replace(/[\u2066-\u2069\u202a-\u202e]/g, "")}\u2069`;

/** What went wrong, in the reader's language as far as the referee or the page can say it there. */
export function textOf(thrown: unknown): string {
  if (!(thrown instanceof RefereeError)) return thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown.refusal) return thrown.text;
  if (thrown.cause.details.length === 0 && isRetryable(thrown)) return texts.value.unreachable;
  // Refusals of the rules come in the reader's language; what else the referee says is English.
  return (language.value === "pl" ? REASONS_PL[thrown.reason] : undefined) ?? thrown.text;
}

/** A stranger's text in an element of its own. */
export const Said = ({ text, most }: { readonly text: string; readonly most?: number }): JSX.Element => <bdi>{clipped(text, most)}</bdi>;
