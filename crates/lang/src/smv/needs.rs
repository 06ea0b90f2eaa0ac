//! What must be known before an expression can be: in an order found with a stack of its own,
//! because macros may stand for each other in long chains.
//!
//! ```text
//! known(expression): for every name in it that is new:
//!     open it; if it is open already, it is defined by itself: report the circle
//!     known(what it stands for), then compute it
//! ```

use homing_ir::Diagnostic;

use super::instances::{Entity, Model, State, Target};
use super::syntax::{Bounds, Expr, Type, Values};
use super::values::Value;
use crate::reading::{Parse, Reported};

/// An entity that is being found out, and what it needs.
struct Level {
    entity: Entity,
    needs: Vec<Entity>,
    next: usize,
}

impl Model<'_> {
    /// Finds out all that an expression of an instance needs.
    pub fn prepare(&mut self, expr: Expr, instance: usize) -> Parse<()> {
        for entity in self.named_in(expr, instance) {
            self.find(entity)?;
        }
        Ok(())
    }

    /// Finds out the value of an entity, and those of what it needs.
    pub fn find(&mut self, entity: Entity) -> Parse<Value> {
        let mut path: Vec<Level> = Vec::new();
        self.enter(entity, &mut path)?;
        while let Some(level) = path.last_mut() {
            homing_budget::checkpoint();
            match level.needs.get(level.next).copied() {
                Some(need) => {
                    level.next += 1;
                    if self.enter(need, &mut path).is_err() {
                        self.give_up(&path);
                        return Err(Reported);
                    }
                }
                None => {
                    let entity = level.entity;
                    path.pop();
                    let value = self.compute(entity);
                    *self.state_mut(entity) = match value {
                        Ok(value) => State::Done(value),
                        Err(Reported) => State::Failed,
                    };
                }
            }
        }
        self.value_of(entity)
    }

    /// The value of an entity that was found out.
    pub fn value_of(&self, entity: Entity) -> Parse<Value> {
        match self.state(entity) {
            State::Done(value) => Ok(value.clone()),
            _ => Err(Reported),
        }
    }

    fn enter(&mut self, entity: Entity, path: &mut Vec<Level>) -> Parse<()> {
        match self.state(entity) {
            State::Done(_) | State::Failed => Ok(()),
            State::Open => self.circular(entity, path),
            State::New => {
                *self.state_mut(entity) = State::Open;
                let needs = self.needs(entity);
                path.push(Level { entity, needs, next: 0 });
                Ok(())
            }
        }
    }

    fn give_up(&mut self, path: &[Level]) {
        for level in path {
            *self.state_mut(level.entity) = State::Failed;
        }
    }

    fn circular(&mut self, entity: Entity, path: &[Level]) -> Parse<()> {
        let start = path.iter().position(|level| level.entity == entity).unwrap_or(0);
        let circle: Vec<&str> = path[start..].iter().map(|one| self.name_of(one.entity)).collect();
        let first = circle.first().copied().unwrap_or_default();
        let shown = circle.iter().take(10).copied().collect::<Vec<_>>().join("`, `");
        let message = match circle.len() {
            1 => format!("`{first}` is defined by itself"),
            2..=10 => format!("`{first}` is defined by itself: `{shown}`, `{first}`"),
            _ => format!("`{first}` is defined by itself: `{shown}`, …, `{first}`"),
        };
        let mut error = Diagnostic::error(message, self.place(entity));
        for level in path[start..].iter().skip(1).take(9) {
            error = error.related(self.place(level.entity), "by way of this");
        }
        self.fail(error)
    }

    fn name_of(&self, entity: Entity) -> &str {
        match entity {
            Entity::Variable(number) => &self.variables[number].name,
            Entity::Body(number) => &self.bodies[number].name,
        }
    }

    fn place(&self, entity: Entity) -> homing_ir::Span {
        match entity {
            Entity::Variable(number) => self.variables[number].declaration.span,
            Entity::Body(number) => self.bodies[number].span,
        }
    }

    fn state(&self, entity: Entity) -> &State {
        match entity {
            Entity::Variable(number) => &self.variables[number].state,
            Entity::Body(number) => &self.bodies[number].state,
        }
    }

    fn state_mut(&mut self, entity: Entity) -> &mut State {
        match entity {
            Entity::Variable(number) => &mut self.variables[number].state,
            Entity::Body(number) => &mut self.bodies[number].state,
        }
    }

    /// What an entity needs itself: a macro what it stands for, a variable its bounds.
    fn needs(&self, entity: Entity) -> Vec<Entity> {
        match entity {
            Entity::Body(number) => {
                let body = &self.bodies[number];
                self.named_in(body.value, body.context)
            }
            Entity::Variable(number) => {
                let variable = &self.variables[number];
                let Type::Values(bounds, values) = &variable.declaration.ty else {
                    return Vec::new();
                };
                let ends = |one: &Bounds| [one.low, one.high];
                let mut all: Vec<Expr> = bounds.iter().flat_map(ends).collect();
                match values {
                    Values::Word { width, .. } => all.push(*width),
                    Values::Range(low, high) => all.extend([*low, *high]),
                    Values::Memory { index, element } => all.extend([*index, *element]),
                    Values::Bool | Values::Enumeration(_) => {}
                }
                let named = |expr: &Expr| self.named_in(*expr, variable.instance);
                all.iter().flat_map(named).collect()
            }
        }
    }

    fn named_in(&self, expr: Expr, instance: usize) -> Vec<Entity> {
        let targets = self.targets(expr, instance).into_iter();
        let entity = |target| match target {
            Target::Entity(entity) => Some(entity),
            _ => None,
        };
        targets.filter_map(entity).collect()
    }

    fn compute(&mut self, entity: Entity) -> Parse<Value> {
        match entity {
            Entity::Variable(number) => self.declared(number),
            Entity::Body(number) => {
                let Some(body) = self.bodies.get(number) else { return Err(Reported) };
                let (value, context) = (body.value, body.context);
                let found = self.lowered(value, context)?;
                self.plain(found, value)
            }
        }
    }
}
