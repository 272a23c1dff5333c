//! More publishers than a node connects to, in virtual time (NODE-102).

#[allow(dead_code)] // each test uses another part of it
use std::time::Duration;

use crate::world::World;
use crate::world::program::{Inbox, advertise, subscribe};
use crate::world::stranger::{Stranger, header};
use tokkyu_graph::{Command, Listener};

const SECOND: Duration = Duration::from_secs(1);
/// Of one topic, of all.
const MOST: (usize, usize) = (512, 768);

/// Publishers of which none ever answers.
fn silent(world: &mut World, count: u16) -> Vec<String> {
    let end = world.wire.lock().unwrap().add_end();
    let ports = 1000..1000 + count;
    ports.clone().for_each(|port| world.wire.lock().unwrap().listen(end, Listener::Slave, "silent", port));
    ports.map(|port| format!("http://silent:{port}/")).collect()
}

fn tell(world: &mut World, node: usize, topic: &str, uris: &[String]) {
    let (uri, wire) = (world.nodes[node].uri.clone(), world.wire.clone());
    world.master.as_mut().unwrap().tell(&wire, &uri, topic, uris);
}

fn connections(world: &World, node: usize) -> usize {
    world.nodes[node].engine.wants().count()
}

#[test]
fn publishers_of_one_topic_leave_room_for_all_else() {
    let mut world = World::new(1);
    let (node, inbox) = (world.add("a"), Inbox::new(8));
    world.ask(node, subscribe("/in", "abc", &inbox));
    let (mut outbox, command) = advertise("/out", "abc", 8, false);
    world.ask(node, command);
    world.run(SECOND);
    let names = silent(&mut world, 1000);
    let before = connections(&world, node);
    tell(&mut world, node, "/in", &names);
    world.run(SECOND);
    // The master's own call is one.
    assert_eq!(connections(&world, node), before + MOST.0 + 1);
    assert!(world.nodes[node].said.has("/in has more publishers than are connected to at once"));
    let reader = Stranger::connect(&mut world, "a", 2);
    reader.send(&mut world, &header(&[("topic", "/out"), ("md5sum", "*"), ("type", "*")]));
    assert!(!reader.hear(&mut world).0.is_empty());
    outbox.publish(b"hi");
    assert_eq!(reader.hear(&mut world), (b"\x02\0\0\0hi".to_vec(), false));
    world.run(20 * SECOND);
    assert_eq!(world.nodes[node].said.lines.borrow().len(), 1, "once");
}

#[test]
fn publishers_of_many_topics_leave_room_for_all_else() {
    let mut world = World::new(2);
    let (node, inbox) = (world.add("a"), Inbox::new(8));
    let topics = ["/a", "/b", "/c", "/d"];
    topics.iter().for_each(|topic| world.ask(node, subscribe(topic, "abc", &inbox)));
    world.run(SECOND);
    let names = silent(&mut world, 400);
    let before = connections(&world, node);
    topics.iter().for_each(|topic| tell(&mut world, node, topic, &names));
    world.run(SECOND);
    assert_eq!(connections(&world, node), before + MOST.1 + topics.len());
    world.ask(node, Command::Watch { key: "/param".into() });
    world.run(SECOND);
    assert_eq!(world.master.as_ref().unwrap().has_called("subscribeParam"), 1);
}

/// Whoever is named last: each gets its turn.
#[test]
fn a_publisher_that_there_was_no_room_for_is_heard_in_the_end() {
    let mut world = World::new(3);
    let (node, inbox) = (world.add("a"), Inbox::new(8));
    world.ask(node, subscribe("/in", "abc", &inbox));
    let good = world.add("zz");
    let (mut outbox, command) = advertise("/in", "abc", 8, false);
    world.run(SECOND);
    // Three turns of five seconds; those of the first want another one before it.
    let names = silent(&mut world, 1200);
    world.ask(good, command);
    world.run(SECOND);
    // It is let go, and named again once the others have taken all.
    tell(&mut world, node, "/in", &names);
    world.run(Duration::from_millis(1));
    let all = [names, vec![world.nodes[good].uri.clone()]].concat();
    tell(&mut world, node, "/in", &all);
    world.run(11 * SECOND);
    outbox.publish(b"last");
    world.run(SECOND);
    assert_eq!(inbox.bytes(), [b"last"]);
}
