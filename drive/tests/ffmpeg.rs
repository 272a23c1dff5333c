//! Cameras read through the real program ffmpeg. Each test ends early, with the reason, where ffmpeg is not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_drive::camera::ffmpeg::{self, Settings};
use tokkyu_drive::camera::{Camera, CameraError, FfmpegCamera, Format, Frame, Input};
use tokkyu_drive::picture::Encoding;

/// Questions asked before a test gives up; each waits a bounded time, so a slow machine only needs more of them.
const PATIENCE: usize = 300;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tokkyu-ffmpeg-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs ffmpeg with these words; false where it is missing.
fn ran(folder: &Path, words: &[&str]) -> bool {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-loglevel", "error", "-nostdin"]).args(words);
    match ffmpeg.current_dir(folder).stdout(Stdio::null()).status() {
        Ok(status) => {
            assert!(status.success(), "ffmpeg {words:?}");
            true
        }
        Err(error) => {
            eprintln!("skipped: ffmpeg cannot be run here ({error}); install it with: apt install ffmpeg");
            false
        }
    }
}

/// Makes `output` with ffmpeg's own test source; false, with the reason, where ffmpeg is missing.
fn made(folder: &Path, source: &str, output: &str) -> bool {
    ran(folder, &["-f", "lavfi", "-i", source, output])
}

fn settings(path: &Path, format: Format) -> Settings {
    Settings {
        input: Input::at(path).unwrap(),
        width: 64,
        height: 48,
        format,
        rate_hz: 20.0,
        start: Duration::ZERO,
    }
}

/// The next picture, or the error that is not merely "not yet".
fn next(camera: &mut FfmpegCamera) -> Result<Frame, CameraError> {
    for _ in 0..PATIENCE {
        // The due time stands still, so that a slow machine is not taken for a camera that stalled.
        match camera.next(MonoTime::ZERO) {
            Err(CameraError::NotYet) => {}
            other => return other,
        }
    }
    panic!("no picture and no end after {PATIENCE} questions")
}

#[test]
fn a_video_gives_pictures_of_the_size_asked_and_goes_on_after_its_end() {
    let folder = Folder::new("video");
    if !made(&folder.0, "testsrc=duration=0.5:size=128x96:rate=10", "five.avi") {
        return;
    }
    let mut camera = FfmpegCamera::open(settings(&folder.0.join("five.avi"), Format::Rgb8)).unwrap();
    let mut last = next(&mut camera).unwrap();
    // Half a second at 20 Hz are 10 pictures.
    while last.sequence < 25 {
        let frame = next(&mut camera).unwrap();
        assert!(frame.sequence > last.sequence, "a picture was handed out twice");
        last = frame;
    }
    assert_eq!(last.encoding, Encoding::Rgb8 { width: 64, height: 48 });
    assert_eq!(last.data.len(), 64 * 48 * 3);
    assert_eq!(last.source_time, Some(Duration::from_millis(last.sequence * 50)));
}

#[test]
fn what_was_compressed_already_comes_as_it_was() {
    let folder = Folder::new("copied");
    if !made(&folder.0, "testsrc=duration=0.5:size=64x48:rate=10", "film.mjpeg") {
        return;
    }
    let film = fs::read(folder.0.join("film.mjpeg")).unwrap();
    let mut camera = FfmpegCamera::open(settings(&folder.0.join("film.mjpeg"), Format::Jpeg)).unwrap();
    let frame = next(&mut camera).unwrap();
    assert_eq!(frame.encoding, Encoding::Jpeg { width: 64, height: 48 });
    assert!(film.windows(frame.data.len()).any(|part| part == frame.data), "{} B", frame.data.len());
}

#[test]
fn a_video_is_begun_where_asked_and_goes_on_from_its_beginning() {
    let folder = Folder::new("start");
    // A second of black, then one of white.
    let source = "color=black:duration=2:size=64x48:rate=10,geq=lum='if(lt(N,10),16,235)':cb=128:cr=128";
    if !made(&folder.0, source, "halves.avi") {
        return;
    }
    let film = folder.0.join("halves.avi");
    assert_eq!(ffmpeg::length(&film), Some(Duration::from_secs(2)));
    assert_eq!(ffmpeg::length(&folder.0.join("none.avi")), None);
    let start = Duration::from_millis(1_500);
    let mut camera = FfmpegCamera::open(Settings { start, ..settings(&film, Format::Mono8) }).unwrap();
    let first = next(&mut camera).unwrap();
    assert!(first.data[0] > 200 && first.source_time >= Some(start), "white: {}", first.data[0]);
    let mut seen = first.data[0];
    for _ in 0..PATIENCE {
        seen = seen.min(next(&mut camera).unwrap().data[0]);
        if seen < 50 {
            return;
        }
    }
    panic!("the beginning was never shown");
}

#[test]
fn what_holds_no_picture_is_told_before_the_drive_with_ffmpegs_words() {
    let folder = Folder::new("look");
    if !made(&folder.0, "testsrc=duration=0.2:size=128x96:rate=10", "film.avi") {
        return;
    }
    let at = |name: &str| ffmpeg::look(Input::at(&folder.0.join(name)).unwrap());
    at("film.avi").unwrap();
    fs::write(folder.0.join("words.avi"), "no film at all").unwrap();
    fs::write(folder.0.join("empty.avi"), "").unwrap();
    for name in ["words.avi", "empty.avi"] {
        let error = at(name).unwrap_err();
        let told = error.to_string();
        assert!(matches!(error, CameraError::NoVideo { .. }) && told.contains("ffmpeg says"), "{told}");
        assert!(told.contains(name) && told.contains("Invalid data"), "{told}");
    }
}

#[test]
fn a_wide_video_is_scaled_to_fit_with_black_above_and_below() {
    let folder = Folder::new("wide");
    if !made(&folder.0, "color=white:duration=0.5:size=128x48:rate=10", "wide.avi") {
        return;
    }
    let mut camera = FfmpegCamera::open(settings(&folder.0.join("wide.avi"), Format::Mono8)).unwrap();
    let frame = next(&mut camera).unwrap();
    assert_eq!(frame.encoding, Encoding::Mono8 { width: 64, height: 48 });
    let grey = |row: usize| frame.data[row * 64 + 32];
    assert_eq!(
        [grey(2), grey(24), grey(45)],
        [0, 255, 0],
        "black is 0 and white 255, whatever range the film has"
    );
}

#[test]
fn a_folder_of_pictures_is_played_in_the_order_of_names() {
    let folder = Folder::new("folder [1]*");
    // Three frames, darker to brighter.
    if !made(
        &folder.0,
        "color=black:duration=0.3:size=64x48:rate=10,geq=lum='N*100':cb=128:cr=128",
        "p%02d.png",
    ) {
        return;
    }
    let mut camera = FfmpegCamera::open(settings(&folder.0, Format::Mono8)).unwrap();
    let mut seen = [false; 3];
    for _ in 0..PATIENCE {
        let grey = next(&mut camera).unwrap().data[64 * 24 + 32];
        seen[usize::from(grey > 50) + usize::from(grey > 150)] = true;
        if seen == [true; 3] {
            return;
        }
    }
    panic!("only {seen:?} of the three pictures were shown");
}

#[test]
fn folders_that_cannot_be_played_say_why() {
    let folder = Folder::new("mixed");
    assert!(matches!(Input::at(&folder.0), Err(CameraError::NoPictures { .. })));
    fs::write(folder.0.join("a.png"), "").unwrap();
    fs::write(folder.0.join("b.jpg"), "").unwrap();
    let error = Input::at(&folder.0).unwrap_err().to_string();
    assert!(error.contains("several kinds (jpg: 1, png: 1)"), "{error}");
}

#[test]
fn a_path_that_is_not_there_is_told_before_anything_is_started() {
    assert!(matches!(Input::at(Path::new("/dev/video99")), Err(CameraError::NotFound { .. })));
}

#[test]
fn a_file_that_is_no_video_is_told_in_ffmpegs_words() {
    let folder = Folder::new("novideo");
    if !made(&folder.0, "color=black:duration=0.1", "probe.avi") {
        return;
    }
    let path = folder.0.join("notes.txt");
    fs::write(&path, "these are notes\n").unwrap();
    let error = next(&mut FfmpegCamera::open(settings(&path, Format::Mono8)).unwrap()).unwrap_err();
    let told = error.to_string();
    assert!(matches!(error, CameraError::NoVideo { .. }), "{told}");
    assert!(told.contains("notes.txt") && told.contains("Invalid data found"), "{told}");
}

#[test]
fn a_file_with_sound_alone_has_no_video() {
    let folder = Folder::new("sound");
    if !made(&folder.0, "sine=duration=0.2", "sound.wav") {
        return;
    }
    let path = folder.0.join("sound.wav");
    let error = next(&mut FfmpegCamera::open(settings(&path, Format::Mono8)).unwrap()).unwrap_err();
    assert!(matches!(error, CameraError::NoVideo { .. }), "{error}");
}

/// Columns and rows of a picture in which something is bright.
fn bright(frame: &Frame, width: usize) -> (usize, usize) {
    let rows: Vec<&[u8]> = frame.data.chunks(width).collect();
    let columns = (0..width).filter(|column| rows.iter().any(|row| row[*column] > 128)).count();
    (columns, rows.iter().filter(|row| row.iter().any(|grey| *grey > 128)).count())
}

/// Left and upper edge, width and height of what is bright.
fn place_of_bright(frame: &Frame, width: usize) -> [usize; 4] {
    let places = frame.data.iter().enumerate().filter(|(_, grey)| **grey > 128).map(|(at, _)| at);
    let left = places.clone().map(|at| at % width).min().unwrap_or_default();
    let top = places.clone().map(|at| at / width).min().unwrap_or_default();
    let (columns, rows) = bright(frame, width);
    [left, top, columns, rows]
}

#[test]
fn a_film_whose_pixels_are_not_square_is_shown_as_it_is_meant() {
    let folder = Folder::new("anamorphic");
    // A square of 100x100 stored pixels, which are shown 145 wide.
    let square = "color=black:duration=0.5:size=720x576:rate=10,drawbox=x=310:y=238:w=100:h=100:color=white:t=fill,setsar=16/11";
    if !made(&folder.0, square, "pal.mp4") {
        return;
    }
    let asked = Settings { width: 640, height: 480, ..settings(&folder.0.join("pal.mp4"), Format::Mono8) };
    let frame = next(&mut FfmpegCamera::open(asked).unwrap()).unwrap();
    let (columns, rows) = bright(&frame, 640);
    assert!(columns.abs_diff(89) <= 2 && rows.abs_diff(61) <= 2, "{columns}x{rows}, not 89x61");
}

#[test]
fn a_source_that_is_far_wider_than_high_is_a_line() {
    let folder = Folder::new("line");
    if !made(&folder.0, "color=white:duration=0.5:size=4096x2:rate=10", "line%d.png") {
        return;
    }
    let frame = next(&mut FfmpegCamera::open(settings(&folder.0, Format::Mono8)).unwrap()).unwrap();
    assert_eq!(bright(&frame, 64), (64, 1));
}

/// A white picture, as ffmpeg's own sources make none of one pixel in height or width.
fn white(folder: &Path, width: usize, height: usize) {
    let mut picture = format!("P5 {width} {height} 255\n").into_bytes();
    picture.resize(picture.len() + width * height, 255);
    fs::write(folder.join("white.pgm"), picture).unwrap();
}

/// What is bright of such a film, shown in pictures of that size and form, is `expected`.
fn shows(folder: &Path, (width, height): (u16, u16), format: Format, expected: (usize, usize)) {
    let film = folder.join("white.mkv");
    let asked = Settings { width, height, ..settings(&film, format) };
    let frame = next(&mut FfmpegCamera::open(asked).unwrap()).unwrap();
    let bytes = if format == Format::Mono8 { 1 } else { 3 };
    let (columns, rows) = bright(&frame, usize::from(width) * bytes);
    assert_eq!((columns / bytes, rows), expected, "{format:?} in {width}x{height}");
}

#[test]
fn films_of_odd_and_extreme_sizes_are_shown_in_pictures_of_odd_and_extreme_sizes() {
    let folder = Folder::new("extreme");
    // What of 64x48, 63x47, 1x1, 3x7 and 1x4096 is bright.
    type Bright = [(usize, usize); 5];
    let films: [((usize, usize), Bright); 5] = [
        ((1, 1), [(48, 48), (47, 47), (1, 1), (3, 3), (1, 1)]),
        ((3, 7), [(21, 48), (20, 47), (1, 1), (3, 7), (1, 2)]),
        ((4096, 1), [(64, 1), (63, 1), (1, 1), (3, 1), (1, 1)]),
        ((1, 4096), [(1, 48), (1, 47), (1, 1), (1, 7), (1, 4096)]),
        ((4096, 2160), [(64, 34), (63, 33), (1, 1), (3, 2), (1, 1)]),
    ];
    for ((width, height), expected) in films {
        white(&folder.0, width, height);
        let words = ["-y", "-loop", "1", "-t", "0.3", "-r", "10", "-i", "white.pgm", "-pix_fmt", "yuv420p"];
        if !ran(&folder.0, &[&words[..], &["-c:v", "ffv1", "white.mkv"]].concat()) {
            return;
        }
        let sizes = [(64, 48), (63, 47), (1, 1), (3, 7), (1, 4096)];
        for (size, bright) in sizes.into_iter().zip(expected) {
            eprintln!("{width}x{height}:");
            shows(&folder.0, size, Format::Mono8, bright);
            shows(&folder.0, size, Format::Rgb8, bright);
        }
    }
}

#[test]
fn a_grey_picture_has_black_around_it() {
    let folder = Folder::new("grey");
    white(&folder.0, 128, 48);
    if !ran(&folder.0, &["-i", "white.pgm", "-pix_fmt", "gray", "grey.png"]) {
        return;
    }
    fs::remove_file(folder.0.join("white.pgm")).unwrap();
    let frame = next(&mut FfmpegCamera::open(settings(&folder.0, Format::Mono8)).unwrap()).unwrap();
    assert_eq!([2, 24, 45].map(|row| frame.data[row * 64 + 32]), [0, 255, 0]);
}

/// Writes into an MP4 file how its picture is to be turned: `a`, `b`, `c` and `d` of the matrix in its track's header
/// (ISO/IEC 14496-12, `tkhd` of version 0), which makes a x + c y, b x + d y of the place x, y.
fn turn(film: &Path, matrix: [i32; 4]) {
    let mut bytes = fs::read(film).unwrap();
    let header = bytes.windows(4).position(|word| word == b"tkhd").expect("a track") + 4;
    for (place, value) in [0, 4, 12, 16].into_iter().zip(matrix) {
        let at = header + 40 + place;
        bytes[at..at + 4].copy_from_slice(&(value << 16).to_be_bytes());
    }
    fs::write(film, bytes).unwrap();
}

#[test]
fn a_film_that_is_to_be_turned_is_shown_turned() {
    let folder = Folder::new("turned");
    // White on the left, black on the right; of 128x64, or 64x128 when it is turned by a quarter.
    let source = "color=black:duration=0.5:size=128x64:rate=10,drawbox=w=64:color=white:t=fill";
    if !made(&folder.0, source, "film.mp4") {
        return;
    }
    let place = |film: &str| {
        let path = folder.0.join(film);
        place_of_bright(&next(&mut FfmpegCamera::open(settings(&path, Format::Mono8)).unwrap()).unwrap(), 64)
    };
    assert_eq!(place("film.mp4"), [0, 8, 32, 32]);
    let turns = [
        ("a quarter clockwise", [0, 1, -1, 0], [20, 0, 24, 24]),
        ("half", [-1, 0, 0, -1], [32, 8, 32, 32]),
        ("a quarter back", [0, -1, 1, 0], [20, 24, 24, 24]),
    ];
    for (turned, matrix, expected) in turns {
        turn(&folder.0.join("film.mp4"), matrix);
        assert_eq!(place("film.mp4"), expected, "{turned}");
    }
}

#[test]
fn a_film_whose_video_begins_late_is_shown_when_it_begins() {
    let folder = Folder::new("late");
    let words = ["-f", "lavfi", "-i", "sine=duration=9", "-itsoffset", "7", "-f", "lavfi", "-i"];
    let rest = ["color=white:duration=2:size=64x48:rate=10", "-map", "1:v", "-map", "0:a", "late.mkv"];
    if !ran(&folder.0, &[&words[..], &rest[..]].concat()) {
        return;
    }
    let path = folder.0.join("late.mkv");
    ffmpeg::look(Input::at(&path).unwrap()).expect("there is a picture in it");
    let mut camera = FfmpegCamera::open(settings(&path, Format::Mono8)).unwrap();
    // A drive's clock: a camera that is silent for 5 s has vanished.
    let begun = std::time::Instant::now();
    let frame = loop {
        match camera.next(MonoTime::from_nanos(begun.elapsed().as_nanos() as u64)) {
            Err(CameraError::NotYet) => assert!(begun.elapsed() < Duration::from_secs(60), "it never begins"),
            other => break other.unwrap(),
        }
    };
    assert_eq!(bright(&frame, 64), (64, 48));
}

#[test]
fn a_folder_with_broken_pictures_names_them_and_plays_the_others() {
    let folder = Folder::new("broken, {some}");
    let source = "color=black:duration=0.6:size=64x48:rate=10,geq=lum='N*40':cb=128:cr=128";
    if !ran(&folder.0, &["-f", "lavfi", "-i", source, "-q:v", "2", "p,%02d.jpg"]) {
        return;
    }
    fs::write(folder.0.join("p,02.jpg"), "").unwrap();
    let whole = fs::read(folder.0.join("p,04.jpg")).unwrap();
    fs::write(folder.0.join("p,04.jpg"), &whole[..whole.len() / 2]).unwrap();
    let input = Input::at(&folder.0).unwrap();
    let told = input.notice().expect("two are left out");
    assert!(told.contains("p,02.jpg") && told.contains("p,04.jpg") && !told.contains("p,01.jpg"), "{told}");
    let mut camera = FfmpegCamera::open(settings(&folder.0, Format::Mono8)).unwrap();
    let mut greys = std::collections::BTreeSet::new();
    // Four are left: a few rounds of them.
    while greys.len() < 4 || next(&mut camera).unwrap().sequence < 12 {
        greys.insert(next(&mut camera).unwrap().data[64 * 24 + 32] / 20);
    }
    assert_eq!(greys.len(), 4, "{greys:?}");
}
