import "./globals.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Narrowing, integer, placeRef, readRecord, row, rowRef, seat } from "referee-client";
import { EventSchema, MoveOrigin, OfferSchema, Reason, type Offer } from "referee-client/v1";

const { routeOf, to } = await import("../../src/route.ts");
const { en } = await import("../../src/texts/en.ts");
const { pl } = await import("../../src/texts/pl.ts");
const { texts } = await import("../../src/texts.ts");
const { preferredOf } = await import("../../src/settings.ts");
const { Pointing } = await import("../../src/model/pointing.ts");
const { Turn } = await import("../../src/match/turn.ts");
const { clipped, fieldName, inOwnWords, isolated } = await import("../../src/parts/text.tsx");
const { entriesOf } = await import("../../src/match/log.tsx");
const { momentsOf, touchedBy } = await import("../../src/match/stage.ts");

test("addresses lead where they say", () => {
  assert.deepEqual(routeOf(to.match("matches/ab", 2, 310)), { screen: "match", match: "matches/ab", seat: 2, at: 310 });
  assert.deepEqual(routeOf(to.match("matches/ab")), { screen: "match", match: "matches/ab", seat: undefined, at: undefined });
  assert.deepEqual(routeOf(to.claim("matches/ab/seats/3", "rfc_x-_1")), { screen: "claim", seat: "matches/ab/seats/3", code: "rfc_x-_1", ruleset: "" });
  assert.deepEqual(routeOf(to.claim("matches/ab/seats/3", "rfc_x-_1", "rulesets/tea-house")), { screen: "claim", seat: "matches/ab/seats/3", code: "rfc_x-_1", ruleset: "rulesets/tea-house" });
  assert.deepEqual(routeOf("#/claim/ab/3/rfc_x/%3Cb%3E"), { screen: "claim", seat: "matches/ab/seats/3", code: "rfc_x", ruleset: "" });
  assert.deepEqual(routeOf(to.claim("matches/ab/seats/3")), { screen: "claim", seat: "matches/ab/seats/3", code: "", ruleset: "" });
  assert.deepEqual(routeOf(to.watch("matches/ab", "rfw_1")), { screen: "token", match: "matches/ab", token: "rfw_1" });
  assert.deepEqual(routeOf("#/key/rfh_1"), { screen: "token", match: "", token: "rfh_1" });
  assert.deepEqual(routeOf("#/key/rfu_1"), { screen: "token", match: "", token: "rfu_1" });
  assert.deepEqual(routeOf("#/open/rfo_1"), { screen: "open", code: "rfo_1" });
  const rules = routeOf(to.rules("rulesets/my game", { clause: "a.b" }));
  assert.ok(rules.screen === "rules" && rules.ruleset === "my game" && rules.query.get("clause") === "a.b");
  assert.equal(routeOf("").screen, "home");
});

test("addresses that were cut off or made up lead nowhere", () => {
  for (const bad of ["#/open/", "#/claim/ab", "#/claim/ab/x", "#/claim/ab/x/code", "#/watch/ab/nothing", "#/key/rfc_1", "#/match/", "#/%E0%A4%A", "#/nothing"]) assert.equal(routeOf(bad).screen, "lost", bad);
});

test("both languages say everything", () => {
  const shape = (value: unknown): unknown => (typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)])) : typeof value);
  // What only one of them has to say otherwise than the referee does, is its own.
  const own = { reasons: {}, sayings: [] };
  assert.deepEqual(shape({ ...pl, ...own }), shape({ ...en, ...own }));
  const same = Object.entries(en).filter(([key, text]) => typeof text === "string" && pl[key as "title"] === text && text.length > 4);
  assert.deepEqual(same.map(([key]) => key), []);
});

test("what is counted agrees with its number", () => {
  assert.equal(pl.delayMoves(22), "22 ruchy");
  assert.equal(pl.delayMoves(12), "12 ruchów");
  assert.deepEqual([1, 2, 5].map((n) => pl.players(n, n)), ["1 gracz", "2 graczy", "5 graczy"]);
  assert.deepEqual([1, 2].map((n) => en.players(n, n)), ["1 player", "2 players"]);
  // Every text that takes numbers, of one: neither language says "1 players".
  for (const [language, all, many] of [["en", en, /\b1 (players|moves|pieces|seconds|minutes|hours|days|kinds|events|clauses|differences)\b/], ["pl", pl, /\b1 (gracze|graczy|ruchy|ruchów|elementy|elementów|sekundy|sekund|minuty|minut|godziny|godzin|dni|punkty|punktów|różnice|różnic)\b/]] as const)
    for (const [key, text] of Object.entries(all)) if (typeof text === "function") assert.doesNotMatch((text as (...all: readonly number[]) => string)(1, 1), many, `${language}: ${key}`);
});

/** All that a language says: functions of numbers and names, too. */
const saidIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [0, 1, 2, 5].map((n) => String((value as (...all: readonly unknown[]) => unknown)(n, n)));
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(saidIn) : [];
};

test("Polish calls one thing by one word, and no form says whether its reader is a woman or a man", () => {
  const all = saidIn({ ...pl, sayings: pl.sayings.map(([, said]) => said) });
  assert.ok(all.length > 300);
  assert.deepEqual(all.filter((text) => /rozgryw|klucz/i.test(text)), []);
  assert.deepEqual(all.filter((text) => /(łeś|łaś)(?!\p{L})|(?<!\p{L})(pytany|pytana|gotowy|gotowa|pewien|pewna)(?!\p{L})|poddał się|nieobecny/u.test(text)), []);
});

test("Polish has a sentence for every reason of the contract", () => {
  const all = Object.values(Reason).filter((reason): reason is Reason => typeof reason === "number" && reason !== Reason.UNSPECIFIED);
  assert.ok(all.length >= 45);
  for (const reason of all) {
    const bare = pl.reasons[reason]?.({});
    assert.ok(bare, `${Reason[reason]} is said in Polish`);
    assert.match(bare, /^\p{Lu}.*\.$/u);
    assert.doesNotMatch(bare, /undefined/, Reason[reason]);
  }
  assert.match(pl.reasons[Reason.SEATS_OPEN]!({ open_seats: "2, 3" }), /2, 3/);
});

test("what the referee and its client say in English alone is said in Polish as far as the page knows it", async () => {
  texts.value = pl;
  try {
    assert.equal(inOwnWords("must be 2 to 5"), "od 2 do 5");
    assert.equal(inOwnWords("is missing"), "brakuje tego wpisu");
    assert.equal(inOwnWords("something new"), undefined);
    // Why a match is suspended, as the sources of the referee say it: a message that is added there is missing here.
    const rust = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
    const trouble = rust("interpreter/play/src/machine/trouble.rs");
    const faults = [...trouble.slice(trouble.indexOf("fn message")).matchAll(/"([^"]+)"/g)].map(([, message]) => message!);
    assert.ok(faults.length >= 13, faults.join());
    for (const fault of faults) {
      assert.ok(inOwnWords(fault), fault);
      assert.equal(inOwnWords(`the ruleset failed: ${fault} at rules/game.rules:12:3`), `Reguły zawiodły (rules/game.rules:12:3): ${inOwnWords(fault)}.`);
    }
    const restoring = rust("referee/table/src/replay/restore.rs");
    const why = [...restoring.matchAll(/(?:damaged\(|Damaged\(\s*|otherwise\(\w+, |reason: |let why = )"([^"{]+)"/g)].map(([, message]) => message!);
    assert.ok(why.length >= 8, why.join());
    for (const one of why) assert.ok(inOwnWords(one), one);
    assert.match(inOwnWords("this referee plays the match otherwise than its log says, though by the same semantics: entry 7: the set-up fails")!, /\(wpis 7\): przygotowanie/);
    assert.deepEqual([fieldName("configuration.options[0].value"), fieldName("bots[1].display_name"), fieldName("constructor"), fieldName("nothing")], ["Opcje", "Imię", undefined, undefined]);
    const header = JSON.stringify({ record: { form: "referee.record/4" } });
    for (const wrong of ["nothing", "[1]", '{"event":{}}', '{"record":{"form":"referee.record/99"}}', `${header}\n{"event":{"number":"x"}}`, `${header}\n{"other":{}}`, `${header}\n{"state":{}}`]) {
      const said = await readRecord(wrong).then(() => "", (error: Error) => error.message);
      assert.match(inOwnWords(said) ?? `in English: ${said}`, /^wiersz \d+/, wrong);
    }
  } finally {
    texts.value = en;
  }
});

test("the language is the first of those that a reader wants and the page has", () => {
  assert.equal(preferredOf(["de-AT", "pl-PL", "en"]), "pl");
  assert.equal(preferredOf(["en-GB", "pl"]), "en");
  assert.equal(preferredOf(["de", "plt"]), "en");
  assert.equal(preferredOf([]), "en");
});

test("names of strangers change nothing around them and are not endless", () => {
  assert.equal(isolated("\u202egnol"), "\u2068gnol\u2069");
  assert.equal([...isolated("x".repeat(100_000))].length, 83);
  assert.equal(clipped("abc", 2), "ab…");
  assert.equal(clipped("a\u2069\u202eb\u2066c"), "ab\u2066c\u2069", "nothing is turned round, nothing around it is ended, what begins ends");
  assert.equal(clipped(`${isolated("Ada")} wins`), "\u2068Ada\u2069 wins");
  assert.equal(clipped(`${isolated("Ada")} wins`, 3), "\u2068Ad…\u2069");
});

const offer = (name: string, fixed: Record<string, ReturnType<typeof row>>, targets: Parameters<typeof target>[] = []): Offer =>
  create(OfferSchema, { name, fixed: Object.entries(fixed).map(([name, value]) => ({ name, value })), targets: targets.map((one) => target(...one)) });
const place = (name: string) => (name.endsWith("1") ? placeRef(name.slice(0, -1), seat(1)) : name.endsWith("2") ? placeRef(name.slice(0, -1), seat(2)) : placeRef(name));
function target(from: string, to: string, of?: string) {
  return { kind: { case: "pieces" as const, value: { source: place(from), destination: place(to), ...(of ? { row: rowRef("card", of) } : {}) } } };
}

const offers = [
  offer("build", { c: row("card", "inn") }, [["market", "city1", "inn"], ["bank", "purse2", "coin"]]),
  offer("build", { c: row("card", "mill") }, [["market", "city1", "mill"], ["bank", "purse2", "coin"]]),
  offer("pass", {}),
];
const piece = (at: string, of: string) => ({ kind: "piece", place: place(at), row: rowRef("card", of) }) as const;

test("pieces that a move would take are marked where they lie, and nowhere else", () => {
  const pointing = new Pointing(Narrowing.of(offers), 1);
  assert.equal(pointing.marks(piece("market", "inn")), true);
  assert.deepEqual(pointing.left(piece("market", "inn")), [offers[0]]);
  assert.equal(pointing.marks(piece("city2", "inn")), false);
  assert.equal(pointing.marks(piece("market", "tower")), false);
});

test("what moves bring along besides is not marked", () => {
  const pointing = new Pointing(Narrowing.of(offers), 1);
  assert.equal(pointing.marks({ kind: "place", place: place("bank") }), false);
  assert.equal(pointing.marks({ kind: "place", place: place("purse2") }), false);
  assert.equal(pointing.marks({ kind: "place", place: place("city1") }), true);
});

test("a question is answered step by step, and each step is taken back", () => {
  const turn = new Turn({ decision: { decisionId: "d_1", step: "s" } as never, offers }, 1);
  assert.equal(turn.choice.value, undefined);
  assert.equal(turn.point(piece("market", "mill"), "mill"), true);
  assert.equal(turn.choice.value!.offer, offers[1]);
  assert.equal(turn.chosen(piece("market", "mill")), true);
  assert.equal(turn.choice.value!.ready, true);
  turn.undo();
  assert.equal(turn.narrowing.value.offers.length, 3);
  assert.equal(turn.point(piece("city2", "tower"), "tower"), false);
});

test("what is chosen lies where the move takes it from, and only what was taken is said to be chosen", () => {
  const open = [{ name: "kept", domain: { case: "bag" as const, value: { table: "card", available: [{ row: "inn", count: 1 }, { row: "mill", count: 1 }], least: 1, most: 1 } } }];
  const [taken] = [target("hand1", "discards")];
  const keep = create(OfferSchema, { name: "keep", open, targets: [{ ...taken!, arguments: ["kept"] }] });
  const turn = new Turn({ decision: { decisionId: "d_3", step: "s" } as never, offers: [keep] }, 1);
  const all = [piece("hand1", "inn"), piece("hand1", "mill"), piece("city1", "inn"), piece("city2", "inn")];
  assert.deepEqual(all.map((one) => turn.marks(one)), [true, true, false, false]);
  assert.deepEqual(all.map((one) => turn.chosen(one)), [false, false, false, false]);
  assert.equal(turn.point(piece("city2", "inn"), "inn"), false);
  assert.equal(turn.choice.value!.chosen.get("kept"), undefined);
  assert.equal(turn.point(piece("hand1", "inn"), "inn"), true);
  assert.deepEqual(all.map((one) => turn.chosen(one)), [true, false, false, false]);
  // Where it is not said where they lie, what lies before somebody else is not meant.
  const unsaid = new Turn({ decision: { decisionId: "d_4", step: "s" } as never, offers: [create(OfferSchema, { name: "keep", open })] }, 1);
  assert.deepEqual(all.map((one) => unsaid.marks(one)), [true, true, true, false]);
});

test("a bag that says where it is taken from marks just that, also a place that lies at what is chosen", () => {
  const stock = placeRef("stock", seat(1), row("good", "corn"));
  const domain = { table: "good", available: [{ row: "corn", count: 2 }], least: 1, most: 2, sources: [stock] };
  // The move's own targets tell only the first way to choose.
  const sell = create(OfferSchema, { name: "sell", open: [{ name: "some", domain: { case: "bag", value: domain } }] });
  const turn = new Turn({ decision: { decisionId: "d_5", step: "s" } as never, offers: [sell] }, 1);
  turn.choose("sell", "sell");
  const [mine, other] = [{ kind: "place", place: stock } as const, { kind: "place", place: placeRef("stock", seat(2), row("good", "corn")) } as const];
  assert.deepEqual([turn.marks(mine), turn.marks(other), turn.chosen(mine)], [true, false, false]);
  assert.equal(turn.point(mine, "corn"), true);
  assert.equal(turn.point(mine, "corn"), true);
  assert.deepEqual([turn.marks(mine), turn.chosen(mine), turn.choice.value!.ready], [false, true, true]);
  // Of somebody else, too, if that is where it comes from.
  const theirs = { ...domain, table: "card", least: 0, available: [{ row: "inn", count: 1 }], sources: [place("hand2")] };
  const ask = new Turn({ decision: { decisionId: "d_6", step: "s" } as never, offers: [create(OfferSchema, { name: "ask", open: [{ name: "wanted", domain: { case: "bag", value: theirs } }] })] }, 1);
  assert.deepEqual([piece("hand2", "inn"), piece("hand1", "inn")].map((one) => ask.marks(one)), [true, false]);
});

test("what comes along before somebody else is not what a move is about", () => {
  const pass = offer("pass", {}, [["city2", "bank", "mill"]]);
  const pointing = new Pointing(Narrowing.of([pass, ...offers.slice(0, 2)]), 1);
  assert.equal(pointing.marks(piece("city2", "mill")), false);
});

test("pieces are put into a bag by pointing, as many as there are", () => {
  const bag = create(OfferSchema, { name: "keep", open: [{ name: "kept", domain: { case: "bag", value: { table: "card", available: [{ row: "inn", count: 2 }], least: 2, most: 2 } } }, { name: "n", domain: { case: "amount", value: { least: 1n, most: 3n, step: 1n } } }] });
  const turn = new Turn({ decision: { decisionId: "d_2", step: "s" } as never, offers: [create(OfferSchema, { ...bag, open: bag.open.map((one) => (one.name === "kept" ? { ...one, domain: { case: "bag" as const, value: { ...(one.domain.value as object), least: 1 } as never } } : one)) })] }, 1);
  assert.equal(turn.choice.value!.ready, false);
  assert.equal(turn.marks(piece("stock1", "inn")), true);
  turn.point(piece("stock1", "inn"), "");
  assert.equal(turn.choice.value!.ready, true);
  turn.point(piece("stock1", "inn"), "");
  assert.deepEqual(turn.choice.value!.move().arguments.map(({ name }) => name).sort(), ["kept", "n"]);
  assert.equal(turn.marks(piece("stock1", "mill")), false);
});

test("what must all be taken is taken", () => {
  const all = create(OfferSchema, { name: "keep", open: [{ name: "kept", domain: { case: "bag", value: { table: "card", available: [{ row: "inn", count: 2 }], least: 2, most: 2 } } }] });
  assert.equal(new Turn({ decision: { decisionId: "d", step: "s" } as never, offers: [all] }, 1).choice.value!.ready, true);
});

test("a choice outlives a question that comes in the place of its own, as far as it is still to be had", () => {
  const question = (id: string, most: bigint, ...names: string[]) => ({
    decision: { decisionId: id, step: "s" } as never,
    offers: names.map((name) => create(OfferSchema, { name, fixed: [{ name: "c", value: row("card", "inn") }], open: [{ name: "n", domain: { case: "amount", value: { least: 0n, most, step: 1n } } }] })),
  });
  const before = new Turn(question("d_1", 9n, "offer", "ask"), 1);
  before.choose("offer", "offer");
  before.set("n", integer(5));
  const amount = (turn: InstanceType<typeof Turn>) => turn.choice.value?.chosen.get("n")?.kind.value;
  assert.equal(amount(Turn.after(before, question("d_2", 7n, "ask", "offer"), 1)), 5n);
  assert.equal(amount(Turn.after(before, question("d_3", 4n, "offer"), 1)), 0n, "what is outside is not kept");
  assert.equal(Turn.after(before, question("d_4", 9n, "ask", "pass"), 1).begun.value, false);
});

const events = [
  create(EventSchema, { number: 0n, kind: { case: "counterChanged", value: { counter: placeRef("coins"), before: 0n, after: 3n } } }),
  create(EventSchema, { number: 1n, kind: { case: "moveMade", value: { seat: 1, step: "s" } } }),
  create(EventSchema, { number: 2n, kind: { case: "markerSet", value: { marker: placeRef("first"), value: integer(2) } } }),
  create(EventSchema, { number: 3n, kind: { case: "moveMade", value: { seat: 2, step: "s" } } }),
];

test("the log groups what followed from a move, and the slider stops before each move and at the end", () => {
  assert.deepEqual(entriesOf(events).map(({ head, rest }) => [head?.number, rest.length]), [[undefined, 1], [1n, 1], [3n, 0]]);
  const [setUp, first] = entriesOf(events.slice(0, 2));
  const later = entriesOf(events, [setUp!, first!]);
  assert.equal(later[0], setUp, "an entry to which nothing was added is the very same");
  assert.notEqual(later[1], first);
  assert.deepEqual(momentsOf(events), [1, 3, 4]);
  assert.deepEqual(momentsOf([]), []);
  const forced = create(EventSchema, { number: 4n, kind: { case: "moveMade", value: { seat: 2, step: "s", origin: MoveOrigin.FORCED } } });
  assert.deepEqual(momentsOf([...events, forced]), [1, 3, 5], "of the only move nobody was asked");
});

test("what the last move has touched stands out, and nothing before it", () => {
  assert.deepEqual([...touchedBy(events, 3)], ["first()", "integer 2"]);
  assert.deepEqual([...touchedBy(events, 4)], []);
  assert.deepEqual([...touchedBy(events, 1)], [], "what has just been set up is all new");
});
