//! The memory of a program at one moment, as the recorder has written it: blocks, their stacks and
//! contents, statics and stacks of threads.

use rustc_hash::FxHashMap;

/// Where the recorder writes in the shared file. `heap/src/recorder.rs` has the other half.
pub const DATA_AT: u64 = 1 << 17;

const MAPS: u64 = 1;
const BLOCKS: u64 = 2;
const STACKS: u64 = 3;
const REGION: u64 = 4;
const CONTENTS: u64 = 5;
const MOMENT: u64 = 6;

/// A live block.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its address.
    pub address: u64,
    /// Bytes, as requested.
    pub size: u64,
    /// The stack that made it.
    pub stack: u32,
    at: u64,
}

/// Memory at one moment.
#[derive(Debug, Default)]
pub struct Image {
    /// Live blocks, by address.
    pub blocks: Vec<Block>,
    /// Return addresses, the innermost first.
    pub stacks: FxHashMap<u32, Vec<u64>>,
    /// What the moment was called.
    pub label: String,
    /// A value that alone is to be counted, and its table of methods.
    pub root: Option<(u64, u64)>,
    /// A block without contents yet.
    pub fresh: u64,
    /// Start, bytes, and place of what lies outside of blocks; by start.
    pub regions: Vec<(u64, u64, u64)>,
    maps: String,
    data: Vec<u8>,
}

impl Image {
    /// Takes what the recorder wrote behind its shared words.
    ///
    /// # Errors
    /// The data is cut off, or not the recorder's.
    pub fn read(data: Vec<u8>) -> Result<Image, String> {
        let mut image = Image::default();
        let cut = || "the recorder's data is cut off".to_owned();
        let mut at = 0usize;
        let (mut contents, mut ended) = (None, false);
        while at + 16 <= data.len() {
            let (tag, bytes) = (word(&data, at), word(&data, at + 8) as usize);
            at += 16;
            if tag == 0 {
                ended = true;
                break;
            }
            let end = at.checked_add(bytes).filter(|e| *e <= data.len());
            let body = &data[at..end.ok_or_else(cut)?];
            match tag {
                MAPS => image.maps = String::from_utf8_lossy(body).into_owned(),
                BLOCKS => {
                    image.blocks = body
                        .chunks_exact(24)
                        .map(|b| Block {
                            address: word(b, 0),
                            size: word(b, 8),
                            stack: word(b, 16) as u32,
                            at: 0,
                        })
                        .collect();
                }
                STACKS => {
                    let mut rest = body;
                    while rest.len() >= 16 {
                        let (id, n) = (word(rest, 0) as u32, word(rest, 8) as usize);
                        let end = 16 + n.min(1024) * 8;
                        let frames = rest.get(16..end).ok_or_else(cut)?;
                        let frames = frames.chunks_exact(8).map(|f| word(f, 0));
                        image.stacks.insert(id, frames.collect());
                        rest = &rest[end..];
                    }
                }
                REGION if bytes >= 8 => {
                    let region = (word(body, 0), bytes as u64 - 8, at as u64 + 8);
                    image.regions.push(region);
                }
                CONTENTS => contents = Some((at as u64, bytes as u64)),
                MOMENT if bytes >= 32 => {
                    let root = (word(body, 0), word(body, 8));
                    image.root = (root.0 != 0).then_some(root);
                    image.fresh = word(body, 16);
                    image.label = String::from_utf8_lossy(&body[32..]).into_owned();
                }
                _ => return Err("the recorder's data cannot be understood".to_owned()),
            }
            at += bytes.next_multiple_of(8);
        }
        let (mut place, bytes) = contents.filter(|_| ended).ok_or_else(cut)?;
        let end = place + bytes;
        for block in &mut image.blocks {
            block.at = place;
            place += block.size;
        }
        if place != end {
            return Err(cut());
        }
        image.blocks.sort_unstable_by_key(|b| b.address);
        image.regions.sort_unstable();
        image.data = data;
        Ok(image)
    }

    /// Blocks at addresses, in their order, and nothing else.
    #[cfg(test)]
    pub(super) fn of(blocks: &[(u64, Vec<u8>)]) -> Image {
        let mut image = Image::default();
        for (address, contents) in blocks {
            image.blocks.push(Block {
                address: *address,
                size: contents.len() as u64,
                stack: 0,
                at: image.data.len() as u64,
            });
            image.data.extend(contents);
        }
        image
    }

    /// The block that starts at an address.
    pub fn block(&self, address: u64) -> Option<usize> {
        self.blocks
            .binary_search_by_key(&address, |b| b.address)
            .ok()
    }

    /// The contents of a block.
    pub fn contents(&self, index: usize) -> &[u8] {
        let block = &self.blocks[index];
        &self.data[block.at as usize..(block.at + block.size) as usize]
    }

    /// Memory at any address that is known whole.
    pub fn memory(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let after = self.blocks.partition_point(|b| b.address <= address);
        if let Some(block) = after.checked_sub(1).map(|i| &self.blocks[i])
            && address + bytes <= block.address + block.size
        {
            let start = (block.at + address - block.address) as usize;
            return Some(&self.data[start..start + bytes as usize]);
        }
        let after = self.regions.partition_point(|r| r.0 <= address);
        let region = after.checked_sub(1).map(|i| self.regions[i])?;
        let within = address.checked_add(bytes)? <= region.0 + region.1;
        let start = (region.2 + address - region.0) as usize;
        within.then(|| &self.data[start..start + bytes as usize])
    }

    /// Memory outside of blocks, which may continue in the next region and is zero where none is
    /// kept.
    pub fn gathered(&self, address: u64, bytes: u64) -> Vec<u8> {
        let mut all = vec![0; bytes as usize];
        for &(start, length, at) in &self.regions {
            let (from, to) = (start.max(address), (start + length).min(address + bytes));
            if from < to {
                let source = (at + from - start) as usize;
                let n = (to - from) as usize;
                let target = (from - address) as usize;
                all[target..target + n].copy_from_slice(&self.data[source..source + n]);
            }
        }
        all
    }

    /// The bytes of a region.
    pub fn region(&self, region: (u64, u64, u64)) -> &[u8] {
        &self.data[region.2 as usize..(region.2 + region.1) as usize]
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
