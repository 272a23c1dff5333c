//! What is wrong with a configuration.

/// Where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct Error {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What.
    pub problem: Problem,
}

/// What is wrong, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else belongs there.
    #[error("{found:?} where {wanted} belongs")]
    Syntax {
        /// What is there.
        found: String,
        /// What belongs there.
        wanted: &'static str,
    },
    /// No such statement.
    #[error(
        "no statement {name}; there are CRE_TSK, CRE_SEM, CRE_FLG, CRE_DTQ, CRE_PDQ, CRE_MTX, CRE_MPF, CRE_SPN, CRE_CYC, CRE_ALM, \
             CFG_INT, DEF_INH, DEF_OVR, ATT_INI, ATT_TER, PROCESSORS and CLASS"
    )]
    Statement {
        /// Its name.
        name: String,
    },
    /// Too few parameters, or too many.
    #[error("{name} has parameters {wanted}, and {found} are given")]
    Count {
        /// The statement.
        name: String,
        /// As it should be.
        wanted: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A value that is not what it should be.
    #[error("{what} is {found:?}; it is to be {wanted}")]
    Value {
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        wanted: String,
    },
    /// A name that another object has.
    #[error("{name} is the name of another object, declared in line {line}; give another")]
    Twice {
        /// The name.
        name: String,
        /// Where it was declared first.
        line: usize,
    },
    /// A function that is called in two ways.
    #[error(
        "{name} is the handler of an interrupt or of overruns, and is called with other parameters elsewhere; give one of them another name"
    )]
    TwoWays {
        /// The function.
        name: String,
    },
    /// A handler without a line, or a line without a handler.
    #[error("interrupt {number} has {has} and no {lacks}; add {lacks}({number}, …)")]
    Half {
        /// Its number.
        number: u32,
        /// What there is.
        has: &'static str,
        /// What there is not.
        lacks: &'static str,
    },
}
