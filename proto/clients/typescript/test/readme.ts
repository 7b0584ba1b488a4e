// The code of README.md as one program.
//
// In: README.md. Out: its blocks of TypeScript one after the other, as somebody reads them.

import { readFileSync } from "node:fs";

/** Every block marked `ts`; imports go on top. */
export function readmeProgram(): string {
  const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const code = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block!).join("");
  const [imports, rest] = [code.match(/^import .*$/gm) ?? [], code.replace(/^import .*$/gm, "")];
  return `${imports.join("\n")}\n${rest}`;
}
