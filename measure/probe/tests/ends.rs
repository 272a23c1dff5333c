//! Both ends as programs, over loopback: what is sent, told and refused. How long it takes is nobody's claim here.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, ChildStdout, Command, Stdio};

use tokkyu_probe::line::{Answered, Line, Loaded, Received, RoundTrips, Sent};

const SESSION: [&str; 2] = ["--session", "5e55"];

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu-probe"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An end that runs, and what it says.
struct End {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl End {
    fn start(arguments: &[&str]) -> End {
        let mut child = program(arguments).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        End { child, lines }
    }

    fn next(&mut self) -> Line {
        let Some(text) = self.lines.next().transpose().unwrap() else {
            let mut why = String::new();
            self.child.stderr.take().unwrap().read_to_string(&mut why).unwrap();
            panic!("the program says no more: {why}")
        };
        Line::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    fn listens_at(&mut self) -> String {
        match self.next() {
            Line::Ready(ready) => ready.at.unwrap().to_string(),
            Line::Listening { at } => at.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// What it says between `ready` and `done`.
    fn said(mut self) -> Line {
        let said = self.next();
        assert_eq!(self.next(), Line::Done {});
        assert!(self.child.wait().unwrap().success());
        said
    }
}

/// A program that ends by itself, and says `ready` first.
fn run(arguments: &[&str]) -> Line {
    let mut end = End::start(arguments);
    assert!(matches!(end.next(), Line::Ready(_)));
    end.said()
}

fn send(to: &str, more: &[&str]) -> Sent {
    let arguments =
        [&["send", to, "--period-us", "500", "--count", "40", "--edge", "2"], &SESSION[..], more].concat();
    match run(&arguments) {
        Line::Sent(sent) => sent,
        other => panic!("{other:?}"),
    }
}

fn receiver(count: &str, edge: &str, more: &[&str]) -> End {
    let arguments = ["receive", "127.0.0.1:0", "--period-us", "500", "--count", count, "--edge", edge];
    End::start(&[&arguments[..], &SESSION, more].concat())
}

fn received(end: End) -> Received {
    match end.said() {
        Line::Received(received) => received,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_series_arrives_and_both_ends_count_the_same() {
    let mut receiver = receiver("40", "2", &[]);
    let to = receiver.listens_at();
    let sent = send(&to, &[]);
    let received = received(receiver);
    assert_eq!((sent.count, sent.refused.len()), (40, 0));
    // Without two at each end; an interval needs its neighbour.
    assert_eq!((sent.wake.n, sent.call.n, sent.to_driver.n), (36, 36, 36));
    assert!(sent.wake.min_ns >= 0 && sent.to_driver.min_ns > 0, "{sent:?}");
    assert_eq!((received.lost, received.repeated, received.reordered), (0, 0, 0));
    assert_eq!((received.interval.n, received.up.n), (36, 40));
    // Half a millisecond was asked for; a busy machine makes it more.
    assert!(received.interval.mean_ns > 250_000.0, "{received:?}");
    // The sender's first word, which makes the neighbour known.
    assert_eq!(received.strange, 1);
}

#[test]
fn what_is_lost_repeated_or_strange_is_counted() {
    let mut receiver = receiver("6", "0", &["--patience-ms", "300", "--stamps", "user"]);
    let to: SocketAddr = receiver.listens_at().parse().unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let datagram = |session: u64, sequence: u32, kind: u8| {
        let mut payload =
            [session.to_be_bytes().as_slice(), &sequence.to_be_bytes(), &[kind, 0, 0, 0]].concat();
        payload.resize(40, 0);
        socket.send_to(&payload, to).unwrap();
    };
    [0, 1, 4, 3, 3].into_iter().for_each(|sequence| datagram(0x5e55, sequence, 0));
    datagram(0x5e56, 2, 0);
    datagram(0x5e55, 2, 1);
    datagram(0x5e55, 6, 0);
    let received = received(receiver);
    assert_eq!((received.lost, received.repeated, received.reordered, received.strange), (2, 1, 1, 3));
    // 0 to 1 and 3 to 4 are neighbours.
    assert_eq!((received.interval.n, received.up.n), (2, 0));
}

#[test]
fn requests_are_answered_and_fall_into_legs() {
    // Of these nothing need be waited for: a patience without end.
    let mut far = End::start(
        &[&["answer", "127.0.0.1:0", "--count", "30", "--patience-ms", "3600000"], &SESSION[..]].concat(),
    );
    let to = far.listens_at();
    let near = run(&[&["request", &to, "--count", "30", "--edge", "5"], &SESSION[..]].concat());
    let (Line::RoundTrips(trips), Line::Answered(answered)) = (near, far.said()) else {
        panic!("other lines")
    };
    let RoundTrips { lost, late, strange, rtt, out, far, back, wires, .. } = trips;
    assert_eq!((lost, late, strange), (0, 0, 0));
    assert_eq!([&rtt, &out, &far, &back, &wires].map(|leg| leg.n), [20; 5]);
    let legs: f64 = [&out, &far, &back, &wires].iter().map(|leg| leg.mean_ns).sum();
    assert!((legs - rtt.mean_ns).abs() < 1.0, "{legs} of {}", rtt.mean_ns);
    let Answered { count, residence, .. } = answered;
    assert_eq!((count, residence.n), (30, 30));
}

#[test]
fn requests_nobody_answers_are_lost() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = silent.local_addr().unwrap().to_string();
    let near = run(
        &[&["request", &to, "--count", "3", "--edge", "0", "--patience-ms", "20"], &SESSION[..]].concat()
    );
    let Line::RoundTrips(trips) = near else { panic!("{near:?}") };
    assert_eq!((trips.lost, trips.rtt.n), (3, 0));
}

#[test]
fn bulk_moves_both_ways_and_strangers_are_sent_away() {
    let serve = ["load", "serve", "127.0.0.1:0", "--from", "127.0.0.1"];
    let mut far = End::start(&[&serve[..], &SESSION].concat());
    let to = far.listens_at();
    let flow = |direction: &str, session: &str| -> Loaded {
        let end = End::start(&["load", "flow", direction, &to, "--seconds", "0.3", "--session", session]);
        match end.said() {
            Line::Loaded(loaded) => loaded,
            other => panic!("{other:?}"),
        }
    };
    for direction in ["give", "take"] {
        let moved = flow(direction, "5e55");
        assert!(moved.bytes > 0 && moved.tenths.iter().sum::<u64>() == moved.bytes, "{moved:?}");
    }
    assert_eq!(flow("take", "5e56").bytes, 0);
    far.child.kill().unwrap();
    far.child.wait().unwrap();
}

#[test]
fn raw_samples_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sent.csv");
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    send(&silent.local_addr().unwrap().to_string(), &["--raw", &path.display().to_string()]);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequence,due_ns,woken_ns,returned_ns,driver_ns,port_ns"));
    let last: Vec<i64> = lines.last().unwrap().split(',').map(|field| field.parse().unwrap()).collect();
    assert_eq!((last[0], last[5]), (39, 0), "loopback has no clock of its own");
    assert!(last[1] <= last[2] && last[2] <= last[3], "{last:?}");
}

/// Arguments, exit code, and what is said.
const REFUSED: [(&[&str], i32, &str); 6] = [
    (&["send", "127.0.0.1:9", "--session", "x"], 2, "hexadecimal"),
    (&["send", "127.0.0.1:9", "--session", "1", "--bytes", "64"], 2, "66"),
    (&["send", "127.0.0.1:9", "--session", "1", "--count", "20"], 2, "nothing would count"),
    (&["send", "127.0.0.1:9", "--session", "1", "--priority", "99"], 2, "99"),
    (&["send", "[::1]:9", "--session", "1", "--by", "bypass"], 3, "IPv4"),
    (&["receive", "192.0.2.1:7000", "--session", "1"], 1, "192.0.2.1:7000"),
];

#[test]
fn what_cannot_be_is_refused_with_a_word() {
    for (arguments, code, word) in REFUSED {
        let output = program(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("done"), "{arguments:?}");
    }
}
