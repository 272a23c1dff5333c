//! `tokkyu lbe` with the module: the user's side, as the agent calls it.
use tokkyu_lab::board::pair::{modprobe, run, sleep, start};
use tokkyu_lab::board::{Clock, Step};

use crate::scene::{FAST, on_each_kernel, ran, show, shown, taker, told, wait};

/// LBE-120, both ways, on one processor and on two.
#[test]
fn what_is_promised_happens() {
    for clock in [Clock::Counted, Clock::Host { processors: 2 }] {
        let mut steps = ["veth", "sch_htb", "cls_u32"].map(modprobe).to_vec();
        steps.extend([run("module", "agent lbe verify module"), run("htb", "agent lbe verify htb")]);
        on_each_kernel(FAST, clock, &steps, |outcome| {
            let (code, output, errors) = ran(outcome, "module");
            assert_eq!(code, 0, "{output} {errors}");
            assert!(output.contains("held, and out after") && !output.contains("Skipped"), "{output}");
            let (_, output, errors) = ran(outcome, "htb");
            assert_eq!(output.matches("Good").count(), 4, "{output} {errors}");
        });
    }
}

/// By the other end's address and port, and the state behind them.
fn established() -> Step {
    let argv = ["agent", "await", "/proc/net/tcp", "0200000A:0051 01"].map(str::to_owned).to_vec();
    Step::Run { name: "established".to_owned(), argv, must: true }
}

/// LBE-90 to 94: while the program runs the device holds it back, and its packets alone; afterwards all is as before.
#[test]
fn a_device_holds_a_program_back_while_it_runs() {
    let steps = [
        taker(),
        vec![
            show("before"),
            start("upload", "agent lbe run vmac0 agent give 10.0.0.2:81 3000000 1", false),
            // That its connection stands, state 01: a kernel that is still busy with its start leaves it no time before.
            established(),
            sleep(500),
            show("during"),
            run("status", "agent lbe status"),
            wait("upload"),
            show("after"),
            run("status after", "agent lbe status"),
            run("no such", "agent lbe run vmac0 nothing-of-this-name"),
        ],
    ]
    .concat();
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        let kind = |name: &str| shown(outcome, name)["kind"].clone();
        assert_eq!((kind("during"), kind("after")), ("lbe".into(), kind("before")));
        let status = told(outcome, "status");
        let device = &status["devices"][0];
        assert_eq!(
            (&device["name"], &device["way"], &device["by"]),
            (&"vmac0".into(), &"module".into(), &"run".into())
        );
        let packets = |band: &str| device[band]["packets"].as_u64().unwrap();
        assert!(packets("background") > 100 && packets("foreground") <= 10, "{device}");
        let program = &status["programs"][0];
        assert_eq!(program["name"], "agent");
        assert!(program["group"].as_str().unwrap().contains("/tokkyu-lbe/net-"), "{program}");
        assert_eq!(told(outcome, "upload")["answer"], "right");
        assert_eq!(told(outcome, "status after")["programs"], serde_json::json!([]));
        let (code, _, errors) = ran(outcome, "no such");
        assert!(code != 0 && errors.contains("nothing-of-this-name: no such program"), "{errors}");
    });
}
