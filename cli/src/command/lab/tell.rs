//! What is told of the cells of an experiment while it runs.

use std::time::Duration;

use tokkyu_lab::study::{Progress, Stage, Watcher};

use crate::output::say;

/// Tells whoever waits, on standard error.
pub struct Teller<'a, S: Stage> {
    stage: &'a S,
    /// Cells that take long are told of when they begin, the others when they are over.
    tells_begin: bool,
    on_over: OnOver<'a, S>,
    /// How many of them failed.
    pub failed: usize,
}

/// What is to be told of what was found.
type OnOver<'a, S> = Box<dyn FnMut(&<S as Stage>::Found) -> Told + Send + 'a>;

/// What is told of a cell that is over.
pub enum Told {
    /// Nothing more.
    Done,
    /// Its figure.
    Figure(String),
    /// What makes its figures doubtful.
    Failed(Vec<String>),
    /// The result cannot be kept: no other cell is to begin.
    End,
}

impl<'a, S: Stage> Teller<'a, S> {
    pub fn new(
        stage: &'a S,
        tells_begin: bool,
        on_over: impl FnMut(&S::Found) -> Told + Send + 'a,
    ) -> Teller<'a, S> {
        Teller { stage, tells_begin, on_over: Box::new(on_over), failed: 0 }
    }
}

impl<S: Stage> Watcher<S> for Teller<'_, S> {
    fn on_begin(&mut self, at: Progress, name: &str) {
        if self.tells_begin {
            say(&format!("case {} of {}: {name}{}", at.number, at.of, left(at)));
        }
    }

    fn on_over(&mut self, at: Progress, cell: &S::Cell, found: &S::Found, reread: bool) -> bool {
        let name = self.stage.name(cell);
        let kept = if reread { " (from an earlier run)" } else { "" };
        match (self.on_over)(found) {
            Told::Done if reread => say(&format!("{name}: kept from an earlier run")),
            Told::Done => {}
            Told::Figure(figure) => {
                say(&format!("case {} of {}: {name}: {figure}{kept}{}", at.number, at.of, left(at)))
            }
            Told::Failed(faults) => {
                self.failed += 1;
                faults.iter().for_each(|fault| say(&format!("INVALID: {name}: {fault}")));
            }
            Told::End => return false,
        }
        true
    }
}

fn left(at: Progress) -> String {
    at.left.map_or(String::new(), |left| format!(", about {} left", minutes(left)))
}

pub fn minutes(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}
