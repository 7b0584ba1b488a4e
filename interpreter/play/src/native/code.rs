//! Code that was made just now, and its memory.

#![allow(
    unsafe_code,
    reason = "memory becomes functions here; the comments say why that is sound"
)]

use std::sync::Mutex;

use cranelift_jit::JITModule;
use cranelift_module::FuncId as ModuleFuncId;

use super::data::Data;
use crate::machine::compiled::{Compiled, Entry, Keep};
use crate::program::ids::{FuncId, IndexVec};

/// Machine code, and what it reads besides the state.
struct Code {
    module: Mutex<Option<JITModule>>,
    _data: Data,
}

impl Keep for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // SAFETY: who runs code borrows the `Compiled` that keeps this, so nobody does; and the entries go with it.
            unsafe { module.free_memory() };
        }
    }
}

/// The functions of a module that is finished, as the machine enters them. States have so many cells.
pub(super) fn of(
    module: JITModule,
    functions: IndexVec<FuncId, ModuleFuncId>,
    cells: usize,
    data: Data,
) -> Compiled {
    let entries = functions.into_iter().map(|function| {
        let code = module.get_finalized_function(function);
        // SAFETY: `translate` gives every function the signature of an `Entry`, in the calling convention of C.
        unsafe { std::mem::transmute::<*const u8, Entry>(code) }
    });
    let entries = entries.collect();
    let code = Code {
        module: Mutex::new(Some(module)),
        _data: data,
    };
    // SAFETY: `translate` makes code that keeps to the convention; it reads `data`, whose parts stay where they are.
    unsafe { Compiled::new(entries, cells, Box::new(code)) }
}
