//! The space a search runs in: the compiled one, with zones around it where the
//! model has clocks, or the representatives of either where processes are
//! interchangeable.

use std::sync::Arc;

use homing_core::{Edge, Space, Word};
use homing_ir::Step;
use homing_search::Findings;
use homing_space::reduction::{Asked, Reduced, Reduction};
use homing_space::zones::within::WithinSpace;
use homing_space::zones::{Extrapolation, Subsumption, ZoneOptions, ZoneSpace};
use homing_space::{CompiledSpace, Symmetric};

use crate::load::Model;
use crate::run::{Configuration, UsageError};
use crate::symmetric;

/// How zones are made and compared, in models with clocks. What is not said is
/// what is fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Zones {
    /// How zones are extrapolated, so that there are finitely many.
    pub extrapolation: Option<Extrapolation>,
    /// Whether the constants are those of each location, and not the same for
    /// the whole model.
    pub local: Option<bool>,
    /// When one zone makes another superfluous.
    pub subsumption: Option<Subsumption>,
    /// The same as `local`, for the constants that zones are compared by; without,
    /// as zones are extrapolated.
    pub compare_local: Option<bool>,
    /// Whether zones are stored as a step leads to them, before time passes.
    pub arriving: bool,
}

impl Zones {
    fn options(self, deadlocks: bool) -> ZoneOptions {
        let default = ZoneOptions::default();
        ZoneOptions {
            extrapolation: self.extrapolation.unwrap_or(default.extrapolation),
            local: self.local.unwrap_or(default.local),
            subsumption: self.subsumption.unwrap_or(default.subsumption),
            compare_local: self.compare_local.or(self.local).unwrap_or(default.compare_local),
            elapsed: !self.arriving,
            deadlocks,
            most_combinations: default.most_combinations,
        }
    }

    /// What was asked for and is not sound here.
    fn overridden(self, used: ZoneOptions) -> Option<String> {
        let extrapolation = self.extrapolation.filter(|asked| *asked != used.extrapolation);
        let subsumption = self.subsumption.filter(|asked| *asked != used.subsumption);
        let asked: Vec<String> = extrapolation
            .map(|one| format!("extrapolation `{}`", name_of(EXTRAPOLATIONS, one)))
            .into_iter()
            .chain(subsumption.map(|one| format!("subsumption `{}`", name_of(SUBSUMPTIONS, one))))
            .collect();
        (!asked.is_empty()).then(|| {
            format!(
                "{} is not sound here (deadlocks, whole runs, priorities or comparisons of clocks \
                 with each other): `{}` and `{}` are used",
                asked.join(" and "),
                name_of(EXTRAPOLATIONS, used.extrapolation),
                name_of(SUBSUMPTIONS, used.subsumption)
            )
        })
    }
}

/// The extrapolations by name.
pub const EXTRAPOLATIONS: &[(&str, Extrapolation)] = &[
    ("none", Extrapolation::None),
    ("m", Extrapolation::M),
    ("m+", Extrapolation::MPlus),
    ("lu", Extrapolation::Lu),
    ("lu+", Extrapolation::LuPlus),
];

/// The subsumptions by name.
pub const SUBSUMPTIONS: &[(&str, Subsumption)] =
    &[("inclusion", Subsumption::Inclusion), ("am", Subsumption::Am), ("alu", Subsumption::Alu)];

/// The partial-order reductions by name.
pub const REDUCTIONS: &[(&str, Reduction)] =
    &[("static", Reduction::Static), ("stubborn", Reduction::Stubborn), ("goal", Reduction::Goal)];

/// What is said where clocks stop.
const OVER_APPROXIMATED: &str = "clocks stop in this model: zones over-approximate what they show, \
     so that what is not found is not there, and what is found counts once it has delays";

fn name_of<T: PartialEq>(all: &[(&'static str, T)], one: T) -> &'static str {
    all.iter().find(|(_, other)| *other == one).map_or("", |(name, _)| name)
}

/// A space to search.
pub(crate) struct Searched<'a> {
    pub discrete: &'a CompiledSpace,
    zones: Option<Arc<ZoneSpace<'a>>>,
    reduced: Option<Arc<Reduced<'a>>>,
    symmetric: Option<Symmetric<'a>>,
    /// The representatives of what is reduced, where both are asked for.
    both: Option<Symmetric<'a>>,
    /// What the user should know.
    pub notices: Vec<String>,
}

impl<'a> Searched<'a> {
    /// The space, with zones where the system has clocks. `deadlocks` says that
    /// states without a step are asked for.
    pub(crate) fn new(
        discrete: &'a CompiledSpace,
        zones: Zones,
        deadlocks: bool,
    ) -> Result<Searched<'a>, UsageError> {
        if discrete.system().timing.is_none() {
            return Ok(Searched {
                discrete,
                zones: None,
                reduced: None,
                symmetric: None,
                both: None,
                notices: Vec::new(),
            });
        }
        Searched::among(discrete, zones, zones.options(deadlocks))
    }

    /// The space for what is asked of whole runs.
    pub(crate) fn of_runs(
        discrete: &'a CompiledSpace,
        zones: Zones,
    ) -> Result<Searched<'a>, UsageError> {
        match discrete.system().timing {
            None => Searched::new(discrete, zones, false),
            Some(_) => Searched::among(discrete, zones, WithinSpace::OPTIONS),
        }
    }

    /// The space with zones.
    fn among(
        discrete: &'a CompiledSpace,
        zones: Zones,
        options: ZoneOptions,
    ) -> Result<Searched<'a>, UsageError> {
        let space = ZoneSpace::new(discrete, options);
        let space = space.map_err(UsageError::Sentence)?;
        let stops = space.has_stopwatches().then(|| OVER_APPROXIMATED.to_owned());
        let notices = zones.overridden(space.options()).into_iter().chain(stops).collect();
        let zones = Some(Arc::new(space));
        Ok(Searched { discrete, zones, reduced: None, symmetric: None, both: None, notices })
    }

    /// The zones, with where runs may rest, for what is asked of whole runs; none where
    /// there are no clocks.
    pub(crate) fn resting(&self) -> Result<Option<WithinSpace<'_>>, String> {
        self.zones.as_deref().map(WithinSpace::everywhere).transpose()
    }

    /// Leaves out interleavings that do not matter to what is asked. An error where
    /// the model, or what the strategy can do, does not allow it.
    pub(crate) fn reduce(
        &mut self,
        reduction: Option<Reduction>,
        asked: Asked,
        parts: &Configuration,
    ) -> Result<(), UsageError> {
        let Some(reduction) = reduction else { return Ok(()) };
        let reduced =
            Reduced::new(self.discrete, reduction, asked).map_err(UsageError::Sentence)?;
        if reduced.needs_proviso() && !parts.reduces() {
            return Err(UsageError::Sentence(format!(
                "the strategy `{}` cannot keep the proviso that the reduction `{}` needs here; \
                 the reduction `{}` needs none",
                parts.strategy.call.name,
                name_of(REDUCTIONS, reduction),
                name_of(REDUCTIONS, Reduction::Goal),
            )));
        }
        let reduced = Arc::new(reduced.tried());
        self.both = self.symmetric.as_ref().map(|one| one.reduced(Arc::clone(&reduced)));
        self.reduced = Some(reduced);
        Ok(())
    }

    /// The reduction, where one was asked for.
    pub(crate) fn reduced(&self) -> Option<&Reduced<'a>> {
        self.reduced.as_deref()
    }

    /// What is searched, interleavings that do not matter left out; none where that
    /// was not asked for.
    pub(crate) fn reduced_space(&self) -> Option<&dyn Space> {
        match (&self.both, &self.reduced) {
            (Some(both), _) => Some(both),
            (None, Some(reduced)) => Some(&**reduced),
            (None, None) => None,
        }
    }

    /// The same, by representatives. Before anything is reduced.
    pub(crate) fn symmetric(mut self, model: &Model, parts: &Configuration) -> Searched<'a> {
        let (discrete, zones) = (self.discrete, self.zones.as_ref());
        let (symmetric, told) = symmetric::symmetric(discrete, zones, &model.network, parts);
        self.symmetric = symmetric;
        self.notices.extend(told);
        self
    }

    /// Whether there is enough to gain by that.
    pub(crate) fn is_worth_symmetry(&self, parts: &Configuration) -> bool {
        symmetric::is_worth(self.discrete, self.zones.is_some(), parts)
    }

    /// Whether a state stands for all that differ in which of some processes is
    /// where.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric.is_some()
    }

    /// Turns paths of the space searched into runs.
    pub(crate) fn realise(&self, findings: &mut Findings) -> Result<(), UsageError> {
        match &self.symmetric {
            Some(symmetric) => symmetric::realise(self.discrete, symmetric, findings),
            None => Ok(()),
        }
    }

    /// What is searched.
    pub(crate) fn space(&self) -> &dyn Space {
        match (&self.symmetric, &self.zones) {
            (Some(symmetric), _) => symmetric,
            (None, Some(zones)) => &**zones,
            (None, None) => self.discrete,
        }
    }

    /// Whether a state stands for many values of clocks.
    pub(crate) fn is_timed(&self) -> bool {
        self.zones.is_some()
    }

    /// The discrete part of a state.
    pub(crate) fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.discrete.layout().words]
    }

    /// The edges of the network that a step takes in a space around this one; none where
    /// the system stutters.
    pub(crate) fn step_in(&self, space: &dyn Space, state: &[Word], edge: Edge) -> Option<Step> {
        let (state, edge) = space.project(state, edge)?;
        Some(self.step(state, edge))
    }

    /// The edges of the network that a step takes. What wrappers added to the state lies
    /// behind the space's own.
    pub(crate) fn step(&self, state: &[Word], edge: Edge) -> Step {
        match &self.zones {
            Some(zones) => zones.step(&state[..zones.width()], edge),
            None => self.discrete.step(self.own(state), edge),
        }
    }
}

/// Whether states of a model stand for many at once.
pub(crate) fn default_store(model: &Model) -> &'static str {
    match model.network.is_timed() {
        true => homing_store::covering::ROW.name,
        false => homing_store::STORES[0].name,
    }
}
