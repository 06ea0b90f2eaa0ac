//! How modules move together: the algebra of `system`, as vectors.
//!
//! An algebra becomes a list of joint moves, each with the action that others may
//! synchronise on. Without `system`, all modules are put together by `||`.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::Diagnostic;

use super::scope::Scope;
use super::syntax::{Model, Name, System};
use crate::names::nearest;
use crate::reading::{Parse, Reported};

/// So many joint moves may be made of one model.
const MOST_JOINTS: usize = 100_000;

/// Modules that move together, each by one of its actions.
#[derive(Clone, Debug)]
pub struct Joint<'t> {
    /// What others see of it; none where it is hidden.
    action: Option<&'t str>,
    /// Modules by number, in rising order.
    pub members: Vec<(usize, &'t str)>,
}

/// What an algebra can do.
#[derive(Clone, Debug, Default)]
struct Composed<'t> {
    alphabet: BTreeSet<&'t str>,
    joints: Vec<Joint<'t>>,
}

/// The names of modules, and the actions of each.
pub struct Modules<'t> {
    pub names: BTreeMap<&'t str, usize>,
    pub actions: Vec<BTreeSet<&'t str>>,
}

/// The joint moves of a model.
pub fn joints<'m, 't>(
    scope: &mut Scope<'m, 't>,
    model: &'m Model<'t>,
    modules: &Modules<'t>,
) -> Parse<Vec<Joint<'t>>> {
    let mut composer = Composer { scope, model, modules, used: BTreeSet::new(), open: Vec::new() };
    let composed = match &model.system {
        Some(system) => composer.composed(system)?,
        None => composer.all()?,
    };
    if model.system.is_some() {
        composer.all_used()?;
    }
    Ok(composed.joints)
}

struct Composer<'s, 'm, 't> {
    scope: &'s mut Scope<'m, 't>,
    model: &'m Model<'t>,
    modules: &'s Modules<'t>,
    used: BTreeSet<usize>,
    /// The algebras with names that are being read.
    open: Vec<&'t str>,
}

impl<'m, 't> Composer<'_, 'm, 't> {
    fn module(&self, number: usize) -> Composed<'t> {
        let alphabet = self.modules.actions[number].clone();
        let joint =
            |action: &&'t str| Joint { action: Some(action), members: vec![(number, action)] };
        let joints = alphabet.iter().map(joint).collect();
        Composed { alphabet, joints }
    }

    fn all(&mut self) -> Parse<Composed<'t>> {
        let mut all = Composed::default();
        for number in 0..self.modules.actions.len() {
            let next = self.module(number);
            let on = all.alphabet.intersection(&next.alphabet).copied().collect();
            all = self.together(all, next, &on)?;
        }
        Ok(all)
    }

    fn all_used(&mut self) -> Parse<()> {
        for module in &self.model.modules {
            let number = self.modules.names.get(module.name.text);
            if number.is_some_and(|number| !self.used.contains(number)) {
                let message = format!("the module `{}` is missing in the system", module.name.text);
                return self.scope.fail(Diagnostic::error(message, module.name.span));
            }
        }
        Ok(())
    }

    /// Algebras are nested as deeply as the parser lets them be, those with names besides.
    fn composed(&mut self, system: &'m System<'t>) -> Parse<Composed<'t>> {
        match system {
            System::Module(name) => self.named(*name),
            System::Reference(name) => self.referred(*name),
            System::Parallel(left, right) => {
                let (left, right) = (self.composed(left)?, self.composed(right)?);
                let on = left.alphabet.intersection(&right.alphabet).copied().collect();
                self.together(left, right, &on)
            }
            System::Interleaved(left, right) => {
                let (left, right) = (self.composed(left)?, self.composed(right)?);
                self.together(left, right, &BTreeSet::new())
            }
            System::On(left, on, right) => {
                let (left, right) = (self.composed(left)?, self.composed(right)?);
                let on = on.iter().map(|name| name.text).collect();
                self.together(left, right, &on)
            }
            System::Hiding(inner, hidden) => {
                let mut inner = self.composed(inner)?;
                let hidden: BTreeSet<&str> = hidden.iter().map(|name| name.text).collect();
                inner.alphabet.retain(|action| !hidden.contains(action));
                for joint in &mut inner.joints {
                    joint.action = joint.action.filter(|action| !hidden.contains(action));
                }
                Ok(inner)
            }
            System::Renaming(inner, pairs) => {
                let mut inner = self.composed(inner)?;
                let pairs: BTreeMap<&str, &'t str> =
                    pairs.iter().map(|(from, to)| (from.text, to.text)).collect();
                let renamed = |action: &'t str| pairs.get(action).copied().unwrap_or(action);
                inner.alphabet = inner.alphabet.into_iter().map(renamed).collect();
                for joint in &mut inner.joints {
                    joint.action = joint.action.map(renamed);
                }
                Ok(inner)
            }
        }
    }

    fn named(&mut self, name: Name<'t>) -> Parse<Composed<'t>> {
        let Some(number) = self.modules.names.get(name.text).copied() else {
            let message = format!("there is no module `{}`", name.text);
            let error = Diagnostic::error(message, name.span);
            let near = nearest(name.text, self.modules.names.keys().copied());
            return self.scope.fail(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        if !self.used.insert(number) {
            let message = format!("the module `{}` is in the system twice", name.text);
            return self.scope.fail(Diagnostic::error(message, name.span));
        }
        Ok(self.module(number))
    }

    fn referred(&mut self, name: Name<'t>) -> Parse<Composed<'t>> {
        let model = self.model;
        let found = model.subsystems.iter().find(|(known, _)| known.text == name.text);
        let open = self.open.contains(&name.text) || self.open.len() > 20;
        let Some((_, system)) = found.filter(|_| !open) else {
            let message = match found {
                Some(_) => format!("the system `\"{}\"` is made of itself", name.text),
                None => format!("there is no system `\"{}\"`", name.text),
            };
            return self.scope.fail(Diagnostic::error(message, name.span));
        };
        self.open.push(name.text);
        let composed = self.composed(system);
        self.open.pop();
        composed
    }

    /// Both, with the actions `on` which they synchronise.
    fn together(
        &mut self,
        left: Composed<'t>,
        right: Composed<'t>,
        on: &BTreeSet<&str>,
    ) -> Parse<Composed<'t>> {
        let shared = |joint: &Joint<'t>| joint.action.is_some_and(|action| on.contains(action));
        let (left_on, mut joints): (Vec<_>, Vec<_>) = left.joints.into_iter().partition(shared);
        let (right_on, alone): (Vec<_>, Vec<_>) = right.joints.into_iter().partition(shared);
        joints.extend(alone);
        let mut by_action: BTreeMap<Option<&str>, Vec<&Joint<'t>>> = BTreeMap::new();
        right_on.iter().for_each(|joint| by_action.entry(joint.action).or_default().push(joint));
        for first in &left_on {
            for second in by_action.get(&first.action).into_iter().flatten() {
                homing_budget::checkpoint();
                let mut members = [&first.members[..], &second.members[..]].concat();
                members.sort_unstable();
                joints.push(Joint { action: first.action, members });
                if joints.len() > MOST_JOINTS {
                    return self.too_many();
                }
            }
        }
        let alphabet = left.alphabet.union(&right.alphabet).copied().collect();
        Ok(Composed { alphabet, joints })
    }

    fn too_many<T>(&mut self) -> Parse<T> {
        let span = self.model.modules.first().map(|module| module.name.span);
        let message = format!("the modules can move together in more than {MOST_JOINTS} ways");
        match span {
            Some(span) => self.scope.fail(Diagnostic::error(message, span)),
            None => Err(Reported),
        }
    }
}
