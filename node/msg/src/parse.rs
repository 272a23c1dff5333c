//! Lines to definitions (NODE-30, NODE-31).

use std::collections::HashSet;

use crate::definition::{Array, Base, Builtin, Constant, Definition, Field, Name, Service, Type, is_word};
use crate::error::{Error, Problem};

/// Reads a `.msg` file's text. `package` is its package, for types that are named without one; `file` is for messages alone.
///
/// # Errors
///
/// The first line that is wrong.
pub fn parse_message(file: &str, package: &str, text: &str) -> Result<Definition, Error> {
    parse_from(file, package, text, 1)
}

/// Reads a `.srv` file's text: two definitions with a line `---` between them.
///
/// # Errors
///
/// The first line that is wrong.
pub fn parse_service(file: &str, package: &str, text: &str) -> Result<Service, Error> {
    let lines: Vec<&str> = text.split('\n').collect();
    let dividers: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("---")).collect();
    let [middle] = dividers[..] else {
        return Err(Problem::Halves(dividers.len()).at(file, 0));
    };
    let request = parse_from(file, package, &lines[..middle].join("\n"), 1)?;
    let response = parse_from(file, package, &lines[middle + 1..].join("\n"), middle + 2)?;
    Ok(Service { request, response })
}

fn parse_from(file: &str, package: &str, text: &str, first: usize) -> Result<Definition, Error> {
    let mut definition = Definition { text: text.to_owned(), ..Definition::default() };
    let mut names = HashSet::new();
    for (number, line) in text.split('\n').enumerate() {
        let parsed = parse_line(package, line).map_err(|problem| problem.at(file, first + number))?;
        let name = match parsed {
            None => continue,
            Some(Line::Constant(constant)) => {
                definition.constants.push(constant.clone());
                constant.name
            }
            Some(Line::Field(field)) => {
                definition.fields.push(field.clone());
                field.name
            }
        };
        if !names.insert(name.clone()) {
            return Err(Problem::Twice(name).at(file, first + number));
        }
    }
    Ok(definition)
}

enum Line {
    Constant(Constant),
    Field(Field),
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or("").trim()
}

fn parse_line(package: &str, line: &str) -> Result<Option<Line>, Problem> {
    let clean = without_comment(line);
    match clean {
        "" => Ok(None),
        _ if clean.contains('=') => parse_constant(line, clean).map(Line::Constant).map(Some),
        _ => parse_field(package, clean).map(Line::Field).map(Some),
    }
}

/// Words are separated by spaces alone: a tab is part of one, and then of no name.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').map(str::trim).filter(|word| !word.is_empty())
}

fn parse_field(package: &str, clean: &str) -> Result<Field, Problem> {
    let mut words = words(clean);
    let (Some(of), Some(name), None) = (words.next(), words.next(), words.next()) else {
        return Err(Problem::Line(clean.to_owned()));
    };
    if !is_word(name) {
        return Err(Problem::FieldName(name.to_owned()));
    }
    Ok(Field { of: parse_type(package, of)?, name: name.to_owned() })
}

fn parse_type(package: &str, text: &str) -> Result<Type, Problem> {
    let no_type = || Problem::Type(text.to_owned());
    let (word, array) = match text.split_once('[') {
        None => (text, None),
        Some((word, rest)) => {
            let count = rest.strip_suffix(']').ok_or_else(no_type)?;
            let exactly = || count.parse().ok().filter(|_| count.bytes().all(|byte| byte.is_ascii_digit()));
            let array =
                if count.is_empty() { Array::Any } else { Array::Exactly(exactly().ok_or_else(no_type)?) };
            (word, Some(array))
        }
    };
    Ok(Type { base: parse_base(package, word).ok_or_else(no_type)?, array })
}

fn parse_base(package: &str, word: &str) -> Option<Base> {
    if let Some(builtin) = Builtin::from_word(word) {
        return Some(Base::Builtin(builtin));
    }
    let name = match word {
        "Header" => Some(Name::header()),
        _ if word.contains('/') => Name::within(word),
        _ => is_word(word).then(|| Name { package: package.to_owned(), own: word.to_owned() }),
    };
    name.map(Base::Message)
}

fn parse_constant(line: &str, clean: &str) -> Result<Constant, Problem> {
    let word = words(clean).next().unwrap_or("");
    let of = Builtin::from_word(word).filter(|of| !matches!(of, Builtin::Time | Builtin::Duration));
    let of = of.ok_or_else(|| Problem::ConstantType(word.to_owned()))?;
    // Of a string all that stands after the sign, comments as well.
    let whole = if of == Builtin::String { line.trim_start() } else { clean };
    let (before, value) = whole.split_once('=').ok_or_else(|| Problem::Line(clean.to_owned()))?;
    let name = before.trim_start().strip_prefix(word).unwrap_or("").trim();
    let value = value.trim();
    if !is_word(name) {
        return Err(Problem::FieldName(name.to_owned()));
    }
    check_value(of, value)?;
    Ok(Constant { of, name: name.to_owned(), value: value.to_owned() })
}

fn check_value(of: Builtin, value: &str) -> Result<(), Problem> {
    let wrong = |hint: String| Err(Problem::Value { value: value.to_owned(), of: of.as_str(), hint });
    match (of, of.range()) {
        (_, Some((least, most))) => match value.parse::<i128>() {
            Ok(number) if (least..=most).contains(&number) => Ok(()),
            _ => wrong(format!("; write a whole number from {least} to {most}")),
        },
        (Builtin::Float32 | Builtin::Float64, _) if value.parse::<f64>().is_err() => {
            wrong("; write a number".to_owned())
        }
        (Builtin::Bool, _) if !matches!(value, "True" | "False" | "0" | "1") => {
            wrong("; write True, False, 0 or 1".to_owned())
        }
        _ => Ok(()),
    }
}
