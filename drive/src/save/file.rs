//! One picture as a file: JPEG as it came, raw pictures as PNG, opaque bytes as they are.
//!
//! Runs in the saving thread; may wait for the disk. Invariants: a PNG decodes to exactly the bytes that arrived; no file
//! that exists is written over.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder};

use crate::picture::{Encoding, Picture};

/// The ending of the file's name.
const fn ending(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Mono8 { .. } | Encoding::Rgb8 { .. } => "png",
        Encoding::Jpeg { .. } => "jpg",
        Encoding::Opaque => "bin",
    }
}

/// Makes a file in `folder`, which is made too, named `stem` and the picture's ending. A vehicle that started again counts
/// from 0 anew, so the name may be taken: then the next free one of `stem_2`, `stem_3` and so on.
pub(super) fn create(folder: &Path, stem: &str, encoding: Encoding) -> io::Result<(File, String)> {
    fs::create_dir_all(folder)?;
    let ending = ending(encoding);
    let mut name = format!("{stem}.{ending}");
    for number in 2u64.. {
        match File::create_new(folder.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, name)),
        }
        name = format!("{stem}_{number}.{ending}");
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Writes `picture` to `file`.
pub(super) fn fill(file: File, picture: &Picture) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    match picture.encoding {
        Encoding::Mono8 { .. } => write_png(&mut file, picture, ColorType::Grayscale)?,
        Encoding::Rgb8 { .. } => write_png(&mut file, picture, ColorType::Rgb)?,
        Encoding::Jpeg { .. } | Encoding::Opaque => file.write_all(&picture.data)?,
    }
    // Dropping a BufWriter hides a full disk; this tells it.
    file.flush()
}

fn write_png(file: &mut impl Write, picture: &Picture, colours: ColorType) -> io::Result<()> {
    let (width, height) = picture.encoding.size();
    let mut encoder = Encoder::new(file, u32::from(width), u32::from(height));
    encoder.set_color(colours);
    encoder.set_depth(BitDepth::Eight);
    // Ten pictures a second have to fit beside everything else the machine does.
    encoder.set_compression(Compression::Fastest);
    let mut writer = encoder.write_header().map_err(io_error)?;
    writer.write_image_data(&picture.data).map_err(io_error)?;
    writer.finish().map_err(io_error)
}

fn io_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
