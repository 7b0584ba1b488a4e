//! `deploy/README.md`, followed word for word: commands are typed as printed, in folders that stand for those of a
//! machine, with a `systemctl` that reads the unit.

use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use referee::client::Client;

use super::serving::table;
use super::walkthrough::{Part, difference, parts};

/// Folders of the page.
const FOLDERS: [&str; 4] = ["/var/lib/referee", "/etc", "/backups", "/keys"];

/// A machine of the page: its folders lie in one of ours.
struct Machine {
    folder: PathBuf,
    /// Where the referee listens, once it does.
    url: Option<String>,
    path: std::ffi::OsString,
    service: Option<Child>,
}

impl Machine {
    fn new(folder: &Path) -> Machine {
        for of_page in FOLDERS {
            std::fs::create_dir_all(folder.join(&of_page[1..])).expect("a folder");
        }
        let settings = "listen: 127.0.0.1:0\n";
        std::fs::write(folder.join("etc/referee.yaml"), settings).expect("settings");
        let program = Path::new(env!("CARGO_BIN_EXE_referee"));
        let mut path = program.parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        Machine {
            folder: folder.to_owned(),
            url: None,
            path,
            service: None,
        }
    }

    /// Words of the page, with the folders of this machine.
    fn here(&self, words: &str) -> String {
        FOLDERS.iter().fold(words.to_owned(), |words, of_page| {
            let here = self.folder.join(&of_page[1..]);
            words.replace(of_page, here.to_str().expect("a name"))
        })
    }

    /// What was said, with the folders of the page.
    fn as_printed(&self, said: &str) -> String {
        said.replace(self.folder.to_str().expect("a name"), "")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.folder)
            .env("PATH", &self.path)
            .env_remove("REFEREE_STORE")
            .env_remove("REFEREE_RULESETS");
        // The page's listens where everybody expects it.
        if let Some(url) = &self.url {
            command.env("REFEREE_SERVER", url);
        }
        command
    }

    /// Types a line; gives what it says on both streams.
    fn types(&mut self, line: &str) -> String {
        match line.split_once(' ') {
            Some(("systemctl", "start referee")) => self.start(),
            Some(("systemctl", "stop referee")) => self.stop(),
            _ => {
                let output = self
                    .command("bash")
                    .args(["-c", &format!("{{ {} ; }} 2>&1", self.here(line))])
                    .stdin(Stdio::null())
                    .output()
                    .expect("a shell");
                return self.as_printed(&String::from_utf8(output.stdout).expect("text"));
            }
        }
        String::new()
    }

    /// As systemd does with the unit, as far as the referee can tell.
    fn start(&mut self) {
        let unit = include_str!("../../deploy/referee.service");
        let said = |name| unit.lines().filter_map(move |line| line.strip_prefix(name));
        let words = said("ExecStart=/usr/local/bin/").next().expect("a command");
        let words = self.here(words);
        let mut words = words.split_whitespace();
        let mut command = self.command(words.next().expect("a program"));
        command.args(words);
        for setting in said("Environment=").flat_map(str::split_whitespace) {
            let (name, value) = setting.split_once('=').expect("a setting");
            command.env(name, self.here(value));
        }
        assert!(unit.contains("\nType=notify\n"));
        let socket = self.folder.join("notify");
        let _ = std::fs::remove_file(&socket);
        let told = UnixDatagram::bind(&socket).expect("a socket");
        command.env("NOTIFY_SOCKET", &socket);
        let said = self.folder.join("journal");
        let journal = std::fs::File::create(&said).expect("a file");
        let service = command.stdin(Stdio::null()).stdout(Stdio::null());
        self.service = Some(service.stderr(journal).spawn().expect("it starts"));
        let patience = Some(std::time::Duration::from_secs(60));
        told.set_read_timeout(patience).expect("a timeout");
        let mut bytes = [0; 64];
        let length = told.recv(&mut bytes).expect("it tells that it serves");
        assert_eq!(&bytes[..length], b"READY=1");
        let said = std::fs::read_to_string(&said).expect("text");
        assert!(!said.contains("rfh_"), "a token is in the journal: {said}");
        let mut lines = said.lines().filter(|line| line.contains("listens on"));
        let url = lines.next().and_then(|line| line.split_whitespace().last());
        self.url = Some(url.expect("an address").to_owned());
    }

    fn stop(&mut self) {
        let mut service = self.service.take().expect("it runs");
        let id = service.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.expect("it is asked").success());
        assert!(service.wait().expect("it stops").success());
    }

    /// A match between bots, as a host creates one.
    async fn played(&self) {
        let url = self.url.as_ref();
        let tokens = self.here("/var/lib/referee/tokens.yaml");
        let tokens = std::fs::read_to_string(tokens).expect("the first tokens");
        let host = tokens.lines().find_map(|line| line.strip_prefix("host: "));
        let client = Client::connect(url.expect("an address"))
            .await
            .expect("it listens");
        let host = client.with_token(host.expect("a token"));
        let created = table::create(&host, "san-juan", 2, None).await;
        let name = table::name(&created.expect("a match"));
        table::bots(&host, &name, 1..=2).await;
        table::start(&host, &name).await;
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(service) = &mut self.service {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_for_operators_goes_as_printed() {
    let page = include_str!("../../deploy/README.md");
    let folder = tempfile::tempdir().expect("a folder");
    let mut machine = Machine::new(folder.path());
    let mut typed = 0;
    for part in parts(page) {
        let Part::Console(console) = part else {
            continue;
        };
        let mut lines = console.iter().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ").expect("a command");
            let mut printed = Vec::new();
            while let Some(said) = lines.next_if(|line| !line.starts_with("$ ")) {
                printed.push(said.clone());
            }
            let found = machine.types(command);
            let found: Vec<&str> = found.lines().collect();
            if let Some(difference) = difference(&printed, &found) {
                panic!("{command}\n{difference}\n\n{}", found.join("\n"));
            }
            if typed == 0 {
                machine.played().await;
            }
            typed += 1;
        }
    }
    assert!(typed > 25, "{typed} commands");
}
