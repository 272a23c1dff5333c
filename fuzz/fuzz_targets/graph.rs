//! A node, without its threads, among others that send anything at any time (section 5 of node/SPEC.md): it never panics, has no more connections than
//! it may (NODE-56), does nothing with one that is over, holds memory for no more than came, and ends (NODE-59).
#![no_main]

mod node;

use libfuzzer_sys::fuzz_target;
use tokkyu_fuzz::memory::{Counted, held};
use tokkyu_fuzz::node_steps;

#[global_allocator]
static MEMORY: Counted = Counted;

fuzz_target!(|input: &[u8]| {
    let before = held();
    let mut node = node::Node::new();
    for step in node_steps(input) {
        node.take(step);
        node.judge(held() - before, input.len());
    }
    node.end();
});
