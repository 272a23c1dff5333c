//! Nodes, a master, and what goes wrong between them, in virtual time (SPEC, section 5).

#[allow(dead_code)] // each test uses another part of it
use std::time::Duration;

use crate::world::program::{Inbox, Outbox, advertise, subscribe};
use crate::world::stranger::{Stranger, header};
use crate::world::{MASTER, World};
use tokkyu_contract::Class;
use tokkyu_graph::{Advertise, Call, Command, ConnId, Failure, Io, Listener};
use tokkyu_ros1::http::write_request_head;
use tokkyu_ros1::xmlrpc::Writer;

const SECOND: Duration = Duration::from_secs(1);

/// A node that publishes `topic`, and its publisher.
fn talker(world: &mut World, name: &str, topic: &str) -> (usize, Outbox) {
    let node = world.add(name);
    let (outbox, command) = advertise(topic, "abc", 8, false);
    world.ask(node, command);
    (node, outbox)
}

fn listener(world: &mut World, name: &str, topic: &str) -> (usize, std::sync::Arc<Inbox>) {
    let (node, inbox) = (world.add(name), Inbox::new(8));
    world.ask(node, subscribe(topic, "abc", &inbox));
    (node, inbox)
}

/// A message that tells its place: torn or doubled it would differ.
fn message(number: u8, len: usize) -> Vec<u8> {
    (0..len).map(|at| number.wrapping_add(at as u8)).collect()
}

/// NODE-52 to NODE-54, whatever pieces the network makes of it, and whoever came first.
#[test]
fn messages_arrive_whole_and_in_order() {
    for seed in 0..40 {
        let mut world = World::new(seed);
        let (first, inbox, mut outbox);
        if seed % 2 == 0 {
            (first, outbox) = talker(&mut world, "a", "/t");
            world.run(SECOND);
            (_, inbox) = listener(&mut world, "b", "/t");
        } else {
            (_, inbox) = listener(&mut world, "b", "/t");
            world.run(SECOND);
            (first, outbox) = talker(&mut world, "a", "/t");
        }
        world.run(SECOND);
        let lengths = [0, 1, 5, 4000, 70_000, 3, 0, 300_000];
        let sent: Vec<Vec<u8>> = (0..).zip(lengths).map(|(number, len)| message(number, len)).collect();
        sent.iter().for_each(|bytes| outbox.publish(bytes));
        world.run(SECOND);
        assert_eq!(inbox.bytes(), sent, "seed {seed}");
        let origin = &inbox.origins()[0];
        assert_eq!((&origin.callerid[..], &origin.md5sum[..]), ("/a", "abc"));
        assert_eq!(origin.definition, "uint8[] data");
        assert!(world.nodes[first].said.lines.borrow().is_empty());
    }
}

/// NODE-54: what publishing takes does not grow with those who subscribe.
#[test]
fn four_subscribers_are_written_to_where_it_is_published_and_all_get_it() {
    for seed in 0..10 {
        let mut world = World::new(seed);
        let (_, mut outbox) = talker(&mut world, "a", "/t");
        let inboxes: Vec<_> =
            ["b", "c", "d", "e", "f", "g"].map(|name| listener(&mut world, name, "/t").1).into();
        world.run(SECOND);
        for number in 0..40 {
            let sent = message(number, 9);
            outbox.publish(&sent);
            world.run(SECOND);
            assert!(inboxes.iter().all(|inbox| inbox.bytes() == [&sent[..]]), "seed {seed}");
        }
        assert_eq!(world.wire.lock().unwrap().busy(), 0);
        outbox.publish(&message(40, 9));
        assert_eq!(world.wire.lock().unwrap().busy(), 4, "seed {seed}");
    }
}

/// NODE-50: a master that comes back, or comes late, knows everything again.
#[test]
fn a_master_that_is_started_anew_is_told_everything() {
    (0..40).for_each(a_master_is_started_anew);
}

fn a_master_is_started_anew(seed: u64) {
    let mut world = World::new(seed);
    world.stop_master();
    let (node, mut outbox) = talker(&mut world, "a", "/t");
    let (b, inbox) = (world.add("b"), Inbox::new(128));
    world.ask(b, subscribe("/t", "abc", &inbox));
    world.run(30 * SECOND);
    assert!(world.nodes[node].said.has("no master at http://master:11311/"));
    for round in 0..3 {
        world.start_master();
        // What is linked already stays so all the while.
        for number in 0..100 {
            world.run(Duration::from_millis(30));
            outbox.publish(&[number]);
        }
        world.run(SECOND);
        let heard = inbox.bytes();
        assert!(
            round == 0 || heard == (0..100).map(|number| [number]).collect::<Vec<_>>(),
            "seed {seed}: {heard:?}"
        );
        let master = world.master.as_ref().unwrap();
        assert_eq!(master.publishers_of("/t"), [world.nodes[node].uri.clone()], "seed {seed}, round {round}");
        outbox.publish(&[round]);
        world.run(SECOND);
        assert_eq!(inbox.bytes(), [[round]], "seed {seed}, round {round}");
        world.stop_master();
        // What is connected stays connected.
        outbox.publish(&[100 + round]);
        world.run(SECOND);
        assert_eq!(inbox.bytes(), [[100 + round]], "seed {seed}, round {round}");
    }
    let said = world.nodes[node].said.lines.borrow();
    assert_eq!(said.len(), 7, "once when it was lost, once when it was there: {said:?}");
}

/// NODE-50: a call that does not wait for a master fails as soon as there is none.
#[test]
fn a_call_that_does_not_wait_fails_at_once_without_a_master() {
    let mut world = World::new(11);
    world.stop_master();
    let (node, _outbox) = talker(&mut world, "a", "/t");
    for _ in 0..3 {
        world.run(20 * SECOND);
        let answer = std::sync::Arc::new(std::sync::Mutex::new(None));
        let told = answer.clone();
        let done = Box::new(move |result| *told.lock().unwrap() = Some(result));
        world.ask(node, Command::Call(Call { body: String::new(), waits: false, done }));
        world.run(Duration::from_millis(1));
        assert_eq!(*answer.lock().unwrap(), Some(Err(Failure::NoAnswer)));
    }
    world.start_master();
    world.run(3 * SECOND);
    assert_eq!(world.master.as_ref().unwrap().has_called("registerPublisher"), 1);
}

/// NODE-53: tried again, and let go when the master says so.
#[test]
fn a_publisher_that_was_away_is_found_again() {
    let mut world = World::new(2);
    let (_, inbox) = listener(&mut world, "b", "/t");
    let (talker, mut outbox) = talker(&mut world, "a", "/t");
    world.run(SECOND);
    world.wire.lock().unwrap().end_listening("a", 2);
    // The link breaks, and nobody answers for a while.
    let end = world.nodes[talker].number;
    let broken: Vec<ConnId> = world.nodes[talker].engine.wants().map(|wants| wants.id).collect();
    broken.iter().for_each(|id| world.wire.lock().unwrap().close(end, *id));
    world.run(10 * SECOND);
    assert_eq!(inbox.gone(), 1);
    world.wire.lock().unwrap().listen(end, Listener::Data, "a", 2);
    world.run(25 * SECOND);
    outbox.publish(b"again");
    world.run(SECOND);
    assert_eq!(inbox.bytes(), [b"again"]);
    let (uri, wire) = (world.nodes[0].uri.clone(), world.wire.clone());
    world.master.as_mut().unwrap().tell(&wire, &uri, "/t", &[]);
    world.run(SECOND);
    outbox.publish(b"nobody");
    world.run(30 * SECOND);
    assert_eq!((inbox.bytes().len(), inbox.gone()), (0, 2));
}

/// NODE-52, NODE-53: both ends say why.
#[test]
fn another_md5sum_is_refused_by_both_ends() {
    let mut world = World::new(3);
    let (a, mut outbox) = talker(&mut world, "a", "/t");
    let (b, inbox) = (world.add("b"), Inbox::new(8));
    world.ask(b, subscribe("/t", "other", &inbox));
    world.run(60 * SECOND);
    outbox.publish(b"x");
    world.run(SECOND);
    assert!(inbox.take().is_empty());
    assert!(
        world.nodes[a].said.has("/b asked for /t as test/Bytes [other], and it is test/Bytes [abc] here")
    );
    assert!(world.nodes[b].said.has("the publisher refuses"));
    assert_eq!(world.nodes[a].said.lines.borrow().len(), 1, "asked once, not again and again");
}

/// NODE-52: of who does not read the oldest are lost, and nobody else waits.
#[test]
fn a_subscriber_that_does_not_read_loses_its_oldest() {
    let mut world = World::new(4);
    let (_, mut outbox) = talker(&mut world, "a", "/t");
    let (slow, slow_inbox) = (world.add("slow"), Inbox::new(64));
    world.ask(slow, subscribe("/t", "abc", &slow_inbox));
    let (_, inbox) = listener(&mut world, "b", "/t");
    world.run(SECOND);
    let slow = world.nodes[slow].number;
    world.wire.lock().unwrap().deaf.push(slow);
    for number in 0..40 {
        outbox.publish(&message(number, 3000));
        world.run(SECOND);
        assert_eq!(inbox.bytes(), [message(number, 3000)]);
    }
    world.wire.lock().unwrap().deaf.clear();
    world.run(SECOND);
    let late = slow_inbox.bytes();
    assert_eq!(late.last(), Some(&message(39, 3000)));
    // One or two under way, and a queue of 8.
    assert!((9..=11).contains(&late.len()), "{} arrived", late.len());
    assert!(late.iter().all(|bytes| bytes.len() == 3000 && *bytes == message(bytes[0], 3000)));
    assert!(late.is_sorted_by_key(|bytes| bytes[0]));
}

/// NODE-52, NODE-56.
#[test]
fn strangers_are_told_what_is_wrong_and_let_go() {
    let mut world = World::new(5);
    let (node, mut outbox) = talker(&mut world, "a", "/t");
    world.run(SECOND);
    let cases: [(Vec<u8>, &str); 6] = [
        (header(&[]), "neither topic nor service"),
        (header(&[("topic", "/t")]), "no md5sum"),
        (header(&[("topic", "/t"), ("md5sum", "abc")]), "no type"),
        (header(&[("topic", "/u"), ("md5sum", "abc"), ("type", "*")]), "/u is not published here"),
        (header(&[("topic", "/t"), ("md5sum", "x"), ("type", "*")]), "asked for /t as * [x]"),
        (2_000_000_000_u32.to_le_bytes().to_vec(), "2000000000 bytes"),
    ];
    for (greeting, wanted) in cases {
        let stranger = Stranger::connect(&mut world, "a", 2);
        stranger.send(&mut world, &greeting);
        let (heard, is_over) = stranger.hear(&mut world);
        let heard = String::from_utf8_lossy(&heard).into_owned();
        assert!(heard.contains("error=") && heard.contains(wanted) && is_over, "{wanted}: {heard}");
    }
    let mute = Stranger::connect(&mut world, "a", 2);
    world.run(3 * SECOND);
    assert!(!mute.hear(&mut world).1);
    world.run(2 * SECOND);
    assert!(mute.hear(&mut world).1, "half open for more than five seconds");
    // Any type, as rostopic asks.
    let any = Stranger::connect(&mut world, "a", 2);
    any.send(&mut world, &header(&[("topic", "/t"), ("md5sum", "*"), ("type", "*")]));
    let (heard, _) = any.hear(&mut world);
    assert!(String::from_utf8_lossy(&heard).contains("message_definition=uint8[] data"));
    outbox.publish(b"hi");
    assert_eq!(any.hear(&mut world), (b"\x02\0\0\0hi".to_vec(), false));
    assert_eq!(world.nodes[node].engine.wants().count(), 2, "the master and the one that stayed");
}

/// NODE-56.
#[test]
fn small_messages_are_sent_at_once_to_who_asks_for_it() {
    let mut world = World::new(12);
    let (node, _outbox) = talker(&mut world, "a", "/t");
    world.run(SECOND);
    let node = world.nodes[node].number;
    for (asked, told) in [(None, vec![]), (Some("0"), vec![]), (Some("1"), vec![(node, true)])] {
        let fields = [("topic", "/t"), ("md5sum", "*"), ("type", "*")].into_iter();
        let fields: Vec<_> = fields.chain(asked.map(|asked| ("tcp_nodelay", asked))).collect();
        let stranger = Stranger::connect(&mut world, "a", 2);
        stranger.send(&mut world, &header(&fields));
        assert!(!stranger.hear(&mut world).1, "it is accepted");
        assert_eq!(std::mem::take(&mut world.wire.lock().unwrap().no_delay), told, "{asked:?}");
    }
}

/// NODE-56: a subscriber of roscpp's or rospy's does not ask by itself.
#[test]
fn commands_are_sent_at_once_to_whoever_subscribes() {
    let mut world = World::new(12);
    let node = world.add("a");
    let (_outbox, command) = advertise("/t", "abc", 8, false);
    let Command::Advertise(advertise) = command else { panic!("it advertises") };
    world.ask(node, Command::Advertise(Advertise { class: Class::Control, ..advertise }));
    world.run(SECOND);
    let node = world.nodes[node].number;
    let stranger = Stranger::connect(&mut world, "a", 2);
    stranger.send(&mut world, &header(&[("topic", "/t"), ("md5sum", "*"), ("type", "*")]));
    assert!(!stranger.hear(&mut world).1, "it is accepted");
    assert_eq!(world.wire.lock().unwrap().no_delay, [(node, true)]);
}

/// NODE-56: who asks and does not read is not asked for more, and is answered once it reads.
#[test]
fn who_asks_and_never_reads_takes_no_memory() {
    let mut world = World::new(7);
    let _topics: Vec<_> = (0..20).map(|number| talker(&mut world, "a", &format!("/topic{number}"))).collect();
    world.run(SECOND);
    let mut body = String::new();
    Writer::call(&mut body, "getPublications", |params| params.string("/x")).expect("a call");
    let mut request = String::new();
    write_request_head(&mut request, "a:1", "/", body.len()).expect("a head");
    request += &body;
    let stranger = Stranger::connect(&mut world, "a", 1);
    let mut sent = 0;
    let all = request.repeat(5000);
    // What is not taken within a second is not taken.
    for _ in 0..2000 {
        match world.wire.lock().unwrap().write(stranger.end, stranger.id, &all.as_bytes()[sent..]) {
            Io::Done(count) => sent += count,
            Io::Later => {}
            Io::Over => panic!("let go after {sent} bytes"),
        }
        world.run(Duration::from_millis(1));
    }
    assert!(sent < 100_000, "{sent} bytes of {} were taken", all.len());
    let (heard, is_over) = stranger.hear(&mut world);
    let answers = String::from_utf8_lossy(&heard).matches("200 OK").count();
    assert!(!is_over && answers == sent / request.len(), "{answers} answers, {sent} bytes");
}

/// NODE-53, NODE-56: a publisher that lies about its length.
#[test]
fn a_message_that_is_too_long_ends_its_connection() {
    let mut world = World::new(6);
    let (node, inbox) = listener(&mut world, "b", "/t");
    let fake = world.wire.lock().unwrap().add_end();
    for (listener, port) in [(Listener::Slave, 1), (Listener::Data, 2)] {
        world.wire.lock().unwrap().listen(fake, listener, "fake", port);
    }
    world.run(SECOND);
    let (uri, wire) = (world.nodes[node].uri.clone(), world.wire.clone());
    world.master.as_mut().unwrap().tell(&wire, &uri, "/t", &["http://fake:1/".to_owned()]);
    world.run(Duration::from_millis(1));
    let stranger = Stranger { end: fake, id: ConnId(7) };
    world.wire.lock().unwrap().accept(fake, Listener::Slave, ConnId(7)).expect("it asks");
    let body = "<?xml version=\"1.0\"?><methodResponse><params><param><value><array><data><value><i4>1</i4></value><value></value>\
                <value><array><data><value>TCPROS</value><value>fake</value><value><i4>2</i4></value></data></array></value>\
                </data></array></value></param></params></methodResponse>";
    stranger.send(
        &mut world,
        format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
    );
    world.run(Duration::from_millis(1));
    let data = Stranger { end: fake, id: ConnId(8) };
    world.wire.lock().unwrap().accept(fake, Listener::Data, ConnId(8)).expect("it connects");
    data.send(&mut world, &header(&[("md5sum", "abc"), ("type", "test/Bytes"), ("callerid", "/fake")]));
    data.send(&mut world, b"\x01\0\0\0x");
    world.run(Duration::from_millis(1));
    assert_eq!(inbox.take(), [("/fake".to_owned(), b"x".to_vec())]);
    data.send(&mut world, &2_000_000_000_u32.to_le_bytes());
    assert!(data.hear(&mut world).1);
    assert!(world.nodes[node].said.has("2000000000 bytes"));
}

/// NODE-55: in one node nothing goes over TCP, and no master is needed.
#[test]
fn topics_inside_a_node_need_neither_master_nor_network() {
    let mut world = World::new(7);
    world.stop_master();
    let (node, mut outbox) = talker(&mut world, "a", "/t");
    let inbox = Inbox::new(8);
    world.ask(node, subscribe("/t", "abc", &inbox));
    outbox.publish(b"near");
    assert_eq!(inbox.take(), [("/a".to_owned(), b"near".to_vec())]);
    world.start_master();
    world.run(5 * SECOND);
    outbox.publish(b"still");
    world.run(SECOND);
    assert_eq!(inbox.bytes(), [b"still"], "once");
    let other = Inbox::new(8);
    world.ask(node, subscribe("/t", "different", &other));
    assert!(other.origins().is_empty(), "another type in the same node");
    world.ask(node, Command::Unadvertise { topic: "/t".into() });
    assert_eq!(inbox.gone(), 1);
}

/// NODE-52: the last one, to who comes later.
#[test]
fn a_latched_topic_gives_its_last_message_to_who_comes_later() {
    let mut world = World::new(8);
    let node = world.add("a");
    let (mut outbox, command) = advertise("/t", "abc", 1, true);
    world.ask(node, command);
    outbox.publish(b"old");
    outbox.publish(b"last");
    let (b, inbox) = listener(&mut world, "b", "/t");
    world.run(SECOND);
    assert_eq!(inbox.bytes(), [b"last"]);
    assert!(inbox.origins()[0].is_latched);
    let second = Inbox::new(8);
    world.ask(b, subscribe("/t", "abc", &second));
    world.run(SECOND);
    assert_eq!(second.bytes(), [b"last"], "over the same connection");
}

/// NODE-59.
#[test]
fn a_node_that_ends_says_so_to_the_master() {
    let mut world = World::new(9);
    let (node, _outbox) = talker(&mut world, "a", "/t");
    let inbox = Inbox::new(1);
    world.ask(node, subscribe("/u", "abc", &inbox));
    world.run(SECOND);
    world.ask(node, Command::Shutdown);
    assert!(!world.nodes[node].engine.is_over());
    world.run(Duration::from_millis(10));
    assert!(world.nodes[node].engine.is_over());
    let master = world.master.as_ref().unwrap();
    assert_eq!((master.has_called("unregisterPublisher"), master.has_called("unregisterSubscriber")), (1, 1));
    assert!(master.publishers_of("/t").is_empty());
    // And without a master it does not take for ever.
    let (other, _outbox) = talker(&mut world, "b", "/t");
    world.run(SECOND);
    world.stop_master();
    world.run(SECOND);
    world.ask(other, Command::Shutdown);
    world.run(2 * SECOND);
    assert!(world.nodes[other].engine.is_over());
    assert_eq!(MASTER.1, 11311);
}
