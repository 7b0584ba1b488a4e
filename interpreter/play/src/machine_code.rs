//! Rulesets whose bytecode is compiled to machine code.

use std::sync::Arc;

#[cfg(feature = "native")]
use crate::machine::Runs;
use crate::machine::{NativeError, Ruleset};
#[cfg(feature = "native")]
use crate::native;

impl Ruleset {
    /// Returns the same ruleset compiled to machine code: it plays the same games, faster. The translation takes up
    /// to a fifth of a second, so it pays for many games.
    ///
    /// # Errors
    ///
    /// When the feature `native` is off, the machine is not supported, or the ruleset is traced.
    #[cfg(feature = "native")]
    pub fn natively(&self) -> Result<Arc<Ruleset>, NativeError> {
        if self.is_traced() {
            return Err(NativeError::Traced);
        }
        let mut ruleset = self.clone();
        let program = &mut ruleset.program;
        native::forget_light(&mut program.bytecode);
        let compiled = native::translated(&program.bytecode, program.initial.len())?;
        ruleset.runs = Runs::Compiled(Arc::new(compiled));
        Ok(Arc::new(ruleset))
    }

    /// Returns the same ruleset compiled to machine code: it plays the same games, faster. The translation takes up
    /// to a fifth of a second, so it pays for many games.
    ///
    /// # Errors
    ///
    /// When the feature `native` is off, the machine is not supported, or the ruleset is traced.
    #[cfg(not(feature = "native"))]
    pub fn natively(&self) -> Result<Arc<Ruleset>, NativeError> {
        Err(NativeError::NotBuilt)
    }
}
