use interpreter::play::state::registers::{FILLED, NONSENSE, REGISTERS, Registers};

#[test]
fn who_needs_some_gets_those_that_were_given_back() {
    let mut first = Registers::of(&[7, 8]);
    assert_eq!((first.len(), first[0], first[1]), (REGISTERS, 7, 8));
    assert!(first.clone().is_empty());
    let (place, _) = (first.as_ptr(), first.release());
    assert!(first.is_empty());
    let second = Registers::of(&[9]);
    assert_eq!((second.as_ptr(), second[0]), (place, 9));
    assert_eq!(second[1] == NONSENSE, FILLED);
}
