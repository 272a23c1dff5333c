//! The suite's own names, as numbers, and the expressions it makes of them.

use std::collections::HashMap;

/// Names of a scenario's objects, by name.
pub type Names = HashMap<String, i64>;

/// Milliseconds, the suite's unit of time.
const RELATIVE_TIME_A: i64 = 15;
const RELATIVE_TIME_B: i64 = 40;
const RELATIVE_TIME_C: i64 = 65;
const ANY_ELAPSED_TIME: i64 = 200;

/// In place of a block's address: the block that the caller got last.
pub(crate) const OWN_BLOCK: i64 = -1;

/// What a name stands for.
fn fixed(name: &str) -> Option<i64> {
    Some(match name {
        "TSK_SELF" | "TSK_NONE" | "TPRC_INI" | "TPRC_NONE" | "TPRI_SELF" | "TPRI_INI" | "TIPM_ENAALL" => 0,
        "true" => 1,
        "false" => 0,
        "PRC_SELF" => 1,
        "PRC_OTHER" | "PRC_OTHER_1" => 2,
        "PRC_OTHER_2" => 3,
        "TSK_PRI_HIGH" => 5,
        "TSK_PRI_MID" => 8,
        "TSK_PRI_LOW" => 11,
        "TMAX_TPRI" | "TMAX_DPRI" | "DATA_PRI_MAX" => 16,
        "DATA_PRI_HIGH" => 3,
        "DATA_PRI_MID" => 7,
        "DATA_PRI_LOW" => 12,
        "DATA_A" => 0xa1,
        "DATA_B" => 0xb2,
        "DATA_C" => 0xc3,
        "DATA_D" => 0xd4,
        "DATA_E" => 0xe5,
        "DATA_F" => 0xf6,
        "BIT_PATTERN_A" => 1,
        "BIT_PATTERN_B" => 2,
        "BIT_PATTERN_C" => 4,
        "BIT_PATTERN_0A" => 0x1000,
        "BIT_PATTERN_0B" => 0x2000,
        "TWF_ANDW" | "WAIT_FLG_MODE_A" => 0,
        "TWF_ORW" | "WAIT_FLG_MODE_B" => 1,
        "WAIT_FLG_MODE_C" => 0,
        "RELATIVE_TIME_A" => RELATIVE_TIME_A,
        "RELATIVE_TIME_B" => RELATIVE_TIME_B,
        "RELATIVE_TIME_C" => RELATIVE_TIME_C,
        "ANY_ELAPSED_TIME" => ANY_ELAPSED_TIME,
        // An alarm while a task waits, where time goes on by itself.
        "ACTIVATE_ALARM_TIME" => 10,
        "WAIT_ALARM_TIME" => 100,
        // The system's time when it is first asked for: it has stood still since the beginning.
        "systim1" => 0,
        "TMO_FEVR" => -1,
        "TMO_POL" => 0,
        // In milliseconds, as the suite has it.
        "TMAX_RELTIM" => 4_000_000,
        "ANY_INI_SEMCNT" => 2,
        "ANY_NOW_SEMCNT" => 3,
        "ANY_MAX_SEMCNT" => 5,
        "ANY_INI_BLKCNT" => 3,
        "INT_PRI_TIMER" => -4,
        "ANY_IPM" | "ANY_IPM_FOR_TIMER" => -1,
        "INT_PRI_MID" => -2,
        "TSPN_UNL" | "TALM_STP" | "TCYC_STP" | "STP" | "TA_DISINT" => 0,
        "TSPN_LOC" | "TALM_STA" | "TCYC_STA" | "ACTIVATE" | "TA_ENAINT" => 1,
        "blk" => OWN_BLOCK,
        "EXINF_A" => 1,
        "EXINF_B" => 2,
        "EXINF_C" => 3,
        "EXINF_D" => 4,
        "INTNO_SELF_INH_A" => 41,
        "INTNO_OTHER_INH_A" => 42,
        "INTNO_OTHER_INH_B" | "INHNO_OTHER_B" => 43,
        "INTNO_OTHER_ISR_B" => 44,
        "INTNO_NOT_SELF_SELF" => 50,
        "TTSP_GLOBAL_IRC_INTNO_A" => 51,
        "EXCNO_SELF_A" | "EXCNO_OTHER_A" => 1,
        "TTS_RUN" => 1,
        "TTS_RDY" => 2,
        "TTS_WAI" => 4,
        "TTS_SUS" => 8,
        "TTS_WAS" => 12,
        "TTS_DMT" => 16,
        "TTW_SLP" => 1,
        "TTW_DLY" => 2,
        "TTW_SEM" => 3,
        "TTW_FLG" => 4,
        "TTW_SDTQ" => 5,
        "TTW_RDTQ" => 6,
        "TTW_SPDQ" => 7,
        "TTW_RPDQ" => 8,
        "TTW_MPF" => 9,
        _ => return None,
    })
}

/// An expression of names, numbers, `+ - * |` and brackets.
///
/// # Errors
/// What it does not understand.
pub fn value(text: &str, names: &Names) -> Result<i64, String> {
    let mut reader = Reader { rest: text.trim(), names, depth: 0 };
    let value = reader.either()?;
    if reader.rest.is_empty() { Ok(value) } else { Err(format!("{text:?}: {:?} is left over", reader.rest)) }
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a Names,
    depth: u32,
}

/// Most brackets and signs within each other.
const DEPTH_MAX: u32 = 16;

impl Reader<'_> {
    fn take(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn either(&mut self) -> Result<i64, String> {
        let mut value = self.sum()?;
        while self.take('|') {
            value |= self.sum()?;
        }
        Ok(value)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value = value.wrapping_add(self.product()?);
            } else if self.take('-') {
                value = value.wrapping_sub(self.product()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.atom()?;
        while self.take('*') {
            value = value.wrapping_mul(self.atom()?);
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("too deep before {:?}", self.rest));
        }
        let value = self.within()?;
        self.depth -= 1;
        Ok(value)
    }

    fn within(&mut self) -> Result<i64, String> {
        if self.take('-') {
            return self.atom().map(i64::wrapping_neg);
        }
        if self.take('(') {
            let value = self.either()?;
            return if self.take(')') {
                Ok(value)
            } else {
                Err(format!("a bracket is open before {:?}", self.rest))
            };
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let number = word.strip_prefix("0x").map_or_else(|| word.parse(), |hex| i64::from_str_radix(hex, 16));
        let named = || self.names.get(word).copied().or_else(|| fixed(word));
        number.ok().or_else(named).ok_or_else(|| format!("nobody knows what {word:?} is"))
    }
}

/// An error's number.
///
/// # Errors
/// What it does not understand.
pub fn code(name: &str) -> Result<i32, String> {
    use tokkyu_rtos::Error;
    Ok(match name {
        "E_OK" => 0,
        "E_NOSPT" => Error::NotSupported.code(),
        "E_PAR" => Error::Parameter.code(),
        "E_ID" => Error::Id.code(),
        "E_CTX" => Error::Context.code(),
        "E_ILUSE" => Error::IllegalUse.code(),
        "E_OBJ" => Error::State.code(),
        "E_QOVR" => Error::Overflow.code(),
        "E_RLWAI" => Error::Released.code(),
        "E_TMOUT" => Error::Timeout.code(),
        "E_DLT" => Error::Deleted.code(),
        _ => return Err(format!("nobody knows the error {name:?}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_of_names_and_numbers() {
        let names = Names::from([("TASK2".to_owned(), 2)]);
        for (text, wanted) in [
            ("RELATIVE_TIME_A+(RELATIVE_TIME_B*3)+1", 15 + 40 * 3 + 1),
            ("BIT_PATTERN_0A|BIT_PATTERN_A", 0x1001),
            ("-1", -1),
            ("0x1f", 31),
            ("TASK2 + 1", 3),
        ] {
            assert_eq!(value(text, &names), Ok(wanted), "{text}");
        }
        for text in ["NOBODY", "1 +", "(1", "1 2", ""] {
            assert!(value(text, &names).is_err(), "{text}");
        }
    }
}
