//! Statements of a configuration, whatever they say.

use crate::error::Problem;

/// What is wrong in a line.
pub type Wrong = (usize, Problem);

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A name, a number, or several of them with `|`.
    Word(String),
    /// `{ … }`
    Group(Vec<Value>),
}

/// `NAME(…);`, in a class or in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it begins, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub values: Vec<Value>,
    /// Of the class around it.
    pub class: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    line: usize,
    text: String,
}

/// Reads all statements of a text.
pub fn read(text: &str) -> Result<Vec<Statement>, Wrong> {
    let mut tokens = Tokens { tokens: split(text)?, at: 0 };
    let (mut statements, mut class) = (Vec::new(), None);
    while let Some(token) = tokens.next() {
        match (&*token.text, &class) {
            ("}", Some(_)) => class = None,
            ("CLASS", None) => class = Some(tokens.class()?),
            (name, _) if is_word(name) => {
                let values = tokens.parameters()?;
                tokens.expect(";", "; behind a statement")?;
                statements.push(Statement {
                    line: token.line,
                    name: name.to_owned(),
                    values,
                    class: class.clone(),
                });
            }
            _ => return Err(wrong(token.line, &token.text, "a statement")),
        }
    }
    match class {
        Some(_) => Err(wrong(tokens.line(), "the end", "} of a class")),
        None => Ok(statements),
    }
}

fn wrong(line: usize, found: &str, wanted: &'static str) -> Wrong {
    (line, Problem::Syntax { found: found.to_owned(), wanted })
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Words and signs, without what is between them.
fn split(text: &str) -> Result<Vec<Token>, Wrong> {
    let (mut tokens, mut line, mut rest) = (Vec::new(), 1, text);
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            line += usize::from(first == '\n');
            rest = &rest[first.len_utf8()..];
        } else if rest.starts_with("//") || first == '#' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").ok_or_else(|| wrong(line, "/*", "a comment that ends"))?;
            line += comment[..end].matches('\n').count();
            rest = &comment[end + 2..];
        } else {
            let is_in = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let len =
                if is_in(first) { rest.find(|c| !is_in(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
            tokens.push(Token { line, text: rest[..len].to_owned() });
            rest = &rest[len..];
        }
    }
    Ok(tokens)
}

struct Tokens {
    tokens: Vec<Token>,
    at: usize,
}

impl Tokens {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| &*token.text)
    }

    /// Of the last that was read.
    fn line(&self) -> usize {
        self.tokens[..self.at.min(self.tokens.len())].last().map_or(1, |token| token.line)
    }

    fn expect(&mut self, text: &str, wanted: &'static str) -> Result<(), Wrong> {
        match self.next() {
            Some(token) if token.text == text => Ok(()),
            Some(token) => Err(wrong(token.line, &token.text, wanted)),
            None => Err(wrong(self.line(), "the end", wanted)),
        }
    }

    /// `(NAME) {`
    fn class(&mut self) -> Result<String, Wrong> {
        self.expect("(", "( behind CLASS")?;
        let name = self.next().map(|token| token.text).unwrap_or_default();
        self.expect(")", ") behind the class")?;
        self.expect("{", "{ behind the class")?;
        Ok(name)
    }

    /// `( … )`
    fn parameters(&mut self) -> Result<Vec<Value>, Wrong> {
        self.expect("(", "( behind a statement's name")?;
        self.values(")", 0)
    }

    /// Values with commas between them, up to `end`.
    fn values(&mut self, end: &'static str, depth: usize) -> Result<Vec<Value>, Wrong> {
        let mut values = Vec::new();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(values);
        }
        loop {
            values.push(self.value(depth)?);
            match self.next() {
                Some(token) if token.text == end => return Ok(values),
                Some(token) if token.text == "," => {}
                Some(token) => return Err(wrong(token.line, &token.text, ", or the end of the parameters")),
                None => return Err(wrong(self.line(), "the end", ", or the end of the parameters")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Wrong> {
        match self.next() {
            // The specification has two.
            Some(token) if token.text == "{" && depth < 4 => Ok(Value::Group(self.values("}", depth + 1)?)),
            Some(token) if is_word(&token.text) => {
                let mut word = token.text;
                while self.peek() == Some("|") {
                    self.at += 1;
                    let next = self.next().filter(|token| is_word(&token.text));
                    let next = next.ok_or_else(|| wrong(self.line(), "|", "an attribute behind |"))?;
                    word = format!("{word}|{}", next.text);
                }
                Ok(Value::Word(word))
            }
            Some(token) => Err(wrong(token.line, &token.text, "a value")),
            None => Err(wrong(self.line(), "the end", "a value")),
        }
    }
}
