// How much the page loads.
//
// In: dist. Out: compressed bytes of what each screen loads when it is the first that is opened, in the language that takes more;
// of each icon, of which a table loads those that its ruleset names. Fails where a screen is above the limit.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 150_000;
const at = (path) => new URL(`../dist/${path}`, import.meta.url);
const read = (path) => readFileSync(at(path));
const sizes = new Map();
const size = (path) => sizes.get(path) ?? sizes.set(path, gzipSync(read(path), { level: 9 }).length).get(path);
const sum = (paths) => [...paths].reduce((total, path) => total + size(path), 0);

/** A script with all that it imports before it runs. */
function whole(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of read(path).toString().matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) whole(`assets/${name}`, found);
  return found;
}

const html = read("index.html").toString();
const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path);
const first = new Set(["index.html", ...named, ...named.filter((path) => path.endsWith(".js")).flatMap((path) => [...whole(path)])]);
for (const path of first) console.log(`${path}: ${size(path)} bytes compressed`);
const scripts = readdirSync(at("assets")).filter((name) => name.endsWith(".js")).map((name) => `assets/${name}`);
const called = (path) => path.slice("assets/".length).replace(/-[\w-]{8}\.js$/, "");
const language = scripts.find((path) => called(path) === "pl");
if (language === undefined) throw new Error("no file is called as a language is: scripts/size.mjs knows them by their names");

// A match that has not begun brings what is before it, and its host what hosts do.
const SCREENS = { home: [], host: [], claim: [], match: [], waiting: ["match"], hosting: ["match"], book: [], proof: [], replay: [] };
const scriptOf = (name) => {
  const path = scripts.find((path) => called(path) === name);
  if (path === undefined) throw new Error(`no file is called as the screen ${name} is`);
  return path;
};
let failed = false;
for (const [screen, within] of Object.entries(SCREENS)) {
  const brought = [screen, ...within].flatMap((name) => [...whole(scriptOf(name))]);
  const english = sum(new Set([...first, ...brought]));
  const polish = sum(new Set([...first, ...brought, ...whole(language)]));
  console.log(`${screen}, opened first: ${english} bytes compressed in English, ${polish} in Polish, at most ${LIMIT}`);
  failed ||= polish > LIMIT;
}
const icons = readdirSync(at("assets/icons")).map((name) => `assets/icons/${name}`);
console.log(`${icons.length} icons, each of them only where a ruleset names it: ${sum(icons)} bytes compressed, ${Math.round(sum(icons) / icons.length)} each`);
if (failed) {
  console.error("what is loaded first is too large: bring in later what is not needed at once");
  process.exit(1);
}
