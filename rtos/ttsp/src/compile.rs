//! A scenario as a plan: what brings its state about, what is done, what must be so.

use crate::calls::{Written, call, has_two_forms};
use crate::declare::{Cast, Kind};
use crate::expect::Known;
use crate::plan::{Action, Actor, Call, Function, Plan, Routine, Wanted};
use crate::prepare::Preparation;
use crate::scenario::{Scenario, Step};
use crate::tree::Tree;
use crate::words::code;

/// What becomes of a scenario.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// It can be run.
    Plan(Box<Plan>),
    /// It is about something that this kernel has not, for this reason.
    Excluded(&'static str),
}

/// Of a file.
///
/// # Errors
/// What it does not understand: a fault of this program, or of the file.
pub fn compile(text: &str) -> Result<Compiled, String> {
    let scenario = Scenario::read(text)?;
    if let Some(reason) = excluded(&scenario) {
        return Ok(Compiled::Excluded(reason));
    }
    let cast = Cast::of(&scenario.before)?;
    let time_goes_on = scenario.variation.iter().any(|(key, value)| key == "gain_time" && value == "true");
    let actions = Preparation::of(&cast)?;
    let mut compiler = Compiler { known: Known::of(&cast), cast: &cast, actions, now_ms: 0, time_goes_on };
    compiler.check()?;
    for step in &scenario.steps {
        if let Some(reason) = compiler.step(step)? {
            return Ok(Compiled::Excluded(reason));
        }
    }
    let actions = compiler.actions;
    let routines = routines(&cast)?;
    Ok(Compiled::Plan(Box::new(Plan { name: scenario.name, declared: cast.declared, actions, routines })))
}

/// Why this kernel does not have what a scenario is about.
fn excluded(scenario: &Scenario) -> Option<&'static str> {
    let has = |kind: &str| scenario.before.iter().any(|(_, object)| object.field("type") == Some(kind));
    let needs = |key: &str, value: &str| scenario.variation.iter().any(|(k, v)| k == key && v == value);
    let calls = |part: &str| {
        let mut deeds = scenario.steps.iter().flat_map(|step| &step.does);
        deeds.any(|(_, deed)| deed.field("syscall").is_some_and(|text| text.contains(part)))
    };
    // Some that are about the end of a task have one that never runs: they are run without it.
    let may_run = |(_, object): &(String, Tree)| object.field("texstat") == Some("TTEX_ENA");
    if calls("_tex(") || calls("xsns_xpn") || scenario.before.iter().any(may_run) {
        return Some("task exceptions: the third generation has none");
    }
    if has("MAILBOX") || calls("_mbx(") {
        return Some("mailboxes: FMP3 has none");
    }
    if needs("timer_arch", "global") {
        return Some("one timer for all processors: here each has its own");
    }
    if needs("irc_arch", "global") || needs("irc_arch", "combination") {
        return Some("lines of all processors: here each has its own");
    }
    if calls("get_utm") {
        return Some("get_utm: the third generation has none");
    }
    None
}

/// An hour.
const TIME_MAX_MS: i64 = 3_600_000;

struct Compiler<'a> {
    cast: &'a Cast,
    known: Known,
    actions: Vec<Action>,
    /// Since the scenario began.
    now_ms: i64,
    /// By itself, while somebody waits for it.
    time_goes_on: bool,
}

/// A time within a step, what is done then, what is so then.
type Moment<'a> = (i64, Vec<&'a Tree>, Option<&'a [(String, Tree)]>);

impl Compiler<'_> {
    fn check(&mut self) -> Result<(), String> {
        let conditions = self.known.conditions(self.cast)?;
        self.actions.push(Action::Check(conditions));
        Ok(())
    }

    /// Answers why it is excluded, if it is.
    fn step(&mut self, step: &Step) -> Result<Option<&'static str>, String> {
        let timed = step.after.len() > 1;
        for (at_ms, deeds, after) in self.moments(step)? {
            if at_ms > self.now_ms {
                self.actions
                    .push(Action::Advance { us: (at_ms - self.now_ms).unsigned_abs().saturating_mul(1000) });
                self.known.later();
                self.now_ms = at_ms;
            }
            for deed in deeds {
                if let Some(reason) = self.deed(deed)? {
                    return Ok(Some(reason));
                }
            }
            self.known.forget_orders();
            self.after(after.unwrap_or_default(), timed)?;
            if let Some(reason) = self.is_of_ticks(after.unwrap_or_default()) {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    fn moments<'a>(&self, step: &'a Step) -> Result<Vec<Moment<'a>>, String> {
        let mut moments: Vec<Moment<'a>> = Vec::new();
        let mut times: Vec<i64> = vec![0];
        for (time, _) in &step.does {
            times.push(self.cast.value(time)?);
        }
        for (time, _) in &step.after {
            times.push(self.cast.value(time)?);
        }
        if let Some(time) = times.iter().find(|time| !(0..=TIME_MAX_MS).contains(*time)) {
            return Err(format!("something happens after {time} ms"));
        }
        times.sort_unstable();
        times.dedup();
        for at in times {
            let is_now = |time: &str| self.cast.value(time) == Ok(at);
            let deeds = step.does.iter().filter(|(time, _)| is_now(time)).map(|(_, deed)| deed).collect();
            let after = step.after.iter().find(|(time, _)| is_now(time)).map(|(_, after)| after.as_slice());
            moments.push((at, deeds, after));
        }
        Ok(moments)
    }

    /// The second generation counts in ticks, and counts one more when a wait moves with its task.
    fn is_of_ticks(&self, after: &[(String, Tree)]) -> Option<&'static str> {
        let more =
            |(_, object): &(String, Tree)| object.field("lefttmo").is_some_and(|text| text.ends_with("+ 1"));
        let moved = "a tick more for a wait that moves: times here are microseconds, and stay what they are";
        after.iter().any(more).then_some(moved)
    }

    fn deed(&mut self, deed: &Tree) -> Result<Option<&'static str>, String> {
        let name = deed.field("id").ok_or("somebody does something, and nobody knows who")?;
        let actor = self.cast.actor(name)?;
        let text = deed.field("syscall").or_else(|| deed.field("code")).ok_or("nothing is done")?;
        if text == "return" {
            self.act(actor, Call { function: Function::hand_back, arguments: [0; 5] }, Wanted::Any);
            return Ok(None);
        }
        if text.starts_with("ttsp_target_gain_tick") {
            self.actions.push(Action::Advance { us: 1000 });
            return Ok(None);
        }
        let written = call(text, &self.cast.names)?;
        let wanted = wanted(deed)?;
        if let Some(reason) = self.is_of_form(name, &written, wanted)? {
            return Ok(Some(reason));
        }
        self.known.writes(name, &written.variables);
        self.act(actor, written.call, wanted);
        let waits_ms = written.longest_us() / 1000;
        if self.time_goes_on && waits_ms > 0 && !written.call.function.name().starts_with("sta") {
            // Until what is waited for is over, if it is to be; else until something else has happened meanwhile.
            let ms = if wanted == Wanted::Any { waits_ms / 2 } else { waits_ms + 1 };
            self.actions.push(Action::Advance { us: ms.unsigned_abs().saturating_mul(1000) });
        }
        Ok(None)
    }

    fn act(&mut self, actor: Actor, call: Call, wanted: Wanted) {
        self.actions.push(Action::Do { actor, call, wanted });
    }

    /// Of a call that the suite has in two forms, the wrong one for who calls it: the third generation has one form.
    fn is_of_form(
        &self,
        name: &str,
        written: &Written,
        wanted: Wanted,
    ) -> Result<Option<&'static str>, String> {
        if wanted != Wanted::Code(code("E_CTX")?) || !has_two_forms(written.call.function) {
            return Ok(None);
        }
        let object = self.cast.find(name).ok_or("nobody")?;
        let is_task = object.kind == Kind::Task;
        let processor = self.cast.field(object, "prcid", "PRC_SELF")?;
        let locked = self.cast.of_kind(Kind::Processor).any(|state| {
            i64::from(state.number) == processor && state.fields.field("loc_cpu") == Some("true")
        });
        let wrong = is_task == written.for_handlers;
        let reason = "the form of a call for handlers, or for tasks: the third generation has one";
        Ok((wrong && !locked).then_some(reason))
    }

    fn after(&mut self, after: &[(String, Tree)], timed: bool) -> Result<(), String> {
        let mut variables = Vec::new();
        for (name, object) in after {
            if let Some(said) = object.get("var") {
                variables.extend(self.known.variables(self.cast, name, said)?);
            }
            self.known.learn(name, object.entries());
            // The suite's handlers return when they have done what they are for.
            if object.field("hdlstat") == Some("STP") {
                self.actions.push(Action::ReturnIfActive(self.cast.actor(name)?));
            }
        }
        self.check()?;
        self.actions.push(Action::Check(variables));
        if timed {
            for (name, object) in after {
                if object.field("hdlstat") == Some("ACTIVATE") {
                    self.actions.push(Action::ReturnIfActive(self.cast.actor(name)?));
                }
            }
        }
        Ok(())
    }
}

/// What is done before the first task runs and after the last.
fn routines(cast: &Cast) -> Result<Vec<Routine>, String> {
    let mut all = Vec::new();
    for (kind, at_end) in [(Kind::Initialization, false), (Kind::Termination, true)] {
        for object in cast.of_kind(kind) {
            let deed = object.fields.get("do").ok_or_else(|| format!("{}: nothing is done", object.name))?;
            let text = deed.field("syscall").ok_or_else(|| format!("{}: nothing is called", object.name))?;
            all.push(Routine { at_end, call: call(text, &cast.names)?.call, wanted: wanted(deed)? });
        }
    }
    Ok(all)
}

fn wanted(deed: &Tree) -> Result<Wanted, String> {
    if let Some(text) = deed.field("ercd") {
        return Ok(Wanted::Code(code(text)?));
    }
    if let Some(text) = deed.field("bool") {
        return Ok(Wanted::Value(i64::from(text == "true")));
    }
    match deed.field("eruint") {
        Some(text) if text.starts_with("E_") => Ok(Wanted::Code(code(text)?)),
        Some(text) => text.parse().map(Wanted::Value).map_err(|_| format!("nobody knows what {text:?} is")),
        None => Ok(Wanted::Any),
    }
}
