//! The thread that has the node's sockets, and the way to it.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokkyu_graph::{Command, Engine, Failure, Host, Identity, Listener};
use tokkyu_topic::Doorbell;

use crate::posix::{self, EventBell, ListenError, Poller, Sockets, mono_now};

/// The source of the bell that commands ring. Samples ring that of their class.
const COMMANDS: u32 = 30;
/// Bytes of requests under way at once: as much as one may have.
const REQUEST_BYTES: usize = 1 << 30;

/// The way to the node's network thread.
pub(crate) struct Network {
    /// Nothing once the thread has ended.
    commands: Mutex<Option<VecDeque<Command>>>,
    bell: EventBell,
}

impl Network {
    pub(crate) fn new() -> std::io::Result<Arc<Network>> {
        Ok(Arc::new(Network { commands: Mutex::new(Some(VecDeque::new())), bell: EventBell::new()? }))
    }

    /// Asks for something. It is done in the network's thread; once that has ended it is not done.
    pub(crate) fn ask(&self, command: Command) {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *commands {
            Some(commands) => commands.push_back(command),
            None => {
                drop(commands);
                // With it goes who would be told: not with the lock held.
                return drop(command);
            }
        }
        drop(commands);
        self.bell.ring(COMMANDS);
    }

    /// Asks for something and waits for its end.
    pub(crate) fn ask_and_wait<T: Send + 'static>(
        &self,
        command: impl FnOnce(tokkyu_graph::Done<T>) -> Command,
    ) -> Result<T, Failure> {
        let (told, hear) = std::sync::mpsc::sync_channel(1);
        self.ask(command(Box::new(move |outcome| drop(told.send(outcome)))));
        // The thread is gone: so is whoever would tell.
        hear.recv().unwrap_or(Err(Failure::Ending))
    }

    fn next(&self) -> Option<Command> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.pop_front()
    }

    /// What nobody has looked at, when nobody will any more.
    fn close(&self) -> VecDeque<Command> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }
}

/// What a node listens at, before its thread runs.
pub(crate) struct Listening {
    network: Arc<Network>,
    sockets: Sockets,
}

impl Listening {
    pub(crate) fn at(address: IpAddr, network: Arc<Network>) -> Result<Listening, ListenError> {
        let notice = {
            let network = network.clone();
            Arc::new(move || network.bell.ring(COMMANDS))
        };
        Ok(Listening { sockets: Sockets::listen(address, notice)?, network })
    }

    /// An identity with the ports that were free.
    pub(crate) fn identity(&self, name: &str, master: (String, u16), host: String) -> Identity {
        Identity {
            request_bytes: REQUEST_BYTES,
            name: name.to_owned(),
            master,
            host,
            slave_port: self.sockets.port(Listener::Slave),
            data_port: self.sockets.port(Listener::Data),
            pid: posix::pid(),
            device: None,
            bell: Arc::new(Samples(self.network.clone())),
        }
    }

    /// Starts the thread. It ends some time after [`Command::Shutdown`].
    pub(crate) fn start(
        self,
        identity: Identity,
        host: impl Host + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let Listening { network, sockets } = self;
        let run = move || run(&network, Engine::new(identity, sockets, host, mono_now()));
        std::thread::Builder::new().name("tokkyu-network".to_owned()).spawn(run)
    }
}

/// The network's bell, for samples that are to be sent.
struct Samples(Arc<Network>);

impl Doorbell for Samples {
    fn ring(&self, source: u32) {
        self.0.bell.ring(source);
    }
}

fn run<H: Host>(network: &Network, mut engine: Engine<Sockets, H>) {
    let mut poller = Poller::default();
    while !engine.is_over() {
        let rang = network.bell.answer();
        if rang & 1 << COMMANDS != 0 {
            on_commands(network, &mut engine);
        }
        engine.on_bell(mono_now(), rang);
        let deadline = engine.next_deadline();
        if deadline.is_some_and(|deadline| deadline <= mono_now()) {
            engine.on_time(mono_now());
        }
        let until = if network.bell.rest() { deadline } else { Some(mono_now()) };
        poller.wait(&network.bell, &mut engine, until);
    }
    // What nobody will do any more is told.
    for command in network.close() {
        engine.on_command(mono_now(), command);
    }
}

fn on_commands<H: Host>(network: &Network, engine: &mut Engine<Sockets, H>) {
    while let Some(command) = network.next() {
        engine.on_command(mono_now(), command);
    }
    for id in engine.net_mut().found() {
        engine.on_ready(mono_now(), id, tokkyu_graph::Ready { is_readable: true, is_writable: true });
    }
}
