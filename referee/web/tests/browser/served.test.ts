/**
 * What the program serves beside its calls: the page with its policy, nothing of it with `--no-web`, and a game to look at.
 *
 * In: REFEREE. Out: a header that is not what is promised, a page that is served to those who said that they want none, calls that
 * then fail as well, a demo that a browser cannot follow to its end.
 *
 * @module
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { connect as connectNode } from "referee-client/node";
import { connect as connectWeb } from "referee-client/web";
// @ts-expect-error The server is plain JavaScript: it runs without a build.
import { POLICY as SERVED_BESIDES } from "../../scripts/serve.mjs";
import { CHROMIUM } from "./harness.ts";
import { test } from "./share.ts";

/** Word for word what a browser is told. Whoever changes it changes it here, in the README, and where it is sent. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

interface Running {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly address: string;
  /** Interrupts it; gives the code with which it ends. */
  stop(): Promise<number | null>;
}

/** Starts the program, and waits until it has said something. */
async function run(args: readonly string[], until: RegExp): Promise<Running> {
  const program = process.env["REFEREE"];
  assert.ok(program, "say which referee to test with: REFEREE=path/to/referee");
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, REFEREE_LOG: "" } });
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (data: Buffer) => (said += data.toString()));
  for (let tries = 0; !until.test(said); tries += 1) {
    assert.ok(tries < 600 && child.exitCode === null, `it says ${until}: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    child,
    said: () => said,
    address: /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0],
    async stop() {
      child.kill("SIGINT");
      return child.exitCode ?? new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

const serve = (...args: readonly string[]): Promise<Running> => run(["serve", "--memory", "--testing", "--listen", "127.0.0.1:0", ...args], /interrupt to stop/);

test("the page is sent with its policy, word for word", { timeout: 120_000 }, async () => {
  const running = await serve();
  try {
    const index = await fetch(`${running.address}/`);
    assert.equal(index.status, 200);
    assert.equal(index.headers.get("content-security-policy"), POLICY);
    assert.match(index.headers.get("content-type")!, /^text\/html/);
    const html = await index.text();
    const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path!);
    assert.ok(named.length >= 3, html);
    // Every file is sent with it: also a drawing is a document when it is opened by itself.
    for (const path of ["index.html", ...named]) {
      const file = await fetch(`${running.address}/${path}`);
      assert.equal(file.status, 200, path);
      assert.equal(file.headers.get("content-security-policy"), POLICY, path);
      assert.equal(file.headers.get("x-content-type-options"), "nosniff", path);
      assert.equal(file.headers.get("referrer-policy"), "no-referrer", path);
    }
    assert.equal(SERVED_BESIDES, POLICY, "what tests and development serve is as strict");
    assert.ok(readFileSync("README.md", "utf8").includes(`\n${POLICY}\n`), "the README says it");
  } finally {
    assert.equal(await running.stop(), 0);
  }
});

test("with --no-web nothing of the page is served, and every way of calling is", { timeout: 120_000 }, async () => {
  const dist = readFileSync("dist/index.html", "utf8");
  const running = await serve("--no-web");
  try {
    for (const path of ["/", "/index.html", "/icon.svg", ...[...dist.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => path!)]) {
      const answer = await fetch(`${running.address}${path}`);
      assert.ok(answer.status >= 400, `${path} is answered ${answer.status}`);
      assert.doesNotMatch(await answer.text(), /<html|<script|<svg/, path);
    }
    // No link to a page that is not there.
    assert.doesNotMatch(running.said(), /#\/open\//);
    const token = /rfh_\S+/.exec(running.said())![0];
    for (const connect of [connectNode, connectWeb]) {
      const referee = connect(running.address).withToken(token);
      assert.ok((await referee.info()).serverVersion);
      const { match } = await referee.matches.createMatch({ ruleset: "rulesets/san-juan", configuration: { players: 2 } });
      assert.match(match!.name, /^matches\//);
      referee.close();
    }
  } finally {
    assert.equal(await running.stop(), 0);
  }
  // The same program without the flag does serve it: the test could fail.
  const other = await serve();
  assert.equal((await fetch(`${other.address}/index.html`)).status, 200);
  assert.equal(await other.stop(), 0);
});

test("the demo's game is followed on the page to its end, and stays to be looked at until it is interrupted", { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  const running = await run(["demo", "--watch", "--players", "2", "--seed", "7", "--pace", "150", "--store", join(folder, "store.sqlite")], /#\/watch\/\S+/);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    const mistakes: string[] = [];
    page.on("console", (message) => message.type() === "error" && mistakes.push(message.text()));
    page.on("pageerror", (error) => mistakes.push(error.message));
    await page.goto(/http:\S+#\/watch\/\S+/.exec(running.said())![0]);
    await page.waitForSelector(".table");
    assert.ok(!page.url().includes("rfw_"), "the token has left the address");
    const at = (): Promise<string | null> => page.locator(".log").getAttribute("start");
    const before = await at();
    await page.waitForFunction((before) => document.querySelector(".log")?.getAttribute("start") !== before, before, { timeout: 30_000 });
    await page.waitForSelector(".result", { timeout: 180_000 });
    // What the story says of the end, the page says, too.
    for (let tries = 0; !/stays until this is interrupted/.test(running.said()); tries += 1) {
      assert.ok(tries < 200, running.said().slice(-400));
      await page.waitForTimeout(100);
    }
    const sheet = await page.locator(".result .total").innerText();
    const points = [...sheet.matchAll(/\d+/g)].map(([number]) => number);
    assert.equal(points.length, 2);
    const told = running.said().slice(running.said().lastIndexOf("Final scores"));
    for (const one of points) assert.match(told, new RegExp(`\\b${one}\\b`));
    assert.equal(running.child.exitCode, null, "it is still to be looked at");
    await page.reload();
    await page.waitForSelector(".result");
    assert.deepEqual(mistakes, []);
  } finally {
    await browser.close();
    assert.equal(await running.stop(), 0);
  }
});
