//! Reads nodes as typed values. Whoever reads names the fields there are; every other key is an error with the nearest
//! field as a suggestion (CON-6, CON-7, CON-8).

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::error::{Log, Position, clip};
use super::tree::{Entry, Kind, Node, join};
use crate::units::{BitRate, Quantity, UnitError};

/// The remedy for a value outside its range.
pub(super) const IN_RANGE: &str = "choose a value in this range";
/// Longer words are not typing errors of ours, and comparing them would take time.
const MAX_SUGGEST_CHARS: usize = 40;

/// A shorter part of a name, such as `a`, is in too many names to mean one of them.
const MIN_PART_BYTES: usize = 4;

/// One value, where it stands and the path of fields to it.
pub(super) struct Field<'t> {
    pub(super) node: &'t Node,
    /// Where its key stands; where the value stands if it has none.
    pub(super) key_at: Position,
    pub(super) path: String,
}

/// A mapping whose keys are all known.
pub(super) struct Fields<'t> {
    entries: &'t [Entry],
    /// Where the mapping's own key stands.
    key_at: Position,
    path: String,
}

impl<'t> Field<'t> {
    /// The whole file.
    pub(super) fn root(node: &'t Node) -> Field<'t> {
        Field { node, key_at: node.at, path: String::new() }
    }

    /// Reports something wrong with the value.
    pub(super) fn wrong(&self, log: &mut Log<'_>, what: impl Into<String>, remedy: impl Into<String>) {
        log.report(self.node.at, &self.path, what, remedy);
    }

    /// The value is not of the kind that is needed.
    fn mismatch(&self, log: &mut Log<'_>, needed: &str) {
        match &self.node.kind {
            Kind::Broken => {}
            Kind::Nothing => {
                self.wrong(log, "the value is missing", format!("write {needed} or remove the field"))
            }
            other => {
                self.wrong(log, format!("{} does not fit here", other.noun()), format!("write {needed}"))
            }
        }
    }

    /// The value as text. `needed` says what it should be, for the message.
    pub(super) fn text(&self, log: &mut Log<'_>, needed: &str) -> Option<&'t str> {
        match &self.node.kind {
            Kind::Scalar(text) if !text.trim().is_empty() => Some(text),
            Kind::Scalar(_) => {
                self.wrong(log, "the value is empty", format!("write {needed} or remove the field"));
                None
            }
            _ => {
                self.mismatch(log, needed);
                None
            }
        }
    }

    /// The value as a mapping with no keys but `known`.
    pub(super) fn fields(&self, log: &mut Log<'_>, known: &[&str]) -> Option<Fields<'t>> {
        let entries = self.entries(log)?;
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            if log.is_full() {
                break;
            }
            let remedy = suggestion(&entry.key, known)
                .unwrap_or_else(|| format!("the fields here are {}", listed(known, "and")));
            log.report(entry.key_at, &join(&self.path, &entry.key), "unknown field", remedy);
        }
        Some(Fields { entries, key_at: self.key_at, path: self.path.clone() })
    }

    /// The value as a mapping with keys the writer chooses.
    pub(super) fn entries(&self, log: &mut Log<'_>) -> Option<&'t [Entry]> {
        match &self.node.kind {
            Kind::Map(entries) => Some(entries),
            _ => {
                self.mismatch(log, "a mapping");
                None
            }
        }
    }

    /// The items of a list.
    pub(super) fn items(&self, log: &mut Log<'_>) -> Option<Vec<Field<'t>>> {
        let Kind::List(nodes) = &self.node.kind else {
            self.mismatch(log, "a list in brackets");
            return None;
        };
        let item = |(index, node)| Field { node, key_at: node.at, path: format!("{}[{index}]", self.path) };
        Some(nodes.iter().enumerate().map(item).collect())
    }

    /// One word of a fixed set; `words` pairs each with its meaning.
    pub(super) fn word<T: Copy>(&self, log: &mut Log<'_>, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let text = self.text(log, &listed(&names, "or"))?;
        let found = words.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let remedy = suggestion(text, &names).unwrap_or_else(|| format!("use {}", listed(&names, "or")));
            self.wrong(log, format!("unknown value \"{}\"", clip(text)), remedy);
        }
        found
    }

    /// A quantity with its unit.
    pub(super) fn quantity<T>(
        &self,
        log: &mut Log<'_>,
        quantity: Quantity,
        read: impl FnOnce(&str) -> Result<T, UnitError>,
    ) -> Option<T> {
        let text = self.text(log, &format!("a {quantity} such as \"{}\"", quantity.example()))?;
        match read(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let what = format!("\"{}\" is not a {quantity}: {}", clip(text), error.what());
                self.wrong(log, what, error.remedy().to_string());
                None
            }
        }
    }

    /// A whole number in `range`.
    pub(super) fn integer(&self, log: &mut Log<'_>, range: RangeInclusive<u64>) -> Option<u64> {
        let (low, high) = (range.start(), range.end());
        let needed = format!("a whole number from {low} to {high}");
        let text = self.text(log, &needed)?;
        let found = text.parse().ok().filter(|number| range.contains(number));
        if found.is_none() {
            self.wrong(log, format!("\"{}\" is not {needed}", clip(text)), format!("write {needed}"));
        }
        found
    }

    /// Anything the standard library reads from text. `needed` says what, with an example.
    pub(super) fn parsed<T: FromStr>(&self, log: &mut Log<'_>, needed: &str) -> Option<T> {
        let text = self.text(log, needed)?;
        let found = text.parse().ok();
        if found.is_none() {
            self.wrong(log, format!("\"{}\" is not valid", clip(text)), format!("write {needed}"));
        }
        found
    }
}

impl<'t> Fields<'t> {
    /// The field called `name`, if it is given.
    pub(super) fn get(&self, name: &str) -> Option<Field<'t>> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        Some(Field { node: &entry.value, key_at: entry.key_at, path: join(&self.path, name) })
    }

    /// The quantity called `name`, from the first of the range to the second; `too_much` is the remedy for more.
    pub(super) fn bounded<T: Copy + PartialOrd + Display + FromStr<Err = UnitError>>(
        &self,
        log: &mut Log<'_>,
        name: &str,
        quantity: Quantity,
        (least, most): (T, T),
        too_much: &str,
    ) -> Option<T> {
        let field = self.get(name)?;
        let value = field.quantity(log, quantity, str::parse::<T>)?;
        if !(least..=most).contains(&value) {
            let remedy = if value > most { too_much } else { IN_RANGE };
            field.wrong(log, format!("{value} is not from {least} to {most}"), remedy);
            return None;
        }
        Some(value)
    }

    /// The bit rate called `max_rate`, above 0; `remedy` is that for 0.
    pub(super) fn max_rate(&self, log: &mut Log<'_>, remedy: &str) -> Option<BitRate> {
        let field = self.get("max_rate")?;
        let rate: BitRate = field.quantity(log, Quantity::BitRate, str::parse)?;
        if rate == BitRate(0) {
            field.wrong(log, "nothing can be sent at 0 bit/s", remedy);
        }
        Some(rate)
    }

    /// Reports something wrong with field `name` as such: at its key, or at the
    /// mapping's own key if it is not given.
    pub(super) fn wrong(
        &self,
        log: &mut Log<'_>,
        name: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let at = self.get(name).map_or(self.key_at, |field| field.key_at);
        log.report(at, &join(&self.path, name), what, remedy);
    }

    /// True when the mapping holds no key at all, known or not.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The field called `name`; that it is not given is an error.
    pub(super) fn required(&self, log: &mut Log<'_>, name: &str, remedy: &str) -> Option<Field<'t>> {
        let field = self.get(name);
        if field.is_none() {
            self.wrong(log, name, "the field is missing", remedy);
        }
        field
    }
}

/// `did you mean "…"?` with the one of `known` that `word` is a typing error or a part of, if there is one.
fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    if word.chars().nth(MAX_SUGGEST_CHARS).is_some() {
        return None;
    }
    let word = word.trim().to_lowercase().replace(['-', ' '], "_");
    let distance = |name: &str| strsim::damerau_levenshtein(&word, name);
    let near_enough = |name: &&str| distance(name) <= (name.chars().count() / 3).max(1);
    let whole = || known.iter().find(|name| word.len() >= MIN_PART_BYTES && name.contains(&word));
    let nearest = known.iter().min_by_key(|name| distance(name)).filter(|name| near_enough(name));
    nearest.or_else(whole).map(|name| format!("did you mean \"{name}\"?"))
}

/// `a, b or c`.
fn listed(words: &[impl Display], joint: &str) -> String {
    let mut list = String::new();
    for (position, word) in words.iter().enumerate() {
        let separator = match position {
            0 => "",
            last if last + 1 == words.len() => &format!(" {joint} "),
            _ => ", ",
        };
        list.push_str(&format!("{separator}{word}"));
    }
    list
}
