//! The headers of a service.

use super::{guard, message, path};
use crate::definition::{Definition, Name, Service};
use crate::error::Error;
use crate::types::Types;

pub(super) fn headers(types: &Types, name: &Name, service: &Service) -> Result<[(Name, String); 3], Error> {
    let mut types = types.clone();
    let request = half(&mut types, name, "Request", &service.request)?;
    let response = half(&mut types, name, "Response", &service.response)?;
    let own = own(name, &types.md5_of_service(service)?);
    Ok([request, response, (name.clone(), own)])
}

/// A half is a message by itself. genmsg ends each line of its text, also the last one.
fn half(
    types: &mut Types,
    service: &Name,
    which: &str,
    definition: &Definition,
) -> Result<(Name, String), Error> {
    let name = Name { package: service.package.clone(), own: format!("{}{which}", service.own) };
    types.add(name.clone(), &format!("{}\n", definition.text))?;
    let text = message::header(types, &name)?;
    Ok((name, text))
}

fn own(name: &Name, md5: &str) -> String {
    let (guard, package, own, full) = (guard(name), &name.package, &name.own, path(name, ""));
    let halves: String = ["Request", "Response"]
        .iter()
        .flat_map(|half| ["MD5Sum", "DataType"].map(|which| of_half(which, &full, half)))
        .collect();
    format!(
        "// Made from the definition of {name}; not to be changed by hand.\n#ifndef {guard}\n#define {guard}\n\n#include <ros/service_traits.h>\n\
         #include <{name}Request.h>\n#include <{name}Response.h>\n\nnamespace {package} {{\n\nstruct {own} {{\n    typedef {own}Request Request;\n    \
         typedef {own}Response Response;\n    typedef Request RequestType;\n    typedef Response ResponseType;\n\n    Request request;\n    \
         Response response;\n}};\n\n}} // namespace {package}\n\nnamespace ros {{\nnamespace service_traits {{\n\n{}{}{halves}\
         }} // namespace service_traits\n}} // namespace ros\n\n#endif // {guard}\n",
        named("MD5Sum", &full, md5),
        named("DataType", &full, &name.to_string())
    )
}

fn named(which: &str, of: &str, value: &str) -> String {
    specialization(which, of, &format!("\"{value}\""))
}

/// The halves answer as the service.
fn of_half(which: &str, service: &str, half: &str) -> String {
    specialization(which, &format!("{service}{half}"), &format!("{which}<{service}>::value()"))
}

fn specialization(which: &str, of: &str, value: &str) -> String {
    format!(
        "template <> struct {which}<{of}> {{\n    static const char *value() {{ return {value}; }}\n    \
         static const char *value(const {of} &) {{ return value(); }}\n}};\n\n"
    )
}
