//! What a scenario says of its objects, as conditions.

use std::collections::HashMap;

use crate::declare::{Cast, Kind, Object};
use crate::plan::{Actor, Condition, Queue, TaskField, Watch};
use crate::tree::Tree;

/// What is known of each object: what was said last.
#[derive(Debug, Default)]
pub(crate) struct Known {
    fields: HashMap<String, Vec<(String, Tree)>>,
    /// Where a variable of somebody is among what their last call brought.
    variables: HashMap<(String, String), u8>,
    /// Types of variables.
    types: HashMap<(String, String), String>,
}

/// What stays said of a task that changed its state.
const STAYS: &[&str] = &["prcid", "tskpri", "itskpri"];

impl Known {
    pub(crate) fn of(cast: &Cast) -> Known {
        let mut known = Known::default();
        for object in &cast.objects {
            let fields: Vec<(String, Tree)> =
                object.fields.entries().iter().filter(|(key, _)| key != "var").cloned().collect();
            known.fields.insert(object.name.clone(), fields);
            for (name, variable) in object.fields.get("var").map(Tree::entries).unwrap_or_default() {
                if let Some(text) = variable.field("type") {
                    known.types.insert((object.name.clone(), name.clone()), text.to_owned());
                }
            }
        }
        known
    }

    /// A call of somebody will write to these variables.
    pub(crate) fn writes(&mut self, who: &str, variables: &[(String, u8)]) {
        for (name, place) in variables {
            self.variables.insert((who.to_owned(), name.clone()), *place);
        }
    }

    /// Time goes on: what was said of times is no more.
    pub(crate) fn later(&mut self) {
        for fields in self.fields.values_mut() {
            fields.retain(|(key, _)| !matches!(key.as_str(), "lefttmo" | "lefttim"));
        }
    }

    /// What is said of one object now, with what still holds of before.
    pub(crate) fn learn(&mut self, name: &str, said: &[(String, Tree)]) {
        let fields = self.fields.entry(name.to_owned()).or_default();
        if let Some((_, state)) = said.iter().find(|(key, _)| key == "tskstat") {
            let same = fields.iter().any(|(key, before)| key == "tskstat" && before == state);
            if !same {
                fields.retain(|(key, _)| STAYS.contains(&key.as_str()));
            }
        }
        if said.iter().any(|(key, _)| key == "bootcnt" || key == "prcid") {
            fields.retain(|(key, _)| !matches!(key.as_str(), "wupcnt" | "wobjid" | "lefttmo"));
        }
        if said.iter().any(|(key, value)| key == "spnstat" && value.word() == Some("TSPN_UNL")) {
            fields.retain(|(key, _)| key != "procid");
        }
        if said.iter().any(|(key, _)| key == "almstat" || key == "cycstat") {
            fields.retain(|(key, _)| key != "lefttim");
        }
        for (key, value) in said.iter().filter(|(key, _)| key != "var") {
            fields.retain(|(known, _)| known != key);
            fields.push((key.clone(), value.clone()));
        }
    }

    /// Orders are of the moment: any task that comes or goes changes those of others.
    pub(crate) fn forget_orders(&mut self) {
        self.fields.values_mut().for_each(|fields| fields.retain(|(key, _)| key != "porder"));
    }

    /// All that is known, as conditions.
    ///
    /// # Errors
    /// What it does not understand.
    pub(crate) fn conditions(&self, cast: &Cast) -> Result<Vec<Condition>, String> {
        let mut all = Conditions { cast, all: Vec::new() };
        // Of a task's exception routine that never runs nothing is compared.
        for object in cast.objects.iter().filter(|object| object.kind != Kind::TaskException) {
            for (key, value) in self.fields.get(&object.name).into_iter().flatten() {
                all.field(object, key, value).map_err(|error| format!("{}.{key}: {error}", object.name))?;
            }
        }
        Ok(all.all)
    }

    /// What is said of variables, as conditions.
    ///
    /// # Errors
    /// What it does not understand.
    pub(crate) fn variables(&self, cast: &Cast, name: &str, said: &Tree) -> Result<Vec<Condition>, String> {
        let mut all = Vec::new();
        let actor = cast.actor(name)?;
        for (variable, fields) in said.entries() {
            let at = (name.to_owned(), variable.clone());
            let place = self.variables.get(&at).copied();
            let kind = self.types.get(&at).map_or("", String::as_str);
            for (key, value) in fields.entries().iter().filter(|(key, _)| key != "type") {
                let text = value.word().unwrap_or_default();
                if text.contains("ANY_ADDRESS") || text.starts_with('&') {
                    continue;
                }
                let place = match (key.as_str(), place) {
                    ("value", Some(place)) => place,
                    (key, Some(_)) => {
                        place_of(kind, key).ok_or_else(|| format!("{kind}.{key}: what is it?"))?
                    }
                    // Nothing was written to it: it has what it had.
                    (_, None) => continue,
                };
                let words = format!("{name}: {variable}.{key} is {text}");
                all.push(Condition { watch: Watch::Out(actor, place), value: cast.value(text)?, words });
            }
        }
        Ok(all)
    }
}

/// Where a field of what `ref_…` tells is among what the call brings.
fn place_of(kind: &str, key: &str) -> Option<u8> {
    let fields: &[&str] = match kind {
        "T_RTSK" => &[
            "tskstat", "tskpri", "tskbpri", "tskwait", "wobjid", "lefttmo", "actcnt", "wupcnt", "prcid",
            "actprc",
        ],
        "T_RALM" => &["almstat", "lefttim", "prcid"],
        "T_RCYC" => &["cycstat", "lefttim", "prcid"],
        "T_RSEM" => &["wtskid", "semcnt"],
        "T_RFLG" => &["wtskid", "flgptn"],
        "T_RDTQ" => &["stskid", "rtskid", "sdtqcnt"],
        "T_RPDQ" => &["stskid", "rtskid", "spdqcnt"],
        "T_RMPF" => &["wtskid", "fblkcnt"],
        "T_RSPN" => &["spnstat"],
        _ => return None,
    };
    fields.iter().position(|field| *field == key).map(|place| place as u8)
}

/// What an object was declared with, which no state of it shows, and what a routine does, which is compared when it is done.
const DECLARED: &[&str] = &[
    "type", "class", "global", "exinf", "do", "prcid", "itskpri", "sematr", "isemcnt", "maxsem", "flgatr",
    "iflgptn", "dtqatr", "dtqcnt", "pdqatr", "pdqcnt", "maxdpri", "mpfatr", "blkcnt", "cycatr", "cycphs",
    "cyctim", "intatr", "intno", "intpri", "inhno", "isrpri", "excno",
];

/// Of anything else it has to be known what it is.
fn declaration(key: &str) -> Result<(), String> {
    if DECLARED.contains(&key) { Ok(()) } else { Err("nobody knows what that is".to_owned()) }
}

struct Conditions<'a> {
    cast: &'a Cast,
    all: Vec<Condition>,
}

impl Conditions<'_> {
    fn push(&mut self, object: &Object, key: &str, watch: Watch, value: i64) {
        self.all.push(Condition { watch, value, words: format!("{}.{key}", object.name) });
    }

    fn field(&mut self, object: &Object, key: &str, value: &Tree) -> Result<(), String> {
        let number = object.number;
        let text = value.word().unwrap_or_default();
        match object.kind {
            Kind::Task => return self.task(object, key, text),
            Kind::Semaphore => match key {
                "semcnt" => self.number(object, key, Watch::SemaphoreCount(number), text)?,
                "wtsklist" => self.list(object, key, Queue::Semaphore, value)?,
                _ => return declaration(key),
            },
            Kind::EventFlag => match key {
                "flgptn" => self.number(object, key, Watch::FlagPattern(number), text)?,
                "wtsklist" => self.list(object, key, Queue::EventFlag, value)?,
                _ => return declaration(key),
            },
            Kind::DataQueue | Kind::PriorityQueue => self.queue(object, key, value)?,
            Kind::MemoryPool => match key {
                "fblkcnt" => self.number(object, key, Watch::FreeBlocks(number), text)?,
                "wtsklist" => self.list(object, key, Queue::MemoryPool, value)?,
                _ => return declaration(key),
            },
            Kind::SpinLock => self.spin_lock(object, key, text)?,
            Kind::Alarm => self.timed(object, key, text, Actor::Alarm(number))?,
            Kind::Cyclic => self.timed(object, key, text, Actor::Cyclic(number))?,
            Kind::Line => match key {
                "intstat" => self.number(object, key, Watch::LineEnabled(number), text)?,
                "hdlstat" => self.number(object, key, Watch::Active(Actor::Line(number)), text)?,
                _ => return declaration(key),
            },
            Kind::Exception if key == "hdlstat" => {
                self.number(object, key, Watch::Active(Actor::Exception(number)), text)?;
            }
            Kind::Processor => match key {
                "loc_cpu" => self.number(object, key, Watch::CpuLocked(number), text)?,
                "dis_dsp" => self.number(object, key, Watch::DispatchDisabled(number), text)?,
                // It is the alarm's handler that has this mask, and it alone.
                "chg_ipm" if text == "INT_PRI_TIMER" && self.cast.alarm_runs_on(number.into()) => {}
                "chg_ipm" => self.number(object, key, Watch::Mask(number), text)?,
                _ => return declaration(key),
            },
            _ => return declaration(key),
        }
        Ok(())
    }

    fn number(&mut self, object: &Object, key: &str, watch: Watch, text: &str) -> Result<(), String> {
        let value = self.cast.value(text)?;
        self.push(object, key, watch, value);
        Ok(())
    }

    fn task(&mut self, object: &Object, key: &str, text: &str) -> Result<(), String> {
        let field = match key {
            "tskstat" => {
                let state = match text {
                    "running" | "running-waitspin" => 1,
                    "ready" => 2,
                    "waiting" => 4,
                    "suspended" => 8,
                    "running-suspended" => 9,
                    "waiting-suspended" => 12,
                    "dormant" => 16,
                    _ => return Err(format!("nobody knows the state {text:?}")),
                };
                self.push(object, key, Watch::Task(object.number, TaskField::State), state);
                return Ok(());
            }
            "wobjid" => {
                let wait = self.wait(text)?;
                self.push(object, key, Watch::Task(object.number, TaskField::Wait), wait);
                return Ok(());
            }
            "tskpri" => TaskField::Priority,
            "lefttmo" => TaskField::LeftTicks,
            "wupcnt" => TaskField::Wakeups,
            "actcnt" => TaskField::Activations,
            "actprc" => TaskField::ActivationProcessor,
            "prcid" => TaskField::Processor,
            "porder" => TaskField::Order,
            "bootcnt" => TaskField::Boots,
            "spinid" => {
                let actor = Actor::Task(object.number);
                return self.number(object, key, Watch::SpinsFor(actor), text);
            }
            _ => return declaration(key),
        };
        self.number(object, key, Watch::Task(object.number, field), text)
    }

    /// What a task waits for, as a number.
    fn wait(&self, text: &str) -> Result<i64, String> {
        let kind = match text {
            "" => return Ok(0),
            "SLEEP" => return Ok(1000),
            "DELAY" => return Ok(2000),
            name => self.cast.find(name).ok_or_else(|| format!("there is no {name}"))?,
        };
        // Of a queue either end: its lists say which.
        let code = match kind.kind {
            Kind::Semaphore => 3,
            Kind::EventFlag => 4,
            Kind::DataQueue => 6,
            Kind::PriorityQueue => 8,
            Kind::MemoryPool => 9,
            _ => return Err(format!("nobody waits for {text}")),
        };
        Ok(code * 1000 + i64::from(kind.number))
    }

    fn queue(&mut self, object: &Object, key: &str, value: &Tree) -> Result<(), String> {
        let number = object.number;
        let by_priority = object.kind == Kind::PriorityQueue;
        match (key, by_priority) {
            ("stsklist", false) => self.list(object, key, Queue::DataSenders, value),
            ("rtsklist", false) => self.list(object, key, Queue::DataReceivers, value),
            ("stsklist", true) => self.list(object, key, Queue::PrioritySenders, value),
            ("rtsklist", true) => self.list(object, key, Queue::PriorityReceivers, value),
            ("datalist", _) => {
                let count = if by_priority { Watch::PriorityCount(number) } else { Watch::DataCount(number) };
                self.push(object, key, count, value.items().len() as i64);
                for (place, item) in (0..).zip(value.items()) {
                    let data = self.cast.value(item.field("data").unwrap_or("0"))?;
                    let at = if by_priority {
                        Watch::PriorityDataAt(number, place)
                    } else {
                        Watch::DataAt(number, place)
                    };
                    self.push(object, key, at, data);
                    if let Some(priority) = item.field("datapri") {
                        let priority = self.cast.value(priority)?;
                        self.push(object, key, Watch::PriorityAt(number, place), priority);
                    }
                }
                Ok(())
            }
            _ => declaration(key),
        }
    }

    /// Who waits, in order, and with what.
    fn list(&mut self, object: &Object, key: &str, queue: Queue, value: &Tree) -> Result<(), String> {
        let number = object.number;
        self.push(object, key, Watch::Waiting(queue, number), value.items().len() as i64);
        for (place, item) in (0..).zip(value.items()) {
            let Some((task, how)) = item.entries().first() else { continue };
            let id = self.cast.value(task)?;
            self.push(object, key, Watch::WaitingAt(queue, number, place), id);
            for (name, watch) in [
                ("waiptn", Watch::WaitingData(queue, number, place)),
                ("data", Watch::WaitingData(queue, number, place)),
                ("wfmode", Watch::WaitingMore(queue, number, place)),
                ("datapri", Watch::WaitingMore(queue, number, place)),
            ] {
                if let Some(text) = how.field(name) {
                    self.number(object, key, watch, text)?;
                }
            }
        }
        Ok(())
    }

    fn spin_lock(&mut self, object: &Object, key: &str, text: &str) -> Result<(), String> {
        let watch = Watch::SpinOwner(object.number);
        match (key, text) {
            ("spnstat", "TSPN_UNL") => self.push(object, key, watch, 0),
            ("procid", name) if !name.is_empty() => {
                let owner = self.cast.find(name).ok_or_else(|| format!("there is no {name}"))?;
                let processor = self.cast.field(owner, "prcid", "PRC_SELF")?;
                self.push(object, key, watch, processor);
            }
            ("spnstat" | "procid", _) => {}
            (key, _) => return declaration(key),
        }
        Ok(())
    }

    fn timed(&mut self, object: &Object, key: &str, text: &str, actor: Actor) -> Result<(), String> {
        let watch = match key {
            "almstat" | "cycstat" => Watch::Started(actor),
            "hdlstat" => Watch::Active(actor),
            "lefttim" => Watch::LeftTicks(actor),
            "prcid" => Watch::AssignedTo(actor),
            "bootcnt" => Watch::Returned(actor),
            _ => return declaration(key),
        };
        self.number(object, key, watch, text)
    }
}
