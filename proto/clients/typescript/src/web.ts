/**
 * A {@link Referee} from a browser: gRPC-Web by `fetch`. Needs `@connectrpc/connect-web`. The operator of the referee names
 * the
 * origins whose pages may call: `referee serve --origin https://…`.
 *
 * @module
 */
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Line } from "./line.js";
import { ServerService } from "./gen/referee/v1/server_service_pb.js";
import { Referee, type RefereeOptions } from "./referee.js";

/** How {@link connect} connects. */
export interface WebOptions extends Omit<RefereeOptions, "close"> {
  /** What is used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * After so many milliseconds in which not a byte of its answer came a request is given up, and whoever made it asks anew; as
   * long as the referee's limits let it say nothing if it is left out.
   */
  readonly silenceMs?: number;
}

/** How long a request may hear nothing, by the contract: three times as long as a stream says nothing. */
const SILENCE_MS = 30_000;

/** As many connections as a browser keeps to one address without HTTP/2. */
const KEPT = 6;
/** How long a connection that is kept has to show that it lives. */
const SWEEP_MS = 1500;

/**
 * Connects to a referee with the first call.
 *
 * @param address - `https://referee.example.org`
 * @throws TypeError if the token is none.
 */
export function connect(address: string, { fetch, silenceMs, ...options }: WebOptions = {}): Referee {
  let most = silenceMs ?? SILENCE_MS;
  let isKnown = silenceMs !== undefined;
  const asking: typeof globalThis.fetch = (input, init) => {
    if (!isKnown) {
      isKnown = true;
      void learn();
    }
    return heard(fetch ?? globalThis.fetch, input, init, () => most, referee.line, sweep);
  };
  // A browser takes one connection after the other of those that it keeps, and each that is dead costs a silence. All of them are
  // asked something at once, and those that do not answer are closed.
  let swept = -Infinity;
  const sweep = (): void => {
    if (Date.now() - swept < 2 * SWEEP_MS) return;
    swept = Date.now();
    const url = `${address.replace(/\/$/, "")}/${ServerService.typeName}/GetServerInfo`;
    const headers = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
    for (let one = 0; one < KEPT; one += 1) {
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(), SWEEP_MS);
      const asked = (fetch ?? globalThis.fetch)(url, { method: "POST", headers, body: new Uint8Array(5), signal: ended.signal });
      void asked
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined)
        .finally(() => clearTimeout(timer));
    }
  };
  const sweepWhenRenewed = (): void =>
    referee.line.begin().signal.addEventListener("abort", () => {
      sweepWhenRenewed();
      // What is asked anew comes first.
      setTimeout(sweep, 0);
    });
  const referee = new Referee(createGrpcWebTransport({ baseUrl: address, fetch: asking }), options);
  sweepWhenRenewed();
  async function learn(): Promise<void> {
    const limits = await referee.info().then(
      (info) => info.limits,
      () => undefined,
    );
    if (limits?.heartbeat === undefined) return;
    const heartbeat = durationMs(limits.heartbeat);
    most = Math.max(3 * heartbeat, (limits.callTime ? durationMs(limits.callTime) : 0) + heartbeat);
  }
  return referee;
}

/** A request that fails when nothing of its answer comes for too long: browsers wait for ever on a connection that is dead. */
async function heard(
  fetch: typeof globalThis.fetch,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  mostMs: () => number,
  line: Line,
  sweep: () => void,
): Promise<Response> {
  const connection = new AbortController();
  const signal = init?.signal ?? undefined;
  const abort = (): void => connection.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = (patienceMs = Infinity): void => {
    clearTimeout(timer);
    const ms = Math.min(mostMs(), patienceMs);
    const why = `the referee said nothing for ${ms / 1000} s`;
    timer = setTimeout(() => {
      line.doubt(patienceMs);
      sweep();
      connection.abort(new ConnectError(why, Code.Unavailable));
    }, ms);
  };
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
  const failed = (thrown: unknown): never => {
    end();
    throw connection.signal.aborted ? connection.signal.reason : thrown;
  };
  listen(line.patienceMs);
  const response = await fetch(input, { ...init, signal: connection.signal }).catch(failed);
  clearTimeout(timer);
  line.trust();
  const reader = response.body?.getReader();
  if (!reader) {
    end();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      // Silence counts while somebody listens: whoever takes their time may have much that waits.
      listen();
      const { done, value } = await reader.read().catch(failed);
      clearTimeout(timer);
      if (done) {
        end();
        stream.close();
      } else stream.enqueue(value);
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}
