//! Coroutines: their size from what they save, as rustc's own calculator lays it out.

use super::{Data, Extent, Layout, LayoutArena, data_layout};
use crate::project::Project;
use ra_ap_rustc_abi::{
    AbiAlign, Align, FieldIdx, HasDataLayout, LayoutCalculator, Size, TargetDataLayout, VariantIdx,
};
use ra_ap_rustc_index::bit_set::BitMatrix;
use ra_ap_rustc_index::{Idx, IndexVec};

/// What a coroutine saves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// What was moved or borrowed into it, in order.
    pub upvars: Vec<Extent>,
    /// The variables that live across an await.
    pub locals: Vec<Extent>,
    /// The variables of each state, in rustc's order: the three states without any too.
    pub states: Vec<Vec<usize>>,
    /// Pairs of variables whose storage is in use at once.
    pub conflicts: Vec<(usize, usize)>,
}

/// Calculates coroutines for the target of a project.
pub struct Calculator(pub(super) Option<LayoutCalculator<TargetDataLayout>>);

impl Calculator {
    /// Makes one; it knows nothing if the project's flags make layouts unforeseeable.
    pub fn new(project: &Project) -> Calculator {
        let plain = project.layout_flag.is_none().then_some(&project.target);
        let layout = plain.and_then(|target| data_layout(target).ok());
        Calculator(layout.map(LayoutCalculator::new))
    }

    /// Returns size and alignment of a coroutine; `None` if that is not known, or if nothing can have
    /// that size or alignment.
    pub fn extent(&self, saved: &Saved) -> Option<Extent> {
        extent(self.0.as_ref()?, saved)
    }
}

/// A type of which nothing else is known.
pub(super) fn opaque(dl: &TargetDataLayout, extent: Extent) -> Option<Data> {
    let align = Align::from_bytes(extent.align).ok()?;
    let mut data = Data::unit(dl, true);
    data.size = Size::from_bytes(extent.size);
    data.align = AbiAlign::new(align);
    data.unadjusted_abi_align = align;
    Some(data)
}

fn extent(calc: &LayoutCalculator<TargetDataLayout>, saved: &Saved) -> Option<Extent> {
    let arena = LayoutArena::default();
    let dl = calc.cx.data_layout();
    let of = |extent: &Extent| Some(Layout(arena.keep(opaque(dl, *extent)?)));
    let all = |list: &[Extent]| list.iter().map(of).collect::<Option<Vec<_>>>();
    let count = saved.locals.len();
    let locals: IndexVec<FieldIdx, Layout<'_>> = IndexVec::from_raw(all(&saved.locals)?);
    let upvars: IndexVec<FieldIdx, Layout<'_>> = IndexVec::from_raw(all(&saved.upvars)?);
    let known = |local: &usize| (*local < count).then(|| FieldIdx::new(*local));
    let mut states: IndexVec<VariantIdx, IndexVec<FieldIdx, FieldIdx>> = IndexVec::new();
    for state in &saved.states {
        states.push(state.iter().map(known).collect::<Option<_>>()?);
    }
    // The calculator takes for granted that there is a state, and that each variable is in one.
    let is_used = |local| states.iter().any(|state| state.iter().any(|l| *l == local));
    if states.is_empty() || !locals.indices().all(is_used) {
        return None;
    }
    let mut conflicts = BitMatrix::new(count, count);
    for (a, b) in &saved.conflicts {
        conflicts.insert(known(a)?, known(b)?);
    }
    let tag = |scalar| Layout(arena.keep(Data::scalar(dl, scalar)));
    let layout = calc.coroutine(&locals, upvars, &states, &conflicts, tag);
    let layout: Data = layout.ok()?;
    Some(Extent {
        size: layout.size.bytes(),
        align: layout.align.bytes(),
    })
}
