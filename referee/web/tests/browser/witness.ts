/**
 * A page of which everything that it does is noted.
 *
 * In: a match and a token; what the referee sends is handed to the page by the test, one answer after the other, and its clock stands
 * still unless the test lets it run. So nothing hangs on how fast anything was. Out: each change of the document in its order, each
 * animation, each request among them; the document itself.
 *
 * @module
 */
import { fromBinary, toBinary, create } from "@bufbuild/protobuf";
import type { BrowserContext, Page } from "playwright-core";
import { WatchMatchResponseSchema, WatchPublicMatchResponseSchema } from "referee-client/v1";
import { openPage, type World } from "./harness.ts";

/** What stands between a test and its page. */
interface Hooks {
  readonly notes: string[];
  begin(id: number, status: number, headers: Readonly<Record<string, string>>): void;
  bring(id: number, bytes: string, done: boolean): Promise<void>;
  ask(id: number, method: string, path: string, headers: Readonly<Record<string, string>>, body: string): Promise<void>;
}

/** Runs in the page before anything of the page does. */
function watchEverything(): void {
  const notes: string[] = [];
  const answers = new Map<number, { readonly answered: (response: Response) => void; readonly failed: (why: unknown) => void; stream?: ReadableStreamDefaultController<Uint8Array> }>();
  const hooks = window as unknown as Hooks & Record<string, unknown>;
  const pathOf = (node: Node | null): string => {
    const steps: string[] = [];
    for (let at = node; at && at !== document; at = at.parentNode) steps.unshift(`${at.nodeName.toLowerCase()}:${at.parentNode ? [...at.parentNode.childNodes].indexOf(at as ChildNode) : "loose"}`);
    return steps.join("/");
  };
  const drawn = (nodes: NodeList): string => [...nodes].map((node) => (node instanceof Element ? node.outerHTML : node.textContent)).join("");
  const note = (records: readonly MutationRecord[]): void => {
    for (const { type, target, attributeName, oldValue, addedNodes, removedNodes } of records) {
      const now = type === "attributes" ? (target as Element).getAttribute(attributeName!) : type === "characterData" ? target.textContent : `+${drawn(addedNodes)} -${drawn(removedNodes)}`;
      notes.push(`${type} ${pathOf(target)} ${attributeName ?? ""} ${oldValue ?? ""} -> ${now ?? ""}`);
    }
  };
  const changes = new MutationObserver(note);
  // When sizes are told of is up to the browser, which draws when it has time: before something flies, after it, or once for two
  // changes. What follows from them is no step of the page; where it ends, the documents say.
  const Sizes = window.ResizeObserver;
  window.ResizeObserver = class extends Sizes {
    constructor(told: ResizeObserverCallback) {
      super((entries, sizes) => {
        note(changes.takeRecords());
        told(entries, sizes);
        changes.takeRecords();
      });
    }
  };
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true });
  // What flies takes the time of the test's clock.
  Element.prototype.animate = function (keyframes, options) {
    notes.push(`animation ${pathOf(this)} ${JSON.stringify(keyframes)} ${JSON.stringify(options)}`);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    setTimeout(finish, typeof options === "number" ? options : Number(options?.duration ?? 0));
    return { finished, finish, cancel: finish } as unknown as Animation;
  };
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve();
      port2.postMessage(0);
    });
  let last = 0;
  const files = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
    // Icons and the like are files of the page, the same for everybody.
    if ((init?.method ?? "GET") === "GET") {
      notes.push(`file ${pathname}`);
      return files(input, init);
    }
    const body = new Uint8Array(await new Response(init?.body ?? null).arrayBuffer());
    const id = ++last;
    notes.push(`request ${init?.method} ${pathname} ${body.length}`);
    return new Promise((answered, failed) => {
      answers.set(id, { answered, failed });
      init?.signal?.addEventListener("abort", () => {
        failed(init.signal?.reason);
        answers.get(id)?.stream?.error(init.signal?.reason);
        answers.delete(id);
      });
      void hooks.ask(id, init?.method ?? "", pathname, Object.fromEntries(new Headers(init?.headers)), btoa(String.fromCharCode(...body)));
    });
  };
  Object.assign(hooks, {
    notes,
    begin(id: number, status: number, headers: Readonly<Record<string, string>>) {
      const answer = answers.get(id);
      answer?.answered(new Response(new ReadableStream({ start: (stream) => void (answer.stream = stream) }), { status, headers }));
    },
    async bring(id: number, bytes: string, done: boolean) {
      const stream = answers.get(id)?.stream;
      if (bytes !== "") stream?.enqueue(bytesOf(bytes));
      if (done) {
        stream?.close();
        answers.delete(id);
      }
      for (let turns = 0; turns < 12; turns += 1) await turn();
    },
  });
}

/** An answer of the referee on its way to the page. */
interface Call {
  readonly id: number;
  readonly streams: boolean;
  readonly head: Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }>;
  begun: boolean;
  /** Frames that the page has not got. */
  readonly frames: Uint8Array[];
  /** How many events it has been told of. */
  events: number;
  /** What stands for all that the page has been told. */
  token: string;
  /** For how long of the page's clock it has been told nothing. */
  silent: number;
  over: boolean;
  readonly ended: Promise<void>;
}

const STEP_MS = 100;
/** The page is done when it has done nothing for so long: longer than anything that flies takes. */
const QUIET_MS = { none: 300, full: 600 } as const;
/** What a page does after a move ends in so much of its own time. */
const ENDS_MS = 120_000;
/** For so long, by the clock of this machine, a test waits for what the referee sends. */
const COMES_MS = 300_000;
/** A stream that says nothing for some of these is taken for dead. */
const HEARTBEAT_MS = 5000;
const NOON = new Date("2026-01-01T12:00:00Z");

/** The message of a frame without its head. */
const framed = (message: Uint8Array): Uint8Array => {
  const frame = new Uint8Array(message.length + 5);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
};

export interface Opened {
  readonly match: string;
  /** 0 for whoever only watches. */
  readonly seat: number;
  readonly token: string;
  readonly motion: "full" | "none";
  /** Changes the page's script before it runs, to see that what it then does is found. */
  readonly bent?: Bent;
}

/** Changes a script of the page; how many times what is changed stands in it. */
export type Bent = (script: string) => { readonly script: string; readonly times: number };

export class Witness {
  readonly #calls = new Map<number, Call>();
  readonly #questions = new Map<string, string>();

  private constructor(readonly page: Page, readonly context: BrowserContext, readonly mistakes: readonly string[], readonly opened: Opened, readonly referee: string) {}

  static async open(world: World, opened: Opened): Promise<Witness> {
    const { context, page, mistakes } = await openPage(world, { host: false, motion: opened.motion });
    const witness = new Witness(page, context, mistakes, opened, world.referee);
    const key = { match: opened.match, seat: opened.seat, token: opened.token, title: "t", since: 0 };
    await page.evaluate((key) => localStorage.setItem("referee.keys", JSON.stringify([key])), key);
    const { bent } = opened;
    let bends = 0;
    if (bent)
      await context.route(/\/assets\/[^/]*\.js$/, async (route) => {
        const response = await route.fetch();
        const { script, times } = bent(await response.text());
        bends += times;
        await route.fulfill({ response, body: script });
      });
    await context.clock.install({ time: NOON });
    await context.exposeFunction("ask", (id: number, method: string, path: string, headers: Record<string, string>, body: string) => witness.#ask(id, method, path, headers, body));
    await context.addInitScript(watchEverything);
    await page.evaluate((address) => history.replaceState(null, "", address), `#/match/${opened.match.slice(8)}/seat/${opened.seat}`);
    await page.reload();
    await page.clock.pauseAt(NOON.getTime() + 60_000);
    // The icons come with files of their own, when they like.
    for (let tries = 0; tries < 3; tries += 1) {
      await witness.settle(0);
      await page.waitForLoadState("networkidle");
    }
    await page.waitForSelector(".table");
    if (bent && bends !== 1) throw new Error(`what is to be bent stands ${bends} times in the page's scripts`);
    await witness.notes();
    return witness;
  }

  async #ask(id: number, method: string, path: string, headers: Record<string, string>, body: string): Promise<void> {
    const abort = new AbortController();
    const asked = fetch(`${this.referee}${path}`, { method, headers, body: Buffer.from(body, "base64"), signal: abort.signal });
    const head = asked.then(({ status, headers }) => ({ status, headers: Object.fromEntries(headers) }));
    const frames: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      let rest = new Uint8Array();
      for await (const piece of (await asked).body ?? []) {
        rest = new Uint8Array([...rest, ...(piece as Uint8Array)]);
        for (;;) {
          const length = rest.length < 5 ? Infinity : 5 + new DataView(rest.buffer).getUint32(1);
          if (rest.length < length) break;
          frames.push(rest.slice(0, length));
          rest = rest.slice(length);
        }
      }
    };
    const call: Call = { id, streams: path.includes("/Watch"), head, begun: false, frames, events: 0, token: "", silent: 0, over: false, ended: read().then(() => void (call.over = true), () => void (call.over = true)) };
    this.#calls.set(id, call);
  }

  /** Hands an answer over; all of it that has come. */
  async #bring(call: Call): Promise<boolean> {
    const { id } = call;
    if (!call.begun) {
      call.begun = true;
      const { status, headers } = await call.head;
      await this.page.evaluate(([id, status, headers]) => (window as unknown as Hooks).begin(id, status, headers), [id, status, headers] as const);
    }
    const over = call.over;
    const frames = call.frames.splice(0).filter((frame) => !call.streams || this.#tells(call, frame));
    if (frames.length === 0 && !over) return false;
    if (over) this.#calls.delete(id);
    call.silent = 0;
    await this.page.evaluate(([id, bytes, over]) => (window as unknown as Hooks).bring(id, bytes, over), [id, Buffer.concat(frames).toString("base64"), over] as const);
    return true;
  }

  /** Whether a message of a stream says more than that the stream lives: such ones come when they come. */
  #tells(call: Call, frame: Uint8Array): boolean {
    if (frame[0] !== 0) return true;
    const { item, resumeToken } = this.#read(frame);
    if (item.case === "checkpoint") return false;
    // Whoever continues the stream sends this: that of a message that the page never got would hang on when it came.
    call.token = resumeToken;
    if (item.case === "events") call.events = Number(item.value.events.at(-1)?.number ?? -1) + 1;
    return true;
  }

  #read(frame: Uint8Array): Pick<ReturnType<typeof create<typeof WatchMatchResponseSchema>>, "item" | "resumeToken"> {
    return this.opened.seat > 0 ? fromBinary(WatchMatchResponseSchema, frame.slice(5)) : fromBinary(WatchPublicMatchResponseSchema, frame.slice(5));
  }

  /** Says that a stream lives. */
  async #beat({ id, token }: Call): Promise<void> {
    const says = { item: { case: "checkpoint", value: {} }, resumeToken: token } as const;
    const message = this.opened.seat > 0 ? toBinary(WatchMatchResponseSchema, create(WatchMatchResponseSchema, says)) : toBinary(WatchPublicMatchResponseSchema, create(WatchPublicMatchResponseSchema, says));
    await this.page.evaluate(([id, bytes]) => (window as unknown as Hooks).bring(id, bytes, false), [id, Buffer.from(framed(message)).toString("base64")] as const);
  }

  /** Brings all that happened until so many events have, one thing after the other, and waits until the page has done with it. */
  async settle(events: number): Promise<void> {
    const most = Date.now() + COMES_MS;
    for (const call of this.#calls.values()) {
      if (!call.streams) continue;
      while (!call.over && !call.frames.some((frame) => frame[0] === 0 && this.#reaches(frame, events)) && call.events < events) {
        if (Date.now() > most) throw new Error(`the stream tells of ${call.events} events and not of ${events}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await this.#bring(call);
    }
    let done = await this.#count();
    let passed = 0;
    for (let quiet = 0; quiet < QUIET_MS[this.opened.motion]; quiet += STEP_MS) {
      // By the page's clock: how fast the machine is proves nothing.
      if ((passed += STEP_MS) > ENDS_MS) throw new Error("the page comes to no end");
      const brought = (await this.#bringNext()) || (await this.#bringStreams());
      await this.page.clock.runFor(STEP_MS);
      for (const call of this.#calls.values()) call.silent += STEP_MS;
      const now = await this.#count();
      if (brought || now !== done) quiet = -STEP_MS;
      done = now;
    }
  }

  /** The answer to what was asked first comes first. */
  async #bringNext(): Promise<boolean> {
    for (const call of this.#calls.values()) {
      if (call.streams) continue;
      await call.ended;
      return this.#bring(call);
    }
    return false;
  }

  /** A stream begins with what had happened before. */
  async #bringStreams(): Promise<boolean> {
    let brought = false;
    for (const stream of this.#calls.values()) {
      if (!stream.streams) continue;
      if (!stream.begun) {
        while (stream.frames.length === 0 && !stream.over) await new Promise((resolve) => setTimeout(resolve, 5));
        brought = (await this.#bring(stream)) || brought;
      } else if (stream.silent >= HEARTBEAT_MS) {
        // Each stream has heartbeats of its own: answers to other requests are no sign that it lives.
        stream.silent = 0;
        await this.#beat(stream);
      }
    }
    return brought;
  }

  #reaches(frame: Uint8Array, events: number): boolean {
    const { item } = this.#read(frame);
    return item.case === "events" && Number(item.value.events.at(-1)?.number ?? -1) + 1 >= events;
  }

  #count(): Promise<number> {
    return this.page.evaluate(() => (window as unknown as Hooks).notes.length);
  }

  /** What the page has done since this was asked last. */
  async notes(): Promise<readonly string[]> {
    const notes = await this.page.evaluate(() => (window as unknown as Hooks).notes.splice(0));
    return notes.map((note) => this.#nameless(note));
  }

  /** The document. */
  async tree(): Promise<string> {
    return this.#nameless(await this.page.evaluate(() => document.documentElement.outerHTML));
  }

  /** Without what names the match itself and its questions, which is drawn by lot. */
  #nameless(text: string): string {
    return text.replaceAll(this.opened.match.slice(8), "MATCH").replace(/\bd_[\w-]{22}(?![\w-])/g, (id) => {
      if (!this.#questions.has(id)) this.#questions.set(id, `QUESTION ${this.#questions.size}`);
      return this.#questions.get(id)!;
    });
  }

  /** Tells the page what it must not know, where it was bent to use that. */
  async tells(hidden: unknown): Promise<void> {
    await this.page.evaluate((hidden) => void Object.assign(window, { hidden }), hidden);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
