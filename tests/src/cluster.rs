//! A PostgreSQL of a test's own: a cluster in a folder that goes with it, reached on loopback alone.
//!
//! In: the programs of an installed PostgreSQL. Out: addresses of empty databases. The server runs as a user that is not
//! root, as it insists. Begin at [`Cluster::start`].

use std::ffi::OsStr;
use std::io;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a server may take to begin or to end.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server with its data.
pub struct Cluster {
    folder: tempfile::TempDir,
    /// What the server has to say: not in its folder, which may have no room.
    log: tempfile::NamedTempFile,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    port: u16,
    settings: Vec<String>,
    environment: Vec<(String, String)>,
    server: Option<Child>,
    databases: AtomicU32,
}

/// How a server runs; by default wherever there is room.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// Its folder is made in this one.
    pub folder: Option<PathBuf>,
    /// The port that it listens on; none is a free one.
    pub port: Option<u16>,
    /// Settings (`name=value`) beside those of every test.
    pub settings: Vec<String>,
    /// What its processes find in their environment.
    pub environment: Vec<(String, String)>,
}

/// Where the programs of PostgreSQL are; none if it is not installed.
pub fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&path));
    found
        .into_iter()
        .find(|folder| folder.join("initdb").exists())
}

/// A user that is not root, if this one is.
fn another_user() -> Option<(u32, u32)> {
    let own = Command::new("id").arg("-u").output().ok()?;
    if own.stdout.trim_ascii() != b"0" {
        return None;
    }
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let of = |name: &str| {
        let line = passwd
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    of("postgres").or_else(|| of("nobody"))
}

/// A port that is free until somebody else takes it before the server does.
///
/// # Errors
///
/// When none is.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Cluster {
    /// A server of its own with these settings (`name=value`) beside those of every test.
    ///
    /// # Errors
    ///
    /// When PostgreSQL is not installed, or does not begin.
    pub fn start(settings: &[&str]) -> io::Result<Cluster> {
        Cluster::start_on(Ground {
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            ..Ground::default()
        })
    }

    /// A server of its own that runs so.
    ///
    /// # Errors
    ///
    /// When PostgreSQL is not installed, or does not begin.
    pub fn start_on(ground: Ground) -> io::Result<Cluster> {
        let mut cluster = Cluster::empty(ground)?;
        cluster.run(
            "initdb",
            &[
                "--username=referee",
                "--auth=trust",
                "--no-locale",
                "--encoding=UTF8",
                "--no-sync",
            ],
        )?;
        cluster.begin()?;
        Ok(cluster)
    }

    /// A standby of a server, which asks to be known by this name.
    ///
    /// # Errors
    ///
    /// When it does not begin.
    pub fn standby(of: &Cluster, name: &str) -> io::Result<Cluster> {
        Cluster::standby_on(of, name, Ground::default())
    }

    /// A standby that runs so.
    ///
    /// # Errors
    ///
    /// When it does not begin.
    pub fn standby_on(of: &Cluster, name: &str, ground: Ground) -> io::Result<Cluster> {
        let mut cluster = Cluster::empty(ground)?;
        let primary = format!(
            "host=127.0.0.1 port={} user=referee application_name={name}",
            of.port
        );
        cluster.settings.push(format!("primary_conninfo={primary}"));
        cluster.run(
            "pg_basebackup",
            &[
                "--write-recovery-conf",
                "--checkpoint=fast",
                &format!("--dbname={primary}"),
            ],
        )?;
        cluster.begin()?;
        Ok(cluster)
    }

    fn empty(ground: Ground) -> io::Result<Cluster> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "PostgreSQL is not installed");
        let programs = programs().ok_or_else(missing)?;
        let folder = match &ground.folder {
            Some(within) => tempfile::tempdir_in(within)?,
            None => tempfile::tempdir()?,
        };
        let user = another_user();
        if let Some((user, group)) = user {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group))?;
        }
        let port = match ground.port {
            Some(port) => port,
            None => free_port()?,
        };
        Ok(Cluster {
            folder,
            log: tempfile::NamedTempFile::new()?,
            programs,
            user,
            port,
            settings: ground.settings,
            environment: ground.environment,
            server: None,
            databases: AtomicU32::new(0),
        })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        self.beside(self.programs.join(program))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<()> {
        let mut command = self.command(program);
        command.arg("--pgdata").arg(self.data()).args(arguments);
        let done = command.output()?;
        match done.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&done.stderr);
                Err(io::Error::other(format!("{program} failed: {said}")))
            }
        }
    }

    /// Where the server writes what it has to say.
    pub fn log(&self) -> &Path {
        self.log.path()
    }

    /// Begins to serve, also after it was killed.
    ///
    /// # Errors
    ///
    /// When it does not.
    pub fn begin(&mut self) -> io::Result<()> {
        let log = std::fs::File::options().append(true).open(self.log())?;
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data());
        let port = self.port.to_string();
        let fixed = [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={port}"),
            format!("unix_socket_directories={}", self.folder.path().display()),
            "max_connections=200".into(),
            "shared_buffers=64MB".into(),
            "wal_level=replica".into(),
        ];
        for setting in fixed.iter().chain(&self.settings) {
            command.arg("-c").arg(setting);
        }
        command.envs(self.environment.iter().cloned());
        command.stdout(log.try_clone()?).stderr(log);
        self.server = Some(command.spawn()?);
        let patience = Instant::now() + PATIENCE;
        loop {
            let mut ready = self.command("pg_isready");
            ready
                .args(["--host=127.0.0.1", "--quiet", "--port"])
                .arg(&port);
            if ready.status()?.success() {
                return Ok(());
            }
            let ended = self.has_ended();
            if ended && self.lingers() && Instant::now() < patience {
                // Processes of the server that was killed are still on their way.
                std::thread::sleep(Duration::from_millis(100));
                self.server = Some(command.spawn()?);
                continue;
            }
            if ended || Instant::now() > patience {
                let said = std::fs::read_to_string(self.log()).unwrap_or_default();
                return Err(io::Error::other(format!("it does not serve: {said}")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it does not run, or has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        let server = self.server.as_mut();
        server.is_none_or(|server| !matches!(server.try_wait(), Ok(None)))
    }

    /// Whether it could not begin because memory of the one before it is in use.
    fn lingers(&self) -> bool {
        let said = std::fs::read_to_string(self.log()).unwrap_or_default();
        let last = said.lines().rev().take(3);
        last.into_iter()
            .any(|line| line.contains("is still in use"))
    }

    /// Kills all of its processes: nothing is finished, nothing given back.
    ///
    /// # Errors
    ///
    /// When it cannot be killed.
    pub fn kill(&mut self) -> io::Result<()> {
        for process in self.processes()? {
            self.signal("KILL", process)?;
        }
        self.wait()
    }

    /// Ends at once; what was not written is lost, and memory is given back.
    ///
    /// # Errors
    ///
    /// When it cannot be told to.
    pub fn end(&mut self) -> io::Result<()> {
        if let Some(server) = &self.server {
            self.signal("QUIT", server.id())?;
        }
        self.wait()
    }

    fn wait(&mut self) -> io::Result<()> {
        match self.server.take() {
            Some(mut server) => server.wait().map(drop),
            None => Ok(()),
        }
    }

    /// The server, and the processes that it has started.
    fn processes(&self) -> io::Result<Vec<u32>> {
        let Some(server) = &self.server else {
            return Ok(Vec::new());
        };
        let mut children = Command::new("pgrep");
        let children = children.arg("-P").arg(server.id().to_string()).output()?;
        let children = String::from_utf8_lossy(&children.stdout).into_owned();
        let children = children.lines().filter_map(|id| id.parse().ok());
        Ok([server.id()].into_iter().chain(children).collect())
    }

    fn signal(&self, signal: &str, process: u32) -> io::Result<()> {
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).arg(process.to_string());
        // A child may have ended meanwhile.
        kill.stderr(Stdio::null()).status().map(drop)
    }

    /// Stops doing anything, and goes on again.
    ///
    /// # Errors
    ///
    /// When it cannot be told to.
    pub fn stall(&self, stalls: bool) -> io::Result<()> {
        let signal = if stalls { "STOP" } else { "CONT" };
        for process in self.processes()? {
            self.signal(signal, process)?;
        }
        Ok(())
    }

    /// Those processes that serve referees stop doing anything and keep their connections; gives which these are.
    ///
    /// # Errors
    ///
    /// When they cannot be found.
    pub fn hang(&self) -> io::Result<Vec<u32>> {
        let serving = "SELECT pid FROM pg_stat_activity WHERE application_name = 'referee'";
        let found = self.query("postgres", serving)?;
        let hung: Vec<u32> = found
            .lines()
            .filter_map(|id| id.trim().parse().ok())
            .collect();
        for process in &hung {
            self.signal("STOP", *process)?;
        }
        Ok(hung)
    }

    /// Processes that hung go on.
    ///
    /// # Errors
    ///
    /// When they cannot be told to.
    pub fn go_on(&self, hung: &[u32]) -> io::Result<()> {
        hung.iter()
            .try_for_each(|process| self.signal("CONT", *process))
    }

    /// A standby becomes a server that is written to.
    ///
    /// # Errors
    ///
    /// When it does not.
    pub fn promote(&self) -> io::Result<()> {
        self.run("pg_ctl", &["promote", "--wait"])
    }

    /// The address of an empty database that nobody else knows.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn database(&self) -> io::Result<String> {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test{number}");
        self.query("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(self.address(&name))
    }

    /// The address of a database.
    pub fn address(&self, database: &str) -> String {
        format!("postgres://referee@127.0.0.1:{}/{database}", self.port)
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a statement gives, a line a row.
    ///
    /// # Errors
    ///
    /// When the server refuses it.
    pub fn query(&self, database: &str, statement: &str) -> io::Result<String> {
        let mut psql = self.command("psql");
        psql.args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--command",
        ])
        .arg(statement)
        .arg(self.address(database));
        let done = psql.output()?;
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            false => {
                let said = String::from_utf8_lossy(&done.stderr);
                Err(io::Error::other(said.into_owned()))
            }
        }
    }

    /// Writes a file into its folder that its own user reads, and nobody else.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn put(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        use std::os::unix::fs::{PermissionsExt as _, chown};
        let path = self.folder.path().join(name);
        std::fs::write(&path, text)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        if let Some((user, group)) = self.user {
            chown(&path, Some(user), Some(group))?;
        }
        Ok(path)
    }

    /// A program that runs in its folder as its own user.
    pub fn beside(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// The folder that is its own.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A folder that stays behind is the worst that may come of it.
        let _ = self.stall(false);
        let _ = self.end();
    }
}
