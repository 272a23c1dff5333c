//! What a program's main thread writes to: the display, the records, the list of what the scheduler granted.

use std::time::Duration;

use crossterm::event::Event;
use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;
use tokkyu_measure::Record;

use crate::control::keyboard::asks_to_quit;

use super::{Display, Happening, Ready, RealTimeGrant, RecordsFile};

const STATUS_EVERY: Duration = Duration::from_millis(250);
/// The same words are told again after this at the earliest: a peer that refuses every half second says it once.
const REPEAT_AFTER: Duration = Duration::from_secs(5);
/// Of so many different words this is known.
const MOST_TOLD: usize = 32;

/// See the module; `S` is the program's status.
pub(crate) struct Desk<'a, S> {
    pub(crate) display: &'a mut dyn Display<S>,
    pub(crate) records: RecordsFile,
    pub(crate) real_time: Vec<RealTimeGrant>,
    /// The user asked the program to end.
    pub(crate) quit: bool,
    next_status: MonoTime,
    /// What was told in the last seconds.
    told: Vec<(MonoTime, String)>,
}

impl<'a, S> Desk<'a, S> {
    /// Tells that the program runs, and what the link's thread was granted.
    pub(crate) fn open(
        display: &'a mut dyn Display<S>,
        mut records: RecordsFile,
        ready: Ready,
    ) -> Desk<'a, S> {
        records.begin();
        display.on_ready(&ready);
        let mut desk = Desk {
            display,
            records,
            real_time: Vec::new(),
            quit: false,
            next_status: MonoTime::ZERO,
            told: Vec::new(),
        };
        desk.on_grants(ready.real_time);
        desk
    }

    /// Tells that something happened just now, unless the same was told a moment ago.
    pub(crate) fn tell(&mut self, words: impl Into<String>) {
        let (now, words) = (clock::now(), words.into());
        self.told.retain(|(told, _)| now.since(*told) < REPEAT_AFTER);
        if self.told.iter().all(|(_, told)| *told != words) {
            self.tell_always(now, words.as_str());
            self.told.truncate(MOST_TOLD);
            self.told.push((now, words));
        }
    }

    /// Tells that something happened at `at`.
    pub(crate) fn tell_always(&mut self, at: MonoTime, words: impl Into<String>) {
        self.display.on_event(clock::now(), &Happening::new(at, words));
    }

    /// Writes records; a disk that fails is told and ends nothing.
    pub(crate) fn write(&mut self, records: impl IntoIterator<Item = Record>) {
        if let Some(error) = self.records.write(records) {
            let words = error.to_string();
            self.tell(words);
        }
    }

    /// A thread was granted or refused something. One reason is one thing to mend, however many threads it concerns: it is told
    /// once, and the summary has them all.
    pub(crate) fn on_grants(&mut self, grants: Vec<RealTimeGrant>) {
        for grant in grants {
            let RealTimeGrant { thread, what, refused } = &grant;
            let is_known = refused.is_some() && self.real_time.iter().any(|told| told.refused == *refused);
            let words = match refused {
                None => format!("{thread}: {what} granted"),
                Some(why) => format!("{thread}: {what} refused: {why}"),
            };
            if !is_known && !what.starts_with("timer slack") {
                self.tell(words);
            }
            self.real_time.push(grant);
        }
    }

    /// Takes keys for at most `wait`; false, at once, where there are none. In a terminal's raw mode Ctrl-C is a key, so every
    /// program must ask, also one that nobody drives.
    pub(crate) fn keys(&mut self, wait: Duration, on_key: &mut dyn FnMut(&Event)) -> bool {
        let quit = &mut self.quit;
        self.display.keys(wait, &mut |event| {
            *quit |= asks_to_quit(event);
            on_key(event);
        })
    }

    /// True every 250 ms.
    pub(crate) fn is_status_due(&mut self, now: MonoTime) -> bool {
        let is_due = now >= self.next_status;
        if is_due {
            self.next_status = now + STATUS_EVERY;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps what it is told.
    #[derive(Default)]
    struct Told(Vec<String>);

    impl Display<()> for Told {
        fn on_ready(&mut self, _: &Ready) {}

        fn on_status(&mut self, _: MonoTime, (): &()) {}

        fn on_event(&mut self, _: MonoTime, event: &Happening) {
            self.0.push(event.text.clone());
        }
    }

    #[test]
    fn a_reason_why_threads_are_refused_is_told_once_and_kept_for_each() {
        let grant = |thread: &str, refused: Option<&str>| RealTimeGrant {
            thread: thread.into(),
            what: "SCHED_FIFO 45".into(),
            refused: refused.map(str::to_owned),
        };
        let (program, robot) = ("vehicle".to_owned(), "rover".to_owned());
        let real_time = vec![grant("link", Some("no real time here"))];
        let ready = Ready { program, robot, local: ([127, 0, 0, 1], 1).into(), at_ns: 0, real_time };
        let mut told = Told::default();
        let mut desk = Desk::open(&mut told, RecordsFile::create(None).unwrap(), ready);
        desk.on_grants(vec![grant("camera", Some("no real time here")), grant("commands", None)]);
        desk.on_grants(vec![grant("watchdog", Some("another reason"))]);
        assert_eq!(desk.real_time.len(), 4);
        let expected = [
            "link: SCHED_FIFO 45 refused: no real time here",
            "commands: SCHED_FIFO 45 granted",
            "watchdog: SCHED_FIFO 45 refused: another reason",
        ];
        assert_eq!(told.0, expected);
    }
}
