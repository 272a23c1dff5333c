//! Telling QEMU what to do: its machine protocol (QMP), a line of JSON each.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

/// What QEMU takes at most to make its socket, and to answer.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

/// A connection to a QEMU.
#[derive(Debug)]
pub struct Qmp(BufReader<UnixStream>);

impl Qmp {
    /// Connects, once QEMU has made the socket.
    ///
    /// # Errors
    /// It does not, or speaks otherwise.
    pub fn connect(socket: &Path) -> io::Result<Qmp> {
        let mut waited = Duration::ZERO;
        let stream = loop {
            match UnixStream::connect(socket) {
                Ok(stream) => break stream,
                Err(error) if waited >= PATIENCE => return Err(error),
                Err(_) => sleep(LOOK),
            }
            waited += LOOK;
        };
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut qmp = Qmp(BufReader::new(stream));
        qmp.line()?;
        qmp.execute("qmp_capabilities", &json!({}))?;
        Ok(qmp)
    }

    /// Stops the machine, reads its memory there, by way of a file that is not there yet, and has it go on.
    ///
    /// # Errors
    /// QEMU refuses, or has ended.
    pub fn read_memory(&mut self, address: u64, bytes: u64, file: &Path) -> io::Result<Vec<u8>> {
        self.execute("stop", &json!({}))?;
        let saved = self.execute("pmemsave", &json!({ "val": address, "size": bytes, "filename": file }));
        self.execute("cont", &json!({}))?;
        saved?;
        let memory = std::fs::read(file);
        std::fs::remove_file(file)?;
        memory
    }

    fn execute(&mut self, command: &str, arguments: &Value) -> io::Result<()> {
        let line = json!({ "execute": command, "arguments": arguments });
        writeln!(self.0.get_mut(), "{line}")?;
        loop {
            let answer = self.line()?;
            if answer.get("return").is_some() {
                return Ok(());
            }
            if let Some(error) = answer.get("error") {
                return Err(io::Error::other(format!("QEMU refuses {command}: {error}")));
            }
            // Else it tells what has happened meanwhile.
        }
    }

    fn line(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        match self.0.read_line(&mut line)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "QEMU has ended")),
            _ => serde_json::from_str(&line).map_err(io::Error::other),
        }
    }
}
