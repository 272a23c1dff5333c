//! A node, without its threads, among others that send anything at any time (section 5 of node/SPEC.md): it never panics, has no more connections than
//! it may (NODE-56), does nothing with one that is over, holds memory for no more than came, and ends (NODE-59).

mod node;

use crate::memory::held;
use crate::node_steps;

/// Takes one input.
pub fn run(input: &[u8]) {
    let before = held();
    let mut node = node::Node::new();
    for step in node_steps(input) {
        node.take(step);
        node.judge(held() - before, input.len());
    }
    node.end();
}
