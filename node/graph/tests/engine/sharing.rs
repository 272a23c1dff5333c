//! Nodes of one device that settle to share memory, in virtual time (SPEC, section 7).

#[allow(dead_code)] // each test uses another part of it
use std::sync::Arc;
use std::time::Duration;

use crate::world::World;
use crate::world::program::{Inbox, Outbox, advertise_lent, subscribe};
use crate::world::shared::{Borrows, Lent, Said};
use crate::world::stranger::{Stranger, header};
use tokkyu_graph::{Command, Listening, Receipts, Subscriber};

const SECOND: Duration = Duration::from_secs(1);
const DEVICE: Option<&str> = Some("one");

fn talker(world: &mut World, lent: Lent) -> (usize, Arc<Lent>, Outbox) {
    let (node, lent) = (world.add_on("a", DEVICE), Arc::new(lent));
    let (outbox, command) = advertise_lent("/t", "abc", 8, false, Some(lent.clone()));
    world.ask(node, command);
    (node, lent, outbox)
}

fn listener(world: &mut World, refuses: bool) -> (usize, Arc<Borrows>) {
    let (node, borrows) = (world.add_on("b", DEVICE), Borrows::new(3, refuses));
    world.ask(node, subscribe("/t", "abc", &borrows));
    (node, borrows)
}

fn unsubscribe(world: &mut World, node: usize, subscriber: &Arc<Borrows>) {
    let subscriber: Arc<dyn Subscriber> = subscriber.clone();
    world.ask(node, Command::Unsubscribe { topic: "/t".into(), subscriber });
}

fn opened() -> Said {
    Said::Opened("the lender".into())
}

fn bell(source: u32) -> Listening {
    Listening { bell: "a bell".into(), source, receipts: None }
}

/// NODE-80, NODE-81: no sample goes over the connection; another device gets TCPROS from the same publisher.
#[test]
fn nodes_of_one_device_share_and_others_do_not() {
    for seed in 0..40 {
        let mut world = World::new(seed);
        let (_, lent, mut outbox) = talker(&mut world, Lent::default());
        let (_, borrows) = listener(&mut world, false);
        let far: Vec<Arc<Inbox>> = [None, Some("two")]
            .map(|device| {
                let (node, inbox) = (world.add_on(device.unwrap_or("none"), device), Inbox::new(8));
                world.ask(node, subscribe("/t", "abc", &inbox));
                inbox
            })
            .into();
        world.run(SECOND);
        assert_eq!(lent.bells(), [bell(3)], "seed {seed}");
        assert_eq!(borrows.said(), [opened(), Said::Linked], "seed {seed}");
        outbox.publish(b"hi");
        world.run(10 * SECOND);
        assert_eq!(borrows.inbox.bytes(), Vec::<Vec<u8>>::new(), "nothing over TCP");
        far.iter().for_each(|inbox| assert_eq!(inbox.bytes(), [b"hi"], "seed {seed}"));
        assert_eq!(lent.counts(), (1, 0), "nobody asked again, nobody left");
    }
}

/// NODE-81: each subscription of a node has its bell, comes and goes by itself.
#[test]
fn subscriptions_of_a_node_come_and_go() {
    for seed in 0..40 {
        let mut world = World::new(seed);
        let (_, lent, _outbox) = talker(&mut world, Lent::default());
        let (node, first) = listener(&mut world, false);
        if seed % 2 == 0 {
            world.run(SECOND);
        }
        let second = Borrows::new(5, false);
        world.ask(node, subscribe("/t", "abc", &second));
        world.run(SECOND);
        assert_eq!(lent.bells(), [bell(3), bell(5)], "seed {seed}");
        unsubscribe(&mut world, node, &first);
        world.run(SECOND);
        assert_eq!(lent.bells(), [bell(5)], "seed {seed}");
        assert_eq!(
            (first.said(), second.said()),
            (vec![opened(), Said::Linked], vec![opened(), Said::Linked])
        );
        unsubscribe(&mut world, node, &second);
        world.run(SECOND);
        assert_eq!(lent.bells(), [], "seed {seed}");
        assert_eq!(lent.counts(), (1, 1), "taken back once the connection ended");
    }
}

/// NODE-83: whichever end cannot, it goes by TCPROS at once, and is not tried again.
#[test]
fn what_cannot_be_shared_goes_over_tcp() {
    let unable = [
        (Lent::that_refuses(true, false), false, "no memory", 0),
        (Lent::that_refuses(false, true), false, "no such bell", 1),
        (Lent::default(), true, "no such file", 1),
    ];
    for (seed, (lent, refuses, reason, opens)) in (0..).zip(unable) {
        let mut world = World::new(seed);
        let (a, lent, mut outbox) = talker(&mut world, lent);
        let (b, borrows) = listener(&mut world, refuses);
        world.run(SECOND);
        outbox.publish(b"hi");
        world.run(30 * SECOND);
        assert_eq!(borrows.inbox.bytes(), [b"hi"], "{reason}");
        assert_eq!((lent.bells().len(), lent.counts().0), (0, 1), "{reason}");
        assert_eq!(borrows.said().iter().filter(|said| **said == opened()).count(), opens, "{reason}");
        let lines = [a, b].map(|node| world.nodes[node].said.lines.borrow().clone()).concat();
        let told = lines.iter().filter(|(_, line)| line.contains("TCPROS") && line.contains(reason));
        assert_eq!(told.count(), 1, "{reason}: {lines:?}");
    }
}

/// NODE-81: a publisher that ends is gone for its subscriptions, and one that comes again is borrowed from again.
#[test]
fn a_publisher_comes_and_goes() {
    let mut world = World::new(3);
    let (a, lent, outbox) = talker(&mut world, Lent::default());
    let (_, borrows) = listener(&mut world, false);
    world.run(SECOND);
    world.ask(a, Command::Unadvertise { topic: "/t".into() });
    drop(outbox);
    world.run(SECOND);
    assert_eq!((lent.bells(), lent.counts()), (vec![], (1, 1)));
    assert_eq!(borrows.said(), [opened(), Said::Linked, Said::Gone]);
    let again = Arc::new(Lent::default());
    let (_outbox, command) = advertise_lent("/t", "abc", 8, false, Some(again.clone()));
    world.ask(a, command);
    world.run(SECOND);
    assert_eq!(again.bells(), [bell(3)]);
    assert_eq!(borrows.said()[3..], [opened(), Said::Linked]);
}

/// NODE-86: the publisher is told where a reliable subscription says what it has taken, beside one that is not.
#[test]
fn a_reliable_subscription_says_where_its_receipts_are() {
    let mut world = World::new(5);
    let (_, lent, _outbox) = talker(&mut world, Lent::default());
    let (node, plain) = listener(&mut world, false);
    world.run(SECOND);
    let reliable = Borrows::reliable(4, 17, 250);
    world.ask(node, subscribe("/t", "abc", &reliable));
    world.run(SECOND);
    let listening = Listening { receipts: Some(Receipts { word: 17, depth: 250 }), ..bell(4) };
    assert_eq!(lent.bells(), [bell(3), listening]);
    unsubscribe(&mut world, node, &reliable);
    world.run(SECOND);
    assert_eq!((lent.bells(), plain.said()), (vec![bell(3)], vec![opened(), Said::Linked]));
}

fn greets(world: &mut World, device: &str) -> (Stranger, String) {
    let stranger = Stranger::connect(world, "a", 2);
    let fields = [("topic", "/t"), ("md5sum", "abc"), ("type", "*"), ("tokkyu_device", device)];
    stranger.send(world, &header(&fields));
    let (heard, is_over) = stranger.hear(world);
    assert!(!is_over);
    (stranger, String::from_utf8_lossy(&heard).into_owned())
}

/// NODE-80, NODE-81: what is no frame ends the connection, with its bells; so does silence.
#[test]
fn strangers_that_say_nonsense_are_let_go() {
    let mut world = World::new(9);
    let (_, lent, _outbox) = talker(&mut world, Lent::default());
    world.run(SECOND);
    assert!(!greets(&mut world, "another").1.contains("tokkyu_lender"));
    let bell = |name, source| header(&[(name, "x"), ("tokkyu_source", source)]);
    // With the one that each has.
    let seventeen: Vec<u8> = (0..16).flat_map(|_| bell("tokkyu_bell", "1")).collect();
    let receipts =
        |fields: &[(&str, &str)]| header(&[&[("tokkyu_bell", "x"), ("tokkyu_source", "1")], fields].concat());
    let cases: [(Vec<u8>, &str); 8] = [
        (receipts(&[("tokkyu_receipts", "1")]), "not two numbers"),
        (receipts(&[("tokkyu_receipts", "1"), ("tokkyu_depth", "-1")]), "not two numbers"),
        (header(&[]), "neither tokkyu_bell nor tokkyu_leaves"),
        (bell("tokkyu_bell", "many"), "no tokkyu_source"),
        (header(&[("tokkyu_bell", "x"), ("tokkyu_leaves", "x"), ("tokkyu_source", "1")]), "neither"),
        (2000_u32.to_le_bytes().to_vec(), "2000 bytes"),
        (seventeen, "16 bells at most"),
        (b"\x05\0\0\0\xff\0\0\0x".to_vec(), "error="),
    ];
    for (frame, wanted) in cases {
        let (stranger, heard) = greets(&mut world, "one");
        assert!(heard.contains("tokkyu_lender=the lender"), "{heard}");
        stranger.send(&mut world, &bell("tokkyu_bell", "0"));
        assert!(String::from_utf8_lossy(&stranger.hear(&mut world).0).contains("tokkyu_joined=1"));
        assert_eq!(lent.bells().len(), 1);
        // Not its own: nothing happens.
        stranger.send(&mut world, &bell("tokkyu_leaves", "7"));
        stranger.send(&mut world, &frame);
        let (heard, is_over) = stranger.hear(&mut world);
        let heard = String::from_utf8_lossy(&heard).into_owned();
        assert!(heard.contains("error=") && heard.contains(wanted) && is_over, "{wanted}: {heard}");
        assert_eq!(lent.bells().len(), 0, "{wanted}");
    }
    let (mute, _) = greets(&mut world, "one");
    world.run(2 * SECOND);
    assert!(!mute.hear(&mut world).1);
    world.run(2 * SECOND);
    assert!(mute.hear(&mut world).1, "it has opened nothing for five seconds");
}
