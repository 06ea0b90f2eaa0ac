//! Partial-order reduction: of steps that can be taken in any order, one order.
//!
//! In a state, some of the possible steps may be an *ample set*: whatever the others
//! lead to can still be reached behind them. [`Reduced`] is a space around a
//! compiled one that expands states fully, chooses such a set, and either leaves
//! the other successors out, or puts the chosen ones first and says how many they
//! are ([`Batch::ample`]): then the search keeps the cycle proviso, so that no step is
//! ignored for ever. The choice is a function of the state alone. Where the search may take the
//! union of several such sets, these follow ([`Batch::further`]): SPIN, too, goes on to
//! the next process where the steps of one lead back.
//!
//! | reduction | chooses | keeps |
//! |---|---|---|
//! | [`Reduction::Static`] | the steps of a process at a place where no other ever has to do with them (`fixed`) | with a proviso: what is asked for |
//! | [`Reduction::Stubborn`] | the smallest stubborn set found (`stubborn`) | deadlocks, with the lengths of ways; with a proviso: what is asked for |
//! | [`Reduction::Goal`] | a stubborn set around steps without which nothing asked for is reached | what is asked for, with the lengths of ways |
//!
//! **What is visible.** Liveness needs that no chosen step changes what is looked
//! at. To reach a state it is enough that none may make the condition *false*: a
//! way to the goal that starts with none of the chosen steps can be taken behind
//! one of them, and still ends in the goal; one that has a chosen step in it can
//! start with that, and ends in the same state. What fails does so in either order;
//! nothing makes it undone. So steps that fail need not be visible; but where all that were
//! chosen fail, nothing would be put first, and all steps are taken.
//!
//! **Processes.** The number of processes that may run is guessed, and a model is
//! read again where a step finds no room for one ([`CompiledSpace::unstarted`]).
//! Such a step is something to be found as well, and so needs the proviso.
//!
//! A way of choosing that leaves out little is given up before the search begins
//! ([`Reduced::tried`]); searches for runs without an end give up none. A static stage
//! for a model without a safe place never begins: then nothing is ignored, and the search
//! needs no proviso.

mod fixed;
mod stubborn;
mod trial;

use std::sync::atomic::{AtomicU64, Ordering};

use homing_core::{Batch, Expander, Space, Word};
use homing_ir::dependence::{Dependence, LabelSet};

use self::fixed::Fixed;
use self::stubborn::{Closure, Goals};
use self::trial::{Choice, Way, Ways};
use crate::{CompiledExpander, CompiledSpace};

/// How much is reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// By tables alone.
    Static,
    /// By stubborn sets, those of [`Reduction::Static`] tried first.
    Stubborn,
    /// By stubborn sets that keep the lengths of ways to the goals.
    Goal,
}

/// What a search asks for, and a reduction must keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Conditions of the system to be reached, as a bit set.
    pub conditions: u64,
    /// States without any step.
    pub deadlock: bool,
    /// Steps that fail.
    pub fault: bool,
    /// Runs without an end, told apart by which of the conditions hold along
    /// them, whatever the number of states in which nothing changes.
    pub lasso: bool,
}

/// A space of which some successors are an ample set.
pub struct Reduced<'a> {
    space: &'a CompiledSpace,
    dependence: Dependence,
    fixed: Option<Fixed>,
    goals: Option<Goals>,
    /// Steps that may make something asked for false.
    visible: LabelSet,
    /// Whether the search must see to it that no step is ignored for ever.
    proviso: bool,
    /// Whether more than one set is of use.
    several: bool,
    /// Whether runs without an end are asked for.
    lasso: bool,
    ways: Ways,
    reduced: AtomicU64,
}

impl<'a> Reduced<'a> {
    /// The space, reduced for what is asked; or a sentence that says why not.
    pub fn new(
        space: &'a CompiledSpace,
        reduction: Reduction,
        asked: Asked,
    ) -> Result<Reduced<'a>, String> {
        let (system, moves) = (space.system(), space.moves());
        let dependence = Dependence::of(system, moves)?;
        let labels = dependence.labels();
        let mut visible = LabelSet::new(labels);
        for (index, condition) in system.conditions.iter().enumerate().take(64) {
            if asked.conditions >> index & 1 == 1 {
                visible.extend(&dependence.may_change(system, false, &condition.term));
                if asked.lasso {
                    visible.extend(&dependence.may_change(system, true, &condition.term));
                }
            }
        }
        let starts = (0..labels as u32).any(|label| dependence.starts(label));
        let only_deadlocks = asked.conditions == 0 && !asked.fault && !asked.lasso && !starts;
        let goals = (reduction == Reduction::Goal).then(|| Goals::new(space, &dependence, asked));
        let fixed = (reduction != Reduction::Goal).then(|| Fixed::of(space, &dependence, &visible));
        let fixed = fixed.filter(|fixed| !fixed.places.is_empty());
        let stubborn = reduction != Reduction::Static;
        let proviso = goals.is_none() && !only_deadlocks && (stubborn || fixed.is_some());
        Ok(Reduced {
            space,
            proviso,
            several: proviso && !asked.lasso,
            lasso: asked.lasso,
            ways: Ways { tables: fixed.is_some(), closures: stubborn },
            reduced: AtomicU64::new(0),
            fixed,
            goals,
            visible,
            dependence,
        })
    }

    /// The same without the ways of choosing that leave out little in a sample of the
    /// space. For runs without an end none is given up.
    pub fn tried(self) -> Reduced<'a> {
        let ways = if self.lasso { self.ways } else { trial::tried(&self) };
        Reduced { ways, ..self }
    }

    /// The tables it goes by.
    pub fn dependence(&self) -> &Dependence {
        &self.dependence
    }

    /// How many expansions found that some successors are an ample set, by expanders that are
    /// done. A search that needs the proviso may have taken all of them still.
    pub fn reduced(&self) -> u64 {
        self.reduced.load(Ordering::Relaxed)
    }

    /// Whether it turned out not to pay.
    pub fn is_given_up(&self) -> bool {
        self.ways.is_none()
    }
}

impl Space for Reduced<'_> {
    fn width(&self) -> usize {
        self.space.width()
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.space)
    }

    fn needs_proviso(&self) -> bool {
        self.proviso
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ReducedExpander::new(self))
    }
}

struct ReducedExpander<'a> {
    space: &'a Reduced<'a>,
    inner: CompiledExpander<'a>,
    closure: Closure<'a>,
    /// Expansions so far that found that some successors are an ample set.
    reduced: u64,
}

impl<'a> ReducedExpander<'a> {
    fn new(space: &'a Reduced<'a>) -> ReducedExpander<'a> {
        let (inner, closure) = (space.space.compiled_expander(), Closure::new(space));
        ReducedExpander { space, inner, closure, reduced: 0 }
    }

    /// Expands a state and chooses among its successors.
    fn choose(&mut self, state: &[Word], out: &mut Batch) -> Choice {
        let (first, faults) = (out.len(), out.faults().len());
        self.inner.expand(state, out);
        out.set_ample(None);
        let successors = out.len() - first;
        let all = Choice { by: None, successors, left_out: 0 };
        if self.closure.ways.is_none() {
            return all;
        }
        let by = self.closure.choose(state, out, first, faults);
        if by.is_none() {
            return all;
        }
        let (best, others) = self.closure.chosen();
        let end = out.put_first(first, |edge| best.contains(edge.label));
        if self.space.proviso && end == first {
            // Steps that fail are on no run: alone, all others would be ignored for ever.
            return all;
        }
        let left_out = out.len() - end;
        match self.space.proviso {
            true => out.set_ample(Some(end)),
            false => out.truncate(end),
        }
        let mut last = end;
        for set in others {
            let next = out.put_first(last, |edge| set.contains(edge.label));
            if last < next && next < out.len() {
                out.add_further(next);
            }
            last = next;
        }
        Choice { by, successors, left_out }
    }
}

impl Drop for ReducedExpander<'_> {
    fn drop(&mut self) {
        self.space.reduced.fetch_add(self.reduced, Ordering::Relaxed);
    }
}

impl Expander for ReducedExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.inner.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let choice = self.choose(state, out);
        self.reduced += u64::from(choice.left_out > 0);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(state)
    }

    fn work(&self) -> u64 {
        self.closure.work()
    }
}
