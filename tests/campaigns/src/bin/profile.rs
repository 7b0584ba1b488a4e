//! Where random games spend their work: for each function of a ruleset how often it ran and how many
//! instructions it took, the same on every machine.
//!
//! `cargo run --release --locked -p referee-campaigns --features work --bin profile -- puerto-rico --players 4`

use std::error::Error;

use clap::Parser;
use interpreter::play::{Game, Seed, Work};
use referee_tests::asked::Asked;
use referee_tests::random::Random;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    asked: Asked,
    /// How many games
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// How many functions to tell of
    #[arg(long, default_value_t = 25)]
    most: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    for ruleset in args.asked.compiled()? {
        let (decisions, spent) = Work::by_function(&ruleset, || {
            let mut decisions = 0u64;
            for seed in 0..args.games {
                let mut random = Random::new(seed);
                let seed = Seed::from_number(seed);
                let mut game = Game::new(ruleset.clone(), seed, false, false).drawing();
                game.start()?;
                while !game.is_over() {
                    game.play_random(&mut || random.word())?;
                    decisions += 1;
                }
            }
            Ok::<u64, interpreter::play::Fault>(decisions)
        });
        let decisions = decisions?.max(1) as f64;
        let all: u64 = spent.iter().map(|spent| spent.instructions).sum();
        println!(
            "{} players: {:.0} instructions in a decision, {:.0} decisions in a game",
            ruleset.players(),
            all as f64 / decisions,
            decisions / args.games as f64,
        );
        println!("   part   in a decision   in a run   function");
        for one in spent.iter().take(args.most) {
            println!(
                "{:>6.2}%  {:>14.2}  {:>9.1}   {}",
                100.0 * one.instructions as f64 / all as f64,
                one.instructions as f64 / decisions,
                one.instructions as f64 / one.runs as f64,
                one.name,
            );
        }
    }
    Ok(())
}
