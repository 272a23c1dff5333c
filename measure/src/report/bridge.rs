//! What is told of the experiment on bridges: one table, why runs are left out, goals.

use std::path::Path;

use crate::bridge::{HOW_TO_READ, goals, table_of};
use crate::drive::DriveCase;
use crate::result::{Nothing, ResultFile};
use crate::study::{Experiment, Goal, Part, Place, Report, Section};

/// ROS 2 bridges beside the link itself.
#[derive(Debug)]
pub struct Bridge;

impl Experiment for Bridge {
    type Case = DriveCase;
    type More = Nothing;
    const NAME: &'static str = "bridge";

    fn goals(file: &ResultFile<DriveCase>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<DriveCase>, _: &'a Path) -> Report<'a> {
        let (table, left_out) = table_of(&file.cases);
        let how = Section::new("").told_in(Place::Documents).with(Part::Text(HOW_TO_READ.to_owned()));
        let figures = Section::new("With bridges and without").with_table(table).with_lines(left_out);
        let sections = vec![how, figures];
        Report { goals: goals(&file.cases), sections, ..Report::of("What ROS 2 bridges cost", file) }
    }
}
