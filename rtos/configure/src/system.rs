//! What a system has: statements, checked.

use std::collections::BTreeMap;

use crate::error::Problem;
use crate::statement::{Statement, Value, Wrong};

/// Longest relative time, in microseconds.
const RELATIVE_TIME_MAX_US: u64 = 4_000_000_000;
/// A stack is whole pages.
const PAGE_BYTES: u64 = 4096;
/// The interrupt of the kernel's timer.
const TIMER: u32 = 27;
const STACK_BYTES_MAX: u64 = 1 << 20;
/// Cells, blocks and counts of one object.
const COUNT_MAX: u64 = 65_535;

/// Where an object is, and may be moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub processor: u8,
    /// A bit for each processor.
    pub may_move_to: u8,
}

/// What is called, with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// A function of C.
    pub function: String,
    /// `exinf`
    pub exinf: u64,
}

/// An object of a kind, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<T> {
    /// What C calls its number.
    pub name: String,
    /// What it is.
    pub is: T,
}

/// `CRE_TSK`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub routine: Routine,
    pub active: bool,
    pub priority: u64,
    pub stack_bytes: u64,
    pub place: Place,
}

/// The objects of all other kinds, as the kernel's constructors take them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    Semaphore { initial: u64, most: u64, by_priority: bool },
    EventFlag { initial: u64, many: bool, clear: bool, by_priority: bool },
    DataQueue { cells: u64, by_priority: bool },
    PriorityQueue { cells: u64, priorities: u64, by_priority: bool },
    Mutex { protocol: Protocol },
    MemoryPool { blocks: u64, block_bytes: u64, by_priority: bool },
    SpinLock,
    Cyclic { routine: Routine, started: bool, period_us: u64, phase_us: u64, place: Place },
    Alarm { routine: Routine, place: Place },
}

/// Of a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    None { by_priority: bool },
    Ceiling(u64),
    Inheritance,
}

/// An interrupt line, once both halves are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// `CFG_INT`: enabled, priority, processor, and the line of text.
    pub configured: Option<(bool, i64, u8, usize)>,
    /// `DEF_INH`: the function, and the line of text.
    pub handler: Option<(String, usize)>,
}

/// A system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// How many processors.
    pub processors: u8,
    /// Tasks, by their number.
    pub tasks: Vec<Named<Task>>,
    /// All other objects, in the order of the text: those of a kind have numbers in that order.
    pub objects: Vec<Named<Object>>,
    /// Interrupt lines by their number.
    pub lines: BTreeMap<u32, Line>,
    /// `DEF_OVR`: the function, and the line of text.
    pub overrun: Option<(String, usize)>,
    /// `ATT_INI`
    pub initialize: Vec<Routine>,
    /// `ATT_TER`
    pub terminate: Vec<Routine>,
}

/// A statement with its parameters, of which those that are grouped follow one another.
struct Parameters<'s> {
    statement: &'s Statement,
    values: Vec<&'s str>,
}

fn flatten<'s>(values: &'s [Value], into: &mut Vec<&'s str>) {
    for value in values {
        match value {
            Value::Word(word) => into.push(word),
            Value::Group(group) => flatten(group, into),
        }
    }
}

impl<'s> Parameters<'s> {
    fn of(statement: &'s Statement, count: usize, wanted: &'static str) -> Result<Self, Wrong> {
        let mut values = Vec::new();
        flatten(&statement.values, &mut values);
        if values.len() == count {
            return Ok(Parameters { statement, values });
        }
        let problem = Problem::Count { name: statement.name.clone(), wanted, found: values.len() };
        Err((statement.line, problem))
    }

    fn wrong<T>(&self, what: &'static str, at: usize, wanted: impl Into<String>) -> Result<T, Wrong> {
        let found = self.values[at].to_owned();
        Err((self.statement.line, Problem::Value { what, found, wanted: wanted.into() }))
    }

    /// A whole number, decimal or hexadecimal, perhaps with `U` and `L` behind.
    fn number(&self, what: &'static str, at: usize, least: i64, most: u64) -> Result<i64, Wrong> {
        let word = self.values[at].trim_end_matches(['u', 'U', 'l', 'L']);
        let number = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        match number {
            Some(number) if number >= least && (number < 0 || number as u64 <= most) => Ok(number),
            _ => self.wrong(what, at, format!("a whole number from {least} to {most}")),
        }
    }

    fn count(&self, what: &'static str, at: usize, least: u64, most: u64) -> Result<u64, Wrong> {
        self.number(what, at, least as i64, most).map(|number| number as u64)
    }

    fn name(&self, what: &'static str, at: usize) -> Result<String, Wrong> {
        let word = self.values[at];
        let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().any(|c| c.is_ascii_alphanumeric())
            // The image's program is in Rust, which has no other way to say these.
            && !matches!(word, "NULL" | "self" | "Self" | "super" | "crate");
        if is_name {
            Ok(word.to_owned())
        } else {
            self.wrong(what, at, "a name of C, not self, Self, super or crate")
        }
    }

    /// Which of these attributes are there; others are none.
    fn attributes<const N: usize>(&self, at: usize, known: [&str; N]) -> Result<[bool; N], Wrong> {
        let mut found = [false; N];
        for word in self.values[at].split('|').filter(|word| !matches!(*word, "TA_NULL" | "0")) {
            match known.iter().position(|known| *known == word) {
                Some(place) => found[place] = true,
                None => {
                    return self.wrong("the attribute", at, format!("TA_NULL, or of {}", known.join(", ")));
                }
            }
        }
        Ok(found)
    }

    fn nothing(&self, what: &'static str, at: usize) -> Result<(), Wrong> {
        match self.values[at] {
            "NULL" => Ok(()),
            _ => self.wrong(what, at, "NULL: memory is the kernel's own"),
        }
    }

    /// `exinf, function`
    fn routine(&self, at: usize) -> Result<Routine, Wrong> {
        let exinf = self.count("exinf", at, 0, i64::MAX as u64)?;
        Ok(Routine { function: self.name("the function", at + 1)?, exinf })
    }
}

impl System {
    /// Of statements.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn declare(statements: &[Statement]) -> Result<System, Wrong> {
        let mut system = System {
            processors: 1,
            tasks: Vec::new(),
            objects: Vec::new(),
            lines: BTreeMap::new(),
            overrun: None,
            initialize: Vec::new(),
            terminate: Vec::new(),
        };
        let mut names = BTreeMap::new();
        // How many there are matters to all others.
        for statement in statements.iter().filter(|statement| statement.name == "PROCESSORS") {
            let given = Parameters::of(statement, 1, "(n)")?;
            system.processors = given.count("the number of processors", 0, 1, 8)? as u8;
        }
        for statement in statements.iter().filter(|statement| statement.name != "PROCESSORS") {
            let place = system.place(statement)?;
            if let Some(name) = system.add(statement, place)?
                && let Some(line) = names.insert(name.clone(), statement.line)
            {
                return Err((statement.line, Problem::Twice { name, line }));
            }
        }
        system.check_lines()?;
        system.check_handlers()?;
        Ok(system)
    }

    /// Everything that is called with `exinf` alone.
    pub(crate) fn routines(&self) -> impl Iterator<Item = &Routine> {
        let tasks = self.tasks.iter().map(|task| &task.is.routine);
        let notified = self.objects.iter().filter_map(|object| match &object.is {
            Object::Cyclic { routine, .. } | Object::Alarm { routine, .. } => Some(routine),
            _ => None,
        });
        tasks.chain(notified).chain(&self.initialize).chain(&self.terminate)
    }

    fn check_handlers(&self) -> Result<(), Wrong> {
        let lines = self.lines.values().filter_map(|line| line.handler.as_ref());
        for (handler, at) in lines.clone().chain(&self.overrun) {
            let is_routine = self.routines().any(|routine| routine.function == *handler);
            let overruns = self.overrun.as_ref().is_some_and(|(overrun, _)| overrun == handler);
            let is_lines = lines.clone().any(|(other, _)| other == handler);
            if is_routine || (overruns && is_lines) {
                return Err((*at, Problem::TwoWays { name: handler.clone() }));
            }
        }
        Ok(())
    }

    fn place(&self, statement: &Statement) -> Result<Place, Wrong> {
        let Some(class) = &statement.class else { return Ok(Place { processor: 1, may_move_to: 1 }) };
        let every = ((1_u16 << self.processors) - 1) as u8;
        let number = |prefix: &str| class.strip_prefix(prefix).and_then(|number| number.parse::<u8>().ok());
        let is_there = |processor: &u8| (1..=self.processors).contains(processor);
        let alone = |processor: u8| Place { processor, may_move_to: 1 << (processor - 1) };
        let found = match (number("CLS_ALL_PRC"), number("CLS_PRC")) {
            (Some(processor), _) => {
                Some(processor).filter(is_there).map(|processor| Place { processor, may_move_to: every })
            }
            (None, Some(processor)) => Some(processor).filter(is_there).map(alone),
            (None, None) => None,
        };
        let wanted = format!("CLS_PRC or CLS_ALL_PRC with a processor from 1 to {}", self.processors);
        found.ok_or_else(|| {
            (statement.line, Problem::Value { what: "the class", found: class.clone(), wanted })
        })
    }

    /// Answers the name that the statement gives, if it gives one.
    fn add(&mut self, statement: &Statement, place: Place) -> Result<Option<String>, Wrong> {
        match &*statement.name {
            "CRE_TSK" => self.add_task(statement, place).map(Some),
            "CFG_INT" | "DEF_INH" => self.add_line(statement, place).map(|()| None),
            "DEF_OVR" => {
                let given = Parameters::of(statement, 2, "({ ovratr, ovrhdr })")?;
                given.attributes(0, [])?;
                self.overrun = Some((given.name("the handler", 1)?, statement.line));
                Ok(None)
            }
            "ATT_INI" | "ATT_TER" => {
                let given = Parameters::of(statement, 3, "({ atr, exinf, routine })")?;
                given.attributes(0, [])?;
                let all =
                    if statement.name == "ATT_INI" { &mut self.initialize } else { &mut self.terminate };
                all.push(given.routine(1)?);
                Ok(None)
            }
            _ => {
                let (name, is) = object(statement, place)?;
                self.objects.push(Named { name: name.clone(), is });
                Ok(Some(name))
            }
        }
    }

    fn add_task(&mut self, statement: &Statement, place: Place) -> Result<String, Wrong> {
        let given = Parameters::of(statement, 7, "(ID, { tskatr, exinf, task, itskpri, stksz, stk })")?;
        let name = given.name("the task's name", 0)?;
        let [active] = given.attributes(1, ["TA_ACT"])?;
        let stack_bytes = given.count("stksz", 5, 1, STACK_BYTES_MAX)?.next_multiple_of(PAGE_BYTES);
        given.nothing("stk", 6)?;
        let routine = given.routine(2)?;
        let priority = given.count("itskpri", 4, 1, 16)?;
        self.tasks
            .push(Named { name: name.clone(), is: Task { routine, active, priority, stack_bytes, place } });
        Ok(name)
    }

    fn add_line(&mut self, statement: &Statement, place: Place) -> Result<(), Wrong> {
        let is_line = statement.name == "CFG_INT";
        let wanted = if is_line { "(intno, { intatr, intpri })" } else { "(inhno, { inhatr, inthdr })" };
        let given = Parameters::of(statement, 3, wanted)?;
        // Processors' own from 16 on, those of the machine from 32 on; what is below is the kernel's.
        let number = given.count("the interrupt's number", 0, 16, 1019)? as u32;
        if number == TIMER {
            return given.wrong("the interrupt's number", 0, "another: this one is the kernel's timer");
        }
        let line = self.lines.entry(number).or_default();
        let before =
            if is_line { line.configured.as_ref().map(|c| c.3) } else { line.handler.as_ref().map(|h| h.1) };
        if let Some(line) = before {
            let name = format!("{}({number}, …)", statement.name);
            return Err((statement.line, Problem::Twice { name, line }));
        }
        if is_line {
            let [enabled] = given.attributes(1, ["TA_ENAINT"])?;
            let priority = given.number("intpri", 2, -31, 0)?;
            if priority == 0 {
                return given.wrong("intpri", 2, "a whole number from -31 to -1");
            }
            line.configured = Some((enabled, priority, place.processor, statement.line));
        } else {
            given.attributes(1, [])?;
            line.handler = Some((given.name("the handler", 2)?, statement.line));
        }
        Ok(())
    }

    fn check_lines(&self) -> Result<(), Wrong> {
        for (number, line) in &self.lines {
            let (number, (has, lacks)) = (*number, ("CFG_INT", "DEF_INH"));
            match (&line.configured, &line.handler) {
                (Some((.., at)), None) => return Err((*at, Problem::Half { number, has, lacks })),
                (None, Some((_, at))) => {
                    return Err((*at, Problem::Half { number, has: lacks, lacks: has }));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn object(statement: &Statement, place: Place) -> Result<(String, Object), Wrong> {
    let of = |count, wanted| Parameters::of(statement, count, wanted);
    let (given, is) = match &*statement.name {
        "CRE_SEM" => {
            let given = of(4, "(ID, { sematr, isemcnt, maxsem })")?;
            let [by_priority] = given.attributes(1, ["TA_TPRI"])?;
            let most = given.count("maxsem", 3, 1, COUNT_MAX)?;
            let initial = given.count("isemcnt", 2, 0, most)?;
            (given, Object::Semaphore { initial, most, by_priority })
        }
        "CRE_FLG" => {
            let given = of(3, "(ID, { flgatr, iflgptn })")?;
            let [by_priority, many, clear] = given.attributes(1, ["TA_TPRI", "TA_WMUL", "TA_CLR"])?;
            let initial = given.count("iflgptn", 2, 0, u64::from(u32::MAX))?;
            (given, Object::EventFlag { initial, many, clear, by_priority })
        }
        "CRE_DTQ" => {
            let given = of(4, "(ID, { dtqatr, dtqcnt, dtqmb })")?;
            let [by_priority] = given.attributes(1, ["TA_TPRI"])?;
            let cells = given.count("dtqcnt", 2, 0, COUNT_MAX)?;
            given.nothing("dtqmb", 3)?;
            (given, Object::DataQueue { cells, by_priority })
        }
        "CRE_PDQ" => {
            let given = of(5, "(ID, { pdqatr, pdqcnt, maxdpri, pdqmb })")?;
            let [by_priority] = given.attributes(1, ["TA_TPRI"])?;
            let cells = given.count("pdqcnt", 2, 0, COUNT_MAX - 1)?;
            let priorities = given.count("maxdpri", 3, 1, 16)?;
            given.nothing("pdqmb", 4)?;
            (given, Object::PriorityQueue { cells, priorities, by_priority })
        }
        "CRE_MTX" => mutex(of(3, "(ID, { mtxatr, ceilpri }), ceilpri 0 without TA_CEILING")?)?,
        "CRE_MPF" => {
            let given = of(6, "(ID, { mpfatr, blkcnt, blksz, mpf, mpfmb })")?;
            let [by_priority] = given.attributes(1, ["TA_TPRI"])?;
            let blocks = given.count("blkcnt", 2, 1, COUNT_MAX - 1)?;
            let block_bytes = given.count("blksz", 3, 1, 1 << 20)?.next_multiple_of(16);
            given.nothing("mpf", 4)?;
            given.nothing("mpfmb", 5)?;
            (given, Object::MemoryPool { blocks, block_bytes, by_priority })
        }
        "CRE_SPN" => {
            let given = of(2, "(ID, { spnatr })")?;
            given.attributes(1, [])?;
            (given, Object::SpinLock)
        }
        "CRE_CYC" => {
            let given = of(7, "(ID, { cycatr, { TNFY_HANDLER, exinf, handler }, cyctim, cycphs })")?;
            let [started] = given.attributes(1, ["TA_STA"])?;
            let routine = notified(&given)?;
            let period_us = given.count("cyctim", 5, 1, RELATIVE_TIME_MAX_US)?;
            let phase_us = given.count("cycphs", 6, 0, RELATIVE_TIME_MAX_US)?;
            (given, Object::Cyclic { routine, started, period_us, phase_us, place })
        }
        "CRE_ALM" => {
            let given = of(5, "(ID, { almatr, { TNFY_HANDLER, exinf, handler } })")?;
            given.attributes(1, [])?;
            let routine = notified(&given)?;
            (given, Object::Alarm { routine, place })
        }
        name => return Err((statement.line, Problem::Statement { name: name.to_owned() })),
    };
    Ok((given.name("the object's name", 0)?, is))
}

fn mutex(given: Parameters<'_>) -> Result<(Parameters<'_>, Object), Wrong> {
    let [by_priority, ceiling, inherits] = given.attributes(1, ["TA_TPRI", "TA_CEILING", "TA_INHERIT"])?;
    let protocol = match (ceiling, inherits) {
        (true, true) => return given.wrong("the attribute", 1, "TA_CEILING or TA_INHERIT, not both"),
        (true, false) => Protocol::Ceiling(given.count("ceilpri", 2, 1, 16)?),
        (false, true) => Protocol::Inheritance,
        (false, false) => Protocol::None { by_priority },
    };
    if !ceiling {
        given.count("ceilpri", 2, 0, 0)?;
    }
    Ok((given, Object::Mutex { protocol }))
}

fn notified(given: &Parameters<'_>) -> Result<Routine, Wrong> {
    match given.values[2] {
        "TNFY_HANDLER" => given.routine(3),
        _ => given.wrong("the notification", 2, "TNFY_HANDLER"),
    }
}
