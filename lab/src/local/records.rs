//! Records of a peer's program (LOCAL-30), and of the publisher that overloads. A file that is not as promised is refused with its line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use tokkyu_measure::Figures;

use super::spikes::Spikes;

/// What a file says of its samples.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// ns from the first time to the second, of samples that have both.
    pub figures: Figures,
    /// Those that were sent and have no second time.
    pub lost: u64,
    /// Those that took far longer than the others of the same file.
    pub spikes: Spikes,
}

impl Times {
    /// Lines in the file.
    pub fn published(&self) -> u64 {
        self.figures.n() + self.lost
    }

    /// Adds what `other` has; spikes stay those of one file.
    pub fn merge(&mut self, other: &Times) {
        self.figures.merge(&other.figures);
        self.lost += other.lost;
    }
}

/// Why a file is refused.
#[derive(Debug, thiserror::Error)]
#[error("{}, line {line}: {what}", path.display())]
pub struct Malformed {
    /// Which.
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// What is wrong there, and what could stand there.
    pub what: String,
}

/// Longest line that can be right: three numbers of 64 bits.
const LINE_BYTES: u64 = 64;

/// Reads records of samples that were sent and received; 0 received: lost.
///
/// # Errors
/// [`Malformed`], also where the file cannot be read.
pub fn times(path: &Path) -> Result<Times, Malformed> {
    read(path, ["sequence", "sent_ns", "received_ns"])
}

/// Reads records of calls that began and returned.
///
/// # Errors
/// [`Malformed`], also where the file cannot be read, or a call did not return.
pub fn overload_times(path: &Path) -> Result<Times, Malformed> {
    let times = read(path, ["sequence", "began_ns", "returned_ns"])?;
    match times.lost {
        0 => Ok(times),
        lost => {
            let what = format!("{lost} calls without returned_ns; each has returned");
            Err(Malformed { path: path.to_path_buf(), line: 2, what })
        }
    }
}

fn read(path: &Path, names: [&str; 3]) -> Result<Times, Malformed> {
    let malformed = |line, what: String| Malformed { path: path.to_path_buf(), line, what };
    let file = File::open(path).map_err(|error| malformed(0, error.to_string()))?;
    let mut lines = Lines { input: BufReader::new(file) };
    let header = lines.next().map_err(|what| malformed(1, what))?;
    if header.as_deref() != Some(&names.join(" ")) {
        return Err(malformed(1, format!("not {:?}", names.join(" "))));
    }
    let (mut times, mut in_order, mut next) = (Times::default(), Vec::new(), 0);
    let mut number = 1;
    while let Some(line) = lines.next().map_err(|what| malformed(number + 1, what))? {
        number += 1;
        let [sequence, first_ns, second_ns] =
            numbers(&line, names).map_err(|what| malformed(number, what))?;
        if sequence < next {
            return Err(malformed(
                number,
                format!("sequence {sequence}: comes twice or out of order; {next} or more"),
            ));
        }
        next = sequence + 1;
        match second_ns {
            0 => {
                times.lost += 1;
                in_order.push(None);
            }
            _ => {
                let [_, first, second] = names;
                let before = || format!("{second} {second_ns}: before {first} {first_ns}; later, or 0");
                let time_ns = second_ns.checked_sub(first_ns).ok_or_else(|| malformed(number, before()))?;
                times.figures.record(time_ns);
                in_order.push(Some(time_ns));
            }
        }
    }
    times.spikes = Spikes::of(&in_order);
    Ok(times)
}

fn numbers(line: &str, names: [&str; 3]) -> Result<[u64; 3], String> {
    let mut words = line.split(' ');
    let mut numbers = [0; 3];
    for (number, name) in numbers.iter_mut().zip(names) {
        let word = words.next().unwrap_or_default();
        let is_plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let read = if is_plain { word.parse().ok() } else { None };
        *number = read.ok_or_else(|| format!("{name} {word:?}: not a decimal number"))?;
    }
    if numbers[0] > u64::from(u32::MAX) {
        return Err(format!("{} {}: 0 to {}", names[0], numbers[0], u32::MAX));
    }
    match words.next() {
        None => Ok(numbers),
        Some(rest) => Err(format!("{rest:?} behind three numbers with one space between")),
    }
}

/// Lines of bounded length, each of which ends.
struct Lines {
    input: BufReader<File>,
}

impl Lines {
    fn next(&mut self) -> Result<Option<String>, String> {
        let mut line = Vec::new();
        let mut bounded = std::io::Read::take(&mut self.input, LINE_BYTES + 1);
        let count = bounded.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        match line.pop() {
            None => Ok(None),
            Some(b'\n') => String::from_utf8(line).map(Some).map_err(|_| "not text".to_owned()),
            Some(_) if count as u64 > LINE_BYTES => Err(format!("longer than {LINE_BYTES} bytes")),
            Some(_) => Err("does not end with a line feed: the file was cut off".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Times, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        std::fs::write(&path, text).unwrap();
        times(&path).map_err(|error| error.to_string())
    }

    const HEADER: &str = "sequence sent_ns received_ns\n";

    #[test]
    fn latencies_are_read_and_lost_samples_counted() {
        let times = of(&format!("{HEADER}0 1000 41000\n1 2000 0\n3 5000 7000\n")).unwrap();
        assert_eq!((times.published(), times.lost, times.figures.n()), (3, 1, 2));
        assert_eq!(times.figures.worst_ms(), Some(0.04));
        assert_eq!(times.figures.best_ms(), Some(0.002));
        assert_eq!(of(HEADER).unwrap().published(), 0);
    }

    #[test]
    fn a_malformed_file_is_refused_with_its_line() {
        let wrong = [
            ("", "line 1:"),
            ("sequence sent received\n", "line 1:"),
            ("sequence sent_ns received_ns", "line 1:"),
            ("sequence sent_ns received_ns\n0 1 2\n1 3\n", "line 3: received_ns"),
            ("sequence sent_ns received_ns\n0 1 2 3\n", "line 2:"),
            ("sequence sent_ns received_ns\n0  1 2\n", "line 2: sent_ns"),
            ("sequence sent_ns received_ns\n0 +1 2\n", "line 2: sent_ns"),
            ("sequence sent_ns received_ns\n0 1 1e3\n", "line 2: received_ns"),
            ("sequence sent_ns received_ns\n0 5 4\n", "line 2: received_ns 4"),
            ("sequence sent_ns received_ns\n1 1 2\n1 3 4\n", "line 3: sequence 1"),
            ("sequence sent_ns received_ns\n4294967296 1 2\n", "line 2: sequence"),
            ("sequence sent_ns received_ns\n0 1 18446744073709551616\n", "line 2: received_ns"),
            ("sequence sent_ns received_ns\n0 1 2\n\n", "line 3:"),
            ("sequence sent_ns received_ns\n0 1 2\n1 3 4", "line 3: does not end"),
        ];
        for (text, told) in wrong {
            let error = of(text).expect_err(text);
            assert!(error.contains(told), "{text:?}: {error}");
        }
        let long = format!("{HEADER}{}\n", "0".repeat(100));
        assert!(of(&long).unwrap_err().contains("line 2: longer"));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = times(Path::new("/no/such/r")).unwrap_err().to_string();
        assert!(error.contains("/no/such/r"), "{error}");
    }

    #[test]
    fn a_call_that_did_not_return_is_no_record_of_overload() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        std::fs::write(&path, "sequence began_ns returned_ns\n0 100 230\n").unwrap();
        assert_eq!(overload_times(&path).unwrap().figures.n(), 1);
        assert!(times(&path).is_err(), "another kind of records");
        std::fs::write(&path, "sequence began_ns returned_ns\n0 100 0\n").unwrap();
        assert!(overload_times(&path).unwrap_err().to_string().contains("returned_ns"));
    }
}
