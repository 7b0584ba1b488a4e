//! Tests of the module `server::connections::certificate`.

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use referee::server::connections::certificate::not_after;

#[test]
fn a_certificate_says_when_it_expires() {
    for (year, month, day, seconds) in [
        (1999, 12, 31, 946_598_400),
        (2027, 2, 3, 1_801_612_800),
        // From 2050 on it is written otherwise.
        (2051, 1, 1, 2_556_144_000),
    ] {
        let mut params = CertificateParams::new(vec!["localhost".into()]).unwrap();
        params.not_after = date_time_ymd(year, month, day);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        assert_eq!(not_after(certificate.der()), Some(seconds), "{year}");
        let der = certificate.der();
        for length in 0..der.len() {
            assert_eq!(not_after(&der[..length]), None);
        }
    }
    assert_eq!(not_after(b"no certificate"), None);
}
