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
import { texts } from "../texts.ts";

/** As many characters of one text as are shown; the rest is told by an ellipsis. */
const MOST = 600;

/** No longer than a screen bears, and of a direction that ends where the text does. */
export const clipped = (text: string, most = MOST): string => ended(text.length > most ? `${text.slice(0, most)}…` : text);

/** Overrides of directions are left out; isolates are ended within the text, and none is ended that began before it. */
function ended(text: string): string {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) return text;
  let open = 0;
  const kept = text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (mark) => {
    if (mark < "\u2066") return "";
    if (mark !== "\u2069") {
      open += 1;
      return mark;
    }
    if (open === 0) return "";
    open -= 1;
    return mark;
  });
  return kept + "\u2069".repeat(open);
}

/** Within another text: its direction changes nothing around it. */
export const isolated = (text: string): string => `\u2068${clipped(text, 80).replace(/[\u2066-\u2069\u202a-\u202e]/g, "")}\u2069`;

/** What went wrong, in the reader's language as far as the referee or the page can say it there. */
export function textOf(thrown: unknown): string {
  if (!(thrown instanceof RefereeError)) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    return inOwnWords(said) ?? said;
  }
  if (thrown.refusal) return thrown.text;
  if (thrown.cause.details.length === 0 && isRetryable(thrown)) return texts.value.unreachable;
  // Refusals of the rules come in the reader's language; what else the referee says is English.
  return texts.value.reasons[thrown.reason]?.(thrown.metadata) ?? inOwnWords(thrown.text) ?? thrown.text;
}

/** A sentence that comes in English alone, in the reader's language; nothing where the page does not know it there. What a sentence brings within it is
 * said so, too. */
export function inOwnWords(text: string): string | undefined {
  for (const [pattern, said] of texts.value.sayings) {
    const parts = pattern.exec(text);
    if (parts) return said.replace(/\$(\d)/g, (_, part: string) => inOwnWords(parts[Number(part)] ?? "") ?? parts[Number(part)] ?? "");
  }
  return undefined;
}

/** What a field of a request is called on the page: by the last part of its path that is called anything. */
export const fieldName = (path: string): string | undefined =>
  path.split(/[^a-z_]+/).toReversed().map((part) => (Object.hasOwn(texts.value.fields, part) ? texts.value.fields[part] : undefined)).find((name) => name !== undefined);

/** A sentence that comes in English alone: in the reader's language if the page knows it there, else marked as English. */
export function SaidInEnglish({ text, most }: { readonly text: string; readonly most?: number }): JSX.Element {
  const own = inOwnWords(text);
  return own === undefined ? <bdi lang="en">{clipped(text, most)}</bdi> : <Said text={own} most={most} />;
}

/** A stranger's text in an element of its own. */
export const Said = ({ text, most }: { readonly text: string; readonly most?: number | undefined }): JSX.Element => <bdi>{clipped(text, most)}</bdi>;

/** What only readers of the screen are told; nothing is drawn for what is empty, since there are hundreds of them. */
export const Aside = ({ text }: { readonly text: string }): JSX.Element | null => (text === "" ? null : <span class="sr">{text}</span>);
