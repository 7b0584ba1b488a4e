//! The life of a referee's process, from its start to its end.
//!
//! What was begun in it may outlive it for a moment: a statement that is on its way to a store which lives on is carried out
//! there, and nobody is told.

use std::sync::atomic::{AtomicBool, Ordering};

/// A life. One thread looks at it.
#[derive(Default)]
pub struct Life {
    over: AtomicBool,
    /// Something is carried out just now that was on its way.
    under_way: AtomicBool,
}

impl Life {
    /// It ends.
    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Whether nothing of it reaches its store.
    pub fn is_cut_off(&self) -> bool {
        self.is_over() && !self.under_way.load(Ordering::SeqCst)
    }

    /// Carries out what was on its way.
    pub fn carry_out<T>(&self, act: impl FnOnce() -> T) -> T {
        self.under_way.store(true, Ordering::SeqCst);
        let done = act();
        self.under_way.store(false, Ordering::SeqCst);
        done
    }
}
