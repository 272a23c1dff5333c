//! `tokkyu bridge` between real DDS programs, on loopback and over the emulated wire.
//!
//! The programs are those of `ros2/tests/peers`, which `ros2/tests/peers/build` makes; where one is not there, or the wire is
//! not permitted, the tests say so and pass. They wait for events, never for a time.

mod base;
mod capture;
mod crossing;
mod drive;
mod one_domain;
mod one_host;
mod over_wire;
mod peer;
mod presence;
mod program;
mod refusals;
mod representation;
mod timing;
mod yard;
