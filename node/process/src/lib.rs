//! Topics between the processes of one device (SPEC, section 7).
//!
//! ```text
//!  process of the publisher                    shared memory                       process of a subscriber
//!
//!  Lender ─ loan ─► Loan ── send ──►  ┌ slots: counted memory ┐ ◄── reads ── Borrowed ◄─ take ─ Borrower
//!                            │        │                       │
//!                            └─► Lent ┤ own readers, no copy  │
//!                                     └───────────────────────┘
//!  RemoteBell ─ ring ───────────────► a word, shared by all ──────────────► SharedBell ─ sleep: on the edge from idle to busy
//! ```
//!
//! Slots, queues and what finds out that a process has died are iceoryx2's; this crate settles names, limits, what happens when memory is short,
//! and the bell. One [`Lender`] is one service of iceoryx2 with one publisher. There is no thread in the background: what the dead have left is
//! taken away when somebody makes or joins a topic, or asks for it ([`reclaim`], [`Lender::reclaim`]).
//!
//! Processes meet when they run as the same user, see the same `/dev/shm` and the same System V memory (IPC namespace), and have the same version
//! of this crate. All of them are trusted not to write nonsense into iceoryx2's queues; the bell alone stands whatever is written into it.
//!
//! Nothing of it may be used, or dropped, in a child of `fork` that did not call `exec`.
//!
//! ```
//! use tokkyu_process::{Borrower, Lender, Limits};
//!
//! let lender = Lender::new(Limits::for_messages(64))?;
//! let mut borrower = Borrower::open(lender.name(), 4)?;
//! let mut loan = lender.loan(64)?;
//! loan.fill(7);
//! let lent = loan.send(0)?;
//! let borrowed = borrower.take()?.expect("a sample");
//! assert_eq!((borrowed.sequence(), borrowed[0], lent[0]), (0, 7, 7));
//! # Ok::<(), tokkyu_process::ProcessError>(())
//! ```

mod bell;
mod borrower;
mod dead;
mod device;
mod error;
mod folder;
mod lender;
mod lent;
mod limits;
mod lock;
mod page;
mod place;
mod receipt;
mod room;
mod unguessable;

pub use bell::{RemoteBell, SharedBell};
pub use borrower::{Borrowed, Borrower};
pub use dead::reclaim;
pub use device::device;
pub use error::ProcessError;
pub use lender::{Lender, Loan};
pub use lent::Lent;
pub use limits::{Limits, MAX_BYTES, MAX_DEPTH, MAX_SLOTS, MAX_SUBSCRIBERS};
pub use receipt::{Receipt, Waiting};
