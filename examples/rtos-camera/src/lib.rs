//! The first half of the pipeline of the mROS paper (Mori, Takase, Takagi, Takagi 2018): a camera, and a node that makes its pictures grey.
//! They are the same on a board (`src/bin/board.rs`) and on Linux (`src/bin/camera.rs`, `src/bin/image_converter.rs`).

#![no_std]

extern crate alloc;

mod camera;
mod image_converter;

pub use camera::{HEIGHT, WIDTH, camera};
pub use image_converter::image_converter;
