//! What interrupts a processor: calls of others, its timer, lines.

/// An interrupt line of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The processor's index.
    pub processor: usize,
    /// ITRON's priority: -1 and below, the lower the more urgent.
    pub priority: i32,
    /// Whether it is enabled from the beginning.
    pub enabled: bool,
}

/// Lines by their number.
pub type Lines = Vec<(u32, Line)>;

/// What can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    Call,
    Timer,
    Line(u32),
}

/// More urgent than any line.
pub(crate) const CALL_PRIORITY: i32 = -64;
/// Kept out in task context by `chg_ipm` of this and more urgent ones.
pub(crate) const TIMER_PRIORITY: i32 = -4;

#[derive(Debug)]
pub(crate) struct LineState {
    pub(crate) number: u32,
    pub(crate) line: Line,
    pub(crate) enabled: bool,
    pub(crate) raised: bool,
}

/// The interrupts of one processor.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) masked: bool,
    /// `chg_ipm`; 0 keeps nothing out.
    pub(crate) mask: i32,
    /// Of the handlers that run, the innermost last.
    pub(crate) handling: Vec<i32>,
    pub(crate) called: bool,
    pub(crate) timer_us: Option<u64>,
    pub(crate) lines: Vec<LineState>,
}

impl Inbox {
    pub(crate) fn new(index: usize, lines: &Lines) -> Inbox {
        let own = lines.iter().filter(|(_, line)| line.processor == index);
        let state =
            |&(number, line): &(u32, Line)| LineState { number, line, enabled: line.enabled, raised: false };
        Inbox {
            masked: true,
            mask: 0,
            handling: Vec::new(),
            called: false,
            timer_us: None,
            lines: own.map(state).collect(),
        }
    }

    pub(crate) fn reset(&mut self) {
        (self.masked, self.mask, self.called, self.timer_us) = (true, 0, false, None);
        self.handling.clear();
        for line in &mut self.lines {
            (line.enabled, line.raised) = (line.line.enabled, false);
        }
    }

    /// The most urgent that may come now, and its priority.
    pub(crate) fn next(&self, now_us: u64) -> Option<(Interrupt, i32)> {
        if self.masked {
            return None;
        }
        let call = self.called.then_some((Interrupt::Call, CALL_PRIORITY));
        let timer =
            self.timer_us.filter(|at_us| *at_us <= now_us).map(|_| (Interrupt::Timer, TIMER_PRIORITY));
        let lines = self.lines.iter().filter(|line| line.raised && line.enabled);
        let lines = lines.map(|line| (Interrupt::Line(line.number), line.line.priority));
        let threshold = self.handling.last().copied().unwrap_or(self.mask);
        call.into_iter()
            .chain(timer)
            .chain(lines)
            .filter(|(_, priority)| threshold == 0 || *priority < threshold)
            .min_by_key(|(_, priority)| *priority)
    }

    /// It comes: what announced it is taken back.
    pub(crate) fn accept(&mut self, interrupt: Interrupt) {
        match interrupt {
            Interrupt::Call => self.called = false,
            Interrupt::Timer => self.timer_us = None,
            Interrupt::Line(number) => {
                self.lines
                    .iter_mut()
                    .filter(|line| line.number == number)
                    .for_each(|line| line.raised = false);
            }
        }
    }
}
