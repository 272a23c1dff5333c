//! Which task had which processor when, made of records.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::records::{Header, Record, What};

/// Interrupts that have names: calls of other processors, the timer.
const NAMES: [(u32, &str); 2] = [(0, "call of a processor"), (27, "timer")];
/// Between the numbers of tracks of tasks and of interrupts.
const INTERRUPTS: usize = 100;

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

/// All that is known of a stretch of time.
#[derive(Debug, Default)]
pub struct Timeline {
    names: BTreeMap<u32, String>,
    slices: Vec<Slice>,
    /// Calls: processor, microseconds, which.
    calls: Vec<(usize, f64, String)>,
    /// How long each processor is known for.
    known_us: Vec<f64>,
}

impl Timeline {
    /// Of records of each processor, with the names of tasks.
    pub fn new(header: &Header, records: &[Vec<Record>], names: BTreeMap<u32, String>) -> Timeline {
        let us = |ticks: u64| ticks as f64 * 1e6 / header.frequency as f64;
        let mut timeline = Timeline { names, ..Timeline::default() };
        for (processor, records) in records.iter().enumerate() {
            let (Some(first), Some(last)) = (records.first(), records.last()) else { continue };
            timeline.known_us.resize(processor + 1, 0.0);
            timeline.known_us[processor] = us(last.at.saturating_sub(first.at));
            timeline.add(processor, records, last.at, us);
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
            }
        }
        slice(task, end);
    }

    fn name(&self, what: Doing) -> String {
        let known = match what {
            Doing::Task(task) => self.names.get(&task).map(String::as_str),
            Doing::Interrupt(id) => NAMES.iter().find(|(number, _)| *number == id).map(|(_, name)| *name),
        };
        match (known, what) {
            (Some(name), _) => name.to_owned(),
            (None, Doing::Task(task)) => format!("task {task}"),
            (None, Doing::Interrupt(id)) => format!("line {id}"),
        }
    }

    /// As Chrome's trace events, which Perfetto opens.
    pub fn to_perfetto(&self) -> Value {
        let mut events = Vec::new();
        for processor in 0..self.known_us.len() {
            for (offset, what) in [(0, "tasks of processor"), (INTERRUPTS, "interrupts of processor")] {
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
        head + &rows + &known
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let row = |part: &Part| {
            json!({ "task": self.name(Doing::Task(part.task)), "number": part.task, "processor": part.processor + 1,
                "share": part.share, "times": part.times, "longest_us": part.longest_us })
        };
        json!({ "tasks": self.parts().iter().map(row).collect::<Vec<Value>>(), "known_us": self.known_us })
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
        Timeline::new(&header, &[first, Vec::new()], BTreeMap::from([(2, "talker".to_owned())]))
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
