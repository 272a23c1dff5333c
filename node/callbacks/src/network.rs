//! The thread that has the node's sockets, and the way to it.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use tokkyu_contract::MonoTime;
use tokkyu_graph::{Command, Engine, Failure, Host, Identity, Listener, Wants};
use tokkyu_topic::Doorbell;

use crate::error::NodeError;
use crate::port::{NOTICE, NetworkBell, Polled, Sockets, Task, port};
use crate::sync::{Condition, Mutex};

/// The way to the node's network thread.
pub(crate) struct Network {
    /// Nothing once the thread has ended.
    commands: Mutex<Option<VecDeque<Command>>>,
    bell: Arc<dyn NetworkBell>,
}

impl Network {
    /// Asks for something. It is done in the network's thread; once that has ended it is not done.
    pub(crate) fn ask(&self, command: Command) {
        let mut commands = self.commands.lock();
        match &mut *commands {
            Some(commands) => commands.push_back(command),
            None => {
                drop(commands);
                // With it goes who would be told: not with the lock held.
                return drop(command);
            }
        }
        drop(commands);
        self.bell.ring(NOTICE);
    }

    /// Asks for something and waits for its end.
    pub(crate) fn ask_and_wait<T: Send + 'static>(
        &self,
        command: impl FnOnce(tokkyu_graph::Done<T>) -> Command,
    ) -> Result<T, Failure> {
        let reply = Arc::new(Reply { outcome: Mutex::new(None), told: Condition::new() });
        let teller = Teller(reply.clone());
        self.ask(command(Box::new(move |outcome| teller.tell(outcome))));
        reply.hear()
    }

    fn next(&self) -> Option<Command> {
        self.commands.lock().as_mut()?.pop_front()
    }

    /// What nobody has looked at, when nobody will any more.
    fn close(&self) -> VecDeque<Command> {
        self.commands.lock().take().unwrap_or_default()
    }
}

/// What a node listens at, before its thread runs.
pub(crate) struct Listening {
    network: Arc<Network>,
    sockets: Box<dyn Sockets>,
}

impl Listening {
    pub(crate) fn at(address: IpAddr) -> Result<Listening, NodeError> {
        let (bell, sockets) = port().listen(address)?;
        let commands = Mutex::new(Some(VecDeque::new()));
        Ok(Listening { network: Arc::new(Network { commands, bell }), sockets })
    }

    /// The way to the thread that will run.
    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// An identity with the ports that were free.
    pub(crate) fn identity(&self, name: &str, master: (String, u16), host: String) -> Identity {
        Identity {
            profile: port().profile(),
            name: name.to_owned(),
            master,
            host,
            slave_port: self.sockets.port(Listener::Slave),
            data_port: self.sockets.port(Listener::Data),
            pid: port().process_number(),
            device: None,
            bell: Arc::new(Samples(self.network.clone())),
        }
    }

    /// Starts the thread. It ends some time after [`Command::Shutdown`].
    pub(crate) fn start(
        self,
        identity: Identity,
        host: impl Host + Send + 'static,
    ) -> Result<Box<dyn Task>, String> {
        let Listening { network, sockets } = self;
        let run = move |_| run(&network, Engine::new(identity, sockets, host, port().now()));
        port().spawn("tokkyu-network", None, Box::new(run))
    }
}

/// Where somebody waits for an outcome.
struct Reply<T> {
    /// Nothing: it is still to come.
    outcome: Mutex<Option<Result<T, Failure>>>,
    told: Condition,
}

impl<T> Reply<T> {
    fn hear(&self) -> Result<T, Failure> {
        let mut outcome = self.outcome.lock();
        loop {
            match outcome.take() {
                Some(outcome) => return outcome,
                None => outcome = self.told.wait(outcome),
            }
        }
    }
}

/// Whoever does what was asked for.
struct Teller<T>(Arc<Reply<T>>);

impl<T> Teller<T> {
    fn tell(&self, outcome: Result<T, Failure>) {
        self.0.outcome.lock().get_or_insert(outcome);
        self.0.told.notify_all();
    }
}

/// The thread is gone: nobody else will tell.
impl<T> Drop for Teller<T> {
    fn drop(&mut self) {
        self.tell(Err(Failure::Ending));
    }
}

/// The network's bell, for samples that are to be sent.
struct Samples(Arc<Network>);

impl Doorbell for Samples {
    fn ring(&self, source: u32) {
        self.0.bell.ring(source);
    }
}

type NodeEngine<H> = Engine<Box<dyn Sockets>, H>;

/// The connections of one waiting, kept for its memory.
#[derive(Default)]
struct Poller {
    wants: Vec<Wants>,
    polled: Polled,
}

impl Poller {
    /// Waits until that time for something to be ready, and serves it, the most important class first.
    fn wait<H: Host>(&mut self, engine: &mut NodeEngine<H>, until: Option<MonoTime>) {
        self.wants.clear();
        self.wants.extend(engine.wants());
        let accepts = engine.has_room();
        engine.net_mut().poll(&self.wants, accepts, until, &mut self.polled);
        let Polled { ready, connecting } = &mut self.polled;
        ready.sort_by_key(|(wants, _)| wants.class);
        for (wants, ready) in ready {
            engine.on_ready(port().now(), wants.id, *ready);
        }
        for listener in connecting {
            engine.on_accept(port().now(), *listener);
        }
    }
}

fn run<H: Host>(network: &Network, mut engine: NodeEngine<H>) {
    let mut poller = Poller::default();
    while !engine.is_over() {
        let rang = network.bell.answer();
        if rang & 1 << NOTICE != 0 {
            on_commands(network, &mut engine);
        }
        engine.on_bell(port().now(), rang);
        let deadline = engine.next_deadline();
        if deadline.is_some_and(|deadline| deadline <= port().now()) {
            engine.on_time(port().now());
        }
        let until = if network.bell.rest() { deadline } else { Some(port().now()) };
        poller.wait(&mut engine, until);
    }
    // What nobody will do any more is told.
    for command in network.close() {
        engine.on_command(port().now(), command);
    }
}

fn on_commands<H: Host>(network: &Network, engine: &mut NodeEngine<H>) {
    while let Some(command) = network.next() {
        engine.on_command(port().now(), command);
    }
    for id in engine.net_mut().found() {
        engine.on_ready(port().now(), id, tokkyu_graph::Ready { is_readable: true, is_writable: true });
    }
}
