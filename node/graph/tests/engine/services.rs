//! Services and their clients, in virtual time (NODE-58).

#[allow(dead_code)] // each test uses another part of it
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::world::program::kind;
use crate::world::stranger::{Stranger, header};
use crate::world::{REQUEST_BYTES, World};
use tokkyu_graph::{Command, ConnId, Handler, Offer, Request};

const SECOND: Duration = Duration::from_secs(1);

/// What waits for an answer: the program does nothing by itself.
#[derive(Default)]
struct Waiting {
    requests: Mutex<Vec<Request>>,
    left: Mutex<Vec<ConnId>>,
}

impl Waiting {
    fn texts(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().iter().map(|request| request.bytes.clone()).collect()
    }
}

impl Handler for Waiting {
    fn on_request(&self, request: Request) {
        self.requests.lock().unwrap().push(request);
    }

    fn on_left(&self, asker: ConnId) {
        self.requests.lock().unwrap().retain(|request| request.asker != asker);
        self.left.lock().unwrap().push(asker);
    }
}

fn serving(seed: u64) -> (World, Arc<Waiting>) {
    serving_up_to(1000, seed)
}

fn serving_up_to(longest: usize, seed: u64) -> (World, Arc<Waiting>) {
    let (mut world, waiting) = (World::new(seed), Arc::new(Waiting::default()));
    let node = world.add("a");
    let offer = Offer {
        service: "/s".into(),
        kind: kind("abc"),
        longest,
        handler: waiting.clone(),
        done: Box::new(drop),
    };
    world.ask(node, Command::Offer(offer));
    world.run(SECOND);
    (world, waiting)
}

/// A client that has asked that.
fn client(world: &mut World, bytes: &[u8]) -> Stranger {
    let stranger = joined(world);
    stranger.send(world, &request(bytes));
    stranger
}

fn request(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn joined(world: &mut World) -> Stranger {
    let stranger = Stranger::connect(world, "a", 2);
    let fields = [("service", "/s"), ("md5sum", "abc"), ("callerid", "/x"), ("persistent", "1")];
    stranger.send(world, &header(&fields));
    let (said, is_over) = stranger.hear(world);
    assert!(!said.is_empty() && !is_over, "it is served");
    stranger
}

fn close(world: &World, stranger: &Stranger) {
    world.wire.lock().unwrap().close(stranger.end, stranger.id);
}

#[test]
fn what_clients_asked_goes_with_them() {
    for seed in 0..10 {
        let (mut world, waiting) = serving(seed);
        let stays = client(&mut world, b"stays");
        // More than the connections that there may be.
        for number in 0..2000_u32 {
            let leaves = client(&mut world, &number.to_le_bytes());
            if number % 2 == 0 {
                world.run(Duration::from_millis(1));
            }
            close(&world, &leaves);
        }
        world.run(SECOND);
        assert_eq!(waiting.texts(), [b"stays"], "seed {seed}");
        assert_eq!(world.nodes[0].engine.wants().count(), 2, "the master and the client");
        let asker = waiting.requests.lock().unwrap().pop().unwrap().asker;
        world.ask(0, Command::Answer { asker, answer: Ok(b"done".to_vec()) });
        assert_eq!(stays.hear(&mut world), (b"\x01\x04\0\0\0done".to_vec(), false), "seed {seed}");
    }
}

/// NODE-56: whoever comes too many is let go, and comes again once there is room.
#[test]
fn requests_of_all_clients_together_are_bounded() {
    for seed in 0..10 {
        let (mut world, waiting) = serving_up_to(REQUEST_BYTES, seed);
        let half = vec![1; REQUEST_BYTES / 2];
        let (first, second) = (client(&mut world, &half), client(&mut world, &half[1..]));
        let third = client(&mut world, b"a few");
        assert_eq!([&first, &second, &third].map(|client| client.hear(&mut world).1), [false, false, true]);
        assert_eq!(waiting.requests.lock().unwrap().len(), 2, "the third is not called, seed {seed}");
        assert!(world.nodes[0].said.has("/x is refused by /s"));
        // What is not whole yet counts as well.
        close(&world, &second);
        world.run(SECOND);
        let (comes, whole) = (joined(&mut world), request(&half));
        comes.send(&mut world, &whole[..whole.len() - 1]);
        world.run(SECOND);
        let again = client(&mut world, b"a few");
        assert_eq!([&first, &comes, &again].map(|client| client.hear(&mut world).1), [false, false, true]);
        close(&world, &comes);
        world.run(SECOND);
        let _last = client(&mut world, b"a few");
        world.run(SECOND);
        assert!(waiting.texts().contains(&b"a few".to_vec()), "there is room again");
    }
}

/// The answer to who left goes to nobody, also not to who came into its place.
#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let (mut world, waiting) = serving(11);
    let leaves = client(&mut world, b"leaves");
    world.run(SECOND);
    let begun = waiting.requests.lock().unwrap().pop().unwrap();
    close(&world, &leaves);
    world.run(SECOND);
    assert_eq!(*waiting.left.lock().unwrap(), [begun.asker]);
    let next = client(&mut world, b"next");
    world.run(SECOND);
    world.ask(0, Command::Answer { asker: begun.asker, answer: Ok(b"for nobody".to_vec()) });
    assert_eq!(next.hear(&mut world), (Vec::new(), false));
    assert_eq!(waiting.texts(), [b"next"]);
    assert!(world.nodes[0].said.has("/x has left before /s answered"));
}
