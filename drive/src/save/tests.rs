//! Saving: what the files hold, and what happens when the disk does not keep up.

use super::*;
use crate::picture::Encoding;

/// A folder of the test's own, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tokkyu-save-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn arrived(camera: &str, sequence: u64, encoding: Encoding, data: &[u8]) -> Arrived {
    let picture = Picture { encoding, sequence: 0, data: Bytes::copy_from_slice(data) };
    Arrived {
        camera: camera.into(),
        sequence,
        captured: MonoTime::from_millis(1_000),
        arrived: MonoTime::from_millis(1_045),
        sample: picture.encode().unwrap(),
    }
}

fn png(path: &Path) -> (png::ColorType, u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(io::BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.color_type, info.width, info.height, pixels)
}

const GREY: Encoding = Encoding::Mono8 { width: 3, height: 2 };

#[test]
fn each_encoding_is_kept_in_a_file_that_holds_exactly_what_arrived() {
    let folder = Folder::new("encodings");
    let saver = Saver::create(&folder.0).unwrap();
    saver.offer(arrived("camera/front", 123, GREY, &[0, 50, 100, 150, 200, 250]));
    saver.offer(arrived("camera/rear", 7, Encoding::Rgb8 { width: 1, height: 2 }, &[1, 2, 3, 4, 5, 6]));
    saver.offer(arrived("camera/rear", 8, Encoding::Jpeg { width: 9, height: 9 }, b"\xff\xd8jpeg"));
    saver.offer(arrived("dummy", 9, Encoding::Opaque, b"anything"));
    assert_eq!(saver.finish(), Saved { offered: 4, written: 4, ..Saved::default() });

    let grey = png(&folder.0.join("camera_front/000123_age045ms.png"));
    assert_eq!(grey, (png::ColorType::Grayscale, 3, 2, vec![0, 50, 100, 150, 200, 250]));
    let colour = png(&folder.0.join("camera_rear/000007_age045ms.png"));
    assert_eq!(colour, (png::ColorType::Rgb, 1, 2, vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(fs::read(folder.0.join("camera_rear/000008_age045ms.jpg")).unwrap(), b"\xff\xd8jpeg");
    assert_eq!(fs::read(folder.0.join("dummy/000009_age045ms.bin")).unwrap(), b"anything");
}

#[test]
fn the_index_has_one_line_for_each_file() {
    let folder = Folder::new("index");
    let saver = Saver::create(&folder.0).unwrap();
    saver.offer(arrived("camera/front", 1, GREY, &[0; 6]));
    saver.finish();
    assert_eq!(
        fs::read_to_string(folder.0.join("index.csv")).unwrap(),
        "sequence,capture_ns,arrival_ns,age_ms,file\n\
         1,1000000000,1045000000,45,camera_front/000001_age045ms.png\n"
    );
}

#[test]
fn a_recording_is_never_written_over() {
    let folder = Folder::new("twice");
    Saver::create(&folder.0).unwrap().finish();
    let error = Saver::create(&folder.0).err().expect("the folder is taken");
    assert!(error.to_string().contains("give another one to --save"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_made_is_told_at_once() {
    let error = Saver::create(Path::new("/proc/tokkyu/recording")).err().expect("/proc takes no folders");
    assert!(matches!(error, SaveError::Disk { .. }), "{error}");
}

#[test]
fn a_full_disk_ends_the_saving_with_a_message_and_nothing_else() {
    let folder = Folder::new("full");
    // /dev/full takes nothing, with the error a full disk gives.
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let picture = Picture::decode(&arrived("a", 1, GREY, &[0; 6]).sample).unwrap();
    assert_eq!(file::fill(full(), &picture).unwrap_err().kind(), io::ErrorKind::StorageFull);

    let writer = Writer { folder: folder.0.clone(), index: full(), names: Names::default() };
    let (queue, waiting) = sync_channel(QUEUE);
    let mut saver = no_thread(queue);
    for sequence in 1..=3 {
        saver.offer(arrived("camera/front", sequence, GREY, &[0; 6]));
    }
    saver.end();
    save_all(writer, &waiting, &saver.shared);
    assert_eq!(saver.saved(), Saved { offered: 3, dropped: 3, ..Saved::default() });
    let trouble = saver.trouble().expect("the trouble is told");
    assert!(
        trouble.ends_with("index.csv: the disk is full; the program goes on without saving"),
        "{trouble}"
    );
    let left = fs::read_dir(folder.0.join("camera_front")).unwrap().count();
    assert_eq!(left, 0, "a picture the index does not have was left behind");
}

/// A saver whose thread takes nothing: the slowest disk there is.
fn no_thread(queue: SyncSender<Arrived>) -> Saver {
    Saver { queue: Some(queue), thread: None, shared: Arc::new(Shared::default()), has_ended: false }
}

#[test]
fn a_vehicle_that_starts_again_writes_over_none_of_its_pictures() {
    let folder = Folder::new("again");
    let saver = Saver::create(&folder.0).unwrap();
    for run in 1..=3 {
        saver.offer(arrived("camera/front", 7, GREY, &[run; 6]));
    }
    assert_eq!(saver.finish(), Saved { offered: 3, written: 3, ..Saved::default() });
    let index = fs::read_to_string(folder.0.join("index.csv")).unwrap();
    let files: Vec<&str> = index.lines().skip(1).filter_map(|line| line.split(',').next_back()).collect();
    let names = ["", "_2", "_3"].map(|suffix| format!("camera_front/000007_age045ms{suffix}.png"));
    assert_eq!(files, names);
    for (run, name) in (1..=3).zip(files) {
        assert_eq!(png(&folder.0.join(name)).3, [run; 6], "{name}");
    }
}

#[test]
fn pictures_that_could_not_be_written_are_told() {
    let (queue, _waiting) = sync_channel(1);
    let mut saver = no_thread(queue);
    saver.offer(arrived("a", 1, GREY, &[0; 6]));
    assert_eq!(saver.trouble(), None, "it waits for its turn");
    saver.offer(arrived("a", 2, GREY, &[0; 6]));
    assert_eq!(saver.trouble().unwrap(), "the disk is too slow: 1 pictures were given up");
    saver.end();
    assert!(saver.trouble().unwrap().ends_with("and 1 were not written at the end"));
}

#[test]
fn a_folder_with_a_recording_is_known_before_anything_starts() {
    let folder = Folder::new("check");
    check(&folder.0).unwrap();
    Saver::create(&folder.0).unwrap().finish();
    assert!(matches!(check(&folder.0), Err(SaveError::Exists { .. })));
}

#[test]
fn what_is_no_picture_is_refused_and_the_rest_goes_on() {
    let folder = Folder::new("refused");
    let saver = Saver::create(&folder.0).unwrap();
    saver.offer(Arrived { sample: Bytes::from_static(b"noise"), ..arrived("a", 1, GREY, &[0; 6]) });
    saver.offer(arrived("a", 2, GREY, &[0; 6]));
    assert_eq!(saver.finish(), Saved { offered: 2, written: 1, dropped: 0, refused: 1 });
}

#[test]
fn a_disk_that_does_not_keep_up_costs_pictures_and_never_a_wait() {
    let (queue, waiting) = sync_channel(QUEUE);
    let saver = no_thread(queue);
    for sequence in 0..QUEUE as u64 + 5 {
        saver.offer(arrived("a", sequence, GREY, &[0; 6]));
    }
    assert_eq!(saver.saved(), Saved { offered: QUEUE as u64 + 5, dropped: 5, ..Saved::default() });
    drop(waiting);
    saver.offer(arrived("a", 99, GREY, &[0; 6]));
    assert_eq!(saver.saved().dropped, 6, "a thread that ended drops, and blocks nobody");
}

#[test]
fn a_thread_that_died_is_blamed_and_not_the_disk() {
    for is_noticed_by_offer in [true, false] {
        let (queue, waiting) = sync_channel(QUEUE);
        let thread = thread::spawn(move || {
            let _waiting = waiting;
            panic!("as the test wants");
        });
        while is_noticed_by_offer && !thread.is_finished() {
            thread::yield_now();
        }
        let shared = Arc::new(Shared::default());
        let mut saver = Saver { queue: Some(queue), thread: Some(thread), shared, has_ended: false };
        match is_noticed_by_offer {
            true => saver.offer(arrived("camera/front", 1, GREY, &[0; 6])),
            false => saver.end(),
        }
        let trouble = saver.trouble().unwrap();
        assert!(trouble.starts_with("the thread that saves died;"), "{trouble}");
        assert_eq!(saver.saved().dropped, u64::from(is_noticed_by_offer));
    }
}
