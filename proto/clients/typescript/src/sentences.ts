/**
 * Sentences with holes, in which moves and events are told.
 *
 * In: a sentence as the referee sends it (`take {t}[ from {from}]`), and what is put into its holes. Out: spans of text,
 * so that a page can make what fills a hole something to click on, or one text.
 *
 * @module
 */
import type { PlaceRef, Value } from "./gen/referee/v1/common_pb.js";

/** A stretch of a sentence that has been filled. */
export interface Span {
  /** What it says. */
  readonly text: string;
  /** The hole that it fills; words between holes have none. */
  readonly hole?: string;
  /** The value that fills it, if it is one: of a move, or of what an event carries. */
  readonly value?: Value;
  /** The place, counter or marker that fills it, if it is one. */
  readonly place?: PlaceRef;
}

/** What is put into a hole. */
export interface Filling {
  /** Its spans. One without a `hole` of its own is marked as filling this one. */
  readonly spans: readonly Span[];
  /** Whether that is nothing to speak of: a part of the sentence with this hole is left out. */
  readonly nothing?: boolean;
}

/** A piece of a sentence. */
export type Piece =
  | { readonly text: string }
  | { readonly hole: string }
  | { readonly part: readonly ({ readonly text: string } | { readonly hole: string })[] };

/** Stands where a hole is that nobody fills. */
const UNFILLED = "…";

/** A sentence taken apart. What is no sentence, such as a brace that is never closed, is text. */
export function pieces(sentence: string): Piece[] {
  const found: Piece[] = [];
  // A part without parts in it, a hole, or anything up to the next of either.
  for (const [all, part, hole] of sentence.matchAll(/\[([^[\]]*)\]|\{([^{}[\]]*)\}|[^[{]+|[[{]/g)) {
    if (part !== undefined) found.push({ part: pieces(part).flatMap((piece) => ("part" in piece ? [] : [piece])) });
    else if (hole !== undefined) found.push({ hole });
    else found.push({ text: all });
  }
  return found;
}

/**
 * A sentence, filled.
 *
 * @param fill - what is put into a hole; `undefined` if it is not known. A part with such a hole is left out; elsewhere an
 * ellipsis stands.
 */
export function filled(sentence: string, fill: (hole: string) => Filling | undefined): Span[] {
  const of = (piece: { text: string } | { hole: string }): readonly Span[] => {
    if ("text" in piece) return [piece];
    const { hole } = piece;
    return (fill(hole)?.spans ?? [{ text: UNFILLED }]).map((span) => (span.hole === undefined ? { ...span, hole } : span));
  };
  const spans = pieces(sentence).flatMap((piece) => {
    if (!("part" in piece)) return of(piece);
    const said = piece.part.every((inner) => {
      if ("text" in inner) return true;
      const filling = fill(inner.hole);
      return filling !== undefined && !filling.nothing;
    });
    return said ? piece.part.flatMap(of) : [];
  });
  return spans.filter(({ text }) => text !== "");
}

/** Spans as one text. */
export function spoken(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}
