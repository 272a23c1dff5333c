//! Has the linker find the layout of images: whoever builds one says `-Tboard.ld`, or `-Tboard-cpp.ld`. Where they are in memory depends on the
//! world that they are for.

fn main() {
    for script in ["board.ld", "board-cpp.ld", "layout.ld", "open/place.ld", "secure/place.ld"] {
        println!("cargo:rerun-if-changed={script}");
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    let place = if std::env::var_os("CARGO_FEATURE_SECURE").is_some() { "secure" } else { "open" };
    println!("cargo:rustc-link-search={folder}");
    println!("cargo:rustc-link-search={folder}/{place}");
}
