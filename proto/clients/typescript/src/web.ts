/**
 * A {@link Referee} from a browser: gRPC-Web by `fetch`. Needs `@connectrpc/connect-web`. The operator of the referee names
 * the
 * origins whose pages may call: `referee serve --origin https://…`.
 *
 * @module
 */
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Referee, type RefereeOptions } from "./referee.js";

/** How {@link connect} connects. */
export interface WebOptions extends Omit<RefereeOptions, "close"> {
  /** What is used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Connects to a referee with the first call.
 *
 * @param address - `https://referee.example.org`
 * @throws TypeError if the token is none.
 */
export function connect(address: string, { fetch, ...options }: WebOptions = {}): Referee {
  return new Referee(createGrpcWebTransport({ baseUrl: address, ...(fetch && { fetch }) }), options);
}
