//! What the commands of `tokkyu tune` are asked for: the device, the declaration, the steps.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};
use tokkyu_contract::class::LinuxSched;
use tokkyu_contract::yaml::{Site, robot, site};
use tokkyu_tune::{Goal, StepName, Wish};

use crate::exit::Failure;
use crate::output::Json;

#[derive(Debug, Args)]
pub(super) struct Device {
    /// Network device
    #[arg(long = "dev", value_name = "DEV")]
    pub(super) device: String,
    #[command(flatten)]
    pub(super) json: Json,
}

/// What is asked for.
#[derive(Debug, Args)]
pub(super) struct Wanted {
    /// The robot's declaration, whose classes say who sends in real time
    #[arg(long, alias = "flows", value_name = "FILE")]
    pub(super) robot: PathBuf,
    /// The site's limits
    #[arg(long, value_name = "FILE")]
    pub(super) site: Option<PathBuf>,
    /// What matters more
    #[arg(long, value_enum, default_value = "regular")]
    pub(super) goal: GoalName,
    /// SCHED_FIFO of the thread that sends, if it is not the class table's
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=98))]
    sender_priority: Option<u8>,
    /// The processor that the device's interrupts go to
    #[arg(long, value_name = "N")]
    irq_cpu: Option<u32>,
    /// SCHED_FIFO of ksoftirqd, not above RCU's threads
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=98))]
    ksoftirqd: Option<u8>,
    /// SCHED_FIFO of ktimers, the kernel's timers in softirqs, not above RCU's threads
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=98))]
    ktimers: Option<u8>,
    /// These steps alone, comma between them: gso, band, bql, irq, napi, affinity, rps, xps, coalesce, defer, ksoftirqd, ktimers
    #[arg(long, value_name = "STEP", value_delimiter = ',', value_parser = |word: &str| word.parse::<StepName>())]
    only: Vec<StepName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum GoalName {
    /// Frames leave by the clock: senders before the device's work
    Regular,
    /// Answers come soon: the device's work before the senders
    Answers,
}

impl Wanted {
    pub(super) fn wish(&self) -> Result<Wish, Failure> {
        let goal = match self.goal {
            GoalName::Regular => Goal::Regular,
            GoalName::Answers => Goal::Answers,
        };
        let robot = robot::load(&self.robot)?;
        let site = self.site.as_ref().map_or(Ok(Site::default()), |path| site::load(path))?;
        let wish = Wish::of(robot.flows.iter().map(|flow| flow.class), goal);
        Ok(Wish {
            senders: self.senders(&site, wish.senders),
            only: self.only.clone(),
            processor: self.irq_cpu,
            ksoftirqd: self.ksoftirqd,
            ktimers: self.ktimers,
            goal,
        })
    }

    /// The same again, as words of a command line; `absolute` of the paths.
    pub(super) fn arguments(
        &self,
        absolute: impl Fn(&Path) -> Result<PathBuf, Failure>,
    ) -> Result<Vec<String>, Failure> {
        let path = |path: &PathBuf| Ok::<_, Failure>(absolute(path)?.display().to_string());
        let number =
            |name: &str, number: Option<u32>| number.map(|number| vec![name.to_owned(), number.to_string()]);
        let only = self.only.iter().map(StepName::to_string).collect::<Vec<_>>().join(",");
        let goal =
            matches!(self.goal, GoalName::Answers).then(|| vec!["--goal".to_owned(), "answers".to_owned()]);
        let all = [
            Some(vec!["--robot".to_owned(), path(&self.robot)?]),
            self.site
                .as_ref()
                .map(|site| Ok::<_, Failure>(vec!["--site".to_owned(), path(site)?]))
                .transpose()?,
            goal,
            number("--sender-priority", self.sender_priority.map(u32::from)),
            number("--irq-cpu", self.irq_cpu),
            number("--ksoftirqd", self.ksoftirqd.map(u32::from)),
            number("--ktimers", self.ktimers.map(u32::from)),
            (!only.is_empty()).then(|| vec!["--only".to_owned(), only]),
        ];
        Ok(all.into_iter().flatten().flatten().collect())
    }

    /// No thread may be above the site's limit, so no sender is.
    fn senders(&self, site: &Site, declared: Vec<u8>) -> Vec<u8> {
        let bounded = |priority: u8| match site.allowed(LinuxSched::Fifo(priority)) {
            LinuxSched::Fifo(priority) => Some(priority),
            LinuxSched::Other | LinuxSched::Idle => None,
        };
        let all = self.sender_priority.map_or(declared, |priority| vec![priority]);
        all.into_iter().filter_map(bounded).collect()
    }
}
