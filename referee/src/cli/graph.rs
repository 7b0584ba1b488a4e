//! `referee graph`: the phase graph, drawn.

use serde::Serialize;

use super::format::{Lang, json};
use super::out::Out;
use super::outcome::{Exit, Failure};
use super::ruleset::RulesetArgs;
use referee_report::graph::{Detail, Draftsman, Drawing, dot, mermaid, svg, svg_of_phases};

/// Arguments of `graph`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Boxes are steps: yellow asks, lilac visits another phase, a box with pointed sides only directs the flow. \
Dashed arrows are visits, after which play comes back. What is drawn is the graph that runs.

Examples:
  referee graph puerto-rico --format svg > puerto-rico.svg
  referee graph puerto-rico captain --format mermaid
  referee graph san-juan --with new-buildings | dot -Tpdf -o san-juan.pdf
  referee graph puerto-rico captain --detail machine --format json

Exit codes: 0 drawn, 1 the ruleset has mistakes, 2 there is no such ruleset or phase.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Draw one phase; the phases that it visits are boxes without an inside
    #[arg(value_name = "PHASE")]
    pub phase: Option<String>,
    /// The language of the picture
    #[arg(long, value_enum, default_value_t)]
    pub format: Picture,
    /// How much is drawn
    #[arg(long, value_enum, default_value_t)]
    pub detail: Depth,
    /// Number of players [default: the fewest that the ruleset allows]
    #[arg(long, value_name = "N")]
    pub players: Option<u8>,
    /// The language of names
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
}

/// Languages of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Picture {
    /// Graphviz
    #[default]
    Dot,
    /// Mermaid, which many sites draw in Markdown
    Mermaid,
    /// A picture that any browser shows
    Svg,
    /// Boxes and arrows, for programs
    Json,
}

/// How much is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Depth {
    /// A box for each step
    #[default]
    Steps,
    /// A box for each node on which the machine can stand
    Machine,
}

/// For machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Graph<'a> {
    schema: &'static str,
    ruleset: &'a str,
    version: &'a str,
    players: u8,
    #[serde(flatten)]
    drawing: &'a Drawing,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read, or has no such phase.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let Some(ruleset) = chosen.compiled(args.players, out)? else {
        return Ok(Exit::Bad);
    };
    let detail = match args.detail {
        Depth::Steps => Detail::Steps,
        Depth::Machine => Detail::Machine,
    };
    let draftsman = Draftsman::new(&ruleset, args.lang.into(), detail);
    let drawing = match &args.phase {
        None => draftsman.whole(),
        Some(phase) => draftsman.phase(phase).ok_or_else(|| {
            let phases = draftsman.phases();
            let near = interpreter::diagnostic::did_you_mean(phase, phases.iter().copied());
            let hint = near.unwrap_or_else(|| format!("there are {}", phases.join(", ")));
            Failure::Usage(format!("there is no phase `{phase}`; {hint}"))
        })?,
    };
    let text = match args.format {
        Picture::Dot => dot(&drawing),
        Picture::Mermaid => mermaid(&drawing),
        Picture::Svg if args.phase.is_some() => svg(&drawing),
        Picture::Svg => svg_of_phases(&draftsman),
        Picture::Json => {
            let package = ruleset.package();
            json(
                out,
                &Graph {
                    schema: "referee.graph/1",
                    ruleset: &package.id.node,
                    version: &package.version,
                    players: ruleset.model().players,
                    drawing: &drawing,
                },
            )?;
            return Ok(Exit::Clean);
        }
    };
    write!(out.data, "{text}")?;
    Ok(Exit::Clean)
}
