//! The calls, made of a static kernel.

/// Makes the functions of `kernel.h` of a static [`Kernel`](tokkyu_rtos::Kernel). Once in an image.
#[macro_export]
macro_rules! c_calls {
    ($kernel:path) => {
        $crate::plain! { $kernel;
            act_tsk(tskid: i32); mact_tsk(tskid: i32, prcid: i32); ter_tsk(tskid: i32); ras_ter(tskid: i32); dis_ter(); ena_ter();
            chg_pri(tskid: i32, tskpri: i32); mig_tsk(tskid: i32, prcid: i32);
            slp_tsk(); wup_tsk(tskid: i32); rel_wai(tskid: i32); sus_tsk(tskid: i32); rsm_tsk(tskid: i32); dly_tsk(dlytim: u32);
            sig_sem(semid: i32); wai_sem(semid: i32); pol_sem(semid: i32); ini_sem(semid: i32);
            set_flg(flgid: i32, setptn: u32); clr_flg(flgid: i32, clrptn: u32); ini_flg(flgid: i32);
            snd_dtq(dtqid: i32, data: usize); psnd_dtq(dtqid: i32, data: usize); fsnd_dtq(dtqid: i32, data: usize); ini_dtq(dtqid: i32);
            snd_pdq(pdqid: i32, data: usize, datapri: i32); psnd_pdq(pdqid: i32, data: usize, datapri: i32); ini_pdq(pdqid: i32);
            loc_mtx(mtxid: i32); ploc_mtx(mtxid: i32); unl_mtx(mtxid: i32); ini_mtx(mtxid: i32);
            rel_mpf(mpfid: i32, blk: *mut u8); ini_mpf(mpfid: i32);
            loc_spn(spnid: i32); try_spn(spnid: i32); unl_spn(spnid: i32);
            sta_cyc(cycid: i32); msta_cyc(cycid: i32, prcid: i32); stp_cyc(cycid: i32);
            sta_alm(almid: i32, almtim: u32); msta_alm(almid: i32, almtim: u32, prcid: i32); stp_alm(almid: i32);
            sta_ovr(tskid: i32, ovrtim: u32); stp_ovr(tskid: i32);
            rot_rdq(tskpri: i32); mrot_rdq(tskpri: i32, prcid: i32);
            loc_cpu(); unl_cpu(); dis_dsp(); ena_dsp(); chg_ipm(intpri: i32);
            dis_int(intno: u32); ena_int(intno: u32); clr_int(intno: u32); ras_int(intno: u32);
        }
        $crate::timed! { $kernel;
            tslp_tsk(); twai_sem(semid: i32); tsnd_dtq(dtqid: i32, data: usize); tsnd_pdq(pdqid: i32, data: usize, datapri: i32);
            tloc_mtx(mtxid: i32);
        }
        $crate::told! { $kernel;
            get_tid() -> i32 as |id| id; get_pid() -> i32 as |id| id; get_pri(tskid: i32) -> i32 as |priority| priority;
            get_inf() -> usize as |exinf| exinf; get_ipm() -> i32 as |mask| mask; get_tim() -> u64 as |us| us;
            rcv_dtq(dtqid: i32) -> usize as |data| data; prcv_dtq(dtqid: i32) -> usize as |data| data;
            get_mpf(mpfid: i32) -> *mut u8 as |block| block; pget_mpf(mpfid: i32) -> *mut u8 as |block| block;
            ref_tsk(tskid: i32) -> $crate::T_RTSK as $crate::Packet::of; ref_sem(semid: i32) -> $crate::T_RSEM as $crate::Packet::of;
            ref_flg(flgid: i32) -> $crate::T_RFLG as $crate::Packet::of; ref_dtq(dtqid: i32) -> $crate::T_RDTQ as $crate::Packet::of;
            ref_pdq(pdqid: i32) -> $crate::T_RPDQ as $crate::Packet::of; ref_mtx(mtxid: i32) -> $crate::T_RMTX as $crate::Packet::of;
            ref_mpf(mpfid: i32) -> $crate::T_RMPF as $crate::Packet::of; ref_cyc(cycid: i32) -> $crate::T_RCYC as $crate::Packet::of;
            ref_alm(almid: i32) -> $crate::T_RALM as $crate::Packet::of; ref_ovr(tskid: i32) -> $crate::T_ROVR as $crate::Packet::of;
            ref_spn(spnid: i32) -> $crate::T_RSPN as $crate::Packet::of;
        }
        $crate::told_in_time! { $kernel; trcv_dtq(dtqid: i32) -> usize; tget_mpf(mpfid: i32) -> *mut u8; }
        $crate::counted! { $kernel; can_act(tskid: i32); can_wup(tskid: i32); }
        $crate::sensed! { $kernel; sns_ctx, sns_loc, sns_dsp, sns_dpn, sns_ker, sns_ter }

        #[unsafe(no_mangle)]
        extern "C" fn prb_int(intno: u32) -> i32 {
            $crate::bool_or_error($kernel.prb_int(intno))
        }

        #[unsafe(no_mangle)]
        extern "C" fn ext_tsk() -> i32 {
            match $kernel.ext_tsk() {
                Ok(never) => match never {},
                Err(error) => error.code(),
            }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn wai_flg(flgid: i32, waiptn: u32, wfmode: u32, p_flgptn: *mut u32) -> i32 {
            let answer = $crate::flag_mode(wfmode).and_then(|mode| $kernel.wai_flg(flgid, waiptn, mode));
            unsafe { $crate::store(answer, p_flgptn, |pattern| pattern) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn pol_flg(flgid: i32, waiptn: u32, wfmode: u32, p_flgptn: *mut u32) -> i32 {
            let answer = $crate::flag_mode(wfmode).and_then(|mode| $kernel.pol_flg(flgid, waiptn, mode));
            unsafe { $crate::store(answer, p_flgptn, |pattern| pattern) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn twai_flg(flgid: i32, waiptn: u32, wfmode: u32, p_flgptn: *mut u32, tmout: u32) -> i32 {
            let wait = |mode| $kernel.twai_flg(flgid, waiptn, mode, $crate::timeout(tmout));
            unsafe { $crate::store($crate::flag_mode(wfmode).and_then(wait), p_flgptn, |pattern| pattern) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn rcv_pdq(pdqid: i32, p_data: *mut usize, p_datapri: *mut i32) -> i32 {
            unsafe { $crate::store_both($kernel.rcv_pdq(pdqid), p_data, p_datapri) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn prcv_pdq(pdqid: i32, p_data: *mut usize, p_datapri: *mut i32) -> i32 {
            unsafe { $crate::store_both($kernel.prcv_pdq(pdqid), p_data, p_datapri) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn trcv_pdq(pdqid: i32, p_data: *mut usize, p_datapri: *mut i32, tmout: u32) -> i32 {
            unsafe { $crate::store_both($kernel.trcv_pdq(pdqid, $crate::timeout(tmout)), p_data, p_datapri) }
        }
    };
}

/// Calls that answer `E_OK` or an error.
#[doc(hidden)]
#[macro_export]
macro_rules! plain {
    ($kernel:path; $($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> i32 {
                $crate::er($kernel.$name($($argument),*))
            }
        )*
    };
}

/// The same with a time limit behind.
#[doc(hidden)]
#[macro_export]
macro_rules! timed {
    ($kernel:path; $($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type,)* tmout: u32) -> i32 {
                $crate::er($kernel.$name($($argument,)* $crate::timeout(tmout)))
            }
        )*
    };
}

/// Calls that tell something.
#[doc(hidden)]
#[macro_export]
macro_rules! told {
    ($kernel:path; $($name:ident($($argument:ident: $type:ty),*) -> $told:ty as $as_c:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type,)* told: *mut $told) -> i32 {
                unsafe { $crate::store($kernel.$name($($argument),*), told, $as_c) }
            }
        )*
    };
}

/// The same with a time limit behind.
#[doc(hidden)]
#[macro_export]
macro_rules! told_in_time {
    ($kernel:path; $($name:ident($($argument:ident: $type:ty),*) -> $told:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type,)* told: *mut $told, tmout: u32) -> i32 {
                let answer = $kernel.$name($($argument,)* $crate::timeout(tmout));
                unsafe { $crate::store(answer, told, |told| told) }
            }
        )*
    };
}

/// Calls that answer a count.
#[doc(hidden)]
#[macro_export]
macro_rules! counted {
    ($kernel:path; $($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> i32 {
                $crate::value($kernel.$name($($argument),*))
            }
        )*
    };
}

/// Calls that answer yes or no, and never fail.
#[doc(hidden)]
#[macro_export]
macro_rules! sensed {
    ($kernel:path; $($name:ident),*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> bool {
                $kernel.$name()
            }
        )*
    };
}
