//! Definitions to C++ headers with the shape of roscpp's (NODE-38): for each message `PACKAGE/NAME.h`, for each service that and one for each of its halves. What
//! they include from `ros/` is in `node/cpp/include`.
//!
//! A name that is a keyword of C++ stays as it is, as with gencpp: the compiler refuses that header.
//!
//! ```no_run
//! let mut wanted = tokkyu_msg::Wanted::from_environment();
//! wanted.message("sensor_msgs/Image")?.service("std_srvs/SetBool")?;
//! let headers = tokkyu_msg::cpp::generate(&wanted, std::path::Path::new("include"))?;
//! println!("{} headers", headers.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod constant;
mod field;
mod literal;
mod message;
mod service;
mod traits;

use std::io;
use std::path::{Path, PathBuf};

use crate::definition::{Name, Service};
use crate::types::Types;
use crate::wanted::Wanted;

/// Headers that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A definition is wrong, or one that it uses is not known.
    #[error(transparent)]
    Definition(#[from] crate::Error),
    /// A file that cannot be written.
    #[error("{}: cannot be written: {error}; give a folder in which you may make files", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Writes the headers of all that is wanted, and of all that it uses, below `out`, and returns where they are. A file that has the right text already is left alone.
///
/// # Errors
///
/// A type that is used and not known, or a file that cannot be written.
pub fn generate(wanted: &Wanted, out: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for name in wanted.messages_and_used() {
        paths.push(write(out, name, &header(wanted.types(), name)?)?);
    }
    for (name, service) in wanted.services() {
        for (name, text) in service_headers(wanted.types(), name, service)? {
            paths.push(write(out, &name, &text)?);
        }
    }
    Ok(paths)
}

/// The text of `PACKAGE/NAME.h` for a message that is known with all that it uses.
///
/// # Errors
///
/// It, or one that it uses, is not known.
pub fn header(types: &Types, name: &Name) -> Result<String, crate::Error> {
    message::header(types, name)
}

/// The headers of a service: of its request, of its response, and its own, which includes them.
///
/// # Errors
///
/// A type that it uses is not known.
pub fn service_headers(
    types: &Types,
    name: &Name,
    service: &Service,
) -> Result<[(Name, String); 3], crate::Error> {
    service::headers(types, name, service)
}

fn write(out: &Path, name: &Name, text: &str) -> Result<PathBuf, Error> {
    let folder = out.join(&name.package);
    let path = folder.join(format!("{}.h", name.own));
    let same = std::fs::read(&path).is_ok_and(|there| there == text.as_bytes());
    if !same {
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| Error::Write { path: path.clone(), error })?;
    }
    Ok(path)
}

/// What keeps a header from being read twice. The same as gencpp's, so that one made by it may be in the way without harm.
fn guard(name: &Name) -> String {
    format!("{}_MESSAGE_{}_H", name.package.to_uppercase(), name.own.to_uppercase())
}

/// A type as seen from everywhere.
fn path(name: &Name, suffix: &str) -> String {
    format!("::{}::{}{suffix}", name.package, name.own)
}
