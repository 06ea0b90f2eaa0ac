//! Cranelift's module, set up for us.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

/// Why code could not be made, or not be run: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JitError(pub String);

impl std::fmt::Display for JitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JitError {}

fn failed(error: impl std::fmt::Display) -> JitError {
    JitError(format!(
        "cannot compile the model to machine code: {error}; `--engine interpreter` needs none"
    ))
}

/// Compiles functions one after the other and owns their code.
pub(crate) struct Machine {
    module: Option<JITModule>,
    context: Context,
    builder: FunctionBuilderContext,
    /// The most values of a function.
    most: usize,
}

impl Machine {
    pub(crate) fn new(most: usize) -> Result<Machine, JitError> {
        let mut flags = settings::builder();
        // Measured: no optimisation compiles three times faster and its code
        // runs as fast; the store is what costs.
        let options = [
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("opt_level", "none"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ];
        for (name, value) in options {
            flags.set(name, value).map_err(failed)?;
        }
        let isa = cranelift_native::builder().map_err(failed)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(failed)?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        let builder = FunctionBuilderContext::new();
        Ok(Machine { module: Some(module), context, builder, most })
    }

    /// Compiles a function of `parameters` pointers that returns an `i64` if
    /// `returns`, and answers the address of its code, valid as long as this
    /// machine lives.
    pub(crate) fn compile(
        &mut self,
        parameters: usize,
        returns: bool,
        build: impl FnOnce(&mut FunctionBuilder),
    ) -> Result<*const u8, JitError> {
        let Some(module) = &mut self.module else {
            return Err(failed("the code was freed"));
        };
        let mut signature = Signature::new(module.target_config().default_call_conv);
        signature.params = vec![AbiParam::new(types::I64); parameters];
        if returns {
            signature.returns.push(AbiParam::new(types::I64));
        }
        let id = module.declare_anonymous_function(&signature).map_err(failed)?;
        module.clear_context(&mut self.context);
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        build(&mut builder);
        builder.seal_all_blocks();
        builder.finalize(module.target_config());
        if self.context.func.dfg.num_values() > self.most {
            return Err(JitError("a part of the model is too large to be compiled".into()));
        }
        module.define_function(id, &mut self.context).map_err(failed)?;
        module.finalize_definitions().map_err(failed)?;
        Ok(module.get_finalized_function(id))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code addresses leave this crate only inside `Code`,
            // which owns the machine and is gone when this runs.
            unsafe { module.free_memory() };
        }
    }
}
