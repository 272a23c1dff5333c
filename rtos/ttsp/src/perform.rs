//! Calls, carried out.

use tokkyu_rtos::{Error, FlagMode, Kernel, Port, Result, TaskState, Timeout};

use crate::plan::{Call, Function, Wanted, state_code, wait_code};

/// What a call answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// An error's number; 0 is `E_OK`.
    pub code: i32,
    /// What it returned, or wrote where it was told to.
    pub out: [i64; 10],
}

impl Answer {
    /// Whether it is as wanted.
    pub fn is(&self, wanted: Wanted) -> bool {
        match wanted {
            Wanted::Any => true,
            Wanted::Code(code) => self.code == code,
            Wanted::Value(value) => self.code == 0 && self.out[0] == value,
        }
    }

    fn of<T>(result: Result<T>, out: impl FnOnce(T) -> [i64; 10]) -> Answer {
        match result {
            Ok(value) => Answer { code: 0, out: out(value) },
            Err(error) => Answer { code: error.code(), out: [0; 10] },
        }
    }
}

fn outs<const N: usize>(values: [i64; N]) -> [i64; 10] {
    let mut out = [0; 10];
    out[..N].copy_from_slice(&values);
    out
}

fn done(result: Result) -> Answer {
    Answer::of(result, |()| [0; 10])
}

fn said(value: bool) -> Answer {
    Answer { code: 0, out: outs([i64::from(value)]) }
}

fn number(result: Result<impl Into<i64>>) -> Answer {
    Answer::of(result, |value| outs([value.into()]))
}

fn task_or_none(task: Option<i32>) -> i64 {
    i64::from(task.unwrap_or(0))
}

fn ticks(us: Option<u64>) -> i64 {
    us.map_or(-1, |us| (us / 1000) as i64)
}

/// Carries out a call of the specification; `None` for the suite's own.
pub fn perform<P: Port>(kernel: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    tasks(kernel, call)
        .or_else(|| system(kernel, call))
        .or_else(|| waits(kernel, call))
        .or_else(|| queues(kernel, call))
        .or_else(|| pools_and_times(kernel, call))
}

struct Arguments([i64; 5]);

impl Arguments {
    fn id(&self, place: usize) -> i32 {
        self.0[place] as i32
    }
    fn word(&self, place: usize) -> usize {
        self.0[place] as usize
    }
    fn bits(&self, place: usize) -> u32 {
        self.0[place] as u32
    }
    fn mode(&self, place: usize) -> FlagMode {
        if self.0[place] == 0 { FlagMode::All } else { FlagMode::Any }
    }
    /// A time that is out of range is one that is too long.
    fn us(&self, place: usize) -> u32 {
        u32::try_from(self.0[place]).unwrap_or(u32::MAX)
    }
    fn timeout(&self, place: usize) -> Timeout {
        match self.0[place] {
            -1 => Timeout::Forever,
            0 => Timeout::Poll,
            _ => Timeout::After(self.us(place)),
        }
    }
}

fn tasks<P: Port>(k: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    let a = Arguments(call.arguments);
    Some(match call.function {
        Function::act_tsk => done(k.act_tsk(a.id(0))),
        Function::mact_tsk => done(k.mact_tsk(a.id(0), a.id(1))),
        Function::can_act => number(k.can_act(a.id(0))),
        Function::ext_tsk => done(k.ext_tsk().map(|_| ())),
        Function::ter_tsk => done(k.ter_tsk(a.id(0))),
        Function::mig_tsk => done(k.mig_tsk(a.id(0), a.id(1))),
        Function::chg_pri => done(k.chg_pri(a.id(0), a.id(1))),
        Function::get_pri => number(k.get_pri(a.id(0))),
        Function::rot_rdq => done(k.rot_rdq(a.id(0))),
        Function::mrot_rdq => done(k.mrot_rdq(a.id(0), a.id(1))),
        Function::slp_tsk => done(k.slp_tsk()),
        Function::tslp_tsk => done(k.tslp_tsk(a.timeout(0))),
        Function::wup_tsk => done(k.wup_tsk(a.id(0))),
        Function::can_wup => number(k.can_wup(a.id(0))),
        Function::rel_wai => done(k.rel_wai(a.id(0))),
        Function::dly_tsk => done(k.dly_tsk(a.us(0))),
        Function::sus_tsk => done(k.sus_tsk(a.id(0))),
        Function::rsm_tsk => done(k.rsm_tsk(a.id(0))),
        Function::ref_tsk => Answer::of(k.ref_tsk(a.id(0)), |status| {
            let wait = wait_code(status.wait);
            let asked_for = task_or_none(status.activation_processor);
            [
                // Of a task that runs on while it is suspended it tells the latter alone.
                if status.state == TaskState::RunningSuspended { 8 } else { state_code(status.state) },
                i64::from(status.priority),
                i64::from(status.base_priority),
                wait / 1000,
                wait % 1000,
                ticks(status.left_us),
                i64::from(status.activations),
                i64::from(status.wakeups),
                i64::from(status.processor),
                asked_for,
            ]
        }),
        _ => return None,
    })
}

fn system<P: Port>(k: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    let a = Arguments(call.arguments);
    Some(match call.function {
        Function::get_tid => number(k.get_tid()),
        Function::get_inf => Answer::of(k.get_inf(), |exinf| outs([exinf as i64])),
        Function::get_pid => number(k.get_pid()),
        Function::loc_cpu => done(k.loc_cpu()),
        Function::unl_cpu => done(k.unl_cpu()),
        Function::dis_dsp => done(k.dis_dsp()),
        Function::ena_dsp => done(k.ena_dsp()),
        Function::chg_ipm => done(k.chg_ipm(a.id(0))),
        Function::get_ipm => number(k.get_ipm()),
        Function::dis_int => done(k.dis_int(a.bits(0))),
        Function::ena_int => done(k.ena_int(a.bits(0))),
        Function::get_tim => Answer::of(k.get_tim(), |us| outs([(us / 1000) as i64])),
        Function::sns_ctx => said(k.sns_ctx()),
        Function::sns_loc => said(k.sns_loc()),
        Function::sns_dsp => said(k.sns_dsp()),
        Function::sns_dpn => said(k.sns_dpn()),
        Function::sns_ker => said(k.sns_ker()),
        Function::xsns_dpn => said(k.xsns_dpn()),
        Function::loc_spn => done(k.loc_spn(a.id(0))),
        Function::try_spn => done(k.try_spn(a.id(0))),
        Function::unl_spn => done(k.unl_spn(a.id(0))),
        Function::ref_spn => Answer::of(k.ref_spn(a.id(0)), |taken| outs([i64::from(taken)])),
        _ => return None,
    })
}

fn waits<P: Port>(k: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    let a = Arguments(call.arguments);
    Some(match call.function {
        Function::sig_sem => done(k.sig_sem(a.id(0))),
        Function::wai_sem => done(k.wai_sem(a.id(0))),
        Function::twai_sem => done(k.twai_sem(a.id(0), a.timeout(1))),
        Function::pol_sem => done(k.pol_sem(a.id(0))),
        Function::ini_sem => done(k.ini_sem(a.id(0))),
        Function::ref_sem => Answer::of(k.ref_sem(a.id(0)), |status| {
            outs([task_or_none(status.waiting), i64::from(status.count)])
        }),
        Function::set_flg => done(k.set_flg(a.id(0), a.bits(1))),
        Function::clr_flg => done(k.clr_flg(a.id(0), a.bits(1))),
        Function::wai_flg => number(k.wai_flg(a.id(0), a.bits(1), a.mode(2))),
        Function::twai_flg => number(k.twai_flg(a.id(0), a.bits(1), a.mode(2), a.timeout(4))),
        Function::pol_flg => number(k.pol_flg(a.id(0), a.bits(1), a.mode(2))),
        Function::ini_flg => done(k.ini_flg(a.id(0))),
        Function::ref_flg => Answer::of(k.ref_flg(a.id(0)), |status| {
            outs([task_or_none(status.waiting), i64::from(status.pattern)])
        }),
        _ => return None,
    })
}

fn queues<P: Port>(k: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    let a = Arguments(call.arguments);
    let word = |result: Result<usize>| Answer::of(result, |data| outs([data as i64]));
    let pair = |result: Result<(usize, i32)>| {
        Answer::of(result, |(data, priority)| outs([data as i64, i64::from(priority)]))
    };
    Some(match call.function {
        Function::snd_dtq => done(k.snd_dtq(a.id(0), a.word(1))),
        Function::tsnd_dtq => done(k.tsnd_dtq(a.id(0), a.word(1), a.timeout(2))),
        Function::psnd_dtq => done(k.psnd_dtq(a.id(0), a.word(1))),
        Function::fsnd_dtq => done(k.fsnd_dtq(a.id(0), a.word(1))),
        Function::rcv_dtq => word(k.rcv_dtq(a.id(0))),
        Function::trcv_dtq => word(k.trcv_dtq(a.id(0), a.timeout(2))),
        Function::prcv_dtq => word(k.prcv_dtq(a.id(0))),
        Function::ini_dtq => done(k.ini_dtq(a.id(0))),
        Function::ref_dtq => Answer::of(k.ref_dtq(a.id(0)), |status| {
            outs([task_or_none(status.sending), task_or_none(status.receiving), i64::from(status.count)])
        }),
        Function::snd_pdq => done(k.snd_pdq(a.id(0), a.word(1), a.id(2))),
        Function::tsnd_pdq => done(k.tsnd_pdq(a.id(0), a.word(1), a.id(2), a.timeout(3))),
        Function::psnd_pdq => done(k.psnd_pdq(a.id(0), a.word(1), a.id(2))),
        Function::rcv_pdq => pair(k.rcv_pdq(a.id(0))),
        Function::trcv_pdq => pair(k.trcv_pdq(a.id(0), a.timeout(3))),
        Function::prcv_pdq => pair(k.prcv_pdq(a.id(0))),
        Function::ini_pdq => done(k.ini_pdq(a.id(0))),
        Function::ref_pdq => Answer::of(k.ref_pdq(a.id(0)), |status| {
            outs([task_or_none(status.sending), task_or_none(status.receiving), i64::from(status.count)])
        }),
        _ => return None,
    })
}

fn pools_and_times<P: Port>(k: &'static Kernel<P>, call: &Call) -> Option<Answer> {
    let a = Arguments(call.arguments);
    let block =
        |result: Result<*mut u8>| Answer::of(result, |block| outs([block.expose_provenance() as i64]));
    let time = |result: Result<tokkyu_rtos::NotificationStatus>| {
        Answer::of(result, |status| {
            let started = i64::from(status.left_us.is_some());
            outs([started, ticks(status.left_us), i64::from(status.processor)])
        })
    };
    Some(match call.function {
        Function::get_mpf => block(k.get_mpf(a.id(0))),
        Function::tget_mpf => block(k.tget_mpf(a.id(0), a.timeout(2))),
        Function::pget_mpf => block(k.pget_mpf(a.id(0))),
        Function::rel_mpf => done(k.rel_mpf(a.id(0), core::ptr::with_exposed_provenance_mut(a.word(1)))),
        Function::ini_mpf => done(k.ini_mpf(a.id(0))),
        Function::ref_mpf => Answer::of(k.ref_mpf(a.id(0)), |status| {
            outs([task_or_none(status.waiting), i64::from(status.free)])
        }),
        Function::sta_cyc => done(k.sta_cyc(a.id(0))),
        Function::msta_cyc => done(k.msta_cyc(a.id(0), a.id(1))),
        Function::stp_cyc => done(k.stp_cyc(a.id(0))),
        Function::ref_cyc => time(k.ref_cyc(a.id(0))),
        Function::sta_alm => done(k.sta_alm(a.id(0), a.us(1))),
        Function::msta_alm => done(k.msta_alm(a.id(0), a.us(1), a.id(2))),
        Function::stp_alm => done(k.stp_alm(a.id(0))),
        Function::ref_alm => time(k.ref_alm(a.id(0))),
        _ => return None,
    })
}

/// An answer that is no answer of the specification's.
pub const NOT_A_CALL: Answer = Answer { code: Error::NotSupported.code(), out: [0; 10] };
