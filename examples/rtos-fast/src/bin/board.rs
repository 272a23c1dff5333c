//! All four nodes on a board: two on each of two processors, as the paper divides them.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 2,
    control: 0,
    realtime: 0,
    nodes: {},
    cpp: {
        "camera" on 1 => camera_main,
        "image_converter" on 1 => image_converter_main,
        "fast" on 2 => fast_main,
        "mask" on 2 => mask_main,
    },
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: ./tokkyu board run examples/rtos-fast");
    std::process::exit(2);
}
