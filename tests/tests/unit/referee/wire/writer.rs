//! Tests of the module `wire::writer`.

use prost::Message;
use referee::wire::Writer;

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, tag = "1")]
    number: u64,
    #[prost(int64, optional, tag = "2")]
    signed: Option<i64>,
    #[prost(string, tag = "3")]
    text: String,
    #[prost(message, repeated, tag = "40")]
    within: Vec<Sample>,
}

fn write(sample: &Sample, writer: &mut Writer) {
    writer.number(1, sample.number);
    if let Some(signed) = sample.signed {
        writer.present(2, signed.cast_unsigned());
    }
    writer.text(3, &sample.text);
    for (i, sample) in sample.within.iter().enumerate() {
        match i % 2 {
            0 => writer.message(40, |writer| write(sample, writer)),
            _ => writer.made(40, sample),
        }
    }
}

#[test]
fn what_is_written_is_what_prost_writes() {
    let short = Sample {
        signed: Some(0),
        text: "wharf".into(),
        ..Sample::default()
    };
    // Lengths that take one byte, two and three.
    for repeated in [0, 1, 20, 2000] {
        let sample = Sample {
            number: 300,
            signed: Some(-1),
            text: "quay ".repeat(repeated),
            within: vec![short.clone(); repeated],
        };
        let outer = Sample {
            within: vec![Sample::default(), sample],
            ..Sample::default()
        };
        let mut writer = Writer::default();
        write(&outer, &mut writer);
        assert_eq!(writer.into_bytes(), outer.encode_to_vec(), "{repeated}");
    }
}
