//! Which task had which processor when, made of records.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::publications::{self, Cause, Publication};
use super::records::{Header, Record, What};

/// Interrupts that have names: calls of other processors, the timer.
const NAMES: [(u32, &str); 2] = [(0, "call of a processor"), (27, "timer")];
/// Between the numbers of tracks of tasks and of interrupts.
const INTERRUPTS: usize = 100;
/// The same of publications.
const PUBLICATIONS: usize = 200;

/// What a processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Task(u32),
    Interrupt(u32),
}

/// A stretch of time.
#[derive(Clone, Copy, Debug)]
struct Slice {
    processor: usize,
    from_us: f64,
    us: f64,
    what: Doing,
}

/// A task's part.
#[derive(Clone, Debug)]
struct Part {
    processor: usize,
    task: u32,
    /// Of the time that is known of its processor.
    share: f64,
    times: usize,
    longest_us: f64,
}

/// What numbers stand for.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of tasks.
    pub tasks: BTreeMap<u32, String>,
    /// Of topics.
    pub topics: BTreeMap<u32, String>,
}

impl Names {
    /// Takes note of a line that the board says, if it is one of names: "board: task 3 is camera".
    pub fn hear(&mut self, line: &str) -> bool {
        let Some(said) = line.strip_prefix("board: ") else { return false };
        let (names, rest) = match (said.strip_prefix("task "), said.strip_prefix("topic ")) {
            (Some(rest), _) => (&mut self.tasks, rest),
            (_, Some(rest)) => (&mut self.topics, rest),
            _ => return false,
        };
        let Some((number, name)) = rest.split_once(" is ") else { return false };
        let Ok(number) = number.parse() else { return false };
        names.insert(number, name.trim().to_owned());
        true
    }
}

/// All that is known of a stretch of time.
#[derive(Debug, Default)]
pub struct Timeline {
    names: Names,
    slices: Vec<Slice>,
    /// Calls: processor, microseconds, which.
    calls: Vec<(usize, f64, String)>,
    publications: Vec<Publication>,
    /// How long each processor is known for.
    known_us: Vec<f64>,
}

impl Timeline {
    /// Of records of each processor.
    pub fn new(header: &Header, records: &[Vec<Record>], names: Names) -> Timeline {
        let us = |ticks: u64| ticks as f64 * 1e6 / header.frequency as f64;
        let mut timeline = Timeline { names, ..Timeline::default() };
        for (processor, records) in records.iter().enumerate() {
            let (Some(first), Some(last)) = (records.first(), records.last()) else { continue };
            timeline.known_us.resize(processor + 1, 0.0);
            timeline.known_us[processor] = us(last.at.saturating_sub(first.at));
            timeline.add(processor, records, last.at, us);
            timeline.publications.extend(publications::of(processor, records, us));
        }
        timeline
    }

    fn add(&mut self, processor: usize, records: &[Record], end: u64, us: impl Fn(u64) -> f64) {
        // Handlers may be interrupted by more urgent ones.
        let (mut task, mut interrupts) = (None, Vec::new());
        let mut slice = |began: Option<(u64, Doing)>, until: u64| {
            if let Some((from, what)) = began {
                let (from_us, us) = (us(from), us(until.saturating_sub(from)));
                self.slices.push(Slice { processor, from_us, us, what });
            }
        };
        for Record { at, what } in records {
            match *what {
                What::Switch(to) => {
                    slice(task.take(), *at);
                    task = (to != 0).then_some((*at, Doing::Task(to)));
                }
                What::Interrupt(id) => interrupts.push((*at, Doing::Interrupt(id))),
                What::End => slice(interrupts.pop(), *at),
                What::Called(call, 0) => self.calls.push((processor, us(*at), call.name().to_owned())),
                What::Called(call, id) => {
                    self.calls.push((processor, us(*at), format!("{} {id}", call.name())));
                }
                What::Publishes(_) | What::Published(_) => {}
            }
        }
        slice(task, end);
    }

    fn name(&self, what: Doing) -> String {
        let known = match what {
            Doing::Task(task) => self.names.tasks.get(&task).map(String::as_str),
            Doing::Interrupt(id) => NAMES.iter().find(|(number, _)| *number == id).map(|(_, name)| *name),
        };
        match (known, what) {
            (Some(name), _) => name.to_owned(),
            (None, Doing::Task(task)) => format!("task {task}"),
            (None, Doing::Interrupt(id)) => format!("line {id}"),
        }
    }

    fn topic(&self, number: u32) -> String {
        self.names.topics.get(&number).cloned().unwrap_or_else(|| format!("topic {number}"))
    }

    fn cause(&self, cause: Cause) -> String {
        match cause {
            Cause::Task(task) => self.name(Doing::Task(task)),
            Cause::Interrupt(id) => self.name(Doing::Interrupt(id)),
            Cause::Waits => "waits for a lock".to_owned(),
            Cause::Itself => "itself".to_owned(),
        }
    }

    /// As Chrome's trace events, which Perfetto opens.
    pub fn to_perfetto(&self) -> Value {
        let mut events = Vec::new();
        for processor in 0..self.known_us.len() {
            let tracks = [
                (0, "tasks of processor"),
                (INTERRUPTS, "interrupts of processor"),
                (PUBLICATIONS, "publications of processor"),
            ];
            for (offset, what) in tracks {
                let name = json!({ "name": format!("{what} {}", processor + 1) });
                let tid = processor + offset;
                events.push(json!({ "ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": name }));
            }
        }
        for slice in &self.slices {
            let offset = if matches!(slice.what, Doing::Interrupt(_)) { INTERRUPTS } else { 0 };
            let (tid, name) = (slice.processor + offset, self.name(slice.what));
            events.push(
                json!({ "ph": "X", "pid": 1, "tid": tid, "ts": slice.from_us, "dur": slice.us, "name": name }),
            );
        }
        for Publication { topic, processor, from_us, us, cause } in self.publications.iter().copied() {
            let (tid, args) = (processor + PUBLICATIONS, json!({ "besides itself": self.cause(cause) }));
            events.push(
                json!({ "ph": "X", "pid": 1, "tid": tid, "ts": from_us, "dur": us, "name": self.topic(topic), "args": args }),
            );
        }
        for (processor, at_us, words) in &self.calls {
            events
                .push(json!({ "ph": "i", "s": "t", "pid": 1, "tid": processor, "ts": at_us, "name": words }));
        }
        json!({ "displayTimeUnit": "ns", "traceEvents": events })
    }

    /// What each task had of its processor, those that had most first.
    fn parts(&self) -> Vec<Part> {
        let mut parts: BTreeMap<(usize, u32), Part> = BTreeMap::new();
        for Slice { processor, us, what, .. } in self.slices.iter().copied() {
            let Doing::Task(task) = what else { continue };
            let fresh = Part { processor, task, share: 0.0, times: 0, longest_us: 0.0 };
            let part = parts.entry((processor, task)).or_insert(fresh);
            part.share += us / self.known_us[processor].max(f64::MIN_POSITIVE);
            part.times += 1;
            part.longest_us = part.longest_us.max(us);
        }
        let mut parts: Vec<Part> = parts.into_values().collect();
        parts.sort_by(|one, other| other.share.total_cmp(&one.share));
        parts
    }

    /// The same as a table.
    pub fn table(&self) -> String {
        let head =
            format!("{:<24}{:>10}{:>9}{:>9}{:>12}\n", "task", "processor", "share", "times", "longest us");
        let row = |part: Part| {
            let (name, share) = (self.name(Doing::Task(part.task)), format!("{:.1} %", part.share * 100.0));
            let Part { processor, times, longest_us, .. } = part;
            format!("{name:<24}{:>10}{share:>9}{times:>9}{longest_us:>12.1}\n", processor + 1)
        };
        let known = |(processor, known_us): (usize, &f64)| {
            format!("processor {}: known for {:.1} ms\n", processor + 1, known_us / 1e3)
        };
        let rows: String = self.parts().into_iter().map(row).collect();
        let known: String =
            self.known_us.iter().enumerate().filter(|(_, us)| **us > 0.0).map(known).collect();
        head + &rows + &known + &self.publications_table()
    }

    fn publications_table(&self) -> String {
        let rows = publications::rows(&self.publications);
        if rows.is_empty() {
            return String::new();
        }
        let row = |row: &publications::Row| {
            let causes: Vec<String> =
                row.slow.iter().map(|(cause, count)| format!("{count} by {}", self.cause(*cause))).collect();
            let slow: usize = row.slow.iter().map(|(_, count)| count).sum();
            let publications::Row { topic, count, median_us, worst_us, .. } = *row;
            format!(
                "{:<24}{count:>10}{median_us:>11.1}{worst_us:>10.1}{slow:>6}  {}\n",
                self.topic(topic),
                causes.join(", ")
            )
        };
        let head = format!(
            "{:<24}{:>10}{:>11}{:>10}{:>6}  {}\n",
            "topic",
            "published",
            "median us",
            "worst us",
            "slow",
            "what slow ones (1.5 x the median) waited for"
        );
        head + &rows.iter().map(row).collect::<String>()
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let row = |part: &Part| {
            json!({ "task": self.name(Doing::Task(part.task)), "number": part.task, "processor": part.processor + 1,
                "share": part.share, "times": part.times, "longest_us": part.longest_us })
        };
        let publications = |row: &publications::Row| {
            let slow =
                row.slow.iter().map(|(cause, count)| json!({ "cause": self.cause(*cause), "count": count }));
            json!({ "topic": self.topic(row.topic), "count": row.count, "median_us": row.median_us,
                "worst_us": row.worst_us, "slow": slow.collect::<Vec<Value>>() })
        };
        let rows = publications::rows(&self.publications);
        json!({ "tasks": self.parts().iter().map(row).collect::<Vec<Value>>(), "known_us": self.known_us,
            "publications": rows.iter().map(publications).collect::<Vec<Value>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline() -> Timeline {
        let header = Header { frequency: 1_000_000, length: 16, address: 0 };
        let at = |at, what| Record { at, what };
        let first = vec![
            at(100, What::Switch(2)),
            at(130, What::Interrupt(27)),
            at(131, What::Interrupt(40)),
            at(131, What::End),
            at(131, What::End),
            at(132, What::Switch(3)),
            at(142, What::Switch(2)),
            at(150, What::Switch(0)),
            at(200, What::Interrupt(0)),
        ];
        let tasks = BTreeMap::from([(2, "talker".to_owned())]);
        Timeline::new(&header, &[first, Vec::new()], Names { tasks, ..Names::default() })
    }

    #[test]
    fn names_are_heard_and_other_words_are_not() {
        let mut names = Names::default();
        assert!(names.hear("board: task 3 is camera") && names.hear("board: topic 1 is /image_raw"));
        for line in
            ["board: task x is camera", "board: topic 1", "board: camera has ended", "task 3 is camera"]
        {
            assert!(!names.hear(line), "{line}");
        }
        assert_eq!((names.tasks[&3].as_str(), names.topics[&1].as_str()), ("camera", "/image_raw"));
    }

    #[test]
    fn a_task_has_what_lies_between_its_switches() {
        let expected = [(2, 0.4, 2, 32.0), (3, 0.1, 1, 10.0)];
        let parts = timeline().parts();
        assert_eq!(parts.len(), expected.len());
        for (part, (task, share, times, longest_us)) in parts.iter().zip(expected) {
            assert_eq!((part.task, part.times, part.longest_us), (task, times, longest_us));
            assert!((part.share - share).abs() < 1e-9, "{part:?}");
        }
        assert!(timeline().table().contains("talker"));
    }

    #[test]
    fn perfetto_gets_a_track_of_tasks_and_one_of_interrupts() {
        let told = timeline().to_perfetto();
        let events = told["traceEvents"].as_array().expect("events");
        let named =
            |name: &str| events.iter().filter(|event| event["name"] == name && event["ph"] == "X").count();
        assert_eq!((named("talker"), named("task 3"), named("timer"), named("line 40")), (2, 1, 1, 1));
        let timer = events.iter().find(|event| event["name"] == "timer").expect("it is there");
        assert_eq!((timer["tid"].as_u64(), timer["dur"].as_f64()), (Some(100), Some(1.0)));
    }
}
