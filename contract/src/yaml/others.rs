//! `link.others` and `link.may` of `site.yaml`: who else the vehicle serves, and what each may (CON-64, CON-65).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::error::Log;
use super::fields::{Field, Fields};
use super::name;
use super::paths::LinkPath;
use crate::units::BitRate;

/// Ends beside the one at `operator`.
const MOST: usize = 7;
/// Letters of a name: reports carry it.
const LONGEST_NAME: usize = 16;
/// What the end at `operator` is called.
pub const FIRST: &str = "operator";
/// What an end that watches gets where nothing is said: enough to see what goes on.
const WATCH_RATE: BitRate = BitRate(2_000_000);

const RIGHTS: [(&str, Right); 3] =
    [("watch", Right::Watch), ("drive", Right::Drive), ("force", Right::Force)];

/// What an end may beside stopping the vehicle, which every end may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// See.
    #[default]
    Watch,
    /// And drive, when the driver or nobody has something against it.
    Drive,
    /// And take the seat from whoever has it.
    Force,
}

impl Right {
    /// The word for it in `site.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Right::Watch => "watch",
            Right::Drive => "drive",
            Right::Force => "force",
        }
    }

    /// All, in the order of their numbers on the wire.
    pub const ALL: [Right; 3] = [Right::Watch, Right::Drive, Right::Force];
}

/// A further end that the vehicle serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// What it is called, 1 to 16 characters.
    pub name: String,
    /// Where it is.
    pub at: SocketAddr,
    /// File of its public key.
    pub key: PathBuf,
    /// What it may.
    pub may: Right,
    /// Never send it more than this; `None`: as much as the site's own `max_rate` lets.
    pub max_rate: Option<BitRate>,
}

/// What the end at `operator` may: everything, unless told otherwise.
pub(super) fn first_may(fields: &Fields<'_>, log: &mut Log<'_>) -> Right {
    let may = fields.get("may").and_then(|field| field.word(log, &RIGHTS[1..]));
    may.unwrap_or(Right::Force)
}

/// The list, without those that have a fault of their own. `operator` is the first end's address, `paths` are further
/// ways to it.
pub(super) fn read(
    field: &Field<'_>,
    operator: Option<SocketAddr>,
    paths: &[LinkPath],
    log: &mut Log<'_>,
) -> Vec<Other> {
    let Some(items) = field.items(log) else { return Vec::new() };
    if items.len() > MOST {
        field.wrong(log, format!("{} ends", items.len()), format!("name at most {MOST}"));
    }
    if operator.is_none() && !items.is_empty() {
        field.wrong(log, "there is no first end", "say where it is: operator: 10.1.2.3:7447");
    }
    let (mut names, mut places) = (HashSet::from([FIRST.to_owned()]), HashSet::new());
    places.extend(operator);
    places.extend(paths.iter().filter_map(|path| path.operator));
    let mut others = Vec::new();
    for item in items.iter().take(MOST) {
        let Some(other) = read_one(item, log) else { continue };
        if !names.insert(other.name.clone()) {
            item.wrong(log, format!("another end is called {}", other.name), "give each a name of its own");
        }
        if !places.insert(other.at) {
            item.wrong(
                log,
                format!("another end is at {}", other.at),
                "give each an address and port of its own",
            );
        }
        others.push(other);
    }
    others
}

fn read_one(item: &Field<'_>, log: &mut Log<'_>) -> Option<Other> {
    let fields = item.fields(log, &["name", "at", "key", "may", "max_rate"])?;
    let name = fields.required(log, "name", "name the end, as in name: supervisor");
    let name = name.and_then(|field| read_name(&field, log));
    let at = fields.required(log, "at", "say where it listens, as in at: 10.1.2.3:7447");
    let at = at.and_then(|field| field.parsed(log, "an address with a port, such as 10.1.2.3:7447"));
    let key = fields.required(log, "key", "name the file of its public key");
    let key = key.and_then(|field| field.text(log, "the path of a public key").map(PathBuf::from));
    let may = fields.get("may").and_then(|field| field.word(log, &RIGHTS)).unwrap_or_default();
    let max_rate = fields
        .max_rate(log, "leave it out for what the site lets")
        .or((may == Right::Watch).then_some(WATCH_RATE));
    Some(Other { name: name?, at: at?, key: key?, may, max_rate })
}

fn read_name(field: &Field<'_>, log: &mut Log<'_>) -> Option<String> {
    let text = field.text(log, "a name such as supervisor")?;
    let wrong = match name::check_label(text) {
        Err(wrong) => Some(wrong),
        Ok(()) if text.len() > LONGEST_NAME || text.contains('.') => Some((
            format!("{text} cannot be shown"),
            format!("use at most {LONGEST_NAME} letters, digits, - and _"),
        )),
        Ok(()) => None,
    };
    match wrong {
        Some((what, remedy)) => {
            field.wrong(log, what, remedy);
            None
        }
        None => Some(text.to_owned()),
    }
}
