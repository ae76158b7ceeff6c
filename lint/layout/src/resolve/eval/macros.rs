//! Macro calls in constant expressions, and hygiene of their local variables.

use super::{Frame, Step, Stop, give_up};
use crate::ir::{Expr, MacroCall, Stmt};
use crate::name::Name;
use crate::resolve::consts::Value;
use crate::resolve::ty::Ty;
use crate::resolve::types::Env;
use crate::resolve::{Db, Unknown};
use crate::span::{FileId, Span};

impl Db<'_> {
    /// Evaluates a macro call: a built-in one, or its expansion, which sees the variables around it
    /// and may jump out of them.
    pub(super) fn macro_expr(
        &self,
        call: &MacroCall,
        want: Option<Ty>,
        f: &mut Frame,
    ) -> Step<Value> {
        if self.is_built_in(call, &f.env)?
            && let Some(value) = self.built_in_value(call, &f.env)
        {
            return Ok(value?);
        }
        let (expr, text) = self.expand_expr(&f.env, call)?;
        let Some(_level) = self.budget.questions.enter() else {
            return give_up("a constant stopped here: it is nested too deep");
        };
        let depth = std::mem::take(&mut f.depth);
        f.macros.push(text);
        let value = self.step_as(&expr, want, f);
        f.macros.pop();
        f.depth = depth;
        value
    }

    /// Adds a variable, unless hygiene makes its name ambiguous between a macro and its call.
    pub(super) fn add_local(&self, name: Name, value: Value, f: &mut Frame) -> Step<()> {
        if f.macros.iter().any(|text| self.is_of_two(name, *text)) {
            let why = format!("`{name}` is one variable in a macro and another in its call");
            return Err(Stop::Unknown(Unknown::because(why)));
        }
        f.locals.push((name, value));
        Ok(())
    }

    /// Returns true if a name occurs in an expansion both from the macro itself and from elsewhere.
    fn is_of_two(&self, name: Name, text: FileId) -> bool {
        let source = self.sources.get(text);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let mut writers = source
            .text
            .match_indices(name.as_str())
            .filter(|(at, found)| {
                let (before, behind) = (&source.text[..*at], &source.text[at + found.len()..]);
                !before.ends_with(word) && !behind.starts_with(word)
            })
            .map(|(at, found)| {
                self.sources
                    .writer(Span::new(text, at, at + found.len()))
                    .id
            });
        let first = writers.next();
        writers.any(|writer| Some(writer) != first)
    }

    /// Propagates an early end of a block, unless a macro in a remaining statement may have defined
    /// an item, which would be in scope in the whole block.
    pub(super) fn no_items(&self, stop: Stop, left: &[Stmt], env: &Env) -> Step<()> {
        for stmt in left {
            if let Stmt::Expr(Expr::Macro(call)) = stmt
                && !self.is_built_in(call, env)?
                && matches!(
                    self.expand_expr(env, call),
                    Err(_) | Ok((Expr::Macro(_), _))
                )
            {
                return give_up("a macro behind the end of a block");
            }
        }
        Err(stop)
    }
}
