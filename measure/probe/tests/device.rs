//! The ways around the network stack, over a pair of devices in a namespace made here.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use tokkyu_probe::line::{Line, Received, Sent};

const PROBE: &str = env!("CARGO_BIN_EXE_tokkyu-probe");

/// A namespace with one end of a pair of devices; the other end is ours.
struct Far {
    name: String,
}

fn ip(line: &str) -> Result<(), String> {
    let output = Command::new("ip").args(line.split(' ')).output().map_err(|error| format!("ip: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("ip {line}: {said}")) }
}

impl Far {
    fn make() -> Result<Far, String> {
        let name = format!("probe{}", std::process::id());
        ip(&format!("netns add {name}"))?;
        let far = Far { name };
        let name = &far.name;
        ip(&format!("link add {name}a type veth peer name {name}b netns {name}"))?;
        ip(&format!("addr add 10.213.77.1/30 dev {name}a"))?;
        ip(&format!("link set {name}a up"))?;
        ip(&format!("-n {name} addr add 10.213.77.2/30 dev {name}b"))?;
        ip(&format!("-n {name} link set {name}b up"))?;
        Ok(far)
    }

    fn receiver(&self) -> (Child, std::io::Lines<BufReader<ChildStdout>>) {
        let arguments = [
            "netns",
            "exec",
            &self.name,
            PROBE,
            "receive",
            "10.213.77.2:0",
            "--session",
            "a",
            "--count",
            "40",
        ];
        let mut command = Command::new("ip");
        let mut child =
            command.args(arguments).args(["--period-us", "500"]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        (child, lines)
    }
}

impl Drop for Far {
    /// The pair goes with it.
    fn drop(&mut self) {
        let _ = ip(&format!("netns del {}", self.name));
    }
}

fn line(text: &str) -> Line {
    Line::from_json(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn both_ends(far: &Far, by: &str) -> (Sent, Received) {
    let (mut child, mut lines) = far.receiver();
    let Line::Ready(ready) = line(&lines.next().unwrap().unwrap()) else { panic!("not ready") };
    let to = ready.at.unwrap().to_string();
    let arguments = ["send", &to, "--session", "a", "--count", "40", "--period-us", "500", "--by", by];
    let output = Command::new(PROBE).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{by}: {}", String::from_utf8_lossy(&output.stderr));
    let sent =
        said.lines().map(line).find_map(|line| if let Line::Sent(sent) = line { Some(sent) } else { None });
    let received = match line(&lines.next().unwrap().unwrap()) {
        Line::Received(received) => received,
        other => panic!("{other:?}"),
    };
    assert!(child.wait().unwrap().success());
    (sent.unwrap(), received)
}

#[test]
fn every_way_to_the_device_sends_the_same() {
    let far = match Far::make() {
        Ok(far) => far,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    for by in ["udp", "packet", "bypass"] {
        let (sent, received) = both_ends(&far, by);
        assert_eq!((sent.refused.len(), received.lost, received.repeated), (0, 0, 0), "{by}");
        assert_eq!((received.strange, received.interval.n), (1, 20), "{by}");
        assert_eq!(sent.to_driver.n, 20, "{by}: the device says when it was given each");
    }
}
