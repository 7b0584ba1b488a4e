/**
 * The table as it was: for sliders, and for links to a moment.
 *
 * In: a {@link Referee} with the token of a seat, a spectator or a host, or with none. Out: the table at a moment, as that
 * caller could see it then, and a {@link Timeline} that steps from one moment to the next.
 *
 * @module
 */
import { Reason } from "./gen/referee/v1/error_pb.js";
import { MoveOrigin, type Event } from "./gen/referee/v1/event_pb.js";
import type { View } from "./gen/referee/v1/table_pb.js";
import { hasReason } from "./errors.js";
import type { Referee } from "./referee.js";

/** A moment at which the table can be looked at: somebody was asked something, or the match was over. */
export interface Moment {
  /** How many events this caller had been told of: the table is as it was before the event of that number. */
  readonly event: number;
  /** The table. */
  readonly view: View;
  /** Continues after this moment: for `listEvents`, and as `start` of a {@link watch}. Keep it secret. */
  readonly resumeToken: string;
}

/** How a moment is asked for. */
export interface ViewOptions {
  /** Stops asking when it is aborted. */
  readonly signal?: AbortSignal;
  /** A resume token of this caller: nothing older than what it stands for is answered. */
  readonly atLeast?: string;
  /** Adds a glossary to the view; {@link NameBook} has all names once instead. */
  readonly includeNames?: boolean;
}

/** Whether the caller sees what everybody sees; a seat sees its own table. */
const isPublic = ({ caller, anonymous }: Referee): boolean => anonymous || caller === "host" || caller === "spectator";

/**
 * The table as it stood when the caller had been told of so many events; as it is now, without a number. What comes is the
 * last moment up to there, or the first one there was: {@link Moment.event} says which.
 *
 * @param match - `matches/…`
 * @throws RefereeError if the referee refuses: `MALFORMED_REQUEST` if the caller has not been told of so many events yet,
 * `MATCH_NOT_STARTED` before there is a table.
 */
export async function viewAt(
  referee: Referee,
  match: string,
  event?: number | bigint,
  { signal, atLeast = "", includeNames = false }: ViewOptions = {},
): Promise<Moment> {
  const asked = { name: match, atLeast, includeNames, ...(event !== undefined && { atEvent: BigInt(event) }) };
  const call = signal ? { signal } : {};
  const { view, resumeToken } = isPublic(referee)
    ? await referee.spectators.getPublicView(asked, call)
    : await referee.play.getView(asked, call);
  return { event: Number(view!.eventCount), view: view!, resumeToken };
}

/** How a timeline is kept. */
export interface TimelineOptions {
  /** Stops asking when it is aborted. */
  readonly signal?: AbortSignal;
  /** How many views are kept, those that were looked at last; 500 if it is left out. */
  readonly views?: number;
}

/** Numbers of events for which the same moment is known to come. */
interface Span {
  from: number;
  readonly event: number;
  until: number;
}

/** The most events that fit in a page. */
const PAGE = 1000;

/**
 * All that happened, and the moments in it. Every number of events from 0 to {@link length} is a place on a slider: {@link at}
 * gives the moment that is seen there, {@link next} and {@link previous} go from one to the other. What was asked for is kept.
 *
 * ```ts
 * const timeline = await Timeline.open(referee, "matches/…");
 * for (let moment = await timeline.first(); moment; moment = await timeline.next(moment)) draw(moment.view);
 * ```
 */
export class Timeline {
  readonly #events: Event[] = [];
  /** In order; what lies between two of them has not been asked for. */
  readonly #spans: Span[] = [];
  /** The one that was looked at last is the last one. */
  readonly #moments = new Map<number, Moment>();
  readonly #asking = new Map<number, Promise<Moment>>();
  #resumeToken = "";

  private constructor(
    private readonly referee: Referee,
    private readonly match: string,
    private readonly options: TimelineOptions,
  ) {}

  /**
   * Reads everything that has happened so far. The token may be a seat's, a spectator's or the host's: each has a timeline of
   * its own, with what that caller was told.
   *
   * @throws RefereeError if the referee refuses or stays away; `MATCH_NOT_STARTED` before there is a table.
   */
  static async open(referee: Referee, match: string, options: TimelineOptions = {}): Promise<Timeline> {
    const timeline = new Timeline(referee, match, options);
    await timeline.extend();
    return timeline;
  }

  /** Everything that has happened, in order: what lies between two moments is `events.slice(one.event, other.event)`. */
  get events(): readonly Event[] {
    return this.#events;
  }

  /** How many events there are: the end of a slider that begins at 0. */
  get length(): number {
    return this.#events.length;
  }

  /**
   * Reads what has happened since, and gives it; for matches under way. Whoever watches the match gives what it is told to
   * {@link add} instead.
   *
   * @throws RefereeError if the referee refuses or stays away.
   */
  async extend(): Promise<readonly Event[]> {
    const before = this.length;
    await this.#readPages();
    return this.#events.slice(before);
  }

  /**
   * Adds events that the same caller was told by a stream. Those that are here already are passed over.
   *
   * @throws RangeError if some are missing in between: {@link extend} reads them.
   */
  add(events: readonly Event[]): void {
    for (const event of events) {
      if (event.number < this.length) continue;
      if (event.number > this.length)
        throw new RangeError(
          `event ${this.length} comes next, and not ${event.number}: extend() reads what is missing`,
        );
      // Somebody may have been asked at what was the end until now.
      const last = this.#spans.at(-1);
      if (last && last.until === this.length) last.until = Math.max(last.event, last.until - 1);
      this.#events.push(event);
    }
  }

  /**
   * The moment that is seen at a place of the slider: the last one up to this event, or the first one there was.
   *
   * @throws RangeError if there are not so many events here.
   * @throws RefereeError if the referee refuses or stays away.
   */
  async at(event: number): Promise<Moment> {
    if (!Number.isInteger(event) || event < 0 || event > this.length)
      throw new RangeError(
        `${event} is no place from 0 to ${this.length}: extend() reads what has happened since, if anything has`,
      );
    const span = this.#spans.find(({ from, until }) => from <= event && event <= until);
    const kept = span && this.#moments.get(span.event);
    if (kept) {
      this.#keep(kept);
      return kept;
    }
    const known = this.#asking.get(event);
    if (known) return known;
    const asking = this.#ask(event).finally(() => this.#asking.delete(event));
    this.#asking.set(event, asking);
    return asking;
  }

  /** The first moment. */
  first(): Promise<Moment> {
    return this.at(0);
  }

  /** The last moment so far: now, or how the match ended. */
  last(): Promise<Moment> {
    return this.at(this.length);
  }

  /** The moment before this one, or before what is seen at a place of the slider; `undefined` if it is the first. */
  async previous(from: Moment | number): Promise<Moment | undefined> {
    const here = await this.#here(from);
    if (here.event === 0) return undefined;
    const before = await this.at(here.event - 1);
    return before.event < here.event ? before : undefined;
  }

  /** The moment behind this one, or behind what is seen at a place of the slider; `undefined` if it is the last so far. */
  async next(from: Moment | number): Promise<Moment | undefined> {
    const here = await this.#here(from);
    for (;;) {
      const known = this.#spans.find(({ event }) => event === here.event)!;
      if (known.until >= this.length) return undefined;
      let later = await this.at(this.#guess(known.until + 1));
      if (later.event === here.event) continue;
      // Whether there is another one between them is known when the one before it is this one.
      for (let before; (before = await this.at(later.event - 1)).event > here.event;) later = before;
      return later;
    }
  }

  #here(from: Moment | number): Promise<Moment> {
    return this.at(typeof from === "number" ? from : from.event);
  }

  /** From here on, the place at which a moment is likely: somebody made a move there, so that somebody was asked. */
  #guess(from: number): number {
    for (let at = from; at < this.length; at += 1) {
      const kind = this.#events[at]!.kind;
      if (kind.case === "moveMade" && kind.value.origin !== MoveOrigin.FORCED) return at;
    }
    return this.length;
  }

  async #ask(event: number): Promise<Moment> {
    const { signal } = this.options;
    const moment = await viewAt(this.referee, this.match, event, signal ? { signal } : {});
    const span = this.#spans.find((known) => known.event === moment.event);
    if (span) {
      span.from = Math.min(span.from, event);
      span.until = Math.max(span.until, event);
    } else {
      const [from, until] = [Math.min(event, moment.event), Math.max(event, moment.event)];
      this.#spans.push({ from, event: moment.event, until });
      this.#spans.sort((a, b) => a.event - b.event);
    }
    this.#keep(moment);
    return moment;
  }

  #keep(moment: Moment): void {
    this.#moments.delete(moment.event);
    this.#moments.set(moment.event, moment);
    const [oldest] = this.#moments.keys();
    if (this.#moments.size > (this.options.views ?? 500)) this.#moments.delete(oldest!);
  }

  async #readPages(): Promise<void> {
    const { signal } = this.options;
    const { play, spectators } = this.referee;
    const list = isPublic(this.referee) ? spectators.listPublicEvents : play.listEvents;
    for (;;) {
      const asked = { name: this.match, pageToken: this.#resumeToken, pageSize: PAGE };
      try {
        const page = await list(asked, signal ? { signal } : {});
        this.add(page.events);
        this.#resumeToken = page.resumeToken;
        if (page.nextPageToken === "") return;
      } catch (thrown) {
        if (this.#resumeToken === "" || !hasReason(thrown, ...FORGOTTEN)) throw thrown;
        // Of another version of the referee: what is here already is passed over.
        this.#resumeToken = "";
      }
    }
  }
}

/** A resume token that stands for nothing any more. */
const FORGOTTEN = [Reason.RESUME_TOKEN_INVALID, Reason.PAGE_TOKEN_INVALID];
