//! Commands: what a part changes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use homing_ir::system::{Command, LOOP_FUEL, SiteId, Term};

use crate::emitter::{Emitter, Working};

impl Emitter<'_, '_> {
    /// Runs commands on the working state.
    pub(crate) fn run(&mut self, commands: &[Command]) {
        for command in commands {
            self.command(command);
        }
    }

    pub(crate) fn command(&mut self, command: &Command) {
        match command {
            Command::Set(slot, Term::Const(value)) => self.write_constant(*slot, *value),
            Command::Set(slot, term) => {
                let value = self.value(term);
                self.write(*slot, value);
            }
            Command::SetElement { first, index, value, .. } => {
                let value = self.value(value);
                let index = self.value(index);
                self.write_element(*first, index, value);
            }
            Command::Let(temp, term) => {
                let value = self.value(term);
                self.temps.insert(*temp, value);
            }
            Command::If(condition, then, otherwise) => self.if_else(condition, then, otherwise),
            Command::While(condition, body, site) => self.repeat(condition, body, *site),
            Command::Require(Term::Const(0), site) => {
                let never = self.b.ins().iconst(types::I8, 0);
                self.require(never, *site);
            }
            Command::Require(condition, site) => {
                let [holds, fails] = [(); 2].map(|()| self.b.create_block());
                self.branch(condition, holds, fails);
                self.b.switch_to_block(fails);
                let site = self.constant(i64::from(site.0));
                self.b.ins().jump(self.failure, &[site.into()]);
                self.b.switch_to_block(holds);
            }
        }
    }

    fn if_else(&mut self, condition: &Term, then: &[Command], otherwise: &[Command]) {
        let [yes, no] = [(); 2].map(|()| self.b.create_block());
        let join = self.block_with_state();
        self.branch(condition, yes, no);
        let (before, temps) = (self.working.clone(), self.temps.clone());
        for (block, commands) in [(yes, then), (no, otherwise)] {
            self.working.clone_from(&before);
            self.temps.clone_from(&temps);
            self.b.switch_to_block(block);
            self.run(commands);
            let state = self.state_arguments();
            self.b.ins().jump(join, &state);
        }
        self.temps = temps;
        self.enter_with_state(join);
    }

    /// A loop; its block parameters are the state and the fuel left.
    fn repeat(&mut self, condition: &Term, body: &[Command], site: SiteId) {
        let header = self.block_with_state();
        let fuel = self.b.append_block_param(header, types::I64);
        let [inside, done] = [(); 2].map(|()| self.b.create_block());
        let temps = self.temps.clone();
        let full = self.constant(i64::from(LOOP_FUEL));
        let mut arguments = self.state_arguments();
        arguments.push(full.into());
        self.b.ins().jump(header, &arguments);
        self.enter_with_state(header);
        let at_header = self.working.clone();
        self.branch(condition, inside, done);
        self.b.switch_to_block(inside);
        let left = self.b.ins().icmp_imm_s(IntCC::NotEqual, fuel, 0);
        self.require(left, site);
        self.run(body);
        let fuel = self.b.ins().iadd_imm_s(fuel, -1);
        let mut arguments = self.state_arguments();
        arguments.push(fuel.into());
        self.b.ins().jump(header, &arguments);
        self.b.switch_to_block(done);
        self.working = at_header;
        self.temps = temps;
    }

    /// The values of the working state; none where it is in memory.
    fn state_values(&self) -> &[Value] {
        match &self.working {
            Some(Working::Values(words)) => words,
            Some(Working::Memory(_)) | None => &[],
        }
    }

    fn block_with_state(&mut self) -> Block {
        let block = self.b.create_block();
        for _ in 0..self.state_values().len() {
            self.b.append_block_param(block, types::I64);
        }
        block
    }

    fn state_arguments(&self) -> Vec<BlockArg> {
        self.state_values().iter().map(|word| BlockArg::Value(*word)).collect()
    }

    fn enter_with_state(&mut self, block: Block) {
        self.b.switch_to_block(block);
        if let Some(Working::Values(words)) = &mut self.working {
            let count = words.len();
            words.copy_from_slice(&self.b.block_params(block)[..count]);
        }
    }
}
