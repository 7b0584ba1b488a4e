/**
 * When a call is repeated, and after which pause.
 *
 * In: the contract's `service_config.json`. Out: a {@link RetryPolicy}, pauses, and calls that are repeated by it.
 *
 * @module
 */
import { RefereeError, isRetryable } from "./errors.js";
import { serviceConfig } from "./gen/service_config.js";
import { isRenewal, type Line } from "./line.js";

/** How often a call is tried, and how long to pause between two tries. */
export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly maxAttempts: number;
  /** The longest first pause, in milliseconds. Each pause is a random part of its longest. */
  readonly initialBackoffMs: number;
  /** No pause is longer, in milliseconds. */
  readonly maxBackoffMs: number;
  /** By how much the longest pause grows each time. */
  readonly backoffMultiplier: number;
  /** The methods that may be repeated: `referee.v1.PlayService/SubmitMove`. */
  readonly methods: ReadonlySet<string>;
}

/** The part of a gRPC service config that says how calls are repeated. */
export interface ServiceConfig {
  /** The methods that are meant, and how they are repeated; the first one counts. */
  readonly methodConfig: readonly {
    readonly name: readonly { readonly service: string; readonly method: string }[];
    readonly retryPolicy: {
      readonly maxAttempts: number;
      readonly initialBackoff: string;
      readonly maxBackoff: string;
      readonly backoffMultiplier: number;
    };
  }[];
}

/**
 * The policy of a service config: of the contract's if none is given.
 *
 * @throws RangeError if it has no method with a retry policy.
 */
export function retryPolicy(config: ServiceConfig = serviceConfig): RetryPolicy {
  const [first] = config.methodConfig;
  if (first === undefined)
    throw new RangeError("the service config has no methodConfig: take the contract's service_config.json");
  const { maxAttempts, initialBackoff, maxBackoff, backoffMultiplier } = first.retryPolicy;
  return {
    maxAttempts,
    initialBackoffMs: 1000 * parseFloat(initialBackoff),
    maxBackoffMs: 1000 * parseFloat(maxBackoff),
    backoffMultiplier,
    methods: new Set(first.name.map(({ service, method }) => `${service}/${method}`)),
  };
}

/** How long to pause after so many failures in a row (from 1), in milliseconds; at least as long as the referee asks for. */
export function backoffMs(policy: RetryPolicy, failures: number, failure?: RefereeError): number {
  const longest = Math.min(policy.initialBackoffMs * policy.backoffMultiplier ** (failures - 1), policy.maxBackoffMs);
  const asked = Math.min(failure?.retryAfterMs ?? 0, policy.maxBackoffMs);
  return Math.max(longest * Math.random(), asked);
}

/** Waits so many milliseconds, or until the line is renewed; throws what the signal says as soon as it is aborted. */
export async function pause(ms: number, signal?: AbortSignal, line?: Line): Promise<void> {
  signal?.throwIfAborted();
  const waits = line?.begin(signal);
  const until = waits?.signal ?? signal;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      until?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    until?.addEventListener("abort", done, { once: true });
  });
  waits?.end();
  signal?.throwIfAborted();
}

/**
 * Makes a call, again and again as the policy says; at once and for nothing when the line is renewed.
 *
 * @param method - its full name: only what the policy names is repeated; `undefined` if it may always be.
 * @param call - makes it, with the signal of this try.
 * @throws RefereeError - the last failure; what the signal says if it was aborted.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  method: string | undefined,
  signal: AbortSignal | undefined,
  call: (signal?: AbortSignal) => Promise<T>,
  line?: Line,
): Promise<T> {
  const isSafe = method === undefined || policy.methods.has(method);
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    // What may not be repeated is not given up for a line that may be as good as ever.
    const one = isSafe ? line?.begin(signal) : undefined;
    try {
      return await call(one?.signal ?? signal);
    } catch (thrown) {
      signal?.throwIfAborted();
      const failure = RefereeError.from(thrown);
      if (isRenewal(failure)) {
        attempt -= 1;
        continue;
      }
      if (attempt >= policy.maxAttempts || !isSafe || !isRetryable(failure)) throw failure;
      await pause(backoffMs(policy, attempt, failure), signal, line);
    } finally {
      one?.end();
    }
  }
}
