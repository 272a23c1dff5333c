//! Virtual networks, experiments and reports.
pub mod board;
pub mod built;
pub mod drive;
pub mod dualos;
pub mod lbe;
pub mod local;
pub mod orphan;
pub mod rtnet;
pub mod rtos;
pub mod study;
pub mod ttsp;
pub mod wire;
