//! The topics of a vehicle's program among the robot's own nodes, whichever ROS they are of: what is said there, and by whom.
//! drive's SPEC.md, DRV-116 to DRV-119; here is what ROS 2's and ROS 1's have in common.

use tokkyu_contract::WallTime;
use tokkyu_contract::motion::Wanted;

/// How well it is, by the numbers of `diagnostic_msgs/DiagnosticStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// All is well.
    #[default]
    Ok = 0,
    /// Somebody should look.
    Warn = 1,
    /// It does not work.
    Error = 2,
}

/// One status of `diagnostic_msgs/DiagnosticArray`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// How well.
    pub level: Level,
    /// Of what.
    pub name: String,
    /// In words.
    pub message: String,
    /// Of which machine.
    pub hardware: String,
    /// Figures, each with its name.
    pub values: Vec<(String, String)>,
}

/// What a topic did not take, in words for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Untold(pub String);

/// The topics, open as long as this lives. Any thread may say something, and nobody waits.
pub trait Topics: Send + Sync {
    /// What the vehicle is to do from now on.
    ///
    /// # Errors
    /// The middleware does not take it: no subscriber gets it.
    fn command(&self, wanted: &Wanted) -> Result<(), Untold>;

    /// The gate's state, a word.
    ///
    /// # Errors
    /// As [`Topics::command`].
    fn state(&self, word: &str) -> Result<(), Untold>;

    /// How it is at `at`.
    ///
    /// # Errors
    /// As [`Topics::command`].
    fn diagnosis(&self, at: WallTime, diagnosis: &Diagnosis) -> Result<(), Untold>;

    /// Who subscribes to the command; `None` where that is not known, which counts as nobody.
    fn subscribers(&self) -> Option<Subscribers>;

    /// What is wrong with the middleware though commands may be taken, in words for people. For whoever tells people: it may
    /// wait for a lock.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// Who subscribes to a topic. Between two looks both numbers are the same if, and only if, nobody came or went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subscribers {
    /// So many do.
    pub now: u64,
    /// So many came since the topic was opened.
    pub came: u64,
}
