//! The table of cameras, with as many columns as there is room for.
//!
//! Pure. Invariant: a column is whole or not there.

use ratatui::layout::Constraint;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Cell, Row, Table};

use super::super::snapshot::{CameraRow, ms, size};
use super::{NAME, age_style};
use crate::text::printable;

/// Longest name that is given room.
const WIDEST_NAME: usize = 16;

struct Column {
    title: &'static str,
    width: u16,
    /// Columns of the highest number give way first; those of 0 never.
    gives_way: u8,
    cell: fn(&CameraRow) -> Cell<'static>,
}

const fn column(
    title: &'static str,
    width: u16,
    gives_way: u8,
    cell: fn(&CameraRow) -> Cell<'static>,
) -> Column {
    Column { title, width, gives_way, cell }
}

/// All but the name.
const COLUMNS: [Column; 11] = [
    column("age", 9, 0, |row| Cell::from(ms(row.age)).style(age_style(row.age, row.lifespan))),
    column("p50", 9, 7, |row| Cell::from(ms(row.p50))),
    column("p99", 9, 1, |row| Cell::from(ms(row.p99)).style(age_style(row.p99, row.lifespan))),
    column("rate", 8, 2, |row| Cell::from(format!("{:.1} Hz", row.rate_hz))),
    column("size", 9, 9, |row| Cell::from(size(row.size_bytes))),
    column("quality", 7, 5, |row| {
        Cell::from(row.quality.map_or(String::new(), |quality| quality.to_string()))
    }),
    column("arrived", 8, 10, |row| Cell::from(row.ledger.delivered.to_string())),
    column("lost", 6, 3, |row| Cell::from(row.ledger.lost.to_string())),
    column("late", 6, 4, |row| Cell::from(row.ledger.late.to_string())),
    column("expired", 7, 6, |row| Cell::from(row.ledger.expired.to_string())),
    column("dropped", 7, 8, |row| Cell::from(row.ledger.dropped.to_string())),
];

/// The table, for a screen of `width` columns.
pub(super) fn table(cameras: &[CameraRow], width: u16) -> Table<'static> {
    let longest = cameras.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let name_width = longest.clamp("camera".len(), WIDEST_NAME) as u16;
    let columns = fitting(cameras, width.saturating_sub(2 + name_width));
    let widths = std::iter::once(name_width).chain(columns.iter().map(|column| column.width));
    let titles = std::iter::once("camera").chain(columns.iter().map(|column| column.title));
    let rows = cameras.iter().map(|row| {
        let name = Cell::from(printable(&row.name, NAME));
        Row::new(std::iter::once(name).chain(columns.iter().map(|column| (column.cell)(row))))
    });
    Table::new(rows, widths.map(Constraint::Length))
        .header(Row::new(titles).style(Style::new().add_modifier(Modifier::BOLD)))
        .block(Block::bordered().title(" pictures "))
}

/// The columns that fit into `room`, each with a space before it.
fn fitting(cameras: &[CameraRow], room: u16) -> Vec<&'static Column> {
    let compresses = cameras.iter().any(|row| row.quality.is_some());
    let knows_ages = cameras.iter().all(CameraRow::knows_ages);
    let of_use = |column: &&Column| match column.title {
        "quality" => compresses,
        "age" | "p50" | "p99" | "rate" => knows_ages,
        _ => true,
    };
    let mut columns: Vec<&Column> = COLUMNS.iter().filter(of_use).collect();
    let needed = |columns: &[&Column]| columns.iter().map(|column| column.width + 1).sum::<u16>();
    while needed(&columns) > room {
        let Some(least) = columns.iter().map(|column| column.gives_way).max().filter(|least| *least > 0)
        else {
            break;
        };
        columns.retain(|column| column.gives_way != least);
    }
    columns
}
