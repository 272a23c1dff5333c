//! Runs the cells of a study.
//!
//! Invariant: what is found comes back in the order of the cells, whichever ended first; a cell that had not begun when it was said to stop,
//! or when another could not begin, is not there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::identity;
use super::stage::Stage;

/// How the cells are run.
pub struct Engine<'a> {
    /// Folder of the run; every cell has one below it.
    pub root: &'a Path,
    /// Cells that an earlier run in this folder has finished are not run again, unless something that they depend on has changed.
    pub resume: bool,
    /// So many at a time, of those that do not run alone.
    pub at_once: usize,
    /// Whether to end.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which cell, from 1: of those that have begun, or that are over.
    pub number: usize,
    /// Of so many.
    pub of: usize,
    /// How long the rest will take, if it is known.
    pub left: Option<Duration>,
}

/// Hears of the cells; from several threads, one at a time.
pub trait Watcher<S: Stage>: Send {
    /// One begins.
    fn on_begin(&mut self, at: Progress, name: &str) {
        let _ = (at, name);
    }

    /// One is over. `reread`: an earlier run had finished it. False: no other is to begin.
    fn on_over(&mut self, at: Progress, cell: &S::Cell, found: &S::Found, reread: bool) -> bool;
}

impl Engine<'_> {
    /// Runs all cells: those that do not run alone first, some at a time, then the others one by one.
    ///
    /// # Errors
    /// The first cell that could not begin; no other begins then.
    pub fn run<S: Stage>(
        &self,
        stage: &S,
        cells: &[S::Cell],
        watcher: &mut dyn Watcher<S>,
    ) -> Result<Vec<S::Found>, S::Error> {
        let (alone, together): (Vec<usize>, Vec<usize>) =
            (0..cells.len()).partition(|number| stage.runs_alone(&cells[*number]));
        let run = Run {
            engine: self,
            stage,
            cells,
            folders: folders(stage, cells),
            order: [together.as_slice(), &alone].concat(),
            begun_at: Instant::now(),
            begun: AtomicUsize::new(0),
            over: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
            told: Mutex::new(Told { watcher, found: Vec::new(), error: None }),
        };
        run.each(&together, self.at_once);
        run.each(&alone, 1);
        let told = run.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        match told.error {
            Some(error) => Err(error),
            None => {
                let mut found = told.found;
                found.sort_by_key(|(number, _)| *number);
                Ok(found.into_iter().map(|(_, found)| found).collect())
            }
        }
    }
}

/// A folder for each cell that no other has. Names lose what a file system may not like, so two can look the same; the later one gets the
/// number of its cell, which no other name ends with.
fn folders<S: Stage>(stage: &S, cells: &[S::Cell]) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let mut free = |number: usize, name: PathBuf| match taken.insert(name.clone()) {
        true => name,
        false => PathBuf::from(format!("{}-cell{number}", name.display())),
    };
    (1..).zip(cells).map(|(number, cell)| free(number, stage.folder(cell))).collect()
}

/// What is shared by the threads of a run.
struct Run<'a, S: Stage> {
    engine: &'a Engine<'a>,
    stage: &'a S,
    cells: &'a [S::Cell],
    /// Of each cell, below that of the run.
    folders: Vec<PathBuf>,
    /// In which they are begun.
    order: Vec<usize>,
    begun_at: Instant,
    begun: AtomicUsize,
    over: AtomicUsize,
    is_broken: AtomicBool,
    told: Mutex<Told<'a, S>>,
}

struct Told<'a, S: Stage> {
    watcher: &'a mut dyn Watcher<S>,
    found: Vec<(usize, S::Found)>,
    error: Option<S::Error>,
}

impl<'a, S: Stage> Run<'a, S> {
    fn each(&self, numbers: &[usize], at_once: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.is_to_end() {
                    return;
                }
                self.one(*number);
            }
        };
        match at_once.min(numbers.len()) {
            // On the caller's thread, so that a study that runs alone starts no other.
            0 | 1 => work(),
            more => thread::scope(|scope| (0..more).for_each(|_| drop(scope.spawn(work)))),
        }
    }

    fn is_to_end(&self) -> bool {
        (self.engine.stop)() || self.is_broken.load(Ordering::Relaxed)
    }

    fn one(&self, number: usize) {
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        let name = self.stage.name(&self.cells[number]);
        self.told().watcher.on_begin(Progress { number: begun + 1, ..self.progress(begun) }, &name);
        match self.found(number) {
            Err(error) => {
                self.is_broken.store(true, Ordering::Relaxed);
                self.told().error.get_or_insert(error);
            }
            Ok(None) => {}
            Ok(Some((found, reread))) => self.keep(number, found, reread),
        }
    }

    fn keep(&self, number: usize, found: S::Found, reread: bool) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        let at = Progress { number: over, ..self.progress(over) };
        let mut told = self.told();
        if !told.watcher.on_over(at, &self.cells[number], &found, reread) {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        told.found.push((number, found));
    }

    /// From an earlier run, or from one now.
    fn found(&self, number: usize) -> Result<Option<(S::Found, bool)>, S::Error> {
        let cell = &self.cells[number];
        let folder = self.engine.root.join(&self.folders[number]);
        let refused = |source| self.stage.refused(&folder, source);
        let identity = self.stage.identity(cell)?;
        if self.engine.resume {
            let is_kept = identity::remembered(&folder).as_ref() == Some(&identity);
            if let Some(found) = is_kept.then(|| self.stage.reread(cell, &folder)).flatten() {
                return Ok(Some((found, true)));
            }
            self.stage.discard(cell, &folder);
        }
        fs::create_dir_all(&folder).map_err(refused)?;
        identity::forget(&folder).map_err(refused)?;
        let stop = || self.is_to_end();
        let Some(found) = self.stage.run(cell, &folder, &stop)? else { return Ok(None) };
        if self.stage.is_whole(&found) {
            identity::remember(&identity, &folder).map_err(refused)?;
        }
        Ok(Some((found, false)))
    }

    /// With `done` cells behind it, in the order in which they are begun.
    fn progress(&self, done: usize) -> Progress {
        let rest = &self.order[done.min(self.order.len())..];
        let expected: Option<Duration> =
            rest.iter().map(|number| self.stage.expected(&self.cells[*number])).sum();
        let by_those_before = || {
            let spent = self.begun_at.elapsed();
            (done > 0).then(|| spent.mul_f64(rest.len() as f64 / done as f64))
        };
        Progress { number: done, of: self.cells.len(), left: expected.or_else(by_those_before) }
    }

    /// A watcher that panicked ends the run anyway.
    fn told(&self) -> MutexGuard<'_, Told<'a, S>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::path::PathBuf;

    use super::super::Identity;

    /// Cells are numbers; what is found is written into their folder. 7 fails, 9 cannot begin.
    struct Numbers {
        alone: bool,
        salt: &'static str,
        runs: Mutex<Vec<u32>>,
    }

    impl Numbers {
        fn new(salt: &'static str) -> Numbers {
            Numbers { alone: true, salt, runs: Mutex::new(Vec::new()) }
        }
    }

    impl Stage for Numbers {
        type Cell = u32;
        type Found = u32;
        type Error = String;

        fn name(&self, cell: &u32) -> String {
            format!("number {cell}")
        }

        fn folder(&self, cell: &u32) -> PathBuf {
            // Of both 5 and 50 the name is the same.
            PathBuf::from(format!("cell-{}", cell.to_string().trim_end_matches('0')))
        }

        fn runs_alone(&self, cell: &u32) -> bool {
            self.alone || *cell >= 100
        }

        fn identity(&self, cell: &u32) -> Result<Identity, String> {
            Ok(Identity::of(&[self.salt.as_bytes(), &cell.to_be_bytes()]))
        }

        fn reread(&self, _: &u32, folder: &Path) -> Option<u32> {
            fs::read_to_string(folder.join("found")).ok()?.parse().ok()
        }

        fn run(
            &self,
            cell: &u32,
            folder: &Path,
            _: &(dyn Fn() -> bool + Sync),
        ) -> Result<Option<u32>, String> {
            self.runs.lock().unwrap().push(*cell);
            if *cell == 9 {
                return Err("nine".to_owned());
            }
            fs::write(folder.join("found"), cell.to_string()).unwrap();
            Ok(Some(*cell))
        }

        fn is_whole(&self, found: &u32) -> bool {
            *found != 7
        }

        fn refused(&self, folder: &Path, source: io::Error) -> String {
            format!("{}: {source}", folder.display())
        }
    }

    #[derive(Default)]
    struct Heard {
        begun: Vec<(usize, String)>,
        over: Vec<(u32, bool)>,
        ends_after: Option<u32>,
    }

    impl Watcher<Numbers> for Heard {
        fn on_begin(&mut self, at: Progress, name: &str) {
            self.begun.push((at.number, name.to_owned()));
        }

        fn on_over(&mut self, _: Progress, cell: &u32, _: &u32, reread: bool) -> bool {
            self.over.push((*cell, reread));
            self.ends_after != Some(*cell)
        }
    }

    fn run(root: &Path, stage: &Numbers, cells: &[u32], heard: &mut Heard) -> Result<Vec<u32>, String> {
        Engine { root, resume: true, at_once: 3, stop: &|| false }.run(stage, cells, heard)
    }

    #[test]
    fn cells_run_in_their_order_and_are_told_of() {
        let (root, stage, mut heard) = (tempfile::tempdir().unwrap(), Numbers::new("a"), Heard::default());
        assert_eq!(run(root.path(), &stage, &[3, 1, 2], &mut heard), Ok(vec![3, 1, 2]));
        assert_eq!(
            heard.begun,
            [(1, "number 3"), (2, "number 1"), (3, "number 2")].map(|(n, w)| (n, w.to_owned()))
        );
        assert_eq!(heard.over, [(3, false), (1, false), (2, false)]);
    }

    #[test]
    fn what_an_earlier_run_finished_is_not_run_again_unless_it_depends_on_something_else() {
        let root = tempfile::tempdir().unwrap();
        run(root.path(), &Numbers::new("a"), &[1, 7], &mut Heard::default()).unwrap();
        let (again, mut heard) = (Numbers::new("a"), Heard::default());
        assert_eq!(run(root.path(), &again, &[1, 7, 2], &mut heard), Ok(vec![1, 7, 2]));
        assert_eq!(heard.over, [(1, true), (7, false), (2, false)], "7 was not whole");
        let changed = Numbers::new("b");
        run(root.path(), &changed, &[1], &mut Heard::default()).unwrap();
        assert_eq!(*changed.runs.lock().unwrap(), [1]);
        let anew = Numbers::new("b");
        let engine = Engine { root: root.path(), resume: false, at_once: 1, stop: &|| false };
        engine.run(&anew, &[1], &mut Heard::default()).unwrap();
        assert_eq!(*anew.runs.lock().unwrap(), [1]);
    }

    #[test]
    fn a_cell_that_cannot_begin_ends_the_run_and_so_does_the_watcher() {
        let (root, stage) = (tempfile::tempdir().unwrap(), Numbers::new("a"));
        assert_eq!(run(root.path(), &stage, &[1, 9, 2], &mut Heard::default()), Err("nine".to_owned()));
        assert_eq!(*stage.runs.lock().unwrap(), [1, 9]);
        let stage = Numbers::new("a");
        let mut heard = Heard { ends_after: Some(4), ..Heard::default() };
        assert_eq!(run(root.path(), &stage, &[4, 5], &mut heard), Ok(vec![4]));
    }

    #[test]
    fn nothing_begins_once_it_is_to_stop() {
        let (root, stage) = (tempfile::tempdir().unwrap(), Numbers::new("a"));
        let engine = Engine { root: root.path(), resume: false, at_once: 1, stop: &|| true };
        assert_eq!(engine.run(&stage, &[1], &mut Heard::default()), Ok(vec![]));
        assert!(stage.runs.lock().unwrap().is_empty());
    }

    #[test]
    fn cells_whose_names_look_the_same_have_folders_of_their_own() {
        let (root, stage) = (tempfile::tempdir().unwrap(), Numbers::new("a"));
        for _ in 0..2 {
            assert_eq!(run(root.path(), &stage, &[5, 50], &mut Heard::default()), Ok(vec![5, 50]));
        }
        assert_eq!(*stage.runs.lock().unwrap(), [5, 50], "neither is run twice");
        assert!(root.path().join("cell-5").is_dir() && root.path().join("cell-5-cell2").is_dir());
    }

    #[test]
    fn what_runs_alone_comes_after_what_does_not_and_is_found_in_the_order_of_the_cells() {
        let root = tempfile::tempdir().unwrap();
        let stage = Numbers { alone: false, ..Numbers::new("a") };
        let cells = [100, 1, 2, 101, 3];
        assert_eq!(run(root.path(), &stage, &cells, &mut Heard::default()), Ok(cells.to_vec()));
        assert_eq!(stage.runs.lock().unwrap()[3..], [100, 101]);
    }
}
