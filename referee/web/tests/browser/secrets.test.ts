/**
 * What is hidden leaves no trace on the page.
 *
 * In: REFEREE. Out: where the page of a spectator tells two matches from each other that differ in hidden things alone: other
 * seeds, other cards in hands and decks, the same public moves.
 *
 * @module
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { connect } from "referee-client/node";
import { completeMove, openDecisions, type Referee } from "referee-client";
import { openPage, startWorld, type World } from "./harness.ts";

let world: World;
let host: Referee;
before(async () => {
  world = await startWorld();
  host = connect(world.referee).withToken(world.hostToken);
});
after(async () => {
  host.close();
  await world.close();
});

interface Match {
  readonly name: string;
  readonly seats: readonly Referee[];
  readonly tokens: readonly string[];
}

async function start(seed: number): Promise<Match> {
  const { match, claimCodes } = await host.matches.createMatch({ ruleset: "rulesets/san-juan", configuration: { players: 2 }, testSeed: new Uint8Array(32).fill(seed) });
  const tokens: string[] = [];
  for (const { name, code } of claimCodes) tokens.push((await host.matches.claimSeat({ name, claimCode: code, displayName: `player ${tokens.length + 1}` })).seatToken);
  await host.matches.startMatch({ name: match!.name });
  return { name: match!.name, tokens, seats: tokens.map((token) => host.withToken(token)) };
}

/** Roles in which cards are drawn and put away face down. */
const ROLES = ["councillor", "prospector"];

/** Somebody who is asked answers: with a role that shows nothing, with as many cards as must be, whichever they are; false if that cannot be. */
async function answer({ name, seats }: Match): Promise<boolean> {
  for (const seat of seats) {
    const [question] = await openDecisions(seat, name);
    if (!question) continue;
    const role = ({ fixed }: (typeof question.offers)[number]): string => {
      const kind = fixed.find(({ value }) => value?.kind.case === "row" && value.kind.value.table === "role")?.value?.kind;
      return kind?.case === "row" ? kind.value.row : "";
    };
    const wanted = question.offers.find((offer) => ROLES.includes(role(offer)));
    if (!wanted && question.offers.some((offer) => role(offer) !== "")) return false;
    await seat.play.submitMove({ name, decisionId: question.decision.decisionId, move: completeMove(wanted ?? question.offers[0]!) });
    return true;
  }
  return false;
}

/** The page of a match with what it asked for. */
async function watched(match: Match, token: string, fragment: string): Promise<{ readonly page: Page; readonly requests: string[] }> {
  const { page } = await openPage(world, { host: false });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname} ${request.postDataBuffer()?.length ?? 0}`));
  const key = { match: match.name, seat: fragment === "0" ? 0 : 1, token, title: "t", since: 0 };
  await page.evaluate((key) => localStorage.setItem("referee.keys", JSON.stringify([key])), key);
  await page.goto(`${world.address}/#/match/${match.name.slice(8)}/seat/${fragment}`);
  await page.reload();
  await page.waitForSelector(".table");
  return { page, requests };
}

/** The document, without what names the match itself. */
const picture = async (page: Page, match: Match): Promise<string> => {
  return (await page.evaluate(() => document.documentElement.outerHTML)).replaceAll(match.name.slice(8), "MATCH");
};

/** Whether two pages come to look alike. Streams bring what happened shortly after it did, not at the same time. */
async function alike(one: Page, a: Match, other: Page, b: Match, when: string): Promise<void> {
  for (let times = 0; times < 40; times += 1) {
    await one.waitForTimeout(250);
    if ((await picture(one, a)) === (await picture(other, b))) return;
  }
  assert.equal(await picture(one, a), await picture(other, b), when);
}

const spectator = async ({ name }: Match): Promise<string> => (await host.matches.inviteSpectator({ name })).spectatorToken;

test("two matches that differ in hidden things alone look alike to whoever watches", { timeout: 180_000 }, async () => {
  const [a, b] = [await start(1), await start(2)];
  const [one, other] = [await watched(a, await spectator(a), "0"), await watched(b, await spectator(b), "0")];
  await alike(one.page, a, other.page, b, "at the beginning");
  let moves = 0;
  for (let times = 0; times < 8; times += 1) {
    const [did, too] = [await answer(a), await answer(b)];
    assert.equal(did, too);
    if (!did) break;
    moves += 1;
    await one.page.waitForTimeout(400);
    await alike(one.page, a, other.page, b, `after ${moves} moves`);
  }
  assert.ok(moves >= 4, `${moves} moves`);
  // How often views were asked for hangs on how events came in batches; what was asked for does not.
  assert.deepEqual([...new Set(other.requests)].sort(), [...new Set(one.requests)].sort());
});

test("and the comparison can fail: to whoever holds the cards they look otherwise", { timeout: 60_000 }, async () => {
  const [a, b] = [await start(1), await start(2)];
  const [one, other] = [await watched(a, a.tokens[0]!, "1"), await watched(b, b.tokens[0]!, "1")];
  await one.page.waitForTimeout(1500);
  assert.notEqual(await picture(one.page, a), await picture(other.page, b));
});
