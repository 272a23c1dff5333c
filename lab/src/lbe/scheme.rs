//! Who keeps the background away from the foreground, and how the board is set for it.

use std::fmt;
use std::str::FromStr;

use super::background::Background;
use crate::board::Step;
use crate::board::pair::{DEVICE, must};

/// As `skb->priority` and DSCP of class `background` (`contract`).
const PRIORITY: u8 = 1;
const LOWER_EFFORT: u8 = 1;
/// Class 1:1 as a priority: HTB takes a packet's priority for its class if it is one.
const CAPPED_CLASS: u32 = 0x0001_0001;

/// What lies between the qdisc and the wire. The driver takes frames until it has so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeviceQueue {
    /// It does no byte queue accounting; as in the paper.
    Driver(u32),
    /// It does, and its queue is what the limits make of it; as today.
    Limits,
}

/// The paper's phone had this much at most.
const LARGE: u32 = 8192;
/// One packet, the paper's own choice.
const SMALL: u32 = 1500;

/// One way to treat the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// No background at all, pfifo_fast before 8 KB of device: what others are compared to.
    None,
    /// The same before the small queue, for what that costs.
    NoneSmallQueue,
    /// The same with fq_codel and byte queue limits: what those are compared to whose foreground has fq_codel.
    NoneFqCodel,
    /// A background, and nothing done about it: pfifo_fast before 8 KB of device.
    Pfifo,
    /// The same before byte queue limits, as drivers have them today: what a packet's instructions are compared to.
    PfifoLimits,
    /// Debian's default: fq_codel and byte queue limits.
    FqCodel,
    /// Strict priority (sch_prio, SO_PRIORITY) before the small queue, large packets switched off (GSO).
    Prio,
    /// The same with large packets, which are split behind the queue.
    PrioGso,
    /// A kernel thread for each band, before the small queue: the paper's rival.
    Task,
    /// The same before 8 KB of device.
    TaskLargeQueue,
    /// lbe; its foreground band a pfifo, as what it is compared to.
    Lbe,
    /// lbe as it comes, with fq_codel.
    LbeFqCodel,
    /// lbe before the device's 8 KB, which it leaves alone.
    LbeLargeQueue,
    /// The same without the deferral that waits for TCP Small Queues.
    LbeLargeQueueNoDefer,
    /// TCP-LP, a transport that yields, over pfifo_fast.
    TcpLp,
    /// LEDBAT, a transport that yields by delay (libtorrent's), over pfifo_fast.
    Ledbat,
    /// CAKE at 95 % of the rate, the background marked LE.
    Cake,
    /// The background capped at half of the rate (HTB), the foreground not.
    Cap,
}

/// Every scheme with its name, in the order of tables.
const NAMES: [(Scheme, &str); 18] = [
    (Scheme::None, "none"),
    (Scheme::NoneSmallQueue, "none-small-queue"),
    (Scheme::NoneFqCodel, "none-fq_codel"),
    (Scheme::Pfifo, "pfifo"),
    (Scheme::PfifoLimits, "pfifo-bql"),
    (Scheme::FqCodel, "fq_codel"),
    (Scheme::Prio, "prio"),
    (Scheme::PrioGso, "prio-gso"),
    (Scheme::Task, "task"),
    (Scheme::TaskLargeQueue, "task-8k"),
    (Scheme::Lbe, "lbe"),
    (Scheme::LbeFqCodel, "lbe-fq_codel"),
    (Scheme::LbeLargeQueue, "lbe-8k"),
    (Scheme::LbeLargeQueueNoDefer, "lbe-8k-nodefer"),
    (Scheme::TcpLp, "tcp-lp"),
    (Scheme::Ledbat, "ledbat"),
    (Scheme::Cake, "cake"),
    (Scheme::Cap, "cap"),
];

impl Scheme {
    /// All of them, in the order of tables.
    pub fn all() -> impl Iterator<Item = Scheme> {
        NAMES.iter().map(|(scheme, _)| *scheme)
    }

    /// The name in tables, options and results.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(scheme, _)| *scheme == self).map_or("", |(_, name)| name)
    }

    /// Whether something uploads beside the foreground.
    pub fn has_background(self) -> bool {
        !matches!(self, Scheme::None | Scheme::NoneSmallQueue | Scheme::NoneFqCodel)
    }

    /// Whether it has something to say to this background: a transport that yields is its own background.
    pub fn carries(self, background: Background) -> bool {
        !matches!(self, Scheme::TcpLp | Scheme::Ledbat) || matches!(background, Background::Tcp(_))
    }

    /// Whether a computation beside it is of interest: one for each way to treat the processor.
    pub fn is_computed(self) -> bool {
        matches!(
            self,
            Scheme::None
                | Scheme::Pfifo
                | Scheme::PfifoLimits
                | Scheme::FqCodel
                | Scheme::Prio
                | Scheme::Task
                | Scheme::Lbe
        )
    }

    /// The scheme without a background that this one is compared to: the one with the same queue for the foreground.
    pub fn baseline(self) -> Scheme {
        match self {
            Scheme::NoneFqCodel | Scheme::FqCodel | Scheme::LbeFqCodel => Scheme::NoneFqCodel,
            _ => Scheme::None,
        }
    }

    /// Modules of the distribution it needs, besides ours.
    pub fn modules(self) -> &'static [&'static str] {
        match self {
            Scheme::Prio | Scheme::PrioGso => &["sch_prio"],
            Scheme::TcpLp => &["tcp_lp"],
            Scheme::Cake => &["sch_cake"],
            Scheme::Cap => &["sch_htb"],
            _ => &[],
        }
    }

    /// Whether the background's program has `SCHED_IDLE`. Of those that do nothing about packets none does about tasks.
    pub fn idle_task(self) -> bool {
        !matches!(
            self,
            Scheme::Pfifo
                | Scheme::PfifoLimits
                | Scheme::FqCodel
                | Scheme::TcpLp
                | Scheme::Ledbat
                | Scheme::Cake
                | Scheme::Cap
        )
    }

    /// What the background's sockets are set to. All are marked LE, so that its frames can be counted on the wire.
    pub fn flood_options(self) -> Vec<String> {
        let mut options = vec![format!("dscp={LOWER_EFFORT}")];
        match self {
            Scheme::Prio | Scheme::PrioGso => options.push(format!("priority={PRIORITY}")),
            Scheme::Cap => options.push(format!("priority={CAPPED_CLASS}")),
            Scheme::TcpLp => options.push("congestion=lp".to_owned()),
            _ => {}
        }
        options
    }

    fn device_queue(self) -> DeviceQueue {
        match self {
            Scheme::None
            | Scheme::Pfifo
            | Scheme::TcpLp
            | Scheme::Ledbat
            | Scheme::TaskLargeQueue
            | Scheme::LbeLargeQueue
            | Scheme::LbeLargeQueueNoDefer => DeviceQueue::Driver(LARGE),
            Scheme::NoneSmallQueue | Scheme::Prio | Scheme::PrioGso | Scheme::Task => {
                DeviceQueue::Driver(SMALL)
            }
            Scheme::NoneFqCodel
            | Scheme::PfifoLimits
            | Scheme::FqCodel
            | Scheme::Lbe
            | Scheme::LbeFqCodel
            | Scheme::Cake
            | Scheme::Cap => DeviceQueue::Limits,
        }
    }

    /// Parameters of the pair of devices.
    pub fn device_parameters(self) -> String {
        match self.device_queue() {
            DeviceQueue::Driver(bytes) => format!("queue_bytes={bytes},0 bql=0"),
            DeviceQueue::Limits => format!("queue_bytes={LARGE},0 bql=1"),
        }
    }

    /// Sets the board; `rate_kbps` is the link's.
    pub fn set_up(self, rate_kbps: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        if self == Scheme::Prio {
            steps.push(must(&format!("ip link set {DEVICE} gso_max_segs 1")));
        }
        steps.extend(self.commands(rate_kbps).iter().map(|line| must(&format!("tc {line}"))));
        steps
    }

    fn commands(self, rate_kbps: u32) -> Vec<String> {
        let root = |qdisc: &str| vec![format!("qdisc replace dev {DEVICE} root {qdisc}")];
        match self {
            Scheme::None
            | Scheme::NoneSmallQueue
            | Scheme::Pfifo
            | Scheme::PfifoLimits
            | Scheme::TcpLp
            | Scheme::Ledbat => root("pfifo_fast"),
            Scheme::NoneFqCodel | Scheme::FqCodel => root("fq_codel"),
            // As the default map, but priority 1 in the last band alone.
            Scheme::Prio | Scheme::PrioGso => root("prio bands 3 priomap 1 2 1 1 1 1 0 0 1 1 1 1 1 1 1 1"),
            Scheme::Task | Scheme::TaskLargeQueue => lbe("mode task budget 0"),
            Scheme::Lbe => lbe("mode gate"),
            Scheme::LbeFqCodel => root("lbe"),
            Scheme::LbeLargeQueue => lbe("budget 0"),
            Scheme::LbeLargeQueueNoDefer => lbe("budget 0 nodefer"),
            Scheme::Cake => root(&format!("cake bandwidth {}kbit diffserv4 ethernet", rate_kbps * 95 / 100)),
            Scheme::Cap => cap(rate_kbps),
        }
    }
}

/// With a pfifo for the foreground: what it is compared to drops nothing either.
fn lbe(options: &str) -> Vec<String> {
    vec![
        format!("qdisc replace dev {DEVICE} root handle 1: lbe {options}"),
        format!("qdisc replace dev {DEVICE} parent 1:1 pfifo"),
    ]
}

/// The background's class ([`CAPPED_CLASS`]), and the default for everybody else.
fn cap(rate_kbps: u32) -> Vec<String> {
    let class =
        |id: &str, kbps: u32| format!("class add dev {DEVICE} parent 1: classid 1:{id} htb rate {kbps}kbit");
    vec![
        format!("qdisc replace dev {DEVICE} root handle 1: htb default 2"),
        class("1", rate_kbps / 2),
        class("2", rate_kbps),
    ]
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Not the name of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a scheme: use {}", NAMES.map(|(_, name)| name).join(", "))]
pub struct UnknownScheme;

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(word: &str) -> Result<Self, UnknownScheme> {
        NAMES.iter().find(|(_, name)| *name == word).map(|(scheme, _)| *scheme).ok_or(UnknownScheme)
    }
}
