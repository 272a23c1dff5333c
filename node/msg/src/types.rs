//! All types that are known, and what follows from them together: md5sums and whole texts (NODE-32 to NODE-34).

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use md5::{Digest, Md5};

use crate::definition::{Base, Definition, Name, Service};
use crate::error::{Error, Problem};
use crate::parse::{parse_message, parse_service};

/// Md5sums that are known already; nothing for a type that is being looked at.
type Sums = HashMap<Name, Option<String>>;

/// Message definitions by name, and the folders in which more are looked for.
#[derive(Clone, Debug, Default)]
pub struct Types {
    known: HashMap<Name, Definition>,
    folders: Vec<PathBuf>,
}

impl Types {
    /// None, and nowhere to look.
    pub fn new() -> Types {
        Types::default()
    }

    /// Looks in `folders`, in their order, for `PACKAGE/msg/NAME.msg` when a type is needed.
    pub fn from_folders(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Types {
        Types { known: HashMap::new(), folders: folders.into_iter().map(Into::into).collect() }
    }

    pub(crate) fn add_folder(&mut self, folder: PathBuf) {
        self.folders.push(folder);
    }

    /// Makes a type known by its text.
    ///
    /// # Errors
    ///
    /// The first line that is wrong.
    pub fn add(&mut self, name: Name, text: &str) -> Result<(), Error> {
        let definition = parse_message(&name.to_string(), &name.package, text)?;
        self.known.insert(name, definition);
        Ok(())
    }

    /// Reads the type, and all that it uses, from the folders, as far as it is not known yet.
    ///
    /// # Errors
    ///
    /// A file that is missing or wrong, or a type that has itself in it.
    pub fn load(&mut self, name: &Name) -> Result<(), Error> {
        self.load_below(name, &mut Vec::new(), &mut HashSet::new())
    }

    /// Reads a service from the folders, `PACKAGE/srv/NAME.srv`, and all that it uses.
    ///
    /// # Errors
    ///
    /// As for [`Types::load`].
    pub fn load_service(&mut self, name: &Name) -> Result<Service, Error> {
        let path = self.find(name, "srv")?;
        let service = parse_service(&path.display().to_string(), &name.package, &read(&path)?)?;
        let halves = [&service.request, &service.response];
        halves.into_iter().flat_map(Definition::uses).try_for_each(|name| self.load(name))?;
        Ok(service)
    }

    /// `above`: the way to this one; `done`: types that are loaded with all that they use.
    fn load_below(
        &mut self,
        name: &Name,
        above: &mut Vec<Name>,
        done: &mut HashSet<Name>,
    ) -> Result<(), Error> {
        if above.contains(name) {
            let way: Vec<String> = above.iter().chain([name]).map(Name::to_string).collect();
            return Err(
                Problem::Circle(name.clone(), format!(": {}", way.join(" > "))).at(&above[0].to_string(), 0)
            );
        }
        if done.contains(name) {
            return Ok(());
        }
        if !self.known.contains_key(name) {
            let path = self.find(name, "msg")?;
            let definition = parse_message(&path.display().to_string(), &name.package, &read(&path)?)?;
            self.known.insert(name.clone(), definition);
        }
        above.push(name.clone());
        let uses: Vec<Name> = self.known[name].uses().cloned().collect();
        uses.iter().try_for_each(|used| self.load_below(used, above, done))?;
        above.pop();
        done.insert(name.clone());
        Ok(())
    }

    /// Whether one of the folders has it. `kind`: `msg` or `srv`.
    pub(crate) fn has_file(&self, name: &Name, kind: &str) -> bool {
        self.find(name, kind).is_ok()
    }

    fn find(&self, name: &Name, kind: &str) -> Result<PathBuf, Error> {
        let file =
            |folder: &PathBuf| folder.join(&name.package).join(kind).join(format!("{}.{kind}", name.own));
        let found = self.folders.iter().map(file).find(|path| path.is_file());
        found.ok_or_else(|| self.unknown(name).nowhere())
    }

    fn unknown(&self, name: &Name) -> Problem {
        let folders: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        let looked = if folders.is_empty() { String::new() } else { format!(" in {}", folders.join(", ")) };
        Problem::Unknown { name: name.clone(), looked }
    }

    /// The definition of a type that is known.
    pub fn get(&self, name: &Name) -> Option<&Definition> {
        self.known.get(name)
    }

    fn known(&self, name: &Name) -> Result<&Definition, Error> {
        self.get(name).ok_or_else(|| self.unknown(name).nowhere())
    }

    /// The md5sum of a type, 32 hexadecimal digits (NODE-32).
    ///
    /// # Errors
    ///
    /// It, or one that it uses, is not known, or has itself in it.
    pub fn md5(&self, name: &Name) -> Result<String, Error> {
        self.sum(name, &mut Sums::new())
    }

    /// The md5sum of a service (NODE-32).
    ///
    /// # Errors
    ///
    /// As for [`Types::md5`].
    pub fn md5_of_service(&self, service: &Service) -> Result<String, Error> {
        let mut sums = Sums::new();
        let mut digest = Md5::new();
        for half in [&service.request, &service.response] {
            digest.update(self.md5_text(half, &mut sums)?);
        }
        Ok(hex(&digest.finalize()))
    }

    /// The md5sum of a definition, such as one half of a service.
    ///
    /// # Errors
    ///
    /// As for [`Types::md5`].
    pub fn md5_of(&self, definition: &Definition) -> Result<String, Error> {
        Ok(hex(&Md5::digest(self.md5_text(definition, &mut Sums::new())?)))
    }

    fn sum(&self, name: &Name, sums: &mut Sums) -> Result<String, Error> {
        match sums.get(name) {
            Some(Some(sum)) => return Ok(sum.clone()),
            Some(None) => return Err(Problem::Circle(name.clone(), String::new()).nowhere()),
            None => {}
        }
        sums.insert(name.clone(), None);
        let sum = hex(&Md5::digest(self.md5_text(self.known(name)?, sums)?));
        sums.insert(name.clone(), Some(sum.clone()));
        Ok(sum)
    }

    fn md5_text(&self, definition: &Definition, sums: &mut Sums) -> Result<String, Error> {
        let constants = definition
            .constants
            .iter()
            .map(|constant| Ok(format!("{} {}={}", constant.of.as_str(), constant.name, constant.value)));
        let fields = definition.fields.iter().map(|field| match &field.of.base {
            Base::Builtin(_) => Ok(format!("{} {}", field.of, field.name)),
            Base::Message(name) => Ok(format!("{} {}", self.sum(name, sums)?, field.name)),
        });
        Ok(constants.chain(fields).collect::<Result<Vec<_>, Error>>()?.join("\n"))
    }

    /// The whole definition that a publisher sends (NODE-33).
    ///
    /// # Errors
    ///
    /// It, or one that it uses, is not known.
    pub fn full_text(&self, name: &Name) -> Result<String, Error> {
        let definition = self.known(name)?;
        let mut used = Vec::new();
        self.collect_uses(definition, &mut used)?;
        let mut text = format!("{}\n", definition.text);
        for name in used {
            let _ = writeln!(text, "{}\nMSG: {name}\n{}", "=".repeat(80), self.known(&name)?.text);
        }
        text.pop();
        Ok(text)
    }

    /// What the definition uses: each where it is met first, and right after it what that one uses.
    fn collect_uses(&self, definition: &Definition, used: &mut Vec<Name>) -> Result<(), Error> {
        for name in definition.uses() {
            if !used.contains(name) {
                used.push(name.clone());
                self.collect_uses(self.known(name)?, used)?;
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
