//! A referee that serves, as commands speak to it: where it is, who asks, and why it refused.

use tonic::{Code, Status};

use super::author::Failure;
use crate::client::{Client, error_info};

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
}

impl ServerArgs {
    /// A connection.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    pub(super) async fn connect(&self) -> Result<Client, Failure> {
        Client::connect(&self.server).await.map_err(|_| {
            Failure::Usage(format!(
                "nobody answers at `{}`: start a referee with `referee serve`, or say where it listens with `--server`",
                self.server
            ))
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

/// Why the referee refused, with what to do about it.
pub(super) fn refused(status: Status) -> Failure {
    let reason = error_info(&status).map(|info| info.reason);
    let mend = match (status.code(), reason.as_deref()) {
        (Code::Unauthenticated | Code::PermissionDenied, _) => {
            "; the token of a publisher, `rfp_…`, comes from `referee token new publisher` beside its store, or from an \
             administrator"
        }
        (_, Some("REVISION_YANKED")) => "; `referee revision restore` does that",
        (_, Some("LIMIT_REACHED")) => "; the operator of the referee sets its limits",
        (Code::NotFound, _) => "; `referee revision list` shows the revisions of a ruleset",
        (Code::Unavailable, _) => "; try again",
        _ => "",
    };
    Failure::Usage(format!("the referee refused: {}{mend}", status.message()))
}
