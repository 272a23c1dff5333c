//! `tokkyu node beside` between a real `rosmaster` with ROS's own tools and a file that stands in for the memory of an RTOS.
//!
//! Needs Debian's `rosmaster` and `rostopic`; without them the test says so and passes. It waits for events, never for a time.

#[allow(dead_code, reason = "the bridge's tests use the rest of it")]
#[path = "bridge/program.rs"]
mod program;

use std::fs::{File, OpenOptions};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::sleep;
use std::time::{Duration, Instant};

use program::{PATIENCE, Program};
use tokkyu_monitor_topics::{Device, Direction, Entry, SHARED_WORDS, Topic, write};
use tokkyu_window::{WindowForm, WindowReader, WindowWriter};

const TEXT: &str = "std_msgs/String";
const TEXT_MD5: &str = "992ce8a1687cec8c8bd883ec73ca41d1";

/// The RTOS's side: its memory, which it writes to a file that others map.
struct Rtos {
    memory: Vec<AtomicU32>,
    file: File,
}

impl Rtos {
    fn new(path: &Path, topics: &[Topic<'_>]) -> Rtos {
        let memory: Vec<AtomicU32> = (0..SHARED_WORDS).map(|_| AtomicU32::new(0)).collect();
        write(&memory, topics).expect("they fit");
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).expect("a file");
        file.set_len(4 * SHARED_WORDS as u64).expect("as long");
        let rtos = Rtos { memory, file };
        rtos.show(0x1_0000 / 4..0x1_8000 / 4);
        rtos
    }

    fn show(&self, words: std::ops::Range<usize>) {
        let bytes: Vec<u8> =
            self.memory[words.clone()].iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
        self.file.write_all_at(&bytes, 4 * words.start as u64).expect("written");
    }

    /// Slots before what says how many are written.
    fn show_window(&self, topic: &Entry) {
        let words = topic.words();
        self.show(words.start + 16..words.end);
        self.show(words.start..words.start + 16);
    }

    /// What Linux has written to a window, as it is now.
    fn read(&self, topic: &Entry) -> Vec<AtomicU32> {
        let mut bytes = vec![0; 4 * topic.form.words()];
        self.file.read_exact_at(&mut bytes, 4 * topic.at as u64).expect("read");
        bytes
            .chunks(4)
            .map(|four| AtomicU32::new(u32::from_le_bytes(four.try_into().expect("four"))))
            .collect()
    }
}

/// Looks again and again, and gives up when nothing more can be hoped for.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what} does not come");
        sleep(Duration::from_millis(20));
    }
}

fn ros(program: &str, master: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:{path}")).env("ROS_MASTER_URI", master).env("ROS_IP", "127.0.0.1");
    command.env("ROS_HOME", folder).env("ROS_LOG_DIR", folder).env("PYTHONUNBUFFERED", "1");
    command.env_remove("ROS_HOSTNAME").env_remove("ROS_NAMESPACE");
    command
}

fn start_master(folder: &Path) -> (Program, String) {
    // Free a moment ago; nobody else is given it soon.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|probe| probe.local_addr()).expect("a port").port();
    let uri = format!("http://127.0.0.1:{port}");
    let mut command = ros("rosmaster", &uri, folder);
    command.args(["--core", "-p", &port.to_string()]);
    let program = Program::start("rosmaster", command, None);
    until("the master", || TcpStream::connect(("127.0.0.1", port)).ok());
    (program, uri)
}

/// As `std_msgs/String` is sent: its length, its bytes.
fn text(words: &str) -> Vec<u8> {
    [&(words.len() as u32).to_le_bytes(), words.as_bytes()].concat()
}

#[test]
fn topics_of_the_rtos_are_topics_of_ros() {
    if !["/usr/bin/rosmaster", "/usr/bin/rostopic"].iter().all(|path| Path::new(path).exists()) {
        eprintln!("skipped: no rosmaster or rostopic; apt-get install python3-rosmaster python3-rostopic");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("memory");
    let form = WindowForm::new(8, 64).expect("a form");
    let of = |name, direction| Topic {
        name,
        kind: TEXT,
        md5: TEXT_MD5,
        definition: "string data\n",
        direction,
        form,
    };
    let rtos = Rtos::new(&path, &[of("/state", Direction::FromRtos), of("/order", Direction::FromLinux)]);
    let topics = Device::open(&path).expect("it maps").topics().expect("a directory");
    let [state, order] = &topics[..] else { panic!("two topics") };
    let mut writer = WindowWriter::new(&rtos.memory[state.words()], form).expect("a window");
    rtos.show_window(state);

    let (_master, uri) = start_master(folder.path());
    let mut beside = ros(env!("CARGO_BIN_EXE_tokkyu"), &uri, folder.path());
    beside.args(["node", "beside", "--device"]).arg(&path);
    let _beside = Program::start("beside", beside, None);

    let mut echo = ros("/usr/bin/rostopic", &uri, folder.path());
    let output = folder.path().join("echo");
    echo.args(["echo", "-n", "1", "/state"]).stdout(File::create(&output).expect("a file"));
    let mut echo = echo.spawn().expect("rostopic");
    until("rostopic's end", || {
        writer.publish(&text("ready")).expect("short");
        rtos.show_window(state);
        echo.try_wait().expect("its state")
    });
    assert_eq!(std::fs::read_to_string(&output).expect("what it says"), "data: \"ready\"\n---\n");

    let mut publish = ros("/usr/bin/rostopic", &uri, folder.path());
    publish.args(["pub", "-r", "20", "/order", TEXT, "go"]);
    let _publish = Program::start("rostopic", publish, None);
    let message = until("a message", || {
        let (window, mut message) = (rtos.read(order), Vec::new());
        let mut reader = WindowReader::new(&window, form).ok()?;
        reader.go_back();
        reader.take(&mut message).map(|_| message)
    });
    assert_eq!(message, text("go"));
}
