//! What is wrong with a file, where, and what to do about it.
//!
//! One error reads `file:line:column: field path: what is wrong; remedy` (CON-4). All errors of a file are reported
//! together, in the order of the file, at most [`MAX_ERRORS`] of them (CON-5).

use std::fmt;

/// More errors than this are counted as "more": a reader mends the first ones and looks again.
pub const MAX_ERRORS: usize = 20;

/// How much of a long source line is shown around the place of an error, in characters.
const EXCERPT_CHARS: usize = 110;

/// Names and paths in messages are cut after this many characters: a ROS 2 name in full, garbage not.
const CLIP_CHARS: usize = 255;

/// A place in a file, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, 1 is the first.
    pub line: usize,
    /// Column in characters, 1 is the first; one past the end of the line for what is missing there.
    pub column: usize,
}

impl Position {
    /// The first character of a file.
    pub const START: Position = Position { line: 1, column: 1 };
}

/// One thing wrong with one file. `{}` prints one line, `{:#}` adds the source line with a caret under the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file as the caller named it.
    pub file: String,
    /// Where in the file; `None` when the file could not be read at all.
    pub at: Option<Position>,
    /// The field, such as `flows.camera/front.rate`; empty when the error is about the file as a whole.
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    excerpt: Option<Excerpt>,
}

/// The part of a source line around an error.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    /// White space that brings the caret under the place, tabs kept as tabs.
    indent: String,
}

impl Error {
    /// A file that could not be read.
    pub(super) fn of_file(file: &str, what: String, remedy: &str) -> Error {
        let (path, remedy) = (String::new(), remedy.to_owned());
        Error { file: file.to_owned(), at: None, path, what, remedy, excerpt: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(Position { line, column }) = self.at {
            write!(f, "{line}:{column}:")?;
        }
        if !self.path.is_empty() {
            write!(f, " {}:", self.path)?;
        }
        write!(f, " {}; {}", self.what, self.remedy)?;
        match (&self.excerpt, self.at) {
            (Some(excerpt), Some(at)) if f.alternate() => excerpt.write(f, at.line),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl Excerpt {
    /// The surroundings of `column` in `line`.
    fn around(line: &str, column: usize) -> Excerpt {
        let caret = column - 1;
        let skipped = if caret < EXCERPT_CHARS { 0 } else { caret - EXCERPT_CHARS / 2 };
        let shown: String = line.chars().skip(skipped).take(EXCERPT_CHARS).map(printable).collect();
        let indent_of = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent = shown.chars().take(caret - skipped).map(indent_of).collect();
        Excerpt { text: shown, indent }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, line: usize) -> fmt::Result {
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        write!(f, "\n  {number} | {}\n  {margin} | {}^", self.text, self.indent)
    }
}

/// A control character could move the terminal's cursor or hide the error: it is shown as the replacement character.
fn printable(c: char) -> char {
    if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }
}

/// `text` fit for a one-line message: control characters escaped, cut when long.
pub(super) fn clip(text: &str) -> String {
    let mut clipped = String::new();
    for (position, c) in text.chars().enumerate() {
        if position == CLIP_CHARS {
            clipped.push('…');
            break;
        }
        if c.is_control() { clipped.extend(c.escape_default()) } else { clipped.push(c) }
    }
    clipped
}

/// All errors of a file, in the order of the file. Printed with source lines, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    list: Vec<Error>,
    more: bool,
}

impl Errors {
    pub(super) fn one(error: Error) -> Errors {
        Errors { list: vec![error], more: false }
    }

    /// The errors, at least one and at most [`MAX_ERRORS`].
    pub fn list(&self) -> &[Error] {
        &self.list
    }

    /// True when there were more errors than are listed.
    pub const fn has_more(&self) -> bool {
        self.more
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.list.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(f, "{separator}{error:#}")?;
        }
        if self.more { f.write_str("\nmore errors are not shown; mend these first") } else { Ok(()) }
    }
}

impl std::error::Error for Errors {}

/// Collects what is wrong with one text. The only maker of positioned [`Error`]s.
pub(super) struct Log<'t> {
    file: &'t str,
    text: &'t str,
    list: Vec<Error>,
    more: bool,
}

impl<'t> Log<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Log<'t> {
        Log { file, text, list: Vec::new(), more: false }
    }

    /// True when further errors are not kept, so that looking for them is in vain.
    pub(super) fn is_full(&self) -> bool {
        self.more
    }

    /// Something is wrong at `at`. A place past the end of the text moves to its end (CON-4).
    pub(super) fn report(
        &mut self,
        at: Position,
        path: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if self.list.len() == MAX_ERRORS {
            self.more = true;
            return;
        }
        let (at, line) = self.locate(at);
        self.list.push(Error {
            file: self.file.to_owned(),
            at: Some(at),
            path: path.to_owned(),
            what: what.into(),
            remedy: remedy.into(),
            excerpt: Some(Excerpt::around(line, at.column)),
        });
    }

    /// `at`, moved into the text if need be, and its line.
    fn locate(&self, at: Position) -> (Position, &'t str) {
        let mut last = (1, "");
        for (position, line) in lines(self.text).enumerate() {
            last = (position + 1, line);
            if last.0 == at.line {
                let column = at.column.clamp(1, line.chars().count() + 1);
                return (Position { line: at.line, column }, line);
            }
        }
        (Position { line: last.0, column: last.1.chars().count() + 1 }, last.1)
    }

    /// `value` if nothing was wrong, else all that was.
    pub(super) fn finish<T>(mut self, value: Option<T>) -> Result<T, Errors> {
        match value {
            Some(value) if self.list.is_empty() => Ok(value),
            _ => {
                debug_assert!(!self.list.is_empty(), "a reader gave up without saying why");
                self.list.sort_by_key(|error| error.at);
                Err(Errors { list: self.list, more: self.more })
            }
        }
    }
}

/// The lines of `text` as YAML counts them: ended by `\n`, `\r\n` or `\r`. A line break at the end begins no line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, tail) = rest.split_at(end);
        rest = tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix(['\n', '\r'])).unwrap_or(tail);
        Some(line)
    })
}
