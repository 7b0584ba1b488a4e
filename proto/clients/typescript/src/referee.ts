/**
 * Connecting: a {@link Referee} is one connection with a caller's token and language.
 *
 * In: a connect `Transport` (`referee-client/node` and `referee-client/web` make one from an address). Out: a client for each
 * service of the contract whose calls carry the token, a fresh request id and the language, are repeated as the contract
 * says,
 * and throw {@link RefereeError}.
 *
 * @module
 */
import {
  clone,
  create,
  toBinary,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import {
  Code,
  ConnectError,
  createClient,
  type Client,
  type StreamResponse,
  type Transport,
} from "@connectrpc/connect";
import { RefereeError } from "./errors.js";
import { AdminService } from "./gen/referee/v1/admin_service_pb.js";
import { MatchService } from "./gen/referee/v1/match_service_pb.js";
import { PlayService } from "./gen/referee/v1/play_service_pb.js";
import { PublishingService } from "./gen/referee/v1/publishing_service_pb.js";
import { RecordService } from "./gen/referee/v1/record_service_pb.js";
import { RulesetService } from "./gen/referee/v1/ruleset_service_pb.js";
import { ServerService, type GetServerInfoResponse } from "./gen/referee/v1/server_service_pb.js";
import { PlayerService } from "./gen/referee/v1/player_service_pb.js";
import { SpectatorService } from "./gen/referee/v1/spectator_service_pb.js";
import { TableService } from "./gen/referee/v1/table_service_pb.js";
import { Line, type Try } from "./line.js";
import { retryPolicy, retrying, type RetryPolicy } from "./retry.js";

/** Who calls. Each kind of caller has tokens of its own, and services that they open. */
export type Caller = "host" | "seat" | "spectator" | "publisher" | "admin" | "creator" | "player";

const CALLERS: Readonly<Record<string, Caller>> = {
  rfh_: "host",
  rfs_: "seat",
  rfw_: "spectator",
  rfp_: "publisher",
  rfa_: "admin",
  rfn_: "creator",
  rfu_: "player",
};

/** Whose token this is, by its first letters; `undefined` if it is no token that this package knows. */
export const callerOf = (token: string): Caller | undefined => CALLERS[token.slice(0, 4)];

/** How a {@link Referee} calls. */
export interface RefereeOptions {
  /**
   * A bearer token: of a host `rfh_…`, a seat `rfs_…`, a spectator `rfw_…`, a publisher `rfp_…`, an administrator `rfa_…`, a player
   * `rfu_…`; or a signed token of the referee's identity provider.
   */
  readonly token?: string;
  /**
   * The language of refusals and artifacts, as `accept-language` writes it: `pl`, `pl-PL, en;q=0.5`. English if it is left
   * out.
   */
  readonly language?: string;
  /** How calls are repeated; as the contract's `service_config.json` says if it is left out. */
  readonly retry?: RetryPolicy;
  /** Ends the connection, for {@link Referee.close}. */
  readonly close?: () => void;
}

/**
 * A fresh UUID for a request that changes something. A {@link Referee} takes one for every request that has none; choose one
 * yourself where a request must be done once even if your program dies between two tries: keep it before you call.
 */
export function requestId(): string {
  // Pages that are not served by TLS have `getRandomValues` alone.
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The message that is sent: its `request_id` is filled if it has such a field and it is empty. The caller's own message stays
 * as
 * it is. What cannot be written down is told here, or it would look like a connection that breaks.
 */
function identified<I extends DescMessage>(schema: I, init: MessageInitShape<I>): MessageShape<I> {
  try {
    const message = create(schema, init);
    const { requestId: id } = message as MessageShape<I> & { requestId?: string };
    const filled = id === "" ? Object.assign(clone(schema, message), { requestId: requestId() }) : message;
    toBinary(schema, filled);
    return filled;
  } catch (thrown) {
    const where = isFieldError(thrown) ? `${thrown.field().parent.name}.${thrown.field().name}: ` : "";
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RefereeError(new ConnectError(where + why, Code.InvalidArgument, undefined, undefined, thrown));
  }
}

/** The id of the match that a message is about: of `matches/<id>/seats/3`, the middle. */
function routedBy(message: object | undefined): string | undefined {
  const name = message !== undefined && "name" in message && typeof message.name === "string" ? message.name : "";
  return /^matches\/([!-.0-~]+)/.exec(name)?.[1];
}

const fullName = (method: DescMethod): string => `${method.parent.typeName}/${method.name}`;

/** A transport that calls as the contract wants: with token, language, match, request ids, repetitions, and errors in types. */
function mannered(
  inner: Transport,
  line: Line,
  { token, language, retry = retryPolicy() }: RefereeOptions,
): Transport {
  const headers = (given: HeadersInit | undefined, message: object | undefined): Headers => {
    const all = new Headers(given);
    if (token !== undefined && !all.has("authorization")) all.set("authorization", `Bearer ${token}`);
    if (!all.has("accept-language")) all.set("accept-language", language ?? "en");
    // Whoever stands between this client and several referees goes by it.
    const id = routedBy(message);
    if (id !== undefined && !all.has("referee-match")) all.set("referee-match", id);
    return all;
  };
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const message = identified(method.input, input);
      return retrying(
        retry,
        fullName(method),
        signal,
        (once) => inner.unary(method, once, timeoutMs, headers(header, message), message, contextValues),
        line,
      );
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const messages: MessageShape<typeof method.input>[] = [];
      for await (const message of input) messages.push(identified(method.input, message));
      // A stream is repeated until it says something; after that whoever reads it continues it where it stopped. The service
      // config names none, for libraries that cannot do that.
      const name = method.methodKind === "server_streaming" ? undefined : fullName(method);
      const opened = async (one: Try): Promise<StreamResponse<typeof method.input, typeof method.output>> => {
        const given = (async function* () {
          yield* messages;
        })();
        try {
          const answer = await inner.stream(
            method,
            one.signal,
            timeoutMs,
            headers(header, messages[0]),
            given,
            contextValues,
          );
          const rest = answer.message[Symbol.asyncIterator]();
          const first = await rest.next();
          // A stream that nobody can continue where it stopped is not given up for a line that may be as good as ever.
          if (!/^Watch/.test(method.name)) one.keep();
          return begun(answer, rest, first, signal, one);
        } catch (thrown) {
          one.end();
          throw thrown;
        }
      };
      // A stream outlives the call that opens it, and is given up with its line as long as it lasts.
      return retrying(retry, name, signal, () => {
        const one = line.begin(signal);
        if (name !== undefined) one.keep();
        return opened(one);
      });
    },
  };
}

/** A stream whose first message is here. */
function begun<I extends DescMessage, O extends DescMessage>(
  answer: StreamResponse<I, O>,
  rest: AsyncIterator<MessageShape<O>>,
  first: IteratorResult<MessageShape<O>>,
  signal: AbortSignal | undefined,
  one: Try,
): StreamResponse<I, O> {
  const message = (async function* () {
    try {
      for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
    } catch (thrown) {
      signal?.throwIfAborted();
      throw RefereeError.from(thrown);
    } finally {
      one.end();
      await rest.return?.();
    }
  })();
  return { ...answer, message };
}

/** The line of each transport. */
const LINES = new WeakMap<Transport, Line>();
function lineOf(transport: Transport): Line {
  const known = LINES.get(transport) ?? new Line();
  LINES.set(transport, known);
  return known;
}

/** What each referee has said of itself, whoever asked. */
const INFOS = new WeakMap<Transport, Promise<GetServerInfoResponse>>();

/**
 * A referee, as one caller in one language sees it. It costs nothing: {@link withToken} and {@link inLanguage} give others on
 * the same connection.
 *
 * ```ts
 * const referee = connect("http://127.0.0.1:7435"); // of referee-client/node or referee-client/web
 * const host = referee.withToken("rfh_…");
 * const { match } = await host.matches.createMatch({ ruleset: "rulesets/my-game", configuration: { players: 3 } });
 * ```
 */
export class Referee {
  /** Calls as the contract wants; for clients that `createClient` of connect makes. */
  readonly transport: Transport;
  /** How calls are repeated, and streams continued. */
  readonly retry: RetryPolicy;
  /** The way to the referee, which all share who call over it. */
  readonly line: Line;
  readonly #inner: Transport;
  readonly #options: RefereeOptions;
  readonly #clients = new Map<DescService, unknown>();

  /**
   * @param transport - of `@connectrpc/connect-node` or `@connectrpc/connect-web`, by gRPC or gRPC-Web.
   * @throws TypeError if the token is none: a claim code, or something that cannot be sent.
   */
  constructor(transport: Transport, options: RefereeOptions = {}) {
    const { token, retry = retryPolicy() } = options;
    // What is wrong is told without the token: errors are logged.
    if (token?.startsWith("rfc_"))
      throw new TypeError(
        "a claim code is no token: give it to matches.claimSeat, which answers with the seat's token",
      );
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new TypeError("a token has no spaces and nothing beyond ASCII: take it as the referee gave it");
    this.#inner = transport;
    this.#options = options;
    this.retry = retry;
    this.line = lineOf(transport);
    this.transport = mannered(transport, this.line, options);
  }

  /** Whose token it calls with; `undefined` without one. */
  get caller(): Caller | undefined {
    return callerOf(this.#options.token ?? "");
  }

  /** Whether it calls without a token: as anybody may. */
  get anonymous(): boolean {
    return this.#options.token === undefined;
  }

  /** The same referee for the caller with this token. @throws TypeError as the constructor. */
  withToken(token: string): Referee {
    return new Referee(this.#inner, { ...this.#options, token });
  }

  /** The same referee in another language: `pl`. */
  inLanguage(language: string): Referee {
    return new Referee(this.#inner, { ...this.#options, language });
  }

  /** A client of any service, made once. */
  client<S extends DescService>(service: S): Client<S> {
    const made = this.#clients.get(service) ?? createClient(service, this.transport);
    this.#clients.set(service, made);
    return made as Client<S>;
  }

  /** Versions and limits: anybody. */
  get server(): Client<typeof ServerService> {
    return this.client(ServerService);
  }
  /** What can be played: anybody. */
  get rulesets(): Client<typeof RulesetService> {
    return this.client(RulesetService);
  }
  /** Creating, claiming, starting, listing: hosts, and players on their way to a seat. */
  get matches(): Client<typeof MatchService> {
    return this.client(MatchService);
  }
  /** View, decisions, moves: seats. */
  get play(): Client<typeof PlayService> {
    return this.client(PlayService);
  }
  /** All matches of a player who holds many seats: players. */
  get players(): Client<typeof PlayerService> {
    return this.client(PlayerService);
  }
  /** Pause, undo, draw and what else players agree on: seats. */
  get table(): Client<typeof TableService> {
    return this.client(TableService);
  }
  /** The public table: spectators and hosts. */
  get spectators(): Client<typeof SpectatorService> {
    return this.client(SpectatorService);
  }
  /** Records of matches that are over: who took part, administrators. */
  get records(): Client<typeof RecordService> {
    return this.client(RecordService);
  }
  /** Rulesets and channels: publishers. */
  get publishing(): Client<typeof PublishingService> {
    return this.client(PublishingService);
  }
  /** Tokens, matches of every host, names: administrators. */
  get admin(): Client<typeof AdminService> {
    return this.client(AdminService);
  }

  /**
   * Versions and limits, asked for once.
   *
   * @throws RefereeError if the referee does not answer; then it is asked anew the next time.
   */
  info(): Promise<GetServerInfoResponse> {
    const asked = INFOS.get(this.#inner);
    if (asked !== undefined) return asked;
    const asking = this.server.getServerInfo({});
    INFOS.set(this.#inner, asking);
    asking.catch(() => INFOS.delete(this.#inner));
    return asking;
  }

  /**
   * Gives up what is under way and asks it anew at once, whoever asked: streams go on where they stopped, calls that may be
   * repeated are repeated with the same request id, and nobody waits for the end of a pause. For a program that slept, or learns
   * that the network was away: connections of before may be dead without saying so.
   */
  renew(): void {
    this.line.renew();
  }

  /** Ends the connection, so that a program in Node can end. A browser ends its connections itself. */
  close(): void {
    this.#options.close?.();
  }
}
