//! The vehicle's and the operator's programs: cameras, control, safe stop, the operator's view and the saving of what
//! arrived, joined to the link.
//!
//! | module | side | what it does |
//! |---|---|---|
//! | [`camera`] | vehicle | where pictures come from, and their compression to a bit rate |
//! | [`picture`] | both | the bytes of one picture sample |
//! | [`control`] | both | the bytes of one drive command, and where commands come from |
//! | [`safety`] | vehicle | the gate between the link and the motors |
//! | [`view`] | operator | the live view in the terminal |
//! | [`save`] | operator | pictures to disk, never in the link's way |
//! | [`program`] | both | what the two programs share: numbering, records, status, summary, ending |
//! | [`vehicle`] | vehicle | the vehicle's program, `tokkyu vehicle` |
//! | [`operator`] | operator | the operator's program, `tokkyu operator` |
//!
//! Only the last three open a socket (through the link) or read the clock; to the others time comes in as
//! [`MonoTime`](tokkyu_contract::MonoTime), and a clock is read only to bound a wait. Every call that can wait has a
//! bound of its own, written at the call, so that a program stays able to stop on Ctrl-C. `SPEC.md` numbers the
//! requirements (DRV-n) cited in the sources.

pub mod camera;
pub mod control;
pub mod operator;
pub mod picture;
pub mod program;
pub mod safety;
pub mod save;
pub mod text;
pub mod vehicle;
pub mod view;
mod xdg;
