//! File systems for SQLite, written in safe Rust: [`Vfs`] is what one has to do, [`register`] hands it over.
//!
//! What is behind the trait is as <https://sqlite.org/vfs.html> has it, without memory maps. There are libraries for
//! this; those that know write-ahead logs need a C++ compiler's library to be built.
#![allow(unsafe_code, reason = "SQLite calls functions of C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

use rusqlite::ffi;

/// A code of SQLite's, of what went wrong.
pub type Code = c_int;

/// What a file system has to do. Errors are codes of SQLite's.
#[allow(
    missing_docs,
    reason = "the methods of `sqlite3_vfs` and `sqlite3_io_methods`"
)]
pub trait Vfs: Send + Sync + 'static {
    /// An open file.
    type Handle: Send;

    /// Opens a file; without a path a passing one. `flags` are those of `sqlite3_open_v2`.
    fn open(&self, path: Option<&str>, flags: c_int) -> Result<Self::Handle, Code>;
    fn delete(&self, path: &str) -> Result<(), Code>;
    fn exists(&self, path: &str) -> bool;
    fn close(&self, handle: Self::Handle);
    /// How many bytes were read: fewer than asked for only at the end.
    fn read(&self, handle: &Self::Handle, at: usize, into: &mut [u8]) -> Result<usize, Code>;
    fn write(&self, handle: &Self::Handle, at: usize, bytes: &[u8]) -> Result<(), Code>;
    fn truncate(&self, handle: &Self::Handle, size: usize) -> Result<(), Code>;
    fn sync(&self, handle: &Self::Handle) -> Result<(), Code>;
    fn size(&self, handle: &Self::Handle) -> Result<usize, Code>;
    /// Takes a lock: one of `SQLITE_LOCK_*`.
    fn lock(&self, handle: &Self::Handle, level: c_int) -> Result<(), Code>;
    fn unlock(&self, handle: &Self::Handle, level: c_int) -> Result<(), Code>;
    fn is_reserved(&self, handle: &Self::Handle) -> Result<bool, Code>;
    fn sector(&self) -> usize;
    /// A part of the memory that connections share: `size` bytes that are valid for ever.
    fn shared_part(
        &self,
        handle: &Self::Handle,
        part: usize,
        size: usize,
        extend: bool,
    ) -> Result<Option<NonNull<u8>>, Code>;
    fn lock_shared(
        &self,
        handle: &Self::Handle,
        locks: std::ops::Range<usize>,
        take: bool,
        alone: bool,
    ) -> Result<(), Code>;
    fn leave_shared(&self, handle: &Self::Handle, delete: bool);
}

/// What SQLite holds of an open file: its own part first.
#[repr(C)]
struct Open<V: Vfs> {
    file: ffi::sqlite3_file,
    vfs: *const V,
    handle: Option<V::Handle>,
}

/// Makes a file system SQLite's default one, for as long as the program runs.
///
/// # Errors
///
/// SQLite's code when it does not take it.
pub fn register<V: Vfs>(name: &str, vfs: V) -> Result<(), Code> {
    let name = CString::new(name).map_err(|_| ffi::SQLITE_MISUSE)?;
    let registered = Box::new(ffi::sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<Open<V>>() as c_int,
        mxPathname: 512,
        pNext: null_mut(),
        zName: name.into_raw(),
        pAppData: Box::into_raw(Box::new(vfs)).cast(),
        xOpen: Some(open::<V>),
        xDelete: Some(delete::<V>),
        xAccess: Some(access::<V>),
        xFullPathname: Some(full_path),
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(day),
        xGetLastError: None,
        xCurrentTimeInt64: Some(day_in_ms),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    });
    // SAFETY: it is valid for as long as the program runs.
    match unsafe { ffi::sqlite3_vfs_register(Box::into_raw(registered), 1) } {
        ffi::SQLITE_OK => Ok(()),
        code => Err(code),
    }
}

fn code(done: Result<(), Code>) -> c_int {
    done.err().unwrap_or(ffi::SQLITE_OK)
}

/// The methods of files of a file system.
fn methods<V: Vfs>() -> *const ffi::sqlite3_io_methods {
    static ONE: OnceLock<usize> = OnceLock::new();
    let made = ONE.get_or_init(|| {
        let methods = Box::new(ffi::sqlite3_io_methods {
            iVersion: 2,
            xClose: Some(close::<V>),
            xRead: Some(read::<V>),
            xWrite: Some(write::<V>),
            xTruncate: Some(truncate::<V>),
            xSync: Some(sync::<V>),
            xFileSize: Some(size::<V>),
            xLock: Some(lock::<V>),
            xUnlock: Some(unlock::<V>),
            xCheckReservedLock: Some(is_reserved::<V>),
            xFileControl: Some(control),
            xSectorSize: Some(sector::<V>),
            xDeviceCharacteristics: Some(characteristics),
            xShmMap: Some(shared_part::<V>),
            xShmLock: Some(lock_shared::<V>),
            xShmBarrier: Some(barrier),
            xShmUnmap: Some(leave_shared::<V>),
            xFetch: None,
            xUnfetch: None,
        });
        Box::into_raw(methods).expose_provenance()
    });
    std::ptr::with_exposed_provenance(*made)
}

/// The file system behind what SQLite was given.
///
/// # Safety
///
/// SQLite calls with what it was registered with.
unsafe fn of<'a, V: Vfs>(vfs: *mut ffi::sqlite3_vfs) -> &'a V {
    // SAFETY: as registered.
    unsafe { &*(*vfs).pAppData.cast::<V>() }
}

/// # Safety
///
/// `path` is null, or a text of C.
unsafe fn path<'a>(path: *const c_char) -> Option<&'a str> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(path) }.to_str().ok()
}

unsafe extern "C" fn open<V: Vfs>(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    taken: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives room for an `Open`, which has no methods until it is one.
    unsafe {
        (*file).pMethods = std::ptr::null();
        let system = of::<V>(vfs);
        match system.open(path(name), flags) {
            Ok(handle) => {
                let opened = Open::<V> {
                    file: ffi::sqlite3_file {
                        pMethods: methods::<V>(),
                    },
                    vfs: system,
                    handle: Some(handle),
                };
                file.cast::<Open<V>>().write(opened);
                if !taken.is_null() {
                    *taken = flags;
                }
                ffi::SQLITE_OK
            }
            Err(code) => code,
        }
    }
}

unsafe extern "C" fn delete<V: Vfs>(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    _: c_int,
) -> c_int {
    // SAFETY: SQLite gives a path.
    unsafe { code(of::<V>(vfs).delete(path(name).unwrap_or_default())) }
}

unsafe extern "C" fn access<V: Vfs>(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    _: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives a path, and room for the answer.
    unsafe { *out = c_int::from(of::<V>(vfs).exists(path(name).unwrap_or_default())) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_path(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite gives a path, and room for as many bytes.
    unsafe {
        let name = CStr::from_ptr(name).to_bytes_with_nul();
        if name.len() > room as usize {
            return ffi::SQLITE_CANTOPEN;
        }
        std::ptr::copy_nonoverlapping(name.as_ptr().cast(), out, name.len());
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn randomness(
    _: *mut ffi::sqlite3_vfs,
    length: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite gives room for as many bytes.
    unsafe { crate::system::getrandom(out.cast(), length as usize, 0) as c_int }
}

unsafe extern "C" fn sleep(_: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    // Whoever is waited for runs in the same thread.
    microseconds
}

unsafe extern "C" fn day(_: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: SQLite gives room for it.
    unsafe { *out = MILLISECONDS as f64 / 86_400_000.0 };
    ffi::SQLITE_OK
}

/// The date of every simulation as SQLite counts: in milliseconds of Julian days.
const MILLISECONDS: i64 = 210_866_760_000_000 + crate::system::DATE * 1000;

unsafe extern "C" fn day_in_ms(_: *mut ffi::sqlite3_vfs, out: *mut i64) -> c_int {
    // SAFETY: SQLite gives room for it.
    unsafe { *out = MILLISECONDS };
    ffi::SQLITE_OK
}

/// Calls a method of the file system with an open file of it.
macro_rules! on {
    ($file:expr, $v:ty, |$vfs:ident, $handle:ident| $act:expr) => {{
        // SAFETY: SQLite calls with files that were opened, and not after they were closed.
        let (vfs, handle) = unsafe {
            let open = &*$file.cast::<Open<$v>>();
            (&*open.vfs, open.handle.as_ref())
        };
        match handle {
            Some(handle) => {
                let ($vfs, $handle) = (vfs, handle);
                code($act)
            }
            None => ffi::SQLITE_MISUSE,
        }
    }};
}

unsafe extern "C" fn close<V: Vfs>(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: it was opened.
    let open = unsafe { &mut *file.cast::<Open<V>>() };
    open.file.pMethods = std::ptr::null();
    if let Some(handle) = open.handle.take() {
        // SAFETY: file systems are for ever.
        unsafe { &*open.vfs }.close(handle);
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn read<V: Vfs>(
    file: *mut ffi::sqlite3_file,
    out: *mut c_void,
    length: c_int,
    at: i64,
) -> c_int {
    on!(file, V, |vfs, handle| {
        // SAFETY: SQLite gives room for as many bytes.
        let into = unsafe { std::slice::from_raw_parts_mut(out.cast::<u8>(), length as usize) };
        vfs.read(handle, at as usize, into).and_then(|count| {
            let rest = &mut into[count..];
            // What is not there is zero.
            rest.fill(0);
            match rest.is_empty() {
                true => Ok(()),
                false => Err(ffi::SQLITE_IOERR_SHORT_READ),
            }
        })
    })
}

unsafe extern "C" fn write<V: Vfs>(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    at: i64,
) -> c_int {
    on!(file, V, |vfs, handle| {
        // SAFETY: SQLite gives as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) };
        vfs.write(handle, at as usize, bytes)
    })
}

unsafe extern "C" fn truncate<V: Vfs>(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    on!(file, V, |vfs, handle| vfs.truncate(handle, size as usize))
}

unsafe extern "C" fn sync<V: Vfs>(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    on!(file, V, |vfs, handle| vfs.sync(handle))
}

unsafe extern "C" fn size<V: Vfs>(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    on!(file, V, |vfs, handle| vfs.size(handle).map(|size| {
        // SAFETY: SQLite gives room for it.
        unsafe { *out = size as i64 };
    }))
}

unsafe extern "C" fn lock<V: Vfs>(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    on!(file, V, |vfs, handle| vfs.lock(handle, level))
}

unsafe extern "C" fn unlock<V: Vfs>(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    on!(file, V, |vfs, handle| vfs.unlock(handle, level))
}

unsafe extern "C" fn is_reserved<V: Vfs>(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    on!(file, V, |vfs, handle| vfs.is_reserved(handle).map(|is| {
        // SAFETY: SQLite gives room for it.
        unsafe { *out = c_int::from(is) };
    }))
}

unsafe extern "C" fn control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector<V: Vfs>(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: it was opened, and file systems are for ever.
    unsafe { (*(*file.cast::<Open<V>>()).vfs).sector() as c_int }
}

unsafe extern "C" fn characteristics(_: *mut ffi::sqlite3_file) -> c_int {
    // As SQLite takes for granted of every disk.
    ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

unsafe extern "C" fn shared_part<V: Vfs>(
    file: *mut ffi::sqlite3_file,
    part: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    on!(file, V, |vfs, handle| {
        let found = vfs.shared_part(handle, part as usize, size as usize, extend != 0);
        found.map(|found| {
            // SAFETY: SQLite gives room for it.
            unsafe { *out = found.map_or(null_mut(), |part| part.as_ptr().cast()) };
        })
    })
}

unsafe extern "C" fn lock_shared<V: Vfs>(
    file: *mut ffi::sqlite3_file,
    first: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    let locks = first as usize..(first + count) as usize;
    let take = flags & ffi::SQLITE_SHM_LOCK != 0;
    let alone = flags & ffi::SQLITE_SHM_EXCLUSIVE != 0;
    on!(file, V, |vfs, handle| vfs
        .lock_shared(handle, locks, take, alone))
}

unsafe extern "C" fn barrier(_: *mut ffi::sqlite3_file) {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

unsafe extern "C" fn leave_shared<V: Vfs>(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    on!(file, V, |vfs, handle| {
        vfs.leave_shared(handle, delete != 0);
        Ok(())
    })
}
