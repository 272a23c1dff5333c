//! Configurations, right and wrong (rtos/c/SPEC.md RTC-10 to RTC-14).

use tokkyu_rtos_configure::{Problem, header, read, rust};

const WHOLE: &str = r"
/* Two processors. */
PROCESSORS(2);
CLASS(CLS_PRC1) {
    CRE_TSK(MAIN, { TA_ACT, 7, main_task, 10, 5000, NULL });
    CRE_CYC(EVERY, { TA_STA, { TNFY_HANDLER, 0, every }, 1000, 0 });
    CFG_INT(40, { TA_ENAINT, -8 });
    DEF_INH(40, { TA_NULL, line });
    CFG_INT(41, { TA_NULL, -8 });
    DEF_INH(41, { TA_NULL, line });
}
CLASS(CLS_ALL_PRC2) {
    CRE_TSK(OTHER, { TA_NULL, 0x10UL, other_task, 5, 4096, NULL }); // may be moved
}
CRE_SEM(FREE, { TA_TPRI, 1, 2 });
CRE_SEM(USED, { TA_NULL, 0, 2 });
CRE_FLG(FLAG, { TA_WMUL | TA_CLR, 0x3 });
CRE_DTQ(QUEUE, { TA_NULL, 4, NULL });
CRE_PDQ(URGENT, { TA_TPRI, 4, 8, NULL });
CRE_MTX(LOCK, { TA_INHERIT, 0 });
CRE_MTX(CEILING, { TA_CEILING, 3 });
CRE_MPF(POOL, { TA_NULL, 8, 20, NULL, NULL });
CRE_SPN(SPIN, { TA_NULL });
CRE_ALM(LATER, { TA_NULL, { TNFY_HANDLER, 0, later } });
DEF_OVR({ TA_NULL, overrun });
ATT_INI({ TA_NULL, 1, begin });
ATT_TER({ TA_NULL, 2, end });
";

#[test]
fn a_whole_configuration_has_numbers_by_kind_and_a_program() {
    let system = read("app.cfg", WHOLE).expect("it is right");
    let header = header(&system);
    for line in
        ["MAIN 1", "OTHER 2", "FREE 1", "USED 2", "CEILING 2", "TNUM_TSKID 2", "TNUM_SEMID 2", "TNUM_PRCID 2"]
    {
        assert!(header.contains(&format!("#define {line}\n")), "{line}: {header}");
    }
    let rust = rust(&system);
    for part in [
        "Stack<8192>",
        "priority: 10, processor: 1, may_move_to: 1, active: true, exinf: 7",
        "priority: 5, processor: 2, may_move_to: 3, active: false, exinf: 16",
        "Semaphore::new(1, 2, true)",
        "initial: 3, many_may_wait: true, clear: true, by_priority: false",
        "Protocol::Inheritance",
        "Protocol::Ceiling(3)",
        "Blocks<256>",
        "overrun: true",
        "number: 40, processor: 1, priority: -8, enabled: true",
        "period_us: 1000, phase_us: 0, started: true",
        "unsafe { r#begin(1) }",
    ] {
        assert!(rust.contains(part), "{part}: {rust}");
    }
    assert_eq!(rust.matches("fn r#line();").count(), 1, "a handler of two lines is one function");
}

/// The line and the words of what is wrong.
fn wrong(text: &str) -> (usize, String) {
    let error = read("app.cfg", text).expect_err(text);
    assert_eq!(error.file, "app.cfg");
    (error.line, error.problem.to_string())
}

#[test]
fn what_is_wrong_is_told_with_line_and_remedy() {
    let cases = [
        ("\nCRE_TASK(A, 1);", 2, "CRE_TSK"),
        ("CRE_SEM(A, { TA_NULL, 1 });", 1, "(ID, { sematr, isemcnt, maxsem })"),
        ("CRE_SEM(A, { TA_NULL, 3, 2 });", 1, "isemcnt is \"3\"; it is to be a whole number from 0 to 2"),
        ("CRE_SEM(A, { TA_WMUL, 1, 2 });", 1, "TA_TPRI"),
        ("CRE_SEM(A, { TA_NULL, 1, 2 });\nCRE_SPN(A, { TA_NULL });", 2, "declared in line 1"),
        ("CRE_TSK(A, { TA_ACT, 0, a, 17, 4096, NULL });", 1, "from 1 to 16"),
        ("CRE_TSK(A, { TA_ACT, 0, a, 1, 4096, stack });", 1, "NULL"),
        ("CRE_TSK(1A, { TA_ACT, 0, a, 1, 4096, NULL });", 1, "a name of C"),
        ("CLASS(CLS_PRC2) {\nCRE_SPN(A, { TA_NULL });\n}", 2, "from 1 to 1"),
        ("CLASS(CLS_PRC1) { CRE_SPN(A, { TA_NULL });", 1, "} of a class"),
        ("PROCESSORS(9);", 1, "from 1 to 8"),
        ("CFG_INT(40, { TA_NULL, -8 });", 1, "DEF_INH(40"),
        ("DEF_INH(40, { TA_NULL, f });", 1, "CFG_INT(40"),
        ("CFG_INT(40, { TA_NULL, 0 });", 1, "from -31 to -1"),
        ("CFG_INT(27, { TA_NULL, -8 });", 1, "the kernel's timer"),
        ("CFG_INT(40, { TA_EDGE, -8 });", 1, "TA_ENAINT"),
        ("CRE_TSK(A, { TA_ACT, 0, crate, 1, 4096, NULL });", 1, "a name of C"),
        (
            "CFG_INT(40, { TA_NULL, -8 });\nDEF_INH(40, { TA_NULL, f });\nATT_INI({ TA_NULL, 0, f });",
            2,
            "another name",
        ),
        ("DEF_OVR({ TA_NULL, f });\nATT_INI({ TA_NULL, 0, f });", 1, "another name"),
        ("CFG_INT(3, { TA_NULL, -8 });", 1, "from 16 to 1019"),
        ("CRE_MTX(A, { TA_CEILING | TA_INHERIT, 1 });", 1, "not both"),
        ("CRE_MTX(A, { TA_NULL, 4 });", 1, "from 0 to 0"),
        ("CRE_CYC(A, { TA_STA, { TNFY_ACTTSK, 0, a }, 10, 0 });", 1, "TNFY_HANDLER"),
        ("CRE_SPN(A, { TA_NULL })", 1, "; behind a statement"),
        ("CRE_SPN(A { TA_NULL });", 1, ", or the end"),
        ("/* for ever", 1, "a comment that ends"),
        ("CRE_SPN(A, { TA_NULL | });", 1, "an attribute behind |"),
    ];
    for (text, line, words) in cases {
        let (at, said) = wrong(text);
        assert!(at == line && said.contains(words), "{text}: {at}: {said}");
    }
}

#[test]
fn the_first_half_of_a_line_is_named_once_and_deep_groups_are_refused() {
    let (_, said) = wrong("CFG_INT(40, { TA_NULL, -8 });\nCFG_INT(40, { TA_NULL, -8 });");
    assert!(said.contains("declared in line 1"), "{said}");
    let deep = format!("CRE_SPN(A, {});", "{".repeat(10_000));
    assert!(matches!(read("a", &deep).expect_err("deep").problem, Problem::Syntax { .. }));
}
