/**
 * Names for people.
 *
 * In: a ruleset's catalogue (`GetRuleset`), or a glossary that came with a message. Out: what every id is called in a
 * language,
 * what clauses say, and moves, offers and events in sentences, as text or as spans of which those that fill holes say what
 * they stand for. The sentences are the ruleset's and the referee's own (`MoveType.sentence`, `EventType.sentence`,
 * `Ruleset.phrases`); where a referee is older than they are, names are put together instead.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import { BotKind, Conclusion, ProposalEnd, ProposalKind, type TableChanged } from "./gen/referee/v1/table_event_pb.js";
import { MoveOrigin, type Event } from "./gen/referee/v1/event_pb.js";
import { filled, spoken, type Filling, type Span } from "./sentences.js";
import {
  NameKind,
  ValueSchema,
  type Argument,
  type Glossary,
  type Move,
  type PlaceRef,
  type RowRef,
  type Text,
  type Value,
} from "./gen/referee/v1/common_pb.js";
import type { ComparedValue } from "./gen/referee/v1/error_pb.js";
import type { Offer, OpenParameter } from "./gen/referee/v1/decision_pb.js";
import type { Match } from "./gen/referee/v1/match_service_pb.js";
import type { Parameter, Row, Ruleset } from "./gen/referee/v1/ruleset_service_pb.js";
import type { Outcome } from "./gen/referee/v1/table_pb.js";
import type { Referee } from "./referee.js";

/** How names are written. */
export interface NamesOptions {
  /**
   * The language, as BCP 47 tags write it: `pl`, `pl-PL`. Where it has no text, English stands; where that has none, the id.
   */
  readonly language?: string;
  /** What players are called; their seat numbers if it is left out. */
  readonly player?: (seat: number) => string;
  /**
   * The few words that stand between names; if they are left out, those that the referee has sent, else {@link WORDS} of the
   * language, else English ones.
   */
  readonly words?: Words;
}

/** Words that descriptions are put together with. */
export interface Words {
  /** Stands before the number of a seat. */
  readonly seat: string;
  /** An empty bag, an option that is not taken. */
  readonly nothing: string;
  /** What the reader may not know. */
  readonly something: string;
  /** Yes. */
  readonly yes: string;
  /** No. */
  readonly no: string;
  /** Said of a pile. */
  readonly shuffled: string;
  /** Stands between how many pieces are chosen and the pieces that there are. */
  readonly of: string;
  /** A number that the reader may not know. */
  readonly secret: string;
}

/** {@link Words} by language. */
export const WORDS: Readonly<Record<string, Words>> = {
  en: {
    seat: "seat",
    nothing: "nothing",
    something: "something",
    yes: "yes",
    no: "no",
    shuffled: "shuffled",
    of: "of",
    secret: "?",
  },
  pl: { seat: "gracz", nothing: "nic", something: "coś", yes: "tak", no: "nie", shuffled: "potasowano", of: "z:", secret: "?" },
};

/**
 * A text in a language: exactly that, else what the first part of its tag says, else English; `undefined` if there is none.
 */
export function inLanguage(text: Text | undefined, language: string): string | undefined {
  const by = text?.byLanguage ?? {};
  return by[language] ?? by[language.split("-")[0] ?? ""] ?? by["en"];
}

const key = (kind: NameKind, within: string, id: string): string => `${kind} ${within} ${id}`;

/** The names of a ruleset in one language. */
export class Names {
  readonly #texts: ReadonlyMap<string, Text>;
  readonly #standing: ReadonlyMap<string, Standing>;
  readonly #counted: Counted;
  readonly #options: NamesOptions;
  readonly #language: string;
  readonly #words: Words;

  private constructor(
    texts: ReadonlyMap<string, Text>,
    options: NamesOptions,
    standing: ReadonlyMap<string, Standing> = new Map(),
    counted: Counted = new Map(),
  ) {
    this.#texts = texts;
    this.#standing = standing;
    this.#counted = counted;
    this.#options = options;
    this.#language = options.language ?? "en";
    const words = WORDS[this.#language.split("-")[0] ?? ""] ?? WORDS["en"]!;
    this.#words = words;
    // The referee's words come before those of this package.
    this.#words = options.words ?? {
      ...words,
      nothing: this.phrase("nothing") ?? words.nothing,
      something: this.phrase("secret") ?? words.something,
      yes: this.phrase("yes") ?? words.yes,
      no: this.phrase("no") ?? words.no,
      secret: this.phrase("secret_number") ?? words.secret,
    };
  }

  /** The names of everything in a ruleset. */
  static ofRuleset(ruleset: Ruleset, options: NamesOptions = {}): Names {
    return new Names(textsOf(ruleset), options, standingOf(ruleset), countedOf(ruleset));
  }

  /** The names in a glossary, which views, questions and snapshots bring if they are asked to (`include_names`). */
  static ofGlossary(glossary: Glossary, options: NamesOptions = {}): Names {
    const entries = glossary.entries.flatMap(({ kind, within, id, text }) =>
      text ? [[key(kind, within, id), text] as const] : [],
    );
    return new Names(new Map(entries), options);
  }

  /** The same names written otherwise: `names.with({ language: "pl" })`. */
  with(options: NamesOptions): Names {
    return new Names(this.#texts, { ...this.#options, ...options }, this.#standing, this.#counted);
  }

  /**
   * What an id is called; the id itself if it has no name.
   *
   * @param within - the table, of a row or column; the step, of a move; else left out.
   */
  of(kind: NameKind, id: string, within = ""): string {
    return inLanguage(this.#texts.get(key(kind, within, id)), this.#language) ?? id;
  }

  /** What a clause says; `undefined` if it is not known here. */
  clause(id: string): string | undefined {
    return inLanguage(this.#texts.get(key(NameKind.CLAUSE, "", id)), this.#language);
  }

  /**
   * Where a clause stands in the book: the title of its section, and which of that section's clauses it is, from 1;
   * `undefined` if it is not known here. A glossary does not tell it.
   */
  clauseStanding(id: string): { readonly section: string; readonly number: number } | undefined {
    const { section, titles, number } = this.#standing.get(id) ?? {};
    if (section === undefined || number === undefined) return undefined;
    return { section: inLanguage(titles, this.#language) ?? section, number };
  }

  /** What people call a clause by, which has no title of its own: `The captain phase, 4`; its id if that is not known here. */
  clauseLabel(id: string): string {
    const standing = this.clauseStanding(id);
    return standing ? `${standing.section}, ${standing.number}` : id;
  }

  /** A row: `corn`. */
  row({ table, row }: Pick<RowRef, "table" | "row">): string {
    return this.of(NameKind.ROW, row, table);
  }

  /**
   * What stands behind a number of pieces of a row: `worker` behind 1, `workers` behind 2, and `× corn` behind 2 of a row of which the
   * ruleset does not say how it is counted. A glossary does not tell it.
   */
  behind(count: number, { table, row }: Pick<RowRef, "table" | "row">): string {
    if (count === 1) return this.row({ table, row });
    const category = `${this.#language.split("-")[0]}.${new Intl.PluralRules(this.#language).select(count)}`;
    return this.#counted.get(`${table} ${row}`)?.[category] ?? `× ${this.row({ table, row })}`;
  }

  /** A place with its index: `warehouse (seat 1)`. */
  place(place: PlaceRef): string {
    return this.#indexed(NameKind.PLACE, place);
  }

  /** A counter with its index: `money (seat 1)`. */
  counter(counter: PlaceRef): string {
    return this.#indexed(NameKind.COUNTER, counter);
  }

  /** A marker with its index. What a phase keeps (`View.kept`) is named here, too. */
  marker(marker: PlaceRef): string {
    const known = this.#texts.has(key(NameKind.MARKER, "", marker.name));
    return this.#indexed(known ? NameKind.MARKER : NameKind.KEPT, marker);
  }

  /** A phase or a step of one. */
  phase(id: string): string {
    return id.includes(".") ? this.of(NameKind.STEP, id) : this.of(NameKind.PHASE, id);
  }

  /** A player: what `options.player` says, else the seat. */
  player(seat: number): string {
    return this.#options.player?.(seat) ?? this.phrase("seat", { number: String(seat) }) ?? `${this.#words.seat} ${seat}`;
  }

  /**
   * A value: rows and places by name, `2 corn, 1 indigo` of a bag. A record is told by its parts that say anything: its kind is a
   * word of the rules and of nobody who plays.
   */
  value({ kind }: Value): string {
    const { nothing, something, yes, no } = this.#words;
    switch (kind.case) {
      case "integer":
        return String(kind.value);
      case "boolean":
        return kind.value ? yes : no;
      case "row":
        return this.row(kind.value);
      case "seat":
        return this.player(kind.value);
      case "bag": {
        return this.#bag(kind.value.table, kind.value.counts);
      }
      case "spread": {
        const shares = kind.value.shares.map(
          ({ count, row, place }) =>
            `${count} ${row ? this.behind(count, row) : something} → ${place ? this.place(place) : something}`,
        );
        return shares.join(", ") || nothing;
      }
      case "record":
        return this.#parts(kind.value.parts) || nothing;
      case "none":
        return nothing;
      case "hidden":
        return kind.value.count === undefined
          ? something
          : (this.phrase("pieces.face_down", { count: String(kind.value.count) }) ?? `${kind.value.count} ${something}`);
      default:
        return something;
    }
  }

  /** Arguments: `good: corn, number: 2`. */
  arguments(all: readonly Argument[]): string {
    return all
      .map(
        ({ name, value }) =>
          `${this.of(NameKind.PARAMETER, name)}: ${value ? this.value(value) : this.#words.something}`,
      )
      .join(", ");
  }

  #parts(parts: readonly Argument[]): string {
    const told = parts.flatMap(({ name, value }) => {
      if (value && isNothing(value)) return [];
      const called = this.of(NameKind.PARAMETER, name);
      // Yes is told by what it is that is so; a record within a record stands in brackets.
      if (value?.kind.case === "boolean") return [called];
      if (value?.kind.case === "record") return [this.#called(called, this.value(value))];
      return [`${called}: ${value ? this.value(value) : this.#words.something}`];
    });
    return told.join(", ");
  }

  /** A move in words: `load corn onto the large ship`. @param step - the step that asks, as `Decision.step` says. */
  move(step: string, move: Move): string {
    return spoken(this.moveSpans(step, move));
  }

  /** The same in spans: `load `, `corn` (the hole `g`, with its value), ` onto `, … */
  moveSpans(step: string, { name, arguments: all }: Move): Span[] {
    const sentence = this.#sentence(NameKind.MOVE_SENTENCE, name, step);
    if (sentence === undefined) return [{ text: this.#called(this.of(NameKind.MOVE, name, step), this.arguments(all)) }];
    return filled(sentence, (hole) => this.#argument(all, hole) ?? this.#nothing());
  }

  /** An offer in words, with what is open in it: `sell corn (number: 0–3)`. */
  offer(step: string, offer: Offer): string {
    return spoken(this.offerSpans(step, offer));
  }

  /** The same in spans. A hole of an open parameter is filled with an ellipsis; what can be chosen stands behind. */
  offerSpans(step: string, { name, fixed, open }: Offer): Span[] {
    const free = open.map((parameter) => `${this.of(NameKind.PARAMETER, parameter.name)}: ${this.#domain(parameter)}`);
    const sentence = this.#sentence(NameKind.MOVE_SENTENCE, name, step);
    if (sentence === undefined) {
      const parts = [...(fixed.length > 0 ? [this.arguments(fixed)] : []), ...free];
      return [{ text: this.#called(this.of(NameKind.MOVE, name, step), parts.join(", ")) }];
    }
    const spans = filled(sentence, (hole) =>
      open.some((parameter) => parameter.name === hole)
        ? { spans: [{ text: "…" }] }
        : (this.#argument(fixed, hole) ?? this.#nothing()),
    );
    return free.length > 0 ? [...spans, { text: ` (${free.join(", ")})` }] : spans;
  }

  /** An event in words: `seat 1: load corn onto the large ship`, `3 corn: supply → warehouse (seat 1)`. */
  event(event: Event): string {
    return spoken(this.eventSpans(event));
  }

  /** The same in spans. */
  eventSpans(event: Event): Span[] {
    return this.#told(event) ?? [{ text: this.#glued(event) }];
  }

  /** A sentence of the referee's own, filled: `phrase("seat", { number: "3" })`; `undefined` if it is not known here. */
  phrase(id: string, holes: Readonly<Record<string, string>> = {}): string | undefined {
    const sentence = this.#sentence(NameKind.PHRASE, id);
    return sentence === undefined ? undefined : spoken(filled(sentence, (hole) => this.#text(holes[hole])));
  }

  #sentence(kind: NameKind, id: string, within = ""): string | undefined {
    return inLanguage(this.#texts.get(key(kind, within, id)), this.#language);
  }

  #nothing(): Filling {
    return { spans: [{ text: this.#words.nothing }], nothing: true };
  }

  #text(text: string | undefined): Filling | undefined {
    return text === undefined ? undefined : { spans: [{ text }], nothing: text === "" };
  }

  /** What a hole of a move or of a raised event is filled with. */
  #argument(all: readonly Argument[], hole: string): Filling | undefined {
    const found = all.find(({ name }) => name === hole);
    if (!found) return undefined;
    const { value } = found;
    if (!value) return { spans: [{ text: this.#words.something }] };
    // Yes is told by what it is that is so.
    const yes = value.kind.case === "boolean" && value.kind.value;
    const text = yes ? this.of(NameKind.PARAMETER, hole) : this.value(value);
    return { spans: [{ text, value }], nothing: isNothing(value) };
  }

  #place(kind: "place" | "counter" | "marker", place: PlaceRef | undefined): Filling {
    return place ? { spans: [{ text: this[kind](place), place }] } : { spans: [{ text: this.#words.something }] };
  }

  #secret(value: bigint | number | undefined): Filling {
    return { spans: [{ text: value === undefined ? this.#words.secret : String(value) }] };
  }

  #seat(seat: number): Filling {
    return { spans: [{ text: this.player(seat), value: seatValue(seat) }] };
  }

  #seats(seats: readonly number[]): Filling {
    const spans = seats.flatMap((seat, at) => [...(at > 0 ? [{ text: ", " }] : []), ...this.#seat(seat).spans]);
    return { spans, nothing: seats.length === 0 };
  }

  #named(all: readonly Argument[]): Filling {
    const each = all.map(({ name, value }) => {
      const called = this.of(NameKind.PARAMETER, name);
      const said = value ? this.value(value) : this.#words.something;
      return this.phrase("argument", { name: called, value: said }) ?? `${called} ${said}`;
    });
    return { spans: [{ text: each.join(", ") }], nothing: all.length === 0 };
  }

  /** An event in its sentence; `undefined` if the referee has sent none. */
  #told({ kind }: Event): Span[] | undefined {
    const phrase = (id: string, holes: Readonly<Record<string, Filling>>, of = id): Span[] | undefined => {
      const sentence = this.#sentence(NameKind.PHRASE, id) ?? this.#sentence(NameKind.PHRASE, of);
      return sentence === undefined ? undefined : filled(sentence, (hole) => holes[hole]);
    };
    const text = (said: string): Filling => ({ spans: [{ text: said }], nothing: said === "" });
    switch (kind.case) {
      case "phaseBegan": {
        const { phase, arguments: all } = kind.value;
        return phrase("phase_began", { phase: text(this.phase(phase)), arguments: this.#named(all) });
      }
      case "phaseEnded":
        return phrase("phase_ended", { phase: text(this.phase(kind.value.phase)) });
      case "keptSet": {
        const { kept, value } = kind.value;
        return phrase("kept_set", { kept: this.#place("marker", kept), value: this.#shown(value) });
      }
      case "seatsAsked": {
        const { seats, step } = kind.value;
        const named = this.#sentence(NameKind.STEP, step) ?? "";
        return phrase("seats_asked", { seats: this.#seats(seats), step: text(named) });
      }
      case "moveMade": {
        const { seat, step, move, origin } = kind.value;
        const made = move ? this.moveSpans(step, move) : [{ text: this.#words.something }];
        const holes = { seat: this.#seat(seat), move: { spans: made } };
        return phrase(`move_made.${(MoveOrigin[origin] ?? "").toLowerCase()}`, holes, "move_made");
      }
      case "piecesMoved": {
        const { source, destination, row, count } = kind.value;
        const holes = { count: this.#secret(count), row: text(row ? this.behind(count ?? 1, row) : "") };
        const pieces = phrase(row ? "pieces" : "pieces.face_down", holes) ?? [];
        return phrase("pieces_moved", {
          pieces: { spans: pieces },
          source: this.#place("place", source),
          destination: this.#place("place", destination),
        });
      }
      case "counterChanged": {
        const { counter, before, after } = kind.value;
        const numbers = { before: this.#secret(before), after: this.#secret(after) };
        return phrase("counter_changed", { counter: this.#place("counter", counter), ...numbers });
      }
      case "markerSet": {
        const { marker, value } = kind.value;
        return phrase("marker_set", { marker: this.#place("marker", marker), value: this.#shown(value) });
      }
      case "pileShuffled": {
        const { pile, size } = kind.value;
        return phrase("pile_shuffled", { pile: this.#place("place", pile), size: this.#secret(size) });
      }
      case "raised": {
        const { event, arguments: all } = kind.value;
        const sentence = this.#sentence(NameKind.EVENT_SENTENCE, event);
        if (sentence !== undefined) return filled(sentence, (hole) => this.#argument(all, hole));
        return phrase("raised", { event: text(this.of(NameKind.EVENT, event)), arguments: this.#named(all) });
      }
      case "endingDue":
        return phrase("ending_due", { ending: text(this.of(NameKind.ENDING, kind.value.ending)) });
      case "matchOver": {
        const { ending = "", scores = [], winners = [] } = kind.value.outcome ?? {};
        const each = scores.map(({ seat, total }) => this.phrase("score", { seat: this.player(seat), total: String(total) }));
        return phrase("match_over", {
          ending: text(this.of(NameKind.ENDING, ending)),
          scores: text(each.join(", ")),
          winners: this.#seats(winners),
        });
      }
      case "tableChanged":
        return this.#tableTold(kind.value, phrase);
      default:
        return undefined;
    }
  }

  #shown(value: Value | undefined): Filling {
    return { spans: [value ? { text: this.value(value), value } : { text: this.#words.secret }] };
  }

  #tableTold(
    { kind }: TableChanged,
    phrase: (id: string, holes: Readonly<Record<string, Filling>>) => Span[] | undefined,
  ): Span[] | undefined {
    const text = (said: string): Filling => ({ spans: [{ text: said }], nothing: said === "" });
    const variant = (name: string | undefined): string => (name ?? "").toLowerCase();
    switch (kind.case) {
      case "proposalMade": {
        const { seat, kind: proposed, moves } = kind.value;
        const holes = { seat: this.#seat(seat), moves: text(String(moves)) };
        return phrase(`proposal_made.${variant(ProposalKind[proposed])}`, holes);
      }
      case "proposalAnswered": {
        const { seat, agree } = kind.value;
        return phrase(`proposal_answered.${agree ? "agree" : "decline"}`, { seat: this.#seat(seat) });
      }
      case "proposalClosed":
        return phrase(`proposal_closed.${variant(ProposalEnd[kind.value.end])}`, {});
      case "movesUndone":
        return phrase("moves_undone", { moves: text(String(kind.value.moves)) });
      case "matchConcluded": {
        const { conclusion, winners } = kind.value;
        return phrase(`match_concluded.${variant(Conclusion[conclusion])}`, { winners: this.#seats(winners) });
      }
      case "botSeated":
      case "seatTaken": {
        const { seat, displayName } = kind.value;
        const id = kind.case === "botSeated" ? "bot_seated" : "seat_taken";
        return phrase(id, { seat: this.#seat(seat), display_name: text(displayName) });
      }
      case "seatResigned":
      case "seatReleased":
      case "seatLeft":
        return phrase(snake(kind.case), { seat: this.#seat(kind.value.seat) });
      case undefined:
        return undefined;
      default:
        return phrase(snake(kind.case), {});
    }
  }

  /**
   * An event without sentences. Symbols stand for verbs, so that it reads alike in every language: `3 corn: supply →
   * warehouse (seat 1)`.
   */
  #glued({ kind }: Event): string {
    const { something, secret, shuffled } = this.#words;
    switch (kind.case) {
      case "phaseBegan":
        return `— ${this.#called(this.phase(kind.value.phase), this.arguments(kind.value.arguments))}`;
      case "phaseEnded":
        return `${this.phase(kind.value.phase)} —`;
      case "keptSet": {
        const { kept, value } = kind.value;
        return `${kept ? this.marker(kept) : something} = ${value ? this.value(value) : secret}`;
      }
      case "seatsAsked":
        return `${kind.value.seats.map((seat) => this.player(seat)).join(", ")}: ${this.of(NameKind.STEP, kind.value.step)} ?`;
      case "moveMade": {
        const { seat, step, move } = kind.value;
        return `${this.player(seat)}: ${move ? this.move(step, move) : something}`;
      }
      case "piecesMoved": {
        const { source, destination, row, count } = kind.value;
        const what = `${count ?? secret} ${row ? this.behind(count ?? 1, row) : something}`;
        return `${what}: ${source ? this.place(source) : something} → ${destination ? this.place(destination) : something}`;
      }
      case "counterChanged": {
        const { counter, before, after } = kind.value;
        return `${counter ? this.counter(counter) : something}: ${before ?? secret} → ${after ?? secret}`;
      }
      case "markerSet": {
        const { marker, value } = kind.value;
        return `${marker ? this.marker(marker) : something} = ${value ? this.value(value) : secret}`;
      }
      case "pileShuffled":
        return `${kind.value.pile ? this.place(kind.value.pile) : something} (${kind.value.size}): ${shuffled}`;
      case "raised":
        return this.#called(this.of(NameKind.EVENT, kind.value.event), this.arguments(kind.value.arguments));
      case "endingDue":
        return this.of(NameKind.ENDING, kind.value.ending);
      case "matchOver":
        return kind.value.outcome ? this.outcome(kind.value.outcome) : something;
      case "tableChanged":
        return this.#tableChanged(kind.value);
      default:
        return something;
    }
  }

  /** What a refusal compared, in words: `goods (Ada, corn) = 0`. */
  compared({ expression, value, label, sentence }: ComparedValue): string {
    const named = inLanguage(sentence, this.#language)?.replace(/\{(\d+)\}/g, (_, seat) => this.player(Number(seat)));
    const called = named ?? inLanguage(label, this.#language) ?? expression;
    return `${called} = ${value ? this.value(value) : this.#words.something}`;
  }

  /** An outcome in words: `no cards are left; seat 1: 31, seat 2: 28; ★ seat 1`. */
  outcome({ ending, scores, winners }: Outcome): string {
    const sheets = scores.map(({ seat, total }) => `${this.player(seat)}: ${total}`).join(", ");
    const won = winners.length > 0 ? `★ ${winners.map((seat) => this.player(seat)).join(", ")}` : "";
    return [this.of(NameKind.ENDING, ending), sheets, won].filter((part) => part !== "").join("; ");
  }

  #called(name: string, inBrackets: string): string {
    return inBrackets === "" ? name : `${name} (${inBrackets})`;
  }

  #indexed(kind: NameKind, { name, index }: Pick<PlaceRef, "name" | "index">): string {
    return this.#called(this.of(kind, name), index.map((value) => this.value(value)).join(", "));
  }

  #bag(table: string, counts: readonly { readonly row: string; readonly count: number }[]): string {
    const told = counts.map(({ row, count }) => `${count} ${this.behind(count, { table, row })}`);
    return told.join(", ") || this.#words.nothing;
  }

  #domain({ domain }: OpenParameter): string {
    switch (domain.case) {
      case "bag": {
        const { table, available, least, most } = domain.value;
        return `${range(least, most)} ${this.#words.of} ${this.#bag(table, available)}`;
      }
      case "spread": {
        const { pieces, rooms } = domain.value;
        const rows = pieces
          .map(({ row, count }) => `${count} ${row ? this.behind(count, row) : this.#words.something}`)
          .join(", ");
        const places = rooms
          .map(({ place, room }) => `${place ? this.place(place) : this.#words.something} (${room})`)
          .join(", ");
        return `${rows || this.#words.nothing} → ${places || this.#words.nothing}`;
      }
      case "amount":
        return range(domain.value.least, domain.value.most);
      case "values":
        return domain.value.values.map((value) => this.value(value)).join(" / ");
      default:
        return "…";
    }
  }

  /** What is no part of the rules is named by the contract, in the words of its enums. */
  #tableChanged({ kind }: TableChanged): string {
    const word = (name: string | undefined): string =>
      (name ?? this.#words.something).toLowerCase().replaceAll("_", " ");
    switch (kind.case) {
      case "proposalMade": {
        const { seat, kind: proposed, moves } = kind.value;
        return `${this.player(seat)}: ${word(ProposalKind[proposed])}${moves > 0 ? ` (${moves})` : ""}?`;
      }
      case "proposalAnswered":
        return `${this.player(kind.value.seat)}: ${kind.value.agree ? this.#words.yes : this.#words.no}`;
      case "proposalClosed":
        return word(ProposalEnd[kind.value.end]);
      case "movesUndone":
        return `↶ ${kind.value.moves}`;
      case "botSeated":
        return `${this.player(kind.value.seat)}: ${word(BotKind[kind.value.bot])} bot`;
      case "matchConcluded":
        return word(Conclusion[kind.value.conclusion]);
      case "seatTaken":
        return `${this.player(kind.value.seat)}: ${kind.value.displayName}`;
      case "seatResigned":
      case "seatReleased":
      case "seatLeft":
        return `${this.player(kind.value.seat)}: ${word(kind.case.slice("seat".length))}`;
      case undefined:
        return this.#words.something;
      default:
        // `matchPaused` is `match paused`.
        return word(kind.case.replace(/[A-Z]/g, " $&"));
    }
  }
}

/** Whether a value says that nothing is chosen or there. */
function isNothing({ kind }: Value): boolean {
  switch (kind.case) {
    case "integer":
      return kind.value === 0n;
    case "boolean":
      return !kind.value;
    case "bag":
      return kind.value.counts.length === 0;
    case "spread":
      return kind.value.shares.length === 0;
    case "record":
      return kind.value.parts.every(({ value }) => !value || isNothing(value));
    case "none":
    case undefined:
      return true;
    default:
      return false;
  }
}

/** `1–3`, or the only number that it is. */
const range = (least: number | bigint, most: number | bigint): string => (least === most ? `${most}` : `${least}–${most}`);

const seatValue = (number: number): Value => create(ValueSchema, { kind: { case: "seat", value: number } });

/** `matchPaused` is `match_paused`. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Where a clause stands in the book. */
interface Standing {
  readonly section: string;
  readonly titles: Text | undefined;
  readonly number: number;
}

/** Where every clause of a ruleset stands, by its id. */
function standingOf(ruleset: Ruleset): ReadonlyMap<string, Standing> {
  const titles = new Map(ruleset.sections.map((section) => [section.id, section.titles]));
  const counted = new Map<string, number>();
  return new Map(
    ruleset.clauses.map(({ id, section }) => {
      const number = (counted.get(section) ?? 0) + 1;
      counted.set(section, number);
      return [id, { section, titles: titles.get(section), number }];
    }),
  );
}

/** How rows are counted, by table and id. */
type Counted = ReadonlyMap<string, Row["counted"]>;

function countedOf({ tables }: Ruleset): Counted {
  return new Map(tables.flatMap(({ id, rows }) => rows.map((row) => [`${id} ${row.id}`, row.counted] as const)));
}

/** Every name of a ruleset, by kind, within and id. */
function textsOf(ruleset: Ruleset): ReadonlyMap<string, Text> {
  const texts = new Map<string, Text>();
  const add = (kind: NameKind, id: string, text: Text | undefined, within = ""): void => {
    if (text && Object.keys(text.byLanguage).length > 0) texts.set(key(kind, within, id), text);
  };
  const addAll = (kind: NameKind, all: readonly { id: string; names?: Text | undefined }[], within = ""): void => {
    for (const { id, names } of all) add(kind, id, names, within);
  };
  const addParameters = (all: readonly Parameter[]): void => {
    for (const { name, names } of all) add(NameKind.PARAMETER, name, names);
  };
  addAll(NameKind.TABLE, ruleset.tables);
  for (const { id, rows, columns } of ruleset.tables) {
    addAll(NameKind.ROW, rows, id);
    addAll(NameKind.COLUMN, columns, id);
  }
  addAll(NameKind.PLACE, ruleset.places);
  addAll(NameKind.COUNTER, ruleset.counters);
  addAll(NameKind.MARKER, ruleset.markers);
  addAll(NameKind.PHASE, ruleset.phases);
  for (const { steps, kept, parameters } of ruleset.phases) {
    addAll(NameKind.STEP, steps);
    addAll(NameKind.KEPT, kept);
    addParameters(parameters);
  }
  for (const { step, name, names, sentence, parameters } of ruleset.moves) {
    add(NameKind.MOVE, name, names, step);
    add(NameKind.MOVE_SENTENCE, name, sentence, step);
    addParameters(parameters);
  }
  addAll(NameKind.EVENT, ruleset.events);
  for (const { id, sentence, parameters } of ruleset.events) {
    add(NameKind.EVENT_SENTENCE, id, sentence);
    addParameters(parameters);
  }
  for (const { id, sentence } of ruleset.phrases) add(NameKind.PHRASE, id, sentence);
  addAll(NameKind.ENDING, ruleset.endings);
  addAll(NameKind.SCORE_LINE, ruleset.scoreLines);
  addAll(NameKind.OPTION, ruleset.options);
  for (const { id, titles } of ruleset.modules) add(NameKind.MODULE, id, titles);
  addAll(NameKind.FIGURE, ruleset.figures);
  for (const { id, text } of ruleset.clauses) add(NameKind.CLAUSE, id, text);
  return texts;
}

/** Names of matches, each ruleset asked for once: what has the same digest is called the same for ever. */
export class NameBook {
  readonly #known = new Map<string, Promise<Ruleset>>();

  /** @param referee - any caller's: rulesets are for anybody. */
  constructor(private readonly referee: Referee) {}

  /** The catalogue of a match's ruleset in its configuration. @throws RefereeError if the referee does not answer. */
  ruleset({ digest, revision, configuration }: Pick<Match, "digest" | "revision" | "configuration">): Promise<Ruleset> {
    const key = digest.join();
    const known = this.#known.get(key);
    if (known) return known;
    const asking = this.referee.rulesets
      .getRuleset({ name: revision, ...(configuration && { configuration }) })
      .then(({ ruleset }) => ruleset!);
    this.#known.set(key, asking);
    asking.catch(() => this.#known.delete(key));
    return asking;
  }

  /** The names of a match, as `GetMatch` gives it. @throws RefereeError if the referee does not answer. */
  async of(match: Pick<Match, "digest" | "revision" | "configuration">, options: NamesOptions = {}): Promise<Names> {
    return Names.ofRuleset(await this.ruleset(match), options);
  }
}
