//! The kernel on the hosted port.

mod desk;
mod mutexes;
mod pairs;
mod time;
