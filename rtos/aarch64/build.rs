//! Has the linker find the layout of images: whoever builds one says `-Tboard.ld`, or `-Tboard-cpp.ld`.

fn main() {
    for script in ["board.ld", "board-cpp.ld", "layout.ld"] {
        println!("cargo:rerun-if-changed={script}");
    }
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
}
