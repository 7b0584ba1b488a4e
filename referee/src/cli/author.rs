//! The author's commands: everything but `serve` and `demo`.
//!
//! Each command is a room with its arguments and one function `run`. A command writes what it was
//! asked for to [`Out::data`] (standard output) and everything else, such as progress and hints, to
//! [`Out::notes`] (standard error), and says with [`Exit`] what scripts need to know. What the
//! commands print is made in [`report`](referee_report), which knows nothing of a command line.

use std::process::ExitCode;

use super::out::Out;
use super::outcome::{Exit, Failure};
use super::{
    admin, check, completions, coverage, diff, doc, explain, fmt, graph, new, play, prove, publish,
    review, revision, schema, show, simulate, snapshot, source, test, watch,
};

/// The author's commands.
#[derive(Debug, clap::Subcommand)]
pub enum Author {
    /// Begin a ruleset or a module: a skeleton that checks and plays, with its first scenarios
    New(new::Args),
    /// Check a ruleset: every mistake at once, with its place and how to mend it
    Check(check::Args),
    /// Show a phase, a component, a table or a clause with everything that belongs to it
    Show(show::Args),
    /// Write the ruleset as a book: clauses, proofs, components, phases, index
    Doc(doc::Args),
    /// Draw the phase graph, whole or one phase
    Graph(graph::Args),
    /// Run the scenarios of rulesets
    Test(test::Args),
    /// Show which rules and scenarios prove each paragraph of the rulebook, and every gap
    Coverage(coverage::Args),
    /// Plant mistakes in the rules, one at a time, and look whether a scenario notices
    Prove(prove::Args),
    /// Tie the rules to the text of a printed edition, of which digests alone are kept
    Source(source::Args),
    /// Go through what is not accepted yet, accept it, and sign it
    Review(review::Args),
    /// Compare two rulesets: figures, rules, clauses, scenarios, and what that does to play
    Diff(diff::Args),
    /// Play many games and count what happens in them
    Simulate(simulate::Args),
    /// Play a match at the terminal
    Play(play::Args),
    /// Write `.rules` files anew: indentation and citations in their columns
    Fmt(fmt::Args),
    /// Check and test whenever a file is saved
    Watch(watch::Args),
    /// Play accepted games again: what differs, and whether to accept it
    Snapshot(snapshot::Args),
    /// Send a ruleset to a referee that serves: from then on it is what its id means
    Publish(publish::Args),
    /// List and compare the revisions that a referee keeps; make one current, yank one
    Revision(revision::Args),
    /// Find, end and delete matches of every host, erase names, give rulesets away
    Admin(admin::Args),
    /// JSON Schemas of the YAML files, for editors
    Schema(schema::Args),
    /// What shells read to complete this command
    Completions(completions::Args),
    /// Explain the code of a mistake, such as RF0301
    Explain(explain::Args),
}

impl Author {
    /// Runs the command on the standard streams and says how it ended: 0 clean, 1 what was asked about
    /// is bad, 2 it could not be done. `program` is the command whose part this is.
    pub fn run(&self, program: fn() -> clap::Command) -> ExitCode {
        let (mut data, mut notes) = (std::io::stdout().lock(), std::io::stderr().lock());
        let mut out = Out::standard(&mut data, &mut notes);
        ExitCode::from(self.run_with(program, &mut out))
    }

    /// Runs the command and gives its exit code. Why it could not be done goes to [`Out::notes`].
    pub fn run_with(&self, program: fn() -> clap::Command, out: &mut Out<'_>) -> u8 {
        let result = match self {
            Author::New(args) => new::run(args, out),
            Author::Check(args) => check::run(args, out),
            Author::Show(args) => show::run(args, out),
            Author::Doc(args) => doc::run(args, out),
            Author::Graph(args) => graph::run(args, out),
            Author::Test(args) => test::run(args, out),
            Author::Coverage(args) => coverage::run(args, out),
            Author::Prove(args) => prove::run(args, out),
            Author::Source(args) => source::run(args, out),
            Author::Review(args) => review::run(args, out),
            Author::Diff(args) => diff::run(args, out),
            Author::Simulate(args) => simulate::run(args, out),
            Author::Play(args) => play::run(args, out),
            Author::Fmt(args) => fmt::run(args, out),
            Author::Watch(args) => watch::run(args, out),
            Author::Snapshot(args) => snapshot::run(args, out),
            Author::Publish(args) => publish::run(args, out),
            Author::Revision(args) => revision::run(args, out),
            Author::Admin(args) => admin::run(args, out),
            Author::Schema(args) => schema::run(args, out),
            Author::Completions(args) => completions::run(args, program(), out),
            Author::Explain(args) => explain::run(args, out),
        };
        match result {
            Ok(Exit::Clean) => 0,
            Ok(Exit::Bad) => 1,
            // Whoever reads has seen enough, as `head` has.
            Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
            Err(failure) => {
                out.error(&failure);
                2
            }
        }
    }
}
