//! Tests of the module `random`.

use referee::random::SplitMix64;

#[test]
fn words_are_those_of_the_published_generator() {
    let mut random = SplitMix64::new(1_234_567);
    let words = [0; 3].map(|_| random.word());
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ];
    assert_eq!(words, published);
}
