//! Reads lines "TYPE HEX"; each must be the same after it was read and written, and its view must see what the struct has.

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/messages.rs"));

use tokkyu_message::{Message, View, read_whole, write_to};

fn check<M: Message>(bytes: &[u8]) {
    let mut message = M::default();
    read_whole(&mut message, bytes).unwrap_or_else(|error| panic!("{}: {error}", M::DATATYPE));
    let mut again = Vec::new();
    write_to(&message, &mut again);
    assert_eq!(again, bytes, "{}", M::DATATYPE);
    // Read into what another message left behind.
    let mut used = message.clone();
    read_whole(&mut used, bytes).expect("it was read before");
    assert_eq!(used, message);
    M::View::of(bytes).unwrap_or_else(|error| panic!("view of {}: {error}", M::DATATYPE));
    for short in 0..bytes.len() {
        assert!(read_whole(&mut used, &bytes[..short]).is_err(), "{} of {short} bytes", M::DATATYPE);
        assert!(M::View::of(&bytes[..short]).is_err(), "view of {} of {short} bytes", M::DATATYPE);
    }
}

fn image() {
    let image = sensor_msgs::Image {
        header: std_msgs::Header { seq: 7, frame_id: "front".into(), ..Default::default() },
        height: 2,
        encoding: "mono8".into(),
        data: vec![1, 2, 3, 4],
        ..Default::default()
    };
    let mut bytes = Vec::new();
    write_to(&image, &mut bytes);
    let view = sensor_msgs::ImageView::of(&bytes).expect("just written");
    assert_eq!((view.header.seq, view.header.frame_id, view.height), (7, "front", 2));
    assert_eq!(view.data.as_bytes(), [1, 2, 3, 4]);
    assert!(bytes.as_ptr_range().contains(&view.data.as_bytes().as_ptr()), "the view copied");
    assert_eq!(sensor_msgs::PointField::FLOAT32, 7);
    assert_eq!(sensor_msgs::BatteryState::POWER_SUPPLY_STATUS_FULL, 4);
}

fn main() {
    image();
    let mut count = 0;
    for line in std::io::stdin().lines() {
        let line = line.expect("text");
        let (of, hex) = line.split_once(' ').expect("TYPE HEX");
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
        match of {
            /*CHECKS*/
            _ => panic!("{of} was not generated"),
        }
        count += 1;
    }
    println!("{count} messages the same");
}
