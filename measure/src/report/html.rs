//! Pieces of HTML with everything from outside escaped. Written so that the page is well-formed XML too, which a
//! test can check.

use crate::table::Table;

/// Text as it may stand in an element or in a quoted attribute. Control characters, which XML cannot carry, become
/// the replacement character.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `<name>text</name>` with the text escaped.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escape(text))
}

/// `<name class="class">text</name>` with the text escaped.
pub(super) fn classed(name: &str, class: &str, text: &str) -> String {
    format!("<{name} class=\"{class}\">{}</{name}>\n", escape(text))
}

/// What became of a goal, as an item of a list.
pub(super) fn judgement(class: &str, verdict: &str, what: &str, because: &str) -> String {
    let because = classed("span", "soft", &format!("({because})"));
    format!("<li>{} {} {because}</li>\n", classed("span", class, verdict).trim_end(), escape(what))
}

/// A figure: a drawing that is markup already, and its caption as text.
pub(super) fn figure(drawing: &str, caption: &str) -> String {
    format!("<figure>\n{drawing}<figcaption>{}</figcaption>\n</figure>\n", escape(caption))
}

/// The same table as on the terminal, with the rows that `is_ours` picks by their number set off from the others.
pub(super) fn table_with_ours(table: &Table, is_ours: impl Fn(usize) -> bool) -> String {
    let header: String =
        table.header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let mut out = format!("<div class=\"scroll\"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n");
    for (number, row) in table.rows.iter().enumerate() {
        let class = match (row.quoted, is_ours(number)) {
            (true, _) => " class=\"quoted\"",
            (false, true) => " class=\"ours\"",
            (false, false) => "",
        };
        out.push_str(&format!("<tr{class}>{}</tr>\n", cells(&row.cells)));
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// Names and what they stand for, a line each.
pub(super) fn word_table(rows: &[(String, String)]) -> String {
    let row = |(name, value): &(String, String)| {
        format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(name), escape(value))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("<div class=\"scroll\"><table class=\"words\">\n<tbody>\n{rows}</tbody>\n</table></div>\n")
}

/// Lines of text as a list.
pub(super) fn list(lines: impl IntoIterator<Item = String>) -> String {
    let items: String = lines.into_iter().map(|line| format!("<li>{}</li>\n", escape(&line))).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}

fn cells(cells: &[String]) -> String {
    let cell = |(column, text): (usize, &String)| match column {
        0 => format!("<th scope=\"row\">{}</th>", escape(text)),
        _ => format!("<td>{}</td>", escape(text)),
    };
    cells.iter().enumerate().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_becomes_markup() {
        assert_eq!(escape("<b a=\"1\" c='2'>&\u{1}"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\u{fffd}");
        assert_eq!(element("p", "a<b"), "<p>a&lt;b</p>\n");
    }
}
