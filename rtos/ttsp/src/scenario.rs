//! A scenario, as the suite writes it, with objects by their names and steps in their order.

use crate::tree::Tree;

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The suite's name.
    pub name: String,
    /// What it needs of the machine.
    pub variation: Vec<(String, String)>,
    /// Objects and their state before.
    pub before: Vec<(String, Tree)>,
    /// Steps.
    pub steps: Vec<Step>,
}

/// What is done, and what is so afterwards; each at a time in the suite's words, from the beginning of the step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Who does what.
    pub does: Vec<(String, Tree)>,
    /// Objects and their state.
    pub after: Vec<(String, Vec<(String, Tree)>)>,
}

impl Scenario {
    /// Of a file.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Scenario, String> {
        let tree = Tree::read(text)?;
        let (name, body) =
            tree.entries().iter().find(|(name, _)| name != "version").ok_or("no scenario in it")?;
        let mut scenario =
            Scenario { name: name.clone(), variation: Vec::new(), before: Vec::new(), steps: Vec::new() };
        for (key, value) in body.entries() {
            match key.as_str() {
                "variation" => {
                    let word = |(key, value): &(String, Tree)| Some((key.clone(), value.word()?.to_owned()));
                    scenario.variation = value.entries().iter().filter_map(word).collect();
                }
                "pre_condition" => scenario.before = value.entries().to_vec(),
                "note" => {}
                key if key == "do" || key.starts_with("do_") => {
                    let step = scenario.step(key.trim_start_matches("do").trim_start_matches('_'))?;
                    step.does = deeds(value)?;
                }
                key if key.starts_with("post_condition") => {
                    let number = key.trim_start_matches("post_condition").trim_start_matches('_');
                    let after = conditions(value);
                    scenario.step(number)?.after = after;
                }
                key => return Err(format!("nobody knows what {key:?} is")),
            }
        }
        Ok(scenario)
    }

    /// The step of a number; the suite leaves the number of a first one away, now and then.
    fn step(&mut self, number: &str) -> Result<&mut Step, String> {
        let number: usize =
            if number.is_empty() { 0 } else { number.parse().map_err(|_| format!("step {number:?}"))? };
        if number > 64 {
            return Err(format!("step {number}"));
        }
        if self.steps.len() <= number {
            self.steps.resize_with(number + 1, Step::default);
        }
        Ok(&mut self.steps[number])
    }
}

/// One, a list of them, or each with a time.
fn deeds(tree: &Tree) -> Result<Vec<(String, Tree)>, String> {
    if tree.get("id").is_some() {
        return Ok(vec![("0".to_owned(), tree.clone())]);
    }
    let mut all = Vec::new();
    for item in tree.items() {
        all.extend(deeds(item)?);
    }
    for (time, deed) in tree.entries() {
        for (_, deed) in deeds(deed)? {
            all.push((time.clone(), deed));
        }
    }
    Ok(all)
}

/// Objects, or objects for each time.
fn conditions(tree: &Tree) -> Vec<(String, Vec<(String, Tree)>)> {
    let timed =
        |(key, _): &(String, Tree)| key.starts_with(|c: char| c.is_ascii_digit()) || key.contains("_TIME");
    if tree.entries().iter().any(timed) {
        return tree
            .entries()
            .iter()
            .map(|(time, objects)| (time.clone(), objects.entries().to_vec()))
            .collect();
    }
    vec![("0".to_owned(), tree.entries().to_vec())]
}
