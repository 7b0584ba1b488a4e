//! `referee publish`: sends a ruleset to a referee that serves, where it is checked and played from then on.

use interpreter::package::Glimpse;
use prost::Message as _;

use super::environment::runtime;
use super::library::LibraryOptions;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::remote::{PublisherArgs, ServerArgs, refused};
use super::ruleset::{OverArgs, open};
use referee_contract::client::{Client, request_id};
use referee_contract::v1::{self, DiagnosticSeverity};
use referee_library::{Edition, MODULE};
use referee_store::numbers::{to_u32, to_usize};

/// Arguments of `publish`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Matches that are under way keep the revision with which they were created.

Examples:
  referee publish rulesets/san-juan --token rfp_…
  referee publish puerto-rico --with counting-house --token rfp_…    offers the house rule as a module
  referee publish my-game --channel next --token rfp_…               lets hosts try it: what the id means stays
  referee publish my-game --dry-run --token rfp_…                    checks it there and changes nothing

Exit codes: 0 published, 1 it has mistakes, 2 it could not be sent.")]
pub struct Args {
    /// A shipped ruleset by its name, or the folder of one
    #[arg(value_name = "RULESET")]
    pub ruleset: String,
    /// Put a house rule among the modules that it offers; may be repeated
    #[arg(long, value_name = "FOLDER", value_delimiter = ',')]
    pub with: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub server: ServerArgs,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub publisher: PublisherArgs,
    /// The channel that points to it from then on; `stable` is what the ruleset's id means
    #[arg(long, value_name = "CHANNEL", default_value = "stable")]
    pub channel: String,
    /// Only let the referee check it
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub library: LibraryOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When there is no such ruleset, nobody answers, or the token is not a publisher's.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let edition = edition(args)?;
    runtime()?.block_on(send(args, &edition, out))
}

/// The ruleset with the house rules among its modules.
fn edition(args: &Args) -> Result<Edition, Failure> {
    let over = OverArgs {
        with: args.with.clone(),
        ..OverArgs::default()
    };
    let chosen = open(&args.ruleset, &over, &args.library)?;
    let mut edition = Edition::new(chosen.base)?;
    for (folder, texts) in &chosen.house {
        let id = Glimpse::of(texts.get(MODULE).unwrap_or_default()).id;
        edition = edition.with_house_rule(id.as_deref().unwrap_or(folder), texts)?;
    }
    Ok(edition)
}

async fn send(args: &Args, edition: &Edition, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let client = args.server.connect().await?;
    let client = client.with_token(&args.publisher.token);
    let files = edition
        .texts
        .files
        .iter()
        .map(|(path, text)| v1::PackageFile {
            path: path.clone(),
            text: text.clone(),
        });
    let package = v1::Package {
        files: files.collect(),
    };
    fits(&client, &package).await?;
    let package = Some(package);
    let asked = v1::CheckPackageRequest {
        package: package.clone(),
        configuration: None,
    };
    let checked = client.call(asked).await;
    let checked = checked.map_err(refused)?;
    tell(&checked, out)?;
    let what = format!("{} {}", edition.id, edition.version);
    if !checked.playable {
        out.error(format_args!("{what} is not published: nothing has changed"));
        return Ok(Exit::Bad);
    }
    let asked = v1::PublishPackageRequest {
        package,
        validate_only: args.dry_run,
        request_id: request_id(),
        channel: args.channel.clone(),
    };
    let published = client.call(asked).await;
    let published = published.map_err(refused)?;
    let done = match args.dry_run {
        true => "could be published",
        false => "is published",
    };
    let what = out.paint(Ink::Heading, what);
    let revision = out.paint(Ink::Good, published.revision);
    writeln!(out.data, "{what} {done}\n  revision  {revision}")?;
    Ok(Exit::Clean)
}

/// Looks whether the referee takes a package of this size: one that does not would only cut the line.
async fn fits(client: &Client, package: &v1::Package) -> Result<(), Failure> {
    // Around the package stand a few fields of the request.
    const AROUND: usize = 256;
    let info = client.call(v1::GetServerInfoRequest {}).await;
    let limits = info.map_err(refused)?.limits;
    let Some(most) = limits.map(|limits| to_usize(limits.upload_bytes)) else {
        return Ok(());
    };
    let size = package.encoded_len() + AROUND;
    if size <= most {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the package has {size} bytes, more than the {most} that this referee takes: leave out files that are \
         not rules, or let its operator raise the limit `upload_bytes`"
    )))
}

/// What the referee found, as `referee check` would say it in short.
fn tell(checked: &v1::CheckPackageResponse, out: &mut Out<'_>) -> Result<(), Failure> {
    for found in &checked.diagnostics {
        let level = match found.severity() {
            DiagnosticSeverity::Warning => "warning",
            DiagnosticSeverity::Error | DiagnosticSeverity::Unspecified => "error",
        };
        writeln!(out.notes, "{level}[{}]: {}", found.code, found.message)?;
        if !found.path.is_empty() {
            let (path, line, column) = (&found.path, found.line, found.column);
            writeln!(out.notes, "  --> {path}:{line}:{column}")?;
        }
        if !found.help.is_empty() {
            writeln!(out.notes, "  = help: {}", found.help)?;
        }
    }
    let told = to_u32(checked.diagnostics.len());
    if checked.diagnostic_count > told {
        out.note(format_args!("{} more", checked.diagnostic_count - told));
    }
    Ok(())
}
