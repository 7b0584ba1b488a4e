/**
 * What every test in a browser needs.
 *
 * In: a referee that serves with `--testing`, and its first tokens. Out: a page of one origin with it, in a
 * Chromium that notes every error of the console and every broken policy.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
// @ts-expect-error The server is plain JavaScript: it runs without a build.
import { serve } from "../../scripts/serve.mjs";

export const CHROMIUM = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path)) ?? "";

/** A referee, the page, a browser. */
export interface World {
  readonly address: string;
  readonly referee: string;
  readonly hostToken: string;
  /** Makes tokens of players. */
  readonly adminToken: string;
  /** The link that the referee shows on its terminal. It opens once. */
  readonly link: string;
  readonly browser: Browser;
  /** Stops the referee, or kills it, and starts it again on the same store and port. */
  restart(pauseMs: number, how?: "SIGTERM" | "SIGKILL"): Promise<void>;
  close(): Promise<void>;
}

async function startReferee(program: string, port: number, folder: string, rulesets: readonly string[], limits: readonly string[]): Promise<{ child: ChildProcess; address: string; link: string }> {
  const address = `127.0.0.1:${port}`;
  const child = spawn(program, ["serve", "--testing", ...["watchers_per_match=128", ...limits].flatMap((limit) => ["--limit", limit]), "--listen", address, "--store", join(folder, "store.sqlite"), ...(existsSync(join(folder, "store.sqlite")) ? [] : ["--token-file", join(folder, "tokens")]), ...rulesets.flatMap((path) => ["--rulesets", path])], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr!.on("data", (data: Buffer) => (said += data.toString()));
  for (let tries = 0; tries < 300; tries += 1) {
    if (said.includes("interrupt to stop")) return { child, address: `http://${address}`, link: /http:\S+#\S+/.exec(said)![0] };
    if (child.exitCode !== null) throw new Error(`the referee did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the referee does not say that it listens:\n${said}`);
}

/** Serves `dist` as it is now: what is built anew meanwhile does not come into a test that is under way. */
async function besides(referee: string, port: number, folder: string): Promise<{ address: string; close(): void }> {
  cpSync(fileURLToPath(new URL("../../dist", import.meta.url)), join(folder, "dist"), { recursive: true });
  return serve({ port, referee, dist: join(folder, "dist") });
}

/** Starts everything. REFEREE is the program; PORT the first of three ports that are free. With DIST=1 the page is what `dist`
 * holds now, served beside the referee; otherwise it is the referee's own. */
export async function startWorld(rulesets: readonly string[] = [], limits: readonly string[] = []): Promise<World> {
  const program = process.env["REFEREE"];
  if (program === undefined) throw new Error("say which referee to test with: REFEREE=path/to/referee");
  if (CHROMIUM === "") throw new Error("install Chromium, or say where it is: CHROMIUM=path");
  const port = Number(process.env["PORT"] ?? "7820");
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  let { child, address: referee, link } = await startReferee(program, port, folder, rulesets, limits);
  const tokens = readFileSync(join(folder, "tokens"), "utf8");
  const [hostToken, adminToken] = [/rfh_\S+/, /rfa_\S+/].map((of) => of.exec(tokens)![0]);
  const page = process.env["DIST"] === undefined ? { address: referee, close() {} } : await besides(referee, port + 1, folder);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const stop = async (how: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> => {
    child.kill(how);
    await new Promise((resolve) => (child.exitCode !== null || child.signalCode !== null ? resolve(0) : child.once("exit", resolve)));
  };
  return {
    address: page.address,
    referee,
    hostToken: hostToken!,
    adminToken: adminToken!,
    link,
    browser,
    async restart(pauseMs, how) {
      await stop(how);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      ({ child } = await startReferee(program, port, folder, rulesets, limits));
    },
    async close() {
      await browser.close();
      page.close();
      await stop();
    },
  };
}

/** A page with the mistakes that it made. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, broken policies, requests to anywhere else. */
  readonly mistakes: readonly string[];
}

export interface Preferences {
  readonly language?: "en" | "pl";
  readonly theme?: "light" | "dark";
  readonly motion?: "full" | "quick" | "none";
  readonly confirm?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly name?: string;
  readonly host?: boolean;
  /** Errors of requests are expected: the referee goes away. */
  readonly lossy?: boolean;
}

/** Opens the page as somebody with these preferences. */
export async function openPage(world: World, preferences: Preferences = {}): Promise<Watched> {
  const { language = "en", theme = "light", motion = "none", confirm = true, width = 1440, height = 900, name = "Ada", host = true, lossy = false } = preferences;
  const context = await world.browser.newContext({ viewport: { width, height }, locale: language });
  const kept = { language, theme, motion, confirm, name, ...(host ? { host: world.hostToken } : {}) };
  await context.addInitScript((values) => {
    for (const [key, value] of Object.entries(values)) if (localStorage.getItem(`referee.${key}`) === null) localStorage.setItem(`referee.${key}`, JSON.stringify(value));
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
  }, kept);
  // Functions that are sent into the page keep their names by this helper of the compiler.
  await context.addInitScript("globalThis.__name ??= (named) => named");
  const page = await context.newPage();
  const mistakes: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !(lossy && /Failed to load resource|net::ERR/.test(message.text()))) mistakes.push(message.text());
  });
  page.on("pageerror", (error) => mistakes.push(error.stack ?? error.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== world.address && !["data:", "blob:"].includes(url.protocol)) mistakes.push(`a request to another host: ${request.url()}`);
    if (/rf[a-z]_/.test(request.url())) mistakes.push(`a secret in an address: ${request.url().slice(0, 80)}`);
  });
  await page.goto(`${world.address}/`);
  return { page, context, mistakes };
}

/** Opens a table by the form of the page; gives its address. */
export async function hostMatch(page: Page, ruleset: string, { players, modules = [], seats = [], seed, starting = true, chance, clock, anybody = false }: { readonly players?: number; readonly modules?: readonly string[]; readonly seats?: readonly string[]; readonly seed?: string; readonly starting?: boolean; readonly chance?: number; readonly clock?: number; readonly anybody?: boolean } = {}): Promise<string> {
  await page.evaluate((id) => (location.hash = `#/host/${id}`), ruleset);
  await page.waitForSelector("[data-create]");
  for (const module of modules) await page.check(`[name="module-${module}"]`);
  if (players !== undefined) await page.selectOption('[name="players"]', String(players));
  for (const [at, who] of seats.entries()) await page.selectOption(`[name="seat-${at + 1}"]`, who);
  if (seed !== undefined || !starting || chance !== undefined || clock !== undefined || anybody)
    for (const summary of await page.locator("form > details > summary").all()) if (!(await summary.evaluate((element) => (element.parentElement as HTMLDetailsElement).open))) await summary.click();
  if (seed !== undefined) await page.fill('input[pattern]', seed);
  if (clock !== undefined) await page.selectOption('[name="clock"]', String(clock));
  if (anybody) await page.check('[name="public"]');
  if (!starting) await page.uncheck('[name="starting"]');
  if (chance !== undefined) await page.selectOption('[name="chance"]', String(chance));
  await page.click("[data-create]");
  await page.waitForSelector(".table, .seats");
  return page.url();
}
