/**
 * What modules are called, where a list has only their ids.
 *
 * In: a ruleset's name. Out: the titles of its modules by id; each ruleset is asked for once.
 *
 * @module
 */
import type { Text } from "referee-client/v1";
import { referee } from "../server.ts";

const asked = new Map<string, Promise<ReadonlyMap<string, Text | undefined>>>();

export function modulesOf(ruleset: string): Promise<ReadonlyMap<string, Text | undefined>> {
  const known = asked.get(ruleset);
  if (known) return known;
  const coming = referee.value.rulesets.getRuleset({ name: ruleset }).then(({ ruleset }) => new Map((ruleset?.modules ?? []).map(({ id, titles }) => [id, titles])));
  asked.set(ruleset, coming);
  // What failed is asked again by the next list.
  coming.catch(() => asked.delete(ruleset));
  return coming;
}
