/**
 * A {@link Referee} from Node: gRPC over HTTP/2. Needs `@connectrpc/connect-node`.
 *
 * @module
 */
import { Http2SessionManager, createGrpcTransport, type GrpcTransportOptions } from "@connectrpc/connect-node";
import { Referee, type RefereeOptions } from "./referee.js";

/** How {@link connect} connects. */
export interface NodeOptions extends Omit<RefereeOptions, "close"> {
  /** Options of Node's `http2.connect`: `ca` with certificates (PEM) to trust, `cert` and `key` to be known by. */
  readonly tls?: NonNullable<GrpcTransportOptions["nodeOptions"]>;
}

/**
 * Connects to a referee with the first call.
 *
 * @param address - `http://127.0.0.1:7435`, or `https://…` with TLS.
 * @throws TypeError if the address or the token is none.
 */
export function connect(address: string, { tls, ...options }: NodeOptions = {}): Referee {
  // A connection that is dead without saying so is found out by a ping, or a stream would be continued on it for ever.
  const sessionManager = new Http2SessionManager(address, { pingIntervalMs: 20_000, pingTimeoutMs: 10_000 }, tls);
  const transport = createGrpcTransport({ baseUrl: address, sessionManager });
  return new Referee(transport, { ...options, close: () => sessionManager.abort() });
}
