//! How long it takes to find the legal moves of a decision: for each decision of random games, from
//! the state alone, with every fixed argument listed and every open parameter counted.
//!
//! `cargo run --release --locked -p referee-performance --example decision_times -- san-juan --players 4`

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Parser;
use interpreter::play::{Match, Seed};
use referee_tests::asked::Asked;
use referee_tests::random::Random;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    asked: Asked,
    /// How many games
    #[arg(long, default_value_t = 200)]
    games: u64,
}

/// The time below which so many of a thousand are.
fn quantile(sorted: &[Duration], thousandths: usize) -> f64 {
    let at = (sorted.len() * thousandths / 1000).min(sorted.len() - 1);
    sorted[at].as_secs_f64() * 1e6
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    println!("players  decisions   median µs   p99 µs   p99.9 µs   longest µs");
    for ruleset in args.asked.compiled()? {
        let mut times = Vec::new();
        for seed in 0..args.games {
            let mut random = Random::new(seed);
            let mut played = Match::new(ruleset.clone(), Seed::from_number(seed), false)?;
            while let Some(&seat) = played.waiting().first() {
                let began = Instant::now();
                played.look_again().expect("no fault");
                std::hint::black_box(played.question(seat));
                times.push(began.elapsed());
                let mv = played.sample(seat, &mut || random.word()).expect("a move");
                played.apply(seat, &mv).expect("it is legal");
            }
        }
        times.sort_unstable();
        println!(
            "{:>7}  {:>9}  {:>10.1}  {:>7.1}  {:>9.1}  {:>11.1}",
            ruleset.players(),
            times.len(),
            quantile(&times, 500),
            quantile(&times, 990),
            quantile(&times, 999),
            quantile(&times, 1000),
        );
    }
    Ok(())
}
