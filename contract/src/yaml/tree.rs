//! Turns YAML text into a tree of nodes that know their line and column.
//!
//! What bounds it: the file's size and [`MAX_DEPTH`] are checked before anything is built, and aliases are refused, so
//! the tree is never larger than the text and no bomb can be written (CON-2, CON-3). Duplicate keys are errors.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use super::error::{Log, Position, clip};
use super::file::MAX_FILE_BYTES;

/// The deepest nesting that is read; the deepest field of a valid file is at 5.
pub const MAX_DEPTH: usize = 16;

/// One value and where it begins.
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    /// No value: `key:`, `~` or `null`.
    Nothing,
    /// One word or text.
    Scalar(String),
    List(Vec<Node>),
    /// Keys are unique, in the order of the file.
    Map(Vec<Entry>),
    /// Something that was already reported; whoever reads it stays silent.
    Broken,
}

impl Kind {
    /// What it is, for messages.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Scalar(_) => "a single value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Broken => "a broken value",
        }
    }
}

pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: Position,
    pub(super) value: Node,
}

/// A step from the root to a node, for messages.
enum Step {
    Key(String),
    Item(usize),
}

/// Reads the one document of `text`. `None` when the text is so broken that there is no tree; `log` says why.
pub(super) fn read<'t>(text: &'t str, log: &mut Log<'t>) -> Option<Node> {
    if text.len() > MAX_FILE_BYTES {
        let what = format!("the file is larger than {} KiB", MAX_FILE_BYTES / 1024);
        log.report(Position::START, "", what, "is it the right file?");
        return None;
    }
    if let Some((at, c)) = control_character(text) {
        let what = format!("control character U+{:04X}", u32::from(c));
        log.report(at, "", what, "remove it; configuration is plain text");
        return None;
    }
    Builder { events: Parser::new_from_str(text), log, trail: Vec::new() }.document()
}

/// The first character YAML does not allow in a text (YAML 1.2.2, §5.1), of those below U+00A0.
fn control_character(text: &str) -> Option<(Position, char)> {
    let mut at = Position::START;
    let mut after_return = false;
    for c in text.chars() {
        let is_break = c == '\r' || (c == '\n' && !after_return);
        if c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}') {
            return Some((at, c));
        }
        if is_break {
            at = Position { line: at.line + 1, column: 1 };
        } else if c != '\n' {
            at.column += 1;
        }
        after_return = c == '\r';
    }
    None
}

/// Pulls events and builds nodes. Recursion is bounded by [`MAX_DEPTH`].
struct Builder<'t, 'l> {
    events: Parser<'t, StrInput<'t>>,
    log: &'l mut Log<'t>,
    trail: Vec<Step>,
}

impl<'t> Builder<'t, '_> {
    /// The next event and where it begins; `None` after a syntax error, which is reported.
    fn next(&mut self) -> Option<(Event<'t>, Position)> {
        match self.events.next()? {
            Ok((event, span)) => Some((event, position(&span.start))),
            Err(error) => {
                let what = format!("not valid YAML: {}", error.info());
                let remedy = "look at the brackets, quotes, colons and indentation up to here";
                self.log.report(position(error.marker()), "", what, remedy);
                None
            }
        }
    }

    fn document(&mut self) -> Option<Node> {
        let mut root = None;
        while let Some((event, at)) = self.next() {
            match event {
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
                Event::StreamEnd => {
                    return Some(root.unwrap_or(Node { at: Position::START, kind: Kind::Nothing }));
                }
                _ if root.is_some() => {
                    self.log.report(at, "", "a second YAML document", "keep one document in a file");
                    return None;
                }
                event => root = Some(self.node(event, at)?),
            }
        }
        None
    }

    /// The node that `event` begins.
    fn node(&mut self, event: Event<'t>, at: Position) -> Option<Node> {
        if self.trail.len() > MAX_DEPTH {
            let what = format!("nested more than {MAX_DEPTH} deep");
            self.report(at, &what, "no field is that deep; look at the brackets and the indentation");
            return None;
        }
        let tag = match &event {
            Event::Scalar(_, _, _, tag) | Event::SequenceStart(_, tag) | Event::MappingStart(_, tag) => tag,
            _ => &None,
        };
        if tag.is_some() {
            self.report(at, "YAML tags are not used here", "remove the word that begins with !");
        }
        let kind = match event {
            Event::Scalar(text, style, ..) => scalar(text.into_owned(), style),
            Event::SequenceStart(..) => self.list()?,
            Event::MappingStart(..) => self.map()?,
            Event::Alias(_) => {
                self.report(at, "YAML aliases are not used here", "write the value out");
                Kind::Broken
            }
            _ => Kind::Broken,
        };
        Some(Node { at, kind })
    }

    fn list(&mut self) -> Option<Kind> {
        let mut items = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                return Some(Kind::List(items));
            }
            self.trail.push(Step::Item(items.len()));
            items.push(self.node(event, at)?);
            self.trail.pop();
        }
    }

    fn map(&mut self) -> Option<Kind> {
        let mut entries = Vec::new();
        let mut seen = HashMap::new();
        loop {
            let (event, key_at) = self.next()?;
            if event == Event::MappingEnd {
                return Some(Kind::Map(entries));
            }
            let key = self.key(event, key_at)?;
            let (event, at) = self.next()?;
            self.trail.push(Step::Key(key.clone().unwrap_or_default()));
            let value = self.node(event, at)?;
            if let Some(key) = key {
                match seen.insert(key.clone(), key_at) {
                    None => entries.push(Entry { key, key_at, value }),
                    Some(first) => self.duplicate(first, key_at),
                }
            }
            self.trail.pop();
        }
    }

    fn duplicate(&mut self, first: Position, second: Position) {
        let what = format!("given twice, first at line {}", first.line);
        self.report(second, &what, "remove one of them");
    }

    /// The text of a key; the outer `None` is a syntax error, the inner one a key that is not text.
    fn key(&mut self, event: Event<'t>, at: Position) -> Option<Option<String>> {
        if let Event::Scalar(text, _, _, None) = event {
            return Some(Some(text.into_owned()));
        }
        self.report(at, "a key that is not plain text", "write it as: name: value");
        self.trail.push(Step::Key(String::new()));
        self.node(event, at)?;
        self.trail.pop();
        Some(None)
    }

    fn report(&mut self, at: Position, what: &str, remedy: &str) {
        let mut path = String::new();
        for step in &self.trail {
            path = match step {
                Step::Key(key) => join(&path, key),
                Step::Item(index) => format!("{path}[{index}]"),
            };
        }
        self.log.report(at, &path, what, remedy);
    }
}

/// The path of field `key` below `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { clip(key) } else { format!("{path}.{}", clip(key)) }
}

/// Only what is written without quotes can mean "nothing" (YAML 1.2.2, §10.3.2).
fn scalar(text: String, style: ScalarStyle) -> Kind {
    let is_null = style == ScalarStyle::Plain && matches!(text.as_str(), "" | "~" | "null");
    if is_null { Kind::Nothing } else { Kind::Scalar(text) }
}

/// The parser counts columns from 0.
fn position(marker: &saphyr_parser::Marker) -> Position {
    Position { line: marker.line().max(1), column: marker.col() + 1 }
}
