//! From what was found to what is to be done (TUNE-10 to TUNE-16). Pure.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tokkyu_contract::class::{Class, LinuxSched};

use crate::error::TuneError;
use crate::host::{Host, irq_name, napi_name};
use crate::netlink::PRIORITIES;
use crate::setting::Setting;
use crate::thread::Policy;

/// What matters more where both cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// That frames leave by the clock: senders before the device's work.
    #[default]
    Regular,
    /// That answers come soon: the device's work before the senders.
    Answers,
}

/// A step of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// No trains of segments.
    Gso,
    /// A band for each class.
    Band,
    /// One frame in the device.
    Bql,
    /// The interrupt's thread.
    Irq,
    /// Threads for NAPI where the handler has none.
    Napi,
    /// Interrupts to one processor.
    Affinity,
    /// ksoftirqd in real time; only when it is asked for.
    Ksoftirqd,
}

impl StepName {
    /// In the order of the ladder.
    pub const ALL: [StepName; 7] = [
        StepName::Gso,
        StepName::Band,
        StepName::Bql,
        StepName::Irq,
        StepName::Napi,
        StepName::Affinity,
        StepName::Ksoftirqd,
    ];
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            StepName::Gso => "gso",
            StepName::Band => "band",
            StepName::Bql => "bql",
            StepName::Irq => "irq",
            StepName::Napi => "napi",
            StepName::Affinity => "affinity",
            StepName::Ksoftirqd => "ksoftirqd",
        })
    }
}

impl FromStr for StepName {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        StepName::ALL.into_iter().find(|step| step.to_string() == word).ok_or_else(|| {
            format!("{word}: not a step; use {}", StepName::ALL.map(|step| step.to_string()).join(", "))
        })
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// What matters more.
    pub goal: Goal,
    /// Priorities (`SCHED_FIFO`) of the threads that serve the flows; empty: none is in real time.
    pub senders: Vec<u8>,
    /// These steps alone; empty: all.
    pub only: Vec<StepName>,
    /// The processor that the device's interrupts go to; `None`: where they are.
    pub processor: Option<u32>,
    /// `SCHED_FIFO` of ksoftirqd; `None`: as it is.
    pub ksoftirqd: Option<u8>,
}

impl Wish {
    /// Of flows with these classes (TUNE-13).
    pub fn of(classes: impl IntoIterator<Item = Class>, goal: Goal) -> Wish {
        let priority = |class: Class| match class.priorities().linux {
            LinuxSched::Fifo(priority) => Some(priority),
            LinuxSched::Other | LinuxSched::Idle => None,
        };
        let mut senders: Vec<u8> = classes.into_iter().filter_map(priority).collect();
        senders.sort_unstable();
        senders.dedup();
        Wish { goal, senders, ..Wish::default() }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Of what.
    #[serde(flatten)]
    pub setting: Setting,
    /// To what.
    pub value: String,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which.
    pub step: StepName,
    /// What it changes.
    pub changes: Vec<Change>,
    /// Why.
    pub why: String,
    /// What is to be expected of it.
    pub expect: String,
}

/// A step that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Which.
    pub step: StepName,
    /// Why not.
    pub because: String,
}

/// What the application can do itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// In their order.
    pub steps: Vec<Step>,
    /// What is left out.
    pub left: Vec<Left>,
    /// For the application.
    pub advice: Vec<Advice>,
    /// What one must know of this host.
    pub notes: Vec<String>,
}

/// Bytes of a frame beyond its MTU: Ethernet header, two tags.
const FRAME_BEYOND_MTU: u32 = 14 + 8;
/// The kernel's own priority of interrupt threads.
const IRQ_DEFAULT: u8 = 50;

/// What is to be done here for what is asked for.
///
/// # Errors
/// [`TuneError::Unsafe`], with the reason (TUNE-15).
pub fn plan(host: &Host, wish: &Wish) -> Result<Plan, TuneError> {
    refuse(host, wish).map_or(Ok(()), |because| Err(TuneError::Unsafe(because)))?;
    let mut plan = Plan { advice: advice(wish), notes: notes(host), ..Plan::default() };
    let wanted = |step: &StepName| wish.only.is_empty() || wish.only.contains(step);
    for step in StepName::ALL.into_iter().filter(wanted) {
        let found = match step {
            StepName::Gso => gso(host),
            StepName::Band => band(host),
            StepName::Bql => bql(host),
            StepName::Irq => irq(host, wish),
            StepName::Napi => napi(host, wish),
            StepName::Affinity => affinity(host, wish),
            StepName::Ksoftirqd => match wish.ksoftirqd {
                None => continue,
                Some(priority) => ksoftirqd(host, priority),
            },
        };
        match found {
            Ok(Made { changes, why, expect }) => {
                plan.steps.push(Step { step, changes, why, expect: expect.to_owned() });
            }
            Err(because) => plan.left.push(Left { step, because }),
        }
    }
    Ok(plan)
}

/// Why what is asked for could take the machine from its users.
fn refuse(host: &Host, wish: &Wish) -> Option<String> {
    let rcu = host.priority("rcu");
    if let Some(priority) = wish.ksoftirqd.filter(|priority| *priority > rcu) {
        return Some(format!(
            "ksoftirqd at {priority} would be above RCU's threads at {rcu}: under load memory is not freed any more, and the machine stops; \
             ask for {} at most, or raise them first (kernel argument rcutree.kthread_prio)",
            rcu.max(1)
        ));
    }
    let raises = wish.goal == Goal::Answers || wish.ksoftirqd.is_some();
    if raises && host.rt_runtime_us == Some(-1) {
        return Some(
            "real-time throttling is off: the device's work in real time could take a processor for good; \
             echo 950000 > /proc/sys/kernel/sched_rt_runtime_us first"
                .to_owned(),
        );
    }
    let polls = !host.has_interrupt_thread() && host.napi_threaded.is_some() && !host.interrupts.is_empty();
    (wish.goal == Goal::Answers && polls && host.processors.len() == 1).then(|| {
        "NAPI's threads would be above the senders on their only processor: a thread that polls never waits, and the senders \
         would run when nothing comes in any more; use --goal regular"
            .to_owned()
    })
}

/// A step, or why it is left out.
type Found = Result<Made, String>;

struct Made {
    changes: Vec<Change>,
    why: String,
    expect: &'static str,
}

fn gso(host: &Host) -> Found {
    match host.gso_max_segs {
        None => Err("the kernel does not say how many segments a packet may have".to_owned()),
        Some(1) => Err("packets are single frames already".to_owned()),
        Some(segments) => Ok(Made {
            changes: vec![Change {
                setting: Setting::GsoMaxSegs { device: host.device.clone() },
                value: "1".to_owned(),
            }],
            why: format!(
                "a TCP train of up to {segments} segments (64 KB, 5.5 ms at 100 Mbit/s) is one packet for bands and byte limits"
            ),
            expect: "nobody waits for a train; bulk TCP costs the processor more for each byte",
        }),
    }
}

fn band(host: &Host) -> Found {
    match host.root.as_deref() {
        None => return Err("the root queueing discipline cannot be read".to_owned()),
        Some("noqueue") => return Err("nothing waits before this device".to_owned()),
        Some(kind @ ("mq" | "mqprio" | "lbe" | "taprio" | "etf")) => {
            return Err(format!("the root is {kind}, which has its own order"));
        }
        Some(kind) if host.root_was_set_up => {
            return Err(format!(
                "somebody has set up {kind} as the root; tc qdisc del dev {} root makes room",
                host.device
            ));
        }
        Some(_) => {}
    }
    Ok(Made {
        changes: vec![Change {
            setting: Setting::Root { device: host.device.clone() },
            value: Setting::bands(bands()),
        }],
        why: format!(
            "the root {} knows no classes, or three bands that are not ours",
            host.root.as_deref().unwrap_or_default()
        ),
        expect: "what has SO_PRIORITY 6 or 5 passes all bulk packets that wait",
    })
}

/// The band of each `skb->priority`: as the class table has it; what it does not name goes with best effort, 7 with control.
fn bands() -> [u8; PRIORITIES] {
    let mut bands = [Class::BestEffort.priorities().band; PRIORITIES];
    for class in Class::ALL {
        bands[usize::from(class.priorities().skb_priority)] = class.priorities().band;
    }
    bands[7] = Class::Control.priorities().band;
    bands
}

fn bql(host: &Host) -> Found {
    let limit = u64::from(host.mtu.ok_or("the MTU cannot be read")? + FRAME_BEYOND_MTU);
    let over = host.queues.iter().filter(|queue| queue.limit_max.is_some_and(|now| now > limit));
    let changes: Vec<Change> = over
        .map(|queue| Change {
            setting: Setting::File {
                path: format!(
                    "/sys/class/net/{}/queues/{}/byte_queue_limits/limit_max",
                    host.device, queue.name
                ),
            },
            value: limit.to_string(),
        })
        .collect();
    match (changes.is_empty(), host.queues.iter().any(|queue| queue.limit_max.is_some())) {
        (true, false) => Err("its queues have no byte limits".to_owned()),
        (true, true) => Err("the device has at most a frame already".to_owned()),
        (false, _) => Ok(Made {
            changes,
            why: "what the device has cannot be passed any more".to_owned(),
            expect: "at most two full frames are before a frame of control; some per cent of bulk throughput go",
        }),
    }
}

/// Where the device's work belongs.
fn priority(wish: &Wish) -> Result<u8, String> {
    let none = || "no flow has a sender in real time".to_owned();
    match wish.goal {
        Goal::Regular => match wish.senders.iter().min().copied().ok_or_else(none)? {
            1 => Err("the lowest sender has priority 1, and nothing is below that".to_owned()),
            lowest => Ok(lowest - 1),
        },
        Goal::Answers => {
            Ok(IRQ_DEFAULT.max(wish.senders.iter().max().copied().ok_or_else(none)?.min(97) + 1))
        }
    }
}

fn irq(host: &Host, wish: &Wish) -> Found {
    let priority = priority(wish)?;
    if !host.real_time && !host.has_interrupt_thread() {
        return Err("without PREEMPT_RT interrupts have no threads".to_owned());
    }
    let threads = host.interrupts.iter().flat_map(|interrupt| &interrupt.threads);
    let others: Vec<_> = threads.filter(|thread| thread.policy != Policy::Fifo(priority)).collect();
    if others.is_empty() {
        return Err(match host.has_interrupt_thread() {
            true => format!("the interrupt's threads are at {priority} already"),
            false => "the driver's handler has no thread".to_owned(),
        });
    }
    // By the number of the interrupt: the thread is made again when the link comes up, and keeps that.
    let changes =
        host.interrupts.iter().filter(|interrupt| !interrupt.threads.is_empty()).map(|interrupt| Change {
            setting: Setting::Threads { name: format!("{}*", irq_name(interrupt.number)) },
            value: Policy::Fifo(priority).to_string(),
        });
    Ok(Made {
        changes: changes.collect(),
        why: format!("all of the device's work for bulk traffic runs there, at {}", others[0].policy),
        expect: match wish.goal {
            Goal::Regular => "senders run when they are due; answers come a wake-up later",
            Goal::Answers => "answers come sooner; senders wait for the work of all that comes in",
        },
    })
}

fn napi(host: &Host, wish: &Wish) -> Found {
    let priority = priority(wish)?;
    if host.has_interrupt_thread() {
        return Err("the interrupt's thread does its work".to_owned());
    }
    if host.interrupts.is_empty() {
        return Err("the device has no interrupt".to_owned());
    }
    let Some(threaded) = host.napi_threaded else {
        return Err("this kernel has no threads for NAPI".to_owned());
    };
    let path = format!("/sys/class/net/{}/threaded", host.device);
    let threads = Change {
        setting: Setting::Threads { name: format!("{}*", napi_name(&host.device)) },
        value: Policy::Fifo(priority).to_string(),
    };
    let switch = (!threaded).then_some(Change { setting: Setting::File { path }, value: "1".to_owned() });
    Ok(Made {
        changes: switch.into_iter().chain([threads]).collect(),
        why: "the driver's handler has no thread, so that its work is ksoftirqd's, with everybody else's"
            .to_owned(),
        expect: "the device's work has a place among the priorities",
    })
}

fn affinity(host: &Host, wish: &Wish) -> Found {
    let Some(processor) = wish.processor else {
        return Err(match host.processors.len() {
            0 | 1 => "there is one processor".to_owned(),
            _ => "no processor was named for the device's work (--irq-cpu)".to_owned(),
        });
    };
    if !host.processors.contains(&processor) {
        return Err(format!("processor {processor} is not online"));
    }
    if host.irqbalance {
        return Err("irqbalance runs and would move interrupts again; stop it, or ban these in its settings"
            .to_owned());
    }
    let wanted = processor.to_string();
    let changes: Vec<Change> = host
        .interrupts
        .iter()
        .filter(|interrupt| interrupt.affinity.as_ref() != Some(&wanted))
        .map(|interrupt| Change {
            setting: Setting::File { path: format!("/proc/irq/{}/smp_affinity_list", interrupt.number) },
            value: wanted.clone(),
        })
        .collect();
    match changes.is_empty() {
        true => Err("its interrupts are there already".to_owned()),
        false => Ok(Made {
            changes,
            why: "its interrupts may come to the senders' processors".to_owned(),
            expect: "its work and the senders' do not meet",
        }),
    }
}

fn ksoftirqd(host: &Host, priority: u8) -> Found {
    let threads: Vec<_> =
        host.threads.iter().filter(|thread| thread.name.starts_with("ksoftirqd/")).collect();
    let policy = Policy::Fifo(priority);
    if threads.is_empty() {
        return Err("its threads are hidden here, as in a container".to_owned());
    }
    if threads.iter().all(|thread| thread.policy == policy) {
        return Err(format!("it is at {priority} already"));
    }
    Ok(Made {
        changes: vec![Change {
            setting: Setting::Threads { name: "ksoftirqd/*".to_owned() },
            value: policy.to_string(),
        }],
        why: "softirqs that nobody else has taken wait there behind all programs".to_owned(),
        expect: "little where interrupts have threads, which take their own softirqs; where they have none, bulk work comes before programs",
    })
}

fn advice(wish: &Wish) -> Vec<Advice> {
    let say = |what: String, why: &str| Advice { what, why: why.to_owned() };
    let marks = [Class::Control, Class::Realtime].map(|class| {
        let priority = class.priorities().skb_priority;
        say(
            format!("{class}: SO_PRIORITY {priority} on its sockets"),
            "without it frames wait in the band of best effort",
        )
    });
    let mut all: Vec<Advice> = marks.into();
    all.push(say(
        "frames sent by the clock: a packet socket with PACKET_QDISC_BYPASS".to_owned(),
        "past the queueing discipline nothing is deferred to a softirq; nothing bounds it either",
    ));
    all.push(say(
        "bulk TCP: SO_MAX_PACING_RATE below the link's rate, SO_RCVBUF where it receives".to_owned(),
        "what does not come needs no processor",
    ));
    if wish.goal == Goal::Answers {
        all.push(say(
            "bound the load that comes in".to_owned(),
            "its work now comes before the senders, however much it is",
        ));
    }
    all
}

fn notes(host: &Host) -> Vec<String> {
    let mut notes = Vec::new();
    if !host.real_time {
        notes.push("this kernel has no PREEMPT_RT: priorities bound little of what it does".to_owned());
    }
    if host.rt_runtime_us == Some(-1) {
        notes.push("real-time throttling is off (sched_rt_runtime_us -1): a thread in real time that never sleeps takes its processor for good".to_owned());
    }
    let rcu = host.priority("rcu");
    for name in ["ksoftirqd/", "ktimers/"] {
        let priority = host.priority(name);
        if rcu > 0 && priority > rcu {
            notes.push(format!("{name}* at {priority} is above RCU's threads at {rcu}: under load memory is not freed any more; put it below"));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Interrupt, Queue};
    use crate::thread::Thread;

    fn thread(name: &str, policy: Policy) -> Thread {
        Thread { name: name.to_owned(), id: 7, policy }
    }

    /// As a board with PREEMPT_RT and one processor is found.
    fn host() -> Host {
        Host {
            kernel: "6.1-rt".to_owned(),
            real_time: true,
            processors: vec![0],
            rt_runtime_us: Some(950_000),
            threads: vec![thread("ksoftirqd/0", Policy::Other), thread("rcuc/0", Policy::Fifo(1))],
            device: "eth0".to_owned(),
            mtu: Some(1500),
            gso_max_segs: Some(65_535),
            root: Some("fq_codel".to_owned()),
            queues: vec![Queue { name: "tx-0".to_owned(), limit_max: Some(1_879_048_192) }],
            napi_threaded: Some(false),
            interrupts: vec![Interrupt {
                number: 24,
                name: "eth0".to_owned(),
                affinity: Some("0".to_owned()),
                threads: vec![thread("irq/24-eth0", Policy::Fifo(50))],
            }],
            ..Host::default()
        }
    }

    fn wish() -> Wish {
        Wish { senders: vec![40, 10], ..Wish::default() }
    }

    fn step(plan: &Plan, name: StepName) -> Option<&Step> {
        plan.steps.iter().find(|step| step.step == name)
    }

    fn because(plan: &Plan, name: StepName) -> &str {
        &plan.left.iter().find(|left| left.step == name).unwrap().because
    }

    #[test]
    fn the_ladder_is_climbed_in_its_order() {
        let plan = plan(&host(), &wish()).unwrap();
        let names: Vec<String> = plan.steps.iter().map(|step| step.step.to_string()).collect();
        assert_eq!(names, ["gso", "band", "bql", "irq"]);
        assert_eq!(step(&plan, StepName::Bql).unwrap().changes[0].value, "1522");
        let irq = &step(&plan, StepName::Irq).unwrap().changes[0];
        assert_eq!((irq.setting.to_string().as_str(), irq.value.as_str()), ("threads irq/24-*", "fifo 9"));
        assert!(because(&plan, StepName::Affinity).contains("one processor"));
    }

    #[test]
    fn bands_are_the_class_tables() {
        let bands = bands();
        for class in Class::ALL {
            let priorities = class.priorities();
            assert_eq!(bands[usize::from(priorities.skb_priority)], priorities.band, "{class}");
        }
        assert_eq!((bands[7], bands[2]), (0, 2));
    }

    #[test]
    fn what_is_there_already_is_no_step() {
        let mut host = host();
        host.gso_max_segs = Some(1);
        host.queues[0].limit_max = Some(1000);
        host.interrupts[0].threads[0].policy = Policy::Fifo(9);
        host.root = Some("lbe".to_owned());
        let plan = plan(&host, &wish()).unwrap();
        assert!(plan.steps.is_empty(), "{plan:?}");
        assert!(because(&plan, StepName::Band).contains("lbe"));
    }

    #[test]
    fn a_root_of_somebody_else_stays() {
        let host = Host { root_was_set_up: true, ..host() };
        let plan = plan(&host, &wish()).unwrap();
        assert!(because(&plan, StepName::Band).contains("tc qdisc del dev eth0 root"));
    }

    #[test]
    fn a_goal_says_where_the_devices_work_belongs() {
        let answers = Wish { goal: Goal::Answers, senders: vec![60], ..Wish::default() };
        let irq = plan(&host(), &answers).unwrap();
        assert_eq!(step(&irq, StepName::Irq).unwrap().changes[0].value, "fifo 61");
        // 50 is above 40: it is there already.
        let lower = Wish { goal: Goal::Answers, ..wish() };
        assert!(because(&plan(&host(), &lower).unwrap(), StepName::Irq).contains("50 already"));
        let none = plan(&host(), &Wish::default()).unwrap();
        assert!(because(&none, StepName::Irq).contains("no flow"));
    }

    #[test]
    fn napi_gets_threads_where_the_handler_has_none() {
        let mut host = host();
        host.interrupts[0].threads.clear();
        let found = plan(&host, &wish()).unwrap();
        let napi: Vec<&str> = step(&found, StepName::Napi)
            .unwrap()
            .changes
            .iter()
            .map(|change| change.value.as_str())
            .collect();
        assert_eq!(napi, ["1", "fifo 9"]);
        host.napi_threaded = None;
        assert!(because(&plan(&host, &wish()).unwrap(), StepName::Napi).contains("no threads for NAPI"));
    }

    #[test]
    fn what_is_unsafe_is_refused_with_its_reason() {
        let refused = |host: &Host, wish: &Wish| plan(host, wish).unwrap_err().to_string();
        let above_rcu = Wish { ksoftirqd: Some(2), ..wish() };
        assert!(refused(&host(), &above_rcu).contains("above RCU"));
        assert!(plan(&host(), &Wish { ksoftirqd: Some(1), ..wish() }).is_ok());
        let unthrottled = Host { rt_runtime_us: Some(-1), ..host() };
        let answers = Wish { goal: Goal::Answers, ..wish() };
        assert!(refused(&unthrottled, &answers).contains("throttling is off"));
        assert!(plan(&unthrottled, &wish()).unwrap().notes.iter().any(|note| note.contains("throttling")));
        let mut polling = host();
        polling.interrupts[0].threads.clear();
        assert!(refused(&polling, &answers).contains("only processor"));
        polling.processors = vec![0, 1];
        assert!(plan(&polling, &answers).is_ok());
    }

    #[test]
    fn interrupts_go_where_nobody_takes_them_away() {
        let two = Host { processors: vec![0, 1], ..host() };
        let to = |processor| Wish { processor: Some(processor), ..wish() };
        let found = plan(&two, &to(1)).unwrap();
        let change = &step(&found, StepName::Affinity).unwrap().changes[0];
        assert_eq!(change.setting.to_string(), "/proc/irq/24/smp_affinity_list");
        assert!(because(&plan(&two, &to(0)).unwrap(), StepName::Affinity).contains("already"));
        assert!(because(&plan(&two, &to(7)).unwrap(), StepName::Affinity).contains("not online"));
        let balanced = Host { irqbalance: true, ..two };
        assert!(because(&plan(&balanced, &to(1)).unwrap(), StepName::Affinity).contains("irqbalance"));
    }

    #[test]
    fn senders_are_those_of_the_flows_classes() {
        let wish =
            Wish::of([Class::Realtime, Class::Control, Class::Realtime, Class::Background], Goal::Regular);
        assert_eq!(wish.senders, [30, 40]);
    }
}
