//! How linked lists are used: whether those of std are split or joined, and where hand-written ones
//! are pushed and popped.

use super::Usage;
use crate::flow::{How, edge};
use crate::infer::body::{FieldId, Site, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{std_first, without_refs};
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};

/// Where the links of a list are set.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// A new node gets the list so far: a push.
    pub pushed: Vec<Site>,
    /// The head gets the next node: a pop.
    pub popped: Vec<Site>,
    /// Whether a node in the middle of a list is removed or inserted.
    pub spliced: bool,
}

/// Returns true if a list type of std is split or joined somewhere; for an unknown element type, if
/// any list is.
pub fn is_spliced(db: &Db<'static>, usage: &Usage, list: Ty) -> bool {
    let element = |list: Ty| std_first(db, list, &["LinkedList"]);
    let open =
        |list: Ty| element(list).is_some_and(|e| matches!(db.types.kind(e), TyKind::Param(..)));
    let splices = |body: &Typed, id: ExprId| match &body.node(id).kind {
        ExprKind::Method(on, ..) if body.is_marked(id, Mark::Splices) => {
            let ty = without_refs(db, body.fact(*on).ty);
            ty == list || open(list) && open(ty)
        }
        _ => false,
    };
    let mut bodies = usage.bodies.iter().filter(|b| !b.function.aside);
    bodies.any(|body| body.exprs().any(|(id, ..)| splices(body, id)))
}

/// Returns how the field that links each node to the next is set.
pub fn links(usage: &Usage, field: FieldId) -> Links {
    let mut links = Links::default();
    let is_it = |target| target == Some(Target::Field(field));
    // `Node { next: head.take(), … }`.
    for &(at, value) in usage.events.set.of(&field) {
        let body = &usage.bodies[at.body];
        if let (false, Some(from)) = (body.function.aside, taken_from(body, value)) {
            match is_it(body.fact(from).target) {
                true => links.spliced = true,
                false => links.pushed.push(body.site(at.expr)),
            }
        }
    }
    // `head = node.next`, or `node.next.take()`.
    for at in usage.events.named.of(&field) {
        let body = &usage.bodies[at.body];
        let mut used = edge(body, at.expr);
        if taken_from(body, used.by) == Some(at.expr) {
            used = edge(body, used.by);
        }
        let How::Assigned(place) = used.how else {
            continue;
        };
        let place = match body.node(place).kind {
            ExprKind::Deref(inner) => inner,
            _ => place,
        };
        match body.fact(place).target {
            _ if body.function.aside => {}
            target if is_it(target) => links.spliced = true,
            Some(Target::Field(_)) => links.popped.push(body.site(place)),
            _ => {}
        }
    }
    links
}

/// Returns the place that `x.take()` or `mem::take(&mut x)` takes from.
fn taken_from(body: &Typed, id: ExprId) -> Option<ExprId> {
    match &body.node(id).kind {
        ExprKind::Method(on, name, ..) if name.name == "take" => Some(*on),
        ExprKind::Call(_, args) => match body.node(*args.first()?).kind {
            ExprKind::Ref(true, from) => matches!(edge(body, from).how, How::Taken).then_some(from),
            _ => None,
        },
        _ => None,
    }
}
