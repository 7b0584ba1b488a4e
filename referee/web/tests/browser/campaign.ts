/**
 * Everything that shows that the page works, and what came of it.
 *
 * In: REFEREE; `--minutes 40` for the matches; `--part Speed` for one part alone. Out: tests/RESULTS.md with the output of each part; fails if any part does.
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "40" }, seed: { type: "string", default: "1" }, part: { type: "string" } } });

const RULESETS = ["../../rulesets/house-rules", "../../tests/rulesets", "tests/browser/rulesets"].flatMap((folder) => ["--rulesets", folder]);

const PARTS: readonly { readonly title: string; readonly why: string; readonly command: readonly string[]; readonly kept: RegExp }[] = [
  { title: "Size", why: "What each screen loads when it is the first that is opened, compressed; at most 150 000 bytes.", command: ["node", "scripts/size.mjs"], kept: /./ },
  { title: "Pure modules", why: "Layout, looks, tables after events, parts of them, pointing, choosing, addresses, texts, where pop-ups stand.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/unit/layout.test.ts", "tests/unit/table.test.ts", "tests/unit/page.test.ts", "tests/unit/terse.test.ts", "tests/unit/popup.test.ts", "tests/unit/keyed.test.ts", "tests/unit/mine.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Events and tables", why: "The table that follows from a view and events is compared with the next view, move by move; the end of a replayed record with the end of its match.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/follow.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Screens", why: "axe on every screen in both colour schemes and on the table of every title; the keyboard alone; links, coming back to a seat, spectators, history, replay, restarts, proofreading, what is served and what is not; the console and the policy of the page are watched throughout.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/screens.test.ts", "tests/browser/again.test.ts", "tests/browser/keyboard.test.ts", "tests/browser/proof.test.ts", "tests/browser/served.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Lost connections", why: "A line between page and referee that stalls, loses connections without an end, or loses answers; sleep; a network that goes; a referee that is killed: it is said, the page is back by itself, and a move is made once.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/lost.test.ts"], kept: /^\s*[✔✖]|^ℹ (pass|fail)| ms later$/ },
  { title: "Default layouts", why: "Tables of rulesets without a layout of their own, one of them a board of hexes: axe, a small screen, pointing.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/plain.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Strangers", why: "A ruleset that `referee new` made is played to its end; with names that are markup, addresses, endless, turned round, or those of a button or of another player; a tab that does not answer for 1.5 s fails it.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/strangers.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Secrets", why: "Two whole matches of each title with hands (San Juan, the Rivals) that differ in hidden things alone, once with everything that flies and once without. After every move a page of whoever watches and one of an opponent have the same document as in the other match, and have come to it by the same changes, animations and requests in the same order. Two leaks that are put into the page are found, and to whoever holds the cards they look otherwise.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/secrets.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)|, motion |: found after/ },
  { title: "Speed", why: "On loopback, all on one machine: the referee, the pages and everybody else who watches. More than 100 ms at the median in the first match fails it, so does more than 500 ms at 99 in 100 in the second, a heap above 150 MB, and a stream that is interrupted.", command: ["node", "--import", "tsx", "tests/browser/speed.ts"], kept: /./ },
  { title: "By the picture alone", why: "A driver that opens no list of moves: it clicks what the picture marks, sets choosers and confirms, and takes a button of the panel only where the picture marks nothing. It prefers what leads to kinds of moves that were not reached yet, and reads what a move would bring before it confirms: where the page says that it would be refused, it takes what is offered instead. All clicks from one move to the next count. More than 3 a move at the median, or 8 at 99 in 100, fail it, and so does a kind that is marked again and again and never begun.", command: ["node", "--import", "tsx", "tests/browser/matches.ts", "--picture", ...RULESETS, "--minutes", values.minutes!, "--seed", values.seed!], kept: /./ },
  { title: "Whole matches", why: "A driver that only clicks what is marked or offered plays to the end; the referee verifies each record. Kinds of moves that the picture never began in that match are named.", command: ["node", "--import", "tsx", "tests/browser/matches.ts", ...RULESETS, "--minutes", values.minutes!, "--seed", values.seed!], kept: /./ },
];

function run([program = "", ...args]: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      process.stdout.write(data);
    });
    child.on("close", (code) => resolve({ code: code ?? 1, said }));
  });
}

const git = (...args: readonly string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
/** What is tested; with a plus sign if that is not all that is in the tree. */
const COMMIT = `${git("rev-parse", "--short=10", "HEAD")}${git("status", "--porcelain", "--", ".", ":!tests/RESULTS.md", ":!tests/shots") === "" ? "" : "+"}`;
/** Of what commits the parts tell, those of one commit together. */
const head = (sections: readonly string[]): string => {
  const commits = [...new Set(sections.map((section) => / of commit (\S+)\.$/.exec(section.trim())?.[1] ?? "unknown"))];
  const of = commits.length === 1 ? `Of commit ${commits[0]}` : "Of more than one commit: each part says of which";
  return `# What the page's tests said last\n\nWritten by \`REFEREE=… npm run campaign\`. ${of}.\n`;
};
const RESULTS = "tests/RESULTS.md";
const told = new Map<string, string>();
if (values.part !== undefined && existsSync(RESULTS)) {
  for (const section of readFileSync(RESULTS, "utf8").split(/^## /m).slice(1)) told.set(section.slice(0, section.indexOf("\n")), section);
}
let failed = 0;
for (const { title, why, command, kept } of PARTS) {
  if (values.part !== undefined && values.part !== title) continue;
  const began = Date.now();
  const { code, said } = await run(command);
  if (code !== 0) failed += 1;
  const lines = said.split("\n").filter((line) => kept.test(line)).map((line) => line.replace(/\u001b\[\d+m/g, ""));
  const passed = code === 0 ? "Passed" : "**Failed**";
  told.set(title, `${title}\n\n${why}\n\n\`\`\`\n${[...new Set(lines)].join("\n")}\n\`\`\`\n\n${passed}, in ${Math.round((Date.now() - began) / 1000)} s, of commit ${COMMIT}.\n\n`);
  const sections = PARTS.flatMap(({ title }) => told.get(title) ?? []).map((section) => `\n## ${section.trim()}\n`);
  writeFileSync(RESULTS, head(sections) + sections.join(""));
}
process.exit(failed === 0 ? 0 : 1);
