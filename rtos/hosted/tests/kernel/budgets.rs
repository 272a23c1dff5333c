//! What tasks may take of a processor in each period (SPEC.md RTK-66 to RTK-68).

use std::collections::BTreeMap;
use std::rc::Rc;

use proptest::prelude::*;
use tokkyu_rtos::{Cyclic, CyclicConfig, Error, Handler, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Deed, Desk, System, code, done, leak, system};

const BUDGET_US: u32 = 400;
const PERIOD_US: u32 = 1_000;
/// Of the first processor, which has a budget: a task, and a less urgent one.
const FIRST: i32 = 1;
const LESS: i32 = 2;
/// Of the second.
const SECOND: i32 = 3;
/// Of the third, which never has one: it gives the others orders.
const ORDERS: i32 = 4;

/// What tasks had of each processor in each period, by what the machine shows.
struct Watched {
    kernel: &'static System,
    desk: Rc<Desk>,
    processors: &'static [Processor],
    used_us: BTreeMap<(usize, u64), u64>,
}

fn watched() -> Watched {
    let task = |priority, processor, active| {
        Task::new(TaskConfig { priority, processor, may_move_to: 7, active, exinf: 0 })
    };
    let cyclic = CyclicConfig {
        assignment: tokkyu_rtos::Assignment { processor: 1, may_move_to: 1 },
        period_us: 100,
        phase_us: 50,
        started: false,
    };
    let processors = leak(vec![Processor::new(), Processor::new(), Processor::new()]);
    let (kernel, desk) = system(Objects {
        processors,
        tasks: leak(vec![task(8, 1, true), task(10, 1, true), task(10, 2, true), task(10, 3, true)]),
        cyclics: leak(vec![Cyclic::new(cyclic)]),
        budgets: true,
        ..Objects::default()
    });
    kernel.start_budget_at_boot(1, BUDGET_US, PERIOD_US).expect("before anything runs");
    kernel.port.run(&mut InTurn);
    Watched { kernel, desk, processors, used_us: BTreeMap::new() }
}

impl Watched {
    fn now_us(&self) -> u64 {
        tokkyu_rtos::Port::now_us(&self.kernel.port)
    }

    /// Time passes, by what is due, and by periods.
    fn pass(&mut self, us: u64) {
        let until_us = self.now_us() + us;
        while self.now_us() < until_us {
            let (now_us, period_us) = (self.now_us(), u64::from(PERIOD_US));
            let due_us = self.kernel.port.next_us().unwrap_or(u64::MAX).max(now_us + 1);
            let step_us = until_us.min(due_us).min((now_us / period_us + 1) * period_us) - now_us;
            for (index, processor) in self.processors.iter().enumerate() {
                let is_used = processor.current().is_some();
                *self.used_us.entry((index, now_us / period_us)).or_default() += u64::from(is_used) * step_us;
            }
            self.kernel.port.advance(step_us);
            self.kernel.port.run(&mut InTurn);
            self.kernel.check_sound().unwrap();
        }
    }

    fn used(&self, processor: i32, period: u64) -> u64 {
        self.used_us.get(&(processor as usize - 1, period)).copied().unwrap_or(0)
    }

    fn order(&self, deed: Deed) {
        assert_eq!(self.desk.now(self.kernel, ORDERS, deed), Some(0));
    }

    /// Calls of handlers since somebody asked last.
    fn handled(&self) -> u64 {
        self.desk.handled.take()
    }
}

#[test]
fn a_processors_tasks_have_their_budget_of_each_period_and_others_are_as_ever() {
    let mut all = watched();
    all.desk.handler.set(Some(|_, handler| assert_eq!(handler, Handler::BudgetOver(1))));
    all.pass(10_000);
    for period in 0..10 {
        assert_eq!([1, 2, 3].map(|processor| all.used(processor, period)), [400, 1_000, 1_000]);
    }
    assert_eq!(all.handled(), 10, "once in each");
}

#[test]
fn what_is_left_serves_whoever_comes_later_in_the_period() {
    let mut all = watched();
    all.order(|k| done(k.sus_tsk(LESS)));
    all.desk.now(all.kernel, FIRST, |k| done(k.dly_tsk(100)));
    all.pass(101 + 300);
    assert_eq!(all.desk.answer(FIRST), Some(0));
    all.order(|k| done(k.sus_tsk(FIRST)));
    all.pass(200);
    all.order(|k| done(k.rsm_tsk(LESS)));
    // 300 are used: the last 100, then nobody but the next period.
    all.pass(398);
    assert_eq!((all.used(1, 0), all.handled()), (400, 1));
    // It goes on over the period's end: what lies before is none of the next one's.
    all.pass(1_000);
    assert_eq!((all.used(1, 1), all.handled()), (400, 1));
}

#[test]
fn a_stint_across_a_periods_end_has_used_what_lies_behind_it() {
    let mut all = watched();
    all.order(|k| done(k.sus_tsk(LESS)));
    all.desk.now(all.kernel, FIRST, |k| done(k.dly_tsk(899)));
    all.pass(2_000);
    assert_eq!((all.used(1, 0), all.used(1, 1), all.handled()), (100, 400, 1));
}

#[test]
fn handlers_go_on_and_tasks_become_ready_while_it_is_over() {
    let mut all = watched();
    all.order(|k| done(k.sus_tsk(FIRST)));
    all.order(|k| done(k.sta_cyc(1)));
    all.pass(500);
    assert_eq!(all.handled(), 5 + 1, "the cyclic's, and that it is over");
    all.order(|k| done(k.rsm_tsk(FIRST)));
    all.order(|k| done(k.chg_pri(LESS, 3)));
    all.pass(450);
    assert_eq!((all.handled(), all.used(1, 0)), (4, 400));
    all.pass(100);
    assert!(all.processors[0].current().is_some_and(|task| task.id() == LESS), "the most urgent now");
}

#[test]
fn a_task_that_forbids_dispatching_keeps_the_processor_until_it_allows_it() {
    let mut all = watched();
    all.desk.now(all.kernel, FIRST, |k| done(k.dis_dsp()));
    all.pass(700);
    assert_eq!((all.used(1, 0), all.handled()), (700, 1));
    all.desk.now(all.kernel, FIRST, |k| done(k.ena_dsp()));
    all.pass(200);
    assert_eq!(all.used(1, 0), 700);
    all.pass(1_000);
    assert_eq!((all.used(1, 1), all.handled()), (400, 1), "nothing is owed");
}

#[test]
fn all_tasks_go_on_where_a_budget_is_stopped_or_begun_anew() {
    let mut all = watched();
    all.pass(500);
    all.order(|k| done(k.stop_budget(1)));
    all.pass(2_500);
    assert_eq!((all.used(1, 0), all.used(1, 1), all.handled()), (900, 1_000, 1));
    all.order(|k| done(k.start_budget(1, 100, 1_000)));
    all.pass(500);
    assert_eq!(all.used(1, 3), 100);
    // Anew while it is over, from a handler's place: a new period begins.
    all.order(|k| done(k.start_budget(1, 200, 1_000)));
    all.pass(500);
    assert_eq!((all.used(1, 3), all.handled()), (300, 2));
    // Of itself.
    all.order(|k| done(k.stop_budget(1)));
    assert_eq!(all.desk.now(all.kernel, FIRST, |k| done(k.start_budget(1, 100, 1_000))), Some(0));
    all.pass(2_000);
    assert_eq!((all.used(1, 4), all.used(1, 5), all.handled()), (100, 100, 2));
}

#[test]
fn what_is_out_of_range_is_refused() {
    let all = watched();
    let refused = |deed: Deed| all.desk.now(all.kernel, ORDERS, deed);
    let parameter = Some(i64::from(Error::Parameter.code()));
    assert_eq!(refused(|k| done(k.start_budget(1, 0, 1_000))), parameter);
    assert_eq!(refused(|k| done(k.start_budget(1, 1_001, 1_000))), parameter);
    assert_eq!(refused(|k| done(k.start_budget(1, 1, 4_000_000_001))), parameter);
    let id = Some(i64::from(Error::Id.code()));
    assert_eq!(refused(|k| done(k.start_budget(4, 1, 1_000))), id);
    assert_eq!(refused(|k| done(k.stop_budget(0))), id);
    assert_eq!(refused(|k| code(k.start_budget_at_boot(0, 1, 1_000).map(|()| 0))), id);
}

#[test]
fn a_system_that_has_no_budgets_says_so() {
    let (kernel, _) = system(Objects { processors: leak(vec![Processor::new()]), ..Objects::default() });
    assert_eq!(kernel.start_budget_at_boot(1, 1, 1_000), Err(Error::State));
    kernel.port.run(&mut InTurn);
    kernel.check_sound().unwrap();
}

/// Who does it, and what.
const DEEDS: [(i32, Deed); 20] = [
    (FIRST, |k| done(k.dly_tsk(170))),
    (FIRST, |k| done(k.slp_tsk())),
    (FIRST, |k| done(k.mig_tsk(0, 2))),
    (FIRST, |k| done(k.mig_tsk(LESS, 2))),
    (FIRST, |k| done(k.ext_tsk().map(|_| ()))),
    (LESS, |k| done(k.mig_tsk(0, 1))),
    (LESS, |k| done(k.mig_tsk(0, 2))),
    (LESS, |k| done(k.dly_tsk(30))),
    (SECOND, |k| done(k.mig_tsk(0, 1))),
    (SECOND, |k| done(k.mig_tsk(FIRST, 1))),
    (SECOND, |k| done(k.dly_tsk(700))),
    (SECOND, |k| done(k.ext_tsk().map(|_| ()))),
    (ORDERS, |k| done(k.wup_tsk(FIRST))),
    (ORDERS, |k| done(k.mact_tsk(FIRST, 1))),
    (ORDERS, |k| done(k.mact_tsk(SECOND, 1))),
    (ORDERS, |k| done(k.mact_tsk(SECOND, 2))),
    (ORDERS, |k| done(k.sus_tsk(LESS))),
    (ORDERS, |k| done(k.rsm_tsk(LESS))),
    (ORDERS, |k| done(k.chg_pri(LESS, 5))),
    (ORDERS, |k| done(k.chg_pri(LESS, 0))),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_period_has_more_than_the_budget_whatever_tasks_do(steps in proptest::collection::vec((0..DEEDS.len(), 0_u64..400), 1..80)) {
        let mut all = watched();
        all.order(|k| done(k.start_budget(2, 250, PERIOD_US)));
        for (deed, us) in steps {
            let (who, deed) = DEEDS[deed];
            all.desk.tell(who, deed);
            all.kernel.port.run(&mut InTurn);
            all.pass(us);
        }
        all.pass(u64::from(PERIOD_US));
        let (most, third) = ([u64::from(BUDGET_US), 250], 2);
        for ((processor, period), used_us) in &all.used_us {
            prop_assert!(*processor == third || *used_us <= most[*processor], "{used_us} of processor {processor} in period {period}");
        }
    }
}
