//! Tests of the module `players::random`.

use referee::players::Random;

#[test]
fn words_are_those_of_the_published_generator() {
    // The first outputs of xoshiro256++ from the state 1, 2, 3, 4.
    let mut random = Random::from_state([1, 2, 3, 4]);
    let words: Vec<u64> = (0..4).map(|_| random.word()).collect();
    assert_eq!(
        words,
        [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386
        ]
    );
}

#[test]
fn streams_differ() {
    let first = |seed, stream| Random::new(seed, stream).word();
    assert_eq!(first(7, 0), first(7, 0));
    assert_ne!(first(7, 0), first(7, 1));
    assert_ne!(first(7, 0), first(8, 0));
}
