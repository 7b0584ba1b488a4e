/**
 * Arithmetic of numbers and lists: an amount from least to most by steps, one of some values.
 *
 * In: an `AmountDomain` or a `ValuesDomain`, and what was chosen. Out: whether it is within, and what lies next to it. Pure
 * functions.
 *
 * @module
 */
import type { Value } from "./gen/referee/v1/common_pb.js";
import type { AmountDomain, ValuesDomain } from "./gen/referee/v1/decision_pb.js";
import { sameValue } from "./values.js";

/** What a number within an `AmountDomain` is like. */
export interface AmountState {
  /** Whether it can be answered. */
  readonly complete: boolean;
  /** The number of the domain that is nearest, the lower one of two; `undefined` if the domain has none. */
  readonly nearest: bigint | undefined;
  /** The next number of the domain above it; `undefined` if there is none. */
  readonly more: bigint | undefined;
  /** The next number of the domain below it; `undefined` if there is none. */
  readonly less: bigint | undefined;
}

const stepOf = ({ step }: AmountDomain): bigint => (step > 0n ? step : 1n);

/** How many numbers there are. */
export const amountCount = (domain: AmountDomain): bigint =>
  domain.most < domain.least ? 0n : (domain.most - domain.least) / stepOf(domain) + 1n;

/** What a number within its limits is like. */
export function amountState(domain: AmountDomain, chosen: number | bigint): AmountState {
  const count = amountCount(domain);
  if (count === 0n) return { complete: false, nearest: undefined, more: undefined, less: undefined };
  const [step, n] = [stepOf(domain), BigInt(chosen)];
  const last = domain.least + (count - 1n) * step;
  const inner = (at: bigint): bigint | undefined => (at >= domain.least && at <= last ? at : undefined);
  // The number of the domain at or below the chosen one, if the domain had no ends.
  const off = (((n - domain.least) % step) + step) % step;
  const below = n - off;
  const clamped = n < domain.least ? domain.least : n > last ? last : 2n * off <= step ? below : below + step;
  const less = off === 0n ? below - step : below;
  return {
    complete: inner(n) !== undefined && off === 0n,
    nearest: clamped,
    more: n < domain.least ? domain.least : inner(below + step),
    less: n > last ? last : inner(less),
  };
}

/** Whether a value is one of the domain's. */
export const isAmong = (domain: ValuesDomain, value: Value): boolean =>
  domain.values.some((one) => sameValue(one, value));
