//! Seeded network in virtual time: the link's laboratory, and the model of a wire the real one is made of.

pub mod drive;
pub mod ideal;
pub mod network;
pub mod path;
pub mod rival;
