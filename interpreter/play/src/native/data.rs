//! Constant data that machine code reads.

use cranelift_module::ModuleError;

use crate::machine::NativeError;
use crate::program::bytecode::Bytecode;
use crate::program::bytecode::Test;

impl From<ModuleError> for NativeError {
    fn from(error: ModuleError) -> Self {
        NativeError::Translator(error.to_string())
    }
}

/// What machine code reads besides the state and registers: it stays where it is.
pub(super) struct Data {
    /// Values of all columns.
    pub columns: Box<[i32]>,
    /// For scans, the next row that passes: by scan and test.
    pub next: Vec<Vec<Box<[u32]>>>,
}

impl Data {
    pub(super) fn of(program: &Bytecode) -> Data {
        let next = program.scans.iter().map(|scan| {
            let tests = scan.tests.iter().map(|test| match test {
                Test::Next(next) => next.clone().into_boxed_slice(),
                _ => Box::default(),
            });
            tests.collect()
        });
        Data {
            columns: program.columns.clone().into_boxed_slice(),
            next: next.collect(),
        }
    }
}
