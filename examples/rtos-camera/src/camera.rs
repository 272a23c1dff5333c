//! A camera: a test picture, ten times a second.

use alloc::borrow::ToOwned;
use alloc::vec;

use tokkyu_node::messages::sensor_msgs::Image;
use tokkyu_node::messages::std_msgs::Header;
use tokkyu_node::{Level, Node, NodeError};

/// Columns of its pictures.
pub const WIDTH: u32 = 320;
/// Rows of its pictures.
pub const HEIGHT: u32 = 240;

/// Publishes `image_raw`, 225 KiB each, until the node ends.
///
/// # Errors
///
/// [`NodeError`].
pub fn camera(node: &Node) -> Result<(), NodeError> {
    let pictures = node.advertise::<Image>("image_raw", 2)?;
    let mut picture = Image {
        height: HEIGHT,
        width: WIDTH,
        encoding: "rgb8".to_owned(),
        step: WIDTH * 3,
        data: vec![0; (WIDTH * HEIGHT * 3) as usize],
        ..Image::default()
    };
    let mut rate = node.rate(10.0);
    for count in 0.. {
        if !node.is_ok() {
            break;
        }
        paint(&mut picture.data, count);
        picture.header = Header { seq: count, stamp: node.now(), frame_id: "camera".to_owned() };
        if let Err(error) = pictures.publish_ref(&picture) {
            node.say(Level::Warn, format_args!("picture {count} is lost: {error}"));
        }
        node.spin_once();
        rate.sleep();
    }
    Ok(())
}

/// A bright square that moves over a slope of colours.
fn paint(data: &mut [u8], count: u32) {
    let left = (count * 8) % (WIDTH - 32);
    for (row, pixels) in (0_u32..).zip(data.chunks_exact_mut((WIDTH * 3) as usize)) {
        for (column, pixel) in (0_u32..).zip(pixels.chunks_exact_mut(3)) {
            let is_bright = (left..left + 32).contains(&column) && (104..136).contains(&row);
            let slope = [column as u8, row as u8, (column + row) as u8 / 2];
            pixel.copy_from_slice(if is_bright { &[255; 3] } else { &slope });
        }
    }
}
