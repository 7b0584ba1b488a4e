/**
 * Streams that resume.
 *
 * In: a {@link Referee} and the name of a match. Out: everything that happens there, once and in order, over any number of
 * connections, until the match is over.
 *
 * @module
 */
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { RefereeError, isRetryable } from "./errors.js";
import { Reason } from "./gen/referee/v1/error_pb.js";
import type { Event } from "./gen/referee/v1/event_pb.js";
import type { WatchMyMatchesResponse } from "./gen/referee/v1/player_service_pb.js";
import type { MatchClosed, WaitingQuestion, WatchMatchResponse } from "./gen/referee/v1/play_service_pb.js";
import type { WatchPublicMatchResponse } from "./gen/referee/v1/spectator_service_pb.js";
import type { SeatClock, SeatPresence, View } from "./gen/referee/v1/table_pb.js";
import type { Referee } from "./referee.js";
import { isRenewal } from "./line.js";
import { backoffMs, pause } from "./retry.js";

/** What every message of the referee has. */
export interface Told {
  /**
   * Continues after this message: give it to a later {@link watch} as `start`. Keep it secret; it is good for one seat of one
   * match.
   */
  readonly resumeToken: string;
  /**
   * What the seat is asked when it has had this message: in the first message of every connection with which it has heard
   * all that happened before, and in each with which that has changed; empty while it waits for others. `undefined`: what it was asked before. Spectators are asked nothing.
   */
  readonly asked: readonly WaitingQuestion[] | undefined;
  /** How each seat's time stands, in a match with a clock; `undefined`: as before. */
  readonly clocks: readonly SeatClock[] | undefined;
  /** Who is at the table, gathered over ten seconds; `undefined`: as before. Spectators are not told. */
  readonly presence: readonly SeatPresence[] | undefined;
}

/** What the referee tells of a match. */
export type WatchedMatch =
  /** The table as it is now: what was known of it before is to be forgotten. */
  | ({ readonly kind: "snapshot"; readonly view: View } & Told)
  /** What happened, in order, without gap or repetition. */
  | ({ readonly kind: "events"; readonly events: readonly Event[] } & Told)
  /** Nothing happened; the stream lives. */
  | ({ readonly kind: "checkpoint" } & Told)
  /** The match is over. The stream ends after this. */
  | ({ readonly kind: "closed"; readonly closed: MatchClosed } & Told);

/** What becomes of a connection. */
export type Interruption =
  /** The connection was lost, for so many times in a row. Reading goes on by itself; leave the loop to give up. */
  | { readonly kind: "interrupted"; readonly failure: RefereeError; readonly failures: number }
  /**
   * The resume token is good no longer: a snapshot comes next, and what happened before it is not told. `ListEvents` has it.
   */
  | { readonly kind: "reset"; readonly failure: RefereeError };

/** What a reader of a stream is told. */
export type Watched = WatchedMatch | Interruption;

/** Where and how a stream is read. */
export interface WatchOptions {
  /**
   * `now`, with a snapshot first; `beginning`, with the first event; or behind what a resume token stands for. `now` if left
   * out.
   */
  readonly start?: "now" | "beginning" | { readonly resumeToken: string };
  /** Ends the stream when it is aborted. */
  readonly signal?: AbortSignal;
  /** At most so many events in one message; the referee's limit if it is left out. */
  readonly maxBatch?: number;
  /** Adds a glossary to snapshots; {@link NameBook} has all names once instead. */
  readonly includeNames?: boolean;
  /**
   * After so many milliseconds without any message the connection is given up and made anew; three times the referee's
   * `heartbeat` if it is left out.
   */
  readonly silenceMs?: number;
}

/** What a reader of a stream of all matches is told. */
export type WatchedAll =
  /** What is told of one match: the seat that is watched, 0 as a spectator. Its token continues the match alone. */
  | { readonly kind: "match"; readonly match: string; readonly seat: number; readonly told: WatchedMatch; readonly resumeToken: string }
  /** No more is told of a match; the stream goes on. */
  | {
      readonly kind: "ended";
      readonly match: string;
      readonly seat: number;
      readonly reason: Reason;
      readonly text: string;
      readonly resumeToken: string;
    }
  /** Nothing happened; the stream lives. */
  | { readonly kind: "checkpoint"; readonly resumeToken: string }
  | Interruption;

/** Where and how all matches are read. */
export interface WatchAllOptions extends WatchOptions {
  /** Only these; every match of the player that is in a lobby or in play if it is left out. */
  readonly matches?: readonly string[];
}

/** What every stream has. */
interface Resumable {
  readonly resumeToken: string;
}

/** What streams of one match bring. */
type Message = WatchMatchResponse | WatchPublicMatchResponse;
/** Where a stream begins, as a request says it. */
type Start =
  | { case: "resumeToken"; value: string }
  | { case: "fromNow"; value: Record<never, never> }
  | { case: undefined };
type Open<M> = (start: Start, signal: AbortSignal) => AsyncIterable<M>;

/**
 * Watches a match from a seat. The referee's token must be the seat's (`rfs_…`). May begin in the lobby; ends after `closed`.
 *
 * Reconnects by itself, as often as it takes, after a connection that broke or fell silent, a restart, `CONNECTION_AGED`,
 * `READER_TOO_SLOW`. Nothing is lost and nothing repeated by that.
 *
 * ```ts
 * for await (const told of watch(referee, "matches/…")) {
 *   if (told.kind === "events") show(told.events);
 *   else if (told.kind === "snapshot") draw(told.view);
 * }
 * ```
 *
 * @throws RefereeError if the referee refuses (`NOT_FOUND`, `TOKEN_INVALID`, …) or could not be reached even once.
 * @throws what the signal says when it is aborted.
 */
export function watch(
  referee: Referee,
  match: string,
  options: WatchOptions = {},
): AsyncGenerator<Watched, void, undefined> {
  const { maxBatch = 0, includeNames = false } = options;
  const open: Open<WatchMatchResponse> = (start, signal) =>
    referee.play.watchMatch({ name: match, start, maxBatch, includeNames }, { signal });
  return resumed(referee, options, open, read, isClosed);
}

/**
 * Watches the public table of a match, as {@link watch}. The referee's token must be a spectator's (`rfw_…`) or the host's; a match
 * that anybody may watch needs none.
 */
export function watchPublic(
  referee: Referee,
  match: string,
  options: WatchOptions = {},
): AsyncGenerator<Watched, void, undefined> {
  const { maxBatch = 0, includeNames = false } = options;
  const open: Open<WatchPublicMatchResponse> = (start, signal) =>
    referee.spectators.watchPublicMatch({ name: match, start, maxBatch, includeNames }, { signal });
  return resumed(referee, options, open, read, isClosed);
}

/**
 * Watches all matches of a player in one stream, as {@link watch} each of them: where one connection must do for all. The
 * referee's token must be a player's (`rfu_…`, or a signed token of its identity provider). It has no end of its own: matches that the player
 * joins meanwhile are told of, too.
 */
export function watchAll(referee: Referee, options: WatchAllOptions = {}): AsyncGenerator<WatchedAll, void, undefined> {
  const { maxBatch = 0, includeNames = false, matches = [] } = options;
  const open: Open<WatchMyMatchesResponse> = (start, signal) =>
    referee.players.watchMyMatches({ names: [...matches], start, maxBatch, includeNames }, { signal });
  return resumed(referee, options, open, readAll, () => false);
}

const isClosed = (told: WatchedMatch): boolean => told.kind === "closed";

const FROM_NOW: Start = { case: "fromNow", value: {} };
const away = (why: string): RefereeError => new RefereeError(new ConnectError(why, Code.Unavailable));

async function* resumed<M extends Resumable, T>(
  referee: Referee,
  options: WatchOptions,
  open: Open<M>,
  read: (message: M) => T | undefined,
  isLast: (told: T) => boolean,
): AsyncGenerator<T | Interruption, void, undefined> {
  const { signal, start: from = "now" } = options;
  signal?.throwIfAborted();
  let silenceMs = options.silenceMs ?? 3 * HEARTBEAT_MS;
  if (options.silenceMs === undefined) {
    void heartbeatMs(referee).then((heartbeat) => (silenceMs = 3 * heartbeat));
  }
  let start: Start =
    from === "now"
      ? FROM_NOW
      : from === "beginning"
        ? { case: undefined }
        : { case: "resumeToken", value: from.resumeToken };
  let everTold = false;
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    let failure = away("the stream ended before the match");
    try {
      for await (const message of alive(open, start, () => silenceMs, signal)) {
        const told = read(message);
        everTold = true;
        failures = 0;
        // What was told last, and not the token of a failure: what lay between them was never told.
        start = { case: "resumeToken", value: message.resumeToken };
        if (told !== undefined) yield told;
        if (told !== undefined && isLast(told)) return;
      }
    } catch (thrown) {
      signal?.throwIfAborted();
      failure = RefereeError.from(thrown);
      // Nothing was lost: it is asked anew, and only what comes of that is told.
      if (isRenewal(failure)) continue;
      if (start.case === "resumeToken" && failure.reason === Reason.RESUME_TOKEN_INVALID) {
        start = FROM_NOW;
        yield { kind: "reset", failure };
        continue;
      }
      // `READER_TOO_SLOW`; or `LIMIT_REACHED`, since streams of before may count for a while after their connection broke.
      const full = failure.code === Code.ResourceExhausted;
      if (!everTold || (!full && !isRetryable(failure))) throw failure;
    }
    failures += 1;
    yield { kind: "interrupted", failure, failures };
    await pause(backoffMs(referee.retry, failures, failure), signal, referee.line);
  }
}

/** The longest time between two messages of a stream, as the contract says it. */
const HEARTBEAT_MS = 10_000;

/** The same as this referee says it; as the contract does if it does not answer, which the stream itself finds out. */
async function heartbeatMs(referee: Referee): Promise<number> {
  const info = await referee.info().catch(() => undefined);
  return info?.limits?.heartbeat ? durationMs(info.limits.heartbeat) : HEARTBEAT_MS;
}

/** One connection, which ends when the reader leaves it and fails when it is silent for too long while somebody reads. */
async function* alive<M>(
  open: Open<M>,
  start: Start,
  silenceMs: () => number,
  signal: AbortSignal | undefined,
): AsyncGenerator<M> {
  const connection = new AbortController();
  const abort = (): void => connection.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const messages = open(start, connection.signal)[Symbol.asyncIterator]();
    for (;;) {
      const next = messages.next();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        const ms = silenceMs();
        timer = setTimeout(() => reject(away(`the referee said nothing for ${ms / 1000} s`)), ms);
      });
      const { done, value } = await Promise.race([next, silence]).finally(() => {
        clearTimeout(timer);
        // Whoever lost the race is not waited for.
        next.catch(() => {});
      });
      if (done === true) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    connection.abort();
  }
}

/** A message in the words of this module; `undefined` if it is of a kind that a later contract adds. */
function read(message: Message): WatchedMatch | undefined {
  const { item, resumeToken } = message;
  const some = <T>(all: readonly T[]): readonly T[] | undefined => (all.length > 0 ? all : undefined);
  const told = {
    resumeToken,
    asked: "asked" in message ? message.asked?.questions : undefined,
    clocks: some(message.clocks),
    presence: "presence" in message ? some(message.presence) : undefined,
  };
  switch (item.case) {
    case "snapshot":
      return { kind: "snapshot", view: item.value, ...told };
    case "events":
      return { kind: "events", events: item.value.events, ...told };
    case "checkpoint":
      return { kind: "checkpoint", ...told };
    case "closed":
      return { kind: "closed", closed: item.value, ...told };
    default:
      // Of what is not understood, the rest is told all the same.
      return (told.asked ?? told.clocks ?? told.presence) && { kind: "checkpoint", ...told };
  }
}

/** A message of all matches; `undefined` if it is of a kind that a later contract adds. */
function readAll(message: WatchMyMatchesResponse): WatchedAll | undefined {
  const { name: match, seat, told, resumeToken } = message;
  switch (told.case) {
    case "message": {
      const of = read(told.value);
      return of && { kind: "match", match, seat, told: of, resumeToken };
    }
    case "ended":
      return { kind: "ended", match, seat, reason: told.value.reason, text: told.value.message, resumeToken };
    default:
      return match === "" ? { kind: "checkpoint", resumeToken } : undefined;
  }
}
