//! Settings of `referee serve`: from flags, the environment, and a file, in this order.

#![allow(
    rustdoc::bare_urls,
    reason = "the comments of settings are the text of `--help`"
)]

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::trouble::Trouble;
use referee_sandbox::limits::Limits;
use referee_server::{Provider, Retention};
use referee_table::traces::{self, Traces};

/// What can be set on the command line and in the environment.
#[derive(Clone, Debug, Default, Args)]
pub struct Flags {
    /// A YAML file with any of these settings (`listen`, `store`, …) and `limits`; what is said here and in
    /// the environment wins over it
    #[arg(long, value_name = "FILE", env = "REFEREE_CONFIG")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub said: Settings,

    /// Set a limit, such as open_matches=1000 or connection_age=6h; may be given several times
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub limits: Vec<(String, LimitValue)>,

    /// Print the settings that result, as such a file, and do nothing else
    #[arg(long)]
    pub print_config: bool,
}

/// What is said on the command line, in the environment or in a file, and what results of all.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where to listen [default: 127.0.0.1:7435]
    #[arg(long, value_name = "ADDRESS", value_parser = address, env = "REFEREE_LISTEN")]
    pub listen: Option<SocketAddr>,

    /// The file that keeps matches; made if there is none, with its key beside it in FILE.key. Or a PostgreSQL database, from
    /// which several referees may serve: postgres://user@host/name [default: referee.sqlite in the data folder of this user]
    #[arg(long, value_name = "STORE", env = "REFEREE_STORE")]
    pub store: Option<PathBuf>,

    /// The file with the key of a database, the same for every referee that serves from it; made for a new database. The
    /// environment variable REFEREE_KEY may hold the key itself
    #[arg(long, value_name = "FILE", env = "REFEREE_KEY_FILE")]
    pub key: Option<PathBuf>,

    /// The command that prints the key of a database, instead of a file
    #[arg(
        long,
        value_name = "COMMAND",
        env = "REFEREE_KEY_COMMAND",
        conflicts_with = "key"
    )]
    pub key_command: Option<String>,

    /// Keep matches in memory: all are lost when the referee stops
    #[arg(long, conflicts_with = "store")]
    pub memory: bool,

    /// Write the first tokens of a new store (host, administrator, publisher) into this new file, readable by its owner
    /// only, instead of on the terminal [default: nowhere]
    #[arg(long, value_name = "FILE", env = "REFEREE_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,

    /// Delete matches that were over for so many days, each after it was written into --archives [default: keep all]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..), env = "REFEREE_KEEP_DAYS")]
    pub keep_days: Option<u32>,

    /// The folder of the archives of matches that --keep-days deletes
    #[arg(long, value_name = "FOLDER", env = "REFEREE_ARCHIVES")]
    pub archives: Option<PathBuf>,

    /// Listen on an address that other machines can reach, although nothing is encrypted
    #[arg(long)]
    pub insecure: bool,

    /// Accept chosen seeds: for tests of clients. Whoever chooses a seed knows every card
    #[arg(long)]
    pub testing: bool,

    /// Encrypt with this certificate (PEM, with those that lead to it)
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        env = "REFEREE_TLS_CERT"
    )]
    pub tls_cert: Option<PathBuf>,

    /// The certificate's key (PEM)
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_cert",
        env = "REFEREE_TLS_KEY"
    )]
    pub tls_key: Option<PathBuf>,

    /// Let in only clients with a certificate of this authority (PEM)
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_cert",
        env = "REFEREE_TLS_CLIENT_CA"
    )]
    pub tls_client_ca: Option<PathBuf>,

    /// How the log is written [default: text]
    #[arg(long, value_name = "FORMAT", value_enum, env = "REFEREE_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Log every call: its method, what became of it and how long it took, nothing of what was in it
    #[arg(long)]
    pub request_log: bool,

    /// Do not show the page: a table to look at, in a browser, at the address where it listens
    #[arg(long)]
    pub no_web: bool,

    /// Tell figures to Prometheus on this address [default: nowhere]
    #[arg(long, value_name = "ADDRESS", value_parser = address, env = "REFEREE_METRICS")]
    pub metrics: Option<SocketAddr>,

    /// Send traces of calls to this collector (OTLP over gRPC), such as http://127.0.0.1:4317 [default: nowhere]
    #[arg(long, value_name = "URL", env = "REFEREE_TRACES")]
    pub traces: Option<String>,

    /// The share of calls that are traced, from 0 to 1; a call whose caller traces it is, too [default: 0.01]
    #[arg(long, value_name = "SHARE", value_parser = share, env = "REFEREE_TRACE_SHARE")]
    pub trace_share: Option<f64>,

    /// Let web pages of this origin call, such as https://example.org; may be given several times
    #[arg(
        long = "origin",
        value_name = "ORIGIN",
        env = "REFEREE_ORIGINS",
        value_delimiter = ','
    )]
    pub origins: Vec<String>,

    /// Believe this proxy when it says (x-forwarded-for) from where a call comes; may be given several times
    #[arg(
        long = "proxy",
        value_name = "ADDRESS",
        env = "REFEREE_PROXIES",
        value_delimiter = ','
    )]
    pub proxies: Vec<IpAddr>,

    /// Let in players with signed tokens of this identity provider (OpenID Connect): its issuer, such as https://id.example.org
    #[arg(
        long,
        value_name = "URL",
        requires = "identity_audience",
        env = "REFEREE_IDENTITY_ISSUER"
    )]
    pub identity_issuer: Option<String>,

    /// The audience that such tokens must have
    #[arg(
        long,
        value_name = "NAME",
        requires = "identity_issuer",
        env = "REFEREE_IDENTITY_AUDIENCE"
    )]
    pub identity_audience: Option<String>,

    /// Let hosts be told on this server whose turn it is, such as club.example; may be given several times
    #[arg(
        long = "webhook-host",
        value_name = "HOST",
        env = "REFEREE_WEBHOOK_HOSTS",
        value_delimiter = ','
    )]
    pub webhook_hosts: Vec<String>,

    /// Folders of rulesets; on the command line they are said by another flag, which every command has.
    #[arg(skip)]
    pub rulesets: Vec<PathBuf>,

    /// Offer the rulesets of --rulesets anew whenever their files change
    #[arg(long)]
    pub watch: bool,

    /// Threads that serve connections and judge quick moves [default: one fewer than there are processors, at least
    /// one: the store and what takes long have threads of their own]
    #[arg(long, value_name = "NUMBER", value_parser = threads, env = "REFEREE_THREADS")]
    pub threads: Option<NonZeroUsize>,

    /// Limits by name; on the command line one by one.
    #[arg(skip)]
    pub limits: BTreeMap<String, LimitValue>,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people, with colours on a terminal
    #[default]
    Text,
    /// A JSON object on each line, for programs
    Json,
}

impl Flags {
    /// Whether the settings are only to be shown.
    pub fn only_print(&self) -> bool {
        self.print_config
    }

    /// The settings that result, with these folders of rulesets from the command line.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or says what is not known.
    pub fn settings(self, rulesets: Vec<PathBuf>) -> Result<Settings, Trouble> {
        let file = match &self.config {
            None => Settings::default(),
            Some(path) => read(path)?,
        };
        let mut said = self.said;
        said.rulesets = rulesets;
        said.limits = self.limits.into_iter().collect();
        Ok(said.over(file))
    }
}

impl Settings {
    /// What is said here, and what a file says beside it.
    fn over(self, file: Settings) -> Settings {
        let mut limits = file.limits;
        limits.extend(self.limits);
        Settings {
            listen: self.listen.or(file.listen),
            // Memory on the command line is meant, whatever store a file names; and the other way round.
            token_file: self.token_file.or(file.token_file),
            keep_days: self.keep_days.or(file.keep_days),
            archives: self.archives.or(file.archives),
            log_format: self.log_format.or(file.log_format),
            request_log: self.request_log || file.request_log,
            memory: self.memory || (file.memory && self.store.is_none()),
            store: self.store.or(file.store).filter(|_| !self.memory),
            key: self.key.or(file.key),
            key_command: self.key_command.or(file.key_command),
            insecure: self.insecure || file.insecure,
            testing: self.testing || file.testing,
            tls_cert: self.tls_cert.or(file.tls_cert),
            tls_key: self.tls_key.or(file.tls_key),
            tls_client_ca: self.tls_client_ca.or(file.tls_client_ca),
            no_web: self.no_web || file.no_web,
            metrics: self.metrics.or(file.metrics),
            traces: self.traces.or(file.traces),
            trace_share: self.trace_share.or(file.trace_share),
            origins: said(self.origins, file.origins),
            proxies: said(self.proxies, file.proxies),
            identity_issuer: self.identity_issuer.or(file.identity_issuer),
            identity_audience: self.identity_audience.or(file.identity_audience),
            webhook_hosts: said(self.webhook_hosts, file.webhook_hosts),
            rulesets: said(self.rulesets, file.rulesets),
            watch: self.watch || file.watch,
            threads: self.threads.or(file.threads),
            limits,
        }
    }

    /// How long matches are kept; none is for ever.
    ///
    /// # Errors
    ///
    /// When a file says how long, and not where their archives go, or the other way round.
    pub fn retention(&self) -> Result<Option<Retention>, Trouble> {
        match (self.keep_days, &self.archives) {
            (None, None) => Ok(None),
            (Some(days), Some(archives)) if days > 0 => Ok(Some(Retention {
                days,
                archives: archives.clone(),
            })),
            (Some(0), _) => Err(
                Trouble::new("`keep_days` is 0: matches would go when they end")
                    .help("write how many days they stay, at least 1"),
            ),
            _ => Err(
                Trouble::new("`keep_days` and `archives` are said together").help(
                    "nothing is deleted that is not archived first: name a folder for the archives",
                ),
            ),
        }
    }

    /// Whose signed tokens are players' tokens, if anybody's.
    ///
    /// # Errors
    ///
    /// When a file says the issuer and not the audience, or the other way round.
    pub fn identity(&self) -> Result<Option<Provider>, Trouble> {
        match (&self.identity_issuer, &self.identity_audience) {
            (None, None) => Ok(None),
            (Some(issuer), Some(audience)) => Ok(Some(Provider {
                issuer: issuer.clone(),
                audience: audience.clone(),
            })),
            _ => Err(Trouble::new("`identity_issuer` and `identity_audience` are said together").help(
                "without an audience tokens would open this referee that were made for another service",
            )),
        }
    }

    /// The way to the collector of traces; none if none is named. Inside of a runtime.
    ///
    /// # Errors
    ///
    /// When it has no address, or the share is none.
    pub fn traces(&self) -> Result<Option<Traces>, Trouble> {
        let share = self.trace_share.unwrap_or(traces::SHARE);
        if !(0.0..=1.0).contains(&share) {
            return Err(Trouble::new("`trace_share` is no number from 0 to 1"));
        }
        let Some(endpoint) = &self.traces else {
            return Ok(None);
        };
        let traces = Traces::to(endpoint, share).map_err(|error| {
            Trouble::new(format!("cannot send traces to `{endpoint}`: {error}"))
                .help("write the address of a collector that speaks OTLP over gRPC, such as http://127.0.0.1:4317")
        })?;
        Ok(Some(traces))
    }

    /// With everything that is not said as it is by default: what an operator reads and changes.
    ///
    /// # Errors
    ///
    /// When a limit is not known.
    pub fn in_full(&self) -> Result<Settings, Trouble> {
        let mut all = self.clone();
        all.log_format.get_or_insert_default();
        all.trace_share.get_or_insert(traces::SHARE);
        // How many threads and how much memory there should be depends on the machine that reads the file.
        let said = |name: &str| self.limits.contains_key(name);
        let limits = self.limits()?;
        let limits = limits
            .all()
            .filter(|(name, _)| *name != "memory_mib" || said(name));
        all.limits = limits
            .map(|(name, value)| (name.to_owned(), LimitValue(value)))
            .collect();
        Ok(all)
    }

    /// The limits that result.
    ///
    /// # Errors
    ///
    /// When a name is not known.
    pub fn limits(&self) -> Result<Limits, Trouble> {
        let mut limits = Limits::default();
        for (name, value) in &self.limits {
            limits.set(name, &value.0).map_err(Trouble::new)?;
        }
        Ok(limits)
    }
}

/// A list that was said here, or else in the file.
fn said<T>(here: Vec<T>, file: Vec<T>) -> Vec<T> {
    if here.is_empty() { file } else { here }
}

fn read(path: &Path) -> Result<Settings, Trouble> {
    let named = |error: &dyn std::fmt::Display| {
        Trouble::new(format!(
            "`{}` is no file of settings: {error}",
            path.display()
        ))
        .help("`referee serve --print-config` shows what such a file looks like")
    };
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    serde_yaml::from_str(&text).map_err(|error| named(&error))
}

/// An address to listen on; a name (`localhost:7435`) is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(text)
        .map_err(|error| format!("{error}; write a host and a port, such as 127.0.0.1:7435"))?;
    found
        .next()
        .ok_or_else(|| "this name has no address".to_owned())
}

/// A share of everything.
fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "write a number from 0 to 1, such as 0.01".to_owned())
}

/// What a limit is set to: a number, or a time such as `30s`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitValue(pub String);

impl<'de> Deserialize<'de> for LimitValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Number(u64),
            Text(String),
        }
        Ok(LimitValue(match Said::deserialize(from)? {
            Said::Number(number) => number.to_string(),
            Said::Text(text) => text,
        }))
    }
}

impl Serialize for LimitValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(number) => number.serialize(to),
            Err(_) => self.0.serialize(to),
        }
    }
}

/// Parses a number of threads.
///
/// # Errors
///
/// When the text is not a number, or the number is zero.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse();
    number.map_err(|_| "write a number of threads, at least 1".to_owned())
}

/// Parses a limit with its value: `open_matches=1000`.
///
/// # Errors
///
/// When the limit is unknown, or cannot have the value.
pub fn limit(text: &str) -> Result<(String, LimitValue), String> {
    let form = "write a name and a value, such as open_matches=1000";
    let (name, value) = text.split_once('=').ok_or(form)?;
    Limits::default().set(name, value)?;
    Ok((name.to_owned(), LimitValue(value.to_owned())))
}
