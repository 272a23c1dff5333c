//! The runner of scenarios itself, on sheets of our own: what is right passes, and what is not is found, whatever it is.

use tokkyu_ttsp::compile::{Compiled, compile};
use tokkyu_ttsp::hosted::play;

const SEMAPHORE: &str = include_str!("sheets/pass_on_a_semaphore.yaml");
const MOVE: &str = include_str!("sheets/move_with_a_time.yaml");

fn played(text: &str) -> Result<(), String> {
    match compile(text)? {
        Compiled::Plan(plan) => play(*plan),
        Compiled::Excluded(reason) => panic!("excluded: {reason}"),
    }
}

#[test]
fn what_is_as_the_sheet_says_passes() {
    for sheet in [SEMAPHORE, MOVE] {
        assert_eq!(played(sheet), Ok(()));
    }
}

/// Each is one line of a sheet, made wrong; the runner has to find it.
#[test]
fn each_statement_that_is_made_wrong_is_found() {
    for (sheet, right, wrong) in [
        (SEMAPHORE, "    ercd   : E_OK", "    ercd   : E_CTX"),
        (SEMAPHORE, "    ercd   : E_OBJ", "    ercd   : E_OK"),
        (SEMAPHORE, "    TASK3:\n      tskstat: ready", "    TASK3:\n      tskstat: running"),
        (SEMAPHORE, "      wtsklist:\n        - TASK1:\n  do_1", "      wtsklist:\n  do_1"),
        (SEMAPHORE, "      tskpri : TSK_PRI_HIGH\n", "      tskpri : TSK_PRI_LOW\n"),
        (SEMAPHORE, "      hdlstat: ACTIVATE", "      hdlstat: STP"),
        (MOVE, "        prcid  : PRC_OTHER\n    RELATIVE", "        prcid  : PRC_SELF\n    RELATIVE"),
        (MOVE, "    RELATIVE_TIME_A+1:\n", "    RELATIVE_TIME_A:\n"),
        (MOVE, "        dis_dsp: false", "        dis_dsp: true"),
        (MOVE, "      actcnt : 1\n", "      actcnt : 1\n      wupcnt : 1\n      lefttmo: 7\n"),
    ] {
        assert!(sheet.contains(right), "{right}");
        let changed = sheet.replace(right, wrong);
        assert!(played(&changed).is_err(), "not found: {wrong}");
    }
}

#[test]
fn a_call_that_does_not_come_back_is_found() {
    let sheet = SEMAPHORE.replace("ter_tsk(TASK1)\n    ercd   : E_OBJ", "loc_spn(SPN1)\n    ercd   : E_OK");
    let sheet = sheet.replace(
        "    ALM1:\n      type",
        "    SPN1:\n      type   : SPINLOCK\n      spnstat: TSPN_UNL\n    ALM1:\n      type",
    );
    assert_eq!(
        played(&sheet.replace(
            "post_condition_1:",
            "post_condition_1:\n    SPN1:\n      spnstat: TSPN_LOC\n      procid: TASK2"
        )),
        Ok(())
    );
    // Nobody gives it back, and it is asked for twice.
    let twice = sheet
        + "  do_2:\n    id     : TASK2\n    syscall: loc_spn(SPN1)\n    ercd   : E_OK\n  post_condition_2:\n";
    assert!(played(&twice).is_err());
}

#[test]
fn what_this_kernel_has_not_is_excluded_with_its_reason() {
    for (part, words) in [
        ("    ALM1:\n      type   : MAILBOX\n", "mailboxes"),
        ("    TEX1:\n      type   : TASK_EXC\n      texstat: TTEX_ENA\n", "task exceptions"),
    ] {
        let sheet = format!(
            "X:\n  pre_condition:\n{part}  do:\n    id: TASK1\n    syscall: slp_tsk()\n  post_condition:\n"
        );
        match compile(&sheet) {
            Ok(Compiled::Excluded(reason)) => assert!(reason.contains(words), "{reason}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn routines_are_run_and_what_they_answer_is_compared() {
    for (kind, told) in [("INIRTN", "beginning"), ("TERRTN", "end")] {
        let routine = format!(
            "    RTN1:\n      type   : {kind}\n      do:\n        syscall: sns_ker()\n        bool: true\n"
        );
        let sheet = SEMAPHORE.replace("    ALM1:\n      type", &(routine + "    ALM1:\n      type"));
        assert_eq!(played(&sheet), Ok(()));
        let error = played(&sheet.replace("bool: true", "bool: false")).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn what_is_not_understood_says_what() {
    for (right, wrong, words) in [
        ("isig_sem", "give_back", "give_back"),
        ("E_OK", "E_FUN", "E_FUN"),
        ("tskstat: ready", "tskstat: asleep", "asleep"),
        ("RELATIVE_TIME_A", "SOON", "SOON"),
        ("prcid  : PRC_SELF", "prcid  : 9", "prcid is 9"),
        ("type   : ALARM", "type   : CLOCK", "CLOCK"),
        ("wobjid : SEM1", "waits  : SEM1", "TASK1.waits"),
    ] {
        let error = compile(&SEMAPHORE.replace(right, wrong)).map(|_| ()).unwrap_err();
        assert!(error.contains(words), "{wrong}: {error}");
    }
}
