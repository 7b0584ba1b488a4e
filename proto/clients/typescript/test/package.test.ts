// The package as it is shipped: what it exports, that a browser can have it, that its README is true.
// Needs `npm run build`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";
import { readmeProgram } from "./readme.js";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const shipped = JSON.parse(readFileSync(at("package.json"), "utf8")) as { exports: Record<string, string> };

test("every entry is there, with its types", async () => {
  for (const file of Object.values(shipped.exports)) {
    assert.ok(Object.keys(await import(at(file))).length > 0, file);
    assert.match(readFileSync(at(file.replace(/\.js$/, ".d.ts")), "utf8"), /export /);
  }
});

test("a browser can have all of it but the way of Node", async () => {
  const bundle = async (source: string) => {
    const stdin = { contents: source, resolveDir: at("."), loader: "ts" as const };
    return (
      await build({
        stdin,
        bundle: true,
        write: false,
        minify: true,
        format: "esm",
        platform: "browser",
        logLevel: "silent",
        metafile: true,
      })
    ).metafile;
  };
  const { inputs } = await bundle(
    'export * from "referee-client"; export * from "referee-client/web"; export * from "referee-client/v1";',
  );
  assert.ok(
    Object.keys(inputs).some((file) => file.endsWith("dist/web.js")),
    "it is the package that was built",
  );
  assert.equal(Object.keys(inputs).filter((file) => file.includes("connect-node")).length, 0);
  await assert.rejects(
    bundle('import "referee-client/node"; export * from "referee-client/node";'),
    /node:|http2/,
    "or the test could not fail",
  );
});

test("whoever takes one part gets no other", async () => {
  const stdin = { contents: 'export { bagState } from "referee-client";', resolveDir: at("."), loader: "ts" as const };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm", platform: "browser" });
  assert.ok(!outputFiles[0]!.text.includes("WatchMatch"), "sideEffects: false is taken at its word");
});

test("the code of the README compiles", () => {
  const folder = mkdtempSync(at("test/readme-"));
  try {
    writeFileSync(`${folder}/readme.ts`, readmeProgram());
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: "../../tsconfig.json", include: ["."] }));
    execFileSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "--noEmit", "-p", folder], {
      encoding: "utf8",
    });
  } catch (thrown) {
    assert.fail((thrown as { stdout?: string }).stdout ?? String(thrown));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("everything public says what it is", () => {
  const undocumented: string[] = [];
  const check = (node: ts.Node, name: string): void => {
    if (ts.getJSDocCommentsAndTags(node).length === 0) undocumented.push(name);
  };
  for (const file of readdirSync(at("src")).filter((file) => file.endsWith(".ts"))) {
    const source = ts.createSourceFile(file, readFileSync(at(`src/${file}`), "utf8"), ts.ScriptTarget.ES2022, true);
    for (const statement of source.statements) {
      const exported =
        ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (!exported) continue;
      const name =
        "name" in statement && statement.name
          ? (statement.name as ts.Node).getText()
          : statement.getText().slice(0, 40);
      check(statement, `${file}: ${name}`);
      if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) continue;
      for (const member of statement.members) {
        const inner =
          !member.name ||
          ts.isPrivateIdentifier(member.name) ||
          /^(readonly )?\[|^private /.test(member.getText().replace(/^\/\*\*[^]*?\*\/\s*/, ""));
        if (!inner) check(member, `${file}: ${name}.${member.name.getText()}`);
      }
    }
  }
  assert.deepEqual(undocumented, []);
});
