//! The memory of a program at one moment, as the recorder has written it: blocks, their stacks and
//! contents, statics and stacks of threads.

use rustc_hash::FxHashMap;
use std::io::{BufReader, ErrorKind, Read};
use std::ops::Range;
use weigh_heap::protocol::memory;
use weigh_heap::protocol::section::{
    BLOCKS, CONTENTS, MADE, MAPS, MEMORY, MOMENT, REGION, SLEEPING, STACKS,
};

/// A live block.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its address.
    pub address: u64,
    /// Bytes, as requested.
    pub size: u64,
    /// The offset of its contents in [`Image::data`], and above these bits its stack's number.
    place: u64,
}

// A heap has millions of blocks.
const _: () = assert!(size_of::<Block>() == 24);

/// Bits of the offset of a block's contents: 1 TB. The other 24 bits are for its stack's number;
/// the recorder numbers at most 2^20 stacks.
const OFFSET_BITS: u32 = 40;

impl Block {
    /// A block; none where its stack's number or the offset of its contents has too many bits.
    fn new(address: u64, size: u64, stack: u64, offset: u64) -> Option<Block> {
        let fits = stack >> (u64::BITS - OFFSET_BITS) == 0 && offset >> OFFSET_BITS == 0;
        fits.then_some(Block {
            address,
            size,
            place: stack << OFFSET_BITS | offset,
        })
    }

    /// The number of the stack that allocated it.
    pub fn stack(&self) -> u32 {
        (self.place >> OFFSET_BITS) as u32
    }

    /// The offset of its contents in [`Image::data`].
    fn offset(&self) -> usize {
        (self.place & ((1 << OFFSET_BITS) - 1)) as usize
    }
}

/// A function that has been called and waits.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Where it goes on.
    pub returns_to: u64,
    /// Its frame pointer.
    pub frame: u64,
    /// Its stack pointer at the call.
    pub stack: u64,
}

/// The most words of a stack that are searched for a frame, and the farthest that two frames are
/// from each other.
const MOST_WORDS: usize = 1 << 14;
const FARTHEST: u64 = 1 << 20;

/// The most frames that are followed.
const MOST_FRAMES: usize = 1000;

/// Memory at one moment.
#[derive(Debug, Default)]
pub struct Image {
    /// Live blocks, by address.
    pub blocks: Vec<Block>,
    /// Return addresses, the innermost first.
    pub stacks: FxHashMap<u32, Vec<u64>>,
    /// The label of the moment.
    pub label: String,
    /// The address and the vtable of a root that alone is to be counted.
    pub root: Option<(u64, u64)>,
    /// A block that is not initialized yet.
    pub fresh: u64,
    /// The frame pointer of the recorder, on the stack of the thread that came to the moment.
    frame: u64,
    /// The stack pointers of threads that were in the kernel.
    sleeping: Vec<u64>,
    /// How many blocks and bytes each stack has allocated in total.
    pub made: FxHashMap<u32, (u64, u64)>,
    /// Bytes of memory, by [`memory`].
    pub memory_of_process: [u64; memory::WORDS],
    /// Start, bytes, and offset in `data` of memory outside of blocks; by start.
    pub regions: Vec<(u64, u64, u64)>,
    maps: String,
    data: Vec<u8>,
    /// Where the contents of blocks lie in it.
    contents: Range<u64>,
}

impl Image {
    /// Reads what the recorder wrote behind its shared words.
    ///
    /// # Errors
    /// The data is cut off, or not the recorder's.
    pub fn read(from: &mut impl Read) -> Result<Image, String> {
        let mut image = Image::default();
        let cut = |_| "the recorder's data is cut off".to_owned();
        let mut contents = None;
        loop {
            let mut head = [0; 16];
            from.read_exact(&mut head).map_err(cut)?;
            let (tag, bytes) = (word(&head, 0), word(&head, 8));
            if tag == 0 {
                break;
            }
            let body = &mut from.by_ref().take(bytes);
            match tag {
                BLOCKS => {
                    image.blocks = read_blocks(body, bytes).map_err(cut)?;
                }
                REGION if bytes >= 8 => {
                    let start = word(&all(body, 8).map_err(cut)?, 0);
                    let region = (start, bytes - 8, image.data.len() as u64);
                    image.regions.push(region);
                    append(&mut image.data, body, bytes - 8).map_err(cut)?;
                }
                CONTENTS => {
                    contents = Some((image.data.len() as u64, bytes));
                    append(&mut image.data, body, bytes).map_err(cut)?;
                }
                MAPS => {
                    let text = all(body, bytes).map_err(cut)?;
                    image.maps = String::from_utf8_lossy(&text).into_owned();
                }
                SLEEPING => {
                    let body = all(body, bytes).map_err(cut)?;
                    image.sleeping = words(&body).collect();
                    // In the order in which the kernel lists threads.
                    image.sleeping.sort_unstable();
                }
                MADE => {
                    let body = all(body, bytes).map_err(cut)?;
                    let triples = body.as_chunks::<24>().0.iter();
                    image.made = triples
                        .map(|t| (word(t, 0) as u32, (word(t, 8), word(t, 16))))
                        .collect();
                }
                MEMORY => {
                    let body = all(body, bytes).map_err(cut)?;
                    for (own, word) in image.memory_of_process.iter_mut().zip(words(&body)) {
                        *own = word;
                    }
                }
                STACKS => image.read_stacks(&all(body, bytes).map_err(cut)?)?,
                MOMENT if bytes >= 40 => {
                    let body = all(body, bytes).map_err(cut)?;
                    let root = (word(&body, 0), word(&body, 8));
                    image.root = (root.0 != 0).then_some(root);
                    image.fresh = word(&body, 16);
                    image.frame = word(&body, 32);
                    image.label = String::from_utf8_lossy(&body[40..]).into_owned();
                }
                _ => return Err("the recorder's data cannot be understood".to_owned()),
            }
            all(from, bytes.next_multiple_of(8) - bytes).map_err(cut)?;
        }
        let cut = || "the recorder's data is cut off".to_owned();
        // Contents of blocks follow each other in the order of the list of blocks.
        let (mut offset, bytes) = contents.ok_or_else(cut)?;
        image.contents = offset..offset + bytes;
        for block in &mut image.blocks {
            let (address, size, stack) = (block.address, block.size, block.stack());
            *block = Block::new(address, size, stack.into(), offset).ok_or_else(cut)?;
            offset = offset.checked_add(size).ok_or_else(cut)?;
        }
        if offset != image.contents.end {
            return Err(cut());
        }
        image.blocks.sort_unstable_by_key(|b| b.address);
        image.regions.sort_unstable();
        // A value may lie in several pages.
        image.regions.dedup_by(|next, before| {
            let (at, place) = (before.0 + before.1, before.2 + before.1);
            let follows = (at, place) == (next.0, next.2);
            before.1 += if follows { next.1 } else { 0 };
            follows
        });
        Ok(image)
    }

    fn read_stacks(&mut self, mut rest: &[u8]) -> Result<(), String> {
        while rest.len() >= 16 {
            let (id, n) = (word(rest, 0) as u32, word(rest, 8) as usize);
            let end = 16 + n.min(1024) * 8;
            let frames = rest.get(16..end).ok_or("the recorder's data is cut off")?;
            self.stacks.insert(id, words(frames).collect());
            rest = &rest[end..];
        }
        Ok(())
    }

    /// A list of mappings, and nothing else.
    #[cfg(test)]
    pub(super) fn mapped(maps: &str) -> Image {
        Image {
            maps: maps.to_owned(),
            ..Image::default()
        }
    }

    /// Blocks at addresses, in their order, and nothing else.
    #[cfg(test)]
    pub(super) fn of(blocks: &[(u64, Vec<u8>)]) -> Image {
        let mut image = Image::default();
        for (address, contents) in blocks {
            let (size, offset) = (contents.len() as u64, image.data.len() as u64);
            image.blocks.extend(Block::new(*address, size, 0, offset));
            image.data.extend(contents);
        }
        image.contents = 0..image.data.len() as u64;
        image
    }

    /// With memory outside of blocks.
    #[cfg(test)]
    pub(super) fn with_region(mut self, start: u64, bytes: &[u8]) -> Image {
        let region = (start, bytes.len() as u64, self.data.len() as u64);
        self.regions.push(region);
        self.data.extend(bytes);
        self
    }

    /// The block that starts at an address.
    pub fn block(&self, address: u64) -> Option<usize> {
        self.blocks
            .binary_search_by_key(&address, |b| b.address)
            .ok()
    }

    /// The block that an address is in, or at the end of.
    pub fn around(&self, address: u64) -> Option<usize> {
        let after = self.blocks.partition_point(|b| b.address <= address);
        let last = after.checked_sub(1)?;
        let block = &self.blocks[last];
        (address - block.address <= block.size).then_some(last)
    }

    /// The contents of a block.
    pub fn contents(&self, index: usize) -> &[u8] {
        let block = &self.blocks[index];
        &self.data[block.offset()..][..block.size as usize]
    }

    /// Memory at any address, if all of it was recorded.
    pub fn memory(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let after = self.blocks.partition_point(|b| b.address <= address);
        if let Some(block) = after.checked_sub(1).map(|i| &self.blocks[i])
            && address.checked_add(bytes)? <= block.address + block.size
        {
            let start = block.offset() + (address - block.address) as usize;
            return Some(&self.data[start..start + bytes as usize]);
        }
        let after = self.regions.partition_point(|r| r.0 <= address);
        let region = after.checked_sub(1).map(|i| self.regions[i])?;
        let within = address.checked_add(bytes)? <= region.0 + region.1;
        let start = (region.2 + address - region.0) as usize;
        within.then(|| &self.data[start..start + bytes as usize])
    }

    /// Memory outside of blocks, which may span regions. Pages that were not recorded are zero.
    pub fn gathered(&self, address: u64, bytes: u64) -> Vec<u8> {
        let mut all = vec![0; bytes as usize];
        let end = address + bytes;
        let first = self.regions.partition_point(|r| r.0 + r.1 <= address);
        for &(start, length, at) in self.regions[first..].iter().take_while(|r| r.0 < end) {
            let (from, to) = (start.max(address), (start + length).min(end));
            let source = (at + from - start) as usize;
            let n = (to - from) as usize;
            let target = (from - address) as usize;
            all[target..target + n].copy_from_slice(&self.data[source..source + n]);
        }
        all
    }

    /// The frames of the thread that came to the moment, the innermost first.
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = self.frame;
        while let Some(saved) = self.memory(at, 16).filter(|_| frames.len() < MOST_FRAMES) {
            let frame = Frame {
                returns_to: word(saved, 8),
                frame: word(saved, 0),
                stack: at + 16,
            };
            // Code without frame pointers leaves anything there.
            if frame.frame <= at {
                break;
            }
            at = frame.frame;
            frames.push(frame);
        }
        frames
    }

    /// The frames of each other thread that waited in the kernel, the innermost first. Code of libc has no
    /// frame pointers, so the stack is searched for the first two that lead on to each other and
    /// return to the program, as `is_code` says.
    pub fn waiting_frames(&self, is_code: impl Fn(u64) -> bool) -> Vec<Vec<Frame>> {
        let own: Vec<u64> = self.frames().iter().map(|frame| frame.frame).collect();
        let stacks = self.sleeping.iter();
        let all = stacks.map(|&stack| {
            let saved = |at: u64| {
                let words = self.memory(at, 16)?;
                let (frame, returns_to) = (word(words, 0), word(words, 8));
                is_code(returns_to).then_some((frame, returns_to))
            };
            let is_frame = |at: &u64| {
                let next = saved(*at).filter(|(frame, _)| frame > at && frame - at < FARTHEST);
                next.is_some_and(|(frame, _)| saved(frame).is_some())
            };
            let places = (stack & !7..=u64::MAX).step_by(8).take(MOST_WORDS);
            let Some(mut at) = places.into_iter().find(is_frame) else {
                return Vec::new();
            };
            let mut frames = Vec::new();
            while let Some((frame, returns_to)) = saved(at) {
                frames.push(Frame {
                    returns_to,
                    frame,
                    stack: at + 16,
                });
                if frame <= at || frames.len() >= MOST_FRAMES {
                    break;
                }
                at = frame;
            }
            frames
        });
        // The thread that came to the moment is one of them: it was in the kernel to read this.
        all.filter(|frames| !frames.iter().any(|frame| own.contains(&frame.frame)))
            .collect()
    }

    /// Where bytes of this memory lie in all that was recorded.
    pub fn offset_of(&self, bytes: &[u8]) -> u64 {
        (bytes.as_ptr() as usize).wrapping_sub(self.data.as_ptr() as usize) as u64
    }

    /// Whether bytes of this memory lie in a block.
    pub fn is_in_block(&self, bytes: &[u8]) -> bool {
        let at = self.offset_of(bytes);
        // A value without bytes may lie at the end of the last one.
        self.contents.contains(&at) || bytes.is_empty() && at == self.contents.end
    }

    /// The blocks in the order of the offsets of their contents, with these.
    pub fn by_offset(&self) -> Vec<(u64, u32)> {
        let blocks = self.blocks.iter().enumerate().filter(|(_, b)| b.size > 0);
        let mut list: Vec<(u64, u32)> = blocks
            .filter_map(|(index, b)| Some((b.offset() as u64, u32::try_from(index).ok()?)))
            .collect();
        list.sort_unstable();
        list
    }

    /// The bytes of a region.
    pub fn region(&self, region: (u64, u64, u64)) -> &[u8] {
        &self.data[region.2 as usize..(region.2 + region.1) as usize]
    }

    /// The files whose code is loaded, each once.
    pub fn objects(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for line in self.maps.lines().filter(|line| line.contains("r-xp")) {
            if let Some(at) = line.find('/')
                && !paths.contains(&&line[at..])
            {
                paths.push(&line[at..]);
            }
        }
        paths
    }

    /// What is added to the addresses in a program's file once it is loaded. `segments` are file
    /// offset, address and bytes.
    pub fn bias(&self, program: &str, segments: &[(u64, u64, u64)]) -> Option<u64> {
        self.maps.lines().find_map(|line| {
            let path = line.find('/').map(|at| &line[at..])?;
            if path != program {
                return None;
            }
            let mut parts = line.split_ascii_whitespace();
            let start = parts.next()?.split('-').next()?;
            let start = u64::from_str_radix(start, 16).ok()?;
            let offset = u64::from_str_radix(parts.nth(1)?, 16).ok()?;
            let segment = segments.iter().find(|s| s.0 & !4095 == offset)?;
            start.checked_sub(segment.1 & !4095)
        })
    }
}

/// Reads so many bytes; an error if there are fewer.
fn all(from: &mut impl Read, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut data = Vec::new();
    append(&mut data, from, bytes)?;
    Ok(data)
}

/// Appends so many bytes; an error if there are fewer.
fn append(to: &mut Vec<u8>, from: &mut impl Read, bytes: u64) -> std::io::Result<()> {
    let before = to.len();
    let wanted = usize::try_from(bytes).map_err(|_| ErrorKind::UnexpectedEof)?;
    // Regions are many and small.
    let made = match wanted < 1 << 20 {
        true => to.try_reserve(wanted),
        false => to.try_reserve_exact(wanted),
    };
    made.map_err(|_| ErrorKind::UnexpectedEof)?;
    from.take(bytes).read_to_end(to)?;
    match to.len() - before == wanted {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads the list of blocks, which do not have the offsets of their contents yet.
fn read_blocks(from: &mut impl Read, bytes: u64) -> std::io::Result<Vec<Block>> {
    let number = usize::try_from(bytes / 24).map_err(|_| ErrorKind::UnexpectedEof)?;
    let mut blocks = Vec::new();
    blocks
        .try_reserve_exact(number)
        .map_err(|_| ErrorKind::UnexpectedEof)?;
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut one = [0; 24];
    for _ in 0..number {
        from.read_exact(&mut one)?;
        let block = Block::new(word(&one, 0), word(&one, 8), word(&one, 16), 0);
        blocks.push(block.ok_or(ErrorKind::InvalidData)?);
    }
    Ok(blocks)
}

/// All whole words.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|w| word(w, 0))
}

/// Eight bytes as a number; 0 beyond the end.
pub fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at.saturating_add(8)) {
        Some(bytes) => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
        None => 0,
    }
}

/// A number of up to eight bytes; 0 beyond the end.
pub fn narrow(bytes: &[u8], at: u64, n: u64) -> u64 {
    let mut buffer = [0; 8];
    let (at, n) = (at as usize, n.min(8) as usize);
    if let Some(found) = bytes.get(at..at.saturating_add(n)) {
        buffer[..n].copy_from_slice(found);
    }
    u64::from_le_bytes(buffer)
}

/// Eight bytes as a number, or those up to the end.
pub fn rest(bytes: &[u8], at: u64) -> u64 {
    narrow(bytes, at, (bytes.len() as u64).saturating_sub(at))
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, CONTENTS, Image};

    /// What the recorder writes of one block of eight bytes that this stack allocated.
    fn recorded(stack: u64) -> Vec<u8> {
        let words = [BLOCKS, 24, 4096, 8, stack, CONTENTS, 8, 7, 0, 0];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn a_block_has_the_stack_and_the_contents_that_were_written() {
        for stack in [0, 1, (1 << 24) - 1] {
            let image = Image::read(&mut &recorded(stack)[..]).unwrap();
            assert_eq!(u64::from(image.blocks[0].stack()), stack);
            assert_eq!(image.contents(0), 7u64.to_le_bytes());
        }
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let whole = recorded(1);
        for end in 0..whole.len() {
            let why = Image::read(&mut &whole[..end]).expect_err("it is cut");
            assert_eq!(why, "the recorder's data is cut off", "{end}");
        }
    }

    #[test]
    fn a_stack_number_that_no_recorder_writes_is_an_error() {
        for stack in [1 << 24, u64::MAX] {
            assert!(Image::read(&mut &recorded(stack)[..]).is_err());
        }
    }

    #[test]
    fn memory_continues_in_the_next_region_and_is_zero_between() {
        let image = Image {
            regions: vec![(100, 4, 0), (104, 4, 4), (120, 4, 8)],
            data: (1..13).collect(),
            ..Image::default()
        };
        let at = |address, bytes| image.gathered(address, bytes);
        assert_eq!(at(98, 8), [0, 0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(
            at(106, 16),
            [7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10]
        );
        assert_eq!(at(108, 4), [0; 4]);
        assert_eq!(at(124, 2), [0; 2]);
    }
}
