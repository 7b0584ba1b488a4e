/**
 * The way to a referee, which may be dead without saying so.
 *
 * In: somebody who has reason to believe that: a program that slept, a network that came back. Out: what is under way is given
 * up and asked anew at once; pauses between two tries end.
 *
 * @module
 */
import { Code, ConnectError } from "@connectrpc/connect";

/** Failures that are nobody's fault: what failed so is asked anew, without a pause and without a word. */
const RENEWALS = new WeakSet<object>();

/** Whether something failed because its line was renewed. */
export const isRenewal = (thrown: unknown): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  (RENEWALS.has(thrown) || ("cause" in thrown && isRenewal(thrown.cause)));

/** One try to ask something. */
export interface Try {
  /** Aborted as the caller's signal is, and as soon as the line is renewed. */
  readonly signal: AbortSignal;
  /** Leaves it alone when the line is renewed. */
  keep(): void;
  /** Says that the try is over. */
  end(): void;
}

/** How long something is waited for on a line that was just renewed; twice as long each time that nothing comes. */
const DOUBTFUL_MS = 3000;

/** What all callers of a referee share who call over the same transport. */
export class Line {
  readonly #open = new Set<(why: unknown) => void>();
  #doubts = 0;

  /**
   * How long a try waits for a first word if nothing was heard since the line was renewed: what is kept open for later calls may
   * be dead, too. `undefined` while nobody doubts the line.
   */
  get patienceMs(): number | undefined {
    return this.#doubts === 0 ? undefined : DOUBTFUL_MS * 2 ** (this.#doubts - 1);
  }

  /** Something was heard. */
  trust(): void {
    this.#doubts = 0;
  }

  /** Nothing was heard by somebody who was so patient. */
  doubt(patienceMs: number): void {
    if (patienceMs === this.patienceMs) this.#doubts += 1;
  }

  /** Begins a try. */
  begin(signal?: AbortSignal): Try {
    const controller = new AbortController();
    const keep = (): void => void this.#open.delete(renew);
    const end = (): void => {
      keep();
      signal?.removeEventListener("abort", abort);
    };
    const renew = (why: unknown): void => {
      end();
      controller.abort(why);
    };
    const abort = (): void => renew(signal?.reason);
    this.#open.add(renew);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    return { signal: controller.signal, keep, end };
  }

  /** Gives up what is under way, to be asked anew. */
  renew(): void {
    const why = new ConnectError("the connection was given up, to be made anew", Code.Unavailable);
    RENEWALS.add(why);
    this.#doubts = 1;
    for (const renew of [...this.#open]) renew(why);
  }
}
