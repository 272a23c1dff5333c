//! The command line of every program (LOCAL-2, LOCAL-3). A wrong or missing flag ends the program with code 2.

use std::path::PathBuf;

use clap::{Args, value_parser};

/// What every program is told.
#[derive(Clone, Debug, Args)]
pub struct Arguments {
    /// Bytes of one sample
    #[arg(long, value_parser = value_parser!(u32).range(32..=16_777_216), allow_negative_numbers = true)]
    pub bytes: u32,
    /// Samples that are recorded
    #[arg(long, value_parser = value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub samples: u32,
    /// Samples before them that are not
    #[arg(long, value_parser = value_parser!(u32).range(..=10_000), allow_negative_numbers = true)]
    pub warm_up: u32,
    /// Time from one sample to the next
    #[arg(long, value_parser = value_parser!(u64).range(100..=10_000_000), allow_negative_numbers = true)]
    pub period_us: u64,
    /// SCHED_FIFO priority asked for, 0 to leave the scheduling class alone
    #[arg(long, value_parser = value_parser!(u8).range(..=99), allow_negative_numbers = true)]
    pub priority: u8,
    /// Written at the end; must not exist
    #[arg(long)]
    pub records: PathBuf,
    /// A running rosmaster; without it a small one runs in this process
    #[arg(long)]
    pub master_uri: Option<String>,
}

impl Arguments {
    /// With those that only warm up.
    pub fn all_samples(&self) -> u32 {
        self.warm_up + self.samples
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        run: Arguments,
    }

    /// A good command line, with the value of one flag changed.
    pub(crate) fn arguments(flag: &str, value: &str) -> Result<Arguments, clap::Error> {
        let good = [
            ("--bytes", "64"),
            ("--samples", "5"),
            ("--warm-up", "2"),
            ("--period-us", "1000"),
            ("--priority", "0"),
            ("--records", "r"),
        ];
        let mut words = vec!["peer"];
        for (name, fitting) in good {
            words.extend([name, if name == flag { value } else { fitting }]);
        }
        Program::try_parse_from(words).map(|program| program.run)
    }

    #[test]
    fn a_value_out_of_range_is_refused_by_its_flag() {
        let wrong = [
            ("--bytes", "31"),
            ("--bytes", "-1"),
            ("--bytes", "16777217"),
            ("--samples", "0"),
            ("--samples", "100001"),
            ("--warm-up", "10001"),
            ("--period-us", "99"),
            ("--priority", "100"),
            ("--records", ""),
        ];
        for (flag, value) in wrong {
            let error = arguments(flag, value).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(flag), "{flag} {value}: {error}");
        }
        assert_eq!(arguments("--bytes", "16777216").unwrap().all_samples(), 7);
    }
}
