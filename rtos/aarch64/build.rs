//! Has the linker find the layout of images: whoever builds one says `-Tboard.ld`.

fn main() {
    println!("cargo:rerun-if-changed=board.ld");
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
}
