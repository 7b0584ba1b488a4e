//! What the programs of this package share.

#[doc(hidden)]
pub use libfuzzer_sys;

use referee_fuzz::{Target, mutated};
use referee_tests::random::Random;

/// One input of three is changed as libFuzzer changes bytes, the others as the target does.
const OWN: u32 = 3;

/// Changes the input in `data`, of which the first `size` bytes are in use; gives how many are then.
pub fn mutate(target: &Target, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    if seed.is_multiple_of(OWN) {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    }
    let mut random = Random::new(u64::from(seed));
    let made = mutated(target, &data[..size], &mut random);
    let length = made.len().min(most).min(data.len());
    data[..length].copy_from_slice(&made[..length]);
    length
}

/// The program of a target.
#[macro_export]
macro_rules! program {
    ($target:expr) => {
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| ($target.run)(data));
        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8],
                                              size: usize,
                                              most: usize,
                                              seed: u32| {
            $crate::mutate(&$target, data, size, most, seed)
        });
    };
}
