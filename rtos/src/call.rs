//! Which call it is, for who looks on (SPEC.md RTK-6).

macro_rules! calls {
    ($($variant:ident $name:literal),+ $(,)?) => {
        /// A service call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Call {
            $(#[doc = $name] $variant),+
        }

        impl Call {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Call] = &[$(Call::$variant),+];

            /// Its name in the specification.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Call::$variant => $name),+
                }
            }
        }
    };
}

calls! {
    ActTsk "act_tsk",
    MactTsk "mact_tsk",
    TerTsk "ter_tsk",
    RasTer "ras_ter",
    TslpTsk "tslp_tsk",
    WupTsk "wup_tsk",
    RelWai "rel_wai",
    DlyTsk "dly_tsk",
    SusTsk "sus_tsk",
    RsmTsk "rsm_tsk",
    ChgPri "chg_pri",
    MigTsk "mig_tsk",
    SigSem "sig_sem",
    TwaiSem "twai_sem",
    PolSem "pol_sem",
    SetFlg "set_flg",
    ClrFlg "clr_flg",
    TwaiFlg "twai_flg",
    PolFlg "pol_flg",
    TsndDtq "tsnd_dtq",
    PsndDtq "psnd_dtq",
    FsndDtq "fsnd_dtq",
    TrcvDtq "trcv_dtq",
    PrcvDtq "prcv_dtq",
    TsndPdq "tsnd_pdq",
    PsndPdq "psnd_pdq",
    TrcvPdq "trcv_pdq",
    PrcvPdq "prcv_pdq",
    TgetMpf "tget_mpf",
    PgetMpf "pget_mpf",
    RelMpf "rel_mpf",
    TlocMtx "tloc_mtx",
    PlocMtx "ploc_mtx",
    UnlMtx "unl_mtx",
}
