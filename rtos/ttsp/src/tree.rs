//! YAML as a tree, as far as the suite uses it: maps in their order, lists, words.

use saphyr_parser::{Event, Parser};

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A scalar, unquoted.
    Word(String),
    /// A list.
    List(Vec<Tree>),
    /// A map in the order of the file.
    Map(Vec<(String, Tree)>),
}

/// Deepest nesting: a scenario has six.
const DEPTH_MAX: usize = 32;

impl Tree {
    /// Of a text.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Tree, String> {
        let mut events = Vec::new();
        for event in Parser::new_from_str(text) {
            match event.map_err(|error| error.to_string())?.0 {
                Event::Alias(_) => return Err("an alias: the suite has none".to_owned()),
                Event::Scalar(text, ..) => events.push(Piece::Word(text.into_owned())),
                Event::SequenceStart(..) => events.push(Piece::ListBegins),
                Event::SequenceEnd => events.push(Piece::ListEnds),
                Event::MappingStart(..) => events.push(Piece::MapBegins),
                Event::MappingEnd => events.push(Piece::MapEnds),
                _ => {}
            }
        }
        let mut pieces = events.into_iter();
        let first = pieces.next().ok_or("an empty document")?;
        build(first, &mut pieces, 0)
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[(String, Tree)] {
        match self {
            Tree::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Tree] {
        match self {
            Tree::List(items) => items,
            _ => &[],
        }
    }

    /// What a map has under a key.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// A scalar's text; a key without a value has the empty one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Tree::Word(text) if text == "~" => Some(""),
            Tree::Word(text) => Some(text),
            _ => None,
        }
    }

    /// The scalar under a key of a map.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Tree::word)
    }
}

enum Piece {
    Word(String),
    ListBegins,
    ListEnds,
    MapBegins,
    MapEnds,
}

fn build(first: Piece, pieces: &mut impl Iterator<Item = Piece>, depth: usize) -> Result<Tree, String> {
    if depth > DEPTH_MAX {
        return Err(format!("nested more than {DEPTH_MAX} deep"));
    }
    let cut = || "it ends in the middle".to_owned();
    match first {
        Piece::Word(text) => Ok(Tree::Word(text)),
        Piece::ListBegins => {
            let mut items = Vec::new();
            loop {
                match pieces.next().ok_or_else(cut)? {
                    Piece::ListEnds => return Ok(Tree::List(items)),
                    piece => items.push(build(piece, pieces, depth + 1)?),
                }
            }
        }
        Piece::MapBegins => {
            let mut entries = Vec::new();
            loop {
                match pieces.next().ok_or_else(cut)? {
                    Piece::MapEnds => return Ok(Tree::Map(entries)),
                    Piece::Word(key) => {
                        let value = pieces.next().ok_or_else(cut)?;
                        entries.push((key, build(value, pieces, depth + 1)?));
                    }
                    _ => return Err("a key that is no word".to_owned()),
                }
            }
        }
        Piece::ListEnds | Piece::MapEnds => Err("an end without a beginning".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_keep_their_order_and_lists_their_items() {
        let tree = Tree::read("b: 1\na:\n  - x: y\n  - z\nempty:\n").unwrap();
        assert_eq!(tree.entries()[0].0, "b");
        assert_eq!(tree.get("a").unwrap().items()[0].field("x"), Some("y"));
        assert_eq!(tree.field("empty"), Some(""));
    }

    #[test]
    fn what_is_broken_is_an_error_and_no_panic() {
        for text in ["", "a: [1, 2", "{{{{", "a: *b", "a: b: c", "- \t- x"] {
            let _ = Tree::read(text);
        }
        assert!(Tree::read(&"[".repeat(500)).is_err());
        assert!(Tree::read("").is_err());
    }
}
