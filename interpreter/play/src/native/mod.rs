//! A just-in-time compiler: bytecode as machine code, for those who play many games.
//!
//! A ruleset that was [made native](crate::Ruleset::natively) runs every function of its bytecode as code of the
//! processor that it is on. Nothing else differs: bytecode stays what rules are compiled to, and what it means is
//! said in one place, the [machine](crate). Each instruction is [translated](translate) by itself, and only
//! its usual course. Whatever else may come, an overflow, an index that is none, no fuel left, is not decided here:
//! the machine takes over at that very instruction, so that faults are the same, and where they are, and the fuel
//! that is left. Verbs and other instructions that do much are its own in any case.
//!
//! The way in and back is the [machine's](crate::machine::compiled); [`code`] keeps what was made.

mod code;
mod data;
mod translate;

use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::default_libcall_names;

use crate::machine::NativeError;
use crate::machine::compiled::Compiled;
use crate::program::bytecode::Bytecode;
use data::Data;

/// The translator proves its own work where that is tested.
const VERIFIED: &str = match cfg!(debug_assertions) {
    true => "true",
    false => "false",
};

/// What runs fewer instructions of bytecode than this takes machine code less time than to remember it.
const LIGHT: u32 = 200;

/// Has a program forget what machine code computes faster than it is looked up.
pub(crate) fn forget_light(program: &mut Bytecode) {
    for code in program.functions.iter_mut() {
        code.memo = code.memo.filter(|memo| memo.cost >= LIGHT);
    }
}

/// Translates all functions of a program whose states have so many cells.
///
/// # Errors
///
/// When there is no translator for this machine, or no memory for code.
pub(crate) fn translated(program: &Bytecode, cells: usize) -> Result<Compiled, NativeError> {
    let unknown = |error: &dyn std::fmt::Display| NativeError::Machine(error.to_string());
    if cfg!(not(unix)) {
        return Err(unknown(&"only on Unix"));
    }
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("enable_verifier", VERIFIED),
    ] {
        flags.set(name, value).map_err(|error| unknown(&error))?;
    }
    let isa = cranelift_native::builder().map_err(|error| unknown(&error))?;
    let isa = isa.finish(settings::Flags::new(flags));
    let isa = isa.map_err(|error| unknown(&error))?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let data = Data::of(program);
    let functions = translate::all(&mut module, program, cells, &data)?;
    module.finalize_definitions()?;
    Ok(code::of(module, functions, cells, data))
}
