//! A camera's stream of JPEGs (drive/SPEC.md DRV-109): however it comes, the same pictures are found, each with a size, a
//! beginning and an end.

use tokkyu_drive::camera::mjpeg::{Jpeg, Splitter};

fn pictures<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Jpeg> {
    let mut splitter = Splitter::default();
    let mut found = Vec::new();
    for piece in pieces {
        splitter.push(piece);
        found.extend(std::iter::from_fn(|| splitter.take()));
    }
    found
}

/// Takes one input: its first byte says into which pieces the rest is cut.
pub fn run(bytes: &[u8]) {
    let Some((length, stream)) = bytes.split_first() else { return };
    let found = pictures(stream.chunks(usize::from(*length) + 1));
    assert_eq!(found, pictures(std::iter::once(stream)));
    for Jpeg { data, width, height } in found {
        assert!(data.starts_with(&[0xff, 0xd8]) && data.ends_with(&[0xff, 0xd9]) && width > 0 && height > 0);
    }
}
