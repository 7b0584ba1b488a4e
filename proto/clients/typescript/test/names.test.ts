// Names from a catalogue and from a glossary; moves, offers and events in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import {
  AmountDomainSchema,
  ComparedValueSchema,
  EventSchema,
  GlossarySchema,
  MoveSchema,
  NameKind,
  RulesetSchema,
  RulesetService,
  RulesetSummarySchema,
  type Event,
  type Ruleset,
} from "../src/v1.js";
import {
  NameBook,
  Names,
  Referee,
  argument,
  bag,
  boolean,
  inLanguage,
  integer,
  none,
  placeRef,
  record,
  row,
  rowRef,
  seat,
  spread,
} from "../src/index.js";
import { offer } from "./support.js";
import type { MessageInitShape } from "@bufbuild/protobuf";

const text = (en: string, pl?: string) => ({ byLanguage: { en, ...(pl !== undefined && { pl }) } });
const ruleset: Ruleset = create(RulesetSchema, {
  tables: [
    {
      id: "good",
      names: text("good", "towar"),
      columns: [{ id: "price", names: text("price") }],
      rows: [
        {
          id: "corn",
          names: text("corn", "kukurydza"),
          counted: { "en.other": "corn", "pl.few": "kukurydze", "pl.many": "kukurydz" },
        },
        { id: "rye" },
      ],
    },
    { id: "card", names: text("card"), rows: [{ id: "corn", names: text("corn field") }] },
  ],
  places: [{ id: "hold", names: text("hold", "ładownia") }],
  counters: [{ id: "money", names: text("money", "pieniądze") }],
  markers: [{ id: "governor", names: text("governor") }],
  phases: [
    {
      id: "captain",
      names: text("captain"),
      parameters: [{ name: "p", names: text("player") }],
      steps: [{ id: "captain.loading", names: text("loading", "załadunek") }],
      kept: [{ id: "captain.shipped", names: text("shipped") }],
    },
  ],
  moves: [
    {
      step: "captain.loading",
      name: "load",
      names: text("load goods", "załaduj"),
      parameters: [{ name: "g", names: text("good", "towar") }, { name: "n" }],
    },
    { step: "mayor.placing", name: "load", names: text("fill") },
  ],
  events: [{ id: "loaded", names: text("goods were loaded") }],
  endings: [{ id: "full", names: text("the city is full") }],
  scoreLines: [{ id: "points", names: text("points") }],
  clauses: [{ id: "captain.must", text: text("You must load.", "Musisz ładować.") }],
});
const names = Names.ofRuleset(ruleset);
const pl = names.with({ language: "pl-PL" });

test("every id has its name, in the language that is there", () => {
  assert.equal(names.row(rowRef("good", "corn")), "corn");
  assert.equal(names.row(rowRef("card", "corn")), "corn field");
  assert.equal(pl.row(rowRef("good", "corn")), "kukurydza");
  assert.equal(pl.row(rowRef("card", "corn")), "corn field", "English where there is no Polish");
  assert.equal(names.row(rowRef("good", "rye")), "rye", "the id where there is no name");
  assert.equal(names.of(NameKind.COLUMN, "price", "good"), "price");
  assert.equal(names.of(NameKind.TABLE, "good"), "good");
  assert.equal(pl.place(placeRef("hold", seat(2), row("good", "corn"))), "ładownia (gracz 2, kukurydza)");
  assert.equal(names.counter(placeRef("money", seat(1))), "money (seat 1)");
  assert.equal(names.marker(placeRef("governor")), "governor");
  assert.equal(names.marker(placeRef("captain.shipped", seat(1))), "shipped (seat 1)");
  assert.deepEqual([names.phase("captain"), pl.phase("captain.loading")], ["captain", "załadunek"]);
  assert.deepEqual(
    [names.clause("captain.must"), pl.clause("captain.must"), names.clause("other")],
    ["You must load.", "Musisz ładować.", undefined],
  );
  assert.equal(names.of(NameKind.SCORE_LINE, "points"), "points");
  assert.equal(inLanguage(undefined, "en"), undefined);
});

test("a clause is called by where it stands in the book, in the reader's language", () => {
  const clause = (id: string, section: string) => ({ id, section, text: text(id, id) });
  const catalogue = create(RulesetSchema, {
    sections: [{ id: "captain", titles: text("Captain", "Kapitan") }],
    clauses: [clause("captain.must", "captain"), clause("other", "nowhere"), clause("captain.may", "captain")],
  });
  const names = Names.ofRuleset(catalogue);
  assert.deepEqual(
    ["captain.must", "captain.may", "other", "unknown"].map((id) => names.clauseLabel(id)),
    ["Captain, 1", "Captain, 2", "nowhere, 1", "unknown"],
  );
  assert.equal(names.with({ language: "pl" }).clauseLabel("captain.may"), "Kapitan, 2");
  assert.deepEqual(names.clauseStanding("captain.may"), { section: "Captain", number: 2 });
  assert.equal(names.clauseStanding("unknown"), undefined);
});

test("values, moves and offers in words", () => {
  const named = names.with({ player: (number) => ["Ada", "Bo"][number - 1]! });
  assert.equal(named.value(seat(2)), "Bo");
  assert.equal(names.value(bag("good", { corn: 2, rye: 1 })), "2 corn, 1 rye");
  assert.equal(names.value(bag("good", {})), "nothing");
  assert.equal(names.value(none()), "nothing");
  assert.equal(
    names.value(spread([{ place: placeRef("hold", seat(1)), row: rowRef("good", "corn"), count: 3 }])),
    "3 corn → hold (seat 1)",
  );
  assert.equal(
    pl.value(record("deal", { g: row("good", "corn"), acts: boolean(true) })),
    "towar: kukurydza, acts",
  );
  const inner = record("inner", { to: none(), g: row("good", "corn") });
  const deal = record("deal", { paid: integer(0), given: bag("good", {}), acts: boolean(false), inner, sure: boolean(true) });
  assert.equal(names.value(deal), "inner (good: corn), sure", "what is nothing is left out, at any depth");
  assert.equal(names.value(record("deal", { paid: integer(0) })), "nothing");
  const move = create(MoveSchema, {
    name: "load",
    arguments: [argument("g", row("good", "corn")), argument("n", integer(3))],
  });
  assert.equal(names.move("captain.loading", move), "load goods (good: corn, n: 3)");
  assert.equal(names.move("mayor.placing", create(MoveSchema, { name: "load" })), "fill");
  assert.equal(names.move("elsewhere", create(MoveSchema, { name: "load" })), "load");
  const open = offer("load", { g: row("good", "corn") }, [
    { name: "n", domain: { case: "amount", value: { least: 1n, most: 3n, step: 1n } } },
    { name: "b", domain: { case: "bag", value: { table: "good", available: [{ row: "corn", count: 2 }], most: 1 } } },
    { name: "v", domain: { case: "values", value: { values: [boolean(false), boolean(true)] } } },
    {
      name: "s",
      domain: {
        case: "spread",
        value: { pieces: [{ row: rowRef("good", "corn"), count: 2 }], rooms: [{ place: placeRef("hold"), room: 1 }] },
      },
    },
  ]);
  assert.equal(
    names.offer("captain.loading", open),
    "load goods (good: corn, n: 1–3, b: 0–1 of 2 corn, v: no / yes, s: 2 corn → hold (1))",
  );
});

test("events in words, secrets as such", () => {
  const event = (kind: MessageInitShape<typeof EventSchema>["kind"]): Event => create(EventSchema, { kind: kind! });
  const said = (kind: MessageInitShape<typeof EventSchema>["kind"]): string => names.event(event(kind));
  const corn = rowRef("good", "corn");
  assert.equal(
    said({ case: "phaseBegan", value: { phase: "captain", arguments: [argument("p", seat(1))] } }),
    "— captain (player: seat 1)",
  );
  assert.equal(
    said({ case: "moveMade", value: { seat: 2, step: "captain.loading", move: { name: "load" } } }),
    "seat 2: load goods",
  );
  assert.equal(
    said({
      case: "piecesMoved",
      value: { source: placeRef("hold", seat(1)), destination: placeRef("supply"), row: corn, count: 2 },
    }),
    "2 corn: hold (seat 1) → supply",
  );
  assert.equal(
    said({ case: "piecesMoved", value: { source: placeRef("deck"), destination: placeRef("hold") } }),
    "? something: deck → hold",
  );
  assert.equal(
    said({ case: "counterChanged", value: { counter: placeRef("money", seat(1)), before: 3n, after: 0n } }),
    "money (seat 1): 3 → 0",
  );
  assert.equal(
    said({ case: "counterChanged", value: { counter: placeRef("money", seat(1)) } }),
    "money (seat 1): ? → ?",
  );
  assert.equal(said({ case: "markerSet", value: { marker: placeRef("governor"), value: seat(3) } }), "governor = seat 3");
  assert.equal(said({ case: "pileShuffled", value: { pile: placeRef("deck"), size: 9 } }), "deck (9): shuffled");
  assert.equal(
    said({ case: "raised", value: { event: "loaded", arguments: [argument("n", integer(2))] } }),
    "goods were loaded (n: 2)",
  );
  assert.equal(said({ case: "endingDue", value: { ending: "full" } }), "the city is full");
  assert.equal(
    said({
      case: "matchOver",
      value: { outcome: { ending: "full", scores: [{ seat: 1, total: 31n }], winners: [1] } },
    }),
    "the city is full; seat 1: 31; ★ seat 1",
  );
  assert.equal(
    said({ case: "tableChanged", value: { kind: { case: "seatResigned", value: { seat: 2 } } } }),
    "seat 2: resigned",
  );
  assert.equal(
    said({ case: "tableChanged", value: { kind: { case: "proposalMade", value: { kind: 3, seat: 1, moves: 2 } } } }),
    "seat 1: undo (2)?",
  );
  assert.equal(said({ case: "tableChanged", value: { kind: { case: "matchPaused", value: {} } } }), "match paused");
  assert.equal(said({ case: undefined }), "something");
});

test("a glossary names what it has", () => {
  const glossary = Names.ofGlossary(
    create(GlossarySchema, {
      entries: [
        { kind: NameKind.MOVE, within: "captain.loading", id: "load", text: text("load goods") },
        { kind: NameKind.ROW, within: "good", id: "corn", text: text("corn", "kukurydza") },
        { kind: NameKind.CLAUSE, id: "captain.must", text: text("You must load.") },
      ],
    }),
    { language: "pl" },
  );
  assert.equal(
    glossary.move(
      "captain.loading",
      create(MoveSchema, { name: "load", arguments: [argument("g", row("good", "corn"))] }),
    ),
    "load goods (g: kukurydza)",
  );
  assert.equal(glossary.clause("captain.must"), "You must load.");
});

test("a ruleset is asked for once for each digest, and again if that failed", async () => {
  let calls = 0;
  const transport = createRouterTransport(({ service }) =>
    service(RulesetService, {
      getRuleset({ name }) {
        calls += 1;
        if (calls === 1) throw new Error("not now");
        return { ruleset: create(RulesetSchema, { ...ruleset, summary: create(RulesetSummarySchema, { name }) }) };
      },
    }),
  );
  const book = new NameBook(
    new Referee(transport, {
      retry: { maxAttempts: 1, initialBackoffMs: 1, maxBackoffMs: 1, backoffMultiplier: 1, methods: new Set() },
    }),
  );
  const match = (digest: number) => ({
    digest: new Uint8Array([digest]),
    revision: `rulesets/a/revisions/${digest}`,
    configuration: undefined,
  });
  await assert.rejects(book.of(match(1)));
  const [one, same] = await Promise.all([book.of(match(1)), book.of(match(1), { language: "pl" })]);
  assert.equal(one.row(rowRef("good", "corn")), "corn");
  assert.equal(same.row(rowRef("good", "corn")), "kukurydza");
  assert.equal(calls, 2);
  assert.equal((await book.ruleset(match(2))).summary?.name, "rulesets/a/revisions/2");
  assert.equal(calls, 3);
});

const { $typeName: _, ...withoutSentences } = ruleset;
const told: Ruleset = create(RulesetSchema, {
  ...withoutSentences,
  moves: [
    {
      step: "captain.loading",
      name: "load",
      names: text("load goods", "załaduj"),
      sentence: text("load {g} onto {s}[, {n} of it][ {helper}]", "załaduj {g}, statek {s}[, sztuk: {n}][ {helper}]"),
      parameters: [
        { name: "g", names: text("good", "towar") },
        { name: "n", names: text("number", "liczba") },
        { name: "helper", names: text("with a helper", "z pomocnikiem") },
      ],
    },
  ],
  events: [
    { id: "loaded", names: text("goods were loaded"), sentence: text("{p} has loaded {n}[ of {g}]") },
    { id: "bare", names: text("something was done") },
  ],
  phrases: [
    { id: "seat", sentence: text("player {number}", "gracz {number}") },
    { id: "nothing", sentence: text("nought") },
    { id: "secret_number", sentence: text("??") },
    { id: "pieces", sentence: text("{count} {row}") },
    { id: "pieces.face_down", sentence: text("{count} face down") },
    { id: "argument", sentence: text("{name} {value}") },
    { id: "raised", sentence: text("{event}[ ({arguments})]") },
    { id: "move_made", sentence: text("{seat}: {move}") },
    { id: "move_made.forced", sentence: text("{seat}: {move} (the only move)") },
    { id: "pieces_moved", sentence: text("{pieces}: {source} → {destination}") },
    { id: "counter_changed", sentence: text("{counter} {before} → {after}") },
    { id: "seats_asked", sentence: text("asked now: {seats}[ ({step})]") },
    { id: "match_over", sentence: text("the end: {ending}[; {scores}][; won by {winners}]") },
    { id: "score", sentence: text("{seat}: {total}") },
    { id: "proposal_made.undo", sentence: text("{seat} proposes to take moves back: {moves}") },
  ],
});

test("moves are told in the ruleset's sentence, as text and as spans", () => {
  const named = Names.ofRuleset(told);
  const move = create(MoveSchema, {
    name: "load",
    arguments: [argument("g", row("good", "corn")), argument("s", row("card", "corn")), argument("n", integer(2))],
  });
  assert.equal(named.move("captain.loading", move), "load corn onto corn field, 2 of it");
  assert.equal(named.with({ language: "pl" }).move("captain.loading", move), "załaduj kukurydza, statek corn field, sztuk: 2");
  const spans = named.moveSpans("captain.loading", move);
  assert.deepEqual(
    spans.map(({ text, hole }) => [text, hole]),
    [
      ["load ", undefined],
      ["corn", "g"],
      [" onto ", undefined],
      ["corn field", "s"],
      [", ", undefined],
      ["2", "n"],
      [" of it", undefined],
    ],
  );
  assert.deepEqual(spans[1]?.value, row("good", "corn"));
  const helped = create(MoveSchema, { name: "load", arguments: [argument("helper", boolean(true)), argument("n", integer(0))] });
  assert.equal(named.move("captain.loading", helped), "load nought onto nought with a helper");
  // Without a sentence names are put together, as with a referee that sends none.
  assert.equal(names.move("captain.loading", create(MoveSchema, { name: "load" })), "load goods");
});

test("an offer's sentence has an ellipsis where something is open", () => {
  const named = Names.ofRuleset(told);
  const offered = offer("load", { g: row("good", "corn") }, [
    { name: "n", domain: { case: "amount", value: { least: 0n, most: 3n, step: 1n } } },
  ]);
  assert.equal(named.offer("captain.loading", offered), "load corn onto nought, … of it (number: 0–3)");
  const only = create(AmountDomainSchema, { least: 2n, most: 2n, step: 1n });
  const exact = { ...offered, open: [{ ...offered.open[0]!, domain: { case: "amount" as const, value: only } }] };
  assert.equal(named.offer("captain.loading", exact), "load corn onto nought, … of it (number: 2)");
});

test("what a refusal compared is called by its label, or else as the rules write it", () => {
  const value = row("good", "corn");
  const labelled = create(ComparedValueSchema, { expression: "g", value, label: text("good", "towar") });
  assert.equal(names.compared(labelled), "good = corn");
  assert.equal(pl.compared(labelled), "towar = kukurydza");
  assert.equal(names.compared(create(ComparedValueSchema, { expression: "size(some)", value: integer(2) })), "size(some) = 2");
  const ofSeats = create(ComparedValueSchema, { expression: "coins(p)", value: integer(4), label: text("coins (p2)", "monety (p2)"), sentence: text("coins ({2}) + loans ({1})", "monety ({2}) + pożyczki ({1})") });
  assert.equal(names.compared(ofSeats), `coins (${names.player(2)}) + loans (${names.player(1)}) = 4`);
});

test("what stands behind a number has the form that the language has for it", () => {
  const polish = Names.ofRuleset(ruleset, { language: "pl-PL" });
  const counted = (names: Names, count: number) => names.value(bag("good", { corn: count }));
  assert.deepEqual(
    [1, 2, 5, 12, 22, 112].map((count) => counted(polish, count)),
    ["1 kukurydza", "2 kukurydze", "5 kukurydz", "12 kukurydz", "22 kukurydze", "112 kukurydz"],
  );
  assert.equal(counted(Names.ofRuleset(ruleset), 3), "3 corn");
  // Of what nobody says how it is counted, and in a language in which nobody does.
  assert.equal(polish.value(bag("good", { rye: 2 })), "2 × rye");
  assert.equal(polish.value(bag("good", { rye: 1 })), "1 rye");
  assert.equal(counted(polish.with({ language: "de" }), 2), "2 × corn");
});

test("events are told in the referee's sentences", () => {
  const named = Names.ofRuleset(told);
  const event = (kind: MessageInitShape<typeof EventSchema>["kind"]): string => named.event(create(EventSchema, { kind: kind! }));
  const move = { name: "load", arguments: [argument("g", row("good", "corn")), argument("s", row("card", "corn"))] };
  const made = { seat: 1, step: "captain.loading", move };
  assert.equal(event({ case: "moveMade", value: { ...made, origin: 2 } }), "player 1: load corn onto corn field (the only move)");
  // Of an origin that has no sentence of its own, that of any move.
  assert.equal(event({ case: "moveMade", value: { ...made, origin: 4 } }), "player 1: load corn onto corn field");
  const way = { source: placeRef("hold"), destination: placeRef("hold", seat(2)) };
  assert.equal(event({ case: "piecesMoved", value: { ...way, count: 3 } }), "3 face down: hold → hold (player 2)");
  assert.equal(event({ case: "piecesMoved", value: { ...way, row: rowRef("good", "corn") } }), "?? corn: hold → hold (player 2)");
  assert.equal(event({ case: "counterChanged", value: { counter: placeRef("money"), after: 4n } }), "money ?? → 4");
  const all = [argument("p", seat(2)), argument("n", integer(0)), argument("g", none())];
  assert.equal(event({ case: "raised", value: { event: "loaded", arguments: all } }), "player 2 has loaded 0");
  assert.equal(event({ case: "raised", value: { event: "bare", arguments: [argument("n", integer(1))] } }), "something was done (number 1)");
  assert.equal(event({ case: "raised", value: { event: "bare" } }), "something was done");
  assert.equal(event({ case: "seatsAsked", value: { step: "captain.loading", seats: [1, 2] } }), "asked now: player 1, player 2 (loading)");
  const outcome = { ending: "full", scores: [{ seat: 1, total: 9n }], winners: [1] };
  assert.equal(event({ case: "matchOver", value: { outcome } }), "the end: the city is full; player 1: 9; won by player 1");
  const undo = { case: "proposalMade", value: { seat: 2, kind: 3, moves: 2 } } as const;
  assert.equal(event({ case: "tableChanged", value: { kind: undo } }), "player 2 proposes to take moves back: 2");
});
