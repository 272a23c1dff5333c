//! The XML beneath: tags, and the text between them, from the front of a document to its end.
//!
//! Comments, CDATA sections and processing instructions belong to the text. An empty tag is read as two, so that nobody after this has to
//! know of it. The characters of the document are looked at once, before: nothing here meets one that XML does not have.

use super::error::{Problem, XmlError};
use super::text::{COMMENT, INSTRUCTION, SECTION, Text, entity, is_space, is_xml};

/// A tag, without what stands in it beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    Open(&'a str),
    Close(&'a str),
}

#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The tag before was empty, and is to be closed.
    closing: Option<&'a str>,
}

type Scanned<T> = Result<T, XmlError>;

impl<'a> Scanner<'a> {
    /// A part of a document that was read before.
    pub fn inside(part: &'a str) -> Scanner<'a> {
        Scanner { text: part, at: 0, closing: None }
    }

    /// A document; stands before its root.
    pub fn document(bytes: &'a [u8]) -> Scanned<Scanner<'a>> {
        let text = core::str::from_utf8(bytes).map_err(|error| Problem::Utf8.at(error.valid_up_to()))?;
        if let Some((at, _)) = text.char_indices().find(|&(_, c)| !is_xml(c)) {
            return Err(Problem::Character.at(at));
        }
        let mut scanner = Scanner::inside(text);
        scanner.eat("\u{FEFF}");
        scanner.declaration()?;
        scanner.outside()?;
        // Sections and entities are for the inside of the root.
        if scanner.rest().starts_with("<!") || scanner.rest().starts_with('&') {
            return scanner.wrong(Problem::Markup);
        }
        Ok(scanner)
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// From `start` to here.
    pub fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub fn wrong<T>(&self, problem: Problem) -> Scanned<T> {
        Err(problem.at(self.at))
    }

    /// The text up to the next tag.
    pub fn text(&mut self) -> Scanned<Text<'a>> {
        let start = self.at;
        while self.closing.is_none() {
            let Some(special) = self.rest().find(['<', '&', ']']) else { return self.wrong(Problem::Ended) };
            self.at += special;
            let rest = self.rest();
            match rest.as_bytes()[0] {
                b'&' => self.at += self.entity(rest)?,
                b']' if rest.starts_with(SECTION.1) => return self.wrong(Problem::SectionEnd),
                b']' => self.at += 1,
                _ if self.section()? || self.comment()? || self.instruction()? => {}
                _ => break,
            }
        }
        Ok(Text(self.since(start)))
    }

    /// Text that means nothing.
    pub fn blank(&mut self, before: &'static str) -> Scanned<()> {
        let start = self.at;
        if self.text()?.is_blank() { Ok(()) } else { Err(Problem::Expected(before).at(start)) }
    }

    /// The tag that stands here.
    pub fn tag(&mut self) -> Scanned<Tag<'a>> {
        if let Some(name) = self.closing.take() {
            return Ok(Tag::Close(name));
        }
        if self.eat("</") {
            let name = self.name()?;
            self.spaces();
            self.must(">")?;
            return Ok(Tag::Close(name));
        }
        self.must("<")?;
        let name = self.name()?;
        while self.attribute()?.is_some() {}
        if self.eat("/") {
            self.closing = Some(name);
        }
        self.must(">")?;
        Ok(Tag::Open(name))
    }

    /// Nothing but white space, comments and instructions, up to a tag or the end.
    pub fn outside(&mut self) -> Scanned<()> {
        loop {
            self.spaces();
            if self.rest().starts_with("<!DOCTYPE") {
                return self.wrong(Problem::Doctype);
            }
            if !self.comment()? && !self.instruction()? {
                return Ok(());
            }
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.closing.is_none() && self.rest().is_empty()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        self.at += if here { text.len() } else { 0 };
        here
    }

    fn must(&mut self, text: &str) -> Scanned<()> {
        if self.eat(text) {
            return Ok(());
        }
        self.wrong(if self.rest().is_empty() { Problem::Ended } else { Problem::Markup })
    }

    fn spaces(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(is_space).len();
        self.at += length;
        length > 0
    }

    /// The bytes of the entity that stands here.
    fn entity(&self, rest: &str) -> Scanned<usize> {
        match entity(rest) {
            Some((_, used)) => Ok(used),
            None => self.wrong(Problem::Entity),
        }
    }

    /// A name in ASCII: no other is ever expected.
    fn name(&mut self) -> Scanned<&'a str> {
        let start = self.at;
        let of_name = |c: char| c.is_ascii_alphanumeric() || ":_-.".contains(c);
        let rest = self.rest();
        let length = rest.find(|c| !of_name(c)).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
            return self.wrong(Problem::Markup);
        }
        self.at += length;
        Ok(self.since(start))
    }

    /// `NAME="VALUE"` with white space before it.
    fn attribute(&mut self) -> Scanned<Option<(&'a str, &'a str)>> {
        if !self.spaces() || self.rest().starts_with(['>', '/', '?']) {
            return Ok(None);
        }
        let name = self.name()?;
        self.spaces();
        self.must("=")?;
        self.spaces();
        Ok(Some((name, self.quoted()?)))
    }

    /// An attribute's value, as it stands there.
    fn quoted(&mut self) -> Scanned<&'a str> {
        let quote = if self.eat("'") { '\'' } else { '"' };
        if quote == '"' {
            self.must("\"")?;
        }
        let start = self.at;
        loop {
            let Some(special) = self.rest().find(['<', '&', quote]) else {
                return self.wrong(Problem::Ended);
            };
            self.at += special;
            match self.rest().as_bytes()[0] {
                b'&' => self.at += self.entity(self.rest())?,
                b'<' => return self.wrong(Problem::Markup),
                _ => break,
            }
        }
        let value = self.since(start);
        self.at += 1;
        Ok(value)
    }

    /// `<?xml version="1.0" encoding="utf-8"?>`, or nothing.
    fn declaration(&mut self) -> Scanned<()> {
        let rest = self.rest();
        if !rest.strip_prefix("<?xml").is_some_and(|rest| rest.starts_with(is_space)) {
            return Ok(());
        }
        self.at += "<?xml".len();
        let Some(("version", "1.0" | "1.1")) = self.attribute()? else { return self.wrong(Problem::Markup) };
        let mut wanted = ["encoding", "standalone"].iter();
        while let Some((name, value)) = self.attribute()? {
            let is_next = wanted.any(|known| *known == name);
            match name {
                "encoding" if is_next && !is_utf8(value) => return self.wrong(Problem::Encoding),
                "encoding" if is_next => {}
                "standalone" if is_next && ["yes", "no"].contains(&value) => {}
                _ => return self.wrong(Problem::Markup),
            }
        }
        self.must(INSTRUCTION.1)
    }

    fn section(&mut self) -> Scanned<bool> {
        let begins = self.eat(SECTION.0);
        if begins {
            self.pass(SECTION.1)?;
        }
        Ok(begins)
    }

    fn comment(&mut self) -> Scanned<bool> {
        let begins = self.eat(COMMENT.0);
        if begins {
            // XML 1.0, production 15: no -- inside.
            self.pass("--")?;
            self.must(">")?;
        }
        Ok(begins)
    }

    fn instruction(&mut self) -> Scanned<bool> {
        let start = self.at;
        if !self.eat(INSTRUCTION.0) {
            return Ok(false);
        }
        // A declaration that is not at the very beginning is none.
        let name = self.name()?;
        let ends = self.rest().starts_with(INSTRUCTION.1) || self.rest().starts_with(is_space);
        if name.eq_ignore_ascii_case("xml") || !ends {
            return Err(Problem::Markup.at(start));
        }
        self.pass(INSTRUCTION.1)?;
        Ok(true)
    }

    fn pass(&mut self, end: &str) -> Scanned<()> {
        let Some(length) = self.rest().find(end) else { return self.wrong(Problem::Ended) };
        self.at += length + end.len();
        Ok(())
    }
}

/// Whether that encoding is UTF-8, or a part of it.
fn is_utf8(encoding: &str) -> bool {
    ["utf-8", "us-ascii"].iter().any(|ours| encoding.eq_ignore_ascii_case(ours))
}
