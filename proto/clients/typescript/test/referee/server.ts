// A referee to test against.
//
// In: the environment variable REFEREE, the program. Out: its address and its host's token; it can be killed and started anew
// on the same store, as often as a test wants.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** The program; these tests are about it, so that without it they fail. */
function program(): string {
  const named = process.env["REFEREE"];
  if (!named)
    throw new Error("set REFEREE to the program: REFEREE=../../../target/release/referee npm run test:referee");
  return resolve(named);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export class Server {
  /** How often it was killed. */
  deaths = 0;
  #process: ChildProcess | undefined;

  private constructor(
    readonly address: string,
    private readonly folder: string,
    private readonly words: readonly string[],
  ) {}

  /** Starts one on a store of its own. */
  static async start(...words: string[]): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "referee-client-"));
    const server = new Server(`http://127.0.0.1:${await freePort()}`, folder, words);
    await server.#serve();
    return server;
  }

  /** The token of `host`, `publisher` or `admin`. */
  token(of: "host" | "publisher" | "admin"): string {
    const token = new RegExp(`${of}: (\\S+)`).exec(readFileSync(join(this.folder, "tokens"), "utf8"))?.[1];
    if (token === undefined) throw new Error(`the referee wrote no token of ${of}`);
    return token;
  }

  /** Kills it without warning, and starts it anew after so many milliseconds. */
  async restart(afterMs = 0): Promise<void> {
    await this.#kill();
    this.deaths += 1;
    await new Promise((done) => setTimeout(done, afterMs));
    await this.#serve();
  }

  /** Ends it and forgets its store. */
  async stop(): Promise<void> {
    await this.#kill();
    rmSync(this.folder, { recursive: true });
  }

  async #serve(): Promise<void> {
    const listen = ["--listen", new URL(this.address).host, "--testing"];
    const keep = ["--store", join(this.folder, "store.sqlite"), "--token-file", join(this.folder, "tokens")];
    const started = spawn(program(), ["serve", ...listen, ...keep, ...this.words], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    const said: string[] = [];
    for await (const line of createInterface({ input: started.stderr! })) {
      said.push(line);
      if (line.includes("interrupt to stop")) {
        // What it says later must not fill its pipe.
        started.stderr!.resume();
        return;
      }
    }
    throw new Error(`the referee did not start:\n${said.join("\n")}`);
  }

  async #kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }
}
