//! Ten thousand near misses of each shipped title: each refusal must name what forbids the move.
//!
//! `cargo run --release --locked -p referee-campaigns --bin near_misses [-- TITLE…] [--each 10000] [--told]`

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use referee_tests::refusals::{Extent, refusals, titles};

#[derive(Parser)]
struct Args {
    /// Titles by their ids; all if left out
    titles: Vec<String>,
    /// Refused moves for each title
    #[arg(long, default_value_t = 10_000)]
    each: usize,
    /// Print what refusals say, each once
    #[arg(long)]
    told: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut sound = true;
    for (title, rulesets) in titles() {
        if !args.titles.is_empty() && !args.titles.iter().any(|of| of == title) {
            continue;
        }
        let began = Instant::now();
        let pairs: Vec<_> = rulesets.iter().map(|r| (r.clone(), r.clone())).collect();
        let extent = Extent {
            refused: args.each,
            questions: 400,
            greedy: true,
        };
        let tally = refusals(&pairs, extent);
        println!(
            "{title}: {} refused {:?} {:?}, {} without a clause; {} held against gates, {} of them refused by several; {} texts; {:.0?}",
            tally.all_refused(),
            tally.refused,
            tally.reasons,
            tally.without_clause,
            tally.weighed.0,
            tally.weighed.1,
            tally.texts.len(),
            began.elapsed(),
        );
        for (about, example) in &tally.wrong {
            println!("  {about}\n    {example}");
            sound = false;
        }
        if args.told {
            println!("{}", tally.told());
        }
    }
    match sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
