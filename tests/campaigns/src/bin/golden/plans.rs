//! What is hosted: every title with every expansion, and in some of them what else can happen at a table.

use std::path::PathBuf;

use referee::wire::v1::BotKind;

/// One configuration, and the matches of it.
pub struct Plan {
    /// Its folder.
    pub name: &'static str,
    pub ruleset: &'static str,
    pub texts: Texts,
    pub players: u8,
    pub modules: &'static [&'static str],
    pub options: &'static [(&'static str, i64)],
    /// Played to its end.
    pub finished: Story,
    /// Stops in the middle, and goes on after the store was copied: nobody but players moves from there on.
    pub running: Story,
    pub others: &'static [Story],
}

impl Plan {
    /// Where the texts of an invented game are.
    pub fn folder(&self) -> PathBuf {
        referee_tests::root()
            .join("tests/rulesets")
            .join(self.ruleset)
    }
}

/// Where the texts of a ruleset come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Texts {
    /// The referee's own.
    Shipped,
    /// An invented game that is published there.
    Invented,
    /// The same, first with a fault: the tea house.
    Faulty,
}

/// What happens in one match.
pub struct Story {
    /// For people.
    pub what: &'static str,
    pub before: &'static [Before],
    /// When so many moves were made, or as soon after that as it can be.
    pub deeds: &'static [(usize, Deed)],
    pub until: Until,
}

/// How a match comes to its start.
#[derive(Clone, Copy, PartialEq)]
pub enum Before {
    /// The first and the last seat add to the chance.
    Entropy,
    /// Everybody commits to what they add, then adds it.
    Committed,
    /// The seats but the first are claimed without a code.
    OpenSeats,
    /// The second seat is given up and claimed again.
    Leaves,
    /// A bot plays the last seat.
    Bot(BotKind),
    /// Forced moves are asked.
    AskForced,
    /// Seconds for a question.
    Clock(u32),
    /// Moves that spectators are behind.
    Behind(u32),
    /// A bot with a name plays the last seat.
    NamedBot(BotKind),
    /// Each seat has seconds beside the time for a question, and more with every answer.
    Bank(u32, u32),
    /// Players take moves back alone.
    TakesBack,
    /// Anybody may watch, and its host keeps words with it.
    Public,
    /// Its host is told elsewhere whose turn it is, and nobody who is there; it starts by itself.
    Webhook,
}

/// Something at the table that is no move.
#[derive(Clone, Copy, PartialEq)]
pub enum Deed {
    /// A move is taken back, by consent.
    Undo,
    /// Whoever moves takes the move back at once, alone.
    TakeBack,
    /// Somebody declines to take one back.
    Decline,
    /// Whoever proposed to take one back thinks better of it.
    Withdraw,
    /// Somebody moves while it is talked about.
    Lapse,
    /// The match is paused and goes on, by consent.
    PauseAndResume,
    /// The match is paused, and its host lets it go on.
    PauseUntilHost,
    /// The match is paused and stays so.
    Pause,
    /// The last seat is released and somebody else sits down.
    NewPlayer,
    /// A bot plays the last seat for a while.
    BotForAWhile,
    /// The last seat gives up.
    Resign,
    /// Spectators see all hands.
    ShowHands,
    /// A spectator is invited.
    Invite,
    /// Nobody moves until the time is up.
    TimeUp,
    Draw,
    Abandon,
    Cancel,
    /// All seats but the first give up.
    AllResign,
}

/// Where a match stops.
#[derive(Clone, Copy, PartialEq)]
pub enum Until {
    /// When it is over.
    End,
    /// After so many moves; it is under way then.
    Moves(usize),
    /// Before it starts.
    Lobby,
    /// It was played elsewhere, and is imported: the archive of the set before this one.
    Imported,
    /// When the ruleset fails.
    Fault,
    /// When it is over, after it failed and went on with corrected rules.
    EndAfterFault,
    /// After so many moves, failed and gone on with corrected rules.
    MovesAfterFault(usize),
}

/// What entries of logs say, and what is noted of a table: each must be somewhere in a set.
pub const KINDS: &[&str] = &[
    "created",
    "seatClaimed",
    "entropyCommitted",
    "entropyContributed",
    "started",
    "moved",
    "finished",
    "suspended",
    "noted.proposalMade",
    "noted.proposalAnswered",
    "noted.proposalClosed",
    "noted.matchPaused",
    "noted.matchResumed",
    "noted.movesUndone",
    "noted.seatResigned",
    "noted.botSeated",
    "noted.matchConcluded",
    "noted.rulesetChanged",
    "noted.seatReleased",
    "noted.seatTaken",
    "noted.seatLeft",
    "noted.handsShown",
    "maker.MAKER_UNSPECIFIED",
    "maker.MAKER_TIMEOUT",
    "maker.MAKER_BOT",
    "maker.MAKER_RESIGNED",
    "end.PROPOSAL_END_DONE",
    "end.PROPOSAL_END_DECLINED",
    "end.PROPOSAL_END_WITHDRAWN",
    "end.PROPOSAL_END_LAPSED",
    "forced",
    "terms.bankMs",
    "terms.incrementMs",
    "terms.takeBack",
    "terms.public",
    "terms.labels",
    "called.bot",
];

const fn plain(until: Until) -> Story {
    Story {
        what: "nothing but moves",
        before: &[],
        deeds: &[],
        until,
    }
}

const fn shipped(name: &'static str, ruleset: &'static str, players: u8) -> Plan {
    Plan {
        name,
        ruleset,
        texts: Texts::Shipped,
        players,
        modules: &[],
        options: &[],
        finished: plain(Until::End),
        running: plain(Until::Moves(60)),
        others: &[],
    }
}

/// Players by chance seldom win this game: own cards are not removed all the time, and it ends after so many turns.
const RIVALS: &[(&str, i64)] = &[("longest_game", 80), ("removal_when_full", 1)];

/// Everything that is hosted.
pub const PLANS: &[Plan] = &[
    Plan {
        finished: Story {
            what: "players add to the chance, take a move back, show their hands",
            before: &[Before::Entropy],
            deeds: &[
                (5, Deed::Undo),
                (20, Deed::ShowHands),
                (30, Deed::Decline),
                (40, Deed::Withdraw),
                (50, Deed::Lapse),
            ],
            until: Until::End,
        },
        running: Story {
            what: "anybody may watch; a move was taken back by consent, and some alone",
            before: &[Before::Public, Before::TakesBack],
            deeds: &[(5, Deed::Undo), (12, Deed::TakeBack), (30, Deed::Invite)],
            until: Until::Moves(60),
        },
        others: &[
            Story {
                what: "in the lobby",
                before: &[Before::OpenSeats, Before::Clock(3600)],
                deeds: &[],
                until: Until::Lobby,
            },
            Story {
                what: "paused",
                before: &[],
                deeds: &[(10, Deed::Pause)],
                until: Until::Moves(10),
            },
        ],
        ..shipped("puerto-rico-base", "puerto-rico", 3)
    },
    Plan {
        modules: &["new-buildings"],
        finished: Story {
            what: "a bot that has a name plays a seat",
            before: &[Before::NamedBot(BotKind::Random)],
            deeds: &[],
            until: Until::End,
        },
        running: Story {
            what: "everybody has an hour for a question",
            before: &[Before::Clock(3600)],
            deeds: &[],
            until: Until::Moves(80),
        },
        ..shipped("puerto-rico-new-buildings", "puerto-rico", 4)
    },
    Plan {
        modules: &["nobles"],
        finished: Story {
            what: "somebody gives up",
            before: &[],
            deeds: &[(50, Deed::Resign)],
            until: Until::End,
        },
        running: Story {
            what: "everybody committed to what they add to the chance",
            before: &[Before::Committed],
            deeds: &[],
            until: Until::Moves(100),
        },
        ..shipped("puerto-rico-nobles", "puerto-rico", 5)
    },
    Plan {
        modules: &["corsair"],
        finished: Story {
            what: "somebody's time is up, twice",
            before: &[Before::Clock(1)],
            deeds: &[(20, Deed::TimeUp), (30, Deed::TimeUp)],
            until: Until::End,
        },
        running: Story {
            what: "somebody else sits down",
            before: &[],
            deeds: &[(20, Deed::NewPlayer)],
            until: Until::Moves(50),
        },
        ..shipped("puerto-rico-corsair", "puerto-rico", 3)
    },
    Plan {
        modules: &["festival"],
        finished: Story {
            what: "paused twice",
            before: &[],
            deeds: &[(15, Deed::PauseAndResume), (30, Deed::PauseUntilHost)],
            until: Until::End,
        },
        running: Story {
            what: "a bot played a seat for a while",
            before: &[],
            deeds: &[(20, Deed::BotForAWhile)],
            until: Until::Moves(60),
        },
        others: &[Story {
            what: "a bot plays a seat",
            before: &[Before::Bot(BotKind::Greedy)],
            deeds: &[],
            until: Until::Moves(20),
        }],
        ..shipped("puerto-rico-festival", "puerto-rico", 4)
    },
    Plan {
        modules: &["new-buildings", "nobles", "corsair", "festival"],
        running: Story {
            what: "forced moves are asked",
            before: &[Before::AskForced],
            deeds: &[(10, Deed::Undo)],
            until: Until::Moves(90),
        },
        ..shipped("puerto-rico-all", "puerto-rico", 3)
    },
    Plan {
        modules: &["first-edition"],
        finished: Story {
            what: "seats that are open and one that is given up",
            before: &[Before::OpenSeats, Before::Leaves],
            deeds: &[],
            until: Until::End,
        },
        running: Story {
            what: "somebody was declined, somebody thought better of it",
            before: &[],
            deeds: &[(10, Deed::Decline), (20, Deed::Withdraw)],
            until: Until::Moves(40),
        },
        others: &[
            Story {
                what: "cancelled",
                before: &[],
                deeds: &[(5, Deed::Cancel)],
                until: Until::End,
            },
            Story {
                what: "a draw",
                before: &[],
                deeds: &[(5, Deed::Draw)],
                until: Until::End,
            },
            Story {
                what: "abandoned",
                before: &[],
                deeds: &[(5, Deed::Abandon)],
                until: Until::End,
            },
            Story {
                what: "all but one gave up",
                before: &[],
                deeds: &[(5, Deed::AllResign)],
                until: Until::End,
            },
        ],
        ..shipped("puerto-rico-first-edition", "puerto-rico", 3)
    },
    Plan {
        finished: Story {
            what: "on the clock with a bank, moves are taken back alone, anybody may watch",
            before: &[
                Before::Clock(3600),
                Before::Bank(600, 5),
                Before::TakesBack,
                Before::Public,
            ],
            deeds: &[(8, Deed::TakeBack)],
            until: Until::End,
        },
        running: Story {
            what: "paused, on the clock with a bank",
            before: &[Before::Clock(3600), Before::Bank(600, 5)],
            deeds: &[(30, Deed::Pause)],
            until: Until::Moves(30),
        },
        others: &[Story {
            what: "imported",
            before: &[],
            deeds: &[],
            until: Until::Imported,
        }],
        ..shipped("san-juan-base", "san-juan", 2)
    },
    Plan {
        modules: &["new-buildings"],
        finished: Story {
            what: "a bot plays a seat, spectators are behind",
            before: &[Before::Bot(BotKind::Greedy), Before::Behind(5)],
            deeds: &[(10, Deed::Invite)],
            until: Until::End,
        },
        running: Story {
            what: "spectators are behind",
            before: &[Before::Behind(5)],
            deeds: &[(10, Deed::Invite)],
            until: Until::Moves(60),
        },
        ..shipped("san-juan-new-buildings", "san-juan", 4)
    },
    Plan {
        options: &[("advanced_start", 1)],
        finished: Story {
            what: "everybody committed to what they add to the chance",
            before: &[Before::Committed],
            deeds: &[],
            until: Until::End,
        },
        ..shipped("san-juan-advanced-start", "san-juan", 3)
    },
    Plan {
        options: RIVALS,
        finished: Story {
            what: "somebody else sits down",
            before: &[],
            deeds: &[(30, Deed::NewPlayer)],
            until: Until::End,
        },
        ..shipped("catan-rivals-introductory", "catan-rivals", 2)
    },
    Plan {
        modules: &["era-of-gold"],
        options: RIVALS,
        running: plain(Until::Moves(120)),
        ..shipped("catan-rivals-era-of-gold", "catan-rivals", 2)
    },
    Plan {
        modules: &["era-of-turmoil"],
        options: RIVALS,
        running: plain(Until::Moves(200)),
        ..shipped("catan-rivals-era-of-turmoil", "catan-rivals", 2)
    },
    Plan {
        modules: &["era-of-progress"],
        options: RIVALS,
        running: plain(Until::Moves(150)),
        ..shipped("catan-rivals-era-of-progress", "catan-rivals", 2)
    },
    Plan {
        modules: &["era-of-gold", "era-of-turmoil", "era-of-progress", "duel"],
        options: RIVALS,
        running: plain(Until::Moves(250)),
        ..shipped("catan-rivals-duel", "catan-rivals", 2)
    },
    Plan {
        finished: Story {
            what: "somebody gives up",
            before: &[],
            deeds: &[(100, Deed::Resign)],
            until: Until::End,
        },
        running: plain(Until::Moves(150)),
        ..shipped("genoa-base", "genoa", 4)
    },
    Plan {
        running: Story {
            what: "its host is told elsewhere whose turn it is",
            before: &[Before::Webhook],
            deeds: &[],
            until: Until::Moves(90),
        },
        ..shipped("genoa-two", "genoa", 2)
    },
    Plan {
        texts: Texts::Faulty,
        finished: Story {
            what: "the ruleset fails, and it goes on with corrected rules",
            before: &[],
            deeds: &[],
            until: Until::EndAfterFault,
        },
        running: Story {
            what: "the ruleset failed, and it went on with corrected rules",
            before: &[],
            deeds: &[],
            until: Until::MovesAfterFault(12),
        },
        others: &[Story {
            what: "the ruleset failed",
            before: &[],
            deeds: &[],
            until: Until::Fault,
        }],
        ..shipped("tea-house-corrected", "tea-house", 3)
    },
    Plan {
        texts: Texts::Invented,
        running: plain(Until::Moves(12)),
        ..shipped("night-market", "night-market", 3)
    },
];
