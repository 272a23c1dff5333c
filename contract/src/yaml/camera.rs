//! The camera fields of a flow: where its pictures come from and how they are encoded.

use std::path::{Path, PathBuf};

use super::error::Log;
use super::fields::{Field, Fields};
use crate::units::{Bytes, Quantity};

/// The fields this module reads.
pub(super) const FIELDS: [&str; 4] = ["source", "encoding", "width", "height"];

/// Largest width and height of a picture in pixels: JPEG counts them in 16 bits (ITU-T T.81, §B.2.2).
const MAX_SIDE: u64 = 65_535;

/// Where the samples of a camera flow come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A V4L2 capture device, such as `/dev/video0`.
    V4l2(PathBuf),
    /// A film file, played at its flow's rate.
    File(PathBuf),
    /// A folder of pictures, played in the order of their names.
    Folder(PathBuf),
    /// A drawn test picture that carries its own number.
    TestPicture,
    /// Samples of this size with no picture in them.
    Dummy(Bytes),
}

impl Source {
    /// The source with its path counted from `folder`, unless the path is absolute.
    pub(super) fn based_at(self, folder: &Path) -> Source {
        match self {
            Source::V4l2(path) => Source::V4l2(folder.join(path)),
            Source::File(path) => Source::File(folder.join(path)),
            Source::Folder(path) => Source::Folder(folder.join(path)),
            other @ (Source::TestPicture | Source::Dummy(_)) => other,
        }
    }
}

/// How the pictures of a camera flow are encoded in its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Pixels.
    #[default]
    Raw,
    /// One JPEG picture in each sample.
    Mjpeg,
}

impl Encoding {
    /// The word used in `robot.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Raw => "raw",
            Encoding::Mjpeg => "mjpeg",
        }
    }
}

/// What a flow says of its pictures.
#[derive(Default)]
pub(super) struct Camera {
    pub(super) source: Option<Source>,
    pub(super) encoding: Encoding,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

/// Reads a flow's camera fields; `size` is the flow's largest sample (CON-15).
pub(super) fn read(flow: &Fields<'_>, size: Option<Bytes>, log: &mut Log<'_>) -> Camera {
    let encodings = [("raw", Encoding::Raw), ("mjpeg", Encoding::Mjpeg)];
    let camera = Camera {
        source: flow.get("source").and_then(|field| source(&field, size, log)),
        encoding: flow.get("encoding").and_then(|field| field.word(log, &encodings)).unwrap_or_default(),
        width: side(flow, "width", log),
        height: side(flow, "height", log),
    };
    for (given, other) in [("width", "height"), ("height", "width")] {
        if flow.get(given).is_some() && flow.get(other).is_none() {
            flow.wrong(
                log,
                given,
                format!("given without {other}"),
                format!("add {other} or remove {given}"),
            );
        }
    }
    camera
}

fn side(flow: &Fields<'_>, name: &str, log: &mut Log<'_>) -> Option<u32> {
    let pixels = flow.get(name)?.integer(log, 1..=MAX_SIDE)?;
    u32::try_from(pixels).ok()
}

/// A source is a mapping with one key, which says what kind it is.
fn source(field: &Field<'_>, size: Option<Bytes>, log: &mut Log<'_>) -> Option<Source> {
    const KINDS: [&str; 5] = ["v4l2", "file", "folder", "test", "dummy"];
    let fields = field.fields(log, &KINDS)?;
    let mut given = KINDS.into_iter().filter(|kind| fields.get(kind).is_some());
    if fields.is_empty() {
        field.wrong(log, "no source is named", "write one of v4l2, file, folder, test or dummy");
    }
    let kind = given.next()?;
    if let Some(second) = given.next() {
        field.wrong(log, format!("both {kind} and {second} are given"), "keep one source");
        return None;
    }
    let value = fields.get(kind)?;
    let mut path = |needed| value.text(log, needed).map(PathBuf::from);
    match kind {
        "v4l2" => path("a device such as /dev/video0").map(Source::V4l2),
        "file" => path("the path of a film").map(Source::File),
        "folder" => path("the path of a folder").map(Source::Folder),
        "test" => value.word(log, &[("picture", ())]).map(|()| Source::TestPicture),
        _ => dummy(&value, size, log),
    }
}

fn dummy(value: &Field<'_>, size: Option<Bytes>, log: &mut Log<'_>) -> Option<Source> {
    let bytes: Bytes = value.quantity(log, Quantity::Size, str::parse)?;
    if let Some(largest) = size.filter(|largest| bytes > *largest) {
        let what = format!("samples of {bytes} are larger than the flow's size of {largest}");
        value.wrong(log, what, format!("write {largest} or less, or raise size"));
    }
    Some(Source::Dummy(bytes))
}
