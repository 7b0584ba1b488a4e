//! What programs ask the operating system for and is different each time: random bytes, and the date.
//!
//! The two functions take the place of those of the C library in this program, for the standard library (which seeds
//! the order of hash maps), tokio (which chooses among what is ready) and everybody else. Until there is a seed they
//! ask the kernel.
#![allow(unsafe_code, reason = "these are functions of the C library")]

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use referee::random::{STEP, mixed};

/// Bytes are those of a seed from now on.
static SEEDED: AtomicBool = AtomicBool::new(false);
/// One step further for every word (SplitMix64).
static STATE: AtomicU64 = AtomicU64::new(0);

/// The date of every simulation, in seconds of Unix time: the first of January 2026.
pub const DATE: i64 = 1_767_225_600;

/// From now on everything random in this program comes from a seed.
pub fn seed(seed: u64) {
    STATE.store(seed, Ordering::SeqCst);
    SEEDED.store(true, Ordering::SeqCst);
}

fn word() -> u64 {
    let before = STATE.fetch_add(STEP, Ordering::SeqCst);
    mixed(before.wrapping_add(STEP))
}

/// Fills a buffer with random bytes, as `getrandom(2)`.
///
/// # Safety
///
/// There are `length` bytes at `buffer` that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, flags: c_uint) -> isize {
    if !SEEDED.load(Ordering::SeqCst) {
        // SAFETY: the kernel takes what the caller gives.
        let done: c_long = unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) };
        return done as isize;
    }
    if length > 0 {
        // SAFETY: the caller says so.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
        for piece in bytes.chunks_mut(8) {
            piece.copy_from_slice(&word().to_le_bytes()[..piece.len()]);
        }
    }
    length as isize
}

/// Tells the time, as `clock_gettime(2)`; the date stands still once there is a seed.
///
/// # Safety
///
/// `time` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    if clock == libc::CLOCK_REALTIME && SEEDED.load(Ordering::SeqCst) {
        let date = libc::timespec {
            tv_sec: DATE,
            tv_nsec: 0,
        };
        // SAFETY: the caller says so.
        unsafe { time.write(date) };
        return 0;
    }
    // SAFETY: the kernel takes what the caller gives.
    let done: c_long = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) };
    done as c_int
}
