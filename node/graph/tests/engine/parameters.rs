//! Parameters that are watched, and what anybody says of them, in virtual time (NODE-100).

#[allow(dead_code)] // each test uses another part of it
use std::time::Duration;

use crate::world::program::Told;
use crate::world::stranger::Stranger;
use crate::world::{MASTER, World};
use tokkyu_graph::{Command, ConnId, Listener, Param};
use tokkyu_ros1::http::{write_request_head, write_response_head};
use tokkyu_ros1::xmlrpc::Writer;

const SECOND: Duration = Duration::from_secs(1);

/// Somebody says that a parameter has that value, and is answered that it was heard.
fn update(world: &mut World, key: &str, value: i32) {
    let mut body = String::new();
    let written = Writer::call(&mut body, "paramUpdate", |params| {
        params.string("/master")?;
        params.string(key)?;
        params.int(value)
    });
    written.expect("a call");
    let mut request = String::new();
    write_request_head(&mut request, "a:1", "/", body.len()).expect("a head");
    let stranger = Stranger::connect(world, "a", 1);
    stranger.send(world, (request + &body).as_bytes());
    let (heard, _) = stranger.hear(world);
    let heard = String::from_utf8_lossy(&heard).into_owned();
    assert!(heard.contains("<array><data><value><int>1</int></value>"), "{key}: {heard}");
}

/// What the program was told since it was asked last.
fn told(world: &World) -> Vec<Told> {
    world.nodes[0].said.params.take()
}

fn watching(seed: u64, keys: &[&str]) -> World {
    let mut world = World::new(seed);
    let node = world.add("a");
    keys.iter().for_each(|key| world.ask(node, Command::Watch { key: (*key).to_owned() }));
    world.run(SECOND);
    let first: Vec<String> = told(&world).into_iter().map(|(key, _)| key).collect();
    assert_eq!(first, keys, "the master's answer");
    world
}

#[test]
fn what_nobody_watches_is_answered_and_not_kept() {
    let mut world = watching(1, &["/a/b"]);
    for key in ["/c", "/a", "/", "/a/bc", "/a/", "a/b", "", "/b/a/b"] {
        update(&mut world, key, 1);
        assert_eq!(told(&world), [], "{key}");
    }
    let mut nobody = watching(2, &[]);
    (0..50).for_each(|number| update(&mut nobody, &format!("/stranger{number}"), number));
    assert_eq!(told(&nobody), []);
}

#[test]
fn what_is_watched_comes_however_its_name_is_written() {
    let mut world = watching(3, &["/a/b"]);
    // As the master writes it.
    for key in ["/a/b/", "/a/b", "//a//b"] {
        update(&mut world, key, 7);
        assert_eq!(told(&world), [("/a/b".to_owned(), Some(Param::Int(7)))], "{key}");
    }
}

#[test]
fn what_changes_below_a_watched_namespace_makes_it_stale() {
    let mut world = watching(4, &["/", "/a", "/a/b/c"]);
    update(&mut world, "/a/b/c/", 1);
    let stale = |key: &str| (key.to_owned(), None);
    let value = |value| ("/a/b/c".to_owned(), Some(Param::Int(value)));
    assert_eq!(told(&world), [value(1), stale("/a"), stale("/")]);
    update(&mut world, "/a/x/", 1);
    assert_eq!(told(&world), [stale("/a"), stale("/")]);
    // The program wants it again.
    world.ask(0, Command::Watch { key: "/a".into() });
    world.run(SECOND);
    let again = told(&world);
    assert!(matches!(&again[..], [(key, Some(_))] if key == "/a"), "{again:?}");
}

/// The master's answer was on its way when the master told of a change.
#[test]
fn an_answer_is_older_than_the_change_that_overtook_it() {
    let mut world = World::new(5);
    world.stop_master();
    let by_hand = world.wire.lock().unwrap().add_end();
    world.wire.lock().unwrap().listen(by_hand, Listener::Slave, MASTER.0, MASTER.1);
    let node = world.add("a");
    world.ask(node, Command::Watch { key: "/a".into() });
    world.run(Duration::from_millis(1));
    let master = Stranger { end: by_hand, id: ConnId(1) };
    world.wire.lock().unwrap().accept(by_hand, Listener::Slave, master.id).expect("it calls");
    world.run(SECOND);
    update(&mut world, "/a/", 5);
    assert_eq!(told(&world), [("/a".to_owned(), Some(Param::Int(5)))]);
    let mut answer = String::new();
    Writer::triple(&mut answer, 1, "", |value| value.int(4)).expect("an answer");
    let mut head = String::new();
    write_response_head(&mut head, 200, answer.len(), true).expect("a head");
    master.send(&mut world, (head + &answer).as_bytes());
    world.run(SECOND);
    assert_eq!(told(&world), []);
    // It was heard: what changes from here on comes, and what is asked for.
    world.ask(node, Command::Watch { key: "/a".into() });
    let (asked, _) = master.hear(&mut world);
    assert!(String::from_utf8_lossy(&asked).matches("subscribeParam").count() == 2, "asked again");
}
