//! The messages that talker and listener speak, made of their definitions by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/messages.rs"));
