//! From a flow's declaration to an open camera.
//!
//! Runs once, at the start, so that a wrong path or size is told before anything moves.
//!
//! | source | encoding | fired by |
//! |---|---|---|
//! | test picture, dummy | raw | the ticker, all on one tick |
//! | test picture | mjpeg | a thread of its own, which compresses |
//! | v4l2, file, folder, `--video` | raw or mjpeg | a thread of its own, which may wait for its picture |

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokkyu_contract::yaml::robot::{self, Flow};
use tokkyu_contract::{MonoTime, WallTime};

use crate::camera::ffmpeg::{self, Settings};
use crate::camera::test_picture::{DEFAULT_HEIGHT, DEFAULT_WIDTH};
use crate::camera::{
    Camera, CameraError, DeviceCamera, Dummy, FfmpegCamera, Format, Input, JpegCamera, JpegRate, Retrying,
    TestPicture, dummy, street,
};
use crate::picture::HEADER_BYTES;
use crate::program::{DriveError, StopFlag, Video, wiring};

/// What a compressing camera may use before the link has granted anything, bit/s.
const FIRST_GRANT_BPS: u64 = 4_000_000;
/// Widest picture chosen for a declared size: beyond 16:9 it is no picture of a street.
const WIDEST: f64 = 16.0 / 9.0;
/// Shape that is looked for.
const USUAL_SHAPE: f64 = 4.0 / 3.0;
/// Size of pictures read through ffmpeg when the flow names none.
const USUAL_SIZE: (u16, u16) = (640, 480);

/// An open camera.
pub(super) enum Eye {
    /// Ready at any time: fired with the others of its kind.
    Ticked(Box<dyn Camera>),
    /// May wait for its picture.
    Waiting(Box<dyn Camera>),
    /// Compresses to what is granted, at most so many bit/s.
    Compressing { camera: JpegCamera<Box<dyn Camera>>, most_bps: u64 },
}

/// A film that stands in for the cameras' own sources.
#[derive(Clone, Debug)]
pub struct Film {
    path: PathBuf,
    length: Option<Duration>,
}

impl Film {
    /// Where camera `number` of so many begins: each at another place, so that nobody takes one for another.
    pub(super) fn start_of(&self, number: usize, cameras: usize) -> Duration {
        self.length.unwrap_or_default().mul_f64(number as f64 / cameras.max(1) as f64)
    }
}

/// Opens the camera of `flow`; a film, begun at some place, stands in for its own source. `clocks` is one moment on both
/// clocks; `say` gets what the user has to know.
pub(super) fn open(
    flow: &Flow,
    film: Option<(&Film, Duration)>,
    clocks: (MonoTime, WallTime),
    say: &mut dyn FnMut(&str),
) -> Result<Eye, DriveError> {
    let at_its_beginning = Duration::ZERO;
    let opened = match (film, &flow.source) {
        (Some((film, start)), _) => open_ffmpeg(flow, Input::at(&film.path), start),
        (None, Some(robot::Source::File(path) | robot::Source::Folder(path))) => {
            open_ffmpeg(flow, readable(path, say), at_its_beginning)
        }
        (None, Some(robot::Source::V4l2(path))) => {
            say(&format!(
                "{}: ages count from when ffmpeg gives a picture; add what the device takes to vehicle.degraded.reaction",
                path.display()
            ));
            open_ffmpeg(flow, Ok(Input::Device(path.clone())), at_its_beginning)
        }
        (None, Some(robot::Source::TestPicture)) => open_test_picture(flow, clocks),
        (None, Some(robot::Source::Dummy(bytes))) => open_dummy(Some(bytes.0)),
        (None, None) => open_dummy(flow.size.map(|size| size.0)),
    };
    opened.map_err(|source| DriveError::Camera { flow: flow.name.clone(), source })
}

fn open_dummy(bytes: Option<u64>) -> Result<Eye, CameraError> {
    let bytes =
        bytes.map_or(dummy::DEFAULT_SAMPLE_BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    Ok(Eye::Ticked(Box::new(Dummy::new(bytes)?)))
}

fn open_test_picture(flow: &Flow, clocks: (MonoTime, WallTime)) -> Result<Eye, CameraError> {
    let (width, height) = match flow.encoding {
        robot::Encoding::Raw => raw_size(flow, 1)?,
        robot::Encoding::Mjpeg => given_size(flow)?.unwrap_or((DEFAULT_WIDTH, DEFAULT_HEIGHT)),
    };
    let camera = Box::new(TestPicture::new(&flow.name, width, height, clocks)?);
    Ok(match flow.encoding {
        robot::Encoding::Raw => Eye::Ticked(camera),
        robot::Encoding::Mjpeg => compressing(flow, camera),
    })
}

fn open_ffmpeg(flow: &Flow, input: Result<Input, CameraError>, start: Duration) -> Result<Eye, CameraError> {
    let (width, height) = match flow.encoding {
        robot::Encoding::Raw => raw_size(flow, 1)?,
        robot::Encoding::Mjpeg => given_size(flow)?.unwrap_or(USUAL_SIZE),
    };
    // Raw colour has three times the bytes, for which a declared size usually leaves no room.
    let format = match flow.encoding {
        robot::Encoding::Raw => Format::Mono8,
        robot::Encoding::Mjpeg => Format::Rgb8,
    };
    let settings = Settings { input: input?, width, height, format, rate_hz: rate_hz(flow), start };
    let compresses = matches!((&settings.input, flow.encoding), (Input::Device(_), robot::Encoding::Mjpeg));
    let open = move || -> Result<Box<dyn Camera>, CameraError> {
        match compresses {
            true => Ok(Box::new(DeviceCamera::open(settings.clone())?)),
            false => Ok(Box::new(FfmpegCamera::open(settings.clone())?)),
        }
    };
    let camera = Box::new(Retrying::new(open)?);
    Ok(match flow.encoding {
        robot::Encoding::Raw => Eye::Waiting(camera),
        robot::Encoding::Mjpeg => compressing(flow, camera),
    })
}

fn compressing(flow: &Flow, camera: Box<dyn Camera>) -> Eye {
    let picture_bits = |size: u64| size.saturating_sub(HEADER_BYTES as u64).saturating_mul(8);
    let most_bps = flow.size.map_or(u64::MAX, |size| (picture_bits(size.0) as f64 * rate_hz(flow)) as u64);
    let rate = JpegRate::new(rate_hz(flow), FIRST_GRANT_BPS.min(most_bps));
    Eye::Compressing { camera: JpegCamera::new(camera, rate), most_bps }
}

fn rate_hz(flow: &Flow) -> f64 {
    1.0 / wiring::period(flow).as_secs_f64()
}

fn given_size(flow: &Flow) -> Result<Option<(u16, u16)>, CameraError> {
    let Some((width, height)) = flow.width.zip(flow.height) else { return Ok(None) };
    match (u16::try_from(width), u16::try_from(height)) {
        (Ok(width), Ok(height)) => Ok(Some((width, height))),
        _ => Err(impossible(format!("{width}×{height}"), "give at most 65535 pixels each way")),
    }
}

fn impossible(value: String, allowed: &'static str) -> CameraError {
    CameraError::Setting { field: "size", value, allowed }
}

/// Width and height of uncompressed pictures whose samples, header included, have the declared size.
fn raw_size(flow: &Flow, bytes_per_pixel: usize) -> Result<(u16, u16), CameraError> {
    let declared = flow.size.map(|size| usize::try_from(size.0).unwrap_or(usize::MAX));
    let Some((width, height)) = given_size(flow)? else {
        let Some(declared) = declared else { return Ok((DEFAULT_WIDTH, DEFAULT_HEIGHT)) };
        let pixels = declared.saturating_sub(HEADER_BYTES) / bytes_per_pixel;
        let small = || impossible(format!("{declared} B"), "give at least 17 B, one pixel and its header");
        return shape_of(pixels).ok_or_else(small);
    };
    let sample = usize::from(width) * usize::from(height) * bytes_per_pixel + HEADER_BYTES;
    match declared {
        Some(declared) if sample > declared => {
            let value = format!("{width}×{height} ({sample} B with its header, declared are {declared} B)");
            Err(impossible(value, "raise size:, or make width: and height: smaller"))
        }
        _ => Ok((width, height)),
    }
}

/// The width and height nearest to the usual shape that have exactly `pixels`; where no such pair looks like a picture,
/// the usual shape with as many pixels as fit.
fn shape_of(pixels: usize) -> Option<(u16, u16)> {
    let height_of = |shape: f64| (pixels as f64 / shape).sqrt();
    let off_shape = |height: usize| (pixels as f64 / (height * height) as f64 / USUAL_SHAPE).ln().abs();
    let (lowest, highest) = (height_of(WIDEST).floor() as usize, height_of(1.0).ceil() as usize);
    let exact = (lowest.max(1)..=highest).filter(|height| pixels.is_multiple_of(*height));
    let height = match exact.min_by(|a, b| off_shape(*a).total_cmp(&off_shape(*b))) {
        Some(height) => height,
        None => (height_of(USUAL_SHAPE) as usize).max(1),
    };
    let width = pixels / height;
    Some((u16::try_from(width).ok()?, u16::try_from(height).ok()?)).filter(|(width, _)| *width > 0)
}

/// The file or folder at `path`, once a picture was read from it: `Retrying` would try for ever what is no video.
fn readable(path: &Path, say: &mut dyn FnMut(&str)) -> Result<Input, CameraError> {
    let input = Input::at(path)?;
    if let Some(words) = input.notice() {
        say(&words);
    }
    ffmpeg::look(input.clone())?;
    Ok(input)
}

/// The film every camera is to show, once it is seen to hold a picture. The street scene is fetched if it is
/// not there yet; `say` gets its progress.
///
/// # Errors
/// There is no such film, it is no film, or it cannot be had.
pub fn film(video: &Video, stop: &StopFlag, say: &mut dyn FnMut(&str)) -> Result<Film, DriveError> {
    let path = match video {
        Video::File(path) => path.clone(),
        Video::Street => street::fetch(&street::cache_folder()?, stop.as_atomic(), say)?,
    };
    readable(&path, say).map_err(DriveError::Film)?;
    let length = ffmpeg::length(&path);
    Ok(Film { path, length })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use tokkyu_contract::yaml::Robot;

    fn robot(flow: &str) -> Robot {
        robot::parse("robot.yaml", &format!("robot: r\nflows:\n  camera/front: {flow}\n")).unwrap()
    }

    fn opened(flow: &str) -> Result<Eye, DriveError> {
        open(&robot(flow).flows[0], None, (MonoTime::ZERO, WallTime::ZERO), &mut |_| {})
    }

    fn sample_bytes(eye: Eye) -> usize {
        let frame = match eye {
            Eye::Ticked(mut camera) | Eye::Waiting(mut camera) => camera.next(MonoTime::ZERO),
            Eye::Compressing { mut camera, .. } => camera.next(MonoTime::ZERO),
        };
        Picture::from(frame.unwrap()).encode().unwrap().len()
    }

    #[test]
    fn samples_of_test_pictures_and_dummies_have_exactly_the_declared_size() {
        for source in ["{test: picture}", "{dummy: 374 kB}"] {
            let flow = format!("{{class: realtime, size: 374 kB, source: {source}}}");
            let eye = opened(&flow).unwrap();
            assert!(matches!(eye, Eye::Ticked(_)), "{source}");
            assert_eq!(sample_bytes(eye), 374_000, "{source}");
        }
    }

    #[test]
    fn a_picture_of_a_declared_size_looks_like_one() {
        assert_eq!(shape_of(373_984), Some((754, 496)));
        assert_eq!(shape_of(307_200), Some((640, 480)));
        let (width, height) = shape_of(373_987).unwrap();
        assert!(usize::from(width) * usize::from(height) <= 373_987, "a prime number has no shape");
        assert!((1.2..1.5).contains(&(f64::from(width) / f64::from(height))), "{width}×{height}");
        assert_eq!((shape_of(1), shape_of(0)), (Some((1, 1)), None));
    }

    #[test]
    fn a_picture_larger_than_its_flow_declares_is_refused_with_both_sizes() {
        let flow = "{class: realtime, size: 100 kB, width: 640, height: 480, source: {test: picture}}";
        let error = opened(flow).err().unwrap().to_string();
        assert!(error.starts_with("flow camera/front: size: 640×480 (307216 B"), "{error}");
        assert!(error.contains("declared are 100000 B"), "{error}");
    }

    #[test]
    fn a_compressed_camera_stays_below_its_declared_size_whatever_is_granted() {
        let eye =
            opened("{class: realtime, rate: 10 Hz, size: 50 kB, encoding: mjpeg, source: {test: picture}}");
        let Ok(Eye::Compressing { most_bps, .. }) = eye else { panic!("not compressing") };
        assert_eq!(most_bps, (50_000 - 16) * 8 * 10);
    }

    #[test]
    fn four_cameras_begin_at_four_places_of_a_film_whose_length_is_known() {
        let starts = |length| {
            let film = Film { path: "film.avi".into(), length };
            (0..4).map(move |number| film.start_of(number, 4).as_secs()).collect::<Vec<_>>()
        };
        assert_eq!(starts(Some(Duration::from_secs(80))), [0, 20, 40, 60]);
        assert_eq!(starts(None), [0; 4]);
    }

    #[test]
    fn a_file_that_is_no_video_is_told_at_the_start_and_not_tried_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words.avi");
        std::fs::write(&path, "no film at all").unwrap();
        let error =
            opened(&format!("{{class: realtime, source: {{file: {}}}}}", path.display())).err().unwrap();
        let source =
            std::error::Error::source(&error).and_then(|source| source.downcast_ref::<CameraError>());
        assert!(matches!(source, Some(CameraError::NoVideo { .. } | CameraError::FfmpegMissing)), "{error}");
    }

    #[test]
    fn a_missing_video_is_named_with_its_flow() {
        let flow = "{class: realtime, source: {file: /no/such/film.avi}}";
        let error = opened(flow).err().unwrap();
        assert_eq!(error.to_string(), "flow camera/front: /no/such/film.avi: no such file, folder or device");
        assert_eq!(error.exit_code().number(), 2);
    }
}
