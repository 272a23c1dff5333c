//! The command line, and how a probe ends (PRB-3).

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::error::{ProbeError, failed};
use crate::line::{Line, say};
use crate::load::Direction;
use crate::realtime::{self, Wanted};
use crate::request::Pause;
use crate::send::By;
use crate::series::Edges;
use crate::stamp::Source;
use crate::{answer, counters, load, receive, request, send};

/// Measures a kernel's Ethernet path from one end; the other end runs the same program.
///
/// Standard output is JSON, a line each, and ends with {"done":{}}. Frame sizes are without the check sequence. Exit codes: 0 done, 1 failed,
/// 2 usage, 3 not permitted or not possible here.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  tokkyu-probe receive 192.168.7.2:7000 --session 1f --count 10000\n  tokkyu-probe send 192.168.7.2:7000 --session 1f --count 10000 --priority 10\n  tokkyu-probe counters eth0"
)]
struct Program {
    #[command(subcommand)]
    role: Role,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Send a series by the clock
    Send(SendArgs),
    /// Receive a series, and tell how regularly it came
    Receive(ReceiveArgs),
    /// Ask, and tell how long answers take and where
    Request(RequestArgs),
    /// Answer requests
    Answer(AnswerArgs),
    /// Bulk TCP that is in the way
    Load(LoadArgs),
    /// Who has done what so far: softirqs, threads of the kernel, the device
    Counters {
        /// Device
        device: String,
    },
}

#[derive(Debug, Args)]
struct SessionArgs {
    /// The same at both ends; what is of another session is ignored
    #[arg(long, value_name = "HEX", value_parser = session)]
    session: u64,
}

#[derive(Debug, Args)]
struct SeriesArgs {
    /// How many
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    count: u32,
    /// So many at each end of the run do not count
    #[arg(long, default_value_t = 10)]
    edge: u32,
    /// Keep every sample in this file, as CSV
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct RealtimeArgs {
    /// SCHED_FIFO of this priority; 0: scheduled as it is started
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=98))]
    priority: u8,
    /// Only on this processor
    #[arg(long)]
    cpu: Option<usize>,
}

#[derive(Debug, Args)]
struct SendArgs {
    to: SocketAddr,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    series: SeriesArgs,
    #[command(flatten)]
    realtime: RealtimeArgs,
    /// Between two
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..))]
    period_us: u32,
    /// Of the frame
    #[arg(long, default_value_t = 122)]
    bytes: usize,
    /// How frames get to the device
    #[arg(long, value_enum, default_value_t = By::Udp)]
    by: By,
    /// SO_PRIORITY
    #[arg(long)]
    skb_priority: Option<i32>,
    /// Give each to the kernel so long before it is due (SO_TXTIME, for the queueing discipline etf)
    #[arg(long, value_name = "US")]
    txtime_lead_us: Option<u32>,
    /// Ask for the port's own stamps
    #[arg(long)]
    hardware: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stamps {
    Hardware,
    Kernel,
    User,
}

#[derive(Debug, Args)]
struct ReceiveArgs {
    at: SocketAddr,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    series: SeriesArgs,
    #[command(flatten)]
    realtime: RealtimeArgs,
    /// Between two
    #[arg(long, default_value_t = 10_000)]
    period_us: u32,
    /// Whose stamps
    #[arg(long, value_enum, default_value_t = Stamps::Kernel)]
    stamps: Stamps,
    /// Ends when nothing has come for so long
    #[arg(long, default_value_t = 5_000)]
    patience_ms: u64,
}

#[derive(Debug, Args)]
struct RequestArgs {
    to: SocketAddr,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    series: SeriesArgs,
    #[command(flatten)]
    realtime: RealtimeArgs,
    /// Between an answer and the next request
    #[arg(long, default_value_t = 0)]
    pause_us: u32,
    /// Each pause is longer by another part of this, evenly spread: requests that follow the traffic beside them in step would meet it at the same point each time
    #[arg(long, default_value_t = 0)]
    pause_spread_us: u32,
    /// An answer that takes longer is late
    #[arg(long, default_value_t = 1_000)]
    patience_ms: u64,
    /// Of the frame
    #[arg(long, default_value_t = 122)]
    bytes: usize,
    /// SO_PRIORITY
    #[arg(long)]
    skb_priority: Option<i32>,
}

#[derive(Debug, Args)]
struct AnswerArgs {
    at: SocketAddr,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    realtime: RealtimeArgs,
    /// Ends after so many answers
    #[arg(long)]
    count: Option<u32>,
    /// Ends when nothing has come for so long
    #[arg(long, default_value_t = 5_000)]
    patience_ms: u64,
    /// SO_PRIORITY
    #[arg(long)]
    skb_priority: Option<i32>,
}

#[derive(Debug, Args)]
struct LoadArgs {
    #[command(subcommand)]
    role: LoadRole,
}

#[derive(Debug, Subcommand)]
enum LoadRole {
    /// Move bytes to or from an end that serves
    Flow {
        /// To it, or from it
        #[arg(value_enum)]
        direction: Direction,
        to: SocketAddr,
        #[command(flatten)]
        session: SessionArgs,
        /// From the connection on
        #[arg(long, default_value_t = 10.0)]
        seconds: f64,
        /// SO_PRIORITY
        #[arg(long)]
        skb_priority: Option<i32>,
        /// SO_MAX_PACING_RATE, in bytes a second
        #[arg(long)]
        pacing: Option<u32>,
        /// SO_RCVBUF, which bounds the window
        #[arg(long)]
        window: Option<usize>,
        /// Only on this processor
        #[arg(long)]
        cpu: Option<usize>,
    },
    /// The other end, until it is ended
    Serve {
        at: SocketAddr,
        #[command(flatten)]
        session: SessionArgs,
        /// Whose connections are taken
        #[arg(long, value_name = "ADDRESS")]
        from: IpAddr,
        /// Only on this processor
        #[arg(long)]
        cpu: Option<usize>,
        /// End when standard input does
        #[arg(long)]
        until_input_ends: bool,
    },
}

fn session(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|_| format!("{text}: not 1 to 16 hexadecimal digits"))
}

impl SeriesArgs {
    fn edges(&self) -> Result<Edges, ProbeError> {
        if self.edge.saturating_mul(2) >= self.count {
            let words = format!("--edge {}: of --count {} nothing would count", self.edge, self.count);
            return Err(ProbeError::Usage(words));
        }
        Ok(Edges { count: self.count, edge: self.edge })
    }
}

impl RealtimeArgs {
    fn wanted(&self) -> Wanted {
        Wanted { priority: self.priority, cpu: self.cpu }
    }
}

/// Runs a role to its end; `arguments` begin with the program's name.
pub fn run(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let program = match Program::try_parse_from(arguments) {
        Ok(program) => program,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let ended = act(program.role).and_then(|()| say(&Line::Done {}).map_err(failed("output")));
    let Err(error) = ended else { return ExitCode::SUCCESS };
    eprintln!("tokkyu-probe: {error}");
    ExitCode::from(match error {
        ProbeError::Failed { .. } => 1,
        ProbeError::Usage(_) => 2,
        ProbeError::NotPossible(_) => 3,
    })
}

fn act(role: Role) -> Result<(), ProbeError> {
    match role {
        Role::Send(args) => send::run(&args.job()?),
        Role::Receive(args) => receive::run(&args.job()?),
        Role::Request(args) => request::run(&args.job()?),
        Role::Answer(args) => answer::run(&args.job()),
        Role::Load(LoadArgs { role }) => act_load(role),
        Role::Counters { device } => {
            say(&Line::Counters(counters::snapshot(&device))).map_err(failed("output"))
        }
    }
}

fn act_load(role: LoadRole) -> Result<(), ProbeError> {
    match role {
        LoadRole::Flow { direction, to, session, seconds, skb_priority, pacing, window, cpu } => {
            cpu.map_or(Ok(()), realtime::pin)?;
            load::run(&load::Job {
                to,
                session: session.session,
                direction,
                seconds,
                skb_priority,
                pacing_bytes_s: pacing,
                window_bytes: window,
            })
        }
        LoadRole::Serve { at, session, from, cpu, until_input_ends } => {
            cpu.map_or(Ok(()), realtime::pin)?;
            if until_input_ends {
                load::end_with_input();
            }
            load::serve(at, from, session.session)
        }
    }
}

fn us(us: u32) -> i64 {
    i64::from(us) * 1_000
}

impl SendArgs {
    fn job(self) -> Result<send::Job, ProbeError> {
        Ok(send::Job {
            to: self.to,
            session: self.session.session,
            series: self.series.edges()?,
            period_ns: us(self.period_us),
            frame_bytes: self.bytes,
            by: self.by,
            skb_priority: self.skb_priority,
            txtime_lead_ns: self.txtime_lead_us.map(us),
            hardware: self.hardware,
            wanted: self.realtime.wanted(),
            raw: self.series.raw,
        })
    }
}

impl ReceiveArgs {
    fn job(self) -> Result<receive::Job, ProbeError> {
        Ok(receive::Job {
            at: self.at,
            session: self.session.session,
            series: self.series.edges()?,
            period_ns: us(self.period_us),
            patience: Duration::from_millis(self.patience_ms),
            source: match self.stamps {
                Stamps::Hardware => Source::Hardware,
                Stamps::Kernel => Source::Kernel,
                Stamps::User => Source::User,
            },
            wanted: self.realtime.wanted(),
            raw: self.series.raw,
        })
    }
}

impl RequestArgs {
    fn job(self) -> Result<request::Job, ProbeError> {
        Ok(request::Job {
            to: self.to,
            session: self.session.session,
            series: self.series.edges()?,
            pause: Pause { least_ns: us(self.pause_us), spread_ns: us(self.pause_spread_us) },
            patience: Duration::from_millis(self.patience_ms),
            frame_bytes: self.bytes,
            skb_priority: self.skb_priority,
            wanted: self.realtime.wanted(),
            raw: self.series.raw,
        })
    }
}

impl AnswerArgs {
    fn job(self) -> answer::Job {
        answer::Job {
            at: self.at,
            session: self.session.session,
            count: self.count,
            patience: Duration::from_millis(self.patience_ms),
            skb_priority: self.skb_priority,
            wanted: self.realtime.wanted(),
        }
    }
}
