//! The one line that a peer's program prints (LOCAL-31).

use serde_json::Value;

/// What a peer says of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub peer: String,
    /// Of a message.
    pub bytes: u64,
    /// Of the payload, in the library and in the kernel.
    pub copies: u64,
    /// One: two threads of it.
    pub processes: u64,
    /// Lines in the records.
    pub published: u64,
    /// Of those.
    pub received: u64,
    /// Of all samples, those that were not the next whole one.
    pub wrong: u64,
    /// What carried them.
    pub library: String,
    /// Of the library.
    pub version: String,
}

/// What the publisher that overloads says of a run. All samples count, those that warm up too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverloadSummary {
    /// Its name.
    pub peer: String,
    /// Of a message.
    pub bytes: u64,
    /// How many.
    pub published: u64,
    /// By the subscriber.
    pub got: u64,
    /// Told to the subscriber as missed.
    pub dropped: u64,
    /// Got, and not whole or out of order.
    pub torn: u64,
}

impl Summary {
    /// Reads the line.
    ///
    /// # Errors
    /// What is missing or not as promised.
    pub fn read(output: &str) -> Result<Summary, String> {
        let said = Said::read(output)?;
        Ok(Summary {
            peer: said.text("peer")?,
            bytes: said.number("bytes")?,
            copies: said.number("copies")?,
            processes: said.number("processes")?,
            published: said.number("published")?,
            received: said.number("received")?,
            wrong: said.number("wrong")?,
            library: said.text("library")?,
            version: said.text("version")?,
        })
    }
}

impl OverloadSummary {
    /// Reads the line.
    ///
    /// # Errors
    /// What is missing or not as promised.
    pub fn read(output: &str) -> Result<OverloadSummary, String> {
        let said = Said::read(output)?;
        Ok(OverloadSummary {
            peer: said.text("peer")?,
            bytes: said.number("bytes")?,
            published: said.number("published")?,
            got: said.number("got")?,
            dropped: said.number("dropped")?,
            torn: said.number("torn")?,
        })
    }
}

struct Said(Value);

impl Said {
    fn read(output: &str) -> Result<Said, String> {
        let line = output.strip_suffix('\n').filter(|line| !line.contains('\n'));
        let line = line.ok_or("standard output is not one line, a summary")?;
        serde_json::from_str(line).map(Said).map_err(|error| format!("the summary is no JSON: {error}"))
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let text = self.0.get(name).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("the summary's {name} is no text"))
    }

    fn number(&self, name: &str) -> Result<u64, String> {
        self.0
            .get(name)
            .and_then(Value::as_u64)
            .ok_or_else(|| format!("the summary's {name} is no whole number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"peer":"iceoryx","bytes":64,"copies":0,"processes":2,"published":40,"received":39,"wrong":1,"library":"iceoryx","version":"2.0.3"}"#;

    #[test]
    fn a_peers_line_is_read() {
        let summary = Summary::read(&format!("{LINE}\n")).unwrap();
        assert_eq!((summary.peer.as_str(), summary.published, summary.received), ("iceoryx", 40, 39));
        assert_eq!((summary.wrong, summary.processes, summary.version.as_str()), (1, 2, "2.0.3"));
    }

    #[test]
    fn what_is_missing_or_no_line_is_told() {
        let without = LINE.replace("\"wrong\":1,", "") + "\n";
        assert!(Summary::read(&without).unwrap_err().contains("wrong"));
        let negative = LINE.replace("\"bytes\":64", "\"bytes\":-64") + "\n";
        assert!(Summary::read(&negative).unwrap_err().contains("bytes"));
        for output in ["", LINE, "[]\n", "x\n", &format!("hello\n{LINE}\n")] {
            assert!(Summary::read(output).is_err(), "{output:?}");
        }
        assert!(OverloadSummary::read(&format!("{LINE}\n")).unwrap_err().contains("got"));
    }
}
