//! The layout of the image, and its one program in C++.

fn main() {
    tokkyu_board_build::image().cpp("language", &["src/language.cpp"]).build();
}
