/**
 * Texts that strangers wrote.
 *
 * In: names and clauses of rulesets, names of players. Out: the same, isolated from the text around them and of a length that a
 * screen can bear. Nothing is ever read as markup.
 *
 * @module
 */
import type { JSX } from "preact";

/** As many characters of one text as are shown; the rest is told by an ellipsis. */
const MOST = 600;

export const clipped = (text: string, most = MOST): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Within another text: its direction changes nothing around it. */
export const isolated = (text: string): string => `\u2068${clipped(text, 80).replace(/[\u2066-\u2069\u202a-\u202e]/g, "")}\u2069`;

/** A stranger's text in an element of its own. */
export const Said = ({ text, most }: { readonly text: string; readonly most?: number }): JSX.Element => <bdi>{clipped(text, most)}</bdi>;
