// Records: their lines, whole and in pieces, and texts that are none.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RecordError, placeKey, readRecord, recordLines } from "../src/index.js";
import { all } from "./support.js";

const zeros = "0".repeat(64);
const header = (form = "referee.record/4") => ({
  record: {
    form,
    match: "m1",
    ruleset: "a-game",
    version: "0.1.0",
    players: 2,
    modules: [],
    options: { long: 1 },
    digest: zeros,
    committedDigest: zeros,
    createdMs: 5,
    seedCommitment: zeros,
    seed: zeros,
    tables: { good: ["corn"] },
    setUpEvents: 1,
  },
});
const lines = [
  header(),
  { file: { content: zeros, path: "ruleset.yaml", text: "łódź\nline" } },
  { entry: { sequence: 0, atMs: 5, chain: zeros, says: { created: { seedCommitment: zeros } } } },
  { event: { phaseBegan: { phase: "game" } } },
  {
    event: {
      number: "1",
      endingDue: { ending: "full", clause: { id: "end.full", section: "end", text: { en: "It is full." } } },
    },
  },
  {
    event: {
      number: "2",
      matchOver: {
        outcome: {
          ending: "full",
          clause: { id: "end.full" },
          scores: [{ seat: 1, total: "31", lines: [{ name: "points", points: "31", clause: { id: "end.points" } }] }],
          winners: [1],
        },
      },
    },
  },
  { event: { number: "3", tableChanged: { seatTaken: { seat: 1, name: zeros } } } },
  { state: { form: "referee.state/1", visits: [{}] } },
  { end: { sha256: zeros, signatures: [{ key: zeros, signature: zeros }] } },
  { name: { digest: zeros, salt: "00", name: "Ada" } },
];
const textOf = (all: readonly object[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join("");

test("a record is read, its events as the contract's", async () => {
  const record = await readRecord(textOf(lines));
  assert.deepEqual([record.header.match, record.header.players, record.header.options["long"]], ["m1", 2, 1]);
  assert.deepEqual(
    record.events.map(({ number, kind }) => [number, kind.case]),
    [
      [0n, "phaseBegan"],
      [1n, "endingDue"],
      [2n, "matchOver"],
      [3n, "tableChanged"],
    ],
  );
  const [, due, over] = record.events;
  assert.equal(due!.kind.case === "endingDue" && due!.kind.value.clause, "end.full");
  assert.equal(over!.kind.case === "matchOver" && over!.kind.value.outcome?.scores[0]?.lines[0]?.clause, "end.points");
  assert.equal(over!.kind.case === "matchOver" && over!.kind.value.outcome?.scores[0]?.total, 31n);
  assert.deepEqual(
    record.files.map(({ text }) => text),
    ["łódź\nline"],
  );
  assert.deepEqual(Object.keys(record.entries[0]!.says), ["created"]);
  assert.equal(record.state?.["form"], "referee.state/1");
  assert.equal(record.end.signatures?.length, 1);
  assert.deepEqual(
    record.names.map(({ name }) => name),
    ["Ada"],
  );
});

test("what moved, and from where to where, is read by the names of the contract", async () => {
  const place = (name: string, ...index: object[]) => ({ name, index });
  const moved = {
    piecesMoved: {
      from: place("stock", { seat: 1 }),
      to: place("hold", { row: { table: "good", row: "corn" } }),
      row: { table: "good", row: "corn" },
      count: 2,
    },
    counterChanged: { counter: place("coins", { seat: 2 }), from: "3", to: "5" },
    markerSet: { marker: place("leader"), to: { seat: 2 } },
  };
  // Nothing that the archive says of these is left out here.
  for (const form of [2, 3, 4]) {
    const at = new URL(`../../../archive/referee.record-${form}.schema.json`, import.meta.url);
    const { event } = JSON.parse(readFileSync(at, "utf8")).$defs;
    for (const [kind, says] of Object.entries(moved)) {
      assert.deepEqual(Object.keys(event.properties[kind].properties).sort(), Object.keys(says).sort());
    }
  }
  const told = Object.entries(moved).map(([kind, says], at) => ({ event: { number: String(at), [kind]: says } }));
  const { events } = await readRecord(textOf([header(), ...told, lines[8]!]));
  const [pieces, counter, marker] = events.map(({ kind }) => kind);
  assert.ok(pieces?.case === "piecesMoved" && counter?.case === "counterChanged" && marker?.case === "markerSet");
  assert.deepEqual([placeKey(pieces.value.source!), pieces.value.count], ["stock(seat 1)", 2]);
  assert.equal(placeKey(pieces.value.destination!), "hold(row good.corn)");
  assert.deepEqual([counter.value.before, counter.value.after], [3n, 5n]);
  assert.deepEqual(marker.value.value?.kind, { case: "seat", value: 2 });
});

test("pieces may end anywhere, even within a letter", async () => {
  const bytes = new TextEncoder().encode(textOf(lines));
  for (const size of [1, 7, 1000, bytes.length]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const read = await all(recordLines(pieces()));
    assert.equal(read.length, lines.length);
    assert.equal(read[1]!.kind === "file" && read[1]!.file.text, "łódź\nline");
  }
  assert.equal((await all(recordLines(textOf(lines).trimEnd()))).length, lines.length, "without a last line feed");
});

test("form 2 is read, too", async () => {
  const record = await readRecord(textOf([header("referee.record/2"), ...lines.slice(2, 6), lines[8]!]));
  assert.equal(record.state, undefined);
  assert.equal(record.events.length, 3);
});

test("what is no record is refused, with the line and what to do", async () => {
  const refused = async (text: string, line: number, why: RegExp) =>
    assert.rejects(
      readRecord(text),
      (error: RecordError) => error instanceof RecordError && error.line === line && why.test(error.message),
    );
  await refused("form: referee.record-1\n", 1, /this is no JSON: a record is the JSON Lines of ExportRecord/);
  await refused("", 1, /cut off, export it anew/);
  await refused(textOf(lines.slice(0, 5)), 6, /cut off, export it anew/);
  await refused(textOf(lines.slice(1)), 1, /begins with its line `record`/);
  await refused(
    textOf([header("referee.record/9"), ...lines.slice(1)]),
    1,
    /form "referee.record\/9" cannot be read: install a newer/,
  );
  await refused(textOf([lines[0]!, { future: {} }]), 2, /a line "future" is not known/);
  await refused(textOf([lines[0]!, { event: { number: "x" } }]), 2, /this event cannot be read/);
  await refused(`${textOf([lines[0]!])}[]\n`, 2, /no line of a record/);
});
