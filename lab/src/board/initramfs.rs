//! The initial file system of a board: a cpio archive in the "newc" format (Linux, `Documentation/driver-api/early-userspace`).

use std::collections::BTreeSet;
use std::io::{self, Write};

/// Builds the archive, file after file.
pub(crate) struct Archive<W> {
    out: W,
    folders: BTreeSet<String>,
    inode: u32,
    written: usize,
}

const REGULAR: u32 = 0o100_755;
const FOLDER: u32 = 0o040_755;
const END: &str = "TRAILER!!!";

impl<W: Write> Archive<W> {
    pub(crate) fn new(out: W) -> Self {
        Archive { out, folders: BTreeSet::new(), inode: 0, written: 0 }
    }

    /// A program or file; the folders above it come by themselves.
    pub(crate) fn file(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        let path = path.trim_start_matches('/');
        let above: Vec<&str> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
        for folder in above {
            self.folder(folder)?;
        }
        self.entry(path, REGULAR, content)
    }

    /// An empty folder.
    pub(crate) fn folder(&mut self, path: &str) -> io::Result<()> {
        let path = path.trim_start_matches('/');
        match self.folders.insert(path.to_owned()) {
            true => self.entry(path, FOLDER, &[]),
            false => Ok(()),
        }
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.entry(END, 0, &[])?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Thirteen numbers of eight hexadecimal digits behind the magic; name and content are padded to four bytes.
    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        self.inode += 1;
        let size = u32::try_from(content.len()).map_err(io::Error::other)?;
        let name_size = u32::try_from(name.len() + 1).map_err(io::Error::other)?;
        let links = if mode & FOLDER == FOLDER { 2 } else { 1 };
        let header = [self.inode, mode, 0, 0, links, 0, size, 0, 0, 0, 0, name_size, 0];
        self.write(b"070701")?;
        for number in header {
            self.write(format!("{number:08x}").as_bytes())?;
        }
        self.write(name.as_bytes())?;
        self.write(&[0])?;
        self.pad()?;
        self.write(content)?;
        self.pad()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len();
        self.out.write_all(bytes)
    }

    fn pad(&mut self) -> io::Result<()> {
        let short = self.written.next_multiple_of(4) - self.written;
        self.write(&[0; 3][..short])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_that_unpacks_such_archives_reads_ours() {
        let mut archive = Archive::new(Vec::new());
        archive.file("/bin/agent", b"program").unwrap();
        archive.file("bin/ip", b"other").unwrap();
        archive.folder("dev").unwrap();
        let bytes = archive.finish().unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let Some(listed) = listed_by_cpio(&bytes) else {
            eprintln!("skipped: no cpio; apt-get install cpio");
            return;
        };
        assert_eq!(listed, "bin\nbin/agent\nbin/ip\ndev\n");
    }

    fn listed_by_cpio(bytes: &[u8]) -> Option<String> {
        use std::process::{Command, Stdio};
        let mut child = Command::new("cpio")
            .args(["--list", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(bytes).ok()?;
        Some(String::from_utf8(child.wait_with_output().ok()?.stdout).unwrap())
    }
}
