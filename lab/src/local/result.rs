//! The result as it is written: the envelope of all experiments (MEA-41), and what follows from the cases.

use std::path::Path;

use serde_json::{Value, json};
use tokkyu_measure::{Environment, ResultFile, Skipped, StorageError, storage};

use super::EXPERIMENT;
use super::case::LocalCase;
use super::findings::{Finding, cases, overload_cases};
use super::goals::goals;
use super::overload::OverloadCase;

/// One round, as it was run.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTold {
    /// From 0.
    pub round: u32,
    /// Over one minute, when it began.
    pub load_average: Option<f64>,
    /// Names of its cells.
    pub order: Vec<String>,
}

/// All that a run found.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Latencies.
    pub cases: Vec<LocalCase>,
    /// Of our publisher.
    pub overload: Vec<OverloadCase>,
    value: Value,
}

impl Judged {
    /// Of all findings. `notes`: preconditions that did not hold.
    pub fn of(
        command: &str,
        environment: Environment,
        findings: &[Finding],
        rounds: &[RoundTold],
        skipped: Vec<Skipped>,
        notes: &[String],
    ) -> Judged {
        let (cases, overload) = (cases(findings), overload_cases(findings));
        let told = cases.iter().map(LocalCase::to_json).collect();
        let mut file: ResultFile<Value> = ResultFile::new(EXPERIMENT, command, environment, told);
        file.skipped = skipped;
        // Text, numbers and lists alone: there is nothing in it that is no JSON.
        let mut value = serde_json::to_value(file).unwrap_or_default();
        let goals: Vec<Value> = goals(&cases, &overload).iter().map(|goal| goal.to_json()).collect();
        if let Some(result) = value.as_object_mut() {
            result.insert("overload".to_owned(), overload.iter().map(OverloadCase::to_json).collect());
            result.insert("goals".to_owned(), goals.into());
            result.insert("rounds".to_owned(), rounds.iter().map(RoundTold::to_json).collect());
            result.insert("faults".to_owned(), findings.iter().filter_map(fault).collect());
            result.insert("notes".to_owned(), json!(notes));
        }
        Judged { cases, overload, value }
    }

    /// As JSON.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write(&self, path: &Path) -> Result<(), StorageError> {
        storage::replace(path, format!("{:#}\n", self.value).as_bytes())
    }
}

impl RoundTold {
    fn to_json(&self) -> Value {
        json!({ "round": self.round, "load_average": self.load_average, "order": self.order })
    }
}

fn fault(finding: &Finding) -> Option<Value> {
    let because = finding.measured.as_ref().err()?;
    let cell = &finding.cell;
    Some(json!({
        "peer": cell.peer().as_str(), "bytes": cell.size.bytes(), "round": cell.round, "because": because,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::findings::tests::finding;
    use super::*;

    #[test]
    fn a_result_has_the_envelope_of_all_experiments_and_who_failed() {
        let mut failed = finding("iceoryx", 1, &[1]);
        failed.measured = Err("exit status: 1".to_owned());
        let findings = [finding("iceoryx", 0, &[10]), failed];
        let round = RoundTold { round: 0, load_average: Some(0.5), order: vec!["iceoryx-64".to_owned()] };
        let notes = ["2 processors".to_owned()];
        let judged = Judged::of("c", Environment::default(), &findings, &[round], Vec::new(), &notes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        judged.write(&path).unwrap();
        let read = ResultFile::<Value>::read(&path).unwrap();
        assert_eq!((read.experiment.as_str(), read.cases.len()), (EXPERIMENT, 1));
        let value = judged.value();
        assert_eq!(value["faults"][0]["because"], "exit status: 1");
        assert_eq!(value["rounds"][0]["order"][0], "iceoryx-64");
        assert_eq!(value["goals"].as_array().unwrap().len(), 9);
        assert_eq!(value["notes"][0], "2 processors");
    }
}
