//! The view for a screen too small for tables: a line for each thing, the most important first.
//!
//! Pure.

use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::snapshot::{CameraRow, NAME, Snapshot, ms};
use super::{age_style, gate_span, header, holder_span, need_span, notice_line, slower_span};
use crate::safety::Need;
use crate::text::printable;

/// As many lines as `height` has room for: the gate, who holds the stop, and what it waits for, a notice, the cameras, the link.
pub(super) fn text(snapshot: &Snapshot, height: u16) -> Paragraph<'static> {
    let gate = Line::from(vec![
        gate_span(snapshot.control.gate),
        Span::raw(format!(" {}", ms(snapshot.control.last))),
    ]);
    let link = &snapshot.link;
    let need = Some(snapshot.control.need).filter(|need| *need != Need::Nothing).map(need_span);
    let holder = snapshot.control.holder_in_words().map(holder_span);
    let slower = snapshot.control.slower.map(|slower| slower_span(slower.short()));
    let lines = std::iter::once(gate)
        .chain(holder.map(Line::from))
        .chain(need.map(Line::from))
        .chain(slower.map(Line::from))
        .chain(snapshot.notice.as_deref().map(notice_line))
        .chain(snapshot.cameras.iter().map(camera))
        .chain([
            Line::from(format!("{} rtt, {:.1} % lost", ms(link.rtt), link.loss_percent)),
            Line::from(link.sending()),
            header(snapshot),
        ]);
    Paragraph::new(lines.take(usize::from(height)).collect::<Vec<_>>())
}

/// The last part of the name says which camera it is.
fn camera(row: &CameraRow) -> Line<'static> {
    let name = row.name.rsplit('/').next().unwrap_or(&row.name);
    Line::from(vec![
        Span::raw(format!("{} ", printable(name, NAME))),
        Span::styled(ms(row.age), age_style(row.age, row.lifespan)),
    ])
}
