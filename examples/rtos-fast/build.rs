//! The layout of the image, and its four nodes: the sources of `examples/fast`, each with a `main` of its own.

fn main() {
    let node = |name: &str, more: &[&str]| -> Vec<String> {
        let mut sources = vec![format!("src/{name}_main.cpp"), format!("../fast/{name}.cpp")];
        sources.extend(more.iter().map(|source| format!("../fast/{source}.cpp")));
        sources
    };
    tokkyu_board_build::image()
        .cpp("camera", &node("camera", &[]))
        .cpp("image_converter", &node("image_converter", &[]))
        .cpp("fast", &node("fast", &["fast9", "features"]))
        .cpp("mask", &node("mask", &["features"]))
        .build();
}
