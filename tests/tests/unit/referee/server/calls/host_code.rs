//! Tests of the module `server::calls::host_code`.

use referee::server::calls::host_code::HostCode;

#[test]
fn a_code_opens_once_and_not_for_long() {
    let codes = HostCode::default();
    assert!(!codes.open("", 0));
    let code = codes.make(1_000).expect("entropy");
    assert!(!codes.open("rfo_other", 1_001));
    assert!(codes.open(&code, 600_999));
    assert!(!codes.open(&code, 600_999), "it was used");
    let late = codes.make(1_000).expect("entropy");
    assert!(!codes.open(&late, 601_000));
    let replaced = codes.make(0).expect("entropy");
    assert!(codes.open(&codes.make(0).expect("entropy"), 1));
    assert!(!codes.open(&replaced, 1));
}
