//! The kernel on the hosted port.

mod desk;
mod lines;
mod mutexes;
mod overrun;
mod pairs;
mod termination;
mod time;
