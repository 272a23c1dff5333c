//! Lines on the terminal, in the form of `ROSCONSOLE_FORMAT` (NODE-103). Waits for the terminal, as any print does.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tokkyu_graph::Level;
use tokkyu_message::Time;

use crate::levels::Place;
use crate::port::port;
use crate::sync::Once;

/// Where nothing else is said.
const USUAL: &str = "[${severity}] [${time}]: ${message}";

/// One line.
pub struct Said<'s> {
    /// The node's name; empty: nobody has one yet.
    pub node: &'s str,
    /// The logger.
    pub logger: &'s str,
    /// How grave it is.
    pub level: Level,
    /// Where in the source.
    pub place: Place<'s>,
    /// Now, where time is simulated and has begun.
    pub simulated: Option<Time>,
    /// What is said.
    pub text: &'s str,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// As it stands there.
    Text(String),
    Severity,
    Message,
    Time,
    WallTime,
    /// By a pattern; true: of the wall, simulated or not.
    Formatted(String, bool),
    Logger,
    Node,
    File,
    Line,
    Function,
    Thread,
}

/// Prints a line where people read it.
pub fn print(said: &Said<'_>) {
    static FORM: Once<Vec<Part>> = Once::new();
    let form = match FORM.get() {
        Some(form) => form,
        None => FORM.get_or_set(parts(port().variable("ROSCONSOLE_FORMAT").as_deref().unwrap_or(USUAL))),
    };
    let now = Time::from_nanos(port().wall_now().as_nanos()).unwrap_or_default();
    port().print(said.level, &render(form, said, now));
}

/// The parts of a format. What is no name of a part stays as it stands.
fn parts(format: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find("${") {
        let Some(end) = rest[at..].find('}') else { break };
        parts.push(Part::Text(rest[..at].to_owned()));
        let whole = &rest[at..=at + end];
        parts.push(part(&whole[2..whole.len() - 1]).unwrap_or_else(|| Part::Text(whole.to_owned())));
        rest = &rest[at + end + 1..];
    }
    parts.push(Part::Text(rest.to_owned()));
    parts
}

fn part(name: &str) -> Option<Part> {
    Some(match name.split_once(':') {
        Some(("time", pattern)) => Part::Formatted(pattern.to_owned(), false),
        Some(("walltime", pattern)) => Part::Formatted(pattern.to_owned(), true),
        Some(_) => return None,
        None => match name {
            "severity" => Part::Severity,
            "message" => Part::Message,
            "time" => Part::Time,
            "walltime" => Part::WallTime,
            "logger" => Part::Logger,
            "node" => Part::Node,
            "file" => Part::File,
            "line" => Part::Line,
            "function" => Part::Function,
            "thread" => Part::Thread,
            _ => return None,
        },
    })
}

fn render(form: &[Part], said: &Said<'_>, wall: Time) -> String {
    let mut line = String::new();
    for part in form {
        // A string takes everything.
        let _ = match part {
            Part::Text(text) => line.write_str(text),
            Part::Severity => line.write_str(word(said.level)),
            Part::Message => line.write_str(said.text),
            Part::Time => match said.simulated {
                Some(simulated) => write!(line, "{wall}, {simulated}"),
                None => write!(line, "{wall}"),
            },
            Part::WallTime => write!(line, "{wall}"),
            Part::Formatted(pattern, is_wall) => {
                let time = said.simulated.filter(|_| !is_wall).unwrap_or(wall);
                line.write_str(&formatted(pattern, time))
            }
            Part::Logger => line.write_str(said.logger),
            Part::Node => line.write_str(if said.node.is_empty() { "${node}" } else { said.node }),
            Part::File => line.write_str(said.place.file),
            Part::Line => write!(line, "{}", said.place.line),
            Part::Function => line.write_str(said.place.function),
            Part::Thread => write!(line, "{:x}", port().number()),
        };
    }
    line
}

/// As wide as the others.
fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "DEBUG",
        Level::Info => " INFO",
        Level::Warn => " WARN",
        Level::Error => "ERROR",
        Level::Fatal => "FATAL",
    }
}

/// A time in UTC by a pattern of roscpp's (Boost's), of which those are known that logs use; others stay as they stand.
fn formatted(pattern: &str, time: Time) -> String {
    let nanos = time.as_nanos();
    let (seconds, micros) = (nanos / 1_000_000_000, nanos / 1000 % 1_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let (year, month, day, day_of_year) = date(days);
    let weekday = WEEKDAYS[(days as usize + 4) % 7];
    let month_name = MONTHS[month as usize - 1];
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let _ = match letters.next() {
            Some('Y') => write!(out, "{year}"),
            Some('y') => write!(out, "{:02}", year % 100),
            Some('m') => write!(out, "{month:02}"),
            Some('d') => write!(out, "{day:02}"),
            Some('e') => write!(out, "{day:2}"),
            Some('j') => write!(out, "{day_of_year:03}"),
            Some('H') => write!(out, "{hour:02}"),
            Some('I') => write!(out, "{:02}", (hour + 11) % 12 + 1),
            Some('p') => out.write_str(if hour < 12 { "AM" } else { "PM" }),
            Some('M') => write!(out, "{minute:02}"),
            Some('S') => write!(out, "{second:02}"),
            Some('s') => write!(out, "{second:02}.{micros:06}"),
            Some('f') => write!(out, "{micros:06}"),
            Some('F') if micros == 0 => Ok(()),
            Some('F') => write!(out, ".{micros:06}"),
            Some('T') => write!(out, "{hour:02}:{minute:02}:{second:02}"),
            Some('A') => out.write_str(weekday),
            Some('a') => out.write_str(&weekday[..3]),
            Some('B') => out.write_str(month_name),
            Some('b') => out.write_str(&month_name[..3]),
            Some('%') => out.write_str("%"),
            Some(other) => write!(out, "%{other}"),
            None => out.write_str("%"),
        };
    }
    out
}

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Year, month, day and day of the year, each from 1, of the days since 1970.
fn date(mut days: u64) -> (u64, u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let day_of_year = days + 1;
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1, day_of_year)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(format: &str, simulated: Option<u64>) -> String {
        let place = Place { file: "a.cpp", function: "run", line: 7 };
        let simulated = simulated.and_then(Time::from_nanos);
        let said =
            Said { node: "/n", logger: "ros.l", level: Level::Warn, place, simulated, text: "said ${node}" };
        render(&parts(format), &said, Time::from_nanos(1_709_210_096_007_008_009).unwrap_or_default())
    }

    #[test]
    fn a_format_says_what_a_line_has() {
        let format =
            "${severity}|${message}|${logger}|${node}|${file}:${line}|${function}|${time}|${walltime}";
        let time = "1709210096.007008009";
        assert_eq!(line(format, None), format!(" WARN|said ${{node}}|ros.l|/n|a.cpp:7|run|{time}|{time}"));
        assert_eq!(line("${time} ${walltime}", Some(5)), format!("{time}, 0.000000005 {time}"));
    }

    #[test]
    fn what_is_no_part_stays() {
        assert_eq!(line("$x ${foo} ${time ${ }", None), "$x ${foo} ${time ${ }");
        assert_eq!(line("", None), "");
        assert_eq!(line("${é:%é} ${time:%é%", None), "${é:%é} ${time:%é%");
        assert_eq!(line("${time:%é%}", None), "%é%");
    }

    #[test]
    fn times_go_by_a_pattern() {
        let pattern = "${time:%Y-%m-%d %H:%M:%S.%f %a %B %j %y %e%F %T %I %p %% %q}";
        assert_eq!(
            line(pattern, None),
            "2024-02-29 12:34:56.007008 Thu February 060 24 29.007008 12:34:56 12 PM % %q"
        );
        assert_eq!(line("${time:%S%F} ${walltime:%S}", Some(3_000_000_000)), "03 56");
    }
}
