//! Two bands, and whose the link is.
use tokkyu_lab::board::Clock;
use tokkyu_lab::board::pair::{self, sleep, start, stop};

use crate::scene::{SLOW, idle, lbe, on_each_kernel, post, show, shown};

/// No offloads here: the far end checks every checksum in software, and would drop a frame whose header was marked wrong.
#[test]
fn background_leaves_marked_and_every_byte_arrives() {
    let steps = [
        vec![lbe("")],
        pair::serve(),
        vec![
            start("flood", "agent flood tcp 10.0.0.2:80 2 priority=1", true),
            sleep(3_000),
            post("beside", 20_000, 1),
            // The connection closes.
            sleep(1_000),
            idle("idle", 3_000),
            show("after"),
            stop("flood"),
        ],
    ]
    .concat();
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        let idle = outcome.rounds("idle").next().unwrap();
        assert!(idle.background.frames > 80, "{idle:?}");
        assert!(idle.foreground.frames <= 1, "{idle:?}");
        assert!(shown(outcome, "after")["marked"].as_u64().unwrap() > 100);
        assert_eq!(outcome.rounds("beside").count(), 1);
    });
}

/// With nobody in the foreground the background has the whole link.
#[test]
fn an_idle_link_is_the_backgrounds() {
    let steps = [
        vec![lbe("")],
        pair::serve(),
        vec![
            start("flood", "agent flood tcp 10.0.0.2:80 4 priority=1", true),
            sleep(5_000),
            idle("idle", 10_000),
            stop("flood"),
        ],
    ]
    .concat();
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        let sent = outcome.rounds("idle").next().unwrap().background;
        let wire_bits = (sent.bytes + 24 * sent.frames) * 8;
        assert!(wire_bits as f64 >= 0.98 * 3_840_000.0, "{sent:?}");
    });
}
