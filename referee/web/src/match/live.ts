/**
 * A match that is under way, from a seat or from beside the table.
 *
 * In: a match's name and a token. Out: a {@link Stage} that follows what happens, by itself over lost connections and restarts;
 * for a seat the questions that it is asked, and its answers.
 *
 * @module
 */
import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import {
  Reason,
  RefereeError,
  hasReason,
  isRetryable,
  isSuperseded,
  openDecisions,
  pause,
  preview,
  refusals,
  requestId,
  valueKey,
  viewAt,
  watch,
  watchPublic,
  type Foreseen,
  type OpenDecision,
  type Referee,
} from "referee-client";
import {
  MatchState,
  ProposalKind,
  type Event,
  type Match,
  type Move,
  type Proposal,
  type RefusedMove,
  type Ruleset,
  type Value,
  type View,
} from "referee-client/v1";
import { after, tableOf, type TableState } from "../model/table.ts";
import type { Thing } from "../model/pointing.ts";
import { renewConnections, rulesetOf, withToken } from "../server.ts";
import { motion } from "../settings.ts";
import { loadedIcons } from "../parts/icon.tsx";
import { returns } from "../parts/online.ts";
import { landed, showEvent } from "./motion.ts";
import { Stage, type Player } from "./stage.ts";
import { Turn } from "./turn.ts";
import { wordsOf } from "./words.ts";

/** How the connection is. */
export type Connection = "connecting" | "live" | "lost" | "over" | "suspended" | "failed";

const playersOf = (match: Match): readonly Player[] =>
  match.seats.map(({ number, displayName, bot, resigned, claimed }) => ({
    seat: number,
    name: displayName,
    bot: bot !== 0,
    resigned,
    claimed,
  }));

/** How long a table waits for the question that comes with it. */
const MOST_APART_MS = 80;

/** Moves that follow each other so closely, as those of bots do, are drawn once. */
const BREATH_MS = 60;

/** A connection that was made anew counts as lost if nothing comes for so long. */
const RENEWING_MS = 3000;
/** A move that is answered sooner is never said to be on its way: that would be drawn for a moment, and the answer after it. */
const SENDING_MS = 150;
/** A move that is not answered for so long makes its connection suspect. */
const SUSPECT_MS = 5000;
/** So long moves are looked for that cannot be made. */
const LOOK_MS = 8000;
/** How long to wait before a referee is asked again that was away from the first. */
const AGAIN_MS = 2000;

/** How often it is looked whether the host has moved a suspended match to other rules. */
const MOVED_MS = 10_000;

/** Tables of moments that are remembered. */
const MOST_PAST = 400;

export class LiveMatch extends Stage {
  readonly seat: number;
  readonly live = true;
  readonly match: Signal<Match>;
  readonly connection: Signal<Connection> = signal("connecting");
  /** Why the connection is lost or has failed. */
  readonly failure: Signal<RefereeError | undefined> = signal(undefined);
  readonly turns: Signal<readonly Turn[]> = signal([]);
  /** Questions that wait until what led to them has been shown. */
  readonly due: Signal<readonly Turn[]> = signal([]);
  readonly turnAt: Signal<number> = signal(0);
  /** The question that is being answered. */
  readonly turn: ReadonlySignal<Turn | undefined>;
  /** Whether a move has been on its way for so long that it is said. */
  readonly sending: Signal<boolean> = signal(false);
  /** Whether an answer was given from here: from then on the focus follows the questions. */
  answered = false;
  /** Why the last answer was not taken. */
  readonly refused: Signal<RefereeError | undefined> = signal(undefined);
  readonly proposal: Signal<Proposal | undefined> = signal(undefined);
  readonly paused: Signal<boolean> = signal(false);
  /** Whether the match goes on by other rules than this table was laid out for: it is to be opened anew. */
  readonly moved: Signal<boolean> = signal(false);
  /** Whether events are still being shown. */
  readonly playing: Signal<boolean> = signal(false);
  readonly #ended = new AbortController();
  readonly #past = new Map<number, TableState>();
  #skip = new AbortController();
  /** Everything that has happened; `events` tells it as soon as it may be shown. */
  readonly #heard: Event[] = [];
  #queue: Event[] = [];
  /** What is being asked is being read. */
  #reads: Promise<void> = Promise.resolve();
  #skipping = false;
  /** How many events the last view had behind it: up to there nothing has to be asked for. */
  #viewed = 0;
  #token = "";
  #asked = 0;
  /** Whether the table could not be asked for when it changed. */
  #unseen = false;
  #renewing: ReturnType<typeof setTimeout> | undefined;
  /** A move of which nobody knows whether it was made, and the id of its request: made again, it is made once. */
  #unsure: { readonly move: string; readonly requestId: string } | undefined;
  /** A move is on its way, or its next question is being read: no other is made. */
  #busy = false;
  /** A move is on its way: what it brings comes with its answer, and is not asked for a second time when the stream tells of it. */
  #submitting = false;
  /** Ends what is looked up about a question when it is answered: browsers have few connections to one host, and a move must not wait. */
  #answering = new AbortController();

  private constructor(
    match: Match,
    ruleset: Ruleset,
    readonly key: { readonly match: string; readonly seat: number; readonly token: string },
  ) {
    super(ruleset);
    this.seat = key.seat;
    this.match = signal(match);
    this.players.value = playersOf(match);
    this.turn = computed(() => this.turns.value[Math.min(this.turnAt.value, this.turns.value.length - 1)]);
  }

  /** Sits down. @throws RefereeError if the match is not to be had with this token. */
  static async open(key: { readonly match: string; readonly seat: number; readonly token: string }): Promise<LiveMatch> {
    const referee = withToken(key.token);
    const { match } = await referee.matches.getMatch({ name: key.match });
    const live = new LiveMatch(match!, await rulesetOf(match!), key);
    void live.#run();
    return live;
  }

  get referee(): Referee {
    return withToken(this.key.token);
  }

  get isSeat(): boolean {
    return this.seat > 0;
  }

  get started(): boolean {
    return this.match.value.state !== MatchState.LOBBY;
  }

  close(): void {
    this.#ended.abort();
    this.#skip.abort();
  }

  /** Shows at once what has happened. */
  skip(): void {
    this.#skipping = this.playing.value;
    this.#skip.abort();
    this.#skip = new AbortController();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    const came = returns.subscribe(() => this.#renewed());
    signal.addEventListener("abort", () => (came(), clearTimeout(this.#renewing)), { once: true });
    for (;;) {
      try {
        await this.#follow();
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        if (hasReason(thrown, Reason.MATCH_SUSPENDED, Reason.RECORD_DAMAGED)) {
          await this.#suspended();
          return;
        }
        const away = isRetryable(thrown);
        this.failure.value = RefereeError.from(thrown);
        this.connection.value = away ? "lost" : "failed";
        // What may not be asked again is not; whoever was away from the first may come yet.
        if (!away) return;
      }
      await pause(AGAIN_MS, signal, this.referee.line).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** The match stands still: its stream has ended. What is known of it stays to be seen, and why. */
  async #suspended(): Promise<void> {
    const { signal } = this.#ended;
    this.#put([]);
    this.connection.value = "suspended";
    for (;;) {
      await this.meet();
      if (signal.aborted) return;
      if (this.match.value.state === MatchState.RUNNING) {
        this.moved.value = true;
        return;
      }
      await pause(MOVED_MS, signal, this.referee.line).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** Follows the stream to its end. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    const name = this.key.match;
    if (this.started) await this.#see();
    const told = this.isSeat ? watch(this.referee, name, { start: "beginning", signal }) : watchPublic(this.referee, name, { start: "beginning", signal });
    for await (const one of told) {
      if (one.kind === "interrupted") {
        this.failure.value = one.failure;
        this.connection.value = "lost";
        continue;
      }
      if (one.kind === "reset") continue;
      clearTimeout(this.#renewing);
      this.#renewing = undefined;
      this.connection.value = "live";
      this.failure.value = undefined;
      this.#token = one.resumeToken;
      if (one.clocks) this.clocks.value = new Map(one.clocks.map((clock) => [clock.seat, clock]));
      if (one.presence) this.away.value = new Set(one.presence.filter(({ connected }) => !connected).map(({ seat }) => seat));
      if (one.kind === "snapshot") this.shown.value = tableOf(one.view, this.shown.value);
      if (one.kind === "events") this.#take(one.events);
      // The table that could not be asked for while the referee was away is asked for now.
      if (this.#unseen && !this.playing.value && !this.#submitting) void this.#play();
      if (one.asked !== undefined) {
        this.#asked = one.asked.length;
        if (!this.#submitting) this.#reads = this.#ask();
        // What waits is told when it changes. Whoever looked in between, and found nothing, looks again.
      } else if (this.#asked > 0 && this.turns.value.length === 0 && this.due.value.length === 0 && !this.#busy) this.#reads = this.#ask();
      if (one.kind === "closed") {
        await this.meet();
        if (one.closed.outcome) this.outcome.value = one.closed.outcome;
        this.#put([]);
        this.connection.value = "over";
      }
    }
  }

  /** The connection was made anew: unless something comes soon, there is none. */
  #renewed(): void {
    if (this.connection.value !== "live" || this.#renewing !== undefined) return;
    this.#renewing = setTimeout(() => {
      this.#renewing = undefined;
      if (this.connection.value === "live") this.connection.value = "lost";
    }, RENEWING_MS);
  }

  /** The match as its seats are now. */
  async meet(): Promise<void> {
    const { match } = await this.referee.matches.getMatch({ name: this.key.match }, { signal: this.#ended.signal }).catch(() => ({ match: undefined }));
    if (!match) return;
    this.match.value = match;
    this.players.value = playersOf(match);
    this.paused.value = match.paused;
    if (match.outcome) this.outcome.value = match.outcome;
  }

  async #view(atEvent?: number): Promise<View | undefined> {
    try {
      return (await viewAt(this.referee, this.key.match, atEvent, { atLeast: this.#token })).view;
    } catch (thrown) {
      if (hasReason(thrown, Reason.MATCH_NOT_STARTED)) return undefined;
      throw thrown;
    }
  }

  async #see(): Promise<void> {
    // What is asked then comes with it, if that does not take long: both are drawn at once.
    const [view] = await Promise.all([this.#view(), Promise.race([this.#reads, pause(MOST_APART_MS)])]);
    if (!view) return;
    this.#show(view);
  }

  /** Shows what the referee says. What is being shown step by step is not jumped over by a view that is older. */
  #show(view: View): void {
    const table = tableOf(view, this.shown.value);
    batch(() => {
      this.#publish();
      if (table.eventCount >= this.shown.value.eventCount) {
        this.shown.value = table;
        this.#viewed = table.eventCount;
      }
      if (view.outcome) this.outcome.value = view.outcome;
    });
  }

  /** Notes what happened and shows it. */
  #take(events: readonly Event[]): void {
    this.#hear(events);
    // Where nothing is shown step by step the log waits for the table that belongs to it: both are drawn at once.
    if (motion.value !== "none") this.#publish();
    const comes = this.#submitting && motion.value === "none";
    if (this.#queue.length > 0 && !this.playing.value && !comes) void this.#play();
  }

  /** Notes what happened, as far as it is not known. */
  #hear(events: readonly Event[]): void {
    const fresh = events.filter(({ number }) => Number(number) >= this.#heard.length);
    this.#heard.push(...fresh);
    this.#queue.push(...fresh);
    for (const { kind } of fresh) if (kind.case === "tableChanged") this.#changed(kind.value.kind.case);
  }

  /** Tells everything that was heard. */
  #publish(): void {
    if (this.events.value.length < this.#heard.length) this.events.value = [...this.#heard];
  }

  #changed(what: string | undefined): void {
    void this.meet();
    if (what?.startsWith("proposal") && this.isSeat) void this.talk();
    if (what === "movesUndone" || what === "rulesetChanged") {
      this.#viewed = 0;
      this.#past.clear();
      void this.#ask();
    }
  }

  async #play(): Promise<void> {
    this.playing.value = true;
    this.#unseen = false;
    try {
      for (;;) {
        // Where events were passed over, no later one is shown on its own: it would be shown on a table that never was.
        let isBehind = false;
        for (let event; (event = this.#queue.shift()) !== undefined; ) {
          const number = Number(event.number);
          if (number < this.shown.value.eventCount) continue;
          // A long absence is not shown step by step.
          isBehind ||= motion.value === "none" || this.#queue.length >= 250 || this.#skipping || this.#skip.signal.aborted;
          if (isBehind) continue;
          if (event.kind.case === "moveMade") this.lastMove.value = number;
          await showEvent(event, this.layout, loadedIcons.value, this.#skip.signal);
          this.shown.value = after(this.shown.value, event);
          if (event.kind.case === "matchOver" && event.kind.value.outcome) this.outcome.value = event.kind.value.outcome;
        }
        this.#skipping = false;
        await landed();
        if (!this.started) await this.meet();
        if (motion.value === "none") await pause(BREATH_MS, this.#ended.signal);
        if (this.#viewed < this.#heard.length) await this.#see();
        if (this.#queue.length === 0) return;
      }
    } catch (thrown) {
      // The stream tells of a connection that is lost; the table comes with its next message.
      this.#unseen = isRetryable(thrown);
      if (!this.#unseen && !this.#ended.signal.aborted) this.failure.value = RefereeError.from(thrown);
    } finally {
      batch(() => {
        this.#publish();
        this.#skipping = false;
        this.playing.value = false;
        if (this.due.value.length > 0) this.#put(this.due.value);
      });
    }
  }

  /**
   * Puts questions to the player: while the table still shows what led to them they wait. One that is only renewed, as while
   * others bargain, stays where it is.
   */
  #put(turns: readonly Turn[]): void {
    const stands = turns.every(({ step }) => this.turns.value.some((turn) => turn.step === step));
    const waits = this.playing.value && !stands;
    batch(() => {
      this.due.value = waits ? turns : [];
      this.turns.value = waits ? [] : turns;
      this.turnAt.value = 0;
    });
  }

  #asking = 0;
  #answer: Promise<void> | undefined;

  /**
   * Reads what is asked, with one call at a time: while others bargain questions are renewed faster than they are read, and browsers
   * have few connections to one host, which a move needs, too. Whoever asks meanwhile is answered by the next call.
   */
  async #ask(again = 0): Promise<void> {
    const mine = ++this.#asking;
    if (!this.isSeat) return;
    if (this.#asked === 0) {
      this.#put([]);
      return;
    }
    while (this.#answer) await this.#answer;
    if (mine !== this.#asking) return;
    return (this.#answer = this.#read(mine, again));
  }

  async #read(mine: number, again: number): Promise<void> {
    try {
      const decisions = await openDecisions(this.referee, this.key.match, { signal: this.#ended.signal, targets: true });
      if (this.#asked === 0) return;
      const known = [...this.turns.value, ...this.due.value];
      // Whoever is in the middle of a choice is not disturbed by what changes nothing for them.
      this.#put(decisions.map((decision) => known.find((turn) => isSame(turn, decision)) ?? Turn.after(known.find(({ step }) => step === decision.decision.step), decision, this.seat)));
      if (decisions.length === 0) this.#askLater(mine, again);
    } catch (thrown) {
      if (this.#ended.signal.aborted || hasReason(thrown, Reason.MATCH_OVER, Reason.MATCH_PAUSED, Reason.MATCH_NOT_STARTED)) return;
      // What is asked has to be answered, whatever kept it from being told.
      this.#askLater(mine, Math.min(again, 4));
      if (!isRetryable(thrown) && !isSuperseded(thrown)) this.refused.value = RefereeError.from(thrown);
    } finally {
      this.#answer = undefined;
    }
  }

  /** Asks again a little later, if nobody has asked since: the referee was away, or between two questions. */
  #askLater(mine: number, again: number): void {
    if (again >= 5) return;
    setTimeout(() => {
      if (mine === this.#asking && !this.#ended.signal.aborted && this.connection.value !== "over") void this.#ask(again + 1);
    }, 250 * 2 ** again);
  }

  override get aimed(): ReadonlySet<string> {
    return (this.past.value === undefined ? this.turn.value?.aimed.value : undefined) ?? super.aimed;
  }

  marks(thing: Thing): boolean {
    return this.past.value === undefined && (this.turn.value?.marks(thing) ?? false);
  }

  chosen(thing: Thing): boolean {
    return this.past.value === undefined && (this.turn.value?.chosen(thing) ?? false);
  }

  point(thing: Thing): boolean {
    if (this.past.value !== undefined || this.#busy) return false;
    this.refused.value = undefined;
    return this.turn.value?.point(thing, wordsOf(this, thing)) ?? false;
  }

  /** Makes a move. */
  async submit(turn: Turn, move: Move): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.answered = true;
    this.refused.value = undefined;
    this.skip();
    this.#answering.abort();
    this.#answering = new AbortController();
    this.#submitting = true;
    const sent = `${turn.id} ${keyOf(move)}`;
    const id = this.#unsure?.move === sent ? this.#unsure.requestId : requestId();
    this.#unsure = { move: sent, requestId: id };
    const long = setTimeout(() => (this.sending.value = true), SENDING_MS);
    // It may be on its way over a connection that is dead. Asked again it is answered once.
    const suspect = setTimeout(() => {
      renewConnections();
      this.#renewed();
    }, SUSPECT_MS);
    try {
      const { events, resumeToken, view } = await this.referee.play.submitMove({ name: this.key.match, decisionId: turn.id, move, withEvents: true, withView: true, requestId: id });
      this.#unsure = undefined;
      this.#token = resumeToken;
      this.#submitting = false;
      batch(() => {
        this.turns.value = this.turns.value.filter((other) => other !== turn);
        this.#hear(events);
        if (motion.value === "none" && view) this.#show(view);
        // What the table shows already need not be shown again.
        this.#queue = this.#queue.filter(({ number }) => Number(number) >= this.shown.value.eventCount);
        this.#take([]);
      });
      // A question that stays open is not told anew.
      this.#asked = Math.max(this.#asked, 1);
      await this.#ask();
    } catch (thrown) {
      const error = RefereeError.from(thrown);
      if (!isRetryable(error)) this.#unsure = undefined;
      this.refused.value = error;
      this.#submitting = false;
      this.#take([]);
      if (isSuperseded(error)) await this.#ask();
    } finally {
      clearTimeout(long);
      clearTimeout(suspect);
      this.#busy = false;
      this.sending.value = false;
    }
  }

  /** What a move would bring. @throws RefereeError `MOVE_REFUSED` if the rules forbid it. */
  preview(turn: Turn, move: Move, signal: AbortSignal): Promise<Foreseen> {
    return preview(this.referee, this.key.match, turn.decision, move, { signal });
  }

  /**
   * Some moves of one name that cannot be made now, and why: those that are found before the question is answered, `signal` says
   * that nobody waits for them, or it has taken so long. Where nearly every move can be made there is no end to looking.
   */
  async refusals(turn: Turn, move: string, fixed: Readonly<Record<string, Value>>, most: number, signal = this.#answering.signal): Promise<readonly RefusedMove[]> {
    const enough = AbortSignal.any([signal, this.#answering.signal, AbortSignal.timeout(LOOK_MS)]);
    const found: RefusedMove[] = [];
    try {
      for await (const one of refusals(this.referee, this.key.match, turn.decision, move, { fixed, pageSize: most, signal: enough })) {
        if (found.push(one) >= most) break;
      }
    } catch (thrown) {
      if (!enough.aborted) throw thrown;
    }
    return found;
  }

  async lookAt(event: number | undefined): Promise<void> {
    if (event === undefined) {
      this.past.value = undefined;
      return;
    }
    const known = this.#past.get(event);
    if (known) {
      this.past.value = known;
      return;
    }
    const view = await this.#view(event);
    if (!view) return;
    const table = tableOf(view, this.shown.value);
    if (this.#past.size >= MOST_PAST) this.#past.clear();
    this.#past.set(event, table);
    this.past.value = table;
  }

  /** What the players talk about. */
  async talk(): Promise<void> {
    const said = await this.referee.table.getTableTalk({ name: this.key.match }).catch(() => undefined);
    if (!said) return;
    this.proposal.value = said.proposal;
    this.paused.value = said.paused;
  }

  async #tell(call: () => Promise<unknown>): Promise<void> {
    this.refused.value = undefined;
    try {
      await call();
    } catch (thrown) {
      this.refused.value = RefereeError.from(thrown);
    }
    await this.talk();
  }

  propose(kind: ProposalKind, moves = 0): Promise<void> {
    return this.#tell(() => this.referee.table.propose({ name: this.key.match, kind, moves }));
  }

  respond(proposal: Proposal, agree: boolean): Promise<void> {
    return this.#tell(() => this.referee.table.respond({ name: proposal.name, agree }));
  }

  withdraw(proposal: Proposal): Promise<void> {
    return this.#tell(() => this.referee.table.withdraw({ name: proposal.name }));
  }

  resign(): Promise<void> {
    return this.#tell(() => this.referee.play.resign({ name: this.key.match }));
  }
}

/** What tells moves of a question from each other. */
const keyOf = ({ name, arguments: all }: Move): string => `${name} ${all.map(({ name, value }) => `${name} ${value ? valueKey(value) : ""}`).join()}`;

/** Whether a question asks just what is being answered. */
function isSame(turn: Turn, { decision, offers }: OpenDecision): boolean {
  const key = (all: OpenDecision["offers"]): string =>
    all.map(({ name, fixed, completionCount }) => `${name} ${completionCount} ${fixed.map(({ value }) => value && valueKey(value)).join()}`).join(";");
  return turn.id === decision.decisionId && turn.decision.offers.length === offers.length && key(turn.decision.offers) === key(offers);
}
