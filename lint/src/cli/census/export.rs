//! Allocation sites in the formats of other tools: a profile of pprof, and DHAT's JSON.
//!
//! pprof's format is a message of protocol buffers (`profile.proto` of google/pprof), of which a few
//! kinds of fields are needed; DHAT's is described in valgrind's `dhat/dh_main.c`.

use crate::census::count::{Census, MadeCount};
use clap::ValueEnum;
use std::collections::BTreeMap;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For `pprof` and what else reads its profiles: live and made blocks and bytes; of sites that
    /// the census does not list, what was made is at least what is live
    Pprof,
    /// For valgrind's `dh_view.html`: the moment is its end and its peak, lifetimes are not known,
    /// and of sites that the census does not list, what was made is at least what is live
    Dhat,
}

/// Returns the bytes of a file in a format.
///
/// # Errors
/// The census has no sites: it is an old one, or of a single value.
pub(super) fn of(census: &Census, format: Format) -> Result<Vec<u8>, String> {
    if census.made.is_empty() {
        return Err(
            "this census has no allocation sites: those of one value alone have none".to_owned(),
        );
    }
    let sites = sites(census);
    Ok(match format {
        Format::Pprof => pprof(&sites),
        Format::Dhat => dhat(census, &sites),
    })
}

/// A site, or what is live elsewhere.
struct Site<'c> {
    ty: &'c str,
    frames: Vec<&'c str>,
    /// Live and made blocks.
    blocks: (u64, u64),
    /// Their bytes.
    bytes: (u64, u64),
}

/// The sites of a census, so that what is live adds up to its heap.
fn sites(census: &Census) -> Vec<Site<'_>> {
    // Blocks that grew were made with fewer bytes than they have.
    let all = |made: &MadeCount| {
        let (blocks, bytes) = (made.made_blocks, made.made_bytes);
        (blocks.max(made.blocks), bytes.max(made.bytes))
    };
    let mut sites: Vec<Site> = census
        .made
        .iter()
        .map(|made| Site {
            ty: &made.ty,
            frames: made.frames.iter().map(String::as_str).collect(),
            blocks: (made.blocks, all(made).0),
            bytes: (made.bytes, all(made).1),
        })
        .collect();
    let sum = |of: fn(&Site<'_>) -> u64| sites.iter().map(of).sum::<u64>();
    let blocks = census.summary.blocks.saturating_sub(sum(|s| s.blocks.0));
    let bytes = census.summary.live_bytes.saturating_sub(sum(|s| s.bytes.0));
    if blocks > 0 || bytes > 0 {
        sites.push(Site {
            ty: "",
            frames: vec!["sites that the census does not list"],
            blocks: (blocks, blocks),
            bytes: (bytes, bytes),
        });
    }
    sites
}

/// Function, file and line of a frame.
fn parts(frame: &str) -> (&str, &str, u64) {
    let Some((function, place)) = frame.rsplit_once(" at ") else {
        return (frame, "", 0);
    };
    match place.rsplit_once(':') {
        Some((file, line)) => (function, file, line.parse().unwrap_or(0)),
        None => (function, place, 0),
    }
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n > 0x7f {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    /// A field of a number.
    fn number(&mut self, field: u64, n: u64) {
        self.varint(field << 3);
        self.varint(n);
    }

    /// A field of bytes: a text, or another message.
    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// A field of another message with numbers alone.
    fn numbers(&mut self, field: u64, fields: &[(u64, u64)]) {
        let mut message = Message::default();
        for (field, n) in fields {
            message.number(*field, *n);
        }
        self.bytes(field, &message.0);
    }

    /// A field of several numbers.
    fn packed(&mut self, field: u64, numbers: &[u64]) {
        let mut list = Message::default();
        numbers.iter().for_each(|n| list.varint(*n));
        self.bytes(field, &list.0);
    }
}

/// Texts or frames, each once, numbered as they come.
#[derive(Default)]
struct Numbered<'t> {
    list: Vec<&'t str>,
    numbers: BTreeMap<&'t str, u64>,
}

impl<'t> Numbered<'t> {
    fn of(&mut self, text: &'t str) -> u64 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(text);
            self.list.len() as u64 - 1
        })
    }
}

fn pprof(sites: &[Site<'_>]) -> Vec<u8> {
    let mut profile = Message::default();
    let mut texts = Numbered::default();
    // Its first text is the empty one.
    texts.of("");
    let kinds = [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
    ];
    for (kind, unit) in kinds {
        profile.numbers(1, &[(1, texts.of(kind)), (2, texts.of(unit))]);
    }
    let mut frames = Numbered::default();
    for site in sites {
        // Numbers of locations begin with 1, the innermost is first.
        let places: Vec<u64> = site.frames.iter().map(|f| frames.of(f) + 1).collect();
        let mut sample = Message::default();
        sample.packed(1, &places);
        let (blocks, bytes) = (site.blocks, site.bytes);
        sample.packed(2, &[blocks.1, bytes.1, blocks.0, bytes.0]);
        if !site.ty.is_empty() {
            sample.numbers(3, &[(1, texts.of("type")), (2, texts.of(site.ty))]);
        }
        profile.bytes(2, &sample.0);
    }
    for (number, frame) in (1..).zip(&frames.list) {
        let (function, file, line) = parts(frame);
        let mut location = Message::default();
        location.number(1, number);
        location.numbers(4, &[(1, number), (2, line)]);
        profile.bytes(4, &location.0);
        let name = texts.of(function);
        let fields = [(1, number), (2, name), (3, name), (4, texts.of(file))];
        profile.numbers(5, &fields);
    }
    // A comment, which `pprof -comments` shows.
    let comment = texts.of("alloc_*: of sites that are not listed at least what is live");
    profile.packed(13, &[comment]);
    for text in &texts.list {
        profile.bytes(6, text.as_bytes());
    }
    // The kind that is shown first.
    profile.number(14, texts.numbers["inuse_space"]);
    profile.0
}

fn dhat(census: &Census, sites: &[Site<'_>]) -> Vec<u8> {
    let mut frames = Numbered::default();
    frames.of("[root]");
    // Its viewer knows no types: they are the innermost frames.
    let types: Vec<String> = sites.iter().map(|site| format!("[{}]", site.ty)).collect();
    let points: Vec<serde_json::Value> = sites
        .iter()
        .zip(&types)
        .map(|(site, ty)| {
            let ty = (!site.ty.is_empty()).then_some(ty.as_str());
            let list = ty.into_iter().chain(site.frames.iter().copied());
            let list: Vec<u64> = list.map(|frame| frames.of(frame)).collect();
            let (bytes, blocks) = (site.bytes.0, site.blocks.0);
            serde_json::json!({
                "tb": site.bytes.1, "tbk": site.blocks.1, "tl": 0,
                "mb": bytes, "mbk": blocks, "gb": bytes, "gbk": blocks, "eb": bytes, "ebk": blocks,
                "fs": list,
            })
        })
        .collect();
    let whole = serde_json::json!({
        "dhatFileVersion": 2,
        "mode": "rust-heap",
        "verb": "Allocated",
        "bklt": true,
        "bkacc": false,
        "tu": "moments", "Mtu": "M", "tuth": 0,
        "cmd": census.head.program,
        "pid": 0,
        "tg": 1, "te": 1,
        "pps": points,
        "ftbl": frames.list,
    });
    whole.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn census() -> Census {
        let mut census = Census::default();
        census.summary.live_bytes = 1000;
        census.summary.blocks = 10;
        for (ty, n, frames) in [
            (
                "a::B",
                3,
                &["a::new at src/a.rs:7", "a::main at src/a.rs:300"][..],
            ),
            ("", 5, &["not Rust"]),
            ("a::C", 0, &["a::main at src/a.rs:300"]),
        ] {
            census.made.push(MadeCount {
                ty: ty.to_owned(),
                frames: frames.iter().map(|f| (*f).to_owned()).collect(),
                blocks: n,
                bytes: n * 100,
                made_blocks: n * 1000 + 1,
                made_bytes: n * 300_000,
                ..MadeCount::default()
            });
        }
        census
    }

    /// Fields of a message: number, and a number or bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
        fn varint(bytes: &mut &[u8]) -> u64 {
            let (mut n, mut shift) = (0, 0);
            while let Some((first, rest)) = bytes.split_first() {
                *bytes = rest;
                n |= u64::from(first & 0x7f) << shift;
                shift += 7;
                if first & 0x80 == 0 {
                    break;
                }
            }
            n
        }
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let n = varint(&mut bytes);
            let (inner, rest) = bytes.split_at(if key & 7 == 2 { n as usize } else { 0 });
            bytes = rest;
            all.push((key >> 3, n, inner));
        }
        all
    }

    #[test]
    fn a_profile_of_pprof_adds_up() {
        let bytes = of(&census(), Format::Pprof).unwrap();
        let all = fields(&bytes);
        let inner = |field: u64| all.iter().filter(move |f| f.0 == field).map(|f| f.2);
        let texts: Vec<&str> = inner(6).map(|t| std::str::from_utf8(t).unwrap()).collect();
        assert_eq!(texts[0], "");
        let mut sums = [0; 4];
        let mut types = Vec::new();
        for sample in inner(2) {
            let sample = fields(sample);
            // Each number of a packed list as a field of its own would be.
            let values = sample.iter().find(|f| f.0 == 2).unwrap().2;
            let mut message = Vec::new();
            let mut fresh = true;
            for byte in values {
                if fresh {
                    message.push(8);
                }
                message.push(*byte);
                fresh = byte & 0x80 == 0;
            }
            for (sum, (_, n, _)) in sums.iter_mut().zip(fields(&message)) {
                *sum += n;
            }
            let label = sample.iter().find(|f| f.0 == 3).map(|f| fields(f.2));
            types.extend(label.map(|l| (texts[l[0].1 as usize], texts[l[1].1 as usize])));
        }
        // 200 bytes in 2 blocks are at sites that are not listed.
        assert_eq!(sums, [8003 + 2, 2_400_200, 10, 1000]);
        assert_eq!(types, [("type", "a::B"), ("type", "a::C")]);
        let functions: Vec<&str> = inner(5).map(|f| texts[fields(f)[1].1 as usize]).collect();
        let other = "sites that the census does not list";
        assert_eq!(functions, ["a::new", "a::main", "not Rust", other]);
        let lines = inner(4).map(|l| fields(fields(l)[1].2)[1].1);
        assert_eq!(lines.collect::<Vec<u64>>(), [7, 300, 0, 0]);
        let shown = all.iter().find(|f| f.0 == 14).unwrap().1;
        assert_eq!(texts[shown as usize], "inuse_space");
    }

    #[test]
    fn the_points_of_dhat_add_up() {
        let bytes = of(&census(), Format::Dhat).unwrap();
        let whole: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let points = whole["pps"].as_array().unwrap();
        let sum = |key: &str| points.iter().map(|p| p[key].as_u64().unwrap()).sum::<u64>();
        assert_eq!(["eb", "ebk", "gb", "gbk"].map(sum), [1000, 10, 1000, 10]);
        assert_eq!(["tb", "tbk"].map(sum), [2_400_200, 8005]);
        let names = |point: &serde_json::Value| -> Vec<String> {
            let list = point["fs"].as_array().unwrap().iter();
            let name =
                |at: &serde_json::Value| whole["ftbl"][at.as_u64().unwrap() as usize].clone();
            list.map(|at| name(at).as_str().unwrap().to_owned())
                .collect()
        };
        let first = ["[a::B]", "a::new at src/a.rs:7", "a::main at src/a.rs:300"];
        assert_eq!(names(&points[0]), first);
        let mut without = census();
        without.made.clear();
        assert!(of(&without, Format::Dhat).is_err());
    }
}
