//! Makes pictures grey.

use alloc::borrow::ToOwned;

use tokkyu_node::messages::sensor_msgs::Image;
use tokkyu_node::{Level, Node, NodeError};

/// Reads `image_raw` and publishes `image_mono`, until the node ends.
///
/// # Errors
///
/// [`NodeError`].
pub fn image_converter(node: &Node) -> Result<(), NodeError> {
    let grey = node.advertise::<Image>("image_mono", 2)?;
    let log = node.clone();
    let mut mono = Image::default();
    let on_picture = move |picture: &Image| {
        mono.header = picture.header.clone();
        mono.height = picture.height;
        mono.width = picture.width;
        mono.encoding = "mono8".to_owned();
        mono.step = picture.width;
        mono.data.resize(picture.data.len() / 3, 0);
        for (pixel, colours) in mono.data.iter_mut().zip(picture.data.chunks_exact(3)) {
            *pixel = luma(colours);
        }
        if let Err(error) = grey.publish_ref(&mono) {
            log.say(Level::Warn, format_args!("a picture is lost: {error}"));
        }
    };
    let _pictures = node.subscribe("image_raw", 2, on_picture)?;
    node.spin();
    Ok(())
}

/// ITU-R BT.601, in 256ths.
fn luma(colours: &[u8]) -> u8 {
    let weighted = colours.iter().zip([77_u32, 150, 29]).map(|(colour, weight)| u32::from(*colour) * weight);
    (weighted.sum::<u32>() >> 8) as u8
}
