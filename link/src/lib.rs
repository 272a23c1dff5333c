//! Lifespan-bounded publish/subscribe over lossy networks.
//!
//! [`wire`] is bytes, [`core`] the link without a clock or a socket, [`carrier`] what takes its packets to one
//! authenticated peer, [`runtime`] the thread that drives them and what applications hold, [`sim`] a seeded network in
//! virtual time. SPEC.md numbers the requirements.
pub mod carrier;
pub mod core;
pub mod runtime;
pub mod sim;
pub mod wire;
