//! The kernel's calls for C (SPEC.md): [`c_calls!`] makes them of a static kernel; `include/kernel.h` declares them.
//!
//! # Safety
//!
//! Of all functions that it makes: pointers are what the header says.

#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]

mod answers;
mod blocks;
mod calls;
mod packets;

pub use answers::{bool_or_error, er, flag_mode, store, store_both, timeout, value};
pub use blocks::Blocks;
pub use packets::{
    Packet, T_RALM, T_RCYC, T_RDTQ, T_RFLG, T_RMPF, T_RMTX, T_ROVR, T_RPDQ, T_RSEM, T_RSPN, T_RTSK,
};
