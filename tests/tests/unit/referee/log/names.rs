//! Tests of the module `log::names`.

use referee::log::names::{Names, named, salted, strip};
use referee::log::v1::SeatClaimed;
use referee::log::v1::entry::Body;

#[test]
fn an_entry_tells_no_name_and_gets_it_back() {
    let row = salted("Ada".into()).unwrap();
    assert_ne!(
        salted("Ada".into()).unwrap().digest,
        row.digest,
        "each has a salt of its own"
    );
    let claimed = Body::SeatClaimed(SeatClaimed {
        seat: 1,
        display_name: "Ada".into(),
        name: row.digest.to_vec(),
    });
    let mut kept = claimed.clone();
    strip(&mut kept);
    assert_ne!(kept, claimed);
    assert_eq!(named(&kept), Some(row.digest));
    let mut read = kept.clone();
    Names::from_iter([(row.digest, row.name)]).fill(&mut read);
    assert_eq!(read, claimed);
    let mut erased = kept.clone();
    Names::default().fill(&mut erased);
    assert_eq!(erased, kept);
}

#[test]
fn an_entry_of_before_keeps_its_name() {
    let claimed = Body::SeatClaimed(SeatClaimed {
        seat: 1,
        display_name: "Ada".into(),
        name: Vec::new(),
    });
    let mut kept = claimed.clone();
    strip(&mut kept);
    assert_eq!(kept, claimed);
}
