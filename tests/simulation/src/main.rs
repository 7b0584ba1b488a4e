//! Simulates the whole service: `cargo run --release -p referee-simulation -- --help`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use referee_simulation::simulation::simulate;

/// Simulates the whole service in one thread, from one seed.
#[derive(Parser)]
struct Arguments {
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps, after which everything comes to its end.
    #[arg(long, default_value_t = 100_000)]
    steps: u64,
    /// Write everything that happens into this file.
    #[arg(long)]
    trace: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let to = arguments.trace.as_ref().map(File::create).transpose();
    let to = match to {
        Ok(to) => to.map(|file| Box::new(BufWriter::new(file)) as Box<_>),
        Err(error) => {
            eprintln!("error: the trace cannot be written: {error}");
            return ExitCode::from(2);
        }
    };
    match simulate(arguments.seed, arguments.steps, to) {
        Ok(report) => {
            println!("{report:#?}");
            match report.faults.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
