//! Tests of the module `at_once`.

use referee::at_once::{AtOnce, Full};

#[test]
fn each_has_a_share_of_its_own_and_nobody_is_remembered() {
    let checks = AtOnce::default();
    let first = checks.enter("one", 2).expect("the first");
    let second = checks.enter("one", 2).expect("the second");
    assert!(checks.enter("one", 2).is_none());
    let others = checks.enter("other", 2).expect("somebody else's");
    let full = |who, of_all| checks.enter_among(who, 2, Some(of_all)).err();
    assert_eq!(full("other", 3), Some(Full::All));
    assert_eq!(full("one", 4), Some(Full::Own));
    drop(first);
    let third = checks.enter("one", 2).expect("one is done");
    drop((second, third, others));
    assert!(checks.is_empty());
}
