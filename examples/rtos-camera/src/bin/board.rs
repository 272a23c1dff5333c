//! Both nodes on a board.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 2,
    control: 0,
    realtime: 1,
    nodes: {
        "camera" on 1 => tokkyu_example_rtos_camera::camera,
        "image_converter" on 2 => tokkyu_example_rtos_camera::image_converter,
    },
    flows: tokkyu_board::flows!(),
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: ./tokkyu board run examples/rtos-camera");
    std::process::exit(2);
}
