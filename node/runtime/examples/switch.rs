//! Offers a service that switches a light, and says every second of its clock how the light is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokkyu_node::messages::std_srvs::{SetBool, SetBoolResponse};
use tokkyu_node::{Level, Node};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = Node::new("switch")?;
    let room: String = node.param_or("~room", "kitchen".to_owned())?;
    let is_on = Arc::new(AtomicBool::new(false));
    let (light, place) = (is_on.clone(), room.clone());
    let _service = node.advertise_service::<SetBool>("light", move |request| {
        if light.swap(request.data, Ordering::Relaxed) == request.data {
            return Err(format!("the light in the {place} is so already"));
        }
        Ok(SetBoolResponse { success: true, message: place.clone() })
    })?;
    let speaker = node.clone();
    let _timer = node.timer(Duration::from_secs(1), move |_| {
        speaker.say(Level::Info, format_args!("light in the {room}: {}", is_on.load(Ordering::Relaxed)));
    });
    node.spin();
    Ok(())
}
