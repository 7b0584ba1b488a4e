// What is written for people runs: the code of README.md, and the examples. Needs REFEREE and `npm run build`.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "../../src/node.js";
import { BotKind, TokenKind } from "../../src/v1.js";
import { readmeProgram } from "../readme.js";
import { Server } from "./server.js";

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
let server: Server;
before(async () => void (server = await Server.start()));
after(() => server.stop());

/** Runs a program of this folder and gives what it prints; fails if it does not end by itself in time. */
async function output(file: string, ...words: string[]): Promise<string> {
  const admin = connect(server.address).withToken(server.token("admin")).admin;
  const { token } = await admin.createToken({ kind: TokenKind.PLAYER, label: "Ada" });
  const env = { ...process.env, ADDRESS: server.address, HOST: server.token("host"), PLAYER: token };
  return (await run(process.execPath, ["--import", "tsx", file, ...words], { cwd: at("."), env, timeout: 120_000 }))
    .stdout;
}

test("the code of the README runs", async () => {
  const file = at("test/referee/readme-program.ts");
  writeFileSync(file, readmeProgram());
  try {
    const said = await output(file);
    assert.match(said, /^the table has \d+ places$/m);
    assert.match(said, /^mark offered\(\) row role\.\w+: 1 left, by targets$/m);
    assert.match(said, /^\d+ events, (all of them|then it is open): (certain|likely)$/m);
    assert.match(said, /^\d\d+ moves, \w+$/m);
    assert.match(said, /^moment \d+ of \d+, then \d+ events$/m);
    assert.match(said, /^kukurydza .*\.$/m, "names and clauses in Polish");
    assert.match(said, /^[0-9a-f]{64} \d+ \d+ [0-9a-f]{64}$/m, "a record");
  } finally {
    rmSync(file);
  }
});

test("the example hosts a match and plays it", async () => {
  const said = await output(
    "examples/play.ts",
    server.address,
    "--host",
    server.token("host"),
    "--ruleset",
    "rulesets/san-juan",
  );
  assert.match(said, /^matches\/\w+ ended by \w+ after \d+ moves of mine; seat 1: \d+, seat 2: \d+, seat 3: \d+\n$/);
});

test("the example takes a seat that somebody else hosts", async () => {
  const referee = connect(server.address);
  const { matches } = referee.withToken(server.token("host"));
  const { match, claimCodes } = await matches.createMatch({
    ruleset: "rulesets/san-juan",
    configuration: { players: 2 },
  });
  await matches.seatBot({ name: `${match!.name}/seats/1`, bot: BotKind.RANDOM });
  const playing = output(
    "examples/play.ts",
    server.address,
    "--match",
    match!.name,
    "--seat",
    "2",
    "--code",
    claimCodes[1]!.code,
  );
  const started = async (): Promise<unknown> =>
    matches.startMatch({ name: match!.name }).catch(() => new Promise((done) => setTimeout(done, 200)).then(started));
  await started();
  assert.match(await playing, new RegExp(`^${match!.name} ended by twelve_buildings|cards_exhausted after`));
  referee.close();
});

test("the example by hand narrows what is asked by the numbers that are typed, in words", async () => {
  const env = { ...process.env };
  const words = [
    "--import",
    "tsx",
    "examples/by-hand.ts",
    server.address,
    "--host",
    server.token("host"),
    "--language",
    "pl",
  ];
  const playing = run(process.execPath, words, { cwd: at("."), env, timeout: 120_000 });
  playing.child.stdin!.end("1\n".repeat(12));
  const said = (await playing).stdout;
  assert.match(said, /^ {2}1 {2}plantator$/m, "a list to point at");
  assert.match(said, /= wybierz postać: plantator$/m, "the move that was narrowed to");
  assert.match(said, /^by hand: wybierz postać/m, "what happened");
  assert.match(said, /the input ended: the seat waits\n$/);
});
