//! Addresses of databases: `postgres://user@host[,host…]/name?sslmode=verify-full`, as libpq reads them.
//!
//! What libpq knows and the driver does not is read here: whose certificates are believed, and where the password stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// How an address begins.
pub const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(5);

/// How long sent bytes may stay unanswered before a connection counts as lost.
const UNANSWERED: Duration = Duration::from_secs(10);

/// How long nothing may come before it is asked whether the other side is still there.
const QUIET: Duration = Duration::from_secs(10);

/// How long something that is done with a connection may take, the wait for one included: longer than the server lets a
/// statement go on (`statement_timeout`), so that only what hangs takes as long.
const ANSWERED: Duration = Duration::from_secs(45);

/// Where the tables are.
pub const SEARCH_PATH: &str = "referee";

/// What is set for every connection: where the tables are, and that point look-ups stay so, however few rows there are when a
/// statement is planned first.
const SESSION: &str = "-c search_path=referee -c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off \
     -c enable_mergejoin=off -c statement_timeout=20s -c idle_in_transaction_session_timeout=20s";

/// Where a database is, and how it is reached.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    /// Whose certificates are believed; none are those of this machine.
    pub(super) authorities: Option<PathBuf>,
    pub(super) answered: Duration,
}

/// Whether a text is the address of a database, and not the path of a file.
pub fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

impl Address {
    /// Reads an address. A password that it does not name stands in `PGPASSWORD`, or in the file that `passfile` or
    /// `PGPASSFILE` names (`~/.pgpass`).
    ///
    /// # Errors
    ///
    /// Says what is wrong with it, and how to mend it; never a password.
    pub fn read(text: &str) -> Result<Address, String> {
        let (start, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut known, mut mode) = (Vec::new(), None);
        let (mut authorities, mut passwords) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "sslmode" => mode = Some(value.to_owned()),
                "sslrootcert" => authorities = Some(PathBuf::from(value)),
                "passfile" => passwords = Some(PathBuf::from(value)),
                "options" => {
                    return Err(
                        "`options` are the referee's own: leave them out of the address".into(),
                    );
                }
                _ => known.push(pair),
            }
        }
        let plain = match known.is_empty() {
            true => start.to_owned(),
            false => format!("{start}?{}", known.join("&")),
        };
        let mut config: Config = plain
            .parse()
            .map_err(|error: tokio_postgres::Error| said(&error))?;
        if config.get_hosts().is_empty() {
            return Err("it names no host: write postgres://user@host/name".into());
        }
        let ssl = match mode.as_deref() {
            None if is_near(&config) => SslMode::Disable,
            None | Some("verify-full") => SslMode::Require,
            Some(_) if !is_near(&config) => {
                return Err(
                    "its host is another machine, so that `sslmode` can only be `verify-full`, which it is by default: \
                     `sslrootcert` names the certificate of whoever signed the database's"
                        .into(),
                );
            }
            Some("disable") => SslMode::Disable,
            Some("prefer" | "allow") => SslMode::Prefer,
            Some("require" | "verify-ca") => SslMode::Require,
            Some(other) => return Err(format!("`sslmode={other}` is none")),
        };
        config.ssl_mode(ssl);
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        config.options(SESSION);
        if config.get_application_name().is_none() {
            config.application_name("referee");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNANSWERED);
        }
        config.keepalives(true).keepalives_idle(QUIET);
        config.keepalives_interval(QUIET / 3).keepalives_retries(3);
        if config.get_password().is_none()
            && let Some(password) = password(&config, passwords)?
        {
            config.password(password);
        }
        Ok(Address {
            config,
            authorities,
            answered: ANSWERED,
        })
    }

    /// Returns how the driver reaches the database, with the password.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the file of the authorities whose certificates are trusted; `None` means those of this machine.
    pub fn authorities(&self) -> Option<&Path> {
        self.authorities.as_deref()
    }

    /// The same, with another time after which a database that keeps silent counts as hung.
    pub fn answered_within(self, answered: Duration) -> Address {
        Address { answered, ..self }
    }

    /// As people may read it, and give it to a command: without its password.
    pub fn shown(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]"),
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => plain(&path.display().to_string()).replace('/', "%2F"),
        });
        let ports = self.config.get_ports();
        let ports = (0..).map(|at| ports.get(at).or(ports.first()).copied().unwrap_or(5432));
        let hosts: Vec<String> = hosts
            .zip(ports)
            .map(|(host, port)| format!("{host}:{port}"))
            .collect();
        let name = self.config.get_dbname().or(self.config.get_user());
        let user = self.config.get_user().map(|user| plain(user) + "@");
        // It is read as it stands.
        let roots = self.authorities.as_ref();
        let roots = roots.map(|path| format!("?sslrootcert={}", path.display()));
        format!(
            "postgres://{}{}/{}{}",
            user.unwrap_or_default(),
            hosts.join(","),
            plain(name.unwrap_or("")),
            roots.unwrap_or_default()
        )
    }
}

/// A part of an address, in which whatever means something there stands as its number.
fn plain(part: &str) -> String {
    let letter = |byte: u8| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(letter).collect()
}

fn said(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Whether every host is this machine.
fn is_near(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            let address = name.trim_matches(['[', ']']).parse();
            name == "localhost"
                || address.is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

/// The password of an address that names none, if there is one.
fn password(config: &Config, file: Option<PathBuf>) -> Result<Option<String>, String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Ok(Some(password));
    }
    let named = file.or_else(|| std::env::var_os("PGPASSFILE").map(PathBuf::from));
    let own = || std::env::home_dir().map(|home| home.join(".pgpass"));
    let (path, is_named) = match named {
        Some(path) => (path, true),
        None => match own() {
            Some(path) => (path, false),
            None => return Ok(None),
        },
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            is_private(&path)?;
            Ok(found(&text, config))
        }
        Err(error) if is_named => Err(format!(
            "the file of passwords {} cannot be read: {error}",
            path.display()
        )),
        Err(_) => Ok(None),
    }
}

/// That nobody else can read a file of passwords.
#[cfg(unix)]
fn is_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = path.metadata().map(|file| file.permissions().mode());
    match mode.is_ok_and(|mode| mode & 0o077 == 0) {
        true => Ok(()),
        false => Err(format!(
            "the file of passwords {} can be read by others: chmod 600 mends that",
            path.display()
        )),
    }
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Finds the password in a file with lines of `host:port:database:user:password`, where `*` matches anything.
pub fn found(text: &str, config: &Config) -> Option<String> {
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(_) => "localhost".into(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let user = config.get_user().unwrap_or_default();
    let wanted = [
        host,
        port.to_string(),
        config.get_dbname().unwrap_or(user).to_owned(),
        user.to_owned(),
    ];
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let (password, place) = fields.split_last()?;
        let fits = |(field, wanted): (&String, &String)| field == "*" || field == wanted;
        let all = place.len() == wanted.len() && place.iter().zip(&wanted).all(fits);
        all.then(|| password.clone())
    })
}

/// Fields between colons; a backslash takes the next letter as it is.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut letters) = (vec![String::new()], line.chars());
    while let Some(letter) = letters.next() {
        match letter {
            ':' => fields.push(String::new()),
            letter => {
                let taken = if letter == '\\' {
                    letters.next()
                } else {
                    Some(letter)
                };
                if let Some(last) = fields.last_mut() {
                    last.extend(taken);
                }
            }
        }
    }
    fields
}
