//! `referee revision`: revisions of a ruleset at a referee that serves: listed, compared, named by channels, yanked.

use tonic::Code;

use super::diff::print_topic;
use super::environment::runtime;
use super::format::{Format, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::remote::{PublisherArgs, ServerArgs, refused};
use referee_contract::client::{Client, request_id};
use referee_contract::v1::{self, DifferenceTopic};
use referee_report::diff::{Difference, What};
use referee_store::STABLE;

/// Items of a page.
const PAGE: i32 = 200;

/// Letters of a digest that a list shows.
const LETTERS: usize = 12;

/// Arguments of `revision`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A revision is named by its ruleset and the first letters of its digest, as `list` shows them: `san-juan@3f9c`, or by \
a channel that points to it: `san-juan@next`. The ruleset alone means its current revision, the channel `stable`.

Matches keep the revision with which they were created, whatever becomes of it.

Examples:
  referee revision list san-juan
  referee revision diff san-juan@3f9c san-juan
  referee revision yank san-juan@3f9c --why \"the trader pays twice\" --token rfp_…
  referee revision restore san-juan@3f9c --token rfp_…
  referee revision current san-juan@3f9c --token rfp_…
  referee revision channel next san-juan@3f9c --token rfp_…
  referee revision channel next --remove san-juan --token rfp_…

Exit codes: 0 done, 1 `diff --exit-code` found a difference, 2 it could not be done.")]
pub struct Args {
    #[command(subcommand)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub act: Act,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub server: ServerArgs,
}

/// What is done.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Act {
    /// List the revisions that are kept there, newest first
    List {
        /// The ruleset, by its id
        #[arg(value_name = "RULESET")]
        ruleset: String,
        /// How the result is written
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Tell what differs between two revisions
    Diff {
        /// The first
        #[arg(value_name = "REVISION")]
        before: String,
        /// The second
        #[arg(value_name = "REVISION")]
        after: String,
        /// End with 1 if there is any difference
        #[arg(long)]
        exit_code: bool,
    },
    /// Make an earlier revision what its ruleset's id means
    Current {
        /// The revision
        #[arg(value_name = "REVISION")]
        revision: String,
        #[command(flatten)]
        #[allow(missing_docs, reason = "explained by its type")]
        publisher: PublisherArgs,
    },
    /// Let a channel point to a revision
    Channel {
        /// The channel
        #[arg(value_name = "CHANNEL")]
        channel: String,
        /// The revision
        #[arg(value_name = "REVISION", required_unless_present = "remove")]
        revision: Option<String>,
        /// Remove the channel of this ruleset
        #[arg(long, value_name = "RULESET", conflicts_with = "revision")]
        remove: Option<String>,
        #[command(flatten)]
        #[allow(missing_docs, reason = "explained by its type")]
        publisher: PublisherArgs,
    },
    /// Let no match be created with a revision any more; those that exist go on
    Yank {
        /// The revision
        #[arg(value_name = "REVISION")]
        revision: String,
        /// Why, in one line for everybody
        #[arg(long, value_name = "TEXT", default_value = "")]
        why: String,
        #[command(flatten)]
        #[allow(missing_docs, reason = "explained by its type")]
        publisher: PublisherArgs,
    },
    /// Take a yanking back
    Restore {
        /// The revision
        #[arg(value_name = "REVISION")]
        revision: String,
        #[command(flatten)]
        #[allow(missing_docs, reason = "explained by its type")]
        publisher: PublisherArgs,
    },
}

/// Runs the command.
///
/// # Errors
///
/// When nobody answers, there is no such revision, or the token is not a publisher's.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    runtime()?.block_on(act(args, out))
}

async fn act(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let client = args.server.connect().await?;
    match &args.act {
        Act::List { ruleset, format } => list(&client, ruleset, *format, out).await,
        Act::Diff {
            before,
            after,
            exit_code,
        } => diff(&client, before, after, *exit_code, out).await,
        Act::Current {
            revision,
            publisher,
        } => {
            let revision = found(&client, revision).await?;
            let channel = channel_of(&revision, STABLE);
            set_channel(&client, channel, &revision, publisher).await?;
            said(out, &revision, "is current")
        }
        Act::Channel {
            channel,
            revision: Some(revision),
            publisher,
            ..
        } => {
            let revision = found(&client, revision).await?;
            let name = channel_of(&revision, channel);
            set_channel(&client, name, &revision, publisher).await?;
            said(out, &revision, &format!("is what `{channel}` points to"))
        }
        Act::Channel {
            channel,
            remove,
            publisher,
            ..
        } => {
            let ruleset = format!("rulesets/{}", remove.as_deref().unwrap_or_default());
            let name = channel_of(&ruleset, channel);
            set_channel(&client, name.clone(), "", publisher).await?;
            said(out, &name, "is removed")
        }
        Act::Yank {
            revision,
            why,
            publisher,
        } => {
            yank(&client, revision, Some(why), publisher).await?;
            let revision = found(&client, revision).await?;
            said(out, &revision, "is yanked: no match is created with it")
        }
        Act::Restore {
            revision,
            publisher,
        } => {
            yank(&client, revision, None, publisher).await?;
            let revision = found(&client, revision).await?;
            said(
                out,
                &revision,
                "is restored: matches can be created with it",
            )
        }
    }
}

/// The name of a channel of the ruleset that a resource is of.
fn channel_of(resource: &str, channel: &str) -> String {
    let ruleset = resource
        .split_once("/revisions/")
        .map_or(resource, |(id, _)| id);
    format!("{ruleset}/channels/{channel}")
}

/// Lets a channel point to a revision; removes it if there is none.
async fn set_channel(
    client: &Client,
    name: String,
    revision: &str,
    publisher: &PublisherArgs,
) -> Result<(), Failure> {
    let asked = v1::SetChannelRequest {
        revision: revision.to_owned(),
        ..v1::SetChannelRequest::of(name)
    };
    let publisher = client.with_token(&publisher.token);
    let done = publisher.call(asked).await;
    done.map(drop).map_err(refused)
}

/// Yanks a revision for a reason, or restores it.
async fn yank(
    client: &Client,
    revision: &str,
    why: Option<&String>,
    publisher: &PublisherArgs,
) -> Result<(), Failure> {
    let asked = v1::YankRevisionRequest {
        revision: found(client, revision).await?,
        restore: why.is_none(),
        why: why.cloned().unwrap_or_default(),
        request_id: request_id(),
    };
    let publisher = client.with_token(&publisher.token);
    let done = publisher.call(asked).await;
    done.map(drop).map_err(refused)
}

fn said(out: &mut Out<'_>, revision: &str, what: &str) -> Result<Exit, Failure> {
    let revision = out.paint(Ink::Heading, revision);
    writeln!(out.data, "{revision} {what}")?;
    Ok(Exit::Clean)
}

/// Every revision of a ruleset, newest first.
async fn revisions(client: &Client, ruleset: &str) -> Result<Vec<v1::Revision>, Failure> {
    let mut all = Vec::new();
    let mut asked = v1::ListRevisionsRequest {
        name: format!("rulesets/{ruleset}"),
        page_size: PAGE,
        ..Default::default()
    };
    loop {
        let page = client.call(asked.clone()).await;
        let page = match page {
            Err(status) if status.code() == Code::NotFound => {
                return Err(Failure::Usage(format!(
                    "the referee knows no ruleset `{ruleset}`"
                )));
            }
            page => page.map_err(refused)?,
        };
        all.extend(page.revisions);
        asked.page_token = page.next_page_token;
        if asked.page_token.is_empty() {
            return Ok(all);
        }
    }
}

/// The digest in the name of a revision.
fn digest(revision: &v1::Revision) -> &str {
    revision.name.rsplit('/').next().unwrap_or_default()
}

/// The full name of what the user calls a revision: `san-juan`, `san-juan@next`, `san-juan@3f9c`, or that name itself.
async fn found(client: &Client, called: &str) -> Result<String, Failure> {
    if called.starts_with("rulesets/") {
        return Ok(called.to_owned());
    }
    let (ruleset, letters) = called.split_once('@').unwrap_or((called, ""));
    let all = revisions(client, ruleset).await?;
    let channel = |revision: &v1::Revision| revision.channels.iter().any(|name| name == letters);
    let is_channel = all.iter().any(channel);
    let fits = |revision: &&v1::Revision| match letters {
        "" => revision.current,
        _ if is_channel => channel(revision),
        letters => digest(revision).starts_with(letters),
    };
    let mut fitting = all.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(revision), None) => Ok(revision.name.clone()),
        (Some(_), Some(_)) => Err(Failure::Usage(format!(
            "several revisions begin with `{letters}`: give more letters"
        ))),
        (None, _) => Err(Failure::Usage(format!(
            "`{ruleset}` has no revision `{letters}`; `referee revision list {ruleset}` shows those that it has"
        ))),
    }
}

/// What a list says of a revision, for machines. Fields are added, never renamed.
#[derive(serde::Serialize)]
struct Listed<'a> {
    name: &'a str,
    version: &'a str,
    created: i64,
    current: bool,
    yanked: bool,
    why: &'a str,
    channels: &'a [String],
}

async fn list(
    client: &Client,
    ruleset: &str,
    format: Format,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let all = revisions(client, ruleset).await?;
    if format == Format::Json {
        let listed: Vec<Listed<'_>> = all
            .iter()
            .map(|revision| Listed {
                name: &revision.name,
                version: &revision.version,
                created: revision.create_time.as_ref().map_or(0, |time| time.seconds),
                current: revision.current,
                yanked: revision.yanked,
                why: &revision.yanked_why,
                channels: &revision.channels,
            })
            .collect();
        json(out, &listed)?;
        return Ok(Exit::Clean);
    }
    for revision in &all {
        let digest = digest(revision);
        let short = format!("{ruleset}@{}", digest.get(..LETTERS).unwrap_or(digest));
        let name = match revision.current {
            true => out.paint(Ink::Good, short),
            false => short,
        };
        let mut marks = Vec::new();
        if revision.current {
            marks.push("current".to_owned());
        }
        let others = revision
            .channels
            .iter()
            .filter(|channel| *channel != STABLE);
        marks.extend(others.cloned());
        if revision.yanked {
            marks.push(match revision.yanked_why.as_str() {
                "" => "yanked".to_owned(),
                why => format!("yanked: {why}"),
            });
        }
        let line = format!("{name}  {}  {}", revision.version, marks.join(", "));
        writeln!(out.data, "{}", line.trim_end())?;
    }
    Ok(Exit::Clean)
}

async fn diff(
    client: &Client,
    before: &str,
    after: &str,
    exit_code: bool,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let mut asked = v1::DiffRevisionsRequest {
        before: found(client, before).await?,
        after: found(client, after).await?,
        page_size: PAGE,
        ..Default::default()
    };
    let title = format!("{}  →  {}", asked.before, asked.after);
    writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
    let mut all: Vec<v1::RevisionDifference> = Vec::new();
    loop {
        let page = client.call(asked.clone()).await;
        let page = page.map_err(refused)?;
        all.extend(page.differences);
        asked.page_token = page.next_page_token;
        if asked.page_token.is_empty() {
            break;
        }
    }
    if all.is_empty() {
        writeln!(out.data, "{}", out.paint(Ink::Good, "no difference"))?;
    }
    for (name, topic) in [
        ("the ruleset", DifferenceTopic::Manifest),
        ("figures", DifferenceTopic::Figure),
        ("components", DifferenceTopic::Row),
        ("rules", DifferenceTopic::Rule),
        ("clauses", DifferenceTopic::Clause),
        ("names", DifferenceTopic::Name),
    ] {
        let of_it = all.iter().filter(|difference| difference.topic() == topic);
        let differences: Vec<Difference> = of_it.map(told).collect();
        print_topic(name, &differences, out)?;
    }
    Ok(match exit_code && !all.is_empty() {
        true => Exit::Bad,
        false => Exit::Clean,
    })
}

fn told(difference: &v1::RevisionDifference) -> Difference {
    Difference {
        of: difference.subject.join(" "),
        what: match (&difference.before, &difference.after) {
            (None, _) => What::Added,
            (_, None) => What::Removed,
            _ => What::Changed,
        },
        before: difference.before.clone(),
        after: difference.after.clone(),
    }
}
