//! What the RTOS may take of each processor, as QEMU's command line says it (MON-81): `0=8000/10000 1=5000/10000`.

use alloc::string::String;
use core::{fmt, str};

use tokkyu_monitor_core::{Budget, PROCESSORS_MAX};

/// The file's name.
pub const BUDGETS: &str = "opt/org.tokkyu/budgets";
/// How long it may be: more than all processors' need.
pub const BUDGETS_BYTES_MOST: usize = 256;

/// Why it is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetsError {
    /// It has more than [`BUDGETS_BYTES_MOST`], or is no text.
    NotText,
    /// This part is no budget.
    NotOne(String),
    /// This part's times are too short or too long.
    OutOfRange(String),
    /// This part's processor is not there; the machine has so many.
    NotThere(String, usize),
    /// This part's processor has one already.
    Twice(String),
}

impl fmt::Display for BudgetsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BUDGETS}: ")?;
        match self {
            BudgetsError::NotText => write!(f, "no text of {BUDGETS_BYTES_MOST} bytes at most"),
            BudgetsError::NotOne(part) => write!(
                f,
                "\"{part}\" is no budget: PROCESSOR=BUDGET/PERIOD in microseconds is wanted, as 0=8000/10000"
            ),
            BudgetsError::OutOfRange(part) => write!(
                f,
                "\"{part}\" is out of range: a period has {} to {} us, a budget {} us at least and its period at most",
                Budget::PERIODS_US.start(),
                Budget::PERIODS_US.end(),
                Budget::LEAST_US
            ),
            BudgetsError::NotThere(part, processors) => write!(
                f,
                "\"{part}\" is of a processor that is not there: the machine has {processors}, from 0 on (QEMU's -smp)"
            ),
            BudgetsError::Twice(part) => {
                write!(f, "\"{part}\" is of a processor that has a budget: one is enough")
            }
        }
    }
}

/// The budget of each processor of a machine that has so many.
///
/// # Errors
/// [`BudgetsError`], of the first part that is of no use.
pub fn budgets(bytes: &[u8], processors: usize) -> Result<[Budget; PROCESSORS_MAX], BudgetsError> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() <= BUDGETS_BYTES_MOST);
    let mut all = [Budget::NONE; PROCESSORS_MAX];
    for part in text.ok_or(BudgetsError::NotText)?.split_ascii_whitespace() {
        let [processor, budget_us, period_us] = numbers(part).ok_or(BudgetsError::NotOne(part.into()))?;
        let is_there = |processor: &usize| *processor < processors.min(PROCESSORS_MAX);
        let processor = usize::try_from(processor)
            .ok()
            .filter(is_there)
            .ok_or(BudgetsError::NotThere(part.into(), processors))?;
        if all[processor] != Budget::NONE {
            return Err(BudgetsError::Twice(part.into()));
        }
        all[processor] = Budget::new(budget_us, period_us).ok_or(BudgetsError::OutOfRange(part.into()))?;
    }
    Ok(all)
}

/// Of `0=8000/10000`.
fn numbers(part: &str) -> Option<[u32; 3]> {
    let (processor, times) = part.split_once('=')?;
    let (budget_us, period_us) = times.split_once('/')?;
    // What the standard library takes beside digits is a sign.
    let number =
        |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
    Some([number(processor)?, number(budget_us)?, number(period_us)?])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::format;
    use std::string::ToString;

    use super::*;

    fn budget(budget_us: u32, period_us: u32) -> Budget {
        Budget::new(budget_us, period_us).expect("in range")
    }

    #[test]
    fn each_processor_has_its_own_and_others_none() {
        let mut expected = [Budget::NONE; PROCESSORS_MAX];
        assert_eq!(budgets(b"", 1), Ok(expected));
        expected[0] = budget(8_000, 10_000);
        expected[2] = budget(100, 1_000_000);
        assert_eq!(budgets(b"2=100/1000000  0=8000/10000\n", 3), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_told_with_the_part_and_a_remedy() {
        let cases = [
            ("0=8000", "is no budget: PROCESSOR=BUDGET/PERIOD"),
            ("0=+8000/10000", "is no budget"),
            ("0=8ms/10ms", "is no budget"),
            ("0=99999999999/10000", "is no budget"),
            ("=/", "is no budget"),
            ("0=10001/10000", "is out of range: a period has 1000 to 1000000 us, a budget 100 us at least"),
            ("0=0/0", "is out of range"),
            ("2=8000/10000", "is not there: the machine has 2, from 0 on"),
            ("1=200/1000 1=100/1000", "has a budget: one is enough"),
        ];
        for (text, expected) in cases {
            let told = budgets(text.as_bytes(), 2).expect_err(text).to_string();
            assert!(told.starts_with("opt/org.tokkyu/budgets: \"") && told.contains(expected), "{told}");
        }
        assert_eq!(budgets(&[0xff], 2), Err(BudgetsError::NotText));
        assert_eq!(budgets(&[b' '; BUDGETS_BYTES_MOST + 1], 2), Err(BudgetsError::NotText));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..300), processors in 0..20_usize) {
            let _ = budgets(&bytes, processors);
        }

        #[test]
        fn what_is_written_is_read(times in proptest::collection::vec((1_000..=1_000_000_u32, 0.0..1.0_f64), 0..=PROCESSORS_MAX)) {
            let mut expected = [Budget::NONE; PROCESSORS_MAX];
            let mut text = String::new();
            for (processor, (period_us, part)) in times.into_iter().enumerate() {
                let budget_us = (f64::from(period_us) * part).max(100.0) as u32;
                expected[processor] = budget(budget_us, period_us);
                text += &format!("{processor}={} ", expected[processor]);
            }
            prop_assert_eq!(budgets(text.as_bytes(), PROCESSORS_MAX), Ok(expected));
        }

        #[test]
        fn nearly_good_ones_are_read_or_refused(text in "[0-9=/ +]{0,40}") {
            let _ = budgets(text.as_bytes(), 2);
        }
    }
}
