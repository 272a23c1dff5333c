//! Which messages and services a node wants code for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::definition::{Definition, Name, Service};
use crate::error::Error;
use crate::types::Types;

/// Messages and services by name, with all that they use.
#[derive(Clone, Debug)]
pub struct Wanted {
    types: Types,
    messages: Vec<Name>,
    services: BTreeMap<Name, Service>,
}

impl Wanted {
    /// None yet; definitions are looked for in `folders`, in their order.
    pub fn from_folders(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Wanted {
        Wanted { types: Types::from_folders(folders), messages: Vec::new(), services: BTreeMap::new() }
    }

    /// None yet; definitions are looked for where ROS 1 has them: the folders of `ROS_PACKAGE_PATH`, `/opt/ros/noetic/share`, `/usr/share`.
    pub fn from_environment() -> Wanted {
        Wanted::from_environment_after([])
    }

    /// The same, looking in `folders` first.
    pub fn from_environment_after(folders: impl IntoIterator<Item = PathBuf>) -> Wanted {
        let path = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
        let fixed = ["/opt/ros/noetic/share", "/usr/share"].map(PathBuf::from);
        let given = std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
        Wanted::from_folders(folders.into_iter().chain(given).chain(fixed))
    }

    /// The same, looking in `folder` last.
    #[must_use]
    pub fn and_last_from(mut self, folder: impl Into<PathBuf>) -> Wanted {
        self.types.add_folder(folder.into());
        self
    }

    /// One more message or, if there is none of that name, service.
    ///
    /// # Errors
    ///
    /// As for [`Wanted::message`].
    pub fn message_or_service(&mut self, name: &str) -> Result<&mut Wanted, Error> {
        let parsed = Name::parse(name)?;
        let is_service = !self.types.has_file(&parsed, "msg") && self.types.has_file(&parsed, "srv");
        if is_service { self.service(name) } else { self.message(name) }
    }

    /// One more message, `PACKAGE/NAME`.
    ///
    /// # Errors
    ///
    /// No name, or a definition that is missing or wrong.
    pub fn message(&mut self, name: &str) -> Result<&mut Wanted, Error> {
        let name = Name::parse(name)?;
        self.types.load(&name)?;
        self.messages.push(name);
        Ok(self)
    }

    /// One more service, `PACKAGE/NAME`.
    ///
    /// # Errors
    ///
    /// As for [`Wanted::message`].
    pub fn service(&mut self, name: &str) -> Result<&mut Wanted, Error> {
        let name = Name::parse(name)?;
        let service = self.types.load_service(&name)?;
        self.services.insert(name, service);
        Ok(self)
    }

    /// What is known of types.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The services.
    pub fn services(&self) -> impl Iterator<Item = (&Name, &Service)> {
        self.services.iter()
    }

    /// The messages, and each that one of them or a service uses, each once, sorted by name.
    pub fn messages_and_used(&self) -> Vec<&Name> {
        let halves = self.services.values().flat_map(|service| [&service.request, &service.response]);
        let mut all: Vec<&Name> = Vec::new();
        let mut left: Vec<&Name> = self.messages.iter().chain(halves.flat_map(Definition::uses)).collect();
        while let Some(name) = left.pop() {
            if !all.contains(&name) {
                all.push(name);
                left.extend(self.types.get(name).into_iter().flat_map(Definition::uses));
            }
        }
        all.sort();
        all
    }
}
