//! What a node says: on the terminal in ROS's form, and to `/rosout`.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;

use tokkyu_graph::Level;

use crate::clock::Clock;
use crate::console::{Said, print};
use crate::levels::Place;
use crate::messages::rosgraph_msgs;
use crate::messages::std_msgs::Header;
use crate::object::Typed;
use crate::publisher;
use crate::sync::{Mutex, Once};

/// The logger that all others of a node are below of, as in roscpp.
pub(crate) const ROOT: &str = "ros";

/// The log of a node.
pub(crate) struct Log {
    node: String,
    clock: Arc<Clock>,
    /// From which level on a logger speaks; one that is not here speaks as the one above it, up to [`ROOT`].
    levels: Mutex<BTreeMap<String, Level>>,
    rosout: Once<Weak<publisher::Shared>>,
}

impl Log {
    pub(crate) fn new(node: &str, clock: Arc<Clock>) -> Log {
        let levels = Mutex::new(BTreeMap::from([(ROOT.to_owned(), Level::Info)]));
        Log { node: node.to_owned(), clock, levels, rosout: Once::new() }
    }

    /// From now on it speaks to `/rosout` too.
    pub(crate) fn speak_to(&self, rosout: Weak<publisher::Shared>) {
        self.rosout.set(rosout);
    }

    pub(crate) fn error(&self, text: fmt::Arguments<'_>) {
        self.write(Level::Error, text);
    }

    /// Something of our own.
    pub(crate) fn write(&self, level: Level, text: fmt::Arguments<'_>) {
        self.say("ros.tokkyu", level, Place::default(), text);
    }

    /// Something that a logger says.
    pub(crate) fn say(&self, logger: &str, level: Level, place: Place<'_>, text: fmt::Arguments<'_>) {
        if !self.is_enabled(logger, level) {
            return;
        }
        let text = text.to_string();
        self.print(logger, level, place, &text);
        self.publish(level, place, text);
    }

    pub(crate) fn is_enabled(&self, logger: &str, level: Level) -> bool {
        let levels = self.levels.lock();
        let mut name = logger;
        loop {
            match (levels.get(name), name.rsplit_once('.')) {
                (Some(least), _) => return level >= *least,
                (None, Some((above, _))) => name = above,
                (None, None) => return level >= levels.get(ROOT).copied().unwrap_or(Level::Info),
            }
        }
    }

    pub(crate) fn set_level(&self, logger: &str, level: Level) {
        self.levels.lock().insert(logger.to_owned(), level);
    }

    pub(crate) fn levels(&self) -> Vec<(String, Level)> {
        let levels = self.levels.lock();
        levels.iter().map(|(name, level)| (name.clone(), *level)).collect()
    }

    fn print(&self, logger: &str, level: Level, place: Place<'_>, text: &str) {
        let simulated =
            Some(self.clock.now()).filter(|_| self.clock.is_simulated() && self.clock.now_nanos() != 0);
        print(&Said { node: &self.node, logger, level, place, simulated, text });
    }

    fn publish(&self, level: Level, place: Place<'_>, msg: String) {
        let Some(rosout) = self.rosout.get().and_then(Weak::upgrade) else { return };
        let log = rosgraph_msgs::Log {
            header: Header { stamp: self.clock.now(), ..Header::default() },
            level: code(level),
            name: self.node.clone(),
            msg,
            file: place.file.to_owned(),
            function: place.function.to_owned(),
            line: place.line,
            topics: Vec::new(),
        };
        // Not published is not said; there is nobody to tell.
        let _ = rosout.publish_object(Arc::new(Typed(log)));
    }
}

fn code(level: Level) -> i8 {
    match level {
        Level::Debug => rosgraph_msgs::Log::DEBUG,
        Level::Info => rosgraph_msgs::Log::INFO,
        Level::Warn => rosgraph_msgs::Log::WARN,
        Level::Error => rosgraph_msgs::Log::ERROR,
        Level::Fatal => rosgraph_msgs::Log::FATAL,
    }
}
