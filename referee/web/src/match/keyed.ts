/**
 * Parts of what changes as a whole.
 *
 * In: how a part is read by its key. Out: the part, such that whoever draws it is told only when that part has changed: of a table
 * of hundreds of things a move changes a few.
 *
 * @module
 */
import { computed, type ReadonlySignal } from "@preact/signals";

/** Parts by key. Of two that are alike the one that was read first is given, so that nothing is drawn anew for the other. */
export function keyed<T>(read: (key: string) => T, alike: (a: T, b: T) => boolean = Object.is): (key: string) => T {
  const known = new Map<string, ReadonlySignal<T>>();
  const part = (key: string): ReadonlySignal<T> => {
    let last: { readonly value: T } | undefined;
    return computed(() => {
      const value = read(key);
      if (last === undefined || !alike(last.value, value)) last = { value };
      return last.value;
    });
  };
  return (key) => {
    let one = known.get(key);
    if (!one) known.set(key, (one = part(key)));
    return one.value;
  };
}

/** Whether two lists hold the same things in the same order. */
export const sameList = <T>(a: readonly T[], b: readonly T[]): boolean => a.length === b.length && a.every((one, at) => one === b[at]);

/** Things by a key of theirs. */
export function grouped<T>(all: Iterable<T>, keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
