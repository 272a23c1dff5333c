//! A node's machine with a network and a program that a fuzz input drives.

mod network;
mod program;

use std::sync::Arc;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use crate::{NodeEvent, NodeStep};
use tokkyu_graph::{Command, Engine, Identity, Listener, Profile, Ready};
use tokkyu_topic::Bell;

use network::Ends;
use program::{Log, Program};

/// NODE-56.
const CONNECTIONS: usize = 1024;
/// What the program itself asks for takes no more, with all the topics that it has.
const PROGRAM_BYTES: usize = 1 << 20;
/// A connection has memory to read into before anything came: 16 KiB for messages that come many at a time, and slots for them.
const CONNECTION_BYTES: usize = 48 << 10;
/// An answer is longer than its question, and each topic has queues for each connection.
const BYTES_FOR_EACH: usize = 64;

pub struct Node {
    engine: Engine<Ends, Log>,
    program: Program,
    bell: Arc<Bell>,
    now: MonoTime,
    is_ending: bool,
}

impl Node {
    pub fn new() -> Node {
        let (bell, now) = (Arc::new(Bell::new()), MonoTime::from_millis(1));
        let identity = Identity {
            profile: Profile { request_bytes: 1000, ..Profile::FULL },
            name: "/node".to_owned(),
            master: ("master".to_owned(), 11311),
            host: "here".to_owned(),
            slave_port: 1,
            data_port: 2,
            pid: 4711,
            device: Some("device".to_owned()),
            bell: bell.clone(),
        };
        let engine = Engine::new(identity, Ends::default(), Log::default(), now);
        Node { engine, program: Program::default(), bell, now, is_ending: false }
    }

    pub fn take(&mut self, step: NodeStep<'_>) {
        self.now += step.wait;
        self.engine.net_mut().piece = step.piece;
        self.pass_time();
        match step.what {
            NodeEvent::Connects { to_data, bytes } => self.connect(to_data, &[bytes]),
            NodeEvent::Flood { to_data, count } => self.connect(to_data, &vec![&[][..]; count]),
            NodeEvent::Arrives { at, bytes } => self.engine.net_mut().arrive(at, bytes),
            NodeEvent::Closes { at } => self.engine.net_mut().close_from_outside(at),
            NodeEvent::Takes { at, bytes } => self.engine.net_mut().make_room(at, bytes),
            NodeEvent::Asks { what, which, bytes } => self.ask(what, which, bytes),
            NodeEvent::Nothing => {}
        }
        self.serve();
        self.program.read_all();
    }

    /// Those who do not find room wait, as in a system's queue, and come in later.
    fn connect(&mut self, to_data: bool, all: &[&[u8]]) {
        let listener = if to_data { Listener::Data } else { Listener::Slave };
        all.iter().for_each(|bytes| self.engine.net_mut().wait_for(listener, bytes));
    }

    fn ask(&mut self, what: u8, which: u8, bytes: &[u8]) {
        if let Some(command) = self.program.command(what, which, bytes) {
            self.is_ending |= matches!(command, Command::Shutdown);
            self.engine.on_command(self.now, command);
        }
    }

    fn pass_time(&mut self) {
        if self.engine.next_deadline().is_some_and(|deadline| deadline <= self.now) {
            self.engine.on_time(self.now);
        }
    }

    /// What is ready is served, once: more of it in the next step.
    fn serve(&mut self) {
        let rang = self.bell.answer();
        self.engine.on_bell(self.now, rang);
        let wants: Vec<_> = self.engine.wants().collect();
        for want in wants {
            let ready = self.engine.net().ready(want.id, want.reads, want.writes);
            if ready != Ready::default() {
                self.engine.net_mut().tell_connected(want.id);
                self.engine.on_ready(self.now, want.id, ready);
            }
        }
        for listener in [Listener::Slave, Listener::Data] {
            if self.engine.has_room() && self.engine.net().is_waited_for(listener) {
                self.engine.on_accept(self.now, listener);
            }
        }
        self.pass_time();
    }

    /// `held`: memory that is taken just now; `came`: bytes of the input.
    pub fn judge(&self, held: usize, came: usize) {
        let open = self.engine.net().open();
        assert!(open <= CONNECTIONS, "NODE-56: {open} connections");
        let (mut wants, mut count) = (self.engine.wants(), 0);
        assert!(wants.all(|want| {
            count += 1;
            self.engine.net().is_open(want.id)
        }));
        assert_eq!(count, open, "each that is open is looked after");
        let is_due = self.engine.next_deadline().is_some_and(|due| due <= self.now);
        assert!(!is_due || self.engine.is_over(), "something is due again and again");
        let most = PROGRAM_BYTES + open * CONNECTION_BYTES + came * BYTES_FOR_EACH;
        assert!(held <= most, "{held} bytes for {came} that came and {open} connections");
    }

    /// NODE-59: whatever the others do.
    pub fn end(mut self) {
        if !self.is_ending {
            self.engine.on_command(self.now, Command::Shutdown);
        }
        self.now += Duration::from_secs(1);
        self.engine.on_time(self.now);
        assert!(self.engine.is_over(), "NODE-59");
    }
}
