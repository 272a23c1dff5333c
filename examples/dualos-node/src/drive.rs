//! Obeys `/cmd_vel` for 200 ms, and says each 10 ms in `/cmd_vel_applied` what it does.

use alloc::sync::Arc;
use core::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_node::port::port;
use tokkyu_node::sync::Mutex;
use tokkyu_node::{Level, Node, NodeError};

use crate::messages::geometry_msgs::{Twist, Vector3};

/// As robot.yaml declares: `lifespan`.
const OBEYED: Duration = Duration::from_millis(200);
const EVERY: Duration = Duration::from_millis(10);

/// The last command, and when it came.
type Last = Option<(Twist, MonoTime)>;

fn is_finite(vector: &Vector3) -> bool {
    [vector.x, vector.y, vector.z].iter().all(|number| number.is_finite())
}

/// What is to be done at that time: nothing, unless the last command is young.
fn at(last: &Last, now: MonoTime) -> Twist {
    match last {
        Some((twist, came)) if now <= *came + OBEYED => twist.clone(),
        _ => Twist::default(),
    }
}

/// Until the node ends.
///
/// # Errors
///
/// [`NodeError`].
pub fn drive(node: &Node) -> Result<(), NodeError> {
    let last = Arc::new(Mutex::new(Last::None));
    let taking = last.clone();
    let log = node.clone();
    let take = move |twist: &Twist| {
        // A number that is none stops: whatever was meant, it was not this.
        let is_one = is_finite(&twist.linear) && is_finite(&twist.angular);
        if !is_one {
            log.say(Level::Warn, format_args!("a command has no numbers: the robot stands"));
        }
        *taking.lock() = is_one.then(|| (twist.clone(), port().now()));
    };
    let _commands = node.subscribe("/cmd_vel", 8, take)?;
    let applied = node.advertise("/cmd_vel_applied", 8)?;
    let log = node.clone();
    let _every = node.steady_timer(EVERY, move |_| {
        let now = at(&last.lock(), port().now());
        if let Err(error) = applied.publish(now) {
            log.say(Level::Warn, format_args!("what is done is not said: {error}"));
        }
    });
    node.spin();
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokkyu_node::Message;

    use super::*;

    #[test]
    fn a_command_is_obeyed_while_it_is_young() {
        let came = MonoTime::from_nanos(1_000_000_000);
        let twist = Twist { linear: Vector3 { x: 1.5, ..Vector3::default() }, ..Twist::default() };
        let last = Some((twist.clone(), came));
        assert_eq!(at(&None, came), Twist::default());
        assert_eq!(at(&last, came + OBEYED), twist);
        assert_eq!(at(&last, came + OBEYED + Duration::from_nanos(1)), Twist::default());
    }

    #[test]
    fn the_message_is_that_of_ros() {
        assert_eq!(Twist::MD5SUM, "9f195f881246fdfa2798d1d3eebca84a");
    }
}
