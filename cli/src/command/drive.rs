//! `tokkyu drive`: one drive over a network of this machine, watched live, with figures and a report at the end.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use tokkyu_drive::program::{DriveError, ExitCode, StopFlag};
use tokkyu_drive::{save, vehicle};
use tokkyu_lab::drive::{
    self, CaseFolder, CaseSpec, IMAGES_MAX, Outcome, Pictures, Programs, Quality, Results,
};
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::report::{self, Raw, report_with};
use tokkyu_measure::{Experiment, Sources, storage};

use super::words;
use crate::exit::{CODES, Done, Failure};
use crate::live::Live;
use crate::machine;
use crate::output::{self, Json, JsonTo, say};

const EXAMPLES: &str = "\
Examples:
  tokkyu drive                                      200 Mbit/s, RTT 50 ms, 5 % loss both ways
  tokkyu drive --network lan-loss5 --samples 100    the paper's bad network, ten seconds
  tokkyu drive --video street --save pictures       a street scene, every picture kept as it arrived
  tokkyu drive --plain --json result.json           for a script";

/// Drive over a simulated network on this machine: pictures one way, commands the other, watched live.
///
/// Starts `tokkyu vehicle` and `tokkyu operator` in two network namespaces with keys made for this run, joined by a
/// network that --network and --seed fix. At the end: the figures, the paper's own beside them where it has any, what an
/// ideal transport would have done, how many pictures came and whether those within 500 ms. Records, result and an HTML
/// report are kept. Without root it uses a user namespace, and where that is not permitted a UDP relay, which it says.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Drive {
    /// The network; an unknown name is answered with the list
    #[arg(long, value_name = "NAME", default_value = "wan-loss5", value_parser = words::network)]
    network: Profile,
    /// Cameras
    #[arg(
        long = "cameras",
        alias = "images",
        value_name = "N",
        default_value_t = IMAGES_MAX,
        value_parser = value_parser!(u32).range(1..=i64::from(IMAGES_MAX))
    )]
    images: u32,
    /// Pictures of each camera that are measured, 10 a second
    #[arg(long, default_value_t = 300, value_parser = value_parser!(u32).range(1..=1_000_000))]
    samples: u32,
    /// Pictures of each camera before them, reported apart
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(0..=1_000_000))]
    warm_up: u32,
    /// Seed of the network's chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show a film in place of the test picture, or `street` for a street scene (fetched once, 96 MB)
    #[arg(long, value_name = "FILE|street")]
    video: Option<PathBuf>,
    /// Compress pictures to what the link grants
    #[arg(long)]
    mjpeg: bool,
    /// Keep every picture that arrives in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Folder of the run; results/drive-DATE-NETWORK if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A line a second in place of the full-screen view
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    json: Json,
}

impl Drive {
    pub fn run(&self, stop: &StopFlag) -> Done {
        self.look_first(stop)?;
        let now = machine::wall_now();
        let spec = self.spec();
        let root = self
            .out
            .clone()
            .unwrap_or_else(|| machine::fresh_folder(&format!("drive-{}", spec.profile.name), now));
        // Not every folder with a result is of this command: one of `lab drive` has no robot.yaml.
        machine::free_result(&root)?;
        let folder = CaseFolder::create(&root)?;
        let environment = machine::environment(now);
        drive::doubts(&environment).iter().for_each(|doubt| say(&format!("note: {doubt}")));
        let mut results =
            Results::new(folder.path().join("result.json"), &machine::command_line(), environment);
        let outcome = self.watched(&spec, &folder, stop)?;
        Sources::default().complete(results.environment_mut());
        results.note_grants(&outcome);
        self.conclude(&outcome, &mut results, &root)
    }

    /// What would end the run before its first picture is told before anything is set up; the street scene is fetched now,
    /// since the run does not wait for it.
    fn look_first(&self, stop: &StopFlag) -> Result<(), Failure> {
        if let Some(folder) = &self.save {
            save::check(folder).map_err(DriveError::from)?;
        }
        if let Some(video) = self.video.as_deref().and_then(Path::to_str) {
            let Ok(video) = video.parse();
            vehicle::film(&video, stop, &mut say)?;
        }
        Ok(())
    }

    fn spec(&self) -> CaseSpec {
        let mjpeg = self.mjpeg;
        let pictures = match self.video.clone() {
            Some(source) => Pictures::Video { source: absolute(source), mjpeg },
            None => Pictures::Test { mjpeg },
        };
        CaseSpec {
            profile: self.network.clone(),
            quality: Quality::Link,
            images: self.images,
            pictures,
            beside: Vec::new(),
            commands: true,
            peer: None,
            samples: self.samples,
            warm_up: self.warm_up,
            seed: self.seed,
            run: 0,
        }
    }

    /// Runs the case under the live view. The terminal is given back before this returns.
    fn watched(&self, spec: &CaseSpec, folder: &CaseFolder, stop: &StopFlag) -> Result<Outcome, Failure> {
        let programs = Programs { tokkyu: machine::own_program()?, save: self.save.clone().map(absolute) };
        let json_on_stdout = self.json.to() == Some(&JsonTo::Stdout);
        let mut live =
            Live::open(&spec.profile.name, spec.span(), self.plain, json_on_stdout).map_err(|error| {
                Failure::new(ExitCode::NotPossible, format_args!("no live view here: {error}; try --plain"))
            })?;
        let stopped = || stop.is_set();
        let outcome = drive::run(spec, folder, &programs, &mut live, &stopped);
        drop(live);
        Ok(outcome?)
    }

    /// Keeps and shows what came of the run. A disk that fails takes nothing from what is shown.
    fn conclude(&self, outcome: &Outcome, results: &mut Results, root: &Path) -> Done {
        let added = results.add(outcome.case.clone());
        let file = results.seen_from(results.path());
        let shown = report_with(&file, Raw::new(1, |_| outcome.records.clone()));
        output::tell(self.json.to(), &shown.to_text())?;
        let environment = &results.file().environment;
        drive::refusals(environment.sched_fifo, environment.mlockall).iter().for_each(|line| say(line));
        added?;
        let unwritten = |why: &String| Err(Failure::new(ExitCode::NotWritten, why));
        outcome.unwritten.as_ref().map_or(Ok(()), unwritten)?;
        let page = root.join("report.html");
        storage::replace(&page, report::page(&shown)?.as_bytes())?;
        if let Some(json) = self.json.to() {
            let copy = json.file().map_or(file.clone(), |path| results.seen_from(path));
            let value = report::Drive::to_json(&copy);
            json.write(&value.map_err(|error| Failure::new(ExitCode::NotWritten, error))?)?;
        }
        let kept = [root.join("result.json"), root.join("records.csv"), page];
        let kept = kept.map(|path| format!("  {}\n", path.display())).concat();
        output::tell(self.json.to(), &format!("\nkept\n{kept}"))?;
        let code = code_of(outcome);
        say_why(outcome, code);
        Ok(code)
    }
}

fn code_of(outcome: &Outcome) -> ExitCode {
    let met = outcome.case.verdict.as_ref().is_some_and(|verdict| verdict.pass);
    match (outcome.interrupted, met && outcome.faults.is_empty()) {
        (true, _) => ExitCode::Interrupted,
        (false, true) => ExitCode::Ok,
        // What ended one of the two programs says more than that the run failed.
        (false, false) => outcome.exit_code.and_then(ExitCode::of_number).unwrap_or(ExitCode::Failed),
    }
}

/// What 1 stands for, in words.
fn say_why(outcome: &Outcome, code: ExitCode) {
    match (code, outcome.faults.len()) {
        (ExitCode::Failed, 0) => say("exit 1: the run went well, and the requirement is missed"),
        (ExitCode::Failed, _) => say("exit 1: the run failed, and its figures may not be believed"),
        _ => {}
    }
}

/// The programs are started elsewhere: their paths must not depend on where. `street` is a word, not a path.
fn absolute(path: PathBuf) -> PathBuf {
    if path == Path::new("street") {
        return path;
    }
    std::path::absolute(&path).unwrap_or(path)
}
