//! What the threads of the topics share, and what it says of itself. NODE-128 to NODE-130.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tokkyu_bridge::motors::Untold;
use tokkyu_message::{Message, Output};
use tokkyu_node::{Node, PublishError, Publisher, Subscription, raw};

use crate::audience::Audience;
use crate::messages::Command;
use crate::messages::ros::diagnostic_msgs::DiagnosticArray;
use crate::messages::ros::std_msgs;

/// What is open.
pub(crate) struct Opened {
    pub(crate) command: raw::Publisher,
    pub(crate) state: Publisher<std_msgs::String>,
    pub(crate) diagnostics: Publisher<DiagnosticArray>,
    pub(crate) _speed: Option<Subscription>,
}

/// What the threads share. The commands' thread reads what needs no lock.
pub(crate) struct Shared {
    pub(crate) node: Node,
    pub(crate) audience: Arc<Audience>,
    /// Nothing before the master has answered.
    pub(crate) opened: OnceLock<Opened>,
    /// At the last look.
    pub(crate) has_master: AtomicBool,
    /// Why the topics cannot be opened though it answers, in words.
    pub(crate) refusal: Mutex<Option<String>>,
    /// Who has asked the node to end, and why: nothing enables any more (NODE-130).
    dismissed: OnceLock<String>,
}

impl Shared {
    pub(crate) fn new(node: Node) -> Shared {
        Shared {
            node,
            audience: Arc::default(),
            opened: OnceLock::new(),
            has_master: AtomicBool::new(false),
            refusal: Mutex::default(),
            dismissed: OnceLock::new(),
        }
    }

    /// A node that ended would say nothing any more; the vehicle is to be told to stop, again and again.
    pub(crate) fn look_after_the_end(self: &Arc<Shared>) {
        let shared = Arc::downgrade(self);
        self.node.on_shutdown_call(move |caller, reason| {
            let Some(shared) = shared.upgrade() else { return false };
            shared.dismissed.get_or_init(|| format!("{caller}: {reason}"));
            true
        });
    }

    pub(crate) fn is_dismissed(&self) -> bool {
        self.dismissed.get().is_some() || !self.node.is_ok()
    }

    pub(crate) fn publish_command(&self, command: &Command) -> Result<(), Untold> {
        let Some(opened) = self.opened.get() else { return Err(Untold(self.not_open())) };
        let told = match command {
            Command::Twist(twist) => publish(&opened.command, twist),
            Command::TwistStamped(twist) => publish(&opened.command, twist),
            Command::Ackermann(drive) => publish(&opened.command, drive),
            Command::AckermannStamped(drive) => publish(&opened.command, drive),
        };
        told.map_err(untold)
    }

    fn not_open(&self) -> String {
        let uri = self.node.master_uri();
        if self.has_master.load(Ordering::Relaxed) {
            format!("the topics are not open yet at the ROS 1 master at {uri}")
        } else {
            format!("the ROS 1 master at {uri} does not answer: start roscore, or mend ROS_MASTER_URI")
        }
    }

    pub(crate) fn no_master(&self) -> Option<String> {
        let has_master = self.has_master.load(Ordering::Relaxed) || self.opened.get().is_none();
        (!has_master).then(|| {
            let uri = self.node.master_uri();
            format!(
                "the ROS 1 master at {uri} does not answer any more: a base that is linked is driven on, and one that comes \
                 is not found; start roscore"
            )
        })
    }

    pub(crate) fn dismissal(&self) -> String {
        let who = self.dismissed.get().map_or("its program", String::as_str);
        format!(
            "the vehicle's ROS 1 node was told to end ({who}): it moves nothing any more; start its program anew"
        )
    }
}

/// Fills the slot in its place. Takes nothing from a heap once slots are long enough.
fn publish<M: Message>(publisher: &raw::Publisher, message: &M) -> Result<(), PublishError> {
    let mut loan = publisher.loan(message.wire_len())?;
    message.write(&mut Output::new(&mut loan));
    loan.publish().map(drop)
}

pub(crate) fn untold(error: PublishError) -> Untold {
    Untold(error.to_string())
}
