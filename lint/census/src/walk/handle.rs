//! `Bytes`, `BytesMut` and tendrils: a handle owns the buffer alone, or several share a block.

use super::contain::{Met, place};
use super::{State, Walk};
use crate::image::narrow;
use crate::rules::{Handle, INLINE, Tendril};
use crate::site::Filled;

/// Set in the pointer to data where the handle alone owns the buffer.
const ALONE: u64 = 1;

/// Bits of the data of a handle that can grow below the bytes that it has dropped in front.
const DROPPED: u32 = 5;

impl Walk<'_, '_> {
    pub(super) fn handle(&mut self, handle: &Handle, bytes: &[u8]) {
        let (seen, len) = (place(bytes, handle.pointer), place(bytes, handle.length));
        let data = place(bytes, handle.data);
        let capacity = handle.capacity.map(|at| place(bytes, at));
        let met = Met {
            kind: "Bytes",
            len,
            capacity: capacity.unwrap_or(len),
            bytes: 0,
            slack: 0,
        };
        if data & ALONE == ALONE {
            let (start, total) = match capacity {
                Some(capacity) => {
                    let dropped = data >> DROPPED;
                    (seen.wrapping_sub(dropped), capacity.saturating_add(dropped))
                }
                None => {
                    let start = data - ALONE;
                    (start, seen.wrapping_sub(start).saturating_add(len))
                }
            };
            if total > 0
                && self
                    .hold(start, (handle.byte, handle.owner), Filled::Slice, total)
                    .is_none()
            {
                return;
            }
            let met = Met {
                capacity: total,
                bytes: total,
                slack: total.saturating_sub(len),
                ..met
            };
            self.met(handle.owner, handle.byte, &met);
            return;
        }
        self.met(handle.owner, handle.byte, &met);
        // Outside of the heap it is a static, or the type of its owner is unknown.
        let Some(index) = self.image.block(data) else {
            return;
        };
        let size = self.image.blocks[index].size;
        let mut shared = handle.shared.into_iter().flatten();
        let Some(ty) = shared.find(|ty| self.size(*ty) == size) else {
            return;
        };
        if matches!(self.found.states.of(index), State::Held(held, ..) if held == ty) {
            self.link(index, handle.owner);
            return;
        }
        let is_free = match self.found.states.of(index) {
            State::Unknown => true,
            State::Made(site) => site.ty == ty || !site.sure || site.yields,
            _ => false,
        };
        if is_free
            && self
                .hold(data, (ty, handle.owner), Filled::One, size)
                .is_some()
        {
            let plan = self.plans.element(ty, handle.owner);
            self.push(plan, self.image.contents(index));
        }
    }

    pub(super) fn tendril(&mut self, tendril: &Tendril, bytes: &[u8]) {
        let pointer = place(bytes, tendril.pointer);
        let content = tendril.content;
        let mut met = Met {
            kind: "Tendril",
            len: 0,
            capacity: 0,
            bytes: 0,
            slack: 0,
        };
        if pointer <= INLINE {
            met.len = pointer % INLINE;
            met.capacity = met.len;
            self.met(content.owner, content.ty, &met);
            let start = tendril.inline as usize;
            if let Some(text) = bytes.get(start..start + met.len as usize) {
                self.text(text, content.owner);
            }
            return;
        }
        let (block, is_shared) = (pointer & !1, pointer & 1 == 1);
        let (len, rest) = (
            narrow(bytes, tendril.length, 4),
            narrow(bytes, tendril.rest, 4),
        );
        let Some(index) = self.image.block(block) else {
            return self.torn();
        };
        let (start, capacity) = match is_shared {
            true => (tendril.header + rest, len),
            false => (tendril.header, rest),
        };
        let size = self.image.blocks[index].size;
        if start + len.max(capacity) > size {
            return self.torn();
        }
        (met.len, met.capacity) = (len, capacity);
        let held = (content.ty, content.owner);
        let is_known = matches!(self.found.states.of(index), State::Held(ty, Filled::Text, _) if ty == content.ty);
        let is_first = match is_shared && is_known {
            true => {
                self.link(index, content.owner);
                self.share(index, content.owner)
            }
            false if self.hold(block, held, Filled::Text, size).is_none() => return,
            false => !is_shared || self.share(index, content.owner),
        };
        if is_first {
            met.bytes = size;
            met.slack = capacity.saturating_sub(len);
        }
        self.met(content.owner, content.ty, &met);
        let text = &self.image.contents(index)[start as usize..(start + len) as usize];
        self.text(text, content.owner);
    }
}
