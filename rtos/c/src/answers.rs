//! Answers and arguments as C has them (RTC-1, RTC-2).

use tokkyu_rtos::{Error, FlagMode, Result, Timeout};

/// `E_OK` or an error's number.
#[inline(always)]
pub fn er(result: Result) -> i32 {
    result.map_or_else(Error::code, |()| 0)
}

/// A value that is not negative, or an error's number.
#[inline(always)]
pub fn value(result: Result<u32>) -> i32 {
    result.map_or_else(Error::code, |value| value as i32)
}

/// The same of yes or no.
#[inline(always)]
pub fn bool_or_error(result: Result<bool>) -> i32 {
    result.map_or_else(Error::code, i32::from)
}

/// `E_OK` with the answer written, or an error's number.
///
/// # Safety
/// Room for one.
#[inline(always)]
pub unsafe fn store<T, A>(result: Result<A>, to: *mut T, as_c: impl FnOnce(A) -> T) -> i32 {
    match result {
        Ok(answer) => {
            // SAFETY: the caller's promise.
            unsafe { to.write(as_c(answer)) };
            0
        }
        Err(error) => error.code(),
    }
}

/// The same of data with its priority.
///
/// # Safety
/// Room for one of each.
#[inline(always)]
pub unsafe fn store_both(result: Result<(usize, i32)>, to: *mut usize, priority_to: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        store(result, to, |(data, priority)| {
            priority_to.write(priority);
            data
        })
    }
}

/// `TMO`
#[inline(always)]
pub const fn timeout(tmout: u32) -> Timeout {
    match tmout {
        0 => Timeout::Poll,
        u32::MAX => Timeout::Forever,
        us => Timeout::After(us),
    }
}

/// `MODE` of a flag: `TWF_ORW` or `TWF_ANDW`.
///
/// # Errors
/// `E_PAR`
#[inline(always)]
pub const fn flag_mode(mode: u32) -> Result<FlagMode> {
    match mode {
        1 => Ok(FlagMode::Any),
        2 => Ok(FlagMode::All),
        _ => Err(Error::Parameter),
    }
}
