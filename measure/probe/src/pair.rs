//! Both ends of a measurement, started from one place (PRB-40 to PRB-43).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::counters::Counters;
use crate::line::{Answered, Line, Ready, Received, RoundTrips, Sent};

/// Between two looks at whether the caller wants an end.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Beyond the time that a series takes.
const GRACE: Duration = Duration::from_secs(30);
/// Bulk traffic is past slow start, and its queue is as it will be.
const WARM_UP: Duration = Duration::from_secs(2);
/// Longer than anything that is measured beside it.
const LOAD_SECONDS: u32 = 100_000;

/// Where both ends are.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The program here, with the words that make it a probe.
    pub near: Vec<String>,
    /// The same there, behind the command that reaches it.
    pub far: Vec<String>,
    /// The far end's address, of the network that is measured.
    pub to: IpAddr,
    /// The near end's device, for its counters.
    pub device: String,
}

/// Bulk traffic beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// None.
    Nothing,
    /// From the near end.
    Sending,
    /// To the near end.
    Receiving,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Series {
    /// How many frames or requests.
    pub count: u32,
    /// Time of one, about: how long it may take follows from it.
    pub each: Duration,
    /// Arguments of the end that receives or answers, behind address and session.
    pub far: Vec<String>,
    /// Arguments of the end that sends or asks.
    pub near: Vec<String>,
}

/// How regularly frames came.
#[derive(Clone, Debug)]
pub struct Jitter {
    /// What both ends reached.
    pub ready: [Ready; 2],
    /// The near end's.
    pub sent: Sent,
    /// The far end's.
    pub received: Received,
    /// Before and after.
    pub counters: [Counters; 2],
}

/// How soon answers came.
#[derive(Clone, Debug)]
pub struct RoundTripsSeen {
    /// What both ends reached.
    pub ready: [Ready; 2],
    /// The near end's.
    pub asked: RoundTrips,
    /// The far end's.
    pub answered: Answered,
    /// Before and after.
    pub counters: [Counters; 2],
}

/// Why it was not measured.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// An end could not be started.
    #[error("{command}: {source}; is the program there, and the way to it?")]
    Start {
        /// Its command.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// An end did not do its part.
    #[error("{command}: {why}")]
    End {
        /// Its command.
        command: String,
        /// What it said, or what is missing.
        why: String,
    },
    /// The caller wanted the end.
    #[error("interrupted")]
    Interrupted,
    /// The system refused something here.
    #[error("{what}: {source}")]
    Here {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// An end that runs. It is gone when this is.
struct End {
    child: Child,
    command: String,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl Drop for End {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl End {
    fn start(program: &[String], arguments: &[String]) -> Result<End, PairError> {
        let all = [program, arguments].concat();
        let command = all.join(" ");
        let failed = |source| PairError::Start { command: command.clone(), source };
        let (name, rest) = all.split_first().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        // Its input stays open for as long as it is wanted.
        let mut child = Command::new(name)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let lines = read_lines(child.stdout.take());
        let errors = read_lines(child.stderr.take());
        Ok(End { child, command, lines, errors })
    }

    /// The next line, which must come within this time.
    fn next(&mut self, within: Duration, stop: &dyn Fn() -> bool) -> Result<Line, PairError> {
        let overdue = Instant::now() + within;
        loop {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(text) => {
                    return Line::from_json(&text).map_err(|_| {
                        self.failed(&format!("it said {text:?}, which no probe of this version says"))
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.failed("it ended before it was done")),
                Err(RecvTimeoutError::Timeout) if stop() => return Err(PairError::Interrupted),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= overdue => {
                    return Err(self.failed(&format!("it said nothing for {} s", within.as_secs())));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Its own words say more than ours.
    fn failed(&mut self, why: &str) -> PairError {
        let words: Vec<String> =
            std::iter::from_fn(|| self.errors.recv_timeout(LOOK_EVERY).ok()).take(5).collect();
        let why = if words.is_empty() { why.to_owned() } else { words.join("; ") };
        PairError::End { command: self.command.clone(), why }
    }

    fn ready(&mut self, stop: &dyn Fn() -> bool) -> Result<Ready, PairError> {
        match self.next(GRACE, stop)? {
            Line::Ready(ready) => Ok(ready),
            other => Err(self.failed(&format!("it said {} before it was ready", other.to_json()))),
        }
    }

    /// What it says before it is done.
    fn told(&mut self, within: Duration, stop: &dyn Fn() -> bool) -> Result<Line, PairError> {
        let told = self.next(within, stop)?;
        match self.next(GRACE, stop)? {
            Line::Done {} => Ok(told),
            other => Err(self.failed(&format!("it said {} in place of being done", other.to_json()))),
        }
    }
}

fn read_lines(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (to, lines) = channel();
    if let Some(from) = from {
        // Ends with the program, whose output it is.
        thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if to.send(line).is_err() {
                    return;
                }
            }
        });
    }
    lines
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

fn session() -> Result<String, PairError> {
    let mut bytes = [0; 8];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|source| PairError::Here { what: "/dev/urandom", source })?;
    Ok(format!("{:x}", u64::from_be_bytes(bytes)))
}

impl Ends {
    /// Frames by the clock, from here to there.
    ///
    /// # Errors
    /// PRB-42.
    pub fn jitter(
        &self,
        series: &Series,
        beside: Beside,
        stop: &dyn Fn() -> bool,
    ) -> Result<Jitter, PairError> {
        let load = self.begin(beside, stop)?;
        let (session, within) = (session()?, series.each * series.count + GRACE);
        let mut receiver = self.listener("receive", &session, &series.far)?;
        let far_ready = receiver.ready(stop)?;
        let before = self.counters(stop)?;
        let (near_ready, told) = self.near("send", &session, &far_ready, series, within, stop)?;
        let after = self.counters(stop)?;
        let received = receiver.told(within, stop)?;
        drop(load);
        match (told, received) {
            (Line::Sent(sent), Line::Received(received)) => {
                Ok(Jitter { ready: [near_ready, far_ready], sent, received, counters: [before, after] })
            }
            _ => Err(receiver.failed("the ends told of something else")),
        }
    }

    /// Requests, and their answers.
    ///
    /// # Errors
    /// PRB-42.
    pub fn round_trips(
        &self,
        series: &Series,
        beside: Beside,
        stop: &dyn Fn() -> bool,
    ) -> Result<RoundTripsSeen, PairError> {
        let load = self.begin(beside, stop)?;
        let (session, within) = (session()?, series.each * series.count + GRACE);
        let mut answerer = self.listener("answer", &session, &series.far)?;
        let far_ready = answerer.ready(stop)?;
        let before = self.counters(stop)?;
        let (near_ready, told) = self.near("request", &session, &far_ready, series, within, stop)?;
        let after = self.counters(stop)?;
        let answered = answerer.told(within, stop)?;
        drop(load);
        match (told, answered) {
            (Line::RoundTrips(asked), Line::Answered(answered)) => Ok(RoundTripsSeen {
                ready: [near_ready, far_ready],
                asked,
                answered,
                counters: [before, after],
            }),
            _ => Err(answerer.failed("the ends told of something else")),
        }
    }

    fn listener(&self, role: &str, session: &str, more: &[String]) -> Result<End, PairError> {
        let at = SocketAddr::new(self.to, 0).to_string();
        End::start(&self.far, &[words(&[role, &at, "--session", session]), more.to_vec()].concat())
    }

    fn near(
        &self,
        role: &str,
        session: &str,
        far: &Ready,
        series: &Series,
        within: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Ready, Line), PairError> {
        let to = far.at.unwrap_or(SocketAddr::new(self.to, 0)).to_string();
        let arguments = [words(&[role, &to, "--session", session]), series.near.clone()].concat();
        let mut end = End::start(&self.near, &arguments)?;
        let ready = end.ready(stop)?;
        Ok((ready, end.told(within, stop)?))
    }

    fn counters(&self, stop: &dyn Fn() -> bool) -> Result<Counters, PairError> {
        let mut end = End::start(&self.near, &words(&["counters", &self.device]))?;
        match end.told(GRACE, stop)? {
            Line::Counters(counters) => Ok(counters),
            other => Err(end.failed(&format!("it said {}", other.to_json()))),
        }
    }

    /// Bulk traffic, which ends when what this gives is dropped: first the flow, then its server.
    fn begin(&self, beside: Beside, stop: &dyn Fn() -> bool) -> Result<Vec<End>, PairError> {
        let direction = match beside {
            Beside::Nothing => return Ok(Vec::new()),
            Beside::Sending => "give",
            Beside::Receiving => "take",
        };
        let (session, from) = (session()?, self.near_address()?.to_string());
        let at = SocketAddr::new(self.to, 0).to_string();
        let serve = ["load", "serve", &at, "--session", &session, "--from", &from, "--until-input-ends"];
        let mut server = End::start(&self.far, &words(&serve))?;
        let Line::Listening { at } = server.next(GRACE, stop)? else {
            return Err(server.failed("it does not say where it listens"));
        };
        let (to, seconds) = (at.to_string(), LOAD_SECONDS.to_string());
        let flow = ["load", "flow", direction, &to, "--session", &session, "--seconds", &seconds];
        let mut flow = End::start(&self.near, &words(&flow))?;
        let warm = Instant::now() + WARM_UP;
        while Instant::now() < warm {
            if stop() {
                return Err(PairError::Interrupted);
            }
            match flow.lines.recv_timeout(LOOK_EVERY) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return Err(flow.failed("bulk traffic ended at once")),
            }
        }
        Ok(vec![flow, server])
    }

    /// Of the way to the far end.
    fn near_address(&self) -> Result<IpAddr, PairError> {
        let any: IpAddr = match self.to {
            IpAddr::V4(_) => [0; 4].into(),
            IpAddr::V6(_) => [0_u16; 8].into(),
        };
        let found = UdpSocket::bind((any, 0)).and_then(|socket| {
            socket.connect((self.to, 9))?;
            Ok(socket.local_addr()?.ip())
        });
        found.map_err(|source| PairError::Here { what: "the way to the far end", source })
    }
}
