//! A DDS call that failed.

use std::ffi::CStr;

/// What was asked of DDS, and DDS's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("DDS cannot {what}: {why}")]
pub struct DdsError {
    /// What was asked, such as `create a reader of rt/camera/front`.
    pub what: String,
    /// Why not, in Cyclone DDS's words.
    pub why: String,
    /// Cyclone DDS's return code, negative.
    pub code: i32,
}

/// The result of a call that gives a handle, a count or nothing, and a negative number when it fails.
pub(super) fn check(result: i32, what: impl FnOnce() -> String) -> Result<i32, DdsError> {
    if result >= 0 {
        return Ok(result);
    }
    // SAFETY: the function takes any number and gives a static string.
    let why = unsafe { CStr::from_ptr(cyclors::dds_strretcode(result)) };
    Err(DdsError { what: what(), why: why.to_string_lossy().into_owned(), code: result })
}
