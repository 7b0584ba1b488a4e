// Serves the built page, for development and tests, exactly as the referee does.
//
// In: `node scripts/serve.mjs --port 7801 --referee http://127.0.0.1:7435`. Out: files of dist with the policy of the page, and
// gRPC-Web passed on to the referee, so that both are of one origin. What a browser reports of broken policies is on
// standard error and at /__reports, and nowhere else.
import { createServer, request } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** What the referee sends with the page. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };
const DIST = fileURLToPath(new URL("../dist", import.meta.url));

/** Starts a server; gives its address and what ends it. */
export function serve({ port = 0, referee, dist = DIST }) {
  const target = new URL(referee);
  const server = createServer((incoming, outgoing) => {
    if (incoming.url.startsWith("/referee.v1.")) return void pass(target, incoming, outgoing);
    void send(dist, incoming, outgoing);
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve({ address: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) }));
  });
}

function pass(target, incoming, outgoing) {
  const headers = { ...incoming.headers, host: target.host };
  const onward = request({ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
    // A referee that dies in the middle of an answer must not look like one that says nothing.
    answer.on("error", () => outgoing.destroy());
  });
  onward.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(503).end()));
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

async function send(dist, incoming, outgoing) {
  const path = normalize(new URL(incoming.url, "http://page").pathname);
  const file = extname(path) === "" ? "index.html" : path;
  try {
    const bytes = await readFile(join(dist, file));
    outgoing.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": file.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    });
    outgoing.end(bytes);
  } catch {
    outgoing.writeHead(404, { "content-type": "text/plain" }).end("there is no such file: build the page with `npm run build`\n");
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "7801" }, referee: { type: "string", default: "http://127.0.0.1:7435" } } });
  const { address } = await serve({ port: Number(values.port), referee: values.referee });
  console.log(address);
}
