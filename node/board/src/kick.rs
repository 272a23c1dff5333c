//! What wakes the network's driver.

use tokkyu_node_rtos::Rtos;

use crate::here::Here;
use crate::image::Image;
use crate::state;

/// There is something for the network's driver.
pub fn kick<I: Image>() {
    if let Some(stack) = state::stack::<I>() {
        stack.kick(&Rtos::new(Here::<I>::new()));
    }
}
