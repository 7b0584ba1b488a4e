//! The error of a ruleset that cannot be compiled to machine code.

/// Reason why a ruleset has no machine code.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The program was built without the feature `native`.
    #[error("this program was built without machine code (feature `native`)")]
    NotBuilt,
    /// The processor or the operating system is not supported.
    #[error("machine code is not supported on this machine: {0}")]
    Machine(String),
    /// The translator failed.
    #[error("translation to machine code failed: {0}")]
    Translator(String),
    /// A traced ruleset is only interpreted.
    #[error("a traced ruleset has no machine code: compile it without `traced`")]
    Traced,
}
