//! How linked lists are used: which methods of std's are called, and where hand-written lists are
//! pushed and popped.

use super::Usage;
use crate::infer::body::{FieldId, Site, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{adt_of, std_first, without_refs};
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the links of a list are set.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// A new node gets the list so far: a push.
    pub pushed: Vec<Site>,
    /// The head gets the next node: a pop.
    pub popped: Vec<Site>,
    /// A node in the middle of a list is removed or inserted.
    pub spliced: Vec<Site>,
}

/// How linked lists are used.
#[derive(Debug, Default)]
pub struct LinkedLists {
    /// List types of std that are split or joined.
    spliced: FxHashSet<Ty>,
    /// By the field that links a node to the next.
    links: FxHashMap<FieldId, Links>,
}

impl LinkedLists {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> LinkedLists {
        let mut lists = LinkedLists::default();
        for body in usage.bodies.iter().filter(|b| !b.function.aside) {
            for (id, node, _) in body.exprs() {
                match &node.kind {
                    ExprKind::Method(on, ..) if body.is_marked(id, Mark::Splices) => {
                        let ty = without_refs(db, body.fact(*on).ty);
                        if std_first(db, ty, &["LinkedList"]).is_some() {
                            lists.spliced.insert(ty);
                        }
                    }
                    ExprKind::Struct(_, fields, None) => {
                        for &(name, value) in fields {
                            lists.literal(db, body, id, name, value);
                        }
                    }
                    ExprKind::Assign(place, None, value) => {
                        lists.assigned(db, body, *place, *value);
                    }
                    _ => {}
                }
            }
        }
        lists
    }

    /// Returns true if a list type of std is split or joined somewhere; for an unknown element
    /// type, if any list is.
    pub fn is_spliced(&self, db: &Db<'static>, list: Ty) -> bool {
        let open = |list: Ty| {
            let element = std_first(db, list, &["LinkedList"]);
            element.is_some_and(|e| matches!(db.types.kind(e), TyKind::Param(..)))
        };
        self.spliced.contains(&list) || open(list) && self.spliced.iter().any(|s| open(*s))
    }

    /// Returns how the field that links nodes is set.
    pub fn links(&self, field: FieldId) -> Option<&Links> {
        self.links.get(&field)
    }

    /// Handles `Node { next: head.take(), … }`.
    fn literal(
        &mut self,
        db: &Db<'static>,
        body: &Typed,
        id: ExprId,
        name: crate::name::Name,
        value: ExprId,
    ) {
        let Some(Target::Ctor(adt, variant)) = body.fact(id).target else {
            return;
        };
        let Some(field) = db.field_named(adt, variant, name) else {
            return;
        };
        let field = FieldId::new(adt, variant as usize, field as usize);
        let Some(from) = taken(body, value) else {
            return;
        };
        let site = body.site(id);
        let links = self.links.entry(field).or_default();
        match body.fact(from).target {
            // Out of another node: in the middle of the list.
            Some(Target::Field(other)) if other == field => links.spliced.push(site),
            _ => links.pushed.push(site),
        }
    }

    /// Handles `head = node.next` and `head = node.next.take()`.
    fn assigned(&mut self, db: &Db<'static>, body: &Typed, place: ExprId, value: ExprId) {
        let value = taken(body, value).unwrap_or(value);
        let Some(Target::Field(field)) = body.fact(value).target else {
            return;
        };
        // Only a pointer to another node of the same type is a link.
        let boxed = std_first(db, body.fact(value).ty, &["Option"]);
        let node = boxed.and_then(|ty| std_first(db, ty, &["Box"]));
        if node.and_then(|node| adt_of(db, node)) != Some(field.adt) {
            return;
        }
        let site = body.site(place);
        let links = self.links.entry(field).or_default();
        let place = match &body.node(place).kind {
            ExprKind::Deref(inner) => *inner,
            _ => place,
        };
        match body.fact(place).target {
            Some(Target::Field(to)) if to == field => links.spliced.push(site),
            Some(Target::Field(_)) => links.popped.push(site),
            _ => {}
        }
    }
}

/// Returns the place that `x.take()` or `mem::take(&mut x)` takes from.
fn taken(body: &Typed, id: ExprId) -> Option<ExprId> {
    match &body.node(id).kind {
        ExprKind::Method(on, method, ..) if method.name == "take" => Some(*on),
        ExprKind::Call(callee, args) if matches!(body.called(*callee), "take" | "replace") => {
            let from = *args.first()?;
            match &body.node(from).kind {
                ExprKind::Ref(true, inner) => Some(*inner),
                _ => Some(from),
            }
        }
        _ => None,
    }
}
