//! Says how the image is linked.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
        println!("cargo:rustc-link-arg-bins=-T{folder}/loader.ld");
    }
    println!("cargo:rerun-if-changed=loader.ld");
}
