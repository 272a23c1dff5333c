//! Time: nothing early, nothing lost, in a day (SPEC.md RTK-4, RTK-40 to RTK-42).

use std::rc::Rc;

use tokkyu_rtos::{
    Assignment, Cyclic, CyclicConfig, Error, Objects, Port, Processor, Task, TaskConfig, Timeout,
};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Desk, System, code, leak, system};

const SECOND_US: u64 = 1_000_000;
const DAY_US: u64 = 86_400 * SECOND_US;
const SLEEPER: i32 = 1;

fn clocked(period_us: u32) -> (&'static System, Rc<Desk>) {
    let assignment = Assignment { processor: 1, may_move_to: 1 };
    system(Objects {
        processors: leak(vec![Processor::new()]),
        tasks: leak(vec![Task::new(TaskConfig {
            priority: 8,
            processor: 1,
            may_move_to: 1,
            active: true,
            exinf: 0,
        })]),
        cyclics: leak(vec![Cyclic::new(CyclicConfig { assignment, period_us, phase_us: 0, started: true })]),
        ..Objects::default()
    })
}

/// Goes from one time at which something happens to the next.
fn run_until(kernel: &'static System, end_us: u64) {
    loop {
        kernel.port.run(&mut InTurn);
        let now_us = kernel.port.now_us();
        let next_us = kernel.port.next_us().unwrap_or(end_us).clamp(now_us, end_us);
        if now_us == end_us {
            return;
        }
        kernel.port.advance((next_us - now_us).max(1));
    }
}

#[test]
fn a_cyclic_handler_is_called_as_often_as_its_period_goes_into_a_day() {
    for period_us in [700_000, SECOND_US as u32, 1_300_001] {
        let (kernel, desk) = clocked(period_us);
        run_until(kernel, DAY_US);
        // The first comes a microsecond after the beginning (RTK-4).
        assert_eq!(desk.handled.get(), (DAY_US - 1) / u64::from(period_us) + 1);
    }
}

#[test]
fn a_wait_of_any_length_ends_after_it_and_at_once() {
    let (kernel, desk) = clocked(3_000_000_000);
    for us in [1_u32, 2, 63, 64, 65, 4_095, 4_096, 1 << 20, (1 << 24) - 1, 1 << 30, 4_000_000_000] {
        kernel.port.run(&mut InTurn);
        let began_us = kernel.port.now_us();
        kernel.port.advance(u64::from(us) % 7);
        let sleep: fn(&'static System) -> i64 = match us {
            1 => |k| code(k.dly_tsk(1).map(|()| 0)),
            2 => |k| code(k.dly_tsk(2).map(|()| 0)),
            63 => |k| code(k.dly_tsk(63).map(|()| 0)),
            64 => |k| code(k.dly_tsk(64).map(|()| 0)),
            65 => |k| code(k.dly_tsk(65).map(|()| 0)),
            4_095 => |k| code(k.dly_tsk(4_095).map(|()| 0)),
            4_096 => |k| code(k.dly_tsk(4_096).map(|()| 0)),
            1_048_576 => |k| code(k.dly_tsk(1 << 20).map(|()| 0)),
            16_777_215 => |k| code(k.dly_tsk((1 << 24) - 1).map(|()| 0)),
            1_073_741_824 => |k| code(k.dly_tsk(1 << 30).map(|()| 0)),
            _ => |k| code(k.dly_tsk(4_000_000_000).map(|()| 0)),
        };
        let asked_us = began_us + u64::from(us) % 7;
        assert_eq!(desk.now(kernel, SLEEPER, sleep), None);
        run_until(kernel, asked_us + u64::from(us));
        assert_eq!(desk.answer(SLEEPER), None, "{us}: too early");
        run_until(kernel, asked_us + u64::from(us) + 1);
        assert_eq!(desk.answer(SLEEPER), Some(0), "{us}");
        kernel.check_sound().unwrap();
    }
}

#[test]
fn times_that_are_too_long_are_refused_and_none_at_all_is_answered_at_once() {
    let (kernel, desk) = clocked(3_000_000_000);
    kernel.port.run(&mut InTurn);
    let refused = Some(i64::from(Error::Parameter.code()));
    assert_eq!(desk.now(kernel, SLEEPER, |k| code(k.dly_tsk(4_000_000_001).map(|()| 0))), refused);
    assert_eq!(
        desk.now(kernel, SLEEPER, |k| code(k.tslp_tsk(Timeout::After(u32::MAX)).map(|()| 0))),
        refused
    );
    let over = Some(i64::from(Error::Timeout.code()));
    assert_eq!(desk.now(kernel, SLEEPER, |k| code(k.tslp_tsk(Timeout::Poll).map(|()| 0))), over);
}
