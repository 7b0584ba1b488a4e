/**
 * Arithmetic of spreads: pieces over places.
 *
 * In: a `SpreadDomain` and the shares that were placed so far. Out: whether they are complete, what may be placed where, what
 * is left, how many pieces overflow, and the `Value`. Pure functions.
 *
 * @module
 */
import type { PlaceRef, RowRef, Value } from "./gen/referee/v1/common_pb.js";
import type { SpreadDomain } from "./gen/referee/v1/decision_pb.js";
import { placeKey, spread, type SharePart } from "./values.js";

/** A limit of a spread that a choice breaks. */
export type SpreadProblem =
  /** This is no count of pieces: negative, or no whole number. */
  | { readonly limit: "count"; readonly place: PlaceRef; readonly row: RowRef }
  /**
   * So many pieces too many in this place; one that is not in the domain has no room. What overflows is not placed by hand.
   */
  | { readonly limit: "room"; readonly place: PlaceRef; readonly by: number }
  /** So many pieces of this row more than there are. */
  | { readonly limit: "pieces"; readonly row: RowRef; readonly by: number }
  /** So many pieces have yet to be placed. The choice is valid, but not complete. */
  | { readonly limit: "unplaced"; readonly by: number };

/** What a choice within a `SpreadDomain` is like. */
export interface SpreadState {
  /** Pieces placed. */
  readonly placed: number;
  /** Whether it can be answered as it is. */
  readonly complete: boolean;
  /** Whether it is complete, or will be when the rest is placed. */
  readonly valid: boolean;
  /** How many pieces have yet to be placed. */
  readonly remaining: number;
  /** How many pieces fit nowhere and go to the overflow by themselves, when the spread is complete. */
  readonly overflow: number;
  /** How many pieces of each row are not placed, in the domain's order; also those of which none is left. */
  readonly unplaced: readonly { readonly row: RowRef; readonly count: number }[];
  /** How many pieces more each place takes, in the domain's order; also those that are full. */
  readonly rooms: readonly { readonly place: PlaceRef; readonly free: number }[];
  /** How many pieces of each row may be added to each place, of one share alone; only those of which any may. */
  readonly canAdd: readonly SharePart[];
  /** What may be taken back: the shares that were placed. */
  readonly canRemove: readonly SharePart[];
  /** Limits that are broken; empty if it is complete. */
  readonly problems: readonly SpreadProblem[];
}

const rowKey = ({ table, row }: RowRef): string => `${table}.${row}`;
const sum = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** What a choice within a spread's limits is like. The same place and row may stand in several shares. */
export function spreadState(domain: SpreadDomain, shares: readonly SharePart[]): SpreadState {
  const inPlaces = new Map<string, number>();
  const ofRows = new Map<string, number>();
  for (const { place, row, count } of shares) {
    inPlaces.set(placeKey(place), (inPlaces.get(placeKey(place)) ?? 0) + count);
    ofRows.set(rowKey(row), (ofRows.get(rowKey(row)) ?? 0) + count);
  }
  const rooms = domain.rooms.flatMap(({ place, room }) =>
    place ? [{ place, free: room - (inPlaces.get(placeKey(place)) ?? 0) }] : [],
  );
  const unplaced = domain.pieces.flatMap(({ row, count }) =>
    row ? [{ row, count: count - (ofRows.get(rowKey(row)) ?? 0) }] : [],
  );
  const problems: SpreadProblem[] = [];
  for (const { place, row, count } of shares) {
    if (!Number.isInteger(count) || count < 0) problems.push({ limit: "count", place, row });
  }
  const places = new Map(shares.map(({ place }) => [placeKey(place), place]));
  const room = new Map(domain.rooms.map(({ place, room }) => [place ? placeKey(place) : "", room]));
  for (const [key, place] of places) {
    const by = (inPlaces.get(key) ?? 0) - (room.get(key) ?? 0);
    if (by > 0) problems.push({ limit: "room", place, by });
  }
  const rows = new Map(shares.map(({ row }) => [rowKey(row), row]));
  const there = new Map(domain.pieces.map(({ row, count }) => [row ? rowKey(row) : "", count]));
  for (const [key, row] of rows) {
    const by = (ofRows.get(key) ?? 0) - (there.get(key) ?? 0);
    if (by > 0) problems.push({ limit: "pieces", row, by });
  }
  const valid = problems.length === 0;
  const pieces = sum(domain.pieces.map(({ count }) => count));
  const space = sum(domain.rooms.map(({ room }) => room));
  const placed = sum(shares.map(({ count }) => count));
  const remaining = Math.max(0, Math.min(pieces, space) - placed);
  if (valid && remaining > 0) problems.push({ limit: "unplaced", by: remaining });
  const canAdd = rooms.flatMap(({ place, free }) =>
    unplaced.map(({ row, count }) => ({ place, row, count: valid ? Math.min(free, count) : 0 })),
  );
  return {
    placed,
    complete: problems.length === 0,
    valid,
    remaining,
    overflow: Math.max(0, pieces - space),
    unplaced,
    rooms,
    canAdd: canAdd.filter(({ count }) => count > 0),
    canRemove: shares.filter(({ count }) => count > 0),
    problems,
  };
}

/** The answer, with one share for each place and row. Whether it is complete tells {@link spreadState}. */
export function spreadValue(shares: readonly SharePart[]): Value {
  const merged = new Map<string, SharePart>();
  for (const share of shares) {
    const key = `${placeKey(share.place)} ${rowKey(share.row)}`;
    merged.set(key, { ...share, count: share.count + (merged.get(key)?.count ?? 0) });
  }
  return spread([...merged.values()]);
}

/** A complete choice: every piece in the first place that has room for it. */
export function fillSpread(domain: SpreadDomain): readonly SharePart[] {
  const shares: SharePart[] = [];
  for (let more; (more = spreadState(domain, shares).canAdd[0]) !== undefined; ) shares.push(more);
  return shares;
}
