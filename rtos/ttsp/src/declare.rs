//! The objects of a scenario, by their names and numbers.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::plan::{
    Actor, Declared, DeclaredFlag, DeclaredLine, DeclaredQueue, DeclaredSemaphore, DeclaredTask,
    DeclaredTimed, PROCESSORS,
};
use crate::tree::Tree;
use crate::words::{Names, value};

/// What kinds of objects the suite has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Task,
    Semaphore,
    EventFlag,
    DataQueue,
    PriorityQueue,
    MemoryPool,
    SpinLock,
    Alarm,
    Cyclic,
    Line,
    Exception,
    Processor,
    /// An initialization routine.
    Initialization,
    /// A termination routine.
    Termination,
    /// A task's exception routine, in a scenario in which it never runs.
    TaskException,
}

/// An object of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Among those of its kind, from 1; of a processor's state the processor.
    pub(crate) number: u16,
    pub(crate) fields: Tree,
}

/// Where nothing of a scenario is: on the last the conductor runs.
const PROCESSOR: RangeInclusive<i64> = 1..=PROCESSORS as i64 - 1;
const PRIORITY: RangeInclusive<i64> = 1..=16;
/// Most words, blocks or resources.
const ROOM: RangeInclusive<i64> = 0..=64;
/// Milliseconds: an hour.
const TIME: RangeInclusive<i64> = 0..=3_600_000;
/// Most objects of a scenario, and how many of them are of one kind: the suite's have eight.
const OBJECTS_MAX: usize = 64;

/// All objects of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Cast {
    pub(crate) objects: Vec<Object>,
    pub(crate) names: Names,
    pub(crate) declared: Declared,
}

fn kind_of(name: &str, fields: &Tree) -> Result<Kind, String> {
    let by_name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    Ok(match (fields.field("type"), by_name) {
        (Some("TASK"), _) | (None, "TASK") => Kind::Task,
        (Some("SEMAPHORE"), _) => Kind::Semaphore,
        (Some("EVENTFLAG"), _) => Kind::EventFlag,
        (Some("DATAQUEUE"), _) => Kind::DataQueue,
        (Some("P_DATAQUEUE"), _) => Kind::PriorityQueue,
        (Some("MEMORYPOOL"), _) => Kind::MemoryPool,
        (Some("SPINLOCK"), _) => Kind::SpinLock,
        (Some("ALARM"), _) => Kind::Alarm,
        (Some("CYCLE"), _) => Kind::Cyclic,
        (Some("INTHDR" | "ISR"), _) => Kind::Line,
        (Some("EXCEPTION"), _) => Kind::Exception,
        (Some("CPU_STATE"), _) | (None, "CPU_STATE") => Kind::Processor,
        (Some("INIRTN"), _) => Kind::Initialization,
        (Some("TERRTN"), _) => Kind::Termination,
        (Some("TASK_EXC"), _) => Kind::TaskException,
        (kind, name) => return Err(format!("{name}: nobody knows what a {kind:?} is")),
    })
}

impl Cast {
    /// # Errors
    /// What it does not understand.
    pub(crate) fn of(before: &[(String, Tree)]) -> Result<Cast, String> {
        let mut cast = Cast::default();
        let mut counts: HashMap<Kind, u16> = HashMap::new();
        if before.len() > OBJECTS_MAX {
            return Err(format!("{} objects, and {OBJECTS_MAX} at most", before.len()));
        }
        for (name, fields) in before {
            let kind = kind_of(name, fields)?;
            let count = counts.entry(kind).or_default();
            *count += 1;
            let number = *count;
            cast.names.insert(name.clone(), i64::from(number));
            cast.objects.push(Object { name: name.clone(), kind, number, fields: fields.clone() });
        }
        cast.count_names(&counts);
        for object in cast.objects.clone() {
            cast.declare(&object).map_err(|error| format!("{}: {error}", object.name))?;
        }
        for object in &mut cast.objects {
            if matches!(object.kind, Kind::Processor | Kind::Exception) {
                let processor = object.fields.field("prcid").unwrap_or("PRC_SELF");
                let number = value(processor, &cast.names)?;
                if !PROCESSOR.contains(&number) {
                    return Err(format!("{}: there is no processor {number}", object.name));
                }
                object.number = number as u16;
            }
        }
        Ok(cast)
    }

    /// `TNUM_…`: the conductor is a task too, and an object that a scenario has not stands in for none.
    fn count_names(&mut self, counts: &HashMap<Kind, u16>) {
        let count = |kind| i64::from(counts.get(&kind).copied().unwrap_or(0));
        self.names.insert("TNUM_TSKID".to_owned(), count(Kind::Task) + 1);
        self.names.insert("TNUM_PRCID".to_owned(), PROCESSORS as i64);
        for (name, kind) in [
            ("TNUM_SEMID", Kind::Semaphore),
            ("TNUM_FLGID", Kind::EventFlag),
            ("TNUM_DTQID", Kind::DataQueue),
            ("TNUM_PDQID", Kind::PriorityQueue),
            ("TNUM_MPFID", Kind::MemoryPool),
            ("TNUM_SPNID", Kind::SpinLock),
            ("TNUM_ALMID", Kind::Alarm),
            ("TNUM_CYCID", Kind::Cyclic),
        ] {
            self.names.insert(name.to_owned(), count(kind));
        }
    }

    pub(crate) fn value(&self, text: &str) -> Result<i64, String> {
        value(text, &self.names)
    }

    /// A field's value, or what it is without one.
    pub(crate) fn field(&self, object: &Object, key: &str, without: &str) -> Result<i64, String> {
        self.value(object.fields.field(key).filter(|text| !text.is_empty()).unwrap_or(without))
    }

    /// As [`field`](Self::field), of what is a number in a range.
    fn ranged(
        &self,
        object: &Object,
        key: &str,
        without: &str,
        range: RangeInclusive<i64>,
    ) -> Result<i64, String> {
        let value = self.field(object, key, without)?;
        if range.contains(&value) {
            return Ok(value);
        }
        Err(format!("{key} is {value}, not from {} to {}", range.start(), range.end()))
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Object> {
        self.objects.iter().filter(move |object| object.kind == kind)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.name == name)
    }

    /// Whether an alarm's handler runs on a processor when the scenario begins.
    pub(crate) fn alarm_runs_on(&self, processor: i64) -> bool {
        self.of_kind(Kind::Alarm).any(|alarm| {
            alarm.fields.field("hdlstat") == Some("ACTIVATE")
                && self.field(alarm, "prcid", "PRC_SELF") == Ok(processor)
        })
    }

    /// The one who acts under a name.
    pub(crate) fn actor(&self, name: &str) -> Result<Actor, String> {
        let object = self.find(name).ok_or_else(|| format!("nobody is called {name:?}"))?;
        Ok(match object.kind {
            Kind::Task => Actor::Task(object.number),
            Kind::Alarm => Actor::Alarm(object.number),
            Kind::Cyclic => Actor::Cyclic(object.number),
            Kind::Line => Actor::Line(object.number),
            Kind::Exception => Actor::Exception(object.number),
            kind => return Err(format!("{name} is a {kind:?}, and does nothing")),
        })
    }

    /// Processor it begins on and those it may be moved to.
    fn assignment(&self, object: &Object) -> Result<(u8, u8), String> {
        let at = self.ranged(object, "prcid", "PRC_SELF", PROCESSOR)? as u8;
        let all = (1 << (PROCESSORS - 1)) - 1;
        Ok(match object.fields.field("class") {
            None => (at, all),
            Some("CLS_SELF_ALL") => (1, all),
            Some("CLS_OTHER_ALL") => (2, all),
            Some("CLS_SELF_ONLY_SELF") => (1, 1),
            Some("CLS_OTHER_ONLY_OTHER") => (2, 2),
            Some(class) => return Err(format!("nobody knows the class {class}")),
        })
    }

    fn declare(&mut self, object: &Object) -> Result<(), String> {
        let has = |key: &str, bit: &str| object.fields.field(key).is_some_and(|text| text.contains(bit));
        match object.kind {
            Kind::Task => {
                let (processor, may_move_to) = self.assignment(object)?;
                let now = object.fields.field("tskpri").unwrap_or("TSK_PRI_MID");
                let priority = self.ranged(object, "itskpri", now, PRIORITY)? as u8;
                let exinf = self.field(object, "exinf", "0")? as usize;
                self.declared.tasks.push(DeclaredTask { priority, processor, may_move_to, exinf });
            }
            Kind::Semaphore => {
                let now = object.fields.field("semcnt").unwrap_or("0");
                let initial = self.ranged(object, "isemcnt", now, ROOM)? as u32;
                let most = self.ranged(object, "maxsem", "ANY_MAX_SEMCNT", ROOM)? as u32;
                let by_priority = has("sematr", "TA_TPRI");
                self.declared.semaphores.push(DeclaredSemaphore { initial, most, by_priority });
            }
            Kind::EventFlag => {
                let now = object.fields.field("flgptn").unwrap_or("0");
                let initial = self.field(object, "iflgptn", now)? as u32;
                let (many, clear) = (has("flgatr", "TA_WMUL"), has("flgatr", "TA_CLR"));
                let by_priority = has("flgatr", "TA_TPRI");
                self.declared.flags.push(DeclaredFlag { initial, many, clear, by_priority });
            }
            Kind::DataQueue => {
                let room = self.ranged(object, "dtqcnt", "0", ROOM)? as u16;
                self.declared.data_queues.push(DeclaredQueue { room, by_priority: has("dtqatr", "TA_TPRI") });
            }
            Kind::PriorityQueue => {
                let room = self.ranged(object, "pdqcnt", "0", ROOM)? as u16;
                let by_priority = has("pdqatr", "TA_TPRI");
                self.declared.priority_queues.push(DeclaredQueue { room, by_priority });
            }
            Kind::MemoryPool => {
                let room = self.ranged(object, "blkcnt", "ANY_INI_BLKCNT", ROOM)? as u16;
                self.declared.pools.push(DeclaredQueue { room, by_priority: has("mpfatr", "TA_TPRI") });
            }
            Kind::SpinLock => self.declared.spin_locks += 1,
            Kind::Alarm | Kind::Cyclic => self.declare_timed(object)?,
            Kind::Line => {
                let line = DeclaredLine {
                    number: self.field(object, "intno", "0")? as u32,
                    processor: self.ranged(object, "prcid", "PRC_SELF", PROCESSOR)? as u8,
                    priority: self.ranged(object, "intpri", "INT_PRI_MID", -31..=-1)? as i32,
                    enabled: self.field(object, "intstat", "TA_DISINT")? != 0,
                };
                self.declared.lines.push(line);
            }
            Kind::Exception | Kind::Processor => {}
            Kind::Initialization | Kind::Termination | Kind::TaskException => {}
        }
        Ok(())
    }

    fn declare_timed(&mut self, object: &Object) -> Result<(), String> {
        let (processor, may_move_to) = self.assignment(object)?;
        let timed = DeclaredTimed {
            processor,
            may_move_to,
            period_us: self.ranged(object, "cyctim", "1", 1..=*TIME.end())? as u32 * 1000,
            phase_us: self.ranged(object, "cycphs", "0", TIME)? as u32 * 1000,
            started: object.fields.field("cycatr").is_some_and(|text| text.contains("TA_STA")),
        };
        match object.kind {
            Kind::Alarm => self.declared.alarms.push(timed),
            _ => self.declared.cyclics.push(timed),
        }
        Ok(())
    }
}
