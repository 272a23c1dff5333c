//! Memory that processes of a device share, and what tells that they do.

pub(crate) use tokkyu_process::{
    Borrowed, Borrower, Lender, Lent, Limits, Loan, MAX_BYTES, ProcessError, Receipt, RemoteBell, Waiting,
    device,
};
