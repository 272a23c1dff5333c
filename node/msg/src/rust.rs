//! Definitions to Rust (NODE-35): for each package a module, in it for each message a struct and its view, for each service a type.
//!
//! ```no_run
//! // build.rs of a node; in it: include!(concat!(env!("OUT_DIR"), "/messages.rs"));
//! let mut wanted = tokkyu_msg::Wanted::from_environment();
//! wanted.message("sensor_msgs/Image")?.service("std_srvs/SetBool")?;
//! std::fs::write(std::path::Path::new(&std::env::var("OUT_DIR")?).join("messages.rs"), tokkyu_msg::rust::generate(&wanted)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod constant;
mod field;
mod message;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::definition::{Name, Service};
use crate::error::Error;
use crate::wanted::Wanted;

pub(crate) use field::word;

/// Rust for all that is wanted, and for what that uses.
///
/// # Errors
///
/// A type that is used and not known.
pub fn generate(wanted: &Wanted) -> Result<String, Error> {
    let mut packages: BTreeMap<&str, String> = BTreeMap::new();
    for name in wanted.messages_and_used() {
        let text = message::generate(wanted.types(), name)?;
        packages.entry(&name.package).or_default().push_str(&text);
    }
    for (name, service) in wanted.services() {
        let text = generate_service(wanted, name, service)?;
        packages.entry(&name.package).or_default().push_str(&text);
    }
    let mut out = String::from("// Made from message definitions; not to be changed by hand.\n");
    for (package, text) in packages {
        let _ = write!(
            out,
            "\n#[allow(clippy::all, clippy::pedantic, non_camel_case_types, non_upper_case_globals, non_snake_case, dead_code)]\n\
             /// Messages and services of `{package}`.\npub mod {} {{\n{text}}}\n",
            word(package)
        );
    }
    Ok(out)
}

/// Both halves, which are messages, and the type that names them together.
fn generate_service(wanted: &Wanted, name: &Name, service: &Service) -> Result<String, Error> {
    let types = wanted.types();
    let halves = [("Request", &service.request), ("Response", &service.response)];
    let mut text = String::new();
    for (half, definition) in halves {
        let half = Name { package: name.package.clone(), own: format!("{}{half}", name.own) };
        let sum = types.md5_of(definition)?;
        text.push_str(&message::from_definition(types, &half, definition, &sum, &definition.text));
    }
    let (own, sum) = (&name.own, types.md5_of_service(service)?);
    let _ = write!(
        text,
        "\n/// The service `{name}`.\n#[derive(Clone, Copy, Debug)]\npub struct {};\nimpl ::tokkyu_message::Service for {} {{\n    type Request = {own}Request;\n    \
         type Response = {own}Response;\n    const DATATYPE: &'static str = \"{name}\";\n    const MD5SUM: &'static str = \"{sum}\";\n}}\n",
        word(own),
        word(own)
    );
    Ok(text)
}
