/**
 * Rulesets whose authors say nothing of the table.
 *
 * In: what is shipped. Out: a folder with a copy of each, without any `table.yaml`.
 *
 * @module
 */
import { cpSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const SHIPPED = "../../rulesets";

export function plainCopies(): string {
  const folder = mkdtempSync(join(tmpdir(), "plain-"));
  for (const title of ["puerto-rico", "san-juan", "catan-rivals", "genoa"]) cpSync(join(SHIPPED, title), join(folder, title), { recursive: true, filter: (path) => basename(path) !== "table.yaml" });
  if (readdirSync(folder, { recursive: true }).some((path) => basename(String(path)) === "table.yaml")) throw new Error("a copy has a layout still");
  return folder;
}
