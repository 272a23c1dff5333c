//! The fixture itself: devices with interrupts of their own, and a wire that runs on a processor apart.
use tokkyu_lab::board::pair::{must, run, sleep, start};
use tokkyu_lab::board::{Clock, Outcome};

use crate::scene::{FAST, on_each_kernel, ran, taker, told, wait};

/// Interrupts of a device, of all processors.
fn interrupts(outcome: &Outcome, device: &str) -> u64 {
    let lines = ran(outcome, "interrupts").1.lines().filter(|line| line.ends_with(device));
    let counts =
        lines.flat_map(|line| line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok()));
    counts.sum()
}

/// One on a single processor, and on two with the wire and the far end's interrupt on the second.
#[test]
fn a_device_with_an_interrupt_of_its_own_loses_nothing() {
    let steps = [
        taker(),
        vec![
            run("first", "agent give 10.0.0.2:81 3000000 1"),
            // Down under traffic and up again: the interrupt is given back and asked for anew.
            start("through", "agent give 10.0.0.2:81 3000000 2", false),
            sleep(300),
            must("ip link set vmac0 down"),
            sleep(100),
            must("ip link set vmac0 up"),
            wait("through"),
            run("interrupts", "agent read /proc/interrupts"),
        ],
    ]
    .concat();
    let one = format!("{FAST} interrupt=1");
    let apart = format!("{FAST} interrupt=1 wire_cpu=1 irq_cpu=0,1");
    for (link, clock) in [(one, Clock::Counted), (apart, Clock::Host { processors: 2 })] {
        on_each_kernel(&link, clock, &steps, |outcome| {
            for name in ["first", "through"] {
                assert_eq!(told(outcome, name)["answer"], "right", "{name}");
            }
            // 4000 frames and as many half of it in acknowledgements; completions come together with arrivals.
            for device in ["vmac0", "vmac1"] {
                assert!(interrupts(outcome, device) > 1_000, "{device}: {}", ran(outcome, "interrupts").1);
            }
        });
    }
}
