/**
 * A question that is being answered.
 *
 * In: open decisions, and what a player points at and chooses. Out: the offers that are left, what is marked, what has yet to be
 * chosen, and in the end a move. Knows no network.
 *
 * @module
 */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { Choice, Narrowing, bag, countsOf, fill, integer, judge, placeKey, sameValue, type Choosable, type OpenDecision } from "referee-client";
import type { Offer, OpenParameter, Value } from "referee-client/v1";
import { Pointing, isTakenFrom, rowIn, type Thing } from "../model/pointing.ts";

/** A step towards a move, and the words for it. */
interface Step {
  readonly narrowing: Narrowing;
  readonly words: string;
}

/** One question while it is answered. */
export class Turn {
  readonly #steps: Signal<readonly Step[]>;
  readonly #choice: Signal<Choice | undefined> = signal(undefined);
  readonly narrowing: ReadonlySignal<Narrowing>;
  readonly pointing: ReadonlySignal<Pointing>;
  /** Whether anything was pointed at or chosen. */
  readonly begun: ReadonlySignal<boolean>;
  /** The offer that is left, with what was chosen of what is open. */
  readonly choice: ReadonlySignal<Choice | undefined>;
  /** What the offer that is left would touch: keys of places, counters and markers. */
  readonly aimed: ReadonlySignal<ReadonlySet<string>>;
  /** What was pointed at so far, in words. */
  readonly words: ReadonlySignal<readonly string[]>;

  constructor(
    readonly decision: OpenDecision,
    readonly seat: number,
  ) {
    this.#steps = signal([{ narrowing: Narrowing.of(decision.offers), words: "" }]);
    this.narrowing = computed(() => this.#steps.value.at(-1)!.narrowing);
    this.pointing = computed(() => new Pointing(this.narrowing.value, seat));
    this.begun = computed(() => this.#steps.value.length > 1);
    this.words = computed(() => this.#steps.value.slice(1).map(({ words }) => words));
    this.aimed = computed(() => {
      const { single } = this.narrowing.value;
      const keys = new Set<string>();
      if (!single || !this.begun.value) return keys;
      for (const { kind } of single.targets) {
        if (kind.case === "changed") keys.add(placeKey(kind.value));
        if (kind.case === "pieces") for (const place of [kind.value.source, kind.value.destination]) if (place) keys.add(placeKey(place));
      }
      return keys;
    });
    this.choice = computed(() => {
      const { single } = this.narrowing.value;
      if (!single) return undefined;
      // A question with one answer is shown as such; it is chosen when somebody says so.
      const known = this.#choice.value;
      return known?.offer === single ? known : startOf(single);
    });
  }

  /**
   * A question that comes in the place of another one, as while others bargain: what was chosen of it is kept as far as it is
   * still to be had.
   */
  static after(before: Turn | undefined, decision: OpenDecision, seat: number): Turn {
    const turn = new Turn(decision, seat);
    if (!before || before.step !== turn.step || !before.begun.value) return turn;
    const words = before.words.value.join(" · ");
    const { single } = before.narrowing.value;
    if (single) {
      const same = decision.offers.find((offer) => isSameOffer(offer, single));
      if (!same) return turn;
      turn.take(same, words);
      for (const [name, value] of before.choice.value?.chosen ?? []) {
        const open = same.open.find((parameter) => parameter.name === name);
        if (open && judge(open, value) !== "outside") turn.set(name, value);
      }
      return turn;
    }
    const [move, ...others] = before.narrowing.value.moves();
    if (move !== undefined && others.length === 0 && turn.narrowing.value.moves().includes(move)) turn.choose(move, words);
    return turn;
  }

  get step(): string {
    return this.decision.decision.step;
  }

  get id(): string {
    return this.decision.decision.decisionId;
  }

  /** Whether this can be pointed at now. */
  marks(thing: Thing): boolean {
    const choice = this.choice.value;
    if (choice && this.addable(thing)) return true;
    return this.pointing.value.marks(thing) && !(this.narrowing.value.single && this.begun.value);
  }

  /** Whether it is part of what was chosen: of what is open only what was taken, not everything that may be. */
  chosen(thing: Thing): boolean {
    const choice = this.choice.value;
    if (choice && thing.kind !== "seat") {
      const open = choice.offer.open.filter((parameter) => this.#canBe(choice.offer, parameter, thing));
      if (open.length > 0) return open.some((parameter) => holds(choice.chosen.get(parameter.name), parameter, thing));
    }
    return this.begun.value && this.narrowing.value.single !== undefined && this.pointing.value.left(thing).length > 0;
  }

  /** Points at a thing. */
  point(thing: Thing, words: string): boolean {
    if (this.addable(thing)) {
      this.add(thing);
      return true;
    }
    const left = this.pointing.value.left(thing);
    if (left.length === 0) return false;
    if (left.length === this.narrowing.value.offers.length && this.begun.value) return false;
    this.#push(left, words);
    // Whoever points at what is still to be chosen chooses it.
    if (left.length === 1 && thing.kind !== "seat" && !left[0]!.fixed.some(({ value }) => value && isRow(value, thing))) this.add(thing);
    return true;
  }

  /** Only the moves of this name. */
  choose(move: string, words: string): void {
    this.#push(this.narrowing.value.choose(move).offers, words);
  }

  /** Only offers with this argument. */
  fix({ parameter, value }: Choosable, words: string): void {
    this.#push(this.narrowing.value.fix(parameter, value).offers, words);
  }

  /** This very offer. */
  take(offer: Offer, words: string): void {
    this.#push([offer], words);
  }

  /** The last step back. */
  undo(): void {
    if (this.#steps.value.length > 1) this.#steps.value = this.#steps.value.slice(0, -1);
    this.#choice.value = undefined;
  }

  /** From the beginning. */
  reset(): void {
    this.#steps.value = this.#steps.value.slice(0, 1);
    this.#choice.value = undefined;
  }

  /** Chooses what is open. */
  set(parameter: string, value: Value | undefined): void {
    const choice = this.choice.value;
    if (choice) this.#choice.value = choice.set(parameter, value);
  }

  /** The open bag to which a piece that is pointed at can be added. */
  private addable(thing: Thing): OpenParameter | undefined {
    if (thing.kind === "seat") return undefined;
    const choice = this.choice.value;
    if (!choice || (!this.begun.value && this.decision.offers.length > 1)) return undefined;
    return choice.offer.open.find((parameter) => {
      const { name, domain } = parameter;
      if (!this.#canBe(choice.offer, parameter, thing)) return false;
      if (domain.case === "values") return domain.value.values.some((value) => isRow(value, thing) && !sameValue(value, choice.chosen.get(name) ?? value));
      const meant = domain.case === "bag" ? rowIn(domain.value, thing) : undefined;
      if (domain.case !== "bag" || !meant) return false;
      const there = domain.value.available.find(({ row }) => row === meant.row)?.count ?? 0;
      return there > countIn(choice.chosen.get(name), meant.row);
    });
  }

  /** Whether a piece can be chosen of an open parameter, chosen already or not. */
  #canBe(offer: Offer, { name, domain }: OpenParameter, thing: Thing): boolean {
    if (thing.kind === "piece" && !isTakenFrom(offer, name, thing.place, this.seat)) return false;
    if (domain.case === "values") return domain.value.values.some((value) => isRow(value, thing));
    const meant = domain.case === "bag" ? rowIn(domain.value, thing) : undefined;
    return domain.case === "bag" && domain.value.available.some(({ row }) => row === meant?.row);
  }

  private add(thing: Thing): void {
    const open = this.addable(thing);
    const choice = this.choice.value;
    if (!open || !choice) return;
    if (open.domain.case === "values") {
      this.set(open.name, open.domain.value.values.find((value) => isRow(value, thing)));
      return;
    }
    const meant = open.domain.case === "bag" ? rowIn(open.domain.value, thing) : undefined;
    if (!meant) return;
    const { table, row } = meant;
    const known = choice.chosen.get(open.name);
    const counts = known?.kind.case === "bag" ? countsOf(known.kind.value) : {};
    this.set(open.name, bag(table, { ...counts, [row]: (counts[row] ?? 0) + 1 }));
  }

  #push(offers: readonly Offer[], words: string): void {
    this.#choice.value = undefined;
    this.#steps.value = [...this.#steps.value, { narrowing: Narrowing.of(offers), words }];
  }
}

/** Whether two offers are of the same move with the same fixed arguments. */
const isSameOffer = (a: Offer, b: Offer): boolean =>
  a.name === b.name &&
  a.fixed.length === b.fixed.length &&
  a.fixed.every(({ name, value }) => b.fixed.some((other) => other.name === name && other.value !== undefined && value !== undefined && sameValue(other.value, value)));

const countIn = (value: Value | undefined, row: string): number =>
  value?.kind.case === "bag" ? (value.kind.value.counts.find((count) => count.row === row)?.count ?? 0) : 0;

/** Whether what was chosen of an open parameter is this, or has a piece of it. */
function holds(value: Value | undefined, { domain }: OpenParameter, thing: Thing): boolean {
  if (value === undefined) return false;
  const meant = domain.case === "bag" ? rowIn(domain.value, thing) : undefined;
  return isRow(value, thing) || (meant !== undefined && countIn(value, meant.row) > 0);
}

const isRow = (value: Value, thing: Thing): boolean =>
  value.kind.case === "row" && (thing.kind === "piece" || thing.kind === "row") && value.kind.value.table === thing.row.table && value.kind.value.row === thing.row.row;

/** An offer of which only that is chosen for which there is one value: numbers at their least, the only one of a list. */
function startOf(offer: Offer): Choice {
  let choice = Choice.of(offer);
  for (const parameter of offer.open) {
    const { domain } = parameter;
    if (domain.case === "values" && domain.value.values.length > 0) choice = choice.set(parameter.name, domain.value.values[0]);
    else if (domain.case === "spread") choice = choice.set(parameter.name, fill(parameter));
    else if (domain.case === "bag") {
      const there = domain.value.available.reduce((sum, { count }) => sum + count, 0);
      // What must all be taken is taken.
      if (domain.value.least > 0 && domain.value.least === there && domain.value.most >= there) choice = choice.set(parameter.name, fill(parameter));
    } else if (domain.case === "amount") {
      choice = choice.set(parameter.name, integer(domain.value.least));
    }
  }
  return choice;
}
