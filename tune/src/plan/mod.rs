//! From what was found to what is to be done (TUNE-10 to TUNE-16). Pure.

mod mask;
mod sending;
mod work;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tokkyu_contract::class::{Class, LinuxSched};

use crate::error::TuneError;
use crate::host::Host;
use crate::setting::Setting;
use work::{KSOFTIRQD, KTIMERS};

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
    /// No work of its receive queues elsewhere.
    Rps,
    /// A transmit queue for the senders' processors.
    Xps,
    /// Interrupts that do not wait for more.
    Coalesce,
    /// NAPI that does not defer interrupts.
    Defer,
    /// ksoftirqd in real time; only when it is asked for.
    Ksoftirqd,
    /// The kernel's timers in real time; only when it is asked for.
    Ktimers,
}

impl StepName {
    /// In the order of the ladder.
    pub const ALL: [StepName; 12] = [
        StepName::Gso,
        StepName::Band,
        StepName::Bql,
        StepName::Irq,
        StepName::Napi,
        StepName::Affinity,
        StepName::Rps,
        StepName::Xps,
        StepName::Coalesce,
        StepName::Defer,
        StepName::Ksoftirqd,
        StepName::Ktimers,
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
            StepName::Rps => "rps",
            StepName::Xps => "xps",
            StepName::Coalesce => "coalesce",
            StepName::Defer => "defer",
            StepName::Ksoftirqd => "ksoftirqd",
            StepName::Ktimers => "ktimers",
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
    /// `SCHED_FIFO` of ktimers; `None`: as they are.
    pub ktimers: Option<u8>,
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
            StepName::Gso => sending::gso(host),
            StepName::Band => sending::band(host),
            StepName::Bql => sending::bql(host),
            StepName::Irq => work::irq(host, wish),
            StepName::Napi => work::napi(host, wish),
            StepName::Affinity => work::affinity(host, wish),
            StepName::Rps => work::rps(host, wish),
            StepName::Xps => sending::xps(host, wish),
            StepName::Coalesce => work::coalesce(host),
            StepName::Defer => work::defer(host),
            StepName::Ksoftirqd => match wish.ksoftirqd {
                None => continue,
                Some(priority) => work::kernel_threads(host, KSOFTIRQD, priority),
            },
            StepName::Ktimers => match wish.ktimers {
                None => continue,
                Some(priority) => work::kernel_threads(host, KTIMERS, priority),
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
    let raised = [("ksoftirqd", wish.ksoftirqd), ("ktimers", wish.ktimers)];
    let above =
        raised.into_iter().find_map(|(name, priority)| Some((name, priority.filter(|it| *it > rcu)?)));
    if let Some((name, priority)) = above {
        return Some(format!(
            "{name} at {priority} would be above RCU's threads at {rcu}: under load memory is not freed any more, and the machine stops; \
             ask for {} at most, or raise them first (kernel argument rcutree.kthread_prio)",
            rcu.max(1)
        ));
    }
    let raises = wish.goal == Goal::Answers || wish.ksoftirqd.is_some() || wish.ktimers.is_some();
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
    if host.leaves_frames() {
        notes.push("this kernel leaves a frame that comes while another thread sends to that thread, whatever its priority: now and then one is late by milliseconds, but for those of a packet socket with PACKET_QDISC_BYPASS".to_owned());
    }
    let rcu = host.priority("rcu");
    if host.group_rt_runtime_us == Some(0) {
        notes.push("this control group allows no real time (cpu.rt_runtime_us 0): senders started in it cannot have their priority".to_owned());
    }
    for name in [KSOFTIRQD, KTIMERS] {
        let priority = host.priority(name);
        if rcu > 0 && priority > rcu {
            notes.push(format!("{name}* at {priority} is above RCU's threads at {rcu}: under load memory is not freed any more; put it below"));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::sending::bands;
    use super::*;
    use crate::coalescing::Coalescing;
    use crate::host::{Interrupt, Queue, ReceiveQueue};
    use crate::napi::{Knob, Values};
    use crate::thread::{Policy, Thread};

    fn thread(name: &str, policy: Policy) -> Thread {
        Thread { name: name.to_owned(), id: 7, policy }
    }

    fn queue(name: &str, xps_cpus: Option<&str>) -> Queue {
        Queue { name: name.to_owned(), limit_max: Some(1_879_048_192), xps_cpus: xps_cpus.map(str::to_owned) }
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
            queues: vec![queue("tx-0", None)],
            napi_threaded: Some(Values::default()),
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

    fn values(plan: &Plan, name: StepName) -> Vec<(String, &str)> {
        let changes = &step(plan, name).unwrap().changes;
        changes.iter().map(|change| (change.setting.to_string(), change.value.as_str())).collect()
    }

    #[test]
    fn work_and_queues_are_parted_between_processors() {
        let receive_queues = vec![ReceiveQueue { name: "rx-0".to_owned(), rps_cpus: Some("f".to_owned()) }];
        let queues = vec![queue("tx-0", Some("0")), queue("tx-1", Some("1"))];
        let mut host = Host { processors: vec![0, 1, 2], receive_queues, queues, ..host() };
        let named = Wish { processor: Some(0), ..wish() };
        let found = plan(&host, &named).unwrap();
        assert_eq!(values(&found, StepName::Rps), [("/sys/class/net/eth0/queues/rx-0/rps_cpus".into(), "0")]);
        let of = |queue: &str| format!("/sys/class/net/eth0/queues/{queue}/xps_cpus");
        assert_eq!(values(&found, StepName::Xps), [(of("tx-0"), "1"), (of("tx-1"), "6")]);
        let unnamed = plan(&host, &wish()).unwrap();
        for name in [StepName::Rps, StepName::Xps] {
            assert!(because(&unnamed, name).contains("--irq-cpu"), "{name}");
        }
        host.queues.pop();
        host.receive_queues[0].rps_cpus = Some("0".to_owned());
        let found = plan(&host, &named).unwrap();
        assert!(because(&found, StepName::Xps).contains("one transmit queue"));
        assert!(because(&found, StepName::Rps).contains("not handed"));
    }

    #[test]
    fn interrupts_come_at_once() {
        let waits = Coalescing { adaptive_rx: Some(true), rx_usecs: Some(50), ..Coalescing::default() };
        let zero = Values::default();
        let own: Values = "0, napi 8193: 20000".parse().unwrap();
        let deferral = vec![(Knob::DeferHardIrqs, zero), (Knob::GroFlushTimeout, own)];
        let found = plan(&Host { coalescing: Some(waits), deferral, ..host() }, &wish()).unwrap();
        assert_eq!(
            values(&found, StepName::Coalesce),
            [("coalescing of eth0".into(), "adaptive-rx off rx-usecs 0")]
        );
        assert_eq!(values(&found, StepName::Defer), [("gro_flush_timeout of eth0".into(), "0")]);
        let at_once = Coalescing { rx_usecs: Some(0), ..Coalescing::default() };
        let found = plan(&Host { coalescing: Some(at_once), ..host() }, &wish()).unwrap();
        assert!(because(&found, StepName::Coalesce).contains("at once already"));
        assert!(because(&found, StepName::Defer).contains("does not defer"));
    }

    #[test]
    fn that_frames_are_left_to_other_threads_is_said() {
        let said =
            |host: &Host| plan(host, &wish()).unwrap().notes.iter().any(|note| note.contains("BYPASS"));
        assert!(!said(&host()));
        assert!(said(&Host { list_before_root: true, ..host() }));
    }

    #[test]
    fn timers_are_raised_when_it_is_asked_for_and_not_above_rcu() {
        let mut host = host();
        host.threads.push(thread("ktimers/0", Policy::Other));
        let with = |priority| Wish { ktimers: Some(priority), ..wish() };
        let found = plan(&host, &with(1)).unwrap();
        assert_eq!(values(&found, StepName::Ktimers), [("threads ktimers/*".into(), "fifo 1")]);
        assert!(plan(&host, &with(2)).unwrap_err().to_string().contains("ktimers at 2 would be above RCU"));
        assert!(step(&plan(&host, &wish()).unwrap(), StepName::Ktimers).is_none());
        let limited = Host { group_rt_runtime_us: Some(0), ..host };
        assert!(plan(&limited, &wish()).unwrap().notes.iter().any(|note| note.contains("control group")));
    }
}
