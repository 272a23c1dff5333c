//! How long publishing takes, and why it takes longer than it mostly does.

use std::collections::BTreeMap;

use super::records::{Record, What};

/// So much longer than the median is slow.
const SLOW: f64 = 1.5;

/// Why one was slow: what had most of its time besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Another task had the processor.
    Task(u32),
    /// An interrupt.
    Interrupt(u32),
    /// The task waited while nobody had the processor: for a lock.
    Waits,
    /// None of them: it went another way itself.
    Itself,
}

/// A message that was handed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Publication {
    /// Its topic's number.
    pub topic: u32,
    /// Which processor it began on.
    pub processor: usize,
    /// When.
    pub from_us: f64,
    /// How long it took.
    pub us: f64,
    /// What had most of that besides itself.
    pub cause: Cause,
}

/// What is known of a topic.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its number.
    pub topic: u32,
    /// Messages.
    pub count: usize,
    /// Half of them took no longer.
    pub median_us: f64,
    /// The longest.
    pub worst_us: f64,
    /// How many of those that were slow have which cause, most first.
    pub slow: Vec<(Cause, usize)>,
}

/// A publication that goes on: its task, and what others had of the processor since it began.
struct Open {
    topic: u32,
    task: u32,
    from: u64,
    others: BTreeMap<Cause, u64>,
}

/// Of one processor's records, the oldest first. One that began before them, or goes on behind them, is left out.
pub fn of(processor: usize, records: &[Record], us: impl Fn(u64) -> f64) -> Vec<Publication> {
    let (mut task, mut interrupts) = (None, Vec::new());
    let (mut open, mut found): (Vec<Open>, Vec<Publication>) = (Vec::new(), Vec::new());
    let mut before = records.first().map_or(0, |record| record.at);
    for Record { at, what } in records {
        let spent = at.saturating_sub(before);
        before = *at;
        charge(&mut open, spent, interrupts.last().copied(), task);
        match *what {
            What::Switch(to) => task = Some(to),
            What::Interrupt(id) => interrupts.push(id),
            What::End => drop(interrupts.pop()),
            What::Publishes(topic) => {
                let Some(task) = task else { continue };
                open.push(Open { topic, task, from: *at, others: BTreeMap::new() });
            }
            What::Published(topic) => {
                let Some(task) = task else { continue };
                let Some(place) = open.iter().rposition(|one| one.topic == topic && one.task == task) else {
                    continue;
                };
                let done = open.remove(place);
                let cause = done
                    .others
                    .iter()
                    .max_by_key(|(_, spent)| **spent)
                    .map_or(Cause::Itself, |(cause, _)| *cause);
                let (from_us, us) = (us(done.from), us(at.saturating_sub(done.from)));
                found.push(Publication { topic, processor, from_us, us, cause });
            }
            What::Called(..) => {}
        }
    }
    found
}

/// What went by since the last record is said to be of whoever had the processor.
fn charge(open: &mut [Open], spent: u64, interrupt: Option<u32>, task: Option<u32>) {
    for one in open {
        let cause = match (interrupt, task) {
            (Some(id), _) => Cause::Interrupt(id),
            (None, Some(0)) => Cause::Waits,
            (None, Some(other)) if other != one.task => Cause::Task(other),
            _ => continue,
        };
        *one.others.entry(cause).or_default() += spent;
    }
}

/// What is known of each topic.
pub fn rows(publications: &[Publication]) -> Vec<Row> {
    let mut topics: BTreeMap<u32, Vec<Publication>> = BTreeMap::new();
    for publication in publications {
        topics.entry(publication.topic).or_default().push(*publication);
    }
    topics.into_values().map(row).collect()
}

fn row(mut of_topic: Vec<Publication>) -> Row {
    of_topic.sort_by(|one, other| one.us.total_cmp(&other.us));
    let median_us = of_topic[(of_topic.len() - 1) / 2].us;
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for slow in of_topic.iter().filter(|one| one.us > SLOW * median_us) {
        *causes.entry(slow.cause).or_default() += 1;
    }
    let mut slow: Vec<_> = causes.into_iter().collect();
    slow.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let worst_us = of_topic[of_topic.len() - 1].us;
    Row { topic: of_topic[0].topic, count: of_topic.len(), median_us, worst_us, slow }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at: u64, what: What) -> Record {
        Record { at, what }
    }

    /// Task 2 publishes topic 1 alone, then interrupted by line 27 and by task 3, then while it waits.
    fn records() -> Vec<Record> {
        vec![
            at(90, What::Published(1)),
            at(100, What::Switch(2)),
            at(110, What::Publishes(1)),
            at(112, What::Published(1)),
            at(120, What::Publishes(1)),
            at(121, What::Interrupt(27)),
            at(125, What::End),
            at(125, What::Switch(3)),
            at(135, What::Switch(2)),
            at(136, What::Published(1)),
            at(140, What::Publishes(1)),
            at(141, What::Switch(0)),
            at(151, What::Switch(2)),
            at(152, What::Published(1)),
            at(160, What::Publishes(1)),
            at(162, What::Published(1)),
            at(170, What::Publishes(1)),
            at(172, What::Published(1)),
            at(180, What::Publishes(1)),
        ]
    }

    #[test]
    fn a_publication_that_took_longer_has_the_cause_that_took_most() {
        let found = of(0, &records(), |ticks| ticks as f64);
        let expected = [
            (2.0, Cause::Itself),
            (16.0, Cause::Task(3)),
            (12.0, Cause::Waits),
            (2.0, Cause::Itself),
            (2.0, Cause::Itself),
        ];
        assert_eq!(found.iter().map(|one| (one.us, one.cause)).collect::<Vec<_>>(), expected);
        let row = rows(&found).remove(0);
        assert_eq!((row.topic, row.count, row.median_us, row.worst_us), (1, 5, 2.0, 16.0));
        assert_eq!(row.slow, [(Cause::Task(3), 1), (Cause::Waits, 1)]);
    }

    #[test]
    fn one_of_two_tasks_at_once_is_not_the_other_s() {
        let records = [
            at(0, What::Switch(2)),
            at(1, What::Publishes(1)),
            at(2, What::Switch(3)),
            at(3, What::Publishes(1)),
            at(7, What::Published(1)),
            at(8, What::Switch(2)),
            at(9, What::Published(1)),
        ];
        let found = of(0, &records, |ticks| ticks as f64);
        assert_eq!(
            found.iter().map(|one| (one.us, one.cause)).collect::<Vec<_>>(),
            [(4.0, Cause::Itself), (8.0, Cause::Task(3))]
        );
    }
}
