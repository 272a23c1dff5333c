//! What the image of figures says, as cases.

use tokkyu_measure::rtos::{PATHS, RtosCase};

use super::machine::{Idle, Machine, MachineError, Said};

/// The images that count: the kernel's paths, the same between tasks with floating-point registers, and while they are written down, how long it
/// masks interrupts, and the paths of nodes' messages.
pub const IMAGES: [&str; 5] = [
    "tokkyu-rtos-figures",
    "tokkyu-rtos-floats",
    "tokkyu-rtos-traced",
    "tokkyu-rtos-masked",
    "tokkyu-board-figures",
];
/// The image whose size is looked at.
pub const TALKER: &str = "tokkyu-board-talker";
/// What its system has.
const PROCESSORS: u32 = 2;

/// Figures that could not be had.
#[derive(Debug, thiserror::Error)]
pub enum FiguresError {
    /// There is no machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// It ended before it was done.
    #[error("the image did not come to its end: {0}")]
    End(String),
    /// It says something else than this tool expects.
    #[error("the image says {0:?}: is it of this revision? rtos/build makes it anew")]
    Line(String),
    /// Two runs differ.
    #[error(
        "{name}: {first:?} in the first run, {second:?} in the second: instructions are not counted here"
    )]
    Differs {
        /// The path.
        name: String,
        /// Counts.
        first: Vec<u64>,
        /// Counts.
        second: Vec<u64>,
    },
}

/// All figures of an image, counted twice: what is counted must be the same.
///
/// # Errors
/// [`FiguresError`]
pub fn figures(machine: &Machine) -> Result<Vec<RtosCase>, FiguresError> {
    let (first, second) = (run(machine)?, run(machine)?);
    if first.len() != second.len() {
        return Err(FiguresError::End(format!(
            "{} figures in one run, {} in another",
            first.len(),
            second.len()
        )));
    }
    for (one, other) in first.iter().zip(&second) {
        if one != other {
            let (name, first, second) = (one.0.clone(), one.1.clone(), other.1.clone());
            return Err(FiguresError::Differs { name, first, second });
        }
    }
    let case = |(name, counts): (String, Vec<u64>)| {
        let path = PATHS.iter().find(|path| path.counted == name).ok_or(FiguresError::Line(name))?;
        Ok(RtosCase::new(path, &counts))
    };
    first.into_iter().map(case).collect()
}

type Counted = Vec<(String, Vec<u64>)>;

fn run(machine: &Machine) -> Result<Counted, FiguresError> {
    let running = machine.begin(PROCESSORS, Idle::Jumps, &[])?;
    let mut counted = Counted::new();
    let mut other = Vec::new();
    loop {
        match running.next() {
            Said::Line(line) if line == "done" => return Ok(counted),
            Said::Line(line) => match figure(&line) {
                Some(figure) => counted.push(figure),
                None if line.starts_with("figure ") => return Err(FiguresError::Line(line)),
                None => other.push(line),
            },
            Said::End => return Err(FiguresError::End(other.join(" | "))),
            Said::Nothing => return Err(FiguresError::End("it says nothing for a minute".to_owned())),
        }
    }
}

/// Of "figure NAME COUNT COUNT …", with at least one count.
fn figure(line: &str) -> Option<(String, Vec<u64>)> {
    let mut words = line.strip_prefix("figure ")?.split(' ');
    let name = words.next()?.to_owned();
    let counts: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    (!counts.is_empty()).then_some((name, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_a_name_and_counts() {
        assert_eq!(figure("figure act_tsk 107 108"), Some(("act_tsk".to_owned(), vec![107, 108])));
        for line in ["figure act_tsk", "figure act_tsk 1 x", "overhead 1", "figure", ""] {
            assert_eq!(figure(line), None, "{line}");
        }
    }
}
