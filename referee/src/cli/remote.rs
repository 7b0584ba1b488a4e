//! A referee that serves, as commands speak to it: where it is, who asks, and why it refused.

use std::path::PathBuf;

use tonic::{Code, Status};

use super::outcome::Failure;
use referee_contract::client::{Client, error_info};

/// Where the referee is.
#[derive(Clone, Debug, clap::Args)]
pub struct ServerArgs {
    /// Where the referee listens
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "REFEREE_SERVER",
        default_value = "http://127.0.0.1:7435"
    )]
    pub server: String,
    /// Certificates (PEM) that are trusted instead of the system's, for an address with `https`
    #[arg(long, global = true, value_name = "FILE", env = "REFEREE_CA")]
    pub ca: Option<PathBuf>,
}

impl ServerArgs {
    /// A connection.
    ///
    /// # Errors
    ///
    /// When nobody answers, or with a certificate that is not trusted.
    pub(super) async fn connect(&self) -> Result<Client, Failure> {
        let (server, ca) = (&self.server, &self.ca);
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error| {
                Failure::Usage(format!("cannot read `{}`: {error}", path.display()))
            })
        };
        if ca.is_some() && !server.starts_with("https:") {
            let problem = format!("`--ca` is for an address with `https`, `{server}` is none");
            return Err(Failure::Usage(problem));
        }
        let authorities = ca.as_ref().map(read).transpose()?;
        let connected = Client::connect_trusting(server, authorities).await;
        connected.map_err(|error| {
            // The library says at the end of a chain of causes what has really happened.
            let mut cause: &dyn std::error::Error = &error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            let cause = cause.to_string();
            Failure::Usage(match (cause.contains("cert"), ca) {
                (true, Some(ca)) => format!(
                    "the referee at `{server}` is not trusted ({cause}): its certificate is not vouched for by those in \
                     `{}`, has expired or is for another name",
                    ca.display()
                ),
                (true, None) => format!(
                    "the referee at `{server}` is not trusted ({cause}): name the certificate of who vouches for it with \
                     `--ca`"
                ),
                (false, _) => format!(
                    "nobody answers at `{server}`: start a referee with `referee serve`, or say where it listens with \
                     `--server`"
                ),
            })
        })
    }
}

/// Who publishes.
#[derive(Clone, Debug, clap::Args)]
pub struct PublisherArgs {
    /// The token of a publisher, `rfp_…`: `referee token new publisher` makes one
    #[arg(
        long,
        value_name = "TOKEN",
        env = "REFEREE_PUBLISHER_TOKEN",
        hide_env_values = true
    )]
    pub token: String,
}

/// Why the referee refused a publisher, with what to do about it.
pub(super) fn refused(status: Status) -> Failure {
    let mend = match status.code() {
        Code::NotFound => "; `referee revision list` shows the revisions of a ruleset",
        _ => "",
    };
    let token = "a publisher, `rfp_…`, comes from `referee token new publisher`";
    Failure::Usage(why(token, &status) + mend)
}

/// As [`refused`], of whoever else asks; `token` says where one comes from that the referee would take.
pub(super) fn refused_for(token: &str, status: Status) -> Failure {
    Failure::Usage(why(token, &status))
}

fn why(token: &str, status: &Status) -> String {
    let reason = error_info(status).map(|info| info.reason);
    let mend = match (status.code(), reason.as_deref()) {
        (_, Some("RULESET_OWNED")) => "; `referee admin give` does that".to_owned(),
        (Code::Unauthenticated | Code::PermissionDenied, _) => {
            format!("; the token of {token} beside its store, or from an administrator")
        }
        (_, Some("REVISION_YANKED")) => "; `referee revision restore` does that".to_owned(),
        (_, Some("LIMIT_REACHED")) => "; the operator of the referee sets its limits".to_owned(),
        (Code::Unavailable, _) => "; try again".to_owned(),
        _ => String::new(),
    };
    format!("the referee refused: {}{mend}", status.message())
}
