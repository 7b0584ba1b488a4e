//! How a command of the author ended, or why it could not do what it was asked.

/// How a command ended, for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything is as it should be.
    Clean,
    /// What was asked about is bad: mistakes, failed scenarios, gaps, faults.
    Bad,
}

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It was asked wrongly: an unknown ruleset, a number of players that the ruleset does not allow.
    #[error("{0}")]
    Usage(String),
    /// A file cannot be read.
    #[error(transparent)]
    Library(#[from] referee_library::LibraryError),
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
    /// A bug of ours.
    #[error("internal error: {0}")]
    Internal(String),
}
