//! Declarations: what is read, refused and checked. One program: linking is what takes long.
#![cfg(feature = "std")]

mod check;
mod garbage;
mod others;
mod output;
mod paths;
mod robot_yaml;
mod site_yaml;
mod vehicle;
mod yaml_text;
