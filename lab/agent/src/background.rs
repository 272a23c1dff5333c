//! `agent lbe ...`: what `tokkyu lbe` does, on a board, where there is no room for all of tokkyu.

use std::ffi::OsString;

use tokkyu_lbe::{
    CheckOutcome, Job, Owner, Records, Wanted, Way, send_packets, start, status, tune, untune, verify,
};

/// Carries a command out.
pub fn run(words: &[&str]) -> Result<(), String> {
    let records = Records::here();
    let text = |error: &dyn std::fmt::Display| error.to_string();
    match words {
        ["run", device, program, arguments @ ..] => in_background(device, program, arguments),
        ["tune", device] => {
            let tuned =
                tune(device, &Wanted::default(), Owner::Tune, &records).map_err(|error| text(&error))?;
            println!("{}", tuned.way.as_str());
            Ok(())
        }
        ["untune", device] => untune(device, &records).map_err(|error| text(&error)),
        ["status"] => {
            let found = status(&records).map_err(|error| text(&error))?;
            println!("{}", serde_json::to_string(&found).map_err(|error| text(&error))?);
            Ok(())
        }
        ["verify", way @ ("module" | "htb")] => looked_at(if *way == "htb" { Way::Htb } else { Way::Module }),
        ["send"] => send_packets().map_err(|error| text(&error)),
        _ => Err(format!("lbe {}: run, tune, untune, status, verify or send", words.join(" "))),
    }
}

fn in_background(device: &str, program: &str, arguments: &[&str]) -> Result<(), String> {
    let job = Job {
        program: program.into(),
        arguments: arguments.iter().map(OsString::from).collect(),
        user: None,
        devices: vec![device.to_owned()],
        wanted: Wanted::default(),
    };
    let mut say = |line: &str| println!("{line}");
    let running = start(&job, &mut say).map_err(|error| error.to_string())?;
    let ended = running.wait(&|| false, &mut say).map_err(|error| error.to_string())?;
    ended.notes.iter().for_each(|note| println!("{note}"));
    match ended.code {
        0 => Ok(()),
        code => Err(format!("{program} ended with {code}")),
    }
}

fn looked_at(way: Way) -> Result<(), String> {
    let sender = ["/bin/agent", "lbe", "send"].map(OsString::from).to_vec();
    let checks = verify(Some(way), sender)?;
    for check in &checks {
        println!("{:?}: {}: {}", check.outcome, check.what, check.seen);
    }
    match checks.iter().all(|check| check.outcome == CheckOutcome::Good) {
        true => Ok(()),
        false => Err("not everything is as promised".to_owned()),
    }
}
