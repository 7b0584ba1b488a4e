/**
 * Events lead to the table that the referee shows.
 *
 * In: REFEREE. Out: where the table that follows from a view and events differs from the next view in anything that both know; and
 * where a record that is replayed ends otherwise than the match did.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after as afterAll, before, test } from "node:test";
import "../unit/globals.ts";
import { connect } from "referee-client/node";
import { completeMove, exportRecord, openDecisions, readRecord, viewAt, valueKey, type Referee } from "referee-client";
import { BotKind } from "referee-client/v1";
import { Catalogue } from "../../src/model/catalogue.ts";
import { after, tableOf, type TableState } from "../../src/model/table.ts";
import { chance } from "./driver.ts";
import { startWorld, type World } from "./harness.ts";

const { Replay, firstTable } = await import("../../src/replay/record.ts");

let world: World;
let host: Referee;
before(async () => {
  world = await startWorld();
  host = connect(world.referee).withToken(world.hostToken);
});
afterAll(async () => {
  host.close();
  await world.close();
});

/** In what two tables differ, as far as both know. */
function differences(told: TableState, seen: TableState): readonly string[] {
  const found: string[] = [];
  for (const [key, place] of seen.places) {
    const other = told.places.get(key);
    if (!other) continue;
    if (other.size !== undefined && place.size !== undefined && other.size !== place.size) found.push(`${key}: ${other.size} and not ${place.size} pieces`);
    if (!other.contents || !place.contents || place.endless) continue;
    const counted = (contents: NonNullable<typeof place.contents>): string => {
      const counts = new Map<string, number>();
      for (const { row, count } of contents) counts.set(row, (counts.get(row) ?? 0) + count);
      return [...counts].sort(([a], [b]) => a.localeCompare(b)).join(" ");
    };
    if (counted(other.contents) !== counted(place.contents)) found.push(`${key}: ${counted(other.contents)} and not ${counted(place.contents)}`);
  }
  for (const [key, { value }] of seen.counters) {
    const other = told.counters.get(key)?.value;
    if (value !== undefined && other !== undefined && value !== other) found.push(`${key}: ${other} and not ${value}`);
  }
  for (const [key, { value }] of seen.markers) {
    const other = told.markers.get(key)?.value;
    if (value && other && valueKey(value) !== valueKey(other)) found.push(`${key}: ${valueKey(other)} and not ${valueKey(value)}`);
  }
  return found;
}

for (const [ruleset, players] of [["puerto-rico", 3], ["san-juan", 3], ["catan-rivals", 2]] as const) {
  test(`events of ${ruleset} lead to the next view, and its record to its end`, { timeout: 120_000 }, async () => {
    const { match, claimCodes } = await host.matches.createMatch({ ruleset: `rulesets/${ruleset}`, configuration: { players }, testSeed: new Uint8Array(32).fill(players) });
    const name = match!.name;
    const [mine, ...others] = claimCodes;
    for (const { name } of others) await host.matches.seatBot({ name, bot: BotKind.RANDOM });
    const { seatToken } = await host.matches.claimSeat({ name: mine!.name, claimCode: mine!.code, displayName: "Ada" });
    await host.matches.startMatch({ name });
    const ada = host.withToken(seatToken);
    const random = chance(players);
    let compared = 0;
    for (let times = 0; times < 5000; times += 1) {
      const { match: now } = await ada.matches.getMatch({ name });
      if (now!.state === 3) break;
      const [question] = await openDecisions(ada, name);
      if (!question) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const { view, resumeToken } = await viewAt(ada, name);
      const before = tableOf(view);
      const move = completeMove(question.offers[Math.floor(random() * question.offers.length)]!);
      const answer = await ada.play.submitMove({ name, decisionId: question.decision.decisionId, move, withView: true }).catch(() => undefined);
      if (!answer?.view) continue;
      const seen = tableOf(answer.view);
      const { events } = await ada.play.listEvents({ name, pageToken: resumeToken, pageSize: 1000 });
      const between = events.filter(({ number }) => Number(number) >= before.eventCount && Number(number) < seen.eventCount);
      assert.deepEqual(differences(between.reduce(after, before), seen), [], `${ruleset}, events ${before.eventCount} to ${seen.eventCount}`);
      compared += 1;
    }
    assert.ok(compared > 20, `${compared} moves were compared`);
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of exportRecord(host, name)) text += decoder.decode(piece, { stream: true });
    const record = await readRecord(text);
    const { ruleset: catalogue } = await host.rulesets.getRuleset({ name: match!.revision, configuration: match!.configuration! });
    const replayed = new Replay(record.events, firstTable(new Catalogue(catalogue!), record)).at(record.events.length);
    const { view } = await host.spectators.getAllHands({ name });
    const wrong = differences(replayed, tableOf(view!));
    assert.deepEqual(wrong, [], "the end of the record");
  });
}
