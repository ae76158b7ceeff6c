//! Messages that wait in channels.

use super::contain::{Met, place};
use super::{State, Walk};
use crate::rules::{Lanes, Queue, Slots};
use crate::site::Filled;

/// Indices count in twos: the lowest bit says something else.
const INDEX: u32 = 1;

/// Indices of one block; the last of them is no slot.
const LAP: u64 = 32;

/// Messages of one block of tokio's.
const LANE: u64 = 32;

/// Of a slot's state: a message has been put in.
const WRITTEN: u64 = 1;

/// What holds messages in blocks or slots.
pub(super) const CHANNEL: &str = "channel";

impl<'i> Walk<'i, '_> {
    pub(super) fn queue(&mut self, queue: &Queue, bytes: &'i [u8]) {
        let mut index = place(bytes, queue.first) >> INDEX;
        let end = place(bytes, queue.end) >> INDEX;
        let mut block = place(bytes, queue.head);
        let size = self.size(queue.block);
        let slot = self.size(queue.slots.ty);
        let message = self.size(queue.content.ty);
        let plan = self.plans.element(queue.content.ty, queue.content.owner);
        let (mut len, mut blocks) = (0, 0);
        while block != 0 {
            // Its site may have given it that type already.
            if let Some(at) = self.image.block(block)
                && let State::Made(_) = self.found.states.of(at)
            {
                self.found.states.set(at, State::Unknown);
            }
            let Some(at) = self.hold(block, (queue.block, queue.content.owner), Filled::One, size)
            else {
                break;
            };
            let contents = self.image.contents(at);
            while index < end && index % LAP < LAP - 1 {
                let start = queue.slots.start + index % LAP * slot;
                let state = place(contents, start + queue.slots.state);
                let value = (start + queue.slots.message) as usize;
                if state & WRITTEN == WRITTEN
                    && let Some(value) = contents.get(value..value + message as usize)
                {
                    self.push(plan, value);
                    len += 1;
                }
                index += 1;
            }
            index += u64::from(index < end);
            blocks += 1;
            block = place(contents, queue.next);
        }
        let capacity = blocks * (LAP - 1);
        let met = Met {
            kind: CHANNEL,
            len,
            capacity,
            // Of many blocks, which are added apart.
            bytes: 0,
            slack: (capacity - len) * slot,
        };
        self.met(queue.content.owner, queue.content.ty, &met);
        self.met_nodes(queue.content.owner, queue.block, blocks);
    }

    pub(super) fn slots(&mut self, slots: &Slots, bytes: &'i [u8]) {
        let (first, end) = (place(bytes, slots.first), place(bytes, slots.end));
        let (mark, number) = (place(bytes, slots.mark), place(bytes, slots.number));
        let size = self.size(slots.slots.ty);
        let below = mark.wrapping_sub(1);
        let (from, to) = (first & below, end & below);
        if from > number || to > number {
            return self.torn();
        }
        let len = match from.cmp(&to) {
            std::cmp::Ordering::Less => to - from,
            std::cmp::Ordering::Greater => number - from + to,
            // The same lap as well: empty. The end has one more bit for a disconnected channel.
            std::cmp::Ordering::Equal if end & !mark == first => 0,
            std::cmp::Ordering::Equal => number,
        };
        let total = number.saturating_mul(size);
        let pointer = place(bytes, slots.pointer);
        let held = (slots.slots.ty, slots.content.owner);
        let Some(index) = self.hold(pointer, held, Filled::Slice, total) else {
            return;
        };
        self.add_room(held.0, held.1, (number - len) * size);
        let contents = self.image.contents(index);
        let met = Met {
            kind: CHANNEL,
            len,
            capacity: number,
            bytes: total,
            slack: (number - len) * size,
        };
        let content = slots.content;
        self.met(content.owner, content.ty, &met);
        let message = self.size(content.ty);
        let plan = self.plans.element(content.ty, content.owner);
        for n in from..from + len {
            let start = (n % number * size + slots.slots.message) as usize;
            if let Some(value) = contents.get(start..start + message as usize) {
                self.push(plan, value);
            }
        }
    }

    pub(super) fn lanes(&mut self, lanes: &Lanes, bytes: &'i [u8]) {
        let content = lanes.content;
        let next = place(bytes, lanes.index);
        let (size, message) = (self.size(lanes.block), self.size(content.ty));
        let plan = self.plans.element(content.ty, content.owner);
        let (mut len, mut blocks) = (0, 0);
        let mut block = place(bytes, lanes.head);
        while block != 0 {
            let Some(at) = self.image.block(block).filter(|at| !self.found.owned[*at]) else {
                self.found.torn += 1;
                break;
            };
            // Its site has given it that type already, and it may have been read as one value.
            if let State::Made(_) | State::Held(_, Filled::One, _) = self.found.states.of(at) {
                self.found.states.set(at, State::Unknown);
            }
            if self
                .hold(block, (lanes.block, content.owner), Filled::One, size)
                .is_none()
            {
                break;
            }
            let contents = self.image.contents(at);
            let (start, ready) = (place(contents, lanes.start), place(contents, lanes.ready));
            for slot in (0..LANE).filter(|slot| ready >> slot & 1 == 1) {
                let value = (lanes.values + slot * message) as usize;
                if start.saturating_add(slot) >= next
                    && let Some(value) = contents.get(value..value + message as usize)
                {
                    self.push(plan, value);
                    len += 1;
                }
            }
            blocks += 1;
            block = place(contents, lanes.next);
        }
        let capacity = blocks * LANE;
        let slack = (capacity - len) * message;
        let met = Met {
            kind: CHANNEL,
            len,
            capacity,
            // Of many blocks, which are added apart.
            bytes: 0,
            slack,
        };
        self.met(content.owner, content.ty, &met);
        self.add_room(lanes.block, content.owner, slack);
        self.met_nodes(content.owner, lanes.block, blocks);
    }
}
