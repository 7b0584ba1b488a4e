use interpreter::play::state::memory::{Looker, Memory};
use interpreter::program::regions::Reads;

#[test]
fn who_looks_is_told_of_what_it_reads_alone() {
    let ending = [Reads::Some(vec![1])];
    let watch = [Reads::Some(vec![1, 2])];
    let mut memory = Memory::new(3, &ending, &watch);
    assert_eq!(memory.look(Looker::Endings).0, Some(0), "all is new");
    assert_eq!(memory.look(Looker::Endings).0, None);
    assert_eq!(memory.look(Looker::Watches).0, None, "it held before");
    memory.touch(0);
    memory.touch(2);
    assert_eq!(memory.look(Looker::Endings).0, None);
    let since = memory
        .look(Looker::Watches)
        .0
        .expect("something was written");
    assert!(memory.is_new(&watch[0], since));
    assert!(!memory.is_new(&ending[0], since));
    memory.touch(1);
    memory.settle(Looker::Watches);
    assert_eq!(memory.look(Looker::Watches).0, None);
    assert!(memory.look(Looker::Endings).0.is_some());
    memory.forget();
    assert!(memory.look(Looker::Endings).0.is_some());
    assert!(memory.look(Looker::Watches).0.is_some());
}
