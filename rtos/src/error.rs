//! What calls answer when they do not do what was asked.

/// An error of a service call. Names and numbers are ITRON's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Error {
    /// `E_NOSPT`: not supported by this kernel.
    NotSupported = -9,
    /// `E_PAR`: an argument is out of its range.
    Parameter = -17,
    /// `E_ID`: no object has this number.
    Id = -18,
    /// `E_CTX`: not to be called from here (SPEC.md RTK-20).
    Context = -25,
    /// `E_ILUSE`: a use that the specification forbids.
    IllegalUse = -28,
    /// `E_OBJ`: the object's state does not allow it.
    State = -41,
    /// `E_QOVR`: no room for one more.
    Overflow = -43,
    /// `E_RLWAI`: the wait was ended by `rel_wai`.
    Released = -49,
    /// `E_TMOUT`: the time is over, or there was nothing to take at once.
    Timeout = -50,
    /// `E_DLT`: what was waited for was made anew.
    Deleted = -51,
    /// `E_RASTER`: the task is asked to end (SPEC.md RTK-18).
    Termination = -53,
}

/// What a call answers.
pub type Result<T = ()> = core::result::Result<T, Error>;

impl Error {
    /// ITRON's number.
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// The error of a number, if there is one.
    pub(crate) const fn of(code: i8) -> Option<Error> {
        Some(match code {
            -9 => Error::NotSupported,
            -17 => Error::Parameter,
            -18 => Error::Id,
            -25 => Error::Context,
            -28 => Error::IllegalUse,
            -41 => Error::State,
            -43 => Error::Overflow,
            -49 => Error::Released,
            -50 => Error::Timeout,
            -51 => Error::Deleted,
            -53 => Error::Termination,
            _ => return None,
        })
    }
}
