//! `referee lsp` as an editor sees it: a session over pipes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: i64,
    /// Notifications that came while an answer was waited for.
    heard: Vec<Value>,
}

impl Editor {
    fn begin() -> Editor {
        let mut child = Command::new(env!("CARGO_BIN_EXE_referee"))
            .args(["lsp", "--stdio"])
            .env_remove("REFEREE_RULESETS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the command runs");
        let mut editor = Editor {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            next: 0,
            heard: Vec::new(),
        };
        let about = editor.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(about["serverInfo"]["name"], "referee");
        assert_eq!(about["capabilities"]["hoverProvider"], true);
        editor.say("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.to.flush().expect("it listens");
    }

    fn say(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("UTF-8");
            assert!(read > 0, "the server went without a word");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", n)) => length = n.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn reply(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            match message["id"] == id {
                true => return message,
                false => self.heard.push(message),
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let reply = self.reply(method, params);
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].clone()
    }

    /// What is said last of a file, once everything before was dealt with.
    fn diagnostics(&mut self, path: &Path) -> Vec<Value> {
        // Any question is answered only after what came before it.
        self.ask(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": uri(path)}}),
        );
        let said = self.heard.iter().rev().find(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri(path)
        });
        let said = said.expect("something is said of the file");
        said["params"]["diagnostics"]
            .as_array()
            .expect("a list")
            .clone()
    }

    fn open(&mut self, path: &Path) -> String {
        let text = std::fs::read_to_string(path).expect("readable");
        self.say(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri(path), "languageId": "rules", "version": 1, "text": text}}),
        );
        text
    }

    fn change(&mut self, path: &Path, text: &str) {
        self.say(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri(path), "version": 2}, "contentChanges": [{"text": text}]}),
        );
    }

    fn at(&mut self, method: &str, path: &Path, place: Value) -> Value {
        self.ask(
            method,
            json!({"textDocument": {"uri": uri(path)}, "position": place}),
        )
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.say("exit", Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display()).replace(' ', "%20")
}

/// Where a text stands: line and column of its first letter and one further.
fn place(text: &str, part: &str) -> Value {
    let at = text
        .find(part)
        .unwrap_or_else(|| panic!("`{part}` is not written"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count() + 1})
}

/// A new ruleset in a folder of its own.
fn game() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder
        .path()
        .canonicalize()
        .expect("a folder")
        .join("my-game");
    begin(&["ruleset", game.to_str().expect("a path of text")]);
    (folder, game)
}

fn begin(words: &[&str]) {
    let made = Command::new(env!("CARGO_BIN_EXE_referee"))
        .arg("new")
        .args(words)
        .output()
        .expect("the command runs");
    assert!(made.status.success(), "{made:?}");
}

#[test]
fn mistakes_come_and_go_while_somebody_types() {
    let (_folder, game) = game();
    let rules = game.join("rules/game.rules");
    let mut editor = Editor::begin();
    let text = editor.open(&rules);
    assert_eq!(editor.diagnostics(&rules), Vec::<Value>::new());

    // Nothing is saved: what stands in the editor counts.
    let wrong = text.replace("size(mine) == 0", "size(mime) == 0");
    editor.change(&rules, &wrong);
    let found = editor.diagnostics(&rules);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "referee");
    let message = found[0]["message"].as_str().expect("a text");
    assert!(
        message.contains("`mime`") && message.contains("`mine`"),
        "{message}"
    );
    let mut start = place(&wrong, "mime");
    start["character"] = json!(start["character"].as_u64().expect("a number") - 1);
    assert_eq!(found[0]["range"]["start"], start);

    // A mistake of the package in another file that is only on the disk.
    let rulebook = game.join("rulebook.yaml");
    let clauses = std::fs::read_to_string(&rulebook).expect("readable");
    std::fs::write(&rulebook, format!("{clauses}\nnonsense: 1\n")).expect("writable");
    editor.change(&rules, &text);
    assert_eq!(editor.diagnostics(&rules), Vec::<Value>::new());
    assert_eq!(editor.diagnostics(&rulebook).len(), 1);
    std::fs::write(&rulebook, clauses).expect("writable");
    editor.say(
        "textDocument/didSave",
        json!({"textDocument": {"uri": uri(&rules)}}),
    );
    assert_eq!(editor.diagnostics(&rulebook), Vec::<Value>::new());

    // What is closed is as it was saved; then nothing is said of it any more.
    editor.change(&rules, &wrong);
    assert_eq!(editor.diagnostics(&rules).len(), 1);
    editor.say(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri(&rules)}}),
    );
    assert_eq!(editor.diagnostics(&rules), Vec::<Value>::new());
    editor.end();
}

#[test]
fn names_and_citations_say_what_they_mean() {
    let (_folder, game) = game();
    let rules = game.join("rules/game.rules");
    let mut editor = Editor::begin();
    let text = editor.open(&rules);

    // A citation: its clause in both languages, and where it is written.
    let cited = text.split('@').nth(1).expect("a citation");
    let clause: String = cited.chars().take_while(|c| !c.is_whitespace()).collect();
    let at = place(&text, &format!("@{clause}"));
    let hover = editor.at("textDocument/hover", &rules, at.clone());
    let said = hover["contents"]["value"]
        .as_str()
        .expect("a text")
        .to_owned();
    let rulebook = std::fs::read_to_string(game.join("rulebook.yaml")).expect("readable");
    let written = rulebook
        .split_once(&format!("id: {clause}\n"))
        .expect("the clause")
        .1;
    for language in ["en: ", "pl: "] {
        let words = written.split_once(language).expect("its text").1;
        let words = words.lines().next().expect("a line");
        assert!(said.contains(words), "{said}\n{words}");
    }
    let found = editor.at("textDocument/definition", &rules, at);
    assert_eq!(found[0]["uri"], uri(&game.join("rulebook.yaml")));
    let line = rulebook[..rulebook.find(&format!("id: {clause}\n")).expect("it")]
        .matches('\n')
        .count();
    assert_eq!(found[0]["range"]["start"]["line"], line);

    // A place: its sentence, from where it is used to where it is declared.
    let found = editor.at(
        "textDocument/definition",
        &rules,
        place(&text, "mine) == 0"),
    );
    let declared = place(&text, "place mine");
    assert_eq!(found[0]["uri"], uri(&rules));
    assert_eq!(found[0]["range"]["start"]["line"], declared["line"]);
    let hover = editor.at("textDocument/hover", &rules, place(&text, "mine) == 0"));
    let said = hover["contents"]["value"].as_str().expect("a text");
    assert!(said.contains("place mine"), "{said}");

    // Comments and empty lines mean nothing.
    let nothing = editor.at(
        "textDocument/hover",
        &rules,
        json!({"line": 9999, "character": 0}),
    );
    assert!(nothing.is_null(), "{nothing}");

    // The outline: phases with their steps and moves.
    let outline = editor.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": uri(&rules)}}),
    );
    let outline = outline.as_array().expect("a list");
    let names: Vec<&str> = outline.iter().filter_map(|s| s["name"].as_str()).collect();
    assert!(names.contains(&"mine"), "{names:?}");
    let phase = outline
        .iter()
        .find(|s| s["detail"] == "phase")
        .expect("a phase");
    let first = phase["children"][0].clone();
    assert_eq!(first["detail"], "step", "{phase}");

    // What nobody knows is said so.
    let unknown = editor.reply("textDocument/rename", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    editor.end();
}

#[test]
fn a_house_rule_is_checked_over_its_ruleset() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = folder
        .path()
        .canonicalize()
        .expect("a folder")
        .join("my-rule");
    let path = house.to_str().expect("a path of text");
    begin(&["module", path, "--extends", "puerto-rico"]);
    let rules = house.join("rules/my-rule.rules");
    let mut editor = Editor::begin();
    let text = editor.open(&rules);
    assert_eq!(editor.diagnostics(&rules), Vec::<Value>::new());

    // Names of the shipped ruleset are known; where they are written no editor can open.
    let more = format!(
        "{text}\nmodify trader.sale(p, g) by 1 when g is corn\nquery odd(b: building): int = prize(b)\n"
    );
    editor.change(&rules, &more);
    let found = editor.diagnostics(&rules);
    let errors: Vec<&Value> = found.iter().filter(|d| d["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{found:?}");
    assert!(
        errors[0]["message"]
            .as_str()
            .is_some_and(|m| m.contains("`prize`"))
    );
    let hover = editor.at("textDocument/hover", &rules, place(&more, "sale(p, g)"));
    let said = hover["contents"]["value"].as_str().expect("a text");
    assert!(
        said.contains("query sale") && said.contains("of `trader`"),
        "{said}"
    );
    let row = editor.at("textDocument/hover", &rules, place(&more, "corn\n"));
    let said = row["contents"]["value"].as_str().expect("a text");
    assert!(
        said.contains("corn") && said.contains("kukurydza"),
        "{said}"
    );
    let found = editor.at("textDocument/definition", &rules, place(&more, "corn\n"));
    assert_eq!(found, json!([]));
    editor.end();
}

#[test]
fn an_editor_that_is_none_is_told_so() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_referee"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.is_empty());
}
