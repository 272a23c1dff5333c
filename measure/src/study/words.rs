//! A report as text for a terminal and as Markdown for the documentation.
//!
//! Invariant: both have the same sections with the same cells. Goals come last, where a terminal shows them, after who failed.

use crate::table::escaped;

use super::report::{Part, Place, Report, Section};

impl Report<'_> {
    /// For a terminal.
    pub fn to_text(&self) -> String {
        let sections = self.told_in(&[Place::Everywhere]).map(section_as_text).collect::<Vec<String>>();
        let mut out = sections.join("\n");
        for (title, lines) in self.lists() {
            out.push_str(&format!("\n{title}\n"));
            lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        }
        out
    }

    /// For documents.
    pub fn to_markdown(&self) -> String {
        let mut out = self.provenance();
        for section in self.told_in(&[Place::Everywhere, Place::Documents]) {
            out.push_str(&format!("{}\n", section_as_markdown(section)));
        }
        for (title, lines) in self.lists() {
            out.push_str(&format!("## {}\n\n", capital(title)));
            lines.iter().for_each(|line| out.push_str(&format!("- {}\n", escaped(line))));
            out.push('\n');
        }
        format!("{}\n", out.trim_end())
    }

    fn told_in(&self, places: &[Place]) -> impl Iterator<Item = &Section<'_>> {
        let says = |section: &&Section| {
            places.contains(&section.place) && section.parts.iter().any(|part| !part.is_on_page_alone())
        };
        self.sections.iter().filter(says)
    }

    /// What made it, and where.
    fn provenance(&self) -> String {
        let environment = self.environment;
        let known = |word: &Option<String>| escaped(word.as_deref().unwrap_or("unknown"));
        let processor = environment.cpu.count.map_or(String::new(), |count| format!(" × {count}"));
        format!(
            "Made by\n\n    {}\n\n{}, revision {}{}, kernel {}, {}{processor}.\n\n",
            self.command,
            known(&environment.date),
            known(&environment.git_revision),
            if environment.git_dirty == Some(true) { " with changes" } else { "" },
            known(&environment.kernel.release),
            known(&environment.cpu.model),
        )
    }

    /// What follows the sections, where there is any of it.
    pub(crate) fn lists(&self) -> Vec<(&'static str, Vec<String>)> {
        let lists = [
            ("failed, and in no figure", self.faults.iter().map(ToString::to_string).collect()),
            ("notes", self.notes.to_vec()),
            ("skipped", self.skipped.iter().map(ToString::to_string).collect()),
            ("goals", self.goals.iter().map(ToString::to_string).collect::<Vec<String>>()),
        ];
        lists.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
    }
}

fn section_as_text(section: &Section<'_>) -> String {
    let title = if section.title.is_empty() { String::new() } else { format!("{}\n", section.title) };
    let part = |part: &Part| match part {
        Part::Table { table, .. } => table.to_text(),
        Part::Text(text) | Part::Remark(text) | Part::Verdict { text, .. } => format!("{text}\n"),
        Part::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        Part::Plot(_) | Part::Words { .. } | Part::Verbatim { .. } => String::new(),
    };
    title + &section.parts.iter().map(part).collect::<String>()
}

fn section_as_markdown(section: &Section<'_>) -> String {
    let title = match (section.title.as_str(), section.is_part) {
        ("", _) => String::new(),
        (title, false) => format!("## {}\n\n", escaped(title)),
        (title, true) => format!("### {}\n\n", escaped(title)),
    };
    let part = |part: &Part| match part {
        Part::Table { table, .. } => Some(table.to_markdown()),
        Part::Text(text) | Part::Remark(text) | Part::Verdict { text, .. } => {
            Some(format!("{}\n", escaped(text)))
        }
        Part::Lines(lines) => Some(lines.iter().map(|line| format!("- {}\n", escaped(line))).collect()),
        Part::Plot(_) | Part::Words { .. } | Part::Verbatim { .. } => None,
    };
    title + &section.parts.iter().filter_map(part).collect::<Vec<String>>().join("\n")
}

fn capital(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::result::{Fault, ResultFile};
    use crate::study::Goal;
    use crate::table::{Row, Table};

    fn table() -> Table {
        Table {
            header: vec!["name", "ms"],
            rows: vec![Row { quoted: false, cells: vec!["a_b".into(), "1.0".into()] }],
        }
    }

    fn file() -> ResultFile<u32> {
        let mut file = ResultFile::new("x", "c", Environment::default(), vec![1]);
        file.faults =
            vec![Fault { cell: "round 1, b".into(), by: "b".into(), because: "exit status: 1".into() }];
        file
    }

    fn report(file: &ResultFile<u32>) -> Report<'_> {
        let section = Section::new("First <one>")
            .with_table(table())
            .with_lines(["left out: b".to_owned()])
            .with_plot(|| panic!("nobody draws for text"));
        let alone = Section::new("On the page").told_in(Place::Page).with(Part::Text("unseen".into()));
        let part = Section::new("of it").part().with(Part::Remark("a * b".into()));
        Report {
            sections: vec![section, alone, part],
            goals: vec![Goal::not_judged("x.y", "as wanted", "was not run")],
            ..Report::of("Title", file)
        }
    }

    #[test]
    fn text_has_the_sections_then_who_failed_then_the_goals() {
        let told = report(&file()).to_text();
        assert_eq!(
            told,
            "First <one>\nname   ms\na_b   1.0\nleft out: b\n\nof it\na * b\n\nfailed, and in no figure\n\
             round 1, b: exit status: 1\n\ngoals\nnot judged: as wanted (was not run)\n"
        );
    }

    #[test]
    fn markdown_has_the_same_and_nothing_from_outside_is_markup() {
        let told = report(&file()).to_markdown();
        for part in [
            "Made by\n\n    c\n\nunknown, revision unknown, kernel unknown, unknown.\n\n## First \\<one>\n\n| name | ms |\n",
            "| a\\_b | 1.0 |\n\n- left out: b\n\n",
            "### of it\n\na \\* b\n",
            "## Failed, and in no figure\n\n- round 1, b: exit status: 1\n",
            "## Goals\n\n- not judged: as wanted (was not run)\n",
        ] {
            assert!(told.contains(part), "{part:?} is not in {told}");
        }
        assert!(!told.contains("unseen"));
    }
}
