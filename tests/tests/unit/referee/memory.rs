//! Tests of the module `memory`.

use referee::memory::{Gauge, sensible_mib};

const MIB: u64 = 1 << 20;

#[test]
fn memory_that_is_used_is_seen() {
    let mut gauge = Gauge::default();
    let before = gauge.resident().expect("it is told");
    let used = vec![1u8; 64 << 20];
    let with = gauge.resident().expect("it is told");
    assert!(with >= before + used.len() as u64 / 2, "{before}, {with}");
    assert!(with / MIB < u64::from(sensible_mib()), "{with}");
}
