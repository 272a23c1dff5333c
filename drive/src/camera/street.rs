//! A real street scene: `vtest.avi`, people on a street corner, out of Debian's package `opencv-doc`.
//!
//! The file is not ours to ship, so it is fetched once, by Debian's own tools (which check the package's hash), and
//! kept in the user's cache folder. Blocking; runs before a camera is opened, never while driving. Every wait looks at
//! `stop` ten times a second. Invariant: the cache holds the whole file or none; it gets its name only when it is
//! complete and looks like a video.
//!
//! ```text
//!  cached? ──yes──────────────────────────────────────────────▶ path
//!     │ no
//!  apt-get download ─▶ dpkg-deb | tar (one file) ─▶ gzip -d if packed ─▶ check ─▶ rename into the cache
//! ```

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::text::printable;
use crate::xdg;

const PACKAGE: &str = "opencv-doc";
/// As root apt-get downloads as another user, which a user namespace has not, and a folder of ours is not open to.
const AS_WE_ARE: [&str; 2] = ["-o", "APT::Sandbox::User=root"];
const MEMBER: &str = "vtest.avi";
const CACHED: &str = "street.avi";
const POLL: Duration = Duration::from_millis(100);
/// Depth of folders looked through for the unpacked file.
const DEEPEST: u32 = 16;

/// Why there is no street scene.
#[derive(Debug, thiserror::Error)]
pub enum StreetError {
    /// Neither of the variables that name the cache folder is set.
    #[error("neither XDG_CACHE_HOME nor HOME is set, so there is no cache folder; set one of them")]
    NoCache,
    /// A program that is needed is not installed.
    #[error(
        "the street scene comes out of Debian's package {PACKAGE}, and the program {program} is missing; \
         on a system without it, use a video file of your own"
    )]
    Missing {
        /// Its name.
        program: &'static str,
    },
    /// Debian's package lists do not know the package, or the download failed.
    #[error(
        "{PACKAGE} could not be downloaded: {said}; is there a network, and has \"apt-get update\" been run?"
    )]
    Download {
        /// Last line of apt-get's complaint.
        said: String,
    },
    /// The package could not be unpacked.
    #[error("{program} failed on {PACKAGE}: {said}; is the disk full?")]
    Unpack {
        /// The program that failed.
        program: &'static str,
        /// Last line of its complaint.
        said: String,
    },
    /// The package has no such file, or the file is no video.
    #[error("this release's {PACKAGE} holds no usable {MEMBER} ({why}); use a video file of your own")]
    NotThere {
        /// What was found instead.
        why: String,
    },
    /// The caller asked to stop.
    #[error("stopped before the street scene was fetched")]
    Stopped,
    /// A file could not be written or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StreetError + '_ {
    move |source| StreetError::Io { path: path.into(), source }
}

/// The project's cache folder: `$XDG_CACHE_HOME/tokkyu`, else `$HOME/.cache/tokkyu` (XDG Base Directory
/// Specification: a relative value counts as not set).
///
/// # Errors
/// [`StreetError::NoCache`].
pub fn cache_folder() -> Result<PathBuf, StreetError> {
    cache_folder_of(|name| env::var_os(name))
}

fn cache_folder_of(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StreetError> {
    xdg::folder(variable, "XDG_CACHE_HOME", ".cache").ok_or(StreetError::NoCache)
}

/// The street scene in `cache`, fetched if it is not there yet. `say` gets progress in plain words, one line at a
/// time; setting `stop` ends the call within about a second.
///
/// # Errors
/// See [`StreetError`]; each says what to do.
pub fn fetch(cache: &Path, stop: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<PathBuf, StreetError> {
    let cached = cache.join(CACHED);
    if check_video(&cached).is_ok() {
        return Ok(cached);
    }
    fs::create_dir_all(cache).map_err(at(cache))?;
    let work = WorkFolder::new(cache)?;
    let package = download(&work.0, stop, say)?;
    say("unpacking the street scene");
    let video = unpack(&package, &work.0, stop)?;
    check_video(&video).map_err(|why| StreetError::NotThere { why })?;
    fs::rename(&video, &cached).map_err(at(&cached))?;
    say(&format!("the street scene is kept in {}", cached.display()));
    Ok(cached)
}

/// A folder that is removed with all it holds, whatever way the work ends.
struct WorkFolder(PathBuf);

impl WorkFolder {
    fn new(cache: &Path) -> Result<WorkFolder, StreetError> {
        let path = cache.join(format!("street.{}", std::process::id()));
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(WorkFolder(path))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // Nothing to be done about a failure here: it costs disk space and no result.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn download(work: &Path, stop: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<PathBuf, StreetError> {
    let listing = work.join("listing.txt");
    let mut ask = Command::new("apt-get");
    ask.args(AS_WE_ARE)
        .args(["--print-uris", "download", PACKAGE])
        .stdout(File::create(&listing).map_err(at(&listing))?);
    let asked = run("apt-get", &mut ask, work, stop, || {})?;
    let (name, bytes) = fs::read_to_string(&listing)
        .ok()
        .filter(|_| asked.success())
        .and_then(|text| parse_listing(&text))
        .ok_or_else(|| StreetError::Download { said: complaint(work) })?;
    let (package, mb) = (work.join(name), bytes as f64 / 1e6);
    say(&format!("downloading Debian's package {PACKAGE}, {mb:.0} MB, once, for its street scene"));
    let mut get = Command::new("apt-get");
    get.args(AS_WE_ARE).args(["--quiet=2", "download", PACKAGE]).stdout(Stdio::null());
    let mut tenths = 0;
    let got = run("apt-get", &mut get, work, stop, || {
        let there = fs::metadata(&package).map_or(0, |metadata| metadata.len());
        let reached = there * 10 / bytes.max(1);
        if reached > tenths && reached < 10 {
            tenths = reached;
            say(&format!("  {:.0} of {mb:.0} MB", there as f64 / 1e6));
        }
    })?;
    if got.success() && package.exists() {
        Ok(package)
    } else {
        Err(StreetError::Download { said: complaint(work) })
    }
}

/// File name and length out of a line `'URI' name length hash`.
fn parse_listing(text: &str) -> Option<(String, u64)> {
    let mut words = text.lines().find(|line| line.starts_with('\''))?.split_whitespace().skip(1);
    let name = words.next()?;
    let plain = !name.contains('/') && !name.starts_with('.');
    Some((name.to_owned(), words.next()?.parse().ok()?)).filter(|_| plain)
}

fn unpack(package: &Path, work: &Path, stop: &AtomicBool) -> Result<PathBuf, StreetError> {
    let folder = work.join("unpacked");
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let mut open = Command::new("dpkg-deb");
    open.arg("--fsys-tarfile").arg(package).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut opened = Running(start("dpkg-deb", &mut open)?);
    let archive = opened.0.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let mut take = Command::new("tar");
    take.args(["--extract", "--wildcards", "--no-anchored"]).arg(format!("{MEMBER}*"));
    take.current_dir(&folder).stdin(archive).stdout(Stdio::null());
    let taken = run("tar", &mut take, work, stop, || {})?;
    drop(opened);
    let Some(found) = find(&folder, DEEPEST) else {
        let said = complaint(work);
        let no_member = taken.success() || said.contains("Not found") || said.contains("previous errors");
        return Err(if no_member {
            StreetError::NotThere { why: "no file of this name".into() }
        } else {
            StreetError::Unpack { program: "tar", said }
        });
    };
    if found.extension().is_none_or(|ending| ending != "gz") {
        return Ok(found);
    }
    let mut expand = Command::new("gzip");
    expand.arg("--decompress").arg(&found).stdout(Stdio::null());
    if !run("gzip", &mut expand, work, stop, || {})?.success() {
        return Err(StreetError::Unpack { program: "gzip", said: complaint(work) });
    }
    Ok(found.with_extension(""))
}

/// The plain file (no link) called like the member, packed or not, at most `depth` folders down.
fn find(folder: &Path, depth: u32) -> Option<PathBuf> {
    let wanted = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| {
            name.strip_prefix(MEMBER).is_some_and(|rest| rest.is_empty() || rest == ".gz")
        })
    };
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let kind = entry.file_type().ok()?;
        if kind.is_dir() && depth > 0 {
            find(&entry.path(), depth - 1)
        } else {
            Some(entry.path()).filter(|path| kind.is_file() && wanted(path))
        }
    })
}

/// An AVI file starts with `RIFF`, a length, `AVI ` (Microsoft, AVI RIFF file reference). Gives what is wrong.
fn check_video(path: &Path) -> Result<(), String> {
    let mut start = [0; 12];
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    file.read_exact(&mut start).map_err(|_| "the file is empty or cut short".to_owned())?;
    if start.starts_with(b"RIFF") && start.ends_with(b"AVI ") {
        return Ok(());
    }
    Err("the file is not an AVI video".to_owned())
}

/// A child that is killed and collected when it is dropped before its end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(program: &'static str, command: &mut Command) -> Result<Child, StreetError> {
    command.spawn().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StreetError::Missing { program },
        _ => StreetError::Io { path: program.into(), source },
    })
}

fn errors_file(work: &Path) -> PathBuf {
    work.join("errors.txt")
}

/// Runs `command` in `work` to its end, looking at `stop` and calling `tick` ten times a second. Complaints go to a
/// file, which unlike a pipe never fills up and stops the child.
fn run(
    program: &'static str,
    command: &mut Command,
    work: &Path,
    stop: &AtomicBool,
    mut tick: impl FnMut(),
) -> Result<ExitStatus, StreetError> {
    let errors = errors_file(work);
    command.stderr(File::create(&errors).map_err(at(&errors))?);
    if command.get_current_dir().is_none() {
        command.current_dir(work);
    }
    let mut child = Running(start(program, command)?);
    loop {
        if let Some(status) = child.0.try_wait().map_err(at(Path::new(program)))? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(StreetError::Stopped);
        }
        tick();
        thread::sleep(POLL);
    }
}

/// The last line of the last command's complaint.
fn complaint(work: &Path) -> String {
    let text = fs::read(errors_file(work)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    printable(last.unwrap_or("no message").trim(), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);
    const VIDEO: &[u8] = b"RIFF\x10\0\0\0AVI LIST....";

    fn folder(name: &str) -> WorkFolder {
        let path = env::temp_dir().join(format!("tokkyu-street-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        WorkFolder(path)
    }

    /// A Debian package with one file at `inside`, or `None` where Debian's tools are missing.
    fn package(work: &Path, inside: &str, content: &[u8]) -> Option<PathBuf> {
        let tree = work.join("tree");
        let file = tree.join(inside);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        fs::create_dir_all(tree.join("DEBIAN")).unwrap();
        let control =
            "Package: t\nVersion: 1\nArchitecture: all\nMaintainer: t <t@example.org>\nDescription: t\n";
        fs::write(tree.join("DEBIAN/control"), control).unwrap();
        let deb = work.join("t.deb");
        let mut build = Command::new("dpkg-deb");
        build.arg("--build").arg(&tree).arg(&deb).stdout(Stdio::null()).stderr(Stdio::null());
        match build.status() {
            Ok(status) => {
                assert!(status.success(), "dpkg-deb --build");
                Some(deb)
            }
            Err(_) => {
                eprintln!("skipped: dpkg-deb is not installed here");
                None
            }
        }
    }

    #[test]
    fn a_video_already_in_the_cache_is_used_without_a_word() {
        let cache = folder("cached");
        fs::write(cache.0.join(CACHED), VIDEO).unwrap();
        let path = fetch(&cache.0, &GO, &mut |line| panic!("said {line:?}")).unwrap();
        assert_eq!(path, cache.0.join(CACHED));
    }

    #[test]
    fn the_file_is_found_in_the_package_plain_or_gzipped() {
        for (name, packed) in [("plain", false), ("gzipped", true)] {
            let work = folder(name);
            let inside = format!("usr/share/doc/x/examples/{MEMBER}");
            let Some(mut deb) = package(&work.0, &inside, VIDEO) else { return };
            if packed {
                let gzip = Command::new("gzip").arg(work.0.join("tree").join(&inside)).status();
                assert!(gzip.unwrap().success());
                let content = fs::read(work.0.join("tree").join(format!("{inside}.gz"))).unwrap();
                deb = package(&work.0, &format!("{inside}.gz"), &content).unwrap();
            }
            let video = unpack(&deb, &work.0, &GO).unwrap();
            assert_eq!(fs::read(video).unwrap(), VIDEO, "{name}");
        }
    }

    #[test]
    fn a_package_without_the_file_says_so() {
        let work = folder("without");
        let Some(deb) = package(&work.0, "usr/share/doc/x/other.avi", VIDEO) else { return };
        let error = unpack(&deb, &work.0, &GO).unwrap_err();
        assert!(matches!(error, StreetError::NotThere { .. }), "{error}");
    }

    #[test]
    fn a_file_that_is_no_video_never_enters_the_cache() {
        let work = folder("novideo");
        let file = work.0.join(CACHED);
        fs::write(&file, "<html>not found</html>").unwrap();
        assert_eq!(check_video(&file), Err("the file is not an AVI video".to_owned()));
        fs::write(&file, b"RIFF\x10\0\0\0WAVEfmt ").unwrap();
        assert_eq!(check_video(&file), Err("the file is not an AVI video".to_owned()));
        fs::write(&file, "RIFF").unwrap();
        assert_eq!(check_video(&file), Err("the file is empty or cut short".to_owned()));
    }

    #[test]
    fn a_request_to_stop_ends_the_running_program() {
        let work = folder("stop");
        let stop = AtomicBool::new(true);
        let ended = run("sleep", Command::new("sleep").arg("1000"), &work.0, &stop, || {});
        assert!(matches!(ended, Err(StreetError::Stopped)));
    }

    #[test]
    fn a_missing_program_is_named() {
        let work = folder("missing");
        let ended = run("apt-get", &mut Command::new("/no/such/apt-get"), &work.0, &GO, || {});
        assert!(matches!(ended, Err(StreetError::Missing { program: "apt-get" })));
    }

    #[test]
    fn apts_listing_gives_name_and_length() {
        let line = "W: a warning\n'http://deb.debian.org/debian/o/opencv-doc_4.6.0%2bdfsg-12_all.deb' \
                    opencv-doc_4.6.0+dfsg-12_all.deb 95715012 SHA256:4b12\n";
        assert_eq!(parse_listing(line), Some(("opencv-doc_4.6.0+dfsg-12_all.deb".into(), 95_715_012)));
        assert_eq!(parse_listing("'http://x' ../../etc/passwd 5 SHA256:0"), None);
        assert_eq!(parse_listing(""), None);
    }

    #[test]
    fn the_cache_folder_follows_the_xdg_rules() {
        let with = |xdg: Option<&str>, home: Option<&str>| {
            let (xdg, home) = (xdg.map(OsString::from), home.map(OsString::from));
            cache_folder_of(move |name| if name == "HOME" { home.clone() } else { xdg.clone() }).ok()
        };
        assert_eq!(with(Some("/x"), Some("/h")), Some("/x/tokkyu".into()));
        assert_eq!(with(Some("relative"), Some("/h")), Some("/h/.cache/tokkyu".into()));
        assert_eq!(with(None, None), None);
    }

    /// `cargo test -p tokkyu-drive -- --ignored street` on a Debian machine with a network.
    #[test]
    #[ignore = "downloads 96 MB"]
    fn the_real_package_holds_the_street_scene() {
        let cache = folder("real");
        let path = fetch(&cache.0, &GO, &mut |line| eprintln!("{line}")).unwrap();
        assert!(fs::metadata(&path).unwrap().len() > 1_000_000);
        assert_eq!(fs::read_dir(&cache.0).unwrap().count(), 1, "only the video is kept");
    }
}
