//! Tables, as aligned text, as Markdown and (by the report) as HTML.
//!
//! Runs in the tool after a run. Invariant: all three show the same cells, because they are drawn from one
//! [`Table`]. Rules: SPEC.md MEA-50 to MEA-54.

/// What stands in a cell that has no value.
pub(crate) const NONE: &str = "–";

/// A table: one header line, and rows of as many cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names; the first column is text, the others are numbers.
    pub header: Vec<&'static str>,
    /// Rows.
    pub rows: Vec<Row>,
}

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// True for a row that is quoted from the paper.
    pub quoted: bool,
    /// Cells, as many as the header has.
    pub cells: Vec<String>,
}

/// Milliseconds with the paper's one decimal; infinite where what is told never came.
pub fn ms(value: Option<f64>) -> String {
    match value {
        None => NONE.to_owned(),
        Some(ms) if ms.is_infinite() => "∞".to_owned(),
        Some(ms) => format!("{ms:.1}"),
    }
}

/// A share in percent. Rounded down, so that 100.00 is only printed when nothing is missing; the millionth makes up
/// for binary fractions that fall just short of their decimal (0.57 × 10 000 is 5699.999…).
pub fn percent(share: Option<f64>) -> String {
    share.map_or(NONE.to_owned(), |share| format!("{:.2}", (share * 10_000.0 + 1e-6).floor() / 100.0))
}

impl Table {
    /// Columns aligned with spaces: the first to the left, numbers to the right.
    pub fn to_text(&self) -> String {
        let header: Vec<&str> = self.header.clone();
        let rows = self.rows.iter().map(|row| row.cells.iter().map(String::as_str).collect());
        let lines: Vec<Vec<&str>> = std::iter::once(header).chain(rows).collect();
        let width = |column: usize| {
            lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..self.header.len()).map(|column| width(column).unwrap_or(0)).collect();
        lines.iter().map(|line| aligned(line, &widths)).collect()
    }

    /// A Markdown table. Cells are escaped.
    pub fn to_markdown(&self) -> String {
        let marks: Vec<&str> =
            (0..self.header.len()).map(|column| if column == 0 { ":--" } else { "--:" }).collect();
        let mut out = format!("| {} |\n| {} |\n", self.header.join(" | "), marks.join(" | "));
        for row in &self.rows {
            let cells: Vec<String> = row.cells.iter().map(|cell| escaped(cell.trim())).collect();
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        out
    }
}

fn aligned(cells: &[&str], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        match column {
            0 => line.push_str(&format!("{cell:<width$}")),
            _ => line.push_str(&format!("  {cell:>width$}")),
        }
    }
    format!("{}\n", line.trim_end())
}

/// Names come from outside: what Markdown would take for its own is quoted, line ends become spaces.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '`' | '*' | '_' | '<' | '[' | '#' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
