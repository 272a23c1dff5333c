//! Nodes and a master in virtual time, over a network that cuts everything into pieces by a seed.

pub mod master;
pub mod network;
pub mod program;
pub mod shared;
pub mod stranger;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_graph::{Command, Engine, Identity, Listener, Profile};
use tokkyu_topic::Bell;

use master::Master;
use network::{SimNet, Wire};
use program::Said;

/// Of requests to all services of a node.
pub const REQUEST_BYTES: usize = 2000;
pub const MASTER: (&str, u16) = ("master", 11311);

pub struct Node {
    pub engine: Engine<SimNet, Said>,
    pub said: Said,
    pub uri: String,
    bell: Arc<Bell>,
    /// Its end of the wire.
    pub number: usize,
}

pub struct World {
    pub now: MonoTime,
    pub wire: Arc<Mutex<Wire>>,
    pub nodes: Vec<Node>,
    pub master: Option<Master>,
}

impl World {
    pub fn new(seed: u64) -> World {
        let wire = Arc::new(Mutex::new(Wire::new(seed)));
        let mut world = World { now: MonoTime::from_millis(1), wire, nodes: Vec::new(), master: None };
        world.start_master();
        world
    }

    pub fn start_master(&mut self) {
        self.master = Some(Master::new(&self.wire));
    }

    pub fn stop_master(&mut self) {
        if let Some(master) = self.master.take() {
            master.stop(&self.wire);
        }
    }

    /// A node of that name on a machine of that name.
    pub fn add(&mut self, name: &str) -> usize {
        self.add_on(name, None)
    }

    /// One that shares memory with others of the same device.
    pub fn add_on(&mut self, name: &str, device: Option<&str>) -> usize {
        let number = self.wire.lock().unwrap().add_end();
        let bell = Arc::new(Bell::new());
        let identity = Identity {
            profile: Profile { request_bytes: REQUEST_BYTES, ..Profile::FULL },
            name: format!("/{name}"),
            master: (MASTER.0.to_owned(), MASTER.1),
            host: name.to_owned(),
            slave_port: 1,
            data_port: 2,
            pid: 4711,
            device: device.map(str::to_owned),
            bell: bell.clone(),
        };
        let uri = identity.slave_uri();
        for (listener, port) in [(Listener::Slave, 1), (Listener::Data, 2)] {
            self.wire.lock().unwrap().listen(number, listener, name, port);
        }
        let (net, said) = (SimNet { end: number, wire: self.wire.clone() }, Said::default());
        let engine = Engine::new(identity, net, said.clone(), self.now);
        self.nodes.push(Node { engine, said, uri, bell, number });
        self.nodes.len() - 1
    }

    pub fn ask(&mut self, node: usize, command: Command) {
        self.nodes[node].engine.on_command(self.now, command);
    }

    /// Lets everything happen that happens within that time.
    pub fn run(&mut self, time: Duration) {
        let end = self.now + time;
        for turn in 0.. {
            assert!(turn < 100_000, "something is due again and again at {}", self.now);
            while self.step() {}
            let running = self.nodes.iter().filter(|node| !node.engine.is_over());
            let next = running.filter_map(|node| node.engine.next_deadline()).min();
            match next {
                Some(next) if next <= end => self.now = self.now.max(next),
                _ => break,
            }
            for node in &mut self.nodes {
                node.engine.on_time(self.now);
            }
        }
        self.now = end;
    }

    /// Whether something happened.
    fn step(&mut self) -> bool {
        let mut is_busy = false;
        // Whoever is first this time: by the seed.
        let count = self.nodes.len() + 1;
        let first = self.wire.lock().unwrap().piece(count);
        for at in (0..count).map(|step| (first + step) % count) {
            is_busy |= match (self.nodes.get_mut(at), &mut self.master) {
                (Some(node), _) => node.step(self.now, &self.wire),
                (None, Some(master)) => master.step(&self.wire),
                (None, None) => false,
            };
        }
        is_busy
    }
}

impl Node {
    fn step(&mut self, now: MonoTime, wire: &Arc<Mutex<Wire>>) -> bool {
        let mut is_busy = false;
        for listener in [Listener::Slave, Listener::Data] {
            if wire.lock().unwrap().has_waiting(self.number, listener) {
                self.engine.on_accept(now, listener);
                is_busy = true;
            }
        }
        let rang = self.bell.answer();
        self.engine.on_bell(now, rang);
        let wants: Vec<_> = self.engine.wants().collect();
        for want in wants {
            let ready = wire.lock().unwrap().ready(self.number, want);
            if ready.is_readable || ready.is_writable {
                self.engine.on_ready(now, want.id, ready);
                is_busy = true;
            }
        }
        is_busy || rang != 0
    }
}
