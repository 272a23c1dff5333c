//! A V4L2 device whose pictures travel as JPEG: most of them compress by themselves, and over USB give their full rate in no
//! other form. SPEC.md DRV-109.
//!
//! ```text
//!               no such pictures, or of another size
//!   Compressed ─────────────────────────────────────▶ Raw
//! ```
//! Asked anew each time the device is opened: another may have its name by then.

use std::ffi::{OsStr, OsString};

use tokkyu_contract::MonoTime;

use super::ffmpeg::Settings;
use super::{Camera, CameraError, FfmpegCamera, Format, Frame};

/// See the module.
pub struct DeviceCamera {
    program: OsString,
    settings: Settings,
    camera: FfmpegCamera,
}

impl DeviceCamera {
    /// Opens the device of `settings`, whose format is the one to take where it has no JPEG.
    ///
    /// # Errors
    /// As [`FfmpegCamera::open`].
    pub fn open(settings: Settings) -> Result<DeviceCamera, CameraError> {
        DeviceCamera::open_with(OsStr::new("ffmpeg"), settings)
    }

    fn open_with(program: &OsStr, settings: Settings) -> Result<DeviceCamera, CameraError> {
        let compressed = Settings { format: Format::Jpeg, ..settings.clone() };
        let camera = FfmpegCamera::open_with(program, compressed)?;
        Ok(DeviceCamera { program: program.to_owned(), settings, camera })
    }

    fn is_compressed(&self) -> bool {
        self.camera.format() == Format::Jpeg
    }
}

impl Camera for DeviceCamera {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        match self.camera.next(due) {
            Err(CameraError::NoVideo { .. }) if self.is_compressed() => {
                self.camera = FfmpegCamera::open_with(&self.program, self.settings.clone())?;
                Err(CameraError::NotYet)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Input, TestPicture, encode};
    use crate::picture::Encoding;
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::time::Duration;
    use tokkyu_contract::WallTime;

    /// A program in ffmpeg's place: gives `jpeg` to who asks for JPEG, one raw grey picture to who does not, and stays.
    fn ffmpeg(folder: &Path, jpeg: &str) -> PathBuf {
        let mut camera = TestPicture::new("front", 64, 48, (MonoTime::ZERO, WallTime::ZERO)).unwrap();
        let picture = encode::jpeg(camera.next(MonoTime::ZERO).unwrap(), 80).unwrap();
        fs::write(folder.join("picture.jpg"), &picture.data).unwrap();
        fs::write(folder.join("picture.raw"), vec![7; 64 * 48]).unwrap();
        let (program, at) = (folder.join("ffmpeg"), folder.display());
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\n*-input_format\\ mjpeg*copy*) {jpeg};;\n*) cat {at}/picture.raw;;\nesac\nexec sleep 1000\n"
        );
        written(program, &script.replace("PICTURE", &format!("{at}/picture.jpg")))
    }

    fn written(program: PathBuf, script: &str) -> PathBuf {
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    /// The real ffmpeg, with all that is asked of it but for the device: in its place `source`, for which the words of its
    /// options are. Nothing, with the reason, where there is no ffmpeg.
    fn real_ffmpeg(folder: &Path, options: &str, source: &str) -> Option<PathBuf> {
        if let Err(error) = std::process::Command::new("ffmpeg").arg("-version").output() {
            eprintln!("skipped: ffmpeg cannot be run here ({error}); install it with: apt install ffmpeg");
            return None;
        }
        let skip = "#!/bin/sh\nwhile [ \"$1\" != -i ]; do shift; done\nshift 2\n";
        let script = format!("{skip}exec ffmpeg -nostdin -loglevel error {options} -i '{source}' \"$@\"\n");
        Some(written(folder.join("ffmpeg"), &script))
    }

    /// Another test may start a program just while ours is written, and hold it open.
    fn patient<C>(open: impl Fn() -> Result<C, CameraError>) -> C {
        loop {
            match open() {
                Err(CameraError::Io { source, .. }) if source.kind() == ErrorKind::ExecutableFileBusy => {}
                camera => return camera.unwrap(),
            }
        }
    }

    fn opened(program: &Path, settings: &Settings) -> DeviceCamera {
        patient(|| DeviceCamera::open_with(program.as_os_str(), settings.clone()))
    }

    /// As a flow that is `raw` has it.
    fn raw(program: &Path) -> FfmpegCamera {
        patient(|| FfmpegCamera::open_with(program.as_os_str(), settings(64)))
    }

    fn settings(width: u16) -> Settings {
        let input = Input::Device("/dev/video0".into());
        let start = Duration::ZERO;
        Settings { input, width, height: 48, format: Format::Mono8, rate_hz: 10.0, start }
    }

    fn next(camera: &mut impl Camera) -> Frame {
        for _ in 0..200 {
            match camera.next(MonoTime::ZERO) {
                Err(CameraError::NotYet) => {}
                frame => return frame.unwrap(),
            }
        }
        panic!("no picture");
    }

    fn first(jpeg: &str, width: u16) -> Frame {
        let folder = tempfile::tempdir().unwrap();
        let program = ffmpeg(folder.path(), jpeg);
        next(&mut opened(&program, &settings(width)))
    }

    #[test]
    fn a_picture_comes_before_there_is_a_next_one() {
        let folder = tempfile::tempdir().unwrap();
        // The second picture is due after nearly three hours.
        let source = "color=white:size=64x48:rate=10,realtime=speed=0.00001:limit=1000000";
        let options = "-fpsprobesize 0 -probesize 32 -f lavfi";
        let Some(program) = real_ffmpeg(folder.path(), options, source) else { return };
        let mut camera = raw(&program);
        assert_eq!(next(&mut camera).data[0], 255);
    }

    #[test]
    fn what_a_device_compressed_is_taken_as_it_is() {
        let frame = first("cat PICTURE; cat PICTURE", 64);
        assert_eq!(frame.encoding, Encoding::Jpeg { width: 64, height: 48 });
        assert!(frame.data.starts_with(&[0xff, 0xd8]) && frame.given.is_some());
    }

    #[test]
    fn a_device_that_does_not_compress_is_asked_for_raw_pictures() {
        let frame = first("echo Inappropriate format >&2; exit 1", 64);
        assert_eq!((frame.encoding, frame.data[0]), (Encoding::Mono8 { width: 64, height: 48 }, 7));
    }

    #[test]
    fn pictures_of_another_size_are_scaled_from_raw_ones() {
        let frame = first("cat PICTURE; cat PICTURE", 63);
        assert_eq!(frame.encoding, Encoding::Mono8 { width: 63, height: 48 });
    }
}
