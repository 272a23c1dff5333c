//! The thread that may wait for the master: it opens the topics, and looks each second whether the master is there. NODE-128.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokkyu_contract::Class;
use tokkyu_contract::yaml::output::{DIAGNOSTICS, Output};
use tokkyu_node::{Message, Node, NodeError, Publisher, PublisherOptions};

use crate::messages::command_kind;
use crate::shared::{Opened, Shared};
use crate::speed::{self, OnSpeed};

/// Between two looks at the master.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The thread. Dropping it waits for its end, which the node's end brings about where it waits.
pub(crate) struct Master {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Master {
    /// `node`: with the queue of the speed's callbacks.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        node: Node,
        output: &Output,
        on_speed: OnSpeed,
    ) -> io::Result<Master> {
        let (over, ends) = channel();
        let looking = Looking { shared: Arc::clone(shared), node, output: output.clone(), on_speed };
        let thread =
            thread::Builder::new().name("ros1-master".to_owned()).spawn(move || looking.run(&ends))?;
        Ok(Master { over: Some(over), thread: Some(thread) })
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        drop(self.over.take());
        // One that panicked has told so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Looking {
    shared: Arc<Shared>,
    node: Node,
    output: Output,
    on_speed: OnSpeed,
}

impl Looking {
    fn run(&self, ends: &Receiver<()>) {
        while self.node.is_ok() {
            self.look();
            if ends.recv_timeout(LOOK_EVERY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    fn look(&self) {
        let has_master = self.node.call_master("getPid", false, &[]).is_ok();
        self.shared.has_master.store(has_master, Ordering::Relaxed);
        if !has_master || self.shared.opened.get().is_some() {
            return;
        }
        let refusal = match self.open() {
            Ok(opened) => {
                // This thread alone opens.
                let _ = self.shared.opened.set(opened);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        *self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
    }

    /// The command last: who subscribes to it finds the rest.
    fn open(&self) -> Result<Opened, NodeError> {
        let subscribe = |speed| speed::subscribe(&self.node, speed, Arc::clone(&self.on_speed));
        let speed = self.output.speed.as_ref().map(subscribe).transpose()?;
        Ok(Opened {
            _speed: speed,
            state: self.advertise(&self.output.gate_topic())?,
            diagnostics: self.advertise(DIAGNOSTICS)?,
            command: self.advertise_command()?,
        })
    }

    fn advertise<M: Message>(&self, topic: &str) -> Result<Publisher<M>, NodeError> {
        let options = PublisherOptions { class: Some(Class::Realtime), ..PublisherOptions::with_depth(1) };
        self.node.advertise_with(&format!("/{topic}"), options)
    }

    fn advertise_command(&self) -> Result<tokkyu_node::raw::Publisher, NodeError> {
        let audience = Arc::clone(&self.shared.audience);
        let options = PublisherOptions {
            class: Some(Class::Control),
            on_change: Some(Box::new(move |_, is_new| audience.on_change(is_new))),
            ..PublisherOptions::with_depth(1)
        };
        let topic = format!("/{}", self.output.topic);
        self.node.advertise_raw(&topic, command_kind(&self.output), options)
    }
}
