/**
 * Everything that shows that the page works, and what came of it.
 *
 * In: REFEREE; `--minutes 40` for the matches. Out: tests/RESULTS.md with the output of each part; fails if any part does.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "40" }, seed: { type: "string", default: "1" } } });

const PARTS: readonly { readonly title: string; readonly why: string; readonly command: readonly string[]; readonly kept: RegExp }[] = [
  { title: "Size", why: "What the page loads first, compressed; at most 150 000 bytes.", command: ["node", "scripts/size.mjs"], kept: /./ },
  { title: "Pure modules", why: "Layout, looks, tables after events, pointing, choosing, addresses, texts.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/unit/layout.test.ts", "tests/unit/table.test.ts", "tests/unit/page.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Events and tables", why: "The table that follows from a view and events is compared with the next view, move by move; the end of a replayed record with the end of its match.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/follow.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Screens", why: "axe on every screen in both colour schemes and on the table of every title; the keyboard alone; links, spectators, history, replay, restarts; the console and the policy of the page are watched throughout.", command: ["node", "--import", "tsx", "--test", "--test-reporter=spec", "tests/browser/screens.test.ts"], kept: /^[✔✖]|^ℹ (pass|fail)/ },
  { title: "Speed", why: "On loopback, all on one machine: the referee, four browsers' pages and six other watchers.", command: ["node", "--import", "tsx", "tests/browser/speed.ts"], kept: /./ },
  { title: "Whole matches", why: "A driver that only clicks what is marked or offered plays to the end; the referee verifies each record. Kinds of moves that the picture never began in that match are named.", command: ["node", "--import", "tsx", "tests/browser/matches.ts", "--rulesets", "../../rulesets/house-rules", "--minutes", values.minutes!, "--seed", values.seed!], kept: /./ },
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

let failed = 0;
let text = "# What the page's tests said last\n\nWritten by `REFEREE=… npm run campaign`.\n";
for (const { title, why, command, kept } of PARTS) {
  const began = Date.now();
  const { code, said } = await run(command);
  if (code !== 0) failed += 1;
  const lines = said.split("\n").filter((line) => kept.test(line)).map((line) => line.replace(/\u001b\[\d+m/g, ""));
  const shown = [...new Set(lines)];
  text += `\n## ${title}\n\n${why}\n\n\`\`\`\n${shown.join("\n")}\n\`\`\`\n\n${code === 0 ? "Passed" : "**Failed**"}, in ${Math.round((Date.now() - began) / 1000)} s.\n`;
  writeFileSync("tests/RESULTS.md", text);
}
process.exit(failed === 0 ? 0 : 1);
