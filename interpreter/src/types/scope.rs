//! What an expression may see.

use std::cell::Cell;
use std::rc::Rc;

use crate::program::model::{PhaseId, VarModel};
use crate::program::tree::{Local, Ty};

/// What an expression may see.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub locals: Vec<LocalVar>,
    pub next: Local,
    /// Variables of the phase: parameters, kept values, loops around.
    pub vars: Vec<VarModel>,
    pub phase: Option<PhaseId>,
    /// Effects may be called.
    pub effects: bool,
    /// Inside a hint, whose numbers need no names.
    pub hint: bool,
    /// Inside a move: the register of the seat is 0.
    pub in_move: bool,
    /// Inside a last line of the score sheet: `so_far` is known.
    pub last_score: bool,
    /// What is known not to be `none`.
    pub known: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct LocalVar {
    pub name: String,
    pub register: Local,
    pub ty: Ty,
    pub len: u16,
    pub used: Rc<Cell<bool>>,
}

/// The mark of a name that needs no use.
pub(super) fn used() -> Rc<Cell<bool>> {
    Rc::new(Cell::new(true))
}

impl Scope {
    pub(super) fn local(&mut self, name: &str, ty: Ty) -> Local {
        self.window(name, ty, 1)
    }

    pub(super) fn window(&mut self, name: &str, ty: Ty, len: u16) -> Local {
        let register = self.next;
        self.next += len;
        self.locals.push(LocalVar {
            name: name.to_owned(),
            register,
            ty,
            len,
            used: Rc::default(),
        });
        register
    }

    pub(super) fn fresh(&mut self) -> Local {
        self.next += 1;
        self.next - 1
    }
}
