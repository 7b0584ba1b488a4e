// Connects Visual Studio Code with `referee lsp`. It needs no other package and no build step: the few
// messages that the server knows are spoken here.
"use strict";

const { spawn } = require("node:child_process");
const vscode = require("vscode");

const SEVERITIES = [
  vscode.DiagnosticSeverity.Error,
  vscode.DiagnosticSeverity.Warning,
  vscode.DiagnosticSeverity.Information,
  vscode.DiagnosticSeverity.Hint,
];
const NAMES = /\.(rules|ya?ml)$/;

/** Which documents the server is told of: rules, and the YAML files of rulesets. */
function concerns(document) {
  return document.uri.scheme === "file" && NAMES.test(document.uri.path);
}

function rangeOf(range) {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** One server: its process, the messages to and from it. */
class Server {
  constructor(command, rulesets, log, diagnostics) {
    this.log = log;
    this.diagnostics = diagnostics;
    this.next = 1;
    this.waiting = new Map();
    this.unread = Buffer.alloc(0);
    const folders = rulesets.flatMap((folder) => ["--rulesets", folder]);
    this.process = spawn(command, ["lsp", ...folders], { stdio: "pipe" });
    this.process.stdout.on("data", (data) => this.read(data));
    this.process.stderr.on("data", (data) => log.append(data.toString()));
    this.process.stdin.on("error", () => {});
    this.process.on("error", (error) => {
      this.end();
      vscode.window.showErrorMessage(
        `\`${command} lsp\` cannot be started (${error.message}). Install the command \`referee\`, or say where it is in the setting "referee.command".`
      );
    });
    this.process.on("exit", (code) => {
      log.appendLine(`the server ended with ${code}`);
      this.end();
    });
    this.ready = this.request("initialize", {
      processId: process.pid,
      rootUri: null,
      capabilities: {
        textDocument: {
          hover: { contentFormat: ["markdown"] },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          publishDiagnostics: { relatedInformation: true },
        },
      },
    }).then(() => {
      this.notify("initialized", {});
      this.up = true;
    });
    this.ready.catch(() => {});
  }

  end() {
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(new Error("the server has ended"));
    this.waiting.clear();
  }

  send(message) {
    if (this.ended) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  /** Says something, if the server is ready to hear it: what is open is told when it begins. */
  tell(method, params) {
    if (this.up) this.notify(method, params);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(new Error("the server has ended"));
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  read(data) {
    this.unread = Buffer.concat([this.unread, data]);
    for (;;) {
      const head = this.unread.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = /Content-Length: *(\d+)/i.exec(this.unread.toString("ascii", 0, head));
      const end = head + 4 + Number(length ? length[1] : 0);
      if (this.unread.length < end) return;
      const body = this.unread.toString("utf8", head + 4, end);
      this.unread = this.unread.subarray(end);
      if (length) this.receive(JSON.parse(body));
    }
  }

  receive(message) {
    if (message.method === "textDocument/publishDiagnostics") return this.publish(message.params);
    if (message.method && message.id !== undefined) {
      return this.send({ id: message.id, error: { code: -32601, message: "not known here" } });
    }
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  publish({ uri, diagnostics }) {
    const shown = diagnostics.map((said) => {
      const diagnostic = new vscode.Diagnostic(
        rangeOf(said.range),
        said.message,
        SEVERITIES[(said.severity || 1) - 1]
      );
      diagnostic.source = said.source;
      diagnostic.code = said.code;
      diagnostic.relatedInformation = (said.relatedInformation || []).map(
        ({ location, message }) =>
          new vscode.DiagnosticRelatedInformation(
            new vscode.Location(vscode.Uri.parse(location.uri), rangeOf(location.range)),
            message
          )
      );
      return diagnostic;
    });
    this.diagnostics.set(vscode.Uri.parse(uri), shown);
  }

  async stop() {
    if (this.ended) return;
    try {
      await this.request("shutdown", null);
      this.notify("exit");
    } catch {
      this.process.kill();
    }
  }
}

let server;

function activate(context) {
  const log = vscode.window.createOutputChannel("Referee");
  const diagnostics = vscode.languages.createDiagnosticCollection("referee");
  const open = (document) => {
    if (!concerns(document)) return;
    const { uri, version, languageId } = document;
    const text = document.getText();
    server.tell("textDocument/didOpen", {
      textDocument: { uri: uri.toString(), languageId, version, text },
    });
  };
  const start = async () => {
    const settings = vscode.workspace.getConfiguration("referee");
    diagnostics.clear();
    const begun = new Server(settings.get("command"), settings.get("rulesets"), log, diagnostics);
    server = begun;
    try {
      await begun.ready;
    } catch {
      return; // Why was shown when it ended.
    }
    if (server === begun) vscode.workspace.textDocuments.forEach(open);
  };
  const told = (method, params) => (document) => {
    if (concerns(document)) {
      server.tell(method, { textDocument: { uri: document.uri.toString() }, ...params });
    }
  };
  const ask = async (method, document, position) => {
    if (!server.up) return null;
    try {
      return await server.request(method, { textDocument: { uri: document.uri.toString() }, position });
    } catch {
      return null;
    }
  };
  // The kinds of the protocol count from one, those of the editor from zero.
  const symbol = (said) => {
    const { name, detail, kind, range, selectionRange, children } = said;
    const shown = new vscode.DocumentSymbol(
      name,
      detail || "",
      kind - 1,
      rangeOf(range),
      rangeOf(selectionRange)
    );
    shown.children = (children || []).map(symbol);
    return shown;
  };
  const everywhere = [
    { scheme: "file", language: "rules" },
    { scheme: "file", language: "yaml" },
  ];
  const rules = everywhere[0];
  context.subscriptions.push(
    log,
    diagnostics,
    vscode.commands.registerCommand("referee.restart", async () => {
      await server.stop();
      await start();
    }),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!concerns(document)) return;
      server.tell("textDocument/didChange", {
        textDocument: { uri: document.uri.toString(), version: document.version },
        contentChanges: [{ text: document.getText() }],
      });
    }),
    vscode.workspace.onDidSaveTextDocument(told("textDocument/didSave")),
    vscode.workspace.onDidCloseTextDocument(told("textDocument/didClose")),
    vscode.languages.registerHoverProvider(everywhere, {
      async provideHover(document, position) {
        const found = await ask("textDocument/hover", document, position);
        return (
          found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), rangeOf(found.range))
        );
      },
    }),
    vscode.languages.registerDefinitionProvider(everywhere, {
      async provideDefinition(document, position) {
        const found = (await ask("textDocument/definition", document, position)) || [];
        return found.map(({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), rangeOf(range)));
      },
    }),
    vscode.languages.registerDocumentSymbolProvider(rules, {
      async provideDocumentSymbols(document) {
        return ((await ask("textDocument/documentSymbol", document)) || []).map(symbol);
      },
    })
  );
  return start();
}

function deactivate() {
  return server && server.stop();
}

module.exports = { activate, deactivate };
