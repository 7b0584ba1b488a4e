/**
 * Arithmetic of bags: some of these pieces.
 *
 * In: a `BagDomain` and counts that were chosen so far. Out: whether they are complete, what may be added, what is wrong, and
 * the `Value`. Pure functions.
 *
 * @module
 */
import type { Value } from "./gen/referee/v1/common_pb.js";
import type { BagDomain } from "./gen/referee/v1/decision_pb.js";
import { bag, type Counts } from "./values.js";

/** A limit of a bag that a choice breaks. */
export type BagProblem =
  /** This is no count of pieces: negative, or no whole number. */
  | { readonly limit: "count"; readonly row: string }
  /** So many pieces of this row too many. */
  | { readonly limit: "available"; readonly row: string; readonly by: number }
  /** So many pieces too few in all. They can be added: the choice is valid, but not complete. */
  | { readonly limit: "least"; readonly by: number }
  /** So many pieces too many in all. */
  | { readonly limit: "most"; readonly by: number }
  /** So many kinds too many. */
  | { readonly limit: "kinds"; readonly by: number }
  /** So many pieces too many outside the fullest kinds. */
  | { readonly limit: "loose"; readonly by: number }
  /** No limit is broken yet, but with these pieces the least can never be reached. */
  | { readonly limit: "deadlock" };

/** What a choice within a `BagDomain` is like. Counts are of pieces, by row. */
export interface BagState {
  /** Pieces chosen. */
  readonly size: number;
  /** Whether it can be answered as it is. */
  readonly complete: boolean;
  /** Whether it is complete, or will be if the right pieces are added. */
  readonly valid: boolean;
  /**
   * How many pieces of each row may be added, of one row alone, so that it stays valid. Rows of which none may are left out.
   */
  readonly canAdd: Counts;
  /** How many pieces of each row may be taken back: what was chosen, since taking back never makes a choice invalid. */
  readonly canRemove: Counts;
  /** The fewest pieces that have yet to be added, and the most that can be. */
  readonly remaining: { readonly least: number; readonly most: number };
  /** Limits that are broken; empty if it is complete. */
  readonly problems: readonly BagProblem[];
}

/** What a choice within a bag's limits is like. Rows that are not chosen may be left out of `counts`. */
export function bagState(domain: BagDomain, counts: Counts): BagState {
  const chosen = Object.entries(counts).filter(([, count]) => count !== 0);
  const size = chosen.reduce((sum, [, count]) => sum + count, 0);
  const broken = brokenLimits(domain, chosen, size);
  const reach = broken.length === 0 ? mostReachable(domain, counts) : -1;
  const valid = reach >= domain.least;
  const problems: BagProblem[] = [...broken];
  if (broken.length === 0 && !valid) problems.push({ limit: "deadlock" });
  else if (valid && size < domain.least) problems.push({ limit: "least", by: domain.least - size });
  const canAdd = valid ? domain.available.map(({ row }) => [row, mostAddable(domain, counts, row)] as const) : [];
  return {
    size,
    complete: problems.length === 0,
    valid,
    canAdd: Object.fromEntries(canAdd.filter(([, count]) => count > 0)),
    canRemove: Object.fromEntries(chosen.filter(([, count]) => count > 0)),
    remaining: { least: Math.max(0, domain.least - size), most: valid ? reach - size : 0 },
    problems,
  };
}

/** The answer. Whether it is complete tells {@link bagState}. */
export const bagValue = (domain: BagDomain, counts: Counts): Value => bag(domain.table, counts);

/** A complete choice of as many pieces as may be, more of what there is most of; of nothing if the domain allows none. */
export function fillBag(domain: BagDomain): Counts {
  let counts: Counts = {};
  for (const { row } of [...domain.available].sort((a, b) => b.count - a.count)) {
    const added = mostAddable(domain, counts, row);
    if (added > 0) counts = { ...counts, [row]: added };
  }
  return counts;
}

/** Limits that can only be broken, never mended, by adding pieces. */
function brokenLimits(domain: BagDomain, chosen: readonly (readonly [string, number])[], size: number): BagProblem[] {
  const odd = chosen.filter(([, count]) => !Number.isInteger(count) || count < 0);
  if (odd.length > 0) return odd.map(([row]) => ({ limit: "count", row }));
  const available = new Map(domain.available.map(({ row, count }) => [row, count]));
  const problems: BagProblem[] = [];
  for (const [row, count] of chosen) {
    const by = count - (available.get(row) ?? 0);
    if (by > 0) problems.push({ limit: "available", row, by });
  }
  const over = (limit: "most" | "kinds" | "loose", by: number): void => {
    if (by > 0) problems.push({ limit, by });
  };
  over("most", size - domain.most);
  over("kinds", chosen.length - (domain.kinds ?? Infinity));
  if (domain.loose) {
    const fullest = chosen.map(([, count]) => count).sort((a, b) => b - a);
    const outside = fullest.slice(domain.loose.kinds).reduce((sum, count) => sum + count, 0);
    over("loose", outside - domain.loose.pieces);
  }
  return problems;
}

/**
 * The most pieces of a choice within the limits that has at least these counts; -1 if there is none.
 *
 * Every row is either among the fullest kinds, or loose, or not chosen. Of the loose ones only sums matter: of what is chosen
 * already and of what there is, both up to the limit. So row by row it is enough to keep, for each such pair of sums and for
 * each number of kinds so far, the way with most pieces in the fullest kinds.
 */
function mostReachable(domain: BagDomain, counts: Counts): number {
  interface Way {
    readonly full: number;
    readonly kinds: number;
    readonly chosen: number;
    readonly loose: number;
    readonly pieces: number;
  }
  const mostKinds = domain.kinds ?? Infinity;
  const mostFull = domain.loose?.kinds ?? Infinity;
  const mostLoose = Math.min(domain.loose?.pieces ?? 0, domain.most);
  let ways: Way[] = [{ full: 0, kinds: 0, chosen: 0, loose: 0, pieces: 0 }];
  for (const { row, count } of domain.available) {
    const least = counts[row] ?? 0;
    const most = Math.min(count, domain.most);
    const best = new Map<string, Way>();
    const keep = (way: Way): void => {
      if (way.kinds > mostKinds || way.full > mostFull || way.chosen > mostLoose) return;
      const key = `${mostFull < Infinity ? way.full : ""} ${mostKinds < Infinity ? way.kinds : ""} ${way.chosen} ${way.loose}`;
      if ((best.get(key)?.pieces ?? -1) < way.pieces) best.set(key, way);
    };
    for (const way of ways) {
      const kinds = way.kinds + 1;
      if (least === 0) keep(way);
      keep({ ...way, kinds, full: way.full + 1, pieces: Math.min(way.pieces + most, domain.most) });
      const loose = Math.min(way.loose + most, mostLoose);
      keep({ ...way, kinds, chosen: way.chosen + least, loose });
    }
    ways = [...best.values()];
  }
  return Math.max(-1, ...ways.map(({ pieces, loose }) => Math.min(pieces + loose, domain.most)));
}

/** The most pieces of a row that can be added so that the choice stays valid. Fewer of them are, too. */
function mostAddable(domain: BagDomain, counts: Counts, row: string): number {
  const there = domain.available.find((available) => available.row === row)?.count ?? 0;
  const chosen = counts[row] ?? 0;
  const fits = (added: number): boolean => {
    const tried = Object.entries({ ...counts, [row]: chosen + added }).filter(([, count]) => count !== 0);
    const size = tried.reduce((sum, [, count]) => sum + count, 0);
    if (brokenLimits(domain, tried, size).length > 0) return false;
    return size >= domain.least || mostReachable(domain, Object.fromEntries(tried)) >= domain.least;
  };
  let [least, most] = [0, Math.min(there, domain.most) - chosen];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return Math.max(least, 0);
}
