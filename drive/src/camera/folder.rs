//! A folder of pictures that are played as a film, in the order of their names. SPEC.md DRV-33, DRV-39.
//!
//! ffmpeg's sequences take one decoder, and end at a file that is empty: what is no whole picture is left out before, and
//! named once. A file counts as whole by its beginning and its end; what is between them the decoder sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::CameraError;

/// Endings of the file names that are read from a folder of pictures.
pub const PICTURE_KINDS: [&str; 6] = ["bmp", "jpeg", "jpg", "png", "ppm", "pgm"];

/// So much of a file's end is looked at: some writers put a few bytes behind a picture.
const END_BYTES: u64 = 1_024;
/// A whole JPEG begins with the first (ISO/IEC 10918-1, B.1.1.3: SOI, and the next marker's first byte), and has the other
/// (EOI) at its end.
const JPEG: ([u8; 3], [u8; 2]) = ([0xff, 0xd8, 0xff], [0xff, 0xd9]);
/// The same of a PNG (ISO/IEC 15948, 5.2 and 11.2.5).
const PNG: (&[u8; 8], &[u8; 4]) = (b"\x89PNG\r\n\x1a\n", b"IEND");
/// The longest word on a command line (Linux, `MAX_ARG_STRLEN`), with room for its end.
const LONGEST_PATTERN: usize = (128 << 10) - 1;
/// So many are named of those that are left out.
const NAMED: usize = 5;

/// A picture that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Broken {
    name: OsString,
    why: &'static str,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    /// That of all its pictures, as it is written there.
    ending: String,
    whole: Vec<OsString>,
    broken: Vec<Broken>,
}

impl Folder {
    /// Looks what is in it.
    ///
    /// # Errors
    /// [`CameraError::NoPictures`], [`CameraError::MixedPictures`], [`CameraError::BrokenPictures`], or [`CameraError::Io`]
    /// when it cannot be looked at.
    pub(super) fn at(path: &Path) -> Result<Folder, CameraError> {
        let mut kinds = BTreeMap::<String, Vec<OsString>>::new();
        for entry in fs::read_dir(path).map_err(|source| unreadable(path, source))? {
            let name = PathBuf::from(entry.map_err(|source| unreadable(path, source))?.file_name());
            let ending = name.extension().and_then(OsStr::to_str).unwrap_or_default();
            if PICTURE_KINDS.contains(&ending.to_ascii_lowercase().as_str()) {
                kinds.entry(ending.to_owned()).or_default().push(name.into_os_string());
            }
        }
        let counts = kinds.iter().map(|(ending, names)| format!("{ending}: {}", names.len()));
        let listed = counts.collect::<Vec<_>>().join(", ");
        match (kinds.len(), kinds.pop_first()) {
            (1, Some((ending, names))) => Folder::of(path, ending, names),
            (0, _) => Err(CameraError::NoPictures { folder: path.into(), kinds: PICTURE_KINDS.join(", ") }),
            _ => Err(CameraError::MixedPictures { folder: path.into(), kinds: listed }),
        }
    }

    fn of(path: &Path, ending: String, mut names: Vec<OsString>) -> Result<Folder, CameraError> {
        names.sort();
        let mut folder = Folder { path: path.into(), ending, whole: Vec::new(), broken: Vec::new() };
        for name in names {
            match flaw(&path.join(&name)) {
                None => folder.whole.push(name),
                Some(why) => folder.broken.push(Broken { name, why }),
            }
        }
        let is_too_long = !folder.broken.is_empty() && folder.pattern().len() > LONGEST_PATTERN;
        match folder.notice() {
            Some(broken) if folder.whole.is_empty() || is_too_long => {
                Err(CameraError::BrokenPictures { folder: path.into(), broken })
            }
            _ => Ok(folder),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is left out, in words; nothing: all pictures are whole.
    pub fn notice(&self) -> Option<String> {
        let mut words = String::new();
        for Broken { name, why } in self.broken.iter().take(NAMED) {
            let comma = if words.is_empty() { "" } else { ", " };
            let _ = write!(words, "{comma}{} {why}", name.to_string_lossy());
        }
        if self.broken.len() > NAMED {
            let _ = write!(words, ", and {} more", self.broken.len() - NAMED);
        }
        (!words.is_empty()).then_some(words)
    }

    /// What ffmpeg finds its pictures by, in the folder: all of that ending, or those that are whole by their names
    /// (glob(3), `GLOB_BRACE`).
    pub(super) fn pattern(&self) -> OsString {
        if self.broken.is_empty() {
            return format!("*.{}", self.ending).into();
        }
        let names: Vec<OsString> = self.whole.iter().map(|name| literal(name)).collect();
        match &names[..] {
            // Braces around one name alone stand for themselves.
            [one] => one.clone(),
            _ => [OsStr::new("{"), &names.join(OsStr::new(",")), OsStr::new("}")].into_iter().collect(),
        }
    }
}

/// A name that a pattern takes for itself.
fn literal(name: &OsStr) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let escaped = name.as_bytes().iter().flat_map(|byte| {
        let is_special = b"[]{}*?,\\~".contains(byte);
        is_special.then_some(b'\\').into_iter().chain([*byte])
    });
    OsString::from_vec(escaped.collect())
}

pub(super) fn unreadable(path: &Path, source: io::Error) -> CameraError {
    CameraError::Io { what: format!("{} cannot be read", path.display()), source }
}

/// Why the file is no whole picture, as far as its beginning and its end tell.
fn flaw(path: &Path) -> Option<&'static str> {
    let Ok((begin, end, length)) = both_ends(path) else { return Some("cannot be read") };
    if length == 0 {
        return Some("is empty");
    }
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let (begins, ends) = match ending.as_str() {
        "jpg" | "jpeg" => (begin.starts_with(&JPEG.0), holds(&end, &JPEG.1)),
        "png" => (begin.starts_with(PNG.0), holds(&end, PNG.1)),
        // Bytes 2 to 5: how long it is.
        "bmp" => (begin.starts_with(b"BM"), word(&begin, 2).is_some_and(|bytes| u64::from(bytes) <= length)),
        // Netpbm: pixels have no end of their own.
        _ => (begin.first() == Some(&b'P'), true),
    };
    match (begins, ends) {
        (false, _) => Some("is no such picture"),
        (true, false) => Some("is cut off"),
        (true, true) => None,
    }
}

fn both_ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let (mut begin, mut end) = (Vec::new(), Vec::new());
    (&mut file).take(16).read_to_end(&mut begin)?;
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES)))?;
    file.take(END_BYTES).read_to_end(&mut end)?;
    Ok((begin, end, length))
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw_of(name: &str, bytes: &[u8]) -> Option<&'static str> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name), bytes).unwrap();
        flaw(&dir.path().join(name))
    }

    #[test]
    fn a_picture_is_whole_by_its_beginning_and_its_end() {
        let jpeg = b"\xff\xd8\xff\xe0 pixels \xff\xd9";
        assert_eq!(flaw_of("a.JPG", jpeg), None);
        assert_eq!(flaw_of("a.jpg", &[&jpeg[..], &[0; 500]].concat()), None, "some writers fill up");
        assert_eq!(flaw_of("a.jpg", &jpeg[..8]), Some("is cut off"));
        assert_eq!(flaw_of("a.jpg", b"BM and so on"), Some("is no such picture"));
        assert_eq!(flaw_of("a.png", b"\x89PNG\r\n\x1a\n pixels IEND\xae\x42\x60\x82"), None);
        assert_eq!(flaw_of("a.png", b"\x89PNG\r\n\x1a\n pixels"), Some("is cut off"));
        assert_eq!(flaw_of("a.bmp", b"BM\x0a\0\0\0pixels"), None);
        assert_eq!(flaw_of("a.bmp", b"BM\x0d\0\0\0pixels"), Some("is cut off"));
        assert_eq!(flaw_of("a.pgm", b"P5 1 1 255 x"), None);
        assert_eq!(flaw_of("a.ppm", b""), Some("is empty"));
        assert_eq!(flaw(Path::new("/no/such.png")), Some("cannot be read"));
    }

    #[test]
    fn a_folder_of_which_nothing_is_whole_is_refused_with_names() {
        let dir = tempfile::tempdir().unwrap();
        (0..7).for_each(|number| fs::write(dir.path().join(format!("{number}.png")), "").unwrap());
        let error = Folder::at(dir.path()).unwrap_err().to_string();
        assert!(error.contains("0.png is empty, 1.png is empty") && error.contains("and 2 more"), "{error}");
    }

    #[test]
    fn names_stand_for_themselves_in_a_pattern() {
        assert_eq!(literal(OsStr::new("a,{b}*[1]?\\.png")), OsStr::new("a\\,\\{b\\}\\*\\[1\\]\\?\\\\.png"));
    }
}
