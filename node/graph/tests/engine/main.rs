//! The engine of a node in virtual time, one idea for each file; `world` is the rest of the graph. One program: linking is what takes long.

mod nodes;
mod parameters;
mod publishers;
mod services;
mod sharing;
mod world;
