/* Calls of tokkyu's real-time kernel, as the TOPPERS third-generation specification has them (FMP3). rtos/SPEC.md says what each does, and which
 * errors it answers; rtos/c/SPEC.md what is C's. Times are microseconds. */
#ifndef TOKKYU_KERNEL_H
#define TOKKYU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef bool bool_t;
typedef unsigned int uint_t;
typedef int ER;       /* E_OK or an error */
typedef int ER_UINT;  /* a value that is not negative, or an error */
typedef int ER_BOOL;  /* 0, 1, or an error */
typedef int ID;       /* of an object, from 1 */
typedef uint_t ATR;
typedef uint_t STAT;
typedef uint_t MODE;
typedef int PRI;      /* 1, the most urgent, to 16; of interrupts -31 to -1 */
typedef uint_t TMO;   /* a time limit, TMO_POL or TMO_FEVR */
typedef uint32_t RELTIM;
typedef uint32_t PRCTIM;
typedef uint64_t SYSTIM;
typedef uint32_t FLGPTN;
typedef uint_t INTNO;
typedef intptr_t EXINF;

enum {
    E_OK = 0,
    E_NOSPT = -9,    /* not supported */
    E_PAR = -17,     /* an argument is out of its range */
    E_ID = -18,      /* no such object */
    E_CTX = -25,     /* not to be called from here */
    E_ILUSE = -28,   /* not to be used so */
    E_OBJ = -41,     /* the object's state does not allow it */
    E_QOVR = -43,    /* one is queued already */
    E_RLWAI = -49,   /* the wait was ended */
    E_TMOUT = -50,   /* in vain for so long */
    E_DLT = -51,     /* the object was made anew */
    E_RASTER = -53   /* the task is asked to end */
};

#define TMO_POL ((TMO)0)
#define TMO_FEVR ((TMO)-1)
#define TMAX_RELTIM ((RELTIM)4000000000U)

#define TSK_SELF 0  /* the caller */
#define TSK_NONE 0
#define TPRI_SELF 0 /* the caller's own priority */
#define TPRI_INI 0  /* that which a task begins with */
#define TPRC_INI 0  /* the processor that was declared */
#define TMIN_TPRI 1
#define TMAX_TPRI 16
#define TMIN_INTPRI (-31)
#define TIPM_ENAALL 0

#define TWF_ORW 0x01U
#define TWF_ANDW 0x02U

/* ---- tasks ---- */

enum { TTS_RUN = 0x01, TTS_RDY = 0x02, TTS_WAI = 0x04, TTS_SUS = 0x08, TTS_RUS = 0x09, TTS_WAS = 0x0c, TTS_DMT = 0x10 };
enum {
    TTW_SLP = 0x0001, TTW_DLY = 0x0002, TTW_SEM = 0x0004, TTW_FLG = 0x0008, TTW_SDTQ = 0x0010, TTW_RDTQ = 0x0020, TTW_MTX = 0x0080,
    TTW_SPDQ = 0x0100, TTW_RPDQ = 0x0200, TTW_MPF = 0x2000
};

typedef struct {
    STAT tskstat;
    PRI tskpri, tskbpri;
    STAT tskwait; /* TTW_…; 0: it does not wait */
    ID wobjid;
    TMO lefttmo;
    uint_t actcnt, wupcnt;
    bool_t raster, dister;
    ID prcid;
    ID actprc;
} T_RTSK;

ER act_tsk(ID tskid);
ER mact_tsk(ID tskid, ID prcid);
ER_UINT can_act(ID tskid);
ER ext_tsk(void);
ER ter_tsk(ID tskid);
ER ras_ter(ID tskid);
ER dis_ter(void);
ER ena_ter(void);
bool_t sns_ter(void);
ER chg_pri(ID tskid, PRI tskpri);
ER get_pri(ID tskid, PRI *p_tskpri);
ER get_inf(EXINF *p_exinf);
ER mig_tsk(ID tskid, ID prcid);
ER ref_tsk(ID tskid, T_RTSK *pk_rtsk);

ER slp_tsk(void);
ER tslp_tsk(TMO tmout);
ER wup_tsk(ID tskid);
ER_UINT can_wup(ID tskid);
ER rel_wai(ID tskid);
ER sus_tsk(ID tskid);
ER rsm_tsk(ID tskid);
ER dly_tsk(RELTIM dlytim);

/* ---- what tasks wait for ---- */

typedef struct { ID wtskid; uint_t semcnt; } T_RSEM;
ER sig_sem(ID semid);
ER wai_sem(ID semid);
ER pol_sem(ID semid);
ER twai_sem(ID semid, TMO tmout);
ER ini_sem(ID semid);
ER ref_sem(ID semid, T_RSEM *pk_rsem);

typedef struct { ID wtskid; FLGPTN flgptn; } T_RFLG;
ER set_flg(ID flgid, FLGPTN setptn);
ER clr_flg(ID flgid, FLGPTN clrptn);
ER wai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn);
ER pol_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn);
ER twai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn, TMO tmout);
ER ini_flg(ID flgid);
ER ref_flg(ID flgid, T_RFLG *pk_rflg);

typedef struct { ID stskid, rtskid; uint_t sdtqcnt; } T_RDTQ;
ER snd_dtq(ID dtqid, intptr_t data);
ER psnd_dtq(ID dtqid, intptr_t data);
ER tsnd_dtq(ID dtqid, intptr_t data, TMO tmout);
ER fsnd_dtq(ID dtqid, intptr_t data);
ER rcv_dtq(ID dtqid, intptr_t *p_data);
ER prcv_dtq(ID dtqid, intptr_t *p_data);
ER trcv_dtq(ID dtqid, intptr_t *p_data, TMO tmout);
ER ini_dtq(ID dtqid);
ER ref_dtq(ID dtqid, T_RDTQ *pk_rdtq);

typedef struct { ID stskid, rtskid; uint_t spdqcnt; } T_RPDQ;
ER snd_pdq(ID pdqid, intptr_t data, PRI datapri);
ER psnd_pdq(ID pdqid, intptr_t data, PRI datapri);
ER tsnd_pdq(ID pdqid, intptr_t data, PRI datapri, TMO tmout);
ER rcv_pdq(ID pdqid, intptr_t *p_data, PRI *p_datapri);
ER prcv_pdq(ID pdqid, intptr_t *p_data, PRI *p_datapri);
ER trcv_pdq(ID pdqid, intptr_t *p_data, PRI *p_datapri, TMO tmout);
ER ini_pdq(ID pdqid);
ER ref_pdq(ID pdqid, T_RPDQ *pk_rpdq);

typedef struct { ID htskid, wtskid; } T_RMTX;
ER loc_mtx(ID mtxid);
ER ploc_mtx(ID mtxid);
ER tloc_mtx(ID mtxid, TMO tmout);
ER unl_mtx(ID mtxid);
ER ini_mtx(ID mtxid);
ER ref_mtx(ID mtxid, T_RMTX *pk_rmtx);

typedef struct { ID wtskid; uint_t fblkcnt; } T_RMPF;
ER get_mpf(ID mpfid, void **p_blk);
ER pget_mpf(ID mpfid, void **p_blk);
ER tget_mpf(ID mpfid, void **p_blk, TMO tmout);
ER rel_mpf(ID mpfid, void *blk);
ER ini_mpf(ID mpfid);
ER ref_mpf(ID mpfid, T_RMPF *pk_rmpf);

/* spnstat: whether somebody has it */
typedef struct { STAT spnstat; } T_RSPN;
ER loc_spn(ID spnid);
ER try_spn(ID spnid);
ER unl_spn(ID spnid);
ER ref_spn(ID spnid, T_RSPN *pk_rspn);

/* ---- time ---- */

/* cycstat, almstat, ovrstat: 1: it is set off */
typedef struct { STAT cycstat; RELTIM lefttim; ID prcid; } T_RCYC;
typedef struct { STAT almstat; RELTIM lefttim; ID prcid; } T_RALM;
typedef struct { STAT ovrstat; PRCTIM leftotm; } T_ROVR;
ER get_tim(SYSTIM *p_systim);
ER sta_cyc(ID cycid);
ER msta_cyc(ID cycid, ID prcid);
ER stp_cyc(ID cycid);
ER ref_cyc(ID cycid, T_RCYC *pk_rcyc);
ER sta_alm(ID almid, RELTIM almtim);
ER msta_alm(ID almid, RELTIM almtim, ID prcid);
ER stp_alm(ID almid);
ER ref_alm(ID almid, T_RALM *pk_ralm);
ER sta_ovr(ID tskid, PRCTIM ovrtim);
ER stp_ovr(ID tskid);
ER ref_ovr(ID tskid, T_ROVR *pk_rovr);

/* ---- the system, and this processor ---- */

ER get_tid(ID *p_tskid);
ER get_pid(ID *p_prcid);
ER rot_rdq(PRI tskpri);
ER mrot_rdq(PRI tskpri, ID prcid);
ER loc_cpu(void);
ER unl_cpu(void);
ER dis_dsp(void);
ER ena_dsp(void);
ER chg_ipm(PRI intpri);
ER get_ipm(PRI *p_intpri);
bool_t sns_ctx(void);
bool_t sns_loc(void);
bool_t sns_dsp(void);
bool_t sns_dpn(void);
bool_t sns_ker(void);
ER dis_int(INTNO intno);
ER ena_int(INTNO intno);
ER clr_int(INTNO intno);
ER ras_int(INTNO intno);
ER_BOOL prb_int(INTNO intno);

/* Ends the system: termination routines are called, and the machine stops. Does not return. */
ER ext_ker(void);

/* tokkyu's own: words to the console. */
void tokkyu_write(const char *text);

#ifdef __cplusplus
}
#endif

#endif
