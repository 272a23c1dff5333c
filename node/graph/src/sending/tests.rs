//! Who writes what, and how much at once.

extern crate std;

use alloc::boxed::Box;
use alloc::vec;
use std::sync::Mutex;

use tokkyu_contract::Class;
use tokkyu_topic::{Bell, Limits, Publisher};

use super::*;
use crate::net::{Listener, NetError};
use crate::payload::Object;

const ID: ConnId = ConnId(3);
const SOURCE: u32 = 2;

/// A connection with so much room.
struct Wire {
    written: Mutex<Vec<u8>>,
    room: Mutex<usize>,
}

impl Outgoing for Wire {
    fn write(&self, parts: [&[u8]; 2]) -> Io {
        let mut room = self.room.lock().unwrap();
        let bytes = parts.concat();
        let count = bytes.len().min(*room);
        *room -= count;
        self.written.lock().unwrap().extend_from_slice(&bytes[..count]);
        if count == 0 { Io::Later } else { Io::Done(count) }
    }
}

struct OneWire<'s> {
    wire: Arc<Wire>,
    /// Happens while the first piece is written.
    meanwhile: Option<Box<dyn FnOnce() + 's>>,
}

impl Net for OneWire<'_> {
    fn connect(&mut self, _: ConnId, _: &str, _: u16) -> Result<(), NetError> {
        Err(NetError::Unreachable)
    }

    fn accept(&mut self, _: Listener, _: ConnId) -> Option<()> {
        None
    }

    fn read(&mut self, _: ConnId, _: &mut [u8]) -> Io {
        Io::Later
    }

    fn write(&mut self, _: ConnId, parts: [&[u8]; 2]) -> Io {
        self.meanwhile.take().into_iter().for_each(|happens| happens());
        self.wire.write(parts)
    }

    fn outgoing(&self, _: ConnId) -> Option<Arc<dyn Outgoing>> {
        Some(self.wire.clone())
    }

    fn set_no_delay(&mut self, _: ConnId, _: bool) {}

    fn set_class(&mut self, _: ConnId, _: Class) {}

    fn close(&mut self, _: ConnId) {}
}

/// A topic with one subscriber on the network.
struct Scene {
    publisher: Publisher<Payload>,
    sending: Sending,
    wire: Arc<Wire>,
    bell: Arc<Bell>,
}

impl Scene {
    fn new(at_once: bool) -> Scene {
        let limits = Limits { loans: 1, ..Limits::for_links(1, 8) }.with_all_slots();
        let (publisher, channel) = crate::channel(limits, 0).unwrap();
        let bell = Arc::new(Bell::new());
        let names = ("chatter".into(), "/listener".into());
        let network: Arc<dyn Doorbell> = bell.clone();
        let sending = Sending::join(names, (&channel, 8), (&network, SOURCE), at_once).unwrap();
        let wire = Arc::new(Wire { written: Mutex::default(), room: Mutex::new(usize::MAX) });
        Scene { publisher, sending, wire, bell }
    }

    /// Its header is written, and nothing waits.
    fn open() -> Scene {
        let mut scene = Scene::new(true);
        assert_eq!(scene.pump(), Pumped::Idle);
        scene
    }

    fn publish(&mut self, fill: u8, len: usize) {
        let mut loan = self.publisher.loan().unwrap();
        loan.bytes_mut(len).unwrap().fill(fill);
        self.publisher.publish(loan).unwrap();
    }

    fn pump(&mut self) -> Pumped {
        self.sending.pump(&mut OneWire { wire: self.wire.clone(), meanwhile: None }, ID).unwrap()
    }

    /// What each turn of the network's thread wrote, until nothing was left.
    fn turns(&mut self) -> Vec<usize> {
        let mut turns = vec![];
        loop {
            let before = self.wire.written.lock().unwrap().len();
            let pumped = self.pump();
            turns.push(self.wire.written.lock().unwrap().len() - before);
            if pumped == Pumped::Idle {
                return turns;
            }
            assert_eq!(pumped, Pumped::Later);
        }
    }

    fn has_rung(&self) -> bool {
        self.bell.answer() == 1 << SOURCE
    }

    fn set_room(&self, room: usize) {
        *self.wire.room.lock().unwrap() = room;
    }

    fn written(&self) -> Vec<u8> {
        self.wire.written.lock().unwrap().clone()
    }
}

/// Messages as they are on the wire.
fn wire_of(messages: &[(u8, usize)]) -> Vec<u8> {
    let one = |(fill, len): &(u8, usize)| [&(*len as u32).to_le_bytes()[..], &vec![*fill; *len]].concat();
    messages.iter().flat_map(one).collect()
}

/// NODE-57: others have their turn.
#[test]
fn a_turn_writes_no_more_than_512_kib() {
    let mut scene = Scene::new(false);
    let messages = [(0, 3 * TURN - 4), (1, TURN / 2), (2, 5)];
    messages.iter().for_each(|(fill, len)| scene.publish(*fill, *len));
    let turns = scene.turns();
    assert_eq!(turns[..2], [TURN + 4, TURN]);
    assert!(turns.iter().all(|bytes| *bytes <= TURN + TAIL), "{turns:?}");
    assert!(scene.written() == wire_of(&messages));
}

#[test]
fn a_few_bytes_at_the_end_take_no_turn_of_their_own() {
    for (len, turns) in [(TURN + TAIL, 1), (TURN + TAIL + 1, 2)] {
        let mut scene = Scene::new(false);
        scene.publish(7, len);
        assert_eq!(scene.turns().len(), turns);
    }
}

/// NODE-54.
#[test]
fn a_small_message_is_written_where_it_is_published() {
    let mut scene = Scene::open();
    scene.publish(1, AT_ONCE_BYTES);
    scene.publish(2, 0);
    assert!(scene.written() == wire_of(&[(1, AT_ONCE_BYTES), (2, 0)]));
    assert!(!scene.has_rung());
    assert_eq!(scene.sending.numbers(), (2, 8 + AT_ONCE_BYTES as u64));
}

#[test]
fn nothing_is_written_before_the_network_s_thread_has_written_the_header_or_if_it_alone_writes() {
    for at_once in [true, false] {
        let mut scene = Scene::new(at_once);
        scene.publish(1, 9);
        assert!(scene.has_rung() && scene.written().is_empty());
        assert_eq!((scene.turns(), scene.written()), (vec![13], wire_of(&[(1, 9)])));
        scene.publish(2, 9);
        assert_eq!((scene.has_rung(), scene.written().len()), (!at_once, if at_once { 26 } else { 13 }));
    }
}

#[test]
fn long_messages_and_objects_are_the_network_s_thread_s_and_all_keep_their_order() {
    struct Two;
    impl Object for Two {
        fn wire_len(&self) -> usize {
            2
        }

        fn write(&self, out: &mut [u8]) {
            out.fill(2);
        }
    }
    let mut scene = Scene::open();
    scene.publish(1, AT_ONCE_BYTES + 1);
    assert!(scene.has_rung() && scene.written().is_empty());
    let mut loan = scene.publisher.loan().unwrap();
    loan.set_object(Arc::new(Two));
    scene.publisher.publish(loan).unwrap();
    scene.publish(3, 3);
    assert!(scene.has_rung() && scene.written().is_empty(), "they wait for the first");
    scene.turns();
    assert!(scene.written() == wire_of(&[(1, AT_ONCE_BYTES + 1), (2, 2), (3, 3)]));
    let mut loan = scene.publisher.loan().unwrap();
    loan.set_object(Arc::new(Two));
    scene.publisher.publish(loan).unwrap();
    assert!(scene.has_rung());
    assert_eq!(scene.turns(), [6]);
}

#[test]
fn what_the_kernel_does_not_take_is_written_by_the_network_s_thread() {
    let mut scene = Scene::open();
    scene.set_room(7);
    scene.publish(1, 10);
    assert!(scene.has_rung() && scene.written() == wire_of(&[(1, 10)])[..7]);
    scene.set_room(1000);
    scene.publish(2, 10);
    assert!(scene.has_rung() && scene.written().len() == 7, "it waits for the other");
    scene.set_room(0);
    assert_eq!(scene.pump(), Pumped::Later);
    scene.set_room(1000);
    assert_eq!(scene.turns(), [7 + 14]);
    assert_eq!(scene.written(), wire_of(&[(1, 10), (2, 10)]));
}

/// NODE-22: the one does not wait for the other, and looks again.
#[test]
fn what_is_published_while_the_network_s_thread_writes_is_written_by_that() {
    let Scene { mut publisher, mut sending, wire, bell } = Scene::open();
    let mut publish = |fill: u8| {
        let mut loan = publisher.loan().unwrap();
        loan.bytes_mut(3).unwrap().fill(fill);
        publisher.publish(loan).unwrap();
    };
    *wire.room.lock().unwrap() = 0;
    publish(1);
    assert_eq!(bell.answer(), 1 << SOURCE);
    *wire.room.lock().unwrap() = 1000;
    let meanwhile: Option<Box<dyn FnOnce() + '_>> = Some(Box::new(|| publish(2)));
    let pumped = sending.pump(&mut OneWire { wire: wire.clone(), meanwhile }, ID);
    assert_eq!((pumped, bell.answer()), (Ok(Pumped::Later), 0), "it may have come too late for this turn");
    let pumped = sending.pump(&mut OneWire { wire: wire.clone(), meanwhile: None }, ID);
    assert_eq!(pumped, Ok(Pumped::Idle));
    assert_eq!(*wire.written.lock().unwrap(), wire_of(&[(1, 3), (2, 3)]));
}

#[test]
fn what_the_network_s_thread_wanted_while_a_publisher_wrote_is_done_when_that_is_done() {
    let mut scene = Scene::open();
    let pipe = scene.sending.pipe.clone();
    let worked = pipe.desk.work(|line| {
        assert_eq!(scene.pump(), Pumped::Idle);
        line.send_at_once()
    });
    assert_eq!(worked, Some(Worked { result: true, was_called: true }));
    assert_eq!(pipe.look(|line| line.messages), Some(0));
    assert!(!scene.has_rung(), "nobody came");
    assert_eq!(pipe.look(|_| scene.sending.numbers()), Some((0, 0)));
    assert!(scene.has_rung());
}

#[test]
fn who_left_is_not_written_to() {
    let mut scene = Scene::open();
    let Scene { sending, .. } = &mut scene;
    let other = Scene::open().sending;
    drop(core::mem::replace(sending, other));
    scene.publish(1, 3);
    assert!(scene.written().is_empty());
}
