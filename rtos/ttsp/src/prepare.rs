//! The calls that bring a system into the state in which a scenario begins.
//!
//! All of it is done with calls of the kernel: by the tasks themselves, or by the conductor from its own processor. In this order, so that
//! each step can be done: what objects hold; who waits; who runs; what their processors mask; which handlers run; what they lock; who is
//! ready; who was suspended while running.

use crate::declare::{Cast, Kind, Object};
use crate::plan::{Action, Actor, Call, Function, Wanted};

pub(crate) struct Preparation<'a> {
    cast: &'a Cast,
    pub(crate) actions: Vec<Action>,
}

impl<'a> Preparation<'a> {
    /// # Errors
    /// What it does not understand.
    pub(crate) fn of(cast: &'a Cast) -> Result<Vec<Action>, String> {
        let mut preparation = Preparation { cast, actions: Vec::new() };
        preparation.fill()?;
        preparation.let_wait()?;
        preparation.let_run()?;
        preparation.mask()?;
        preparation.start_timed()?;
        preparation.lock()?;
        preparation.make_ready()?;
        for task in preparation.tasks_in(&["running-suspended"]) {
            preparation.conduct(Function::sus_tsk, [i64::from(task.number), 0, 0, 0, 0]);
        }
        Ok(preparation.actions)
    }

    fn act(&mut self, actor: Actor, function: Function, arguments: [i64; 5]) {
        self.actions.push(Action::Do { actor, call: Call { function, arguments }, wanted: Wanted::Any });
    }

    fn conduct(&mut self, function: Function, arguments: [i64; 5]) {
        let call = Call { function, arguments };
        self.actions.push(Action::Do { actor: Actor::Conductor, call, wanted: Wanted::Code(0) });
    }

    fn tasks_in(&self, states: &[&str]) -> Vec<&'a Object> {
        let is =
            |object: &&Object| object.fields.field("tskstat").is_some_and(|state| states.contains(&state));
        self.cast.of_kind(Kind::Task).filter(is).collect()
    }

    /// What objects hold.
    fn fill(&mut self) -> Result<(), String> {
        for object in &self.cast.objects {
            let id = i64::from(object.number);
            match object.kind {
                Kind::Semaphore => {
                    let initial = self.cast.declared.semaphores[usize::from(object.number) - 1].initial;
                    let now = self.count(object, "semcnt", initial)?;
                    (now..i64::from(initial)).for_each(|_| self.conduct(Function::pol_sem, [id, 0, 0, 0, 0]));
                    (i64::from(initial)..now).for_each(|_| self.conduct(Function::sig_sem, [id, 0, 0, 0, 0]));
                }
                Kind::EventFlag => {
                    let bits = self.cast.field(object, "flgptn", "0")?;
                    self.conduct(Function::clr_flg, [id, 0, 0, 0, 0]);
                    self.conduct(Function::set_flg, [id, bits, 0, 0, 0]);
                }
                Kind::DataQueue | Kind::PriorityQueue => {
                    for item in object.fields.get("datalist").map(|list| list.items()).unwrap_or_default() {
                        let data = self.cast.value(item.field("data").unwrap_or("0"))?;
                        match item.field("datapri") {
                            Some(priority) => {
                                let priority = self.cast.value(priority)?;
                                self.conduct(Function::psnd_pdq, [id, data, priority, 0, 0]);
                            }
                            None => self.conduct(Function::psnd_dtq, [id, data, 0, 0, 0]),
                        }
                    }
                }
                Kind::MemoryPool => {
                    let room = self.cast.declared.pools[usize::from(object.number) - 1].room;
                    let free = self.count(object, "fblkcnt", room.into())?;
                    (free..i64::from(room)).for_each(|_| self.conduct(Function::pget_mpf, [id, 0, 0, 0, 0]));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&self, object: &Object, key: &str, without: u32) -> Result<i64, String> {
        let count = self.cast.field(object, key, &without.to_string())?;
        if (0..=64).contains(&count) { Ok(count) } else { Err(format!("{}: {key} is {count}", object.name)) }
    }

    /// Tasks that wait, in the order of the queues they are in; then those that wait elsewhere, and the suspended.
    fn let_wait(&mut self) -> Result<(), String> {
        let mut done: Vec<u16> = Vec::new();
        for object in &self.cast.objects {
            for list in ["wtsklist", "stsklist", "rtsklist"] {
                for item in object.fields.get(list).map(|list| list.items()).unwrap_or_default() {
                    let Some((name, how)) = item.entries().first() else { continue };
                    let task = self.cast.find(name).ok_or_else(|| format!("no task {name} waits"))?;
                    let call = self.wait_call(task, object, list, how)?;
                    self.begin(task)?;
                    self.act(Actor::Task(task.number), call.function, call.arguments);
                    done.push(task.number);
                }
            }
        }
        for task in self.tasks_in(&["waiting", "waiting-suspended", "suspended"]) {
            if done.contains(&task.number) {
                continue;
            }
            self.begin(task)?;
            let left = self.left_us(task)?;
            let actor = Actor::Task(task.number);
            match task.fields.field("wobjid") {
                Some("SLEEP") => self.act(actor, Function::tslp_tsk, [left, 0, 0, 0, 0]),
                Some("DELAY") => self.act(actor, Function::dly_tsk, [left, 0, 0, 0, 0]),
                None | Some("") if task.fields.field("tskstat") == Some("suspended") => {}
                other => return Err(format!("{} waits for {other:?}, which does not know it", task.name)),
            }
        }
        for task in self.tasks_in(&["waiting-suspended", "suspended"]) {
            self.conduct(Function::sus_tsk, [i64::from(task.number), 0, 0, 0, 0]);
        }
        // One that was moved while it was dormant.
        for task in self.tasks_in(&["dormant"]) {
            let declared = self.cast.declared.tasks[usize::from(task.number) - 1].processor;
            if self.cast.field(task, "prcid", "PRC_SELF")? != i64::from(declared) {
                self.begin(task)?;
                self.act(Actor::Task(task.number), Function::ext_tsk, [0; 5]);
            }
        }
        Ok(())
    }

    fn left_us(&self, task: &Object) -> Result<i64, String> {
        match task.fields.field("lefttmo") {
            None | Some("" | "TMO_FEVR") => Ok(-1),
            Some(text) => self.cast.value(text).map(|ms| ms.saturating_mul(1000)),
        }
    }

    fn wait_call(
        &self,
        task: &Object,
        object: &Object,
        list: &str,
        how: &crate::tree::Tree,
    ) -> Result<Call, String> {
        let (id, left) = (i64::from(object.number), self.left_us(task)?);
        let number = |key: &str| self.cast.value(how.field(key).unwrap_or("0"));
        let (function, arguments) = match (object.kind, list) {
            (Kind::Semaphore, _) => (Function::twai_sem, [id, left, 0, 0, 0]),
            (Kind::EventFlag, _) => (Function::twai_flg, [id, number("waiptn")?, number("wfmode")?, 0, left]),
            (Kind::DataQueue, "stsklist") => (Function::tsnd_dtq, [id, number("data")?, left, 0, 0]),
            (Kind::DataQueue, _) => (Function::trcv_dtq, [id, 0, left, 0, 0]),
            (Kind::PriorityQueue, "stsklist") => {
                (Function::tsnd_pdq, [id, number("data")?, number("datapri")?, left, 0])
            }
            (Kind::PriorityQueue, _) => (Function::trcv_pdq, [id, 0, 0, left, 0]),
            (Kind::MemoryPool, _) => (Function::tget_mpf, [id, 0, left, 0, 0]),
            (kind, _) => return Err(format!("nobody waits for a {kind:?}")),
        };
        Ok(Call { function, arguments })
    }

    /// Activates a task where it is, and gives it its priority and what is queued, by itself: it runs.
    fn begin(&mut self, task: &Object) -> Result<(), String> {
        let (id, actor) = (i64::from(task.number), Actor::Task(task.number));
        let processor = self.cast.field(task, "prcid", "PRC_SELF")?;
        self.conduct(Function::mact_tsk, [id, processor, 0, 0, 0]);
        if let Some(priority) = task.fields.field("tskpri") {
            let priority = self.cast.value(priority)?;
            self.act(actor, Function::chg_pri, [0, priority, 0, 0, 0]);
        }
        self.queue_up(task)
    }

    fn queue_up(&mut self, task: &Object) -> Result<(), String> {
        let id = i64::from(task.number);
        if self.cast.field(task, "actcnt", "0")? != 0 {
            match task.fields.field("actprc").filter(|name| *name != "TPRC_NONE") {
                Some(processor) => {
                    let processor = self.cast.value(processor)?;
                    self.conduct(Function::mact_tsk, [id, processor, 0, 0, 0]);
                }
                None => self.conduct(Function::act_tsk, [id, 0, 0, 0, 0]),
            }
        }
        if self.cast.field(task, "wupcnt", "0")? != 0 {
            self.conduct(Function::wup_tsk, [id, 0, 0, 0, 0]);
        }
        Ok(())
    }

    fn let_run(&mut self) -> Result<(), String> {
        for task in self.tasks_in(&["running", "running-suspended", "running-waitspin"]) {
            self.begin(task)?;
        }
        Ok(())
    }

    /// The task that runs on a processor.
    fn runs_on(&self, processor: i64) -> Option<Actor> {
        let running = self.tasks_in(&["running", "running-suspended"]);
        let here = |task: &&&Object| self.cast.field(task, "prcid", "PRC_SELF") == Ok(processor);
        running.iter().find(here).map(|task| Actor::Task(task.number))
    }

    fn mask(&mut self) -> Result<(), String> {
        for state in self.cast.of_kind(Kind::Processor) {
            let processor = i64::from(state.number);
            if state.fields.field("dis_dsp") == Some("true") {
                let task = self.runs_on(processor).ok_or("dispatching is disabled where nobody runs")?;
                self.act(task, Function::dis_dsp, [0; 5]);
            }
            // A handler of the timer keeps out what is no more urgent than itself.
            let of_handler = |mask: &str| mask == "INT_PRI_TIMER" && self.cast.alarm_runs_on(processor);
            let mask =
                state.fields.field("chg_ipm").filter(|mask| *mask != "TIPM_ENAALL" && !of_handler(mask));
            if let Some(mask) = mask {
                let task = self.runs_on(processor).ok_or("interrupts are masked where nobody runs")?;
                let mask = self.cast.value(mask)?;
                self.act(task, Function::chg_ipm, [mask, 0, 0, 0, 0]);
            }
        }
        Ok(())
    }

    /// Notifications that are started, and handlers that run: all at one time, a microsecond later.
    fn start_timed(&mut self) -> Result<(), String> {
        let mut any_runs = false;
        for object in &self.cast.objects {
            let (id, processor) = (i64::from(object.number), self.cast.field(object, "prcid", "PRC_SELF")?);
            let started = |key: &str| object.fields.field(key).is_some_and(|text| text.ends_with("_STA"));
            let active = object.fields.field("hdlstat") == Some("ACTIVATE");
            match object.kind {
                Kind::Alarm if active => {
                    self.conduct(Function::msta_alm, [id, 0, processor, 0, 0]);
                    any_runs = true;
                }
                Kind::Alarm if started("almstat") => {
                    let left = self.cast.field(object, "lefttim", "ANY_ELAPSED_TIME")?.saturating_mul(1000);
                    self.conduct(Function::msta_alm, [id, left, processor, 0, 0]);
                }
                Kind::Cyclic if active => {
                    self.conduct(Function::msta_cyc, [id, processor, 0, 0, 0]);
                    let phase_us = self.cast.declared.cyclics[usize::from(object.number) - 1].phase_us;
                    self.actions.push(Action::Advance { us: u64::from(phase_us) + 1 });
                }
                Kind::Cyclic if started("cycstat") && object.fields.field("cycatr") != Some("TA_STA") => {
                    self.conduct(Function::msta_cyc, [id, processor, 0, 0, 0]);
                }
                Kind::Alarm | Kind::Cyclic => self.move_stopped(object, processor)?,
                Kind::Exception if active => {
                    let task =
                        self.runs_on(i64::from(object.number)).ok_or("an exception where nobody runs")?;
                    self.act(task, Function::raise_exception, [0; 5]);
                }
                Kind::Line if active => {
                    let number = self.cast.field(object, "intno", "0")?;
                    self.conduct(Function::raise_line, [number, 0, 0, 0, 0]);
                }
                _ => {}
            }
        }
        if any_runs {
            self.actions.push(Action::Advance { us: 1 });
        }
        Ok(())
    }

    /// One that does not run, on another processor than it was declared with.
    fn move_stopped(&mut self, object: &Object, processor: i64) -> Result<(), String> {
        let (id, declared) = (usize::from(object.number), &self.cast.declared);
        let timed =
            if object.kind == Kind::Alarm { declared.alarms[id - 1] } else { declared.cyclics[id - 1] };
        if i64::from(timed.processor) == processor || timed.started {
            return Ok(());
        }
        let id = id as i64;
        match object.kind {
            Kind::Alarm => {
                self.conduct(Function::msta_alm, [id, 1_000_000, processor, 0, 0]);
                self.conduct(Function::stp_alm, [id, 0, 0, 0, 0]);
            }
            _ => {
                self.conduct(Function::msta_cyc, [id, processor, 0, 0, 0]);
                self.conduct(Function::stp_cyc, [id, 0, 0, 0, 0]);
            }
        }
        Ok(())
    }

    fn lock(&mut self) -> Result<(), String> {
        let mut locked: Vec<i64> = Vec::new();
        for lock in self.cast.of_kind(Kind::SpinLock) {
            let Some(name) = lock.fields.field("procid").filter(|name| !name.is_empty()) else { continue };
            let owner = self.cast.find(name).ok_or_else(|| format!("no {name} has {}", lock.name))?;
            let actor = self.cast.actor(name)?;
            self.act(actor, Function::loc_spn, [i64::from(lock.number), 0, 0, 0, 0]);
            locked.push(self.cast.field(owner, "prcid", "PRC_SELF")?);
        }
        for state in self.cast.of_kind(Kind::Processor) {
            let processor = i64::from(state.number);
            if state.fields.field("loc_cpu") != Some("true") || locked.contains(&processor) {
                continue;
            }
            let handler = self.cast.of_kind(Kind::Alarm).find(|alarm| {
                alarm.fields.field("hdlstat") == Some("ACTIVATE")
                    && self.cast.field(alarm, "prcid", "PRC_SELF") == Ok(processor)
            });
            let actor = handler.map(|alarm| Actor::Alarm(alarm.number)).or_else(|| self.runs_on(processor));
            self.act(actor.ok_or("a processor is locked where nobody runs")?, Function::loc_cpu, [0; 5]);
        }
        Ok(())
    }

    fn make_ready(&mut self) -> Result<(), String> {
        let mut ready = self.tasks_in(&["ready"]);
        ready.sort_by_key(|task| self.cast.field(task, "porder", "99").unwrap_or(99));
        for task in ready {
            let id = i64::from(task.number);
            let processor = self.cast.field(task, "prcid", "PRC_SELF")?;
            self.conduct(Function::mact_tsk, [id, processor, 0, 0, 0]);
            let declared = i64::from(self.cast.declared.tasks[usize::from(task.number) - 1].priority);
            let priority = self.cast.field(task, "tskpri", &declared.to_string())?;
            if priority != declared {
                self.conduct(Function::chg_pri, [id, priority, 0, 0, 0]);
            }
            self.queue_up(task)?;
        }
        Ok(())
    }
}
