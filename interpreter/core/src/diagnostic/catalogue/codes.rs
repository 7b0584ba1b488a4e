//! The codes of all mistakes, by stage. What is said of each stands in the documents beside this file.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($code:ident = $number:literal,)*) => {
        /// A kind of mistake; its number, such as `RF0501`, never changes. Its hundreds tell the stage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Code {
            $(#[doc = concat!("`referee explain ", $number, "` says what it is.")] $code = $number,)*
        }

        impl Code {
            /// Every code, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$code,)*];
        }
    };
}

codes! {
    // 01xx: the syntax of `.rules` files.
    TabInIndentation = 101,
    UnevenIndentation = 102,
    UnclosedBracket = 103,
    MisplacedCitation = 104,
    RepeatedCitation = 105,
    CitationBehindScript = 106,
    ExcessiveNesting = 107,
    OversizedSentence = 108,
    UnexpectedToken = 110,
    UnknownSentence = 111,
    MisplacedSentence = 112,
    MixedLogicalOperators = 113,
    ChainedComparison = 114,
    LiteralOverflow = 115,
    AmbiguousAggregateBody = 116,
    IncompleteSentence = 117,
    RepeatedElement = 118,
    ReservedWord = 119,

    // 02xx: scripts in `do { … }`.
    MalformedScript = 201,
    UnsupportedScriptFeature = 202,
    ExcessiveScriptNesting = 203,

    // 03xx: documents, that is YAML files of a package.
    MalformedYaml = 301,
    DuplicateKey = 302,
    AnchorOrAlias = 303,
    TaggedValue = 304,
    MergeKey = 305,
    ComplexKey = 306,
    SecondDocument = 307,
    EmptyDocument = 308,
    UnknownKey = 309,
    MissingKey = 310,
    WrongNodeKind = 311,
    InvalidNumber = 312,
    InvalidBoolean = 313,
    AmbiguousWord = 314,
    UnknownKeyword = 315,
    InvalidIdentifier = 316,
    OversizedDocument = 317,
    InvalidUtf8 = 318,
    MissingFile = 320,
    UnlistedFile = 321,
    DuplicateFileEntry = 322,
    MissingManifest = 323,
    UnsupportedLanguageVersion = 324,
    InvalidPlayerRange = 325,
    MissingTranslation = 326,
    DuplicateId = 327,
    UnknownClauseInDocument = 328,
    MissingCell = 329,
    MissingPlayerCount = 331,
    UnknownRow = 332,
    InvalidPlayerCount = 333,
    UnknownColumnType = 334,
    ImpossiblePlayerCount = 335,
    UnexplainedParagraph = 336,
    InvalidTableHeader = 337,
    ReservedName = 338,
    InvalidBoard = 339,
    InvalidSentence = 340,
    HoleInOneLanguage = 341,
    UnknownInReview = 342,
    RepeatedAcceptance = 343,
    InvalidDate = 344,
    InvalidDigest = 345,
    InvalidReviewer = 346,
    MissingSignature = 347,
    SignatureOfOtherText = 348,
    SignedByOther = 349,
    UnknownInLayout = 350,
    RepeatedInLayout = 351,
    OversizedLayout = 352,
    InvalidLook = 353,
    MisplacedInLayout = 354,
    RepeatedArea = 355,
    OptionBounds = 356,
    DigestEdited = 357,
    ProofGone = 358,
    OpenThing = 359,
    UnreadableSignature = 360,
    UntiedSentence = 361,
    UnknownInPrint = 362,
    InvalidPluralForms = 363,
    UntiedNumber = 364,
    FalseNumber = 365,
    UnstatedNumber = 366,

    // 04xx: composition of a base and its modules.
    UnknownModule = 401,
    WrongBaseRuleset = 402,
    MissingRequiredModule = 403,
    ExcludedModule = 404,
    ConflictingChanges = 405,
    UnknownPatchTarget = 406,
    DuplicateAddition = 407,
    CyclicModuleOrder = 408,
    MismatchedModuleId = 409,
    UnsupportedPlayerCount = 410,
    UnknownOption = 411,
    DuplicateModule = 412,
    QuerySignatureMismatch = 413,
    OverruledClause = 414,
    MisplacedPrecedence = 415,

    // 05xx: names and types.
    DuplicateRow = 501,
    MissingValueForPlayers = 502,
    UnknownType = 503,
    InvalidIndexType = 504,
    DuplicateDeclaration = 505,
    UnknownVisibilityIndex = 506,
    UnknownTable = 507,
    DuplicatePhase = 508,
    UnknownPlayedRow = 509,
    UnknownClauseInRules = 510,
    DuplicateQuery = 511,
    UnknownPhase = 512,
    UnknownComponent = 513,
    ComponentOfOtherTable = 514,
    CounterOutOfBounds = 515,
    UnmetRequirement = 516,
    RequirementReadsTable = 517,
    CompositeWhereSingleValue = 518,
    UnknownRecordField = 519,
    TypeMismatch = 520,
    NumberOutOfRange = 521,
    NotAValue = 522,
    RowNotInPlay = 523,
    SetUsedAsValue = 524,
    UnknownName = 525,
    UnknownQuery = 526,
    WrongArgumentCount = 527,
    QueryOutsidePhase = 528,
    EffectInCondition = 529,
    EventAsValue = 530,
    NotCallable = 531,
    UnknownPlace = 532,
    PlaceUsedAsValue = 533,
    InvalidNesting = 534,
    ColumnOfNonRow = 535,
    UnknownColumn = 536,
    SizeOfUnsized = 537,
    IncomparableTypes = 538,
    NotASet = 539,
    AggregateWithoutBody = 540,
    UnexpectedAggregateBody = 541,
    PossibleOutsideMove = 542,
    UnknownPossibleMove = 543,
    UnusedHint = 544,
    HintUsedInRules = 545,
    SentenceOfNothing = 546,
    UnknownHole = 547,
    LetWithoutValue = 550,
    AssignmentToNonLocal = 551,
    PlaceExpected = 552,
    PileExpected = 553,
    UnexpectedPile = 554,
    PlacesOfDifferentTables = 555,
    WrongVerbTarget = 556,
    SpreadExpected = 557,
    UnknownEvent = 558,
    UnknownEnding = 559,
    StartDependsOnTable = 560,
    WrongContributionKind = 561,
    UnnamedOwner = 562,
    UnknownComponentCondition = 563,
    WrongComponentCondition = 564,
    MissingGamePhase = 565,
    MissingWinner = 566,
    MarkerWithoutStart = 567,
    MomentWithoutPlayer = 568,
    LapOfNonCycle = 570,
    PlayOfNonComponent = 571,
    UnplayedComponent = 572,
    MismatchedPhaseParameters = 573,
    UnknownQuestion = 574,
    DuplicateMove = 575,
    UnboundedParameter = 576,
    InvalidSpreadPlace = 577,
    WrongEachTable = 578,
    SpreadWithoutRoom = 579,
    UnknownMove = 580,
    UnknownStep = 581,
    InvalidRefill = 582,
    EndlessPlaceCounted = 583,
    UnknownParameter = 584,
    DuplicateParameter = 585,
    RepeatedOpenChoice = 586,
    UncountableBag = 587,
    SoFarOutsideLastLine = 588,
    UnknownTriggerOrder = 589,
    CyclicTriggerOrder = 590,
    OrderWithoutOwner = 591,
    EndOfUnenclosingStep = 592,
    FilledPhasePlace = 593,
    DieWithoutFaces = 594,
    NotADie = 595,
    InvalidMembershipTest = 596,
    UnspecifiedQuestionEnd = 597,
    UnboundedQuestion = 598,
    CapacityExceeded = 599,

    // 06xx: audiences.
    SecretInFlow = 601,
    SecretInMove = 602,
    SecretInEvent = 603,

    // 07xx: the phase graph.
    EmptyPhase = 701,
    UnvisitedPhase = 702,
    UnboundedPhaseRecursion = 703,
    InfiniteRecursion = 704,
    ExcessiveCallDepth = 705,
    WorkLimitExceeded = 706,

    // 08xx: lints, that is what is allowed but suspicious.
    UncitedClause = 801,
    UnusedName = 802,
    UnusedValue = 803,
    UnnamedNumber = 804,

    // 09xx: constructs that are known but not yet playable.
    UnplayableConstruct = 901,

    // 10xx: scenarios.
    UnknownSeat = 1001,
    InvalidScenarioStep = 1002,
    UnknownStateName = 1003,
    UnknownClauseInScenario = 1004,
    UnknownRowInScenario = 1005,
    ImpossiblePosition = 1006,
    UnknownMoveInScenario = 1007,
    ScenarioOfOtherRuleset = 1008,
    RulesetFault = 1009,
    UnexpectedState = 1010,
    UnexpectedPlayerAsked = 1011,
    MoveRefused = 1012,
    MoveNotRefused = 1013,
    RefusedForOtherReason = 1014,
    UnexpectedLegalMoves = 1015,
    UnexpectedEvents = 1016,
    UnexpectedScore = 1017,
    UnexpectedEnd = 1018,
    DuplicateScenario = 1020,
    ScenarioWithoutExpectation = 1021,
    LooseLegalMoves = 1022,
    UnknownNameInExpectation = 1023,
    ForcedMovesDiffer = 1024,
    GameCreation = 1025,
    PositionAgainstRules = 1026,
}

impl Code {
    /// `501` of `RF0501`.
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    pub const fn number(self) -> u16 {
        self as u16
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RF{:04}", self.number())
    }
}

impl FromStr for Code {
    type Err = ();

    /// Reads `RF0301`, `rf0301` and plain `301`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text
            .strip_prefix("RF")
            .or_else(|| text.strip_prefix("rf"))
            .unwrap_or(text);
        let number: u16 = digits.parse().map_err(|_| ())?;
        let mut codes = Code::ALL.iter().copied();
        codes.find(|code| code.number() == number).ok_or(())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let none = |()| D::Error::custom(format!("there is no code `{written}`"));
        written.parse().map_err(none)
    }
}
