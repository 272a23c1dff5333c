//! From the kernel's trace of a board (ftrace, `Documentation/trace/ftrace.rst`) to what happens while a frame waits for the driver.
//!
//! Lines are `TASK-PID [CPU] FLAGS SECONDS: EVENT: FIELDS`. A frame waits from where its sender runs, after it has slept, until `net_dev_start_xmit`,
//! where the driver gets it; on its way it comes to the queueing discipline, `net_dev_queue`. That the sender waits for a lock is in it.

use std::collections::{BTreeMap, BTreeSet};

use tokkyu_measure::rtnet::{Share, Traced, Turn};

use super::layout::BULK_DEVICE;
use super::setting::PRIORITY;

/// A task's priority as the scheduler prints it: the less the more urgent. Who holds a lock that the sender waits for has it meanwhile.
const SENDER_PRIO: u32 = 99 - PRIORITY as u32;
/// A frame of the sender's; bulk traffic has none of this size.
const FRAME_BYTES: u64 = 122;
/// TCP's and IP's headers with time stamps, and Ethernet's.
const HEADERS: u64 = 66;
/// What is left of 1500 bytes for data.
const SEGMENT: u64 = 1_448;
/// Parts of the longest wait that are told.
const TURNS: usize = 40;

/// What a line tells.
#[derive(Clone, Debug, PartialEq)]
enum Event<'a> {
    /// The processor goes from one, which may sleep now, to another.
    Switch { from: u32, sleeps: bool, to: &'a str, pid: u32, prio: u32 },
    /// A packet comes to the queueing discipline of the device.
    Queue { packet: &'a str, bytes: u64 },
    /// The driver of the device gets a frame.
    Xmit { packet: &'a str },
}

#[derive(Clone, Debug)]
struct Line<'a> {
    pid: u32,
    at_ms: f64,
    event: Event<'a>,
}

/// Looks at all frames of the sender. `None`: there are none.
pub(super) fn look(text: &str) -> Option<Traced> {
    let lines: Vec<Line> = text.lines().filter_map(line).collect();
    let mut watch = Watch { senders: senders(&lines), ..Watch::default() };
    lines.iter().for_each(|line| watch.on(line));
    watch.told()
}

/// Those whose frames come to the queueing discipline.
fn senders(lines: &[Line]) -> BTreeSet<u32> {
    let is_frame = |line: &&Line| matches!(line.event, Event::Queue { bytes: FRAME_BYTES, .. });
    lines.iter().filter(is_frame).map(|line| line.pid).collect()
}

fn line(text: &str) -> Option<Line<'_>> {
    let (task, rest) = text.split_once(" [")?;
    let pid = task.rsplit_once('-')?.1.trim().parse().ok()?;
    let (_processor, rest) = rest.split_once("] ")?;
    let (flags_and_time, rest) = rest.split_once(": ")?;
    let seconds: f64 = flags_and_time.split_whitespace().last()?.parse().ok()?;
    let (name, fields) = rest.split_once(": ")?;
    Some(Line { pid, at_ms: seconds * 1e3, event: event(name, fields)? })
}

fn event<'a>(name: &str, fields: &'a str) -> Option<Event<'a>> {
    let of_device = || (field(fields, "dev") == Some(BULK_DEVICE)).then_some(());
    match name {
        "sched_switch" => Some(Event::Switch {
            from: field(fields, "prev_pid")?.parse().ok()?,
            // Or is gone. Another letter is one that waits for a lock, or is ready.
            sleeps: field(fields, "prev_state")?.starts_with(['S', 'X', 'Z']),
            to: field(fields, "next_comm")?,
            pid: field(fields, "next_pid")?.parse().ok()?,
            prio: field(fields, "next_prio")?.parse().ok()?,
        }),
        "net_dev_queue" => {
            of_device()?;
            let bytes = field(fields, "len")?.parse().ok()?;
            Some(Event::Queue { packet: packet(fields)?, bytes })
        }
        "net_dev_start_xmit" => {
            of_device()?;
            Some(Event::Xmit { packet: packet(fields)? })
        }
        _ => None,
    }
}

/// `name=value`, the value without spaces.
fn field<'a>(fields: &'a str, name: &str) -> Option<&'a str> {
    fields.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

fn packet(fields: &str) -> Option<&str> {
    field(fields, "skbaddr")
}

/// A frame that waits.
struct Waiting<'a> {
    sender: u32,
    /// Once it has come to the queueing discipline.
    packet: Option<&'a str>,
    since_ms: f64,
    before: u64,
    turns: Vec<Turn>,
}

impl Waiting<'_> {
    fn new(sender: u32, since_ms: f64) -> Self {
        Waiting { sender, packet: None, since_ms, before: 0, turns: Vec::new() }
    }
}

/// Goes through the lines.
#[derive(Default)]
struct Watch<'a> {
    senders: BTreeSet<u32>,
    /// Who has the processor; unknown before the first switch.
    now: Option<(u32, bool, String)>,
    waiting: Option<Waiting<'a>>,
    waits_ms: Vec<f64>,
    before: Vec<u64>,
    trains: Vec<u64>,
    who_ms: BTreeMap<String, f64>,
    longest: Vec<Turn>,
}

impl<'a> Watch<'a> {
    fn on(&mut self, line: &Line<'a>) {
        match line.event {
            Event::Switch { from, sleeps, to, pid, prio } => {
                self.end_turn(line.at_ms);
                // It had nothing to send.
                self.waiting.take_if(|waiting| sleeps && waiting.sender == from && waiting.packet.is_none());
                // Before it is in real time it starts, which is no wait.
                let is_sender = self.senders.contains(&pid) && prio == SENDER_PRIO;
                self.now = Some((pid, is_sender, who(to, pid, prio, is_sender)));
                if is_sender && self.waiting.is_none() {
                    self.waiting = Some(Waiting::new(pid, line.at_ms));
                }
                self.begin_turn(line.at_ms);
            }
            Event::Queue { packet, bytes } => self.on_queue(line, packet, bytes),
            Event::Xmit { packet } => self.on_xmit(line.at_ms, packet),
        }
    }

    fn on_queue(&mut self, line: &Line<'a>, packet: &'a str, bytes: u64) {
        let runs = matches!(&self.now, Some((pid, true, _)) if *pid == line.pid);
        match self.senders.contains(&line.pid) {
            // Its first word, while it starts.
            true if !runs => {}
            true if bytes == FRAME_BYTES => {
                if let Some(waiting) = &mut self.waiting {
                    waiting.packet.get_or_insert(packet);
                }
            }
            // Softirqs that run on in the sender's thread, for it has switched them on again, send for others too.
            _ => self.trains.push(bytes.saturating_sub(HEADERS).div_ceil(SEGMENT).max(1)),
        }
    }

    fn on_xmit(&mut self, at_ms: f64, packet: &str) {
        let Some(waiting) = &mut self.waiting else { return };
        if waiting.packet != Some(packet) {
            waiting.before += 1;
            if let Some(turn) = waiting.turns.last_mut() {
                turn.frames += 1;
            }
            return;
        }
        self.end_turn(at_ms);
        let Some(waiting) = self.waiting.take() else { return };
        for turn in &waiting.turns {
            *self.who_ms.entry(turn.who.clone()).or_default() += turn.for_ms;
        }
        let wait_ms = at_ms - waiting.since_ms;
        if self.waits_ms.iter().all(|other| *other < wait_ms) {
            self.longest = waiting.turns;
        }
        self.waits_ms.push(wait_ms);
        self.before.push(waiting.before);
    }

    fn begin_turn(&mut self, at_ms: f64) {
        let (Some(waiting), Some((.., who))) = (&mut self.waiting, &self.now) else { return };
        let at_ms = at_ms - waiting.since_ms;
        waiting.turns.push(Turn { who: who.clone(), at_ms, for_ms: 0.0, frames: 0 });
    }

    fn end_turn(&mut self, at_ms: f64) {
        let Some(waiting) = &mut self.waiting else { return };
        let since_ms = waiting.since_ms;
        if let Some(turn) = waiting.turns.last_mut() {
            turn.for_ms = at_ms - since_ms - turn.at_ms;
        }
    }

    fn told(mut self) -> Option<Traced> {
        let frames = self.waits_ms.len();
        let total_ms: f64 = self.waits_ms.iter().sum();
        let share = |(who, ms): (String, f64)| Share { who, share: ms / total_ms.max(f64::MIN_POSITIVE) };
        let mut who: Vec<Share> = self.who_ms.into_iter().map(share).collect();
        who.sort_by(|one, other| other.share.total_cmp(&one.share));
        self.longest.truncate(TURNS);
        let mean = |all: &[u64]| all.iter().sum::<u64>() as f64 / all.len().max(1) as f64;
        (frames > 0).then(|| Traced {
            frames: frames as u64,
            wait_mean_ms: total_ms / frames as f64,
            wait_max_ms: self.waits_ms.iter().copied().fold(0.0, f64::max),
            before_mean: mean(&self.before),
            before_max: self.before.iter().copied().max().unwrap_or(0),
            train_mean: mean(&self.trains),
            train_max: self.trains.iter().copied().max().unwrap_or(0),
            who,
            longest: self.longest,
        })
    }
}

fn who(name: &str, pid: u32, prio: u32, is_sender: bool) -> String {
    let name = match (name, pid) {
        (_, 0) => "idle",
        _ if is_sender => return "sender".to_owned(),
        ("agent", _) => "bulk",
        // An interrupt's thread without its number.
        (name, _) => {
            name.split_once('-').filter(|(start, _)| start.starts_with("irq/")).map_or(name, |_| "irq")
        }
    };
    let lends = if prio == SENDER_PRIO { " for the sender" } else { "" };
    format!("{name}{lends}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# tracer: nop
          <idle>-0       [000] d..2.    10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=80 next_prio=120
           agent-80      [000] .....    10.000100: net_dev_queue: dev=vmac0 skbaddr=00000000aa len=4410
           agent-80      [000] d..2.    10.001000: sched_switch: prev_comm=agent prev_pid=80 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=81 next_prio=89
           agent-81      [000] .....    10.001000: net_dev_queue: dev=vmac0 skbaddr=00000000bb len=122
           agent-81      [000] d..2.    10.001250: sched_switch: prev_comm=agent prev_pid=81 prev_prio=89 prev_state=S ==> next_comm=ksoftirqd/0 next_pid=12 next_prio=98
     ksoftirqd/0-12      [000] b..3.    10.001300: net_dev_start_xmit: dev=vmac0 queue_mapping=0 skbaddr=00000000cc vlan_tagged=0 len=1514
     ksoftirqd/0-12      [000] b..3.    10.001400: net_dev_start_xmit: dev=vmac0 queue_mapping=0 skbaddr=00000000dd vlan_tagged=0 len=1514
     ksoftirqd/0-12      [000] b..3.    10.001450: net_dev_start_xmit: dev=lo queue_mapping=0 skbaddr=00000000bb vlan_tagged=0 len=1514
     ksoftirqd/0-12      [000] b..3.    10.002000: net_dev_start_xmit: dev=vmac0 queue_mapping=0 skbaddr=00000000bb vlan_tagged=0 len=122
";

    #[test]
    fn a_frames_wait_is_told_with_who_ran_and_what_left_before() {
        let traced = look(TEXT).unwrap();
        assert_eq!((traced.frames, traced.before_max, traced.train_max), (1, 2, 3));
        assert!((traced.wait_mean_ms - 1.0).abs() < 1e-6, "{traced:?}");
        let who: Vec<(&str, f64)> =
            traced.who.iter().map(|one| (one.who.as_str(), (one.share * 100.0).round())).collect();
        assert_eq!(who, [("ksoftirqd/0", 75.0), ("sender", 25.0)]);
        assert_eq!(traced.longest.iter().map(|turn| turn.frames).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_sender_that_is_gone_is_not_waited_for() {
        let gone = "\
          <idle>-0 [000] d..2. 9.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=81 next_prio=89
           agent-81 [000] d..2. 9.000100: sched_switch: prev_comm=agent prev_pid=81 prev_prio=89 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120
";
        assert_eq!(look(&format!("{gone}{TEXT}")), look(TEXT));
    }

    #[test]
    fn how_long_a_sender_takes_to_start_is_no_wait() {
        let start = "\
          <idle>-0 [000] d..2. 9.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=81 next_prio=120
           agent-81 [000] ..... 9.015000: net_dev_queue: dev=vmac0 skbaddr=00000000ee len=60
           agent-81 [000] b..3. 9.015100: net_dev_start_xmit: dev=vmac0 skbaddr=00000000ee len=60
           agent-81 [000] d..2. 9.015200: sched_switch: prev_comm=agent prev_pid=81 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";
        assert_eq!(look(&format!("{start}{TEXT}")), look(TEXT));
    }

    /// ksoftirqd has the lock that the sender waits for, and its priority meanwhile.
    #[test]
    fn who_lends_the_senders_priority_is_not_the_sender() {
        let text = "\
      agent-80 [000] d..2. 10.000000: sched_switch: prev_comm=agent prev_pid=80 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=81 next_prio=89
      agent-81 [000] d..2. 10.000100: sched_switch: prev_comm=agent prev_pid=81 prev_prio=89 prev_state=D ==> next_comm=ksoftirqd/0 next_pid=12 next_prio=89
      ksoftirqd/0-12 [000] b..3. 10.000200: net_dev_start_xmit: dev=vmac0 skbaddr=00000000cc len=1514
      ksoftirqd/0-12 [000] d..2. 10.000900: sched_switch: prev_comm=ksoftirqd/0 prev_pid=12 prev_prio=120 prev_state=R+ ==> next_comm=agent next_pid=81 next_prio=89
      agent-81 [000] .....  10.000950: net_dev_queue: dev=vmac0 skbaddr=00000000bb len=122
      agent-81 [000] b..3. 10.001000: net_dev_start_xmit: dev=vmac0 skbaddr=00000000bb len=122
";
        let traced = look(text).unwrap();
        assert_eq!((traced.frames, traced.before_max), (1, 1));
        let who: Vec<(&str, f64)> =
            traced.who.iter().map(|one| (one.who.as_str(), (one.share * 100.0).round())).collect();
        assert_eq!(who, [("ksoftirqd/0 for the sender", 80.0), ("sender", 20.0)]);
    }

    /// A softirq in the sender's thread sends what TCP has, before the sender's own frame comes to its queue.
    #[test]
    fn bulk_traffic_sent_in_the_senders_thread_is_not_its_frame() {
        let text = "\
          <idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=agent next_pid=81 next_prio=89
        agent-81 [000] b.s3. 10.000100: net_dev_queue: dev=vmac0 skbaddr=00000000cc len=2962
        agent-81 [000] b.s3. 10.000200: net_dev_start_xmit: dev=vmac0 skbaddr=00000000cc len=2962
        agent-81 [000] ..... 10.000300: net_dev_queue: dev=vmac0 skbaddr=00000000bb len=122
        agent-81 [000] b..3. 10.000500: net_dev_start_xmit: dev=vmac0 skbaddr=00000000bb len=122
";
        let traced = look(text).unwrap();
        assert_eq!((traced.frames, traced.before_max, traced.train_max), (1, 1, 2));
        assert!((traced.wait_mean_ms - 0.5).abs() < 1e-6, "{traced:?}");
    }

    #[test]
    fn what_is_no_trace_tells_nothing() {
        for text in ["", "x", " [", "a-1 [000] d..2. x: net_dev_queue: dev=vmac0", "a-1 [0]"] {
            assert_eq!(look(text), None, "{text}");
        }
    }
}
