//! Blocks of one value, and those that several owners share.

use super::contain::Met;
use super::{State, Walk};
use crate::image::word;
use crate::plan::Owner;
use crate::rules::{COUNTS, Content};
use crate::site::Filled;
use crate::types::TypeId;

impl Walk<'_, '_> {
    pub(super) fn one(&mut self, address: u64, ty: TypeId, owner: Owner) {
        let size = self.size(ty);
        if size == 0 || address == 0 {
            return;
        }
        let met = Met {
            kind: "Box",
            len: 1,
            capacity: 1,
            bytes: size,
            slack: 0,
        };
        let known = self.image.block(address);
        // Two owners of one block: its value was being moved.
        if known.is_some_and(|index| self.found.owned[index]) {
            return self.torn();
        }
        // Its site may have typed it already; then it was read.
        if let Some(index) = known
            && matches!(self.found.states.of(index), State::Held(held, Filled::One, _) if held == ty)
        {
            self.found.owned[index] = true;
            self.found
                .states
                .set(index, State::Held(ty, Filled::One, owner));
            self.link(index, owner);
            self.met(owner, ty, &met);
            return;
        }
        let Some(index) = self.hold(address, (ty, owner), Filled::One, size) else {
            return;
        };
        self.met(owner, ty, &met);
        let plan = self.plans.element(ty, owner);
        self.push(plan, self.image.contents(index));
    }

    /// Counts an owner of a shared block. True for the first one.
    pub(super) fn share(&mut self, index: usize, owner: Owner) -> bool {
        *self.found.shares.entry(index).or_default() += 1;
        if self.found.shared_by.contains_key(&index) {
            return false;
        }
        self.found.shared_by.insert(index, owner);
        true
    }

    pub(super) fn shared(&mut self, address: u64, ty: TypeId, owner: Owner) {
        // A `Weak` of nothing points to the end of memory.
        if address == u64::MAX || address == 0 {
            return;
        }
        let size = self.size(ty);
        let kind = match self.program.types.base(ty).ends_with("::counter::Counter") {
            true => "channel",
            false => "Rc",
        };
        if let Some(index) = self.owned(address)
            && let State::Held(held, Filled::One, _) = self.found.states.of(index)
            && held == ty
        {
            let first = self.share(index, owner);
            self.link(index, owner);
            self.met(owner, ty, &shared_met(kind, size, first));
            return;
        }
        let Some(index) = self.hold(address, (ty, owner), Filled::One, size) else {
            return;
        };
        self.share(index, owner);
        self.met(owner, ty, &shared_met(kind, size, true));
        let plan = self.plans.element(ty, owner);
        self.push(plan, self.image.contents(index));
    }

    pub(super) fn shared_dyn(&mut self, address: u64, ty: TypeId, owner: Owner) {
        if address == u64::MAX || address == 0 {
            return;
        }
        let Some(index) = self.owned(address) else {
            return self.torn();
        };
        if let State::Held(..) = self.found.states.of(index) {
            let first = self.share(index, owner);
            self.link(index, owner);
            let size = self.image.blocks[index].size;
            self.met(owner, ty, &shared_met("Rc", size, first));
            return;
        }
        let size = self.image.blocks[index].size;
        // The site has the type `RcInner<T>`, which an owner does not name.
        if size < COUNTS + self.size(ty) {
            return self.torn();
        }
        self.found
            .states
            .set(index, State::Held(ty, Filled::Counted, owner));
        self.link(index, owner);
        self.share(index, owner);
        self.met(owner, ty, &shared_met("Rc", size, true));
        let bytes = self.image.contents(index);
        if word(bytes, 0) != 0 {
            let plan = self.plans.element(ty, owner);
            self.push(plan, &bytes[COUNTS as usize..]);
        }
    }

    pub(super) fn shared_slice(&mut self, address: u64, len: u64, start: u64, content: Content) {
        if address == u64::MAX || address == 0 {
            return;
        }
        let size = self.size(content.ty);
        let values = len.saturating_mul(size);
        let total = start.saturating_add(values);
        let total = total.checked_next_multiple_of(8).unwrap_or(total);
        let filled = Filled::counted_slice(start);
        let Some(index) = self.owned(address) else {
            return self.torn();
        };
        let held = self.found.states.of(index);
        if matches!(held, State::Held(ty, how, _) if ty == content.ty && how == filled) {
            let first = self.share(index, content.owner);
            self.link(index, content.owner);
            self.met(content.owner, content.ty, &shared_met("Rc", total, first));
            return;
        }
        if let State::Made(_) = self.found.states.of(index) {
            self.found.states.set(index, State::Unknown);
        }
        if self
            .hold(address, (content.ty, content.owner), filled, total)
            .is_none()
        {
            return;
        }
        self.share(index, content.owner);
        self.met(content.owner, content.ty, &shared_met("Rc", total, true));
        let bytes = self.image.contents(index);
        if word(bytes, 0) == 0 {
            return;
        }
        let Some(values) = bytes.get(start as usize..(start + values) as usize) else {
            return;
        };
        match content.text {
            true => self.text(values, content.owner),
            false => self.each(values, len, content),
        }
    }
}

/// A shared block counts once.
fn shared_met(kind: &'static str, size: u64, first: bool) -> Met {
    Met {
        kind,
        len: 1,
        capacity: 1,
        bytes: if first { size } else { 0 },
        slack: 0,
    }
}
