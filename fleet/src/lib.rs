//! The fleet: vehicles announce themselves on a Zenoh network with routers, operators list them and call one.
//!
//! | module | what |
//! |---|---|
//! | [`protocol`] | what is spoken: keys, states, calls, the list; without Zenoh |
//! | [`engagement`] | the vehicle's answer to "may I drive": one at a time; without Zenoh |
//! | [`network`] | Zenoh's configuration for vehicles, operators and routers: TLS, who may what |
//! | [`router`] | `tokkyu fleet router` |
//! | [`serve`] | `tokkyu fleet serve`, on the vehicle |
//! | [`watch`] | `tokkyu fleet list` |
//! | [`open`] | `tokkyu fleet open` |
//!
//! Nothing here carries a picture or a command: the link does, between the two machines, with the keys they have pinned. What
//! comes from the fleet's network is a wish or a claim (FLT-40). `SPEC.md` numbers the requirements (FLT-n).

pub mod engagement;
#[cfg(feature = "zenoh")]
pub mod error;
#[cfg(feature = "zenoh")]
pub mod network;
#[cfg(feature = "zenoh")]
pub mod open;
pub mod protocol;
#[cfg(feature = "zenoh")]
pub mod router;
#[cfg(feature = "zenoh")]
pub mod serve;
#[cfg(feature = "zenoh")]
pub mod watch;

#[cfg(feature = "zenoh")]
pub use error::FleetError;
