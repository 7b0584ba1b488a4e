//! Tests of the module `store::memory`.

use referee::clock::Clock;
use referee::store::memory::Memory;

#[test]
fn conforms() {
    referee::store::conformance::check(&Memory::default());
    let [one, other] = &Memory::shared(2, &Clock::system())[..] else {
        unreachable!("two were asked for");
    };
    referee::store::conformance::check(one);
    referee::store::conformance::check_shared(one, other);
}
