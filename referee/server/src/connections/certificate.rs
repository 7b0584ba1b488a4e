//! Reads from a certificate when it expires, which is a metric.

use prost_types::Timestamp;
use ring::error::Unspecified;
use ring::io::der::{Tag, read_tag_and_get_value};
use untrusted::{Input, Reader};

/// When a certificate (X.509 in DER, RFC 5280, 4.1) expires, in seconds of Unix time; none if it does not say that.
pub fn not_after(certificate: &[u8]) -> Option<i64> {
    let time = Input::from(certificate).read_all(Unspecified, |outer| {
        let certificate = value(outer, Tag::Sequence)?;
        let signed = certificate.read_all(Unspecified, |certificate| {
            let signed = value(certificate, Tag::Sequence)?;
            certificate.skip_to_end();
            Ok(signed)
        })?;
        signed.read_all(Unspecified, |signed| {
            if signed.peek(Tag::ContextSpecificConstructed0.into()) {
                // The version.
                value(signed, Tag::ContextSpecificConstructed0)?;
            }
            // The serial number, how it is signed, and who signed it.
            value(signed, Tag::Integer)?;
            value(signed, Tag::Sequence)?;
            value(signed, Tag::Sequence)?;
            let validity = value(signed, Tag::Sequence)?;
            signed.skip_to_end();
            validity.read_all(Unspecified, |validity| {
                read_tag_and_get_value(validity)?;
                read_tag_and_get_value(validity)
            })
        })
    });
    let (tag, time) = time.ok()?;
    let said = std::str::from_utf8(time.as_slice_less_safe()).ok()?;
    let (year, rest) = match tag {
        tag if tag == Tag::UTCTime.into() => {
            let (year, rest) = said.split_at_checked(2)?;
            // Two digits are of 1950 to 2049.
            let century = if year < "50" { "20" } else { "19" };
            (format!("{century}{year}"), rest)
        }
        tag if tag == Tag::GeneralizedTime.into() => {
            let (year, rest) = said.split_at_checked(4)?;
            (year.to_owned(), rest)
        }
        _ => return None,
    };
    let digits = rest.strip_suffix('Z')?;
    let part = |at: usize| digits.get(at..at + 2);
    let (month, day) = (part(0)?, part(2)?);
    let (hour, minute, second) = (part(4)?, part(6)?, part(8)?);
    let written = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    let at: Timestamp = written.parse().ok()?;
    Some(at.seconds)
}

fn value<'a>(reader: &mut Reader<'a>, tag: Tag) -> Result<Input<'a>, Unspecified> {
    match read_tag_and_get_value(reader)? {
        (found, value) if found == tag.into() => Ok(value),
        _ => Err(Unspecified),
    }
}
