//! `referee review --web` as a browser meets it: over a socket, with the bytes that it writes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};

use super::command::{Ran, referee, run, typed};

const ANNA: &str = "anna@example.org";

/// The clause that the tests below are about.
const SOLD: &str = "thing?is=clause&name=east.price";

/// What people write who mean no harm, and some who do.
const COMMENT: &str = "as \"printed\": 100% & <script>alert(1)</script> żółw";

/// A copy of *Two fairs*, of which nothing is accepted.
struct Folder {
    _all: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let all = tempfile::tempdir().expect("a folder");
        let path = all.path().join("two-fairs");
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rulesets/two-fairs"),
            &path,
        );
        std::fs::remove_file(path.join("review.yaml")).expect("there");
        Folder { _all: all, path }
    }

    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path.join(file)).ok()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path.join(file), text).expect("writable");
    }

    fn edit(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file).expect("there");
        assert!(text.contains(old), "{file}: {old}");
        self.write(file, &text.replacen(old, new, 1));
    }

    /// What the terminal does.
    fn review(&self, words: &str) -> Ran {
        run(format!("review {} {words}", self.path.display()))
    }

    /// The page, served.
    fn served(&self, words: &str) -> Served {
        Served::start(&format!("review {} --web {words}", self.path.display()))
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).expect("writable")),
        }
    }
}

/// The command that serves the page.
struct Served {
    child: Child,
    data: BufReader<std::process::ChildStdout>,
    address: SocketAddr,
    /// `/secret/`
    inside: String,
}

/// What was answered.
struct Reply {
    status: u16,
    /// In lower case but for its values.
    head: String,
    body: String,
}

impl Reply {
    #[track_caller]
    fn is(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    #[track_caller]
    fn says(&self, text: &str) -> &Reply {
        assert!(
            self.body.contains(text),
            "`{text}` is missing in:\n{}",
            self.body
        );
        self
    }

    #[track_caller]
    fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines();
        let found = lines.find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found.unwrap_or_else(|| panic!("{name} is missing in:\n{}", self.head))
    }

    /// The value of a field of its form.
    #[track_caller]
    fn field(&self, name: &str) -> String {
        let (_, rest) = self
            .body
            .split_once(&format!("name=\"{name}\" value=\""))
            .unwrap_or_else(|| panic!("{name} is missing in:\n{}", self.body));
        let value = rest.split('"').next().unwrap_or_default();
        value.replace("&quot;", "\"").replace("&amp;", "&")
    }
}

impl Served {
    fn start(line: &str) -> Served {
        let mut child = referee(line)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut data = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut link = String::new();
        data.read_line(&mut link).expect("a link");
        let rest = link.trim().strip_prefix("http://").unwrap_or_else(|| {
            let mut said = String::new();
            let notes = child.stderr.as_mut().expect("a pipe");
            notes.read_to_string(&mut said).expect("text");
            panic!("{link}{said}")
        });
        let (address, inside) = rest.split_at(rest.find('/').expect("a path"));
        let address: SocketAddr = address.parse().expect("an address");
        assert!(address.ip().is_loopback());
        Served {
            child,
            data,
            address,
            inside: inside.to_owned(),
        }
    }

    /// Sends a request with these lines as its head.
    fn send(&self, lines: &[String], body: &str) -> Reply {
        self.send_of_length(lines, body.len(), body)
    }

    /// The same, whatever it says of the length of its body.
    fn send_of_length(&self, lines: &[String], length: usize, body: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        let head = lines.join("\r\n");
        let request =
            format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).expect("it is read");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Reply {
            status: status.expect("a status"),
            head: head.replace('\r', ""),
            body: body.to_owned(),
        }
    }

    /// A page behind the secret.
    fn get(&self, page: &str) -> Reply {
        let Served {
            inside, address, ..
        } = self;
        self.send(
            &[
                format!("GET {inside}{page} HTTP/1.1"),
                format!("Host: {address}"),
            ],
            "",
        )
    }

    /// Sends a form as a browser does on our own page.
    fn post(&self, page: &str, fields: &[(&str, &str)]) -> Reply {
        let Served {
            inside, address, ..
        } = self;
        let head = [
            format!("POST {inside}{page} HTTP/1.1"),
            format!("Host: {address}"),
            format!("Origin: http://{address}"),
        ];
        self.send(&head, &form(fields))
    }

    /// Accepts what a page shows, with a comment.
    fn accept(&self, shown: &Reply, page: &str, comment: &str) -> Reply {
        self.post(page, &fields(&as_shown(shown), comment))
    }

    /// Waits until it ends: its exit code, and all that it wrote after the link.
    fn ended(mut self) -> (Option<i32>, String) {
        let ended = self.child.wait().expect("it ends");
        let mut told = String::new();
        self.data.read_to_string(&mut told).expect("text");
        let notes = self.child.stderr.as_mut().expect("a pipe");
        notes.read_to_string(&mut told).expect("text");
        (ended.code(), told)
    }

    /// Presses *Done*.
    fn done(self) -> (Option<i32>, String) {
        self.post("en/done", &[])
            .is(200)
            .says("The review is closed");
        self.ended()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Most tests are over while it serves.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The hidden fields of a page's form.
fn as_shown(shown: &Reply) -> [(&'static str, String); 4] {
    ["is", "name", "digest", "parts"].map(|name| (name, shown.field(name)))
}

fn fields<'f>(shown: &'f [(&'static str, String)], comment: &'f str) -> Vec<(&'f str, &'f str)> {
    let own = shown.iter().map(|(name, value)| (*name, value.as_str()));
    own.chain([("by", ANNA), ("comment", comment)]).collect()
}

fn form(fields: &[(&str, &str)]) -> String {
    let byte = |byte: u8| format!("%{byte:02X}");
    let encoded = |text: &str| text.bytes().map(byte).collect::<String>();
    let all = fields.iter();
    let all = all.map(|(name, value)| format!("{name}={}", encoded(value)));
    all.collect::<Vec<_>>().join("&")
}

#[test]
fn the_page_writes_what_the_terminal_writes() {
    let (page, terminal) = (Folder::new(), Folder::new());
    let served = page.served("");
    served
        .get("en/")
        .is(200)
        .says("@east.price")
        .says("The fair in the east");
    let shown = served.get(&format!("en/{SOLD}")).is(200);
    // As in the terminal: both languages, the rules, the scenarios.
    shown
        .says("<p lang=\"en\">A ware costs half of its worth")
        .says("<p lang=\"pl\">Towar kosztuje połowę wartości")
        .says("max(2, east_worth(w) / 2)")
        .says("passes");
    let next = served.accept(&shown, "en/accept", COMMENT).is(303);
    let next = next.header("location").to_owned();
    assert!(next.starts_with("thing?is=clause"), "{next}");
    terminal
        .review(&format!(
            "--by {ANNA} --accept east.price --comment '{COMMENT}'"
        ))
        .ends(0);
    assert_eq!(page.read("review.yaml"), terminal.read("review.yaml"));
    // The next one is open, and says what was done.
    let after = served.get(&format!("en/{next}")).is(200);
    after
        .says("Accepted:")
        .says("@east.price")
        .says(&format!("value=\"{ANNA}\""));
    // Whatever people write is a text.
    let again = served.get(&format!("en/{SOLD}&show=all")).is(200);
    again.says("&lt;script&gt;alert(1)&lt;/script&gt; żółw");
    assert!(!again.body.contains("<script>"), "{}", again.body);
    assert!(!served.get("en/").body.contains(">@east.price<"));
    served.get("en/?show=accepted").says(">@east.price<");
    page.review("--list open").ends(1);
    let (code, told) = served.done();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("1 thing accepted, "), "{told}");
}

#[test]
fn nobody_else_is_let_in_and_nothing_is_written() {
    let folder = Folder::new();
    let served = folder.served(&format!("--by {ANNA}"));
    let shown = served.get(&format!("en/{SOLD}")).is(200);
    let shown = as_shown(&shown);
    let body = form(&fields(&shown, ""));
    let Served {
        inside, address, ..
    } = &served;
    let own = format!("Origin: http://{address}");
    let host = format!("Host: {address}");
    let port = address.port();
    let post = |path: &str| format!("POST {path}en/accept HTTP/1.1");
    let bent = format!("/{}x/", &inside[1..inside.len() - 2]);
    for (lines, told) in [
        (vec![post("/"), host.clone(), own.clone()], "whole link"),
        (vec![post(&bent), host.clone(), own.clone()], "whole link"),
        (
            vec![
                post(inside),
                format!("Host: evil.example:{port}"),
                format!("Origin: http://evil.example:{port}"),
            ],
            "127.0.0.1 alone",
        ),
        (
            vec![
                post(inside),
                format!("Host: evil.example:{port}"),
                own.clone(),
            ],
            "127.0.0.1 alone",
        ),
        (
            vec![
                post(inside),
                host.clone(),
                "Origin: http://evil.example".to_owned(),
            ],
            "another page",
        ),
        (
            vec![
                post(inside),
                host.clone(),
                format!("Origin: http://localhost:{port}"),
            ],
            "another page",
        ),
        (
            vec![post(inside), host.clone(), "Origin: null".to_owned()],
            "another page",
        ),
        (vec![post(inside), host.clone()], "another page"),
    ] {
        let refused = served.send(&lines, &body).is(403);
        refused.says(told);
        assert!(!refused.body.contains("east"), "{}", refused.body);
    }
    // Nor does whoever has no secret read anything, or learn which pages there are.
    for path in ["/", "/en/", "/review.css", "/favicon.ico"] {
        served
            .send(&[format!("GET {path} HTTP/1.1"), host.clone()], "")
            .is(403);
    }
    // What only asks writes nothing, either.
    served.get(&format!("en/accept?{body}")).is(303);
    let put = format!("PUT {inside}en/accept HTTP/1.1");
    served
        .send(&[put, host.clone(), own.clone()], &body)
        .is(405);
    let long = [post(inside), host, own];
    served.send_of_length(&long, 100_000, "").is(413);
    assert_eq!(folder.read("review.yaml"), None);
    // Planted: the same form from our own page is accepted.
    served.post("en/accept", &fields(&shown, "")).is(303);
    assert!(
        folder
            .read("review.yaml")
            .expect("written")
            .contains("east.price")
    );
}

#[test]
fn the_page_asks_no_other_host_and_lets_nobody_frame_it() {
    let folder = Folder::new();
    let served = folder.served("");
    for page in [
        "en/",
        &format!("pl/{SOLD}"),
        "review.css",
        "review.js",
        "nothing",
    ] {
        let reply = served.get(page);
        let policy = reply.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{page}: {policy}");
        }
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("referrer-policy"), "same-origin");
        assert!(!reply.body.contains("://"), "{page}: {}", reply.body);
        assert!(!reply.body.contains(" style="), "{page}");
    }
    served.get("nothing").is(404);
    served.get("de/").is(404);
}

#[test]
fn what_has_changed_since_it_was_shown_is_not_accepted() {
    for (tongue, told, part) in [
        (
            "en",
            "no longer what you were shown",
            "changed: the English words",
        ),
        (
            "pl",
            "to już nie jest to, co było pokazane",
            "zmieniło się: treść angielska",
        ),
    ] {
        let folder = Folder::new();
        let served = folder.served("");
        let shown = served.get(&format!("{tongue}/{SOLD}")).is(200);
        folder.edit(
            "rulebook.yaml",
            "A ware costs half of its worth",
            "A ware costs a half of its worth",
        );
        let page = format!("{tongue}/accept");
        let refused = served.accept(&shown, &page, "so <it> was").is(409);
        refused
            .says(told)
            .says(part)
            .says("A ware costs a half of its worth");
        // Nobody writes a comment twice.
        refused.says("so &lt;it&gt; was</textarea>");
        assert_eq!(folder.read("review.yaml"), None);
        // As it is shown now it is accepted.
        served.accept(&refused, &page, "").is(303);
        assert!(folder.read("review.yaml").is_some());
        // A thing that is gone.
        std::fs::remove_file(folder.path.join("proof.yaml")).expect("there");
        folder.edit(
            "rulebook.yaml",
            "      - id: days.host\n",
            "      - id: days.guest\n",
        );
        folder.write(
            "rules/table.rules",
            &folder
                .read("rules/table.rules")
                .expect("there")
                .replace("days.host", "days.guest"),
        );
        let gone = [
            ("is", "clause"),
            ("name", "days.host"),
            ("by", ANNA),
            ("comment", "kept"),
        ];
        served.post(&page, &gone).is(404).says("kept</textarea>");
    }
}

#[test]
fn what_others_have_accepted_meanwhile_is_kept() {
    let folder = Folder::new();
    let served = folder.served("");
    let shown = served.get(&format!("en/{SOLD}")).is(200);
    folder
        .review("--by ben@example.org --accept east.price --accept days")
        .ends(0);
    served.accept(&shown, "en/accept", "").is(303);
    let text = folder.read("review.yaml").expect("written");
    assert_eq!(text.matches("ben@example.org").count(), 2, "{text}");
    assert_eq!(text.matches(ANNA).count(), 1, "{text}");
}

#[test]
fn the_whole_page_is_in_both_languages() {
    let folder = Folder::new();
    let served = folder.served("");
    let Served {
        inside, address, ..
    } = &served;
    let first = |preferred: &str| {
        let head = [
            format!("GET {inside} HTTP/1.1"),
            format!("Host: {address}"),
            format!("Accept-Language: {preferred}"),
        ];
        served.send(&head, "").is(303).header("location").to_owned()
    };
    assert_eq!(first("de, pl-PL;q=0.8, en;q=0.5"), format!("{inside}pl/"));
    assert_eq!(first("de"), format!("{inside}en/"));
    let list = served.get("pl/?chapter=east&kind=rule").is(200);
    list.says("<html lang=\"pl\">")
        .says("Do zaakceptowania")
        .says("Jarmark na wschodzie</h2>")
        .says("Towar kosztuje połowę wartości")
        .says("href=\"../en/./?chapter=east&amp;kind=rule\"");
    assert!(!list.body.contains(">@west.price<"), "{}", list.body);
    let thing = served.get(&format!("pl/{SOLD}")).is(200);
    thing
        .says("Reguły, które to wykonują")
        .says("przechodzi")
        .says("Zaakceptuj tak, jak tu jest");
    served
        .get(&format!("en/{SOLD}"))
        .says("Rules that carry it out")
        .says("Accept as it stands here");
    served
        .post("pl/done", &[])
        .is(200)
        .says("Przegląd zamknięty");
    assert_eq!(served.ended().0, Some(1));
}

#[test]
fn mistakes_and_what_cannot_be_written_are_told_on_the_page() {
    let folder = Folder::new();
    let served = folder.served("");
    let shown = served.get(&format!("en/{SOLD}")).is(200);
    let right = folder.read("rulebook.yaml").expect("there");
    folder.write("rulebook.yaml", &format!("{right}colour: red\n"));
    served
        .get("en/")
        .is(409)
        .says("There are mistakes in the rules")
        .says("unknown key `colour`");
    served
        .accept(&shown, "pl/accept", "kept")
        .is(409)
        .says("są błędy")
        .says("kept</textarea>");
    folder.write("rulebook.yaml", &right);
    // Nobody can write where a folder is.
    std::fs::create_dir(folder.path.join("review.yaml")).expect("writable");
    let refused = served.accept(&shown, "en/accept", "kept").is(500);
    refused.says("cannot be written").says("kept</textarea>");
    std::fs::remove_dir(folder.path.join("review.yaml")).expect("there");
    // A name under which nobody can sign.
    let shown = as_shown(&shown);
    let mut nameless = fields(&shown, "kept");
    nameless.retain(|(name, _)| *name != "by");
    nameless.push(("by", "*"));
    served
        .post("en/accept", &nameless)
        .is(422)
        .says("say who accepts")
        .says("kept</textarea>");
    // What a scenario disproves.
    folder.edit(
        "scenarios/east.yaml",
        "p1: {east_coins: 9}",
        "p1: {east_coins: 7}",
    );
    let disproved = served.get(&format!("en/{SOLD}")).is(200);
    disproved.says("Nobody can accept it while this scenario fails");
    assert!(
        !disproved.body.contains("id=\"accept\""),
        "{}",
        disproved.body
    );
    assert_eq!(folder.read("review.yaml"), None);
    let left: Vec<String> = std::fs::read_dir(&folder.path)
        .expect("readable")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.contains(".part"))
        .collect();
    assert_eq!(left, [""; 0], "nothing half written is left");
}

#[test]
fn signatures_of_the_file_as_it_was_are_told() {
    let folder = Folder::new();
    folder.review(&format!("--by {ANNA} --accept days")).ends(0);
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&[1; 32]));
    let key = key.to_openssh(LineEnding::LF).expect("a key");
    let path = folder.path.with_file_name("anna");
    std::fs::write(&path, key.as_bytes()).expect("writable");
    run(format!(
        "review sign {} --key {}",
        folder.path.display(),
        path.display()
    ))
    .ends(0);
    let served = folder.served("--clause east.price");
    let shown = served.get(&format!("en/{SOLD}")).is(200);
    let next = served.accept(&shown, "en/accept", "").is(303);
    let next = next.header("location").to_owned();
    assert!(
        next.starts_with("./?after="),
        "nothing else was asked for: {next}"
    );
    let after = served.get(&format!("en/{}", &next[2..])).is(200);
    after
        .says("whoever signed it signs again")
        .says("Nothing is open here.");
    let (code, told) = served.done();
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("1 thing accepted, 0 open") && told.contains("signs again"),
        "{told}"
    );
}

#[test]
fn the_text_of_the_print_stands_beside_its_clauses() {
    let folder = Folder::new();
    let manifest = folder.read("ruleset.yaml").expect("there");
    folder.write(
        "ruleset.yaml",
        &format!("{manifest}  sources: sources.yaml\n"),
    );
    folder.write(
        "sources.yaml",
        "paragraphs:\n- {at: fairs 1, print: [p1.1], clauses: [days, east]}\n- {at: fairs 2, print: [p1.2], none: praise of figs}\n",
    );
    let text = folder.path.with_file_name("print.txt");
    std::fs::write(&text, "There are <days> and a fair.\n\nFigs are good.\n").expect("writable");
    run(format!(
        "source pin {} {}",
        folder.path.display(),
        text.display()
    ))
    .ends(0);
    let words = format!("--text {}", text.display());
    let served = folder.served(&words);
    let clause = served.get("en/thing?is=clause&name=days").is(200);
    clause
        .says("There are &lt;days&gt; and a fair.")
        .says("<code>p1.1</code>");
    assert!(
        !clause.body.contains("not what was pinned"),
        "{}",
        clause.body
    );
    let paragraph = served.get("en/thing?is=paragraph&name=fairs+2").is(200);
    paragraph.says("Figs are good.").says("praise of figs");
    let tied = served.get("en/thing?is=paragraph&name=fairs+1").is(200);
    tied.says("href=\"thing?is=clause&amp;name=east\"");
    assert!(served.done().1.contains("0 things accepted"));
    // The terminal shows it, too.
    let line = format!(
        "review {} --by {ANNA} --clause days {words}",
        folder.path.display()
    );
    typed(&mut referee(line), "q\n")
        .ends(1)
        .tells("“There are <days> and a fair.”");
    std::fs::write(&text, "There are <days> and a fair.\n\nFigs are bad.\n").expect("writable");
    let served = folder.served(&words);
    let paragraph = served.get("en/thing?is=paragraph&name=fairs+2").is(200);
    paragraph
        .says("class=\"otherwise\"")
        .says("not what was pinned");
}

#[test]
fn an_interruption_ends_it() {
    let folder = Folder::new();
    let served = folder.served("");
    // A connection that rests keeps nobody waiting.
    let resting = TcpStream::connect(served.address).expect("it listens");
    served.get("en/").is(200);
    let id = served.child.id().to_string();
    let asked = Command::new("kill").args(["-INT", &id]).status();
    assert!(asked.expect("it is asked").success());
    let (code, told) = served.ended();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("0 things accepted, "), "{told}");
    drop(resting);
}

#[test]
fn what_it_cannot_do_is_told_with_the_way_out() {
    run("review genoa --web").ends(2).notes("name its folder");
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let folder = Folder::new();
    folder
        .review(&format!("--web --port {port}"))
        .ends(2)
        .notes("without --port a free one is taken");
    folder
        .review("--web --format json")
        .ends(2)
        .notes("for programs there are");
    folder
        .review("--web --text missing.txt")
        .ends(2)
        .notes("`missing.txt`: ");
    folder.review("--port 4000").ends(2).notes("--web");
}
