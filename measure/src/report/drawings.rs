//! The plots of a report, each as a picture of its own: for documents that show one beside their words.
//!
//! A picture is what stands on the page, on white, as it has nobody's style around it. Rules: SPEC.md MEA-93.

use std::path::Path;

use super::known::{Form, RenderError, render};

const BEGIN: &str = "<svg ";
const END: &str = "</svg>";
const WHITE: &str = "\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>";

/// The plots of a result file's report as SVG files, in the order of its page. None where it has no raw records.
///
/// # Errors
/// [`RenderError`] with file and reason.
pub fn drawings(path: &Path) -> Result<Vec<String>, RenderError> {
    Ok(cut_out(&render(path, Form::Page)?))
}

/// All text of a page is escaped, so that what looks like a drawing is one.
fn cut_out(page: &str) -> Vec<String> {
    let begun = page.split(BEGIN).skip(1);
    begun.filter_map(|rest| rest.split_once(END)).map(|(inside, _)| alone(inside)).collect()
}

fn alone(inside: &str) -> String {
    let (attributes, content) = inside.split_once('>').unwrap_or((inside, ""));
    format!("{BEGIN}{attributes}>{WHITE}{content}{END}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_drawing_is_cut_out_and_put_on_white() {
        let page = "<p>&lt;svg a</p>\n<svg a=\"1\">\n<g/>\n</svg>\n<p>words</p><svg b=\"2\"><g/></svg>\n";
        let cut = cut_out(page);
        assert_eq!(cut[0], format!("<svg a=\"1\">{WHITE}\n<g/>\n</svg>\n"));
        assert!(cut[1].starts_with("<svg b=\"2\">"), "{cut:?}");
        assert_eq!(cut.len(), 2);
    }

    #[test]
    fn a_page_without_drawings_has_none() {
        assert_eq!(cut_out("<p>words</p>"), [""; 0]);
    }
}
