//! The rosmaster of a run, which the peers over ROS need: on a port that was free, for as long as the run.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::error::LocalError;
use super::program::Program;

/// A running rosmaster. Dropped, it is ended.
#[derive(Debug)]
pub struct Master {
    program: Program,
    address: SocketAddr,
}

const NAME: &str = "rosmaster";
/// It is Debian's Python that has rosmaster's modules, not whichever comes first.
const FIRST: &str = "/usr/bin";
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Master {
    /// Its program, if there is one.
    pub fn find() -> Option<PathBuf> {
        let folders = std::env::split_paths(&search_path()).collect::<Vec<_>>();
        folders.into_iter().map(|folder| folder.join(NAME)).find(|file| file.is_file())
    }

    /// Starts one, and waits until it answers; nothing if `stop` said so meanwhile. What it says goes to `folder`, which is made.
    ///
    /// # Errors
    /// It cannot be started, or does not answer.
    pub fn start(folder: &Path, stop: &dyn Fn() -> bool) -> Result<Option<Master>, LocalError> {
        let program = Master::find().ok_or_else(|| LocalError::Master("not in PATH".to_owned()))?;
        let failed =
            |what: &str, error: &dyn std::fmt::Display| LocalError::Master(format!("{what}: {error}"));
        let address = free_port().map_err(|error| failed("no free port", &error))?;
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| LocalError::Folder { path: folder.to_path_buf(), source })?;
        let log = folder.join("rosmaster.log");
        let output = File::create(&log).map_err(|source| LocalError::Folder { path: log, source })?;
        let errors = output.try_clone().map_err(|error| failed("its log", &error))?;
        let mut command = Command::new(&program);
        command.args(["--core", "-p", &address.port().to_string()]).env("PATH", search_path());
        command.env("ROS_MASTER_URI", uri(address)).env("ROS_IP", "127.0.0.1").env("ROS_LOG_DIR", folder);
        command.stdout(output).stderr(errors);
        let program =
            Program::start(command).map_err(|source| LocalError::Start { path: program, source })?;
        let mut master = Master { program, address };
        Ok(if master.wait(stop)? { Some(master) } else { None })
    }

    /// Its address.
    pub fn uri(&self) -> String {
        uri(self.address)
    }

    fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, LocalError> {
        let begun = Instant::now();
        while !self.answers() {
            let ended = self.program.look().map_err(|error| LocalError::Master(error.to_string()))?;
            if let Some(status) = ended {
                return Err(LocalError::Master(format!("it ended with {status}; rosmaster.log says why")));
            }
            if begun.elapsed() > PATIENCE {
                return Err(LocalError::Master(format!("no answer in {} s", PATIENCE.as_secs())));
            }
            if stop() {
                return Ok(false);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(true)
    }

    fn answers(&self) -> bool {
        asked(self.address).is_ok_and(|answer| answer.contains("<methodResponse>"))
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        self.program.tell(Signal::SIGTERM);
        // What is left of it after that is killed when the program is dropped.
        let _ = self.program.wait(Duration::from_secs(5), &|| false);
    }
}

fn search_path() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(PathBuf::from(FIRST)).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap_or_else(|_| FIRST.into())
}

fn uri(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// Free now; whoever takes it before the master does makes the master fail, which is told.
fn free_port() -> io::Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0")?.local_addr()
}

/// What a master says to a question that each can answer (ROS's Master API, `getPid`).
fn asked(address: SocketAddr) -> io::Result<String> {
    let body = "<?xml version=\"1.0\"?><methodCall><methodName>getPid</methodName>\
                <params><param><value>/lab</value></param></params></methodCall>";
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let head =
        format!("POST /RPC2 HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut answer = String::new();
    stream.take(1 << 16).read_to_string(&mut answer)?;
    Ok(answer)
}
