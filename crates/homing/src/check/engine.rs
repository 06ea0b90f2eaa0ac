//! Engines: who answers which questions.
//!
//! An engine is a row: what it can look for, whether it knows clocks, and the function
//! that does it. For every question the first row is taken that can look for what it
//! needs in the model at hand; where none can, the row that comes closest says why not.
//! To add one: docs/how-to/add-an-engine.md.

use homing_core::catalogue::{Kind, Row};
use homing_space::Execution;

use super::answer::Answer;
use super::gather::Search;
use super::{Check, Questions};
use crate::load::Model;
use crate::options::UseEngine;
use crate::question::NeedKind;
use crate::relational::{self, Answering};
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
    /// What asks for it by name.
    asked: &'static [UseEngine],
    /// Whether it is taken only where it is asked for.
    reluctant: bool,
    /// How it answers questions about relations, if it does.
    pub(crate) relations: Option<Answering>,
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

/// What asks for states one by one.
const STATES: &[UseEngine] = &[
    UseEngine::Explicit(Execution::Gradual),
    UseEngine::Explicit(Execution::Compiled),
    UseEngine::Explicit(Execution::Interpreted),
];

/// The engines, in the order in which they are taken.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "explicit",
        about: "searches states one by one, with any strategy, estimate and store",
        answers: &[NeedKind::State],
        clocks: Err("states with clocks are searched by zones"),
        asked: STATES,
        reluctant: false,
        relations: Some(relational::EXPLICIT),
        answer: |check, job, questions, results| check.searches_states(job, questions, results),
    },
    Engine {
        name: "zones",
        about: "searches sets of states that differ in their clocks",
        answers: &[NeedKind::State, NeedKind::Stay],
        clocks: Ok(()),
        asked: STATES,
        reluctant: false,
        relations: None,
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
        asked: &[UseEngine::Symbolic],
        reluctant: true,
        relations: Some(relational::SYMBOLIC),
        answer: |check, job, questions, results| match job {
            Job::States(search) => check.symbolic(search, questions, results),
            Job::Alone(_) => Ok(()),
        },
    },
    Engine {
        name: "sat",
        about: "asks a solver for satisfiability about runs of circuits",
        answers: &[],
        clocks: Err("the engine `sat` knows models of hardware only"),
        asked: &[UseEngine::Sat],
        reluctant: true,
        relations: Some(relational::SAT),
        answer: |_, _, _, _| Ok(()),
    },
    Engine {
        name: "product",
        about: "searches the product with an automaton for accepted runs",
        answers: &[NeedKind::Run],
        clocks: Ok(()),
        asked: STATES,
        reluctant: false,
        relations: None,
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
        asked: STATES,
        reluctant: false,
        relations: None,
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

    /// Whether it may be taken where this is asked for.
    pub(crate) fn may_be_taken(&self, asked: UseEngine) -> bool {
        asked == UseEngine::Auto || self.asked.contains(&asked)
    }

    /// The engine for a need; or why there is none.
    fn of(need: NeedKind, model: &Model, asked: UseEngine) -> Result<&'static Engine, String> {
        let taken = |engine: &&Engine| match asked {
            UseEngine::Auto => !engine.reluctant,
            _ => engine.may_be_taken(asked) || need == NeedKind::Others,
        };
        let able = ENGINES.iter().filter(|engine| engine.answers.contains(&need));
        let mut able = able.filter(taken).peekable();
        let first = able.peek().copied();
        let fits = |engine: &&Engine| engine.clocks.is_ok() || !model.network.is_timed();
        able.find(fits).ok_or_else(|| match first {
            Some(Engine { clocks: Err(why), .. }) => (*why).to_string(),
            _ => match ENGINES.iter().find(|engine| engine.reluctant && engine.may_be_taken(asked))
            {
                Some(Engine { answers: [], clocks: Err(why), .. }) => (*why).to_string(),
                Some(engine) => format!("the engine `{}` looks for states only", engine.name),
                None => "no engine can look for it".to_string(),
            },
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
        match (Engine::of(need, self.model, self.options.engine), job) {
            (Ok(engine), _) => (engine.answer)(self, job, questions, results),
            (Err(why), Job::Alone(index)) => {
                self.unsearched.push((*index, why));
                Ok(())
            }
            (Err(why), Job::States(_)) => Err(UsageError::Sentence(why)),
        }
    }
}
