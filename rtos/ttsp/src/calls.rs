//! Calls as a scenario writes them.

use crate::plan::{Call, Function};
use crate::words::{Names, value};

/// A call, and where it writes what, by the names of the variables.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) call: Call,
    /// Name, and place among what the call brings.
    pub(crate) variables: Vec<(String, u8)>,
    /// It has two forms in the suite, one for handlers: this is that one.
    pub(crate) for_handlers: bool,
}

/// Calls that the suite has in two forms.
const TWO_FORMS: &[&str] = &[
    "act_tsk", "mact_tsk", "wup_tsk", "rel_wai", "sig_sem", "set_flg", "psnd_dtq", "fsnd_dtq", "psnd_pdq",
    "rot_rdq", "mrot_rdq", "get_tid", "get_pid", "loc_cpu", "unl_cpu", "sta_alm", "msta_alm", "stp_alm",
    "loc_spn", "try_spn", "unl_spn",
];

impl Written {
    /// The longest time that it names.
    pub(crate) fn longest_us(&self) -> i64 {
        let arguments = &self.call.arguments;
        times(self.call.function).iter().map(|place| arguments[*place]).max().unwrap_or(0)
    }
}

/// Whether a call has another form for handlers.
pub(crate) fn has_two_forms(function: Function) -> bool {
    TWO_FORMS.contains(&function.name())
}

/// Places of arguments that are times in milliseconds.
fn times(function: Function) -> &'static [usize] {
    match function {
        Function::tslp_tsk | Function::dly_tsk => &[0],
        Function::twai_sem | Function::sta_alm | Function::msta_alm => &[1],
        Function::tsnd_dtq | Function::trcv_dtq | Function::tget_mpf => &[2],
        Function::tsnd_pdq | Function::trcv_pdq => &[3],
        Function::twai_flg => &[4],
        _ => &[],
    }
}

/// Of milliseconds: -1 stays for ever.
fn microseconds(ms: i64, for_ever: bool) -> i64 {
    if ms == -1 && for_ever { -1 } else { ms.saturating_mul(1000) }
}

/// A call of a scenario.
///
/// # Errors
/// What it does not understand.
pub(crate) fn call(text: &str, names: &Names) -> Result<Written, String> {
    let (name, rest) = text.split_once('(').ok_or_else(|| format!("{text:?} is no call"))?;
    let inside = rest.trim_end().strip_suffix(')').ok_or_else(|| format!("{text:?} has no end"))?;
    let (function, for_handlers) = function(name.trim())?;
    let mut written =
        Written { call: Call { function, arguments: [0; 5] }, variables: Vec::new(), for_handlers };
    let arguments = inside.split(',').map(str::trim).filter(|argument| !argument.is_empty());
    for (place, argument) in arguments.enumerate() {
        if let Some(variable) = argument.strip_prefix('&') {
            written.variables.push((variable.to_owned(), written.variables.len() as u8));
            continue;
        }
        if argument == "p_excinf" {
            continue;
        }
        let mut number = value(argument, names).map_err(|error| format!("{text}: {error}"))?;
        if times(function).contains(&place) {
            let waits = !matches!(function, Function::sta_alm | Function::msta_alm | Function::dly_tsk);
            number = microseconds(number, waits);
        }
        *written.call.arguments.get_mut(place).ok_or_else(|| format!("{text} has too many arguments"))? =
            number;
    }
    Ok(written)
}

fn function(name: &str) -> Result<(Function, bool), String> {
    let own = match name {
        "ttsp_int_raise" => Some(Function::raise_line),
        "ttsp_cpuexc_raise" => Some(Function::raise_exception),
        _ => None,
    };
    let known = |name: &str| Function::ALL.iter().copied().find(|function| function.name() == name);
    let plain = own.or_else(|| known(name)).map(|function| (function, false));
    let other = || name.strip_prefix('i').and_then(known).map(|function| (function, true));
    plain.or_else(other).ok_or_else(|| format!("there is no call {name:?}"))
}
