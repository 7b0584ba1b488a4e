// How much the page loads first.
//
// In: dist. Out: compressed bytes of what index.html names; fails above the limit.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 150_000;
const at = (path) => new URL(`../dist/${path}`, import.meta.url);
const html = readFileSync(at("index.html"), "utf8");
const size = (path) => gzipSync(readFileSync(at(path)), { level: 9 }).length;
const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path);
const first = ["index.html", ...named].map((path) => [path, size(path)]);
const total = first.reduce((sum, [, bytes]) => sum + bytes, 0);
for (const [path, bytes] of first) console.log(`${path}: ${bytes} bytes compressed`);
console.log(`first load: ${total} bytes compressed, at most ${LIMIT}`);
for (const path of readdirSync(at("assets"))) if (!named.includes(`assets/${path}`)) console.log(`later, assets/${path}: ${size(`assets/${path}`)} bytes compressed`);
if (total > LIMIT) {
  console.error("the first load is too large: bring in later what is not needed at once");
  process.exit(1);
}
