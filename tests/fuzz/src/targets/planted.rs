//! Faults by design: whoever runs targets must notice each of them.

use std::time::Duration;

use referee_tests::random::Random;

use crate::Target;
use crate::mutate::bytes;

/// A target that fails when it is fed a word.
pub const TARGET: Target = Target {
    name: "planted",
    about: "a panic, a stack that overflows, a loop without end, memory without end, each behind a word",
    run,
    mutate: |input, random: &mut Random| bytes::mutate(input, random),
    seeds: || vec![b"harmless".to_vec(), b"pania".to_vec()],
    longest: 64,
};

fn run(input: &[u8]) {
    match input {
        b"panic" => panic!("it was asked to"),
        b"elsewhere" => {
            // As a server's thread does: nobody who called it is told.
            let thread = std::thread::spawn(|| panic!("on a thread of its own"));
            let _ = thread.join();
        }
        b"overflow" => {
            std::hint::black_box(deeper(u64::from(input[0])));
        }
        b"endless" => loop {
            std::thread::sleep(Duration::from_millis(10));
        },
        b"memory" => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(vec![1; 1 << 24]);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        _ => {}
    }
}

fn deeper(n: u64) -> u64 {
    let here = std::hint::black_box([n; 64]);
    match n {
        u64::MAX => 0,
        _ => deeper(n.wrapping_add(1) | 1 << 40) + here[7],
    }
}
