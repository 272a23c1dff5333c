//! The topics as the vehicle's program has them, before they are open and after. NODE-126 to NODE-130.

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_bridge::motors::{Diagnosis, Subscribers, Topics, Untold};
use tokkyu_contract::WallTime;
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::Output;
use tokkyu_node::port::{Declaration, Topic};
use tokkyu_node::{CallbackQueue, Level, Node};

use crate::error::MotorsError;
use crate::master::Master;
use crate::messages::{Command, diagnostics, state};
use crate::place;
use crate::shared::{Shared, untold};
use crate::speed::{self, wall_now};

/// The node's name begins so. Each program's has another one: of two with one name the master ends the first.
const NAME: &str = "tokkyu_vehicle";
/// So that this host alone reaches the node, whatever its environment says (NODE-127).
const THIS_HOST: &str = "__ip:=127.0.0.1";
/// For so long a node that goes stays: what was published and is not sent ends with it.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The topics as long as they are open.
pub struct Motors {
    shared: Arc<Shared>,
    /// Of a command with a header.
    frame: Option<String>,
    master: Option<Master>,
    threads: Vec<JoinHandle<()>>,
}

/// What `robot.yaml` declares are flows of the link, not topics of this node.
#[derive(Debug)]
struct Undeclared;

impl Declaration for Undeclared {
    fn topic(&self, _: &str) -> Option<Topic> {
        None
    }
}

impl Motors {
    /// Opens the topics of `output` at `master`, or that of the environment, for the nodes of this host alone; `on_speed` gets each
    /// speed as it comes, in a thread with `fifo_priority`. Waits for no master: until one answers nothing is taken.
    ///
    /// # Errors
    /// The node cannot be made, or the master is on another host.
    pub fn open(
        output: &Output,
        master: Option<&str>,
        fifo_priority: Option<u8>,
        on_speed: impl Fn(f32) + Send + Sync + 'static,
    ) -> Result<Motors, MotorsError> {
        let uri = place::master_uri(master);
        if place::is_elsewhere(&uri) {
            return Err(MotorsError::Elsewhere(uri));
        }
        let builder = Node::builder(NAME).anonymous().namespace("/").arguments([THIS_HOST]).flows(Undeclared);
        let node = builder.master(uri).without_signals().without_shared_memory().build()?;
        // The vehicle's program says what happens; standard output is for its figures.
        node.set_level("ros", Level::Fatal);
        let shared = Arc::new(Shared::new(node));
        shared.look_after_the_end();
        let queue = CallbackQueue::new();
        let mut threads = Vec::new();
        if output.speed.is_some() {
            threads.push(speed::serve(&shared.node, &queue, fifo_priority)?);
        }
        let with_queue = shared.node.with_queue(&queue);
        let master = Master::start(&shared, with_queue, output, Arc::new(on_speed))?;
        Ok(Motors { shared, frame: output.frame.clone(), master: Some(master), threads })
    }

    /// The master.
    pub fn master_uri(&self) -> String {
        self.shared.node.master_uri()
    }
}

impl Drop for Motors {
    fn drop(&mut self) {
        if self.shared.audience.look().now > 0 {
            std::thread::sleep(LAST_WORDS);
        }
        // Ends whoever waits for the master.
        self.shared.node.shutdown();
        drop(self.master.take());
        for thread in self.threads.drain(..) {
            // One that panicked has told so.
            let _ = thread.join();
        }
    }
}

impl Topics for Motors {
    /// Published before anything is found wrong: what is told to stop may be there all the same.
    fn command(&self, wanted: &Wanted) -> Result<(), Untold> {
        let command = Command::of(wanted, wall_now(), self.frame.as_deref());
        self.shared.publish_command(&command)?;
        if self.shared.is_dismissed() {
            return Err(Untold(self.shared.dismissal()));
        }
        match self.shared.audience.look().now {
            0 => self.shared.no_master().map_or(Ok(()), |why| Err(Untold(why))),
            _ => Ok(()),
        }
    }

    fn state(&self, word: &str) -> Result<(), Untold> {
        let Some(opened) = self.shared.opened.get() else { return Ok(()) };
        opened.state.publish_ref(&state(word)).map(drop).map_err(untold)
    }

    fn diagnosis(&self, at: WallTime, diagnosis: &Diagnosis) -> Result<(), Untold> {
        let Some(opened) = self.shared.opened.get() else { return Ok(()) };
        opened.diagnostics.publish_ref(&diagnostics(at, diagnosis)).map(drop).map_err(untold)
    }

    fn subscribers(&self) -> Option<Subscribers> {
        (!self.shared.is_dismissed()).then(|| self.shared.audience.look())
    }

    fn trouble(&self) -> Option<String> {
        let refusal = self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone();
        refusal.or_else(|| self.shared.no_master())
    }
}
