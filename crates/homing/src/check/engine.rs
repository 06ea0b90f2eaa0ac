//! Engines: who answers which questions.
//!
//! An engine is a row: what it can look for, whether it knows clocks, and the function
//! that does it. For every question the first row is taken that can look for what it
//! needs in the model at hand; where none can, the row that comes closest says why not.
//! To add one: docs/how-to/add-an-engine.md.

use homing_core::catalogue::{Kind, Row};

use super::answer::Answer;
use super::gather::Search;
use super::{Check, Questions};
use crate::load::Model;
use crate::question::NeedKind;
use crate::run::UsageError;

/// A way to answer questions.
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// What it can look for.
    pub answers: &'static [NeedKind],
    /// Whether it can in models with clocks; else what to tell users who have one.
    clocks: Result<(), &'static str>,
    /// Whether it searches sets of states: only where that was asked for, and then no
    /// engine is taken that searches states one by one.
    symbolic: bool,
    answer: Work,
}

/// Does a job and writes the answers.
type Work = fn(&mut Check, &Job, Questions, &mut [Option<Answer>]) -> Result<(), UsageError>;

/// Something to find out, with a search or several.
pub(super) enum Job {
    /// Whether states are reached, which several questions ask.
    States(Box<Search>),
    /// What one question asks, by its position.
    Alone(usize),
}

/// The engines, in the order in which they are taken.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "explicit",
        about: "searches states one by one, with any strategy, estimate and store",
        answers: &[NeedKind::State],
        clocks: Err("states with clocks are searched by zones"),
        symbolic: false,
        answer: |check, job, questions, results| check.searches_states(job, questions, results),
    },
    Engine {
        name: "zones",
        about: "searches sets of states that differ in their clocks",
        answers: &[NeedKind::State, NeedKind::Stay],
        clocks: Ok(()),
        symbolic: false,
        answer: |check, job, questions, results| match *job {
            Job::States(_) => check.searches_states(job, questions, results),
            Job::Alone(at) => check.stays(at, &*questions[at], &mut results[at]),
        },
    },
    Engine {
        name: "symbolic",
        about: "searches sets of states, as decision diagrams",
        answers: &[NeedKind::State],
        clocks: Err("the engine `symbolic` knows no clocks, and no priorities of steps"),
        symbolic: true,
        answer: |check, job, questions, results| match job {
            Job::States(search) => check.symbolic(search, questions, results),
            Job::Alone(_) => Ok(()),
        },
    },
    Engine {
        name: "product",
        about: "searches the product with an automaton for accepted runs",
        answers: &[NeedKind::Run],
        clocks: Ok(()),
        symbolic: false,
        answer: |check, job, questions, results| match *job {
            Job::States(_) => Ok(()),
            Job::Alone(at) => check.temporal(at, &*questions[at], &mut results[at]),
        },
    },
    Engine {
        name: "composed",
        about: "asks other questions, whose engines answer them",
        answers: &[NeedKind::Others],
        clocks: Ok(()),
        symbolic: false,
        answer: |check, job, questions, results| {
            if let Job::Alone(at) = *job {
                results[at] = Some(questions[at].compose(check)?);
            }
            Ok(())
        },
    },
];

impl Engine {
    /// The row as the catalogue lists it.
    pub(crate) fn describe(&self) -> Row<()> {
        let (name, about) = (self.name, self.about);
        Row {
            name,
            kind: Kind::Engine,
            about,
            cite: "",
            parameters: &[],
            needs: &[],
            gives: &[],
            uses: &[],
            build: (),
        }
    }

    /// The engine for a need; or why there is none.
    fn of(need: NeedKind, model: &Model, symbolic: bool) -> Result<&'static Engine, String> {
        let asked = |engine: &&Engine| engine.symbolic == symbolic || need == NeedKind::Others;
        let able = ENGINES.iter().filter(|engine| engine.answers.contains(&need));
        let mut able = able.filter(asked).peekable();
        let first = able.peek().copied();
        let fits = |engine: &&Engine| engine.clocks.is_ok() || !model.network.is_timed();
        able.find(fits).ok_or_else(|| match first {
            Some(Engine { clocks: Err(why), .. }) => (*why).to_string(),
            None if symbolic => "the engine `symbolic` looks for states only".to_string(),
            _ => "no engine can look for it".to_string(),
        })
    }
}

impl Check<'_> {
    /// All that is to be done: searches for states first, then what is answered alone, the
    /// cheaper needs before the others.
    pub(super) fn jobs(&self, questions: Questions) -> Result<Vec<Job>, UsageError> {
        let states = self.gather(questions)?.into_iter().map(Box::new).map(Job::States);
        let needs = questions.iter().map(|one| match self.undecided(&**one) {
            None => one.need(&self.model.network).kind(),
            Some(_) => NeedKind::Nothing,
        });
        let needs: Vec<NeedKind> = needs.collect();
        let alone =
            [NeedKind::Stay, NeedKind::Run, NeedKind::Others].into_iter().flat_map(|need| {
                let such = needs.iter().enumerate().filter(move |(_, one)| **one == need);
                such.map(|(index, _)| Job::Alone(index))
            });
        Ok(states.chain(alone).collect())
    }

    fn searches_states(
        &mut self,
        job: &Job,
        questions: Questions,
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        match job {
            Job::States(search) => self.states(search, questions, results),
            Job::Alone(_) => Ok(()),
        }
    }

    /// Does a job by the engine that can.
    pub(super) fn work(
        &mut self,
        job: &Job,
        questions: Questions,
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        let need = match job {
            Job::States(_) => NeedKind::State,
            Job::Alone(index) => questions[*index].need(&self.model.network).kind(),
        };
        match (Engine::of(need, self.model, self.options.symbolic), job) {
            (Ok(engine), _) => (engine.answer)(self, job, questions, results),
            (Err(why), Job::Alone(index)) => {
                self.unsearched.push((*index, why));
                Ok(())
            }
            (Err(why), Job::States(_)) => Err(UsageError::Sentence(why)),
        }
    }
}
