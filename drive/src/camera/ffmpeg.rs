//! Video files, cameras of the system (V4L2) and folders of pictures, read through the program `ffmpeg`.
//!
//! `ffmpeg` decodes, scales and paces; we read raw pictures of known length from its pipe (`feed`). It runs as a
//! child process, so a decoder that crashes on a bad file takes a camera with it and not the vehicle's program.
//! [`FfmpegCamera::next`] waits at most [`LONGEST_WAIT`]. Invariant: no child outlives its camera.
//!
//! Live devices are not passed through ffmpeg's `fps` filter: it holds each picture until the next one came, a whole
//! period of age for nothing. The slot already gives the newest picture at each due time.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::feed::{Cut, Feed, Read, Taken};
use super::folder::{Folder, unreadable};
use super::{Camera, CameraError, Frame, LONGEST_WAIT, checked_size};
use crate::picture::Encoding;

/// A source without a picture for this long counts as vanished: some drivers keep a device open after its cable is
/// pulled and simply stay silent.
pub const STALLED_AFTER: Duration = Duration::from_secs(5);

/// No video is waited for longer than this and [`STALLED_AFTER`], however late its file says that it begins.
const LATEST: Duration = Duration::from_secs(3_600);

/// Longest wait for the first picture of a film: a large one on a network disk takes a moment.
pub const LONGEST_LOOK: Duration = Duration::from_secs(10);

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A video file, begun again at its end.
    File(PathBuf),
    /// A V4L2 device such as `/dev/video0`.
    Device(PathBuf),
    /// A folder of pictures, begun again at the end.
    Folder(Folder),
}

impl Input {
    /// Looks what `path` is.
    ///
    /// # Errors
    /// [`CameraError::NotFound`], [`CameraError::NoPictures`], [`CameraError::MixedPictures`],
    /// [`CameraError::BrokenPictures`], or [`CameraError::Io`] when it cannot be looked at.
    pub fn at(path: &Path) -> Result<Input, CameraError> {
        let kind = match fs::metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CameraError::NotFound { path: path.into() });
            }
            Err(source) => return Err(unreadable(path, source)),
        };
        if kind.is_dir() {
            Folder::at(path).map(Input::Folder)
        } else if kind.is_char_device() {
            Ok(Input::Device(path.into()))
        } else {
            Ok(Input::File(path.into()))
        }
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        match self {
            Input::File(path) | Input::Device(path) => path,
            Input::Folder(folder) => folder.path(),
        }
    }

    /// What the user has to know of it before the drive, in words.
    pub fn notice(&self) -> Option<String> {
        let Input::Folder(folder) = self else { return None };
        let broken = folder.notice()?;
        Some(format!("{}: {broken}: left out, the others are played", folder.path().display()))
    }
}

/// Grey or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// [`Encoding::Mono8`].
    Mono8,
    /// [`Encoding::Rgb8`].
    Rgb8,
    /// [`Encoding::Jpeg`] as a device compressed it, not looked into: of the size asked or not at all.
    Jpeg,
}

impl Format {
    const fn bytes_per_pixel(self) -> usize {
        match self {
            Format::Mono8 => 1,
            Format::Rgb8 | Format::Jpeg => 3,
        }
    }

    const fn pixel_format(self) -> &'static str {
        match self {
            Format::Mono8 => "gray",
            Format::Rgb8 | Format::Jpeg => "rgb24",
        }
    }
}

/// What is asked of ffmpeg.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What is read.
    pub input: Input,
    /// Width of the pictures given on; the source is scaled to fit and the rest stays black.
    pub width: u16,
    /// Height of the pictures given on.
    pub height: u16,
    /// Grey or colour.
    pub format: Format,
    /// Pictures in a second, 0.1 to 240.
    pub rate_hz: f64,
    /// Where a video file is begun; at its end it begins anew at 0.
    pub start: Duration,
}

impl Settings {
    fn check(&self) -> Result<(), CameraError> {
        checked_size(self.width, self.height, self.format.bytes_per_pixel())?;
        if (0.1..=240.0).contains(&self.rate_hz) {
            return Ok(());
        }
        let (value, allowed) = (format!("{} Hz", self.rate_hz), "give 0.1 Hz to 240 Hz");
        Err(CameraError::Setting { field: "rate", value, allowed })
    }

    fn encoding(&self) -> Encoding {
        let (width, height) = (self.width, self.height);
        match self.format {
            Format::Mono8 => Encoding::Mono8 { width, height },
            Format::Rgb8 => Encoding::Rgb8 { width, height },
            Format::Jpeg => Encoding::Jpeg { width, height },
        }
    }

    fn cut(&self) -> Cut {
        let pixels = usize::from(self.width) * usize::from(self.height);
        match self.format {
            Format::Mono8 | Format::Rgb8 => Cut::Length(pixels * self.format.bytes_per_pixel()),
            Format::Jpeg => Cut::Jpeg,
        }
    }

    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.args(["-hide_banner", "-nostdin", "-loglevel", "error"]);
        if let Input::Folder(folder) = &self.input {
            // Pictures are named by a pattern; inside the folder its own name needs no escaping.
            command.current_dir(folder.path());
        }
        command.args(self.input_arguments());
        // With "?" ffmpeg's last words are about what is missing, and not about "?".
        command.args(["-map", "0:v:0?"]);
        match self.format {
            Format::Jpeg => command.args(["-c:v", "copy", "-f", "mjpeg"]),
            Format::Mono8 | Format::Rgb8 => {
                // With more threads its encoder, which only copies, gives each picture out as the next one comes: a period of
                // age that nobody counts.
                command.args(["-vf", &self.filters(), "-threads", "1", "-f", "rawvideo"]);
                command.args(["-pix_fmt", self.format.pixel_format()])
            }
        };
        command.arg("pipe:1");
        command
    }

    fn input_arguments(&self) -> Vec<OsString> {
        let (rate, size) = (self.rate_hz.to_string(), format!("{}x{}", self.width, self.height));
        let start = format!("{:.3}", self.start.as_secs_f64());
        let (words, name): (Vec<&str>, OsString) = match &self.input {
            // "file:" keeps a name with a colon from being taken for a network protocol.
            Input::File(path) => (
                vec!["-re", "-ss", &start, "-stream_loop", "-1"],
                [OsStr::new("file:"), path.as_os_str()].into_iter().collect(),
            ),
            Input::Device(path) => {
                let mut words = vec!["-fflags", "nobuffer", "-f", "v4l2"];
                if self.format == Format::Jpeg {
                    words.extend(["-input_format", "mjpeg"]);
                }
                words.extend(["-framerate", &rate, "-video_size", &size]);
                (words, path.into())
            }
            Input::Folder(folder) => (
                vec!["-re", "-f", "image2", "-framerate", &rate, "-loop", "1", "-pattern_type", "glob"],
                folder.pattern(),
            ),
        };
        words.into_iter().map(OsString::from).chain(["-i".into(), name]).collect()
    }

    fn filters(&self) -> String {
        let (width, height) = (self.width, self.height);
        let rate = match self.input {
            Input::Device(_) => String::new(),
            Input::File(_) | Input::Folder(_) => format!("fps={},", self.rate_hz),
        };
        // Films keep their greys between 16 and 235. Turned into colours they are spread by themselves; grey must be told.
        // Where the film has one colour for several pixels `pad` takes whole such blocks alone: of odd sizes it makes nothing;
        // and of one without colours black as 16. With a colour for each pixel it does neither.
        let (whole, spread) = match self.format {
            Format::Mono8 => (",format=yuv444p", ",scale=out_range=full"),
            Format::Rgb8 | Format::Jpeg => ("", ""),
        };
        // `dar`: as wide as it is meant to be shown, for its height. What is far wider than high is a line.
        format!(
            "{rate}scale=w='max(1,round(min({width},{height}*dar)))':h='max(1,round(min({height},{width}/dar)))'{whole},\
             pad={width}:{height}:(ow-iw)/2:(oh-ih)/2,setsar=1{spread}"
        )
    }
}

/// Looks whether there is a picture in `input`, by reading one: what is no video shows only there. For before a drive;
/// waits at most [`LONGEST_LOOK`].
///
/// # Errors
/// As [`FfmpegCamera::open`], and [`CameraError::NoVideo`].
pub fn look(input: Input) -> Result<(), CameraError> {
    let start = late(&input);
    let settings = Settings { input, width: 64, height: 48, format: Format::Mono8, rate_hz: 10.0, start };
    let mut camera = FfmpegCamera::open(settings)?;
    for _ in 0..LONGEST_LOOK.as_millis() / LONGEST_WAIT.as_millis() {
        // The due time stands still: a slow machine is not a silent camera.
        match camera.next(MonoTime::ZERO) {
            Err(CameraError::NotYet) => {}
            other => return other.map(|_| ()),
        }
    }
    Err(camera.end(format!("no picture for {} s", LONGEST_LOOK.as_secs())))
}

/// Length of the video file at `path`, as ffmpeg's own ffprobe tells it; `None` where it cannot tell.
pub fn length(path: &Path) -> Option<Duration> {
    Duration::try_from_secs_f64(ask(path, "format=duration")?).ok()
}

/// How long after its file a video begins: its sound may come first.
fn late(input: &Input) -> Duration {
    let Input::File(path) = input else { return Duration::ZERO };
    // Not by the stream's own start, which some containers do not tell: by that of its first packet.
    let begins = ask(path, "packet=pts_time").zip(ask(path, "format=start_time"));
    let late = begins.and_then(|(video, file)| Duration::try_from_secs_f64(video - file).ok());
    late.unwrap_or_default().min(LATEST)
}

/// A number that ffprobe tells of the file and its first video.
fn ask(path: &Path, entry: &str) -> Option<f64> {
    let mut ask = Command::new("ffprobe");
    ask.args(["-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1"]);
    ask.args(["-show_entries", entry, "-of", "csv=p=0"]);
    let name: OsString = [OsStr::new("file:"), path.as_os_str()].into_iter().collect();
    let told = ask.arg(name).stdin(Stdio::null()).output().ok()?;
    // Some add a comma, and an empty line.
    std::str::from_utf8(&told.stdout)
        .ok()?
        .split([',', '\n'])
        .find(|word| !word.trim().is_empty())?
        .trim()
        .parse()
        .ok()
}

/// A camera read through ffmpeg; see the module.
pub struct FfmpegCamera {
    settings: Settings,
    feed: Feed,
    /// True once a picture came: separates "could not be read" from "vanished".
    seen: bool,
    silent_since: Option<MonoTime>,
    /// Silent for so long it has vanished.
    patience: Duration,
    /// Set at the end: what is known about it.
    ended: Option<String>,
}

impl FfmpegCamera {
    /// Starts ffmpeg; does not wait for the first picture.
    ///
    /// # Errors
    /// [`CameraError::FfmpegMissing`], [`CameraError::Setting`], or [`CameraError::Io`] if no process can be started.
    pub fn open(settings: Settings) -> Result<FfmpegCamera, CameraError> {
        FfmpegCamera::open_with(OsStr::new("ffmpeg"), settings)
    }

    pub(super) fn open_with(program: &OsStr, settings: Settings) -> Result<FfmpegCamera, CameraError> {
        settings.check()?;
        let started = Feed::start(settings.command(program), settings.cut());
        let feed = started.map_err(|source| match source.kind() {
            // The same error comes when the folder to run in has vanished.
            io::ErrorKind::NotFound if !settings.input.path().exists() => {
                CameraError::NotFound { path: settings.input.path().into() }
            }
            io::ErrorKind::NotFound => CameraError::FfmpegMissing,
            _ => CameraError::Io { what: "ffmpeg cannot be started".into(), source },
        })?;
        let patience = STALLED_AFTER + late(&settings.input);
        Ok(FfmpegCamera { settings, feed, seen: false, silent_since: None, patience, ended: None })
    }

    fn frame(&mut self, picture: Read) -> Frame {
        let Read { number, given, data, .. } = picture;
        self.seen = true;
        self.silent_since = None;
        let since_start = Duration::from_secs_f64(number as f64 / self.settings.rate_hz);
        let position = self.settings.start + since_start;
        let recorded = !matches!(self.settings.input, Input::Device(_));
        let encoding = self.settings.encoding();
        let source_time = recorded.then_some(position);
        Frame { data, encoding, sequence: number, source_time, given: Some(given) }
    }

    pub(super) const fn format(&self) -> Format {
        self.settings.format
    }

    fn size(&self) -> (u16, u16) {
        (self.settings.width, self.settings.height)
    }

    /// Nothing came: passing, unless it has been so for too long.
    fn silence(&mut self, due: MonoTime) -> CameraError {
        let since = *self.silent_since.get_or_insert(due);
        if due.since(since) < self.patience {
            return CameraError::NotYet;
        }
        let said = format!("no picture for {} s", self.patience.as_secs());
        self.feed.end();
        self.end(said)
    }

    fn end(&mut self, said: String) -> CameraError {
        self.ended = Some(said.clone());
        let input = self.settings.input.path().to_owned();
        if self.seen { CameraError::Vanished { input, said } } else { CameraError::NoVideo { input, said } }
    }
}

impl Camera for FfmpegCamera {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        if let Some(said) = self.ended.clone() {
            return Err(self.end(said));
        }
        match self.feed.take(LONGEST_WAIT) {
            Taken::Picture(picture) => match picture.size.filter(|size| *size != self.size()) {
                None => Ok(self.frame(picture)),
                Some((width, height)) => {
                    self.feed.end();
                    Err(self.end(format!("its pictures are {width}x{height}")))
                }
            },
            Taken::Nothing => Err(self.silence(due)),
            Taken::Ended => {
                let said = match self.feed.end() {
                    "" => "ffmpeg ended without a message".to_owned(),
                    said => said.to_owned(),
                };
                Err(self.end(said))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(input: Input) -> Settings {
        let start = Duration::from_millis(1_500);
        Settings { input, width: 64, height: 48, format: Format::Mono8, rate_hz: 10.0, start }
    }

    fn words(input: Input) -> String {
        let command = settings(input).command(OsStr::new("ffmpeg"));
        command.get_args().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_missing_ffmpeg_is_told_with_its_remedy() {
        let opened =
            FfmpegCamera::open_with(OsStr::new("/no/such/ffmpeg"), settings(Input::File("/".into())));
        let error = opened.err().expect("there is no such program");
        assert!(error.to_string().ends_with("apt install ffmpeg"), "{error}");
    }

    #[test]
    fn a_file_is_paced_and_looped_and_a_device_is_neither() {
        let file = words(Input::File("a:b.avi".into()));
        assert!(
            file.contains("-re -ss 1.500 -stream_loop -1 -i file:a:b.avi") && file.contains("fps=10,"),
            "{file}"
        );
        let device = words(Input::Device("/dev/video0".into()));
        assert!(device.contains("-f v4l2 -framerate 10 -video_size 64x48 -i /dev/video0"), "{device}");
        assert!(!device.contains("-re ") && !device.contains("-ss") && !device.contains("fps="), "{device}");
    }

    #[test]
    fn a_rate_or_size_that_cannot_be_is_refused_before_anything_is_started() {
        for rate_hz in [0.0, -1.0, f64::NAN, 1e9] {
            let asked = Settings { rate_hz, ..settings(Input::File("/".into())) };
            assert!(matches!(FfmpegCamera::open(asked), Err(CameraError::Setting { field: "rate", .. })));
        }
        let asked = Settings { width: 0, ..settings(Input::File("/".into())) };
        assert!(matches!(FfmpegCamera::open(asked), Err(CameraError::Setting { field: "size", .. })));
    }

    #[test]
    fn a_camera_that_stays_silent_counts_as_gone_after_a_while() {
        // A program that runs and writes nothing, as a driver does whose cable was pulled.
        let mut command = Command::new("sleep");
        command.arg("1000");
        let feed = Feed::start(command, Cut::Length(10)).unwrap();
        let settings = settings(Input::Device("/dev/video0".into()));
        let patience = STALLED_AFTER;
        let mut camera =
            FfmpegCamera { settings, feed, seen: true, silent_since: None, patience, ended: None };
        let start = MonoTime::from_millis(1_000);
        assert!(matches!(camera.next(start), Err(CameraError::NotYet)));
        let error = camera.next(start + STALLED_AFTER).unwrap_err();
        assert_eq!(error.to_string(), "/dev/video0: the camera vanished: no picture for 5 s");
        assert!(matches!(camera.next(start), Err(CameraError::Vanished { .. })), "the end is for good");
    }
}
