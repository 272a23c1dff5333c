//! Somebody who speaks by hand.

use std::time::Duration;

use tokkyu_graph::{ConnId, Io};
use tokkyu_ros1::tcpros::HeaderWriter;

use super::World;

const SECOND: Duration = Duration::from_secs(1);

/// A peer that is none of ours: what it sends and gets.
pub struct Stranger {
    pub end: usize,
    pub id: ConnId,
}

impl Stranger {
    pub fn connect(world: &mut World, host: &str, port: u16) -> Stranger {
        let end = world.wire.lock().unwrap().add_end();
        world.wire.lock().unwrap().connect(end, ConnId(1), host, port).expect("it listens");
        Stranger { end, id: ConnId(1) }
    }

    pub fn send(&self, world: &mut World, bytes: &[u8]) {
        let mut left = bytes;
        while !left.is_empty() {
            let io = world.wire.lock().unwrap().write(self.end, self.id, left);
            match io {
                Io::Done(count) => left = &left[count..],
                Io::Later => world.run(Duration::from_millis(1)),
                Io::Over => return,
            }
        }
    }

    /// What comes within a second, and whether it was the end.
    pub fn hear(&self, world: &mut World) -> (Vec<u8>, bool) {
        world.run(SECOND);
        let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            let io = world.wire.lock().unwrap().read(self.end, self.id, &mut chunk);
            match io {
                Io::Done(count) => all.extend_from_slice(&chunk[..count]),
                Io::Later => return (all, false),
                Io::Over => return (all, true),
            }
            world.run(Duration::ZERO);
        }
    }
}

pub fn header(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut memory = [0; 500];
    let mut writer = HeaderWriter::new(&mut memory).expect("room");
    fields.iter().for_each(|(name, value)| writer.field(name, value).expect("room"));
    writer.finish().to_vec()
}
