/**
 * What went wrong, in types.
 *
 * In: whatever a call threw. Out: a {@link RefereeError} with the reason of the contract's catalogue and its details, and
 * what
 * may be done about it.
 *
 * @module
 */
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  LocalizedMessageSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.js";
import { Reason, RefusalSchema, type Refusal } from "./gen/referee/v1/error_pb.js";

/** A field of a request that could not be read, and why. */
export interface FieldViolation {
  /** Where: `move.arguments[0].value`. */
  readonly field: string;
  /** What is wrong with it, in English. */
  readonly description: string;
}

/** The domain of the referee's `ErrorInfo`. */
const DOMAIN = "referee.v1";

/** Codes that a transport gives to a connection that breaks. */
const BROKEN: readonly Code[] = [Code.Aborted, Code.Canceled, Code.Internal, Code.Unknown];

/**
 * Why a call failed. Every call of a {@link Referee} that fails throws one; only a caller's own `AbortSignal` throws what the
 * signal says. Program against {@link reason}, show {@link text}.
 */
export class RefereeError extends Error {
  /** `RefereeError`. */
  override readonly name = "RefereeError";
  /** The gRPC code. */
  readonly code: Code;
  /**
   * The reason, of the catalogue in `error.proto`; `UNSPECIFIED` if the referee was not reached, or one this package does not
   * know.
   */
  readonly reason: Reason;
  /** What the referee says for programs: `decision_id`, `limit`, `move_index`, `resume_token` and so on, by reason. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Why a move was refused, by which clause, and legal moves nearby; only of `MOVE_REFUSED` and of malformed moves. */
  readonly refusal: Refusal | undefined;
  /** Fields that could not be read; empty unless the request was malformed. */
  readonly fieldViolations: readonly FieldViolation[];
  /** The sentence for people, in the language of the call if the referee has it; else the English text of the status. */
  readonly text: string;
  /** The language of {@link text}: `en`, `pl`. */
  readonly locale: string;
  /** How long to wait before trying again, in milliseconds, if the referee says so. */
  readonly retryAfterMs: number | undefined;
  /** What the transport threw. */
  override readonly cause: ConnectError;

  /** Of what a transport threw; {@link RefereeError.from} takes anything. */
  constructor(cause: ConnectError) {
    super(cause.message, { cause });
    this.cause = cause;
    this.code = cause.code;
    const info = cause.findDetails(ErrorInfoSchema).find(({ domain }) => domain === DOMAIN);
    const known: Partial<Record<string, Reason | string>> = Reason;
    const reason = known[info?.reason ?? ""];
    this.reason = typeof reason === "number" ? reason : Reason.UNSPECIFIED;
    this.metadata = info?.metadata ?? {};
    this.refusal = cause.findDetails(RefusalSchema)[0];
    this.fieldViolations = cause.findDetails(BadRequestSchema).flatMap((bad) => bad.fieldViolations);
    const localized = cause.findDetails(LocalizedMessageSchema)[0];
    this.text = localized?.message ?? cause.rawMessage;
    this.locale = localized?.locale ?? "en";
    const delay = cause.findDetails(RetryInfoSchema)[0]?.retryDelay;
    this.retryAfterMs = delay && durationMs(delay);
  }

  /** Whatever was thrown, as a `RefereeError`; one that is one already stays as it is. */
  static from(thrown: unknown): RefereeError {
    return thrown instanceof RefereeError ? thrown : new RefereeError(ConnectError.from(thrown));
  }
}

/** Whether what was thrown is the referee's, for this reason: `hasReason(error, Reason.MATCH_OVER)`. */
export const hasReason = (thrown: unknown, ...reasons: Reason[]): boolean =>
  thrown instanceof RefereeError && reasons.includes(thrown.reason);

/**
 * Whether the same request with the same `request_id` may be sent again: the referee could not be reached, said that it is
 * not
 * available, or took too long (`CALL_TOO_LONG`). What it says itself has details; a connection that breaks has none.
 */
export function isRetryable(thrown: unknown): boolean {
  if (!(thrown instanceof RefereeError)) return false;
  const broken = thrown.cause.details.length === 0 && BROKEN.includes(thrown.code);
  return thrown.code === Code.Unavailable || thrown.reason === Reason.CALL_TOO_LONG || broken;
}

/** Whether the question that a move answers has changed (`DECISION_SUPERSEDED`): look again, decide again. */
export const isSuperseded = (thrown: unknown): boolean => hasReason(thrown, Reason.DECISION_SUPERSEDED);

/**
 * Whether the rules forbid the move (`MOVE_REFUSED`): nothing has changed, {@link RefereeError.refusal} says what would be
 * legal.
 */
export const isRefused = (thrown: unknown): boolean => hasReason(thrown, Reason.MOVE_REFUSED);
