//! Tests of the module `server::calls::status`.

use interpreter::package::Language;
use prost::Message as _;
use referee::server::calls::status::{
    DETAILS, Failure, Refused, TEXT, language, move_field, reason_name,
};
use referee::wire::v1;
use referee::wire::v1::Reason;
use tonic::Code;
use tonic::metadata::MetadataMap;
use tonic_types::pb;

#[test]
fn every_reason_has_a_code_and_a_name() {
    for number in 0..200 {
        let Ok(reason) = Reason::try_from(number) else {
            continue;
        };
        let status = Failure::new(reason, "why").status(Language::English);
        assert_ne!(status.code(), Code::Ok);
        assert_ne!(status.code(), Code::Unknown);
        let name = reason_name(reason);
        assert!(!name.starts_with("REASON_") && name.len() <= 63, "{name}");
        if reason != Reason::Unspecified && reason != Reason::Internal {
            assert_ne!(
                status.code(),
                Code::Internal,
                "{name} is no mistake of ours"
            );
        }
    }
}

#[test]
fn whatever_was_sent_the_answer_can_be_read() {
    let long = "\u{202e}x".repeat(5_000);
    let failure =
        Failure::new(Reason::ConfigurationInvalid, long.clone()).with("limit", long.clone());
    let failure = (0..200).fold(failure, |failure, i| {
        failure.violation(format!("options[{i}] {long}"), long.clone())
    });
    let status = failure.status(Language::English);
    assert!(status.message().len() <= TEXT && status.message().ends_with('…'));
    assert!(
        status.details().len() < DETAILS,
        "{}",
        status.details().len()
    );
    let details = pb::Status::decode(status.details())
        .expect("a status")
        .details;
    let fields = details
        .iter()
        .find(|any| any.type_url.ends_with("BadRequest"));
    let fields = pb::BadRequest::decode(&fields.expect("fields").value[..]);
    assert!(
        fields.expect("fields").field_violations[0]
            .field
            .starts_with("options[0]")
    );
}

#[test]
fn the_language_is_the_first_one_asked_for() {
    for (asked, expected) in [
        ("pl", Language::Polish),
        ("pl-PL,pl;q=0.9,en;q=0.5", Language::Polish),
        ("en-GB, pl", Language::English),
        ("", Language::English),
        ("de", Language::English),
    ] {
        let mut metadata = MetadataMap::new();
        metadata.insert("accept-language", asked.parse().unwrap());
        assert_eq!(language(&metadata), expected, "{asked}");
    }
}

#[test]
fn details_stay_small_enough_for_trailers() {
    let alternative = v1::Move {
        name: "place".repeat(300),
        arguments: Vec::new(),
    };
    let detail = v1::Refusal {
        alternatives: vec![alternative; 5],
        ..Default::default()
    };
    let refused = Refused {
        subject: move_field(0).into(),
        detail,
        en: "no".into(),
        pl: "nie".into(),
    };
    let failure = Failure::new(Reason::MoveRefused, "no").with_refusal(refused);
    let status = failure.status(Language::English);
    assert!(
        status.details().len() < DETAILS + 512,
        "{}",
        status.details().len()
    );
}
