//! What is spoken on the fleet's network: keys, states, calls, and the list an operator makes of them.
//!
//! Pure: no Zenoh, no clock. Everything that is read here may come from anybody who reached the network, so every
//! reader takes any bytes without a panic and holds bounded memory (FLT-10, FLT-14); `fuzz/` feeds it.

pub mod call;
pub mod keys;
pub mod roster;
pub mod state;
