//! The only place that chooses gRPC codes.
//!
//! Everything that can go wrong is a [`Failure`]: a [`Reason`] of the catalogue in
//! `proto/referee/v1/error.proto`, and what a client needs to act on it. A status carries exactly one
//! `ErrorInfo`; its text is for people, its reason and metadata for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use http::header::ACCEPT_LANGUAGE;
use interpreter::diagnostic::{Rejected, Severity};
use interpreter::package::Language;
use interpreter::play::{Refusal, RefusalReason, Seat};
use prost::Message as _;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};
use tonic_types::pb;

use referee_contract::convert::{Malformed, Outward, Path, seat_number};
use referee_contract::v1::{self, Reason};
use referee_store::{MatchState, StoreError};
use referee_table::TableError;

/// The domain of every reason.
pub const DOMAIN: &str = "referee.v1";

/// Clients read at most about 8 KiB of trailers; in them details are written a third longer.
pub const DETAILS: usize = 4 << 10;

/// Bytes of one text in them; a longer one is cut. Whatever is not ASCII is written thrice as long in the message.
pub const TEXT: usize = 400;

/// Bytes of what is told of fields that cannot be read: the first of them, as many as fit.
const VIOLATIONS: usize = DETAILS / 2;

/// How long a client waits before it tries again.
const RETRY: Duration = Duration::from_millis(500);

/// Why a call failed.
#[derive(Debug)]
pub struct Failure {
    reason: Reason,
    message: String,
    metadata: Vec<(&'static str, String)>,
    violations: Vec<Malformed>,
    refusal: Option<Box<Refused>>,
}

/// `google.rpc.ErrorInfo` with its metadata in order: the same failure is the same bytes.
#[derive(Clone, PartialEq, prost::Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

/// A refusal with its texts.
#[derive(Debug)]
pub struct Refused {
    /// Which move, as the field of the request that has it.
    pub subject: String,
    /// The refusal as clients get it.
    pub detail: v1::Refusal,
    /// Its text in English.
    pub en: String,
    /// Its text in Polish.
    pub pl: String,
}

/// The language that a caller asks for; English unless Polish comes first.
pub fn language(metadata: &MetadataMap) -> Language {
    let asked = metadata
        .as_ref()
        .get(ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let first = asked
        .split([',', ';', '-'])
        .next()
        .unwrap_or_default()
        .trim();
    if first.eq_ignore_ascii_case("pl") {
        Language::Polish
    } else {
        Language::English
    }
}

impl Failure {
    /// A ruleset that has mistakes.
    pub fn not_playable() -> Failure {
        Failure::new(
            Reason::RulesetNotPlayable,
            "this ruleset has mistakes and cannot be played",
        )
    }

    /// A ruleset that has mistakes, or that cannot be played as it was chosen: by the first of them.
    pub fn rejected(why: &Rejected) -> Failure {
        let errors = why.diagnostics.list.iter();
        let Some(first) = errors.into_iter().find(|d| d.severity == Severity::Error) else {
            return Failure::not_playable();
        };
        let help = first.help.as_ref();
        let help = help.map_or_else(String::new, |help| format!("; {help}"));
        Failure::new(
            Reason::RulesetNotPlayable,
            format!(
                "this ruleset cannot be played as it is chosen: {}{help} ({})",
                first.message, first.code
            ),
        )
    }

    /// For a reason, with a text in English: lower case, no period.
    pub fn new(reason: Reason, message: impl Into<String>) -> Failure {
        Failure {
            reason,
            message: message.into(),
            metadata: Vec::new(),
            violations: Vec::new(),
            refusal: None,
        }
    }

    /// Something that is not there, or not the caller's: the same in every case.
    pub fn not_found() -> Failure {
        Failure::new(
            Reason::NotFound,
            "there is no such thing here, or it is not yours",
        )
    }

    /// A field that cannot be read.
    pub fn field(field: impl Into<String>, problem: impl Into<String>) -> Failure {
        Malformed::new(field, problem).into()
    }

    /// The referee stops.
    pub fn stopping() -> Failure {
        Failure::new(Reason::ShuttingDown, "the referee is shutting down")
    }

    /// A mistake of ours. What it was is in the referee's own log only, under the incident's id.
    pub fn internal(what: &str) -> Failure {
        let incident = uuid::Uuid::new_v4().simple().to_string();
        tracing::error!(%incident, what, "a call failed by a mistake of ours");
        Failure::new(
            Reason::Internal,
            "the referee made a mistake; its log has it",
        )
        .with("incident", incident)
    }

    /// Adds a value for programs.
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Failure {
        self.metadata.push((key, value.into()));
        self
    }

    /// Adds a field that cannot be read.
    pub fn violation(mut self, field: impl Into<String>, problem: impl Into<String>) -> Failure {
        self.violations.push(Malformed::new(field, problem));
        self
    }

    /// Adds the refusal of a move.
    pub fn with_refusal(mut self, refused: Refused) -> Failure {
        self.refusal = Some(Box::new(refused));
        self
    }

    /// Says which move of a request it is of, from zero.
    fn of_move(mut self, index: usize) -> Failure {
        for violation in &mut self.violations {
            if let Some(rest) = violation.field.strip_prefix("move") {
                violation.field = format!("{}{rest}", move_field(index));
            }
        }
        if let Some(refused) = &mut self.refusal {
            refused.subject = move_field(index).into();
        }
        self.with("move_index", index.to_string())
    }

    /// What it says to people.
    pub fn text(&self, language: Language) -> String {
        match (&self.refusal, language) {
            (Some(refused), Language::English) => refused.en.clone(),
            (Some(refused), Language::Polish) => refused.pl.clone(),
            (None, _) => self.message.clone(),
        }
    }

    /// Its reason.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// As clients get it.
    pub fn status(self, language: Language) -> Status {
        let code = code(self.reason);
        let mut message = cut(&self.message);
        let mut details = Vec::new();
        details.push(any(
            "google.rpc.ErrorInfo",
            &ErrorInfo {
                reason: reason_name(self.reason).into(),
                domain: DOMAIN.into(),
                metadata: self
                    .metadata
                    .iter()
                    .map(|(key, value)| ((*key).to_owned(), cut(value)))
                    .collect(),
            },
        ));
        if !self.violations.is_empty() {
            let violations =
                self.violations
                    .iter()
                    .map(|violation| pb::bad_request::FieldViolation {
                        field: cut(&violation.field),
                        description: cut(&violation.problem),
                        ..Default::default()
                    });
            let mut room = VIOLATIONS;
            let violations = violations.take_while(|violation| {
                let fits = room > 0;
                room = room.saturating_sub(violation.encoded_len());
                fits
            });
            details.push(any(
                "google.rpc.BadRequest",
                &pb::BadRequest {
                    field_violations: violations.collect(),
                },
            ));
        }
        if code == Code::Unavailable || code == Code::ResourceExhausted {
            let delay = prost_types::Duration::try_from(RETRY).unwrap_or_default();
            details.push(any(
                "google.rpc.RetryInfo",
                &pb::RetryInfo {
                    retry_delay: Some(delay),
                },
            ));
        }
        if self.reason == Reason::LimitReached {
            let limit = self
                .metadata
                .iter()
                .find(|(key, _)| *key == "limit")
                .map(|(_, value)| value.clone());
            let violation = pb::quota_failure::Violation {
                subject: limit.unwrap_or_default(),
                description: message.clone(),
                ..Default::default()
            };
            details.push(any(
                "google.rpc.QuotaFailure",
                &pb::QuotaFailure {
                    violations: vec![violation],
                },
            ));
        }
        if let Some(refused) = self.refusal {
            let (locale, localized) = match language {
                Language::English => ("en", refused.en.clone()),
                Language::Polish => ("pl", refused.pl),
            };
            let text = refused.en;
            if self.reason == Reason::MoveRefused {
                let violation = pb::precondition_failure::Violation {
                    r#type: refused
                        .detail
                        .clause
                        .as_ref()
                        .map(|clause| clause.id.clone())
                        .unwrap_or_default(),
                    subject: refused.subject,
                    description: text.clone(),
                };
                let failure = pb::PreconditionFailure {
                    violations: vec![violation],
                };
                details.push(any("google.rpc.PreconditionFailure", &failure));
            }
            let localized = pb::LocalizedMessage {
                locale: locale.into(),
                message: localized,
            };
            details.push(any("google.rpc.LocalizedMessage", &localized));
            message = text;
            let left =
                DETAILS.saturating_sub(details.iter().map(|detail| detail.value.len()).sum());
            details.push(any("referee.v1.Refusal", &within(refused.detail, left)));
        }
        let status = pb::Status {
            code: code.into(),
            message: message.clone(),
            details,
        };
        Status::with_details(code, message, status.encode_to_vec().into())
    }
}

/// A text, or its beginning if it is too long.
fn cut(text: &str) -> String {
    match text.len() <= TEXT {
        true => text.to_owned(),
        false => format!(
            "{}…",
            &text[..text.floor_char_boundary(TEXT - '…'.len_utf8())]
        ),
    }
}

/// Leaves out alternatives until a refusal fits.
fn within(mut refusal: v1::Refusal, bytes: usize) -> v1::Refusal {
    while refusal.encoded_len() > bytes && refusal.alternatives.pop().is_some() {}
    refusal
}

fn any(name: &str, message: &impl prost::Message) -> prost_types::Any {
    prost_types::Any {
        type_url: format!("type.googleapis.com/{name}"),
        value: message.encode_to_vec(),
    }
}

/// A reason as `ErrorInfo` says it: without the prefix of the enum.
pub fn reason_name(reason: Reason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("REASON_").unwrap_or(name)
}

fn code(reason: Reason) -> Code {
    match reason {
        Reason::MalformedRequest
        | Reason::PageTokenInvalid
        | Reason::ResumeTokenInvalid
        | Reason::ConfigurationInvalid => Code::InvalidArgument,
        Reason::MoveRefused
        | Reason::MatchNotStarted
        | Reason::MatchOver
        | Reason::MatchAlreadyStarted
        | Reason::SeatsOpen
        | Reason::SeatTaken
        | Reason::SeatHeld
        | Reason::RulesetFault
        | Reason::MatchSuspended
        | Reason::MatchPaused
        | Reason::MatchStateWrong
        | Reason::UndoImpossible
        | Reason::ProposalOpen
        | Reason::ProposalClosed
        | Reason::RecordDiffers
        | Reason::RecordSealed
        | Reason::PackageRejected
        | Reason::RevisionYanked
        | Reason::EntropyMissing
        | Reason::EntropyGiven
        | Reason::MoveReveals
        | Reason::HandsHidden
        | Reason::RulesetNotPlayable => Code::FailedPrecondition,
        Reason::DecisionSuperseded => Code::Aborted,
        Reason::RequestIdReused => Code::AlreadyExists,
        Reason::NotFound => Code::NotFound,
        Reason::TokenInvalid | Reason::ClaimCodeInvalid => Code::Unauthenticated,
        Reason::TokenKindWrong | Reason::RulesetOwned => Code::PermissionDenied,
        Reason::LimitReached | Reason::ReaderTooSlow => Code::ResourceExhausted,
        Reason::StoreUnavailable
        | Reason::IdentityUnavailable
        | Reason::ShuttingDown
        | Reason::ConnectionAged
        | Reason::NotCaughtUp => Code::Unavailable,
        Reason::RecordDamaged => Code::DataLoss,
        Reason::MethodUnknown => Code::Unimplemented,
        Reason::CallTooLong => Code::DeadlineExceeded,
        Reason::Unspecified | Reason::Internal => Code::Internal,
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Failure {
        let message = format!("`{}` {}", malformed.field, malformed.problem);
        Failure {
            violations: vec![malformed],
            ..Failure::new(Reason::MalformedRequest, message)
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        TableError::from(error).into()
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        match error {
            TableError::NotStarted => {
                Failure::new(Reason::MatchNotStarted, "the match has not started")
            }
            TableError::AlreadyStarted => {
                Failure::new(
                    Reason::MatchAlreadyStarted,
                    "the match has started already; whoever leaves it resigns",
                )
            }
            TableError::Over => Failure::new(Reason::MatchOver, "the match is over"),
            TableError::Suspended => Failure::new(Reason::MatchSuspended, "the match is suspended"),
            TableError::SeatsOpen(seats) => {
                Failure::new(Reason::SeatsOpen, "some seats are still open")
                    .with("open_seats", numbers(&seats))
            }
            TableError::EntropyMissing(seats) => Failure::new(
                Reason::EntropyMissing,
                format!(
                    "seats {} have yet to add to the chance of this match: `PlayService.ContributeEntropy`",
                    numbers(&seats)
                ),
            )
            .with("seats", numbers(&seats)),
            TableError::EntropyGiven => Failure::new(
                Reason::EntropyGiven,
                "this seat has added to the chance of this match already: what was said stands",
            ),
            TableError::Entropy(field, why) => Failure::field(field, why),
            TableError::SeatHeld => {
                let why = "you hold another seat of this match: a player holds one";
                Failure::new(Reason::SeatHeld, why)
            }
            TableError::SeatTaken => {
                Failure::new(Reason::SeatTaken, "somebody has claimed this seat")
            }
            TableError::NoSeat => Failure::field("seat", "is no seat of this match"),
            TableError::Superseded(current) => Failure::new(
                Reason::DecisionSuperseded,
                "this decision is no longer open",
            )
            .with("decision_id", current.unwrap_or_default()),
            TableError::Refused(refusal, ruleset) => {
                refused(&refusal, Outward::new(ruleset.package()))
            }
            TableError::Reveals(why) => Failure::new(
                Reason::MoveReveals,
                format!("moves that follow this one must know what it shows, so they are sent after it: {why}"),
            )
            .with("why", why),
            TableError::InChain(index, error) => Failure::from(*error).of_move(index),
            TableError::Fault(_) => Failure::new(
                Reason::RulesetFault,
                "the ruleset failed; the match is suspended, the move was not made",
            ),
            TableError::Paused => Failure::new(
                Reason::MatchPaused,
                "the match is paused; propose to resume it",
            ),
            TableError::State(state) => {
                let state = state_name(state);
                Failure::new(
                    Reason::MatchStateWrong,
                    format!("this cannot be done with a match that is {state}"),
                )
                .with("state", state)
            }
            TableError::CannotUndo(why) => Failure::new(
                Reason::UndoImpossible,
                format!("these moves cannot be taken back: {why}"),
            )
            .with("why", why),
            TableError::ProposalOpen(id) => {
                Failure::new(Reason::ProposalOpen, "another proposal is open")
                    .with("proposal_id", id)
            }
            TableError::ProposalClosed => Failure::new(
                Reason::ProposalClosed,
                "this proposal is not open, or not this seat's to answer",
            ),
            TableError::Differs(difference) => Failure::new(
                Reason::RecordDiffers,
                format!(
                    "with these rules the match goes otherwise after move {}: {}",
                    difference.move_number, difference.after
                ),
            )
            .with("move_number", difference.move_number.to_string())
            .with("before", difference.before)
            .with("after", difference.after),
            TableError::Record(what) => Failure::field("record", what),
            TableError::NotPlayable => Failure::not_playable(),
            TableError::RequestIdReused => Failure::new(
                Reason::RequestIdReused,
                "this request id was used for another request",
            )
            .violation("request_id", "was used for another request"),
            TableError::Limit(limit) => Failure::new(
                Reason::LimitReached,
                format!("the limit `{limit}` is reached"),
            )
            .with("limit", limit),
            TableError::Damaged(what) => {
                tracing::error!(what, "a record is damaged");
                Failure::new(Reason::RecordDamaged, "the record of this match is damaged")
            }
            TableError::Otherwise(otherwise) => {
                Failure::new(Reason::MatchSuspended, otherwise.to_string())
            }
            TableError::Store(error) => {
                tracing::error!(%error, "the store did not confirm");
                Failure::new(
                    Reason::StoreUnavailable,
                    "the store did not confirm; repeat with the same request id",
                )
            }
            TableError::Stopping => Failure::stopping(),
            TableError::Internal(what) => Failure::internal(&what),
        }
    }
}

/// Numbers of seats, for programs.
fn numbers(seats: &[Seat]) -> String {
    let numbers = seats.iter().map(|seat| seat_number(*seat).to_string());
    numbers.collect::<Vec<_>>().join(",")
}

/// A state in a word.
fn state_name(state: MatchState) -> &'static str {
    match state {
        MatchState::Lobby => "in the lobby",
        MatchState::Running => "running",
        MatchState::Finished => "over",
        MatchState::Suspended => "suspended",
    }
}

/// The field of a request that has one of its moves.
pub fn move_field(index: usize) -> Path<'static> {
    static FURTHER: Path<'static> = Path::of("further_moves");
    match index.checked_sub(1) {
        None => Path::of("move"),
        Some(after) => FURTHER.at(after),
    }
}

/// What a refusal says: the clause in both languages, or a sentence of ours where no clause speaks.
fn refused(refusal: &Refusal, names: Outward<'_>) -> Failure {
    let (en, pl) = match refusal.reason {
        RefusalReason::MatchOver => ("the match is over", "partia jest zakończona"),
        RefusalReason::NotAsked => (
            "this seat is not asked anything",
            "to miejsce nie jest teraz pytane",
        ),
        RefusalReason::UnknownMove => (
            "this question offers no such move",
            "to pytanie nie oferuje takiego ruchu",
        ),
        RefusalReason::MalformedArgument => (
            "the move's arguments do not fit",
            "argumenty ruchu nie pasują",
        ),
        RefusalReason::Forbidden => (
            "the rules forbid this move now",
            "zasady zabraniają teraz tego ruchu",
        ),
    };
    let said = |ours: &str, language| {
        let clause = refusal.clause.as_ref();
        match clause.and_then(|clause| names.clause_text(clause, language)) {
            None => ours.to_owned(),
            Some(clause) if refusal.reason == RefusalReason::Forbidden => clause.to_owned(),
            // The clause says when it would be asked for.
            Some(clause) => format!("{ours}: {clause}"),
        }
    };
    let (en, pl) = (said(en, Language::English), said(pl, Language::Polish));
    let mut failure = match refusal.reason {
        RefusalReason::UnknownMove => Failure::new(Reason::MalformedRequest, en.as_str())
            .violation("move.name", "is no move of this question"),
        RefusalReason::MalformedArgument => {
            let problem = refusal
                .condition
                .clone()
                .unwrap_or_else(|| "do not fit the move".into());
            Failure::new(Reason::MalformedRequest, en.as_str()).violation("move.arguments", problem)
        }
        _ => Failure::new(Reason::MoveRefused, en.as_str()),
    };
    if let Some(clause) = &refusal.clause {
        failure = failure.with("clause", &**clause);
    }
    if let Some(condition) = &refusal.condition {
        failure = failure.with("condition", condition);
    }
    failure.with_refusal(Refused {
        subject: move_field(0).into(),
        detail: names.refusal(refusal),
        en,
        pl,
    })
}
