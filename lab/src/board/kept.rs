//! What a board kept, one file after another in one, made into the files that they were.

use std::fs;
use std::io;
use std::path::Path;

/// Divides the file that the port's bytes went to, in its folder, and removes it. What a board had not finished stays out.
pub(super) fn divide(path: &Path) -> io::Result<()> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut rest = bytes.as_slice();
    while let Some((name, content, after)) = next(rest) {
        fs::write(folder.join(name), content)?;
        rest = after;
    }
    fs::remove_file(path)
}

/// Name, content, and what comes after it.
fn next(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let (length, name) = header.strip_prefix("kept ")?.split_once(' ')?;
    // The name is the plan's own, and still none that leads out of the folder.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.starts_with('.') || name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let (content, after) = bytes[end + 1..].split_at_checked(length.parse().ok()?)?;
    Some((name, content, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_agent::report::kept_header;

    #[test]
    fn files_come_back_as_they_were_and_what_was_cut_does_not() {
        let mut bytes = Vec::new();
        for (name, content) in [("a.csv", "1\n2\n"), ("empty", ""), ("b.csv", "kept 9 x\n")] {
            bytes.extend(kept_header(name, content.len()).into_bytes());
            bytes.extend(content.bytes());
        }
        bytes.extend(kept_header("cut.csv", 5).into_bytes());
        bytes.extend(b"1234");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        fs::write(&path, bytes).unwrap();
        divide(&path).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name));
        assert_eq!(read("a.csv").unwrap(), "1\n2\n");
        assert_eq!(
            (read("empty").unwrap(), read("b.csv").unwrap()),
            (String::new(), "kept 9 x\n".to_owned())
        );
        assert!(read("cut.csv").is_err() && !path.exists());
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        for name in ["../x", ".", "a/b", ""] {
            assert_eq!(next(kept_header(name, 0).as_bytes()), None, "{name}");
        }
    }
}
