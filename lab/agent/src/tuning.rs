//! `agent tune ...`: what `tokkyu tune` does, on a board, where there is no room for all of tokkyu. Prints JSON.

use serde::Serialize;
use tokkyu_tune::{
    Goal, Journals, Knob, Setting, StepName, Values, Wish, apply, find, repair, revert, status,
};

/// Carries a command out.
pub fn run(words: &[&str]) -> Result<(), String> {
    let journals = Journals::here();
    match words {
        ["plan", device, options @ ..] => print(&find(device, &wish(options)?).map_err(text)?),
        ["apply", device, options @ ..] => {
            let finding = find(device, &wish(options)?).map_err(text)?;
            print(&apply(&finding, &journals).map_err(text)?)
        }
        ["coalesce", device, words @ ..] => {
            Setting::Coalescing { device: (*device).to_owned() }.write(&words.join(" ")).map_err(text)
        }
        ["napi", device, value] => give_each_napi(device, value),
        ["status", device] => print(&status(device, &journals).map_err(text)?),
        ["repair", device] => print(&repair(device, &journals).map_err(text)?),
        ["revert", device] => print(&revert(device, &journals).map_err(text)?),
        _ => Err(format!("tune {}: plan, apply, status, repair or revert, and a device", words.join(" "))),
    }
}

/// As a program does that looks after its own queue: a timer of its own for each NAPI, in place of the device's.
fn give_each_napi(device: &str, flush_ns: &str) -> Result<(), String> {
    let flush_ns: u64 = flush_ns.parse().map_err(text)?;
    let knob = Knob::GroFlushTimeout;
    let each = knob.of_each(device).map_err(text)?;
    if each.is_empty() {
        return Err(format!("{device}: this kernel tells of no NAPI"));
    }
    let setting = Setting::Napi { device: device.to_owned(), knob };
    let now: Values = setting.read().map_err(text)?.parse()?;
    let own = each.into_iter().map(|(id, _)| (id, flush_ns)).collect();
    setting.write(&Values { device: now.device, own }.to_string()).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn print(told: &impl Serialize) -> Result<(), String> {
    println!("{}", serde_json::to_string(told).map_err(text)?);
    Ok(())
}

fn wish(options: &[&str]) -> Result<Wish, String> {
    let mut wish = Wish::default();
    let number = |word: &str| word.parse().map_err(|_| format!("{word}: not a number"));
    for option in options {
        match option.split_once('=') {
            None if *option == "regular" => wish.goal = Goal::Regular,
            None if *option == "answers" => wish.goal = Goal::Answers,
            Some(("senders", priority)) => wish.senders = vec![number(priority)?],
            Some(("cpu", processor)) => wish.processor = Some(number(processor)?.into()),
            Some(("ktimers", priority)) => wish.ktimers = Some(number(priority)?),
            Some(("only", steps)) => {
                wish.only = steps.split(',').map(str::parse).collect::<Result<Vec<StepName>, String>>()?;
            }
            _ => return Err(format!("{option}: not an option of tune")),
        }
    }
    Ok(wish)
}
