//! How many random games a ruleset plays in a second, on one thread, every question's legal moves found.
//!
//! `cargo run --release --locked -p referee-performance --example games -- puerto-rico --players 4`
//!
//! The rules are made machine code first; `--interpreted` does without.
//!
//! Every run is preceded by a piece of work that has nothing to do with games and is always the same: what it
//! took tells how fast the processor was just then, so that figures of other days and machines can be compared.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use interpreter::Ruleset;
use interpreter::play::{Fault, Game, Seed};
use referee_tests::asked::Asked;
use referee_tests::random::Random;

/// As the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    asked: Asked,
    /// How many games a run plays
    #[arg(long, default_value_t = 2000)]
    games: u64,
    /// How many runs
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Interprets the bytecode instead of making machine code of it
    #[arg(long)]
    interpreted: bool,
}

/// Sorts lists of random numbers: comparisons, branches and moves within the nearest cache.
fn yardstick() -> Duration {
    let began = Instant::now();
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let mut list: Vec<u64> = (0..1000).map(|_| random.word()).collect();
        list.sort_unstable();
        std::hint::black_box(list);
    }
    began.elapsed()
}

/// Plays games from different seeds; how many decisions they had, forced ones not counted.
fn play(ruleset: &Arc<Ruleset>, games: u64) -> Result<u64, Fault> {
    let mut decisions = 0;
    for seed in 0..games {
        let mut random = Random::new(seed);
        let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false).drawing();
        game.start()?;
        while !game.is_over() {
            game.play_random(&mut || random.word())?;
            decisions += 1;
        }
    }
    Ok(decisions)
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    println!("players  games/s (least to most)  decisions in a game  ns a decision  yardstick ms");
    for mut ruleset in args.asked.compiled()? {
        if !args.interpreted {
            ruleset = ruleset.natively()?;
        }
        let (mut rates, mut yardsticks, mut decisions) = (Vec::new(), Vec::new(), 0);
        for _ in 0..args.runs.max(1) {
            yardsticks.push(yardstick().as_secs_f64() * 1e3);
            let began = Instant::now();
            decisions = play(&ruleset, args.games)?;
            rates.push(args.games as f64 / began.elapsed().as_secs_f64());
        }
        let rate = median(&mut rates);
        let each = decisions as f64 / args.games as f64;
        println!(
            "{:>7}  {rate:>7.0} ({:.0} to {:.0})  {each:>19.0}  {:>13.0}  {:>12.1}",
            ruleset.players(),
            rates[0],
            rates[rates.len() - 1],
            1e9 / rate / each,
            median(&mut yardsticks),
        );
    }
    Ok(())
}
