//! Records of a peer's program (LOCAL-30), and of the publisher that overloads. A file that is not as promised is refused with its line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokkyu_measure::Figures;

use super::spikes::Spikes;

/// What a file says of its samples.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// ns from the first time to the second, of samples that have both.
    pub figures: Figures,
    /// Those that were sent and have no second time.
    pub lost: u64,
    /// ns from the first time to the return of the call that publishes, where it returned and that was asked for.
    pub calls: Figures,
    /// Those that took far longer than the others of the same file.
    pub spikes: Spikes,
    /// Ticks at which nothing was sent, as the sample before was still under way, or as the publisher was late (LOCAL-12).
    pub left_out: u64,
}

impl Times {
    /// Lines in the file.
    pub fn published(&self) -> u64 {
        self.figures.n() + self.lost
    }

    /// Adds what `other` has; spikes stay those of one file.
    pub fn merge(&mut self, other: &Times) {
        self.figures.merge(&other.figures);
        self.calls.merge(&other.calls);
        self.lost += other.lost;
        self.left_out = self.left_out.saturating_add(other.left_out);
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

/// Longest line that can be right: five numbers, one of 32 and four of 64 bits.
const LINE_BYTES: u64 = 96;

/// What a file says of calls that publish: ns that each took.
#[derive(Clone, Debug, Default)]
pub struct OverloadTimes {
    /// The calls.
    pub calls: Figures,
    /// The least that they could be, beside each of them.
    pub floor: Figures,
}

impl OverloadTimes {
    /// Adds what `other` has.
    pub fn merge(&mut self, other: &OverloadTimes) {
        self.calls.merge(&other.calls);
        self.floor.merge(&other.floor);
    }
}

/// Reads records of samples that were sent and received, one at each tick of `period`; 0 received: lost.
///
/// # Errors
/// [`Malformed`], also where the file cannot be read.
pub fn times(path: &Path, period: Duration) -> Result<Times, Malformed> {
    let (mut times, mut in_order, mut before_ns) = (Times::default(), Vec::new(), None);
    read(path, ["sequence", "sent_ns", "received_ns", "returned_ns"], |row| {
        let (took_ns, call_ns) = (row.span(1, 2)?, row.span(1, 3)?);
        took_ns.iter().for_each(|&took_ns| times.figures.record(took_ns));
        call_ns.iter().for_each(|&call_ns| times.calls.record(call_ns));
        times.lost += u64::from(took_ns.is_none());
        let sent_ns = row.numbers[1];
        let ticks =
            before_ns.replace(sent_ns).map_or(0, |before_ns| ticks_between(before_ns, sent_ns, period));
        times.left_out = times.left_out.saturating_add(ticks);
        in_order.push(took_ns);
        Ok(())
    })?;
    times.spikes = Spikes::of(&in_order);
    Ok(times)
}

/// Ticks between two samples at which there was none.
fn ticks_between(before_ns: u64, after_ns: u64, period: Duration) -> u64 {
    let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
    // A sample is sent a little after its tick.
    let ticks = after_ns.saturating_sub(before_ns).saturating_add(period_ns / 2) / period_ns;
    ticks.saturating_sub(1)
}

/// Reads records of calls that publish, and of the floor beside them.
///
/// # Errors
/// [`Malformed`], also where the file cannot be read, or a call did not return.
pub fn overload_times(path: &Path) -> Result<OverloadTimes, Malformed> {
    let mut times = OverloadTimes::default();
    let names = ["sequence", "began_ns", "returned_ns", "floor_began_ns", "floor_returned_ns"];
    read(path, names, |row| {
        let no_return = |at: usize| format!("{} 0: each call has returned", names[at]);
        times.calls.record(row.span(1, 2)?.ok_or_else(|| no_return(2))?);
        times.floor.record(row.span(3, 4)?.ok_or_else(|| no_return(4))?);
        Ok(())
    })?;
    Ok(times)
}

/// The numbers of a line, by their names.
struct Row<const N: usize> {
    names: [&'static str; N],
    numbers: [u64; N],
}

impl<const N: usize> Row<N> {
    /// From one time to a later one; 0 is no time.
    fn span(&self, from: usize, to: usize) -> Result<Option<u64>, String> {
        let [first_ns, later_ns] = [self.numbers[from], self.numbers[to]];
        let [first, later] = [self.names[from], self.names[to]];
        match later_ns {
            0 => Ok(None),
            _ => later_ns
                .checked_sub(first_ns)
                .map(Some)
                .ok_or_else(|| format!("{later} {later_ns}: before {first} {first_ns}; later, or 0")),
        }
    }
}

/// Gives each line to `take`, in order.
fn read<const N: usize>(
    path: &Path,
    names: [&'static str; N],
    mut take: impl FnMut(Row<N>) -> Result<(), String>,
) -> Result<(), Malformed> {
    let malformed = |line, what: String| Malformed { path: path.to_path_buf(), line, what };
    let file = File::open(path).map_err(|error| malformed(0, error.to_string()))?;
    let mut lines = Lines { input: BufReader::new(file) };
    let header = lines.next().map_err(|what| malformed(1, what))?;
    if header.as_deref() != Some(&names.join(" ")) {
        return Err(malformed(1, format!("not {:?}", names.join(" "))));
    }
    let (mut number, mut next) = (1, 0);
    while let Some(line) = lines.next().map_err(|what| malformed(number + 1, what))? {
        number += 1;
        let numbers = numbers(&line, names).map_err(|what| malformed(number, what))?;
        let sequence = numbers[0];
        if sequence < next {
            let what = format!("sequence {sequence}: comes twice or out of order; {next} or more");
            return Err(malformed(number, what));
        }
        next = sequence + 1;
        take(Row { names, numbers }).map_err(|what| malformed(number, what))?;
    }
    Ok(())
}

fn numbers<const N: usize>(line: &str, names: [&str; N]) -> Result<[u64; N], String> {
    let mut words = line.split(' ');
    let mut numbers = [0; N];
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
        Some(rest) => Err(format!("{rest:?} behind {N} numbers with one space between")),
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
        times(&path, Duration::from_micros(1)).map_err(|error| error.to_string())
    }

    const HEADER: &str = "sequence sent_ns received_ns returned_ns\n";

    #[test]
    fn latencies_are_read_and_lost_samples_counted() {
        let times = of(&format!("{HEADER}0 1000 41000 1300\n1 2000 0 2500\n3 5000 7000 0\n")).unwrap();
        assert_eq!((times.published(), times.lost, times.figures.n()), (3, 1, 2));
        assert_eq!(times.left_out, 2, "at 3000 and 4000 nothing was sent");
        assert_eq!(times.figures.worst_ms(), Some(0.04));
        assert_eq!(times.figures.best_ms(), Some(0.002));
        assert_eq!((times.calls.n(), times.calls.worst_ms()), (2, Some(0.0005)));
        assert_eq!(of(HEADER).unwrap().published(), 0);
    }

    #[test]
    fn a_malformed_file_is_refused_with_its_line() {
        let wrong = [
            ("", "line 1:"),
            ("sequence sent received\n", "line 1:"),
            ("sequence sent_ns received_ns returned_ns", "line 1:"),
            ("sequence sent_ns received_ns returned_ns\n0 1 2 2\n1 3\n", "line 3: received_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 1 2\n", "line 2: returned_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 1 2 3 4\n", "line 2:"),
            ("sequence sent_ns received_ns returned_ns\n0  1 2 3\n", "line 2: sent_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 +1 2 3\n", "line 2: sent_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 1 1e3 3\n", "line 2: received_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 5 4 6\n", "line 2: received_ns 4"),
            ("sequence sent_ns received_ns returned_ns\n0 5 6 4\n", "line 2: returned_ns 4"),
            ("sequence sent_ns received_ns returned_ns\n1 1 2 2\n1 3 4 4\n", "line 3: sequence 1"),
            ("sequence sent_ns received_ns returned_ns\n4294967296 1 2 2\n", "line 2: sequence"),
            ("sequence sent_ns received_ns returned_ns\n0 1 18446744073709551616 2\n", "line 2: received_ns"),
            ("sequence sent_ns received_ns returned_ns\n0 1 2 2\n\n", "line 3:"),
            ("sequence sent_ns received_ns returned_ns\n0 1 2 2\n1 3 4 4", "line 3: does not end"),
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
        let error = times(Path::new("/no/such/r"), Duration::from_micros(1)).unwrap_err().to_string();
        assert!(error.contains("/no/such/r"), "{error}");
    }

    #[test]
    fn a_call_that_did_not_return_is_no_record_of_overload() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        let header = "sequence began_ns returned_ns floor_began_ns floor_returned_ns\n";
        std::fs::write(&path, format!("{header}0 100 230 240 280\n1 300 420 430 500\n")).unwrap();
        let found = overload_times(&path).unwrap();
        assert_eq!((found.calls.n(), found.calls.worst_ms()), (2, Some(0.000_13)));
        assert_eq!((found.floor.n(), found.floor.worst_ms()), (2, Some(0.000_07)));
        assert!(times(&path, Duration::from_micros(1)).is_err(), "another kind of records");
        for (line, told) in [
            ("0 100 0 1 2", "returned_ns 0"),
            ("0 1 2 5 4", "floor_returned_ns 4"),
            ("0 1 2", "floor_began_ns"),
        ] {
            std::fs::write(&path, format!("{header}{line}\n")).unwrap();
            let error = overload_times(&path).expect_err(line).to_string();
            assert!(error.contains("line 2: ") && error.contains(told), "{error}");
        }
    }
}
