//! What the RTOS may take of each processor, from `site.yaml` to the machine (contract CON-19, monitor MON-81).

use std::path::Path;

use tokkyu_contract::yaml::budget::RtosBudget;
use tokkyu_contract::yaml::site;
use tokkyu_monitor_boot::BUDGETS;

use crate::exit::Failure;

/// What QEMU's `-fw_cfg` is given; nothing where the site declares no budget.
///
/// # Errors
/// The file is wrong, or names a processor that the machine has not.
pub fn of_site(file: &Path, processors: u32) -> Result<Option<String>, Failure> {
    let budgets = site::load(file)?.rtos_budgets;
    if let Some(index) = budgets.iter().position(|budget| u32::from(budget.core) >= processors) {
        return Err(Failure::usage(format_args!(
            "{}: cores.rtos[{index}].core: the machine has no processor {}, but {processors} from 0 on; \
             give it more by --processors, or leave this one out",
            file.display(),
            budgets[index].core
        )));
    }
    let parts: Vec<String> = budgets.iter().map(part).collect();
    Ok((!parts.is_empty()).then(|| format!("name={BUDGETS},string={}", parts.join(" "))))
}

fn part(budget: &RtosBudget) -> String {
    format!("{}={}/{}", budget.core, budget.budget.as_micros(), budget.period.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, processors: u32) -> Result<Option<String>, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("site.yaml");
        std::fs::write(&file, text).expect("it is written");
        of_site(&file, processors)
    }

    const TWO: &str =
        "cores: {rtos: [{core: 0, budget: 8 ms, period: 10 ms}, {core: 3, budget: 100 us, period: 1 s}]}";

    #[test]
    fn the_monitor_reads_what_the_site_says() {
        let words = told(TWO, 4).unwrap_or_else(|_| panic!("a site")).expect("budgets");
        let text = words.strip_prefix("name=opt/org.tokkyu/budgets,string=").expect(&words);
        assert_eq!(text, "0=8000/10000 3=100/1000000");
        let read = tokkyu_monitor_boot::budgets(text.as_bytes(), 4).expect("in range");
        assert_eq!(read[3], tokkyu_monitor_core::Budget::new(100, 1_000_000).expect("in range"));
    }

    #[test]
    fn a_site_without_budgets_says_nothing_and_a_processor_too_many_is_refused() {
        assert!(told("site: a\n", 1).is_ok_and(|words| words.is_none()));
        assert!(told(TWO, 3).is_err());
    }
}
