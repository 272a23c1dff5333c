//! `tokkyu measure`: the paper's experiment between two machines.

use std::net::IpAddr;
use std::process::ExitCode as ProcessCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, value_parser};
use serde_json::{Value, json};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_probe::Source;
use tokkyu_probe::counters::Counters;
use tokkyu_probe::figures::Figures;
use tokkyu_probe::line::Ready;
use tokkyu_probe::pair::{Beside, Ends, Jitter, PairError, RoundTripsSeen, Series};

use crate::exit::{CODES, Done, Failure};
use crate::output::{Json, say};

const JITTER: &str = "\
Examples:
  sudo tokkyu measure jitter --to 192.168.7.2 --dev eth0 --far 'ssh robot@192.168.7.2'
  sudo tokkyu measure jitter --to 192.168.7.2 --dev eth0 --far 'ssh robot@192.168.7.2' --load send --samples 10000 --json
  sudo tokkyu measure jitter --to 127.0.0.1 --dev lo --period-us 1000 --samples 500      (this machine alone)";

const RTT: &str = "\
Examples:
  sudo tokkyu measure rtt --to 192.168.7.2 --dev eth0 --far 'ssh robot@192.168.7.2' --load receive
  sudo tokkyu measure rtt --to 127.0.0.1 --dev lo --samples 500";

#[derive(Debug, Subcommand)]
#[command(after_help = JITTER)]
pub enum Measure {
    Jitter(MeasureJitter),
    Rtt(MeasureRtt),
    /// One end
    #[command(hide = true, disable_help_flag = true, after_help = "Example: none, tokkyu measure calls it")]
    End {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// Measure how regularly frames leave this machine: sent by the clock, stamped where they arrive.
///
/// The other machine needs nothing but tokkyu-probe, one static program: scp it there. It listens on the address that is measured
/// and takes nothing of another session.
#[derive(Debug, Args)]
#[command(after_help = JITTER, after_long_help = format!("{JITTER}\n\n{CODES}"))]
pub struct MeasureJitter {
    #[command(flatten)]
    between: Between,
    /// Between two frames
    #[arg(long, default_value_t = 10_000, value_parser = value_parser!(u32).range(100..))]
    period_us: u32,
    /// How frames get to the device: udp, packet, bypass (past the queueing discipline)
    #[arg(long, default_value = "udp", value_parser = ["udp", "packet", "bypass"])]
    by: String,
    /// Whose stamps at the far end: hardware, kernel, user
    #[arg(long, default_value = "kernel", value_parser = ["hardware", "kernel", "user"])]
    stamps: String,
}

/// Measure how soon an answer comes, and where its time goes: send call to driver, the far end, kernel to program, and the rest.
#[derive(Debug, Args)]
#[command(after_help = RTT, after_long_help = format!("{RTT}\n\n{CODES}"))]
pub struct MeasureRtt {
    #[command(flatten)]
    between: Between,
    /// Between an answer and the next request
    #[arg(long, default_value_t = 1_000)]
    pause_us: u32,
    /// Each pause is longer by another part of this, so that requests do not fall in step with other traffic
    #[arg(long, default_value_t = 0)]
    pause_spread_us: u32,
}

#[derive(Clone, Debug, Args)]
pub struct Between {
    /// The other machine's address, on the network that is measured
    #[arg(long, value_name = "ADDRESS")]
    to: IpAddr,
    /// This machine's device there
    #[arg(long = "dev", value_name = "DEV")]
    pub device: String,
    /// Command that runs a program there, words apart by spaces; this machine if not given
    #[arg(long, value_name = "COMMAND")]
    far: Option<String>,
    /// The probe there
    #[arg(long, value_name = "PROGRAM", default_value = "tokkyu-probe", requires = "far")]
    far_program: String,
    /// Bulk TCP beside it, as this machine sees it
    #[arg(long, value_enum, default_value = "none")]
    load: Load,
    /// Frames or requests; a worst of fewer than 10000 says little
    #[arg(
        long = "samples",
        alias = "count",
        value_name = "N",
        default_value_t = 10_000,
        value_parser = value_parser!(u32).range(30..=10_000_000)
    )]
    count: u32,
    /// SCHED_FIFO of both ends' measuring threads; 0: as they are
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u8).range(0..=98))]
    priority: u8,
    /// Bytes of the frame
    #[arg(long, default_value_t = 122)]
    bytes: usize,
    /// SO_PRIORITY
    #[arg(long)]
    pub skb_priority: Option<i32>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Load {
    None,
    Send,
    Receive,
}

impl Measure {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Measure::Jitter(jitter) => jitter.run(stop),
            Measure::Rtt(rtt) => rtt.run(stop),
            // Its exit code is the probe's own, which are the same as ours as far as they go.
            Measure::End { arguments } => {
                let program = std::iter::once("tokkyu-probe".to_owned());
                match tokkyu_probe::program::run(program.chain(arguments)) {
                    code if code == ProcessCode::SUCCESS => Ok(ExitCode::Ok),
                    code if code == ProcessCode::from(2) => Ok(ExitCode::Usage),
                    code if code == ProcessCode::from(3) => Ok(ExitCode::NotPossible),
                    _ => Ok(ExitCode::Failed),
                }
            }
        }
    }
}

impl Between {
    fn ends(&self) -> Result<Ends, Failure> {
        let here = std::env::current_exe().map_err(|error| Failure::new(ExitCode::Failed, error))?;
        let near = vec![here.display().to_string(), "measure".to_owned(), "end".to_owned()];
        let far = match &self.far {
            None => near.clone(),
            Some(command) => {
                let words = command.split_whitespace().map(str::to_owned);
                words.chain([self.far_program.clone()]).collect()
            }
        };
        Ok(Ends { near, far, to: self.to, device: self.device.clone() })
    }

    fn beside(&self) -> Beside {
        match self.load {
            Load::None => Beside::Nothing,
            Load::Send => Beside::Sending,
            Load::Receive => Beside::Receiving,
        }
    }

    fn near_options(&self) -> Vec<String> {
        let mut words = options(&[
            ("--count", self.count.to_string()),
            ("--priority", self.priority.to_string()),
            ("--bytes", self.bytes.to_string()),
        ]);
        words.extend(
            self.skb_priority.iter().flat_map(|mark| options(&[("--skb-priority", mark.to_string())])),
        );
        words
    }

    fn announce(&self, each: Duration) {
        let seconds = (each * self.count).as_secs();
        say(&format!(
            "measuring: {} between here and {}, at least {}:{:02}",
            self.count,
            self.to,
            seconds / 60,
            seconds % 60
        ));
    }

    /// Mbit/s through the device in the direction of the load; `None` without one.
    fn load_mbit(&self, [before, after]: &[Counters; 2]) -> Option<f64> {
        let name = match self.load {
            Load::None => return None,
            Load::Send => "tx_bytes",
            Load::Receive => "rx_bytes",
        };
        let bytes = after.statistics.get(name)?.saturating_sub(*before.statistics.get(name)?);
        Some(bytes as f64 * 8e3 / (after.at_ns - before.at_ns).max(1) as f64)
    }

    fn tell(&self, value: Value, text: String) -> Done {
        self.json.show(&text, &value)?;
        Ok(ExitCode::Ok)
    }
}

fn options(named: &[(&str, String)]) -> Vec<String> {
    named.iter().flat_map(|(name, value)| [(*name).to_owned(), value.clone()]).collect()
}

impl MeasureJitter {
    /// By the kernel's stamps.
    pub fn of(between: Between, period_us: u32) -> MeasureJitter {
        MeasureJitter { between, period_us, by: "udp".to_owned(), stamps: "kernel".to_owned() }
    }

    fn run(self, stop: &StopFlag) -> Done {
        let (found, load) = self.measure(stop)?;
        self.between.tell(self.json(&found, load), self.text(&found, load))
    }

    /// And the load beside it, Mbit/s.
    pub fn measure(&self, stop: &StopFlag) -> Result<(Jitter, Option<f64>), Failure> {
        let between = &self.between;
        let period = ("--period-us", self.period_us.to_string());
        let mut near = between.near_options();
        near.extend(options(&[period.clone(), ("--by", self.by.clone())]));
        let far = [
            ("--count", between.count.to_string()),
            ("--priority", between.priority.to_string()),
            ("--stamps", self.stamps.clone()),
            period,
        ];
        let each = Duration::from_micros(self.period_us.into());
        let series = Series { count: between.count, each, far: options(&far), near };
        between.announce(each);
        let found = between.ends()?.jitter(&series, between.beside(), &|| stop.is_set())?;
        let load = between.load_mbit(&found.counters);
        Ok((found, load))
    }

    fn json(&self, found: &Jitter, load_mbit: Option<f64>) -> Value {
        json!({
            "to": self.between.to, "period_us": self.period_us, "by": self.by, "stamps": found.ready[1].stamps,
            "near": found.ready[0], "far": found.ready[1], "sent": found.sent, "received": found.received,
            "counters": found.counters, "load_mbit": load_mbit,
        })
    }

    fn text(&self, found: &Jitter, load: Option<f64>) -> String {
        let Jitter { sent, received, ready, .. } = found;
        let mut text = header(ready, load);
        text += &line("jitter", &received.jitter);
        text += &line("woken", &sent.wake);
        text += &line("send call", &sent.call);
        text += &line("to driver", &sent.to_driver);
        text += &format!(
            "\nlost {}, of {}; stamps of {}\n",
            received.lost,
            received.count,
            source(ready[1].stamps)
        );
        for (reason, times) in &sent.refused {
            text += &format!("the kernel refused {times}: {reason}\n");
        }
        text + &doubts(sent.stepped || received.stepped)
    }
}

impl MeasureRtt {
    /// With pauses that fall in step with nothing.
    pub fn of(between: Between, pause_us: u32, pause_spread_us: u32) -> MeasureRtt {
        MeasureRtt { between, pause_us, pause_spread_us }
    }

    fn run(self, stop: &StopFlag) -> Done {
        let (found, load) = self.measure(stop)?;
        let value = json!({
            "to": self.between.to, "near": found.ready[0], "far": found.ready[1], "round_trips": found.asked,
            "answered": found.answered, "counters": found.counters, "load_mbit": load,
        });
        self.between.tell(value, text_of_round_trips(&found, load))
    }

    /// And the load beside it, Mbit/s.
    pub fn measure(&self, stop: &StopFlag) -> Result<(RoundTripsSeen, Option<f64>), Failure> {
        let between = &self.between;
        let mut near = between.near_options();
        near.extend(options(&[
            ("--pause-us", self.pause_us.to_string()),
            ("--pause-spread-us", self.pause_spread_us.to_string()),
        ]));
        let mut far = options(&[("--priority", between.priority.to_string())]);
        far.extend(
            between.skb_priority.iter().flat_map(|mark| options(&[("--skb-priority", mark.to_string())])),
        );
        let each =
            Duration::from_micros(u64::from(self.pause_us) + u64::from(self.pause_spread_us) / 2 + 1_000);
        let series = Series { count: between.count, each, far, near };
        between.announce(each);
        let found = between.ends()?.round_trips(&series, between.beside(), &|| stop.is_set())?;
        let load = between.load_mbit(&found.counters);
        Ok((found, load))
    }
}

fn text_of_round_trips(found: &RoundTripsSeen, load: Option<f64>) -> String {
    let asked = &found.asked;
    let mut text = header(&found.ready, load);
    for (name, figures) in [
        ("round trip", &asked.rtt),
        ("out", &asked.out),
        ("far", &asked.far),
        ("in", &asked.back),
        ("wires", &asked.wires),
    ] {
        text += &line(name, figures);
    }
    text += &format!("\nlost {}, late {}, of {}\n", asked.lost, asked.late, asked.count);
    text + &doubts(asked.stepped)
}

fn header(ready: &[Ready; 2], load: Option<f64>) -> String {
    let end = |ready: &Ready| match ready.reached.priority {
        0 => ready.reached.policy.clone(),
        priority => format!("{} {priority}", ready.reached.policy),
    };
    let load = load.map_or(String::new(), |mbit| format!("; load {mbit:.1} Mbit/s"));
    format!(
        "near {}, far {}{load}\n{:<12}{:>9}{:>11}{:>11}{:>11}{:>11}{:>11}\n",
        end(&ready[0]),
        end(&ready[1]),
        "ms",
        "n",
        "mean",
        "sd",
        "p99",
        "p99.9",
        "max"
    )
}

fn line(name: &str, of: &Figures) -> String {
    let ms = |ns: f64| format!("{:>11.4}", ns / 1e6);
    let values = [of.mean_ns, of.sd_ns, of.p99_ns as f64, of.p999_ns as f64, of.max_ns as f64].map(ms);
    format!("{name:<12}{:>9}{}\n", of.n, values.concat())
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Hardware => "the port",
        Source::Kernel => "the kernel",
        Source::User => "the program",
    }
}

fn doubts(stepped: bool) -> String {
    match stepped {
        true => {
            "the wall clock was set meanwhile: what rests on the kernel's stamps says nothing\n".to_owned()
        }
        false => String::new(),
    }
}

impl From<PairError> for Failure {
    fn from(error: PairError) -> Failure {
        let code = match error {
            PairError::Start { .. } => ExitCode::NotPossible,
            PairError::Interrupted => ExitCode::Interrupted,
            PairError::End { .. } | PairError::Here { .. } => ExitCode::Failed,
        };
        Failure::new(code, error)
    }
}
