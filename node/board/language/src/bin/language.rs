//! What C++ and its library promise (`src/language.cpp`), on a board: `node/board/check language` runs it.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 2,
    control: 0,
    realtime: 0,
    nodes: {},
    cpp: { "language" on 1 => language_main },
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: node/board/check language");
    std::process::exit(2);
}
